/* SPDX-License-Identifier: GPL-2.0-only */
#include "../base/unit-parser.h"
#include "../document/document-node.h"
#include "../workload/models/gpu-roofline.h"
#include "import-graph.h"
#include "protobuf-fields.h"
#include "workload-reader.h"

#include "ns3/log.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <numeric>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ChakraWorkloadReader");

namespace
{

/// Numbers of the fields and values of schema/protobuf/et_def.proto that are used.
namespace et
{

constexpr uint64_t NODE_ID = 1;
constexpr uint64_t NODE_NAME = 2;
constexpr uint64_t NODE_TYPE = 3;
constexpr uint64_t NODE_CONTROL = 4;
constexpr uint64_t NODE_DATA = 5;
constexpr uint64_t NODE_DURATION = 7;
constexpr uint64_t NODE_ATTRIBUTE = 10;
constexpr uint64_t ATTRIBUTE_NAME = 1;
constexpr uint64_t ATTRIBUTE_SINT32 = 15;
constexpr uint64_t ATTRIBUTE_SINT64 = 17;
constexpr uint64_t ATTRIBUTE_BOOLS = 28;
constexpr uint64_t ATTRIBUTE_STRING = 29;
constexpr uint64_t LIST_VALUES = 1;

constexpr uint64_t INVALID = 0;
constexpr uint64_t COMPUTE = 4;
constexpr uint64_t SEND = 5;
constexpr uint64_t RECEIVE = 6;
constexpr uint64_t COLLECTIVE = 7;
constexpr uint64_t LAST_TYPE = 10;

/// By the value of comm_type; nothing if it is not supported.
const std::array<std::optional<ProgramStepKind>, 10> COLLECTIVES{ProgramStepKind::ALL_REDUCE,
                                                                 ProgramStepKind::REDUCE,
                                                                 ProgramStepKind::ALL_GATHER,
                                                                 std::nullopt,
                                                                 std::nullopt,
                                                                 ProgramStepKind::BROADCAST,
                                                                 ProgramStepKind::ALL_TO_ALL,
                                                                 ProgramStepKind::REDUCE_SCATTER,
                                                                 ProgramStepKind::REDUCE_SCATTER,
                                                                 std::nullopt};
const std::array<const char*, 10> COLLECTIVE_NAMES{"ALL_REDUCE",
                                                   "REDUCE",
                                                   "ALL_GATHER",
                                                   "GATHER",
                                                   "SCATTER",
                                                   "BROADCAST",
                                                   "ALL_TO_ALL",
                                                   "REDUCE_SCATTER",
                                                   "REDUCE_SCATTER_BLOCK",
                                                   "BARRIER"};

} // namespace et

/// A node as read.
struct TraceNode
{
    uint64_t id{0};
    std::string name;
    uint64_t type{et::INVALID};
    std::optional<uint64_t> durationUs;
    std::vector<uint64_t> dependencies;
    std::map<std::string, uint64_t> numbers; ///< attributes
    std::string group;                       ///< pg_name
    bool partial{false};                     ///< whether involved_dim omits dimensions

    std::optional<uint64_t> Find(const std::string& attribute) const
    {
        const auto found = numbers.find(attribute);
        return found == numbers.end() ? std::nullopt : std::optional<uint64_t>(found->second);
    }

    /// Whether it is a kernel of the GPU.
    bool IsKernel() const
    {
        return type == et::COMPUTE && Find("is_cpu_op").value_or(0) == 0;
    }

    /// Whether its time can be estimated, or else what is missing for it.
    bool HasWork(std::string& missing) const
    {
        const bool operations = Find("num_ops").has_value();
        const bool bytes = Find("tensor_size").has_value();
        missing = operations ? "tensor_size" : bytes ? "num_ops" : "num_ops and tensor_size";
        return operations && bytes;
    }
};

/// Adds the values of a repeated numeric field, packed or not.
bool
ReadNumbers(const ProtobufFields& field, std::vector<uint64_t>& values)
{
    if (field.GetWire() == ProtobufFields::Wire::VARINT)
    {
        values.push_back(field.GetNumber());
        return true;
    }
    ProtobufFields list(field.GetBytes());
    while (!list.IsAtEnd())
    {
        uint64_t value = 0;
        if (!list.TakeVarint(value))
        {
            return false;
        }
        values.push_back(value);
    }
    return field.GetWire() == ProtobufFields::Wire::BYTES;
}

bool
ReadAttribute(std::string_view bytes, TraceNode& node)
{
    ProtobufFields fields(bytes);
    std::string name;
    while (fields.Next())
    {
        switch (fields.GetField())
        {
        case et::ATTRIBUTE_NAME:
            name = fields.GetBytes();
            break;
        case et::ATTRIBUTE_STRING:
            if (name == "pg_name")
            {
                node.group = fields.GetBytes();
            }
            break;
        case et::ATTRIBUTE_BOOLS: {
            std::vector<uint64_t> values;
            ProtobufFields list(fields.GetBytes());
            while (list.Next())
            {
                if (list.GetField() == et::LIST_VALUES && !ReadNumbers(list, values))
                {
                    return false;
                }
            }
            node.partial =
                node.partial || (name == "involved_dim" &&
                                 std::find(values.begin(), values.end(), 0U) != values.end());
            break;
        }
        case et::ATTRIBUTE_SINT32:
        case et::ATTRIBUTE_SINT64:
            node.numbers[name] = fields.GetNumber() >> 1 ^ (~(fields.GetNumber() & 1) + 1);
            break;
        default:
            if (fields.GetWire() == ProtobufFields::Wire::VARINT)
            {
                node.numbers[name] = fields.GetNumber();
            }
        }
    }
    return !fields.IsBroken();
}

bool
ReadNode(std::string_view bytes, TraceNode& node)
{
    ProtobufFields fields(bytes);
    bool good = true;
    while (good && fields.Next())
    {
        switch (fields.GetField())
        {
        case et::NODE_ID:
            node.id = fields.GetNumber();
            break;
        case et::NODE_NAME:
            node.name = fields.GetBytes();
            break;
        case et::NODE_TYPE:
            node.type = fields.GetNumber();
            break;
        case et::NODE_DURATION:
            node.durationUs = fields.GetNumber();
            break;
        case et::NODE_CONTROL:
        case et::NODE_DATA:
            good = ReadNumbers(fields, node.dependencies);
            break;
        case et::NODE_ATTRIBUTE:
            good = ReadAttribute(fields.GetBytes(), node);
            break;
        default:
            break;
        }
    }
    return good && !fields.IsBroken();
}

} // namespace

/**
 * Execution traces of Chakra (Sridharan et al., 2023; MLCommons, schema/protobuf/et_def.proto): a
 * file PREFIX.N.et for each rank with length-prefixed Protocol Buffers messages: one with metadata,
 * then the nodes.
 *
 * The nodes COMP (duration_micros, or num_ops and tensor_size), COMM_SEND and COMM_RECV (comm_size,
 * comm_dst or comm_src, comm_tag) and COMM_COLL (comm_type, comm_size, pg_name) are used, with
 * their dependencies of both kinds. comm_size is the size of a rank's input, as in ASTRA-sim; the
 * root of a broadcast or reduction is the first rank of its group. A collective without pg_name,
 * or with that of PyTorch's default process group, "0", if the file of groups does not say what it
 * is, runs among all ranks; groups are named lists of ranks in a JSON file (`groups:`), like
 * ASTRA-sim's comm-group-configuration. Nodes of other kinds and those of the CPU (is_cpu_op) take
 * no time, because GPU nodes wait for them only through dependencies. One run of the trace is an
 * iteration.
 *
 * The time of a COMP node of the GPU without duration_micros is estimated from num_ops [FLOP] and
 * tensor_size [byte] with the roofline of `gpu:`, as in ASTRA-sim; without these it is an error
 * unless `untimed-compute:` gives a time.
 */
class ChakraWorkloadReader : public WorkloadReader
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ChakraWorkloadReader")
                                .SetParent<WorkloadReader>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<ChakraWorkloadReader>();
        return tid;
    }

    bool TakesGroups() const override
    {
        return true;
    }

    bool HasMessages() const override
    {
        return true;
    }

    bool HasUntimedKernels() const override
    {
        return true;
    }

    std::optional<ImportedWorkload> Read(const WorkloadFiles& files,
                                         Diagnostics& diagnostics) const override
    {
        NS_LOG_FUNCTION(this << files.file);
        std::vector<std::vector<TraceNode>> traces;
        while (traces.size() < MAX_RANKS &&
               (traces.empty() || std::filesystem::exists(GetFile(files, traces.size()))))
        {
            const std::string file = GetFile(files, traces.size());
            const auto bytes = ReadFile(file, files.mark, diagnostics);
            if (!bytes || !ReadTrace(file, *bytes, diagnostics, traces.emplace_back()))
            {
                return std::nullopt;
            }
        }
        std::map<std::string, std::vector<uint32_t>> groups;
        if (!files.groups.empty() && !ReadGroups(files, traces.size(), diagnostics, groups))
        {
            return std::nullopt;
        }
        const int errors = diagnostics.GetErrorCount();
        const auto report = [&](uint32_t rank, uint32_t node, const std::string& what) {
            diagnostics.Error({GetFile(files, rank), 0, 0}, "", GetName(traces[rank][node]) + what);
        };
        ImportGraph graph(static_cast<uint32_t>(traces.size()), report);
        std::map<std::string, uint32_t> indices;
        graph.groups.emplace_back(traces.size());
        std::iota(graph.groups[0].begin(), graph.groups[0].end(), 0);
        for (auto& [name, ranks] : groups)
        {
            indices[name] = static_cast<uint32_t>(graph.groups.size());
            graph.groups.push_back(ranks);
        }
        graph.eagerBytes = files.eagerBytes;
        if (!files.untimedPs)
        {
            CheckKernels(traces, report);
        }
        std::map<std::string, ImportCount> counts;
        bool takesTime = false;
        for (uint32_t rank = 0; rank < traces.size(); rank++)
        {
            std::map<uint64_t, uint32_t> places;
            for (uint32_t node = 0; node < traces[rank].size(); node++)
            {
                if (!places.emplace(traces[rank][node].id, node).second)
                {
                    report(rank, node, "the id is there twice");
                }
            }
            for (uint32_t node = 0; node < traces[rank].size(); node++)
            {
                ImportOperation operation;
                const std::string error =
                    Convert(traces[rank][node], files, places, indices, graph.groups, operation);
                if (!error.empty())
                {
                    report(rank, node, error);
                }
                Count(traces[rank][node], operation, counts);
                takesTime = takesTime || operation.durationPs > 0 || operation.bytes > 0;
                graph.ranks[rank].push_back(std::move(operation));
            }
        }
        if (!takesTime && diagnostics.GetErrorCount() == errors)
        {
            diagnostics.Error({GetFile(files, 0), 0, 0}, "", "nothing in the trace takes time");
        }
        auto workload = diagnostics.GetErrorCount() == errors ? graph.Build() : std::nullopt;
        for (auto& [what, count] : counts)
        {
            count.what = what;
            if (workload)
            {
                workload->counts.push_back(count);
            }
        }
        return workload;
    }

  private:
    /// Reports kernels without a time, all together.
    static void CheckKernels(const std::vector<std::vector<TraceNode>>& traces,
                             const ImportGraph::ErrorSink& report)
    {
        uint64_t kernels = 0;
        std::map<std::string, uint64_t> missing;
        std::optional<std::pair<uint32_t, uint32_t>> first;
        for (uint32_t rank = 0; rank < traces.size(); rank++)
        {
            for (uint32_t node = 0; node < traces[rank].size(); node++)
            {
                const TraceNode& own = traces[rank][node];
                std::string lacks;
                kernels += own.IsKernel() ? 1 : 0;
                if (own.IsKernel() && !own.durationUs && !own.HasWork(lacks))
                {
                    missing[lacks]++;
                    first = first.value_or(std::make_pair(rank, node));
                }
            }
        }
        if (!first)
        {
            return;
        }
        uint64_t sum = 0;
        std::string list;
        for (const auto& [lacks, count] : missing)
        {
            sum += count;
            list += (list.empty() ? "" : ", ") + std::to_string(count) + " lack" +
                    (count == 1 ? "s " : " ") + lacks;
        }
        report(first->first,
               first->second,
               "this is the first of " + std::to_string(sum) + " of " + std::to_string(kernels) +
                   " compute nodes of the GPU without duration_micros whose time cannot be "
                   "estimated either: " +
                   list + "; untimed-compute gives them a time");
    }

    /// Counts what became of a node.
    static void Count(const TraceNode& node,
                      const ImportOperation& operation,
                      std::map<std::string, ImportCount>& counts)
    {
        if (node.IsKernel())
        {
            ImportCount& count = counts["compute nodes of the GPU"];
            (node.durationUs ? count.read : count.estimated)++;
        }
        else if (node.type == et::COMPUTE)
        {
            counts["compute nodes of the CPU"].skipped++;
        }
        else if (node.type == et::SEND || node.type == et::RECEIVE)
        {
            counts["ends of messages"].read++;
        }
        else if (node.type == et::COLLECTIVE)
        {
            ImportCount& count = counts["parts of collectives"];
            (operation.kind == ImportOperation::Kind::COLLECTIVE ? count.read : count.skipped)++;
        }
        else
        {
            counts["nodes of other types"].skipped++;
        }
    }

    static std::string GetFile(const WorkloadFiles& files, std::size_t rank)
    {
        return files.file + "." + std::to_string(rank) + ".et";
    }

    static std::string GetName(const TraceNode& node)
    {
        return "node " + std::to_string(node.id) + " (" + node.name + "): ";
    }

    static bool ReadTrace(const std::string& file,
                          const std::string& bytes,
                          Diagnostics& diagnostics,
                          std::vector<TraceNode>& nodes)
    {
        const auto error = [&](std::size_t position, const std::string& what) {
            diagnostics.Error({file, 0, 0}, "", "byte " + std::to_string(position) + ": " + what);
            return false;
        };
        if (bytes.compare(0, 2, "\x1f\x8b") == 0)
        {
            return error(0, "the file is compressed: unpack it with gunzip");
        }
        ProtobufFields stream(bytes);
        for (bool first = true; !stream.IsAtEnd(); first = false)
        {
            const std::size_t position = stream.GetPosition();
            uint64_t length = 0;
            std::string_view message;
            if (!stream.TakeVarint(length) || !stream.TakeBytes(length, message))
            {
                return error(position, "the file ends within a message");
            }
            TraceNode node;
            ProtobufFields metadata(message);
            while (first && metadata.Next())
            {
            }
            if (first ? metadata.IsBroken() : !ReadNode(message, node))
            {
                return error(position,
                             first ? "this is no metadata of a Chakra trace"
                                   : "this is no node of a Chakra trace");
            }
            if (!first)
            {
                nodes.push_back(std::move(node));
            }
            if (nodes.size() > MAX_STEPS)
            {
                return error(position, "more than " + std::to_string(MAX_STEPS) + " nodes");
            }
        }
        return nodes.empty() ? error(bytes.size(), "the trace has no nodes") : true;
    }

    static bool ReadGroups(const WorkloadFiles& files,
                           std::size_t ranks,
                           Diagnostics& diagnostics,
                           std::map<std::string, std::vector<uint32_t>>& groups)
    {
        const auto text = ReadFile(files.groups, files.groupsMark, diagnostics);
        if (!text)
        {
            return false;
        }
        diagnostics.AddSource(files.groups, *text);
        const auto root = DocumentNode::Parse(files.groups, *text, diagnostics);
        if (!root)
        {
            return false;
        }
        const int errors = diagnostics.GetErrorCount();
        if (!root->IsMap())
        {
            diagnostics.Error(root->GetMark(), "", "wants lists of ranks by name of a group");
        }
        for (std::size_t i = 0; root->IsMap() && i < root->items.size(); i++)
        {
            std::vector<uint32_t>& group = groups[root->keys[i].text];
            for (const DocumentNode& item : root->items[i].items)
            {
                std::string error;
                const auto rank = UnitParser::ParseUnsigned(item.text, 0, ranks - 1, error);
                if (!rank)
                {
                    diagnostics.Error(item.GetMark(), "", "a rank " + error);
                    continue;
                }
                group.push_back(static_cast<uint32_t>(*rank));
            }
            std::sort(group.begin(), group.end());
            if (group.empty() || std::adjacent_find(group.begin(), group.end()) != group.end())
            {
                diagnostics.Error(root->items[i].GetMark(),
                                  "",
                                  group.empty() ? "wants a list of ranks"
                                                : "a rank is there twice");
            }
        }
        return diagnostics.GetErrorCount() == errors;
    }

    /// Converts a node to an operation. \returns an error, or nothing
    static std::string Convert(const TraceNode& node,
                               const WorkloadFiles& files,
                               const std::map<uint64_t, uint32_t>& places,
                               const std::map<std::string, uint32_t>& groups,
                               const std::vector<std::vector<uint32_t>>& ranks,
                               ImportOperation& operation)
    {
        operation.label = node.name;
        for (const uint64_t on : node.dependencies)
        {
            const auto place = places.find(on);
            if (place == places.end())
            {
                return "depends on node " + std::to_string(on) + ", which does not exist";
            }
            operation.dependencies.push_back(place->second);
        }
        if (node.type == et::INVALID || node.type > et::LAST_TYPE)
        {
            return "type " + std::to_string(node.type) + " is unknown";
        }
        if (node.IsKernel())
        {
            const std::string error = ConvertKernel(node, files, operation);
            if (!error.empty())
            {
                return error;
            }
        }
        if (node.type < et::SEND || node.type > et::COLLECTIVE)
        {
            return "";
        }
        const auto bytes = node.Find("comm_size");
        if (!bytes || *bytes == 0 || *bytes > INT64_MAX / MAX_RANKS)
        {
            return bytes ? "comm_size must be from 1 to " + std::to_string(INT64_MAX / MAX_RANKS)
                         : "comm_size is missing";
        }
        operation.bytes = *bytes;
        return node.type == et::COLLECTIVE ? ConvertCollective(node, groups, ranks, operation)
                                           : ConvertMessage(node, operation);
    }

    static std::string ConvertKernel(const TraceNode& node,
                                     const WorkloadFiles& files,
                                     ImportOperation& operation)
    {
        if (node.durationUs)
        {
            operation.durationPs = static_cast<int64_t>(*node.durationUs) * 1'000'000;
            return *node.durationUs > INT64_MAX / 1'000'000 ? "duration_micros is too large" : "";
        }
        std::string missing;
        if (!node.HasWork(missing))
        {
            operation.durationPs = files.untimedPs.value_or(0);
            return "";
        }
        const uint64_t operations = *node.Find("num_ops");
        const uint64_t bytes = *node.Find("tensor_size");
        for (const auto& [name, value, most] :
             {std::make_tuple("num_ops", operations, GpuRoofline::MAX_OPERATIONS),
              std::make_tuple("tensor_size", bytes, GpuRoofline::MAX_BYTES)})
        {
            if (value > most)
            {
                return std::string(name) + " must be from 0 to " + std::to_string(most);
            }
        }
        operation.work = KernelWork{operations, bytes};
        // For the order of computations; the program of the job has the time that counts, with the
        // efficiencies of the scenario.
        const GpuLimits& gpu = GpuRoofline::GetLimits(files.gpuType);
        if (GpuRoofline::GetPeak(gpu, files.precision) <= 0)
        {
            return "compute times cannot be estimated: GPU " + std::string(ToName(files.gpuType)) +
                   " does not support " + ToName(files.precision);
        }
        operation.durationPs =
            CreateObject<GpuRoofline>()->GetKernelPs(gpu, files.precision, operations, bytes);
        return "";
    }

    static std::string ConvertMessage(const TraceNode& node, ImportOperation& operation)
    {
        const bool sends = node.type == et::SEND;
        const char* const key = sends ? "comm_dst" : "comm_src";
        const auto peer = node.Find(key);
        operation.kind = sends ? ImportOperation::Kind::SEND : ImportOperation::Kind::RECEIVE;
        operation.peer = static_cast<uint32_t>(std::min<uint64_t>(peer.value_or(0), UINT32_MAX));
        operation.tag = node.Find("comm_tag").value_or(0);
        return peer ? "" : std::string(key) + " is missing";
    }

    static std::string ConvertCollective(const TraceNode& node,
                                         const std::map<std::string, uint32_t>& groups,
                                         const std::vector<std::vector<uint32_t>>& ranks,
                                         ImportOperation& operation)
    {
        // A value of zero may be omitted, so the value always exists.
        const uint64_t type = node.Find("comm_type").value_or(0);
        if (type >= et::COLLECTIVES.size() || !et::COLLECTIVES[type])
        {
            return type >= et::COLLECTIVES.size()
                       ? "comm_type " + std::to_string(type) + " is unknown"
                       : std::string(et::COLLECTIVE_NAMES[type]) + " is not supported";
        }
        // A number may have been written as a floating-point one.
        const std::size_t point = node.group.size() > 2 ? node.group.size() - 2 : 0;
        const bool isWhole = point > 0 && node.group.compare(point, 2, ".0") == 0;
        const std::string name = isWhole ? node.group.substr(0, point) : node.group;
        const bool isDefault = name == "0" && groups.count(name) == 0 && !node.partial;
        if (!name.empty() && !isDefault)
        {
            const auto written = groups.find(node.group);
            const auto group = written != groups.end() ? written : groups.find(name);
            if (group == groups.end())
            {
                std::vector<std::string> names;
                for (const auto& entry : groups)
                {
                    names.push_back(entry.first);
                }
                return Diagnostics::Unknown("group", node.group, names) +
                       (names.empty() ? " (groups: names a file of them)" : "");
            }
            operation.group = group->second;
        }
        else if (node.partial)
        {
            return "involved_dim leaves dimensions out: a process group (pg_name) is needed";
        }
        operation.kind = ImportOperation::Kind::COLLECTIVE;
        operation.collective = *et::COLLECTIVES[type];
        const std::size_t size = ranks[operation.group].size();
        if (operation.collective == ProgramStepKind::ALL_GATHER)
        {
            operation.bytes *= size;
        }
        if (size == 1)
        {
            // There is nothing to send.
            ImportOperation nothing;
            nothing.label = operation.label;
            nothing.dependencies = operation.dependencies;
            operation = nothing;
        }
        return "";
    }
};

NS_OBJECT_ENSURE_REGISTERED(ChakraWorkloadReader);

} // namespace ns3
