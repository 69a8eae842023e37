/* SPDX-License-Identifier: GPL-2.0-only */
#include "taccl-reader.h"

#include "../../base/unit-parser.h"
#include "../../document/document-table.h"
#include "../../topology/taccl-file.h"
#include "../../topology/topology-document.h"

#include "ns3/host-model.h"
#include "ns3/object-factory.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t MAX_NODES = 256;
constexpr uint32_t MAX_RANKS = 1024;
constexpr uint32_t MAX_CHUNKS = 64;

/// Largest time per chunk, so that sums stay within integers of picoseconds.
constexpr double MAX_TIME = 1e6;

/// Links of an NDv2 with the number of NVLinks in each, as in HostModel.
std::vector<std::vector<uint32_t>>
GetNdv2Mesh()
{
    ObjectFactory factory("ns3::Ndv2Host");
    const HostLayout layout = factory.Create<HostModel>()->MakeLayout();
    std::vector<std::vector<uint32_t>> mesh(layout.gpus, std::vector<uint32_t>(layout.gpus));
    uint64_t single = UINT64_MAX;
    for (const HostLink& link : layout.links)
    {
        single = link.kind == TopologyLinkKind::NVLINK ? std::min(single, link.rateBps) : single;
    }
    for (const HostLink& link : layout.links)
    {
        if (link.kind == TopologyLinkKind::NVLINK)
        {
            mesh[link.partA][link.partB] = mesh[link.partB][link.partA] =
                link.rateBps > single ? 2 : 1;
        }
    }
    return mesh;
}

} // namespace

template <>
struct EnumNames<TacclSketch::Intranode>
{
    static constexpr EnumName<TacclSketch::Intranode> TABLE[] = {
        {TacclSketch::Intranode::NONE, "none"},
        {TacclSketch::Intranode::SWITCH, "switch"},
        {TacclSketch::Intranode::MINMAX, "minmax"},
        {TacclSketch::Intranode::MAXMIN, "maxmin"}};
};

namespace
{

// Lists and maps of GPUs are read by TacclReader, which knows their number.
const ValueShape ANYTHING = ValueShape::Plain(ValueShape::Kind::ANYTHING);

const DocumentTable<TacclSketch>&
GetIntranodeKeys()
{
    using S = TacclSketch;
    static const DocumentTable<S> table(
        "taccl-intranode",
        {Key("strategy", &S::intranode, Form::Choice<S::Intranode>(), "What is made of the links.")
             .Required(),
         DocumentKey<S>("switches", ValueShape::List(ANYTHING), "GPUs of each switch."),
         DocumentKey<S>("switch_hyperedge_strategy",
                        ValueShape::List(ANYTHING),
                        "uc-min, uc-max or none, of each switch.")});
    return table;
}

const DocumentTable<TacclSketch>&
GetInternodeKeys()
{
    using S = TacclSketch;
    const auto strategy = Form::Word({"relay"});
    static const DocumentTable<S> table(
        "taccl-internode",
        {Key<S, std::string>(
             "strategy",
             [](S&, const std::string&) {}, // there is only one strategy
             [](const S&) { return std::nullopt; },
             strategy,
             "How hosts are joined.")
             .Required(),
         DocumentKey<S>("internode_conn",
                        ANYTHING,
                        "Sending GPU to receiving GPUs; or fully-connected, direct-map.")
             .Required(),
         DocumentKey<S>("gpus_to_sender_rev_map",
                        ValueShape::Map(ValueShape::List(ANYTHING)),
                        "Sending GPU to GPUs that it sends for."),
         Key("enforce_ordering",
             &S::ownFirst,
             Form::Boolean(),
             "A sender's own chunks leave first.")});
    return table;
}

const DocumentTable<TacclSketch>&
GetSketchKeys()
{
    using S = TacclSketch;
    static const DocumentTable<S> parameters(
        "taccl-hyperparameters",
        {Key("input_chunkup", &S::chunksOfRank, Form::Integer(1, 1024), "Chunks of a rank.")
             .Required()});
    static const DocumentTable<S> table(
        "taccl-sketch",
        {Key("nnodes", &S::nodes, Form::Integer(1, 1024), "Hosts.").Required(),
         DocumentKey<S>("intranode_sketch",
                        ValueShape::Block(GetIntranodeKeys().GetInfo()),
                        "Links in a host.")
             .Required(),
         DocumentKey<S>("internode_sketch",
                        ValueShape::Block(GetInternodeKeys().GetInfo()),
                        "Links between hosts."),
         DocumentKey<S>("symmetry_offsets",
                        ValueShape::List(ANYTHING),
                        "[offset, size] of ranks that are alike."),
         Key("hyperparameters", parameters, "Chunks.").Required()});
    return table;
}

} // namespace

TacclReader::TacclReader(std::vector<std::string>& errors)
    : m_errors(errors)
{
}

std::vector<double>
TacclReader::ReadNumbers(TopologyDocument& document, const std::vector<const DocumentNode*>& list)
{
    std::vector<double> numbers;
    for (const DocumentNode* node : list)
    {
        const auto number = document.GetNumber(*node, false);
        if (number && *number > MAX_TIME)
        {
            document.Error(*node, "is more than 1e6");
        }
        numbers.push_back(number.value_or(0));
    }
    return numbers;
}

std::vector<std::vector<double>>
TacclReader::ReadMatrix(TopologyDocument& document,
                        const DocumentBlock& block,
                        const std::string& key,
                        uint32_t gpus)
{
    const DocumentNode* const list = block.Find(key);
    if (list == nullptr)
    {
        return {};
    }
    const std::string wanted = key + " wants a row for each of " + std::to_string(gpus) + " GPUs";
    std::vector<std::vector<double>> matrix(gpus, std::vector<double>(gpus));
    if (!list->IsList() || list->items.size() != gpus)
    {
        document.Error(*list, wanted);
        return {};
    }
    for (uint32_t destination = 0; destination < gpus; destination++)
    {
        const DocumentNode& row = list->items[destination];
        if (!row.IsList() || row.items.size() != gpus)
        {
            document.Error(row, wanted + ", each with a number for each");
            return {};
        }
        for (uint32_t source = 0; source < gpus; source++)
        {
            const auto number = document.GetNumber(row.items[source], true);
            if (number && *number > MAX_TIME)
            {
                document.Error(row.items[source], "is more than 1e6");
            }
            matrix[source][destination] = number.value_or(0);
        }
    }
    return matrix;
}

void
TacclReader::ReadLinks(TopologyDocument& document,
                       const DocumentBlock& block,
                       const TacclFile& file,
                       TacclMachine& machine)
{
    const uint32_t gpus = machine.gpus;
    const auto links = ReadMatrix(document, block, "links", gpus);
    const auto matrixBetas = ReadMatrix(document, block, "betas", gpus);
    const auto matrixCosts = ReadMatrix(document, block, "invbws", gpus);
    const std::vector<double> betas = ReadNumbers(document, file.betas);
    const std::vector<double> costs = ReadNumbers(document, file.costs);
    if (document.HasErrors())
    {
        return;
    }
    machine.betas.assign(gpus, std::vector<double>(gpus));
    machine.costs = machine.betas;
    if (!links.empty())
    {
        for (const auto& [key, matrix] :
             {std::make_pair("betas", &matrixBetas), std::make_pair("invbws", &matrixCosts)})
        {
            if (matrix->empty())
            {
                block.Error("links", std::string("needs ") + key);
                return;
            }
        }
        for (uint32_t source = 0; source < gpus; source++)
        {
            for (uint32_t destination = 0; destination < gpus; destination++)
            {
                const double count = links[source][destination];
                const std::string name =
                    std::to_string(source) + " to " + std::to_string(destination);
                if (count != 0 && count != 1)
                {
                    block.Error("links",
                                name + " must be 0 or 1: parallel links are not supported, give "
                                       "the beta of all of them");
                }
                else if (count == 1 &&
                         (source == destination || matrixBetas[source][destination] <= 0 ||
                          matrixCosts[source][destination] <= 0))
                {
                    block.Error("links",
                                name + " is not a link between two GPUs with a beta and "
                                       "an invbw above 0");
                }
                else if (count == 1)
                {
                    machine.betas[source][destination] = matrixBetas[source][destination];
                    machine.costs[source][destination] = matrixCosts[source][destination];
                }
            }
        }
        return;
    }
    const bool isNdv2 = machine.name.compare(0, 4, "NDv2") == 0;
    const size_t kinds = isNdv2 ? 2 : 1;
    if (isNdv2 && gpus != 8)
    {
        block.Error("gpus_per_node", "an NDv2 has 8 GPUs");
        return;
    }
    if (betas.size() != kinds || costs.size() != kinds)
    {
        block.Error(betas.size() != kinds ? "node_betas_list" : "node_invbws_list",
                    isNdv2 ? "an NDv2 has two kinds of links, the faster first"
                           : "wants one number, of a link between any two GPUs; other machines "
                             "need links, betas and invbws");
        return;
    }
    const auto mesh = isNdv2 ? GetNdv2Mesh() : std::vector<std::vector<uint32_t>>();
    for (uint32_t source = 0; source < gpus; source++)
    {
        for (uint32_t destination = 0; destination < gpus; destination++)
        {
            const uint32_t count = isNdv2 ? mesh[source][destination] : source != destination;
            if (count > 0)
            {
                const size_t kind = isNdv2 && count == 1 ? 1 : 0;
                machine.betas[source][destination] = betas[kind];
                machine.costs[source][destination] = costs[kind];
            }
        }
    }
}

std::optional<TacclMachine>
TacclReader::ReadMachine(const std::string& file)
{
    std::vector<TopologyFault> faults;
    std::optional<TacclMachine> machine = ParseMachine(file, faults);
    Report(faults);
    return faults.empty() ? machine : std::nullopt;
}

std::optional<TacclMachine>
TacclReader::ParseMachine(const std::string& file, std::vector<TopologyFault>& faults)
{
    std::optional<TacclMachine> machine;
    {
        TopologyDocument document(file, faults);
        const auto root = document.ReadMap();
        if (!root)
        {
            return std::nullopt;
        }
        TacclFile values;
        const DocumentBlock block =
            TacclFile::GetKeys().Read(*root, "", document.GetDiagnostics(), values);
        TacclMachine read;
        read.name = values.name;
        read.gpus = values.gpus;
        read.nics = values.nics;
        read.alpha = values.alpha;
        read.remoteAlpha = values.remoteAlpha;
        read.remoteBeta = values.remoteBeta;
        for (const auto& [key, value] : {std::make_pair("alpha", read.alpha),
                                         std::make_pair("remote_alpha", read.remoteAlpha),
                                         std::make_pair("remote_beta", read.remoteBeta)})
        {
            if (value > MAX_TIME)
            {
                block.Error(key, "is more than 1e6");
            }
        }
        if (block.IsComplete() && !document.HasErrors())
        {
            ReadLinks(document, block, values, read);
        }
        if (block.IsComplete() && !document.HasErrors())
        {
            machine = std::move(read);
        }
    }
    return machine;
}

std::optional<uint32_t>
TacclReader::ReadInteger(TopologyDocument& document,
                         const DocumentNode& node,
                         uint32_t low,
                         uint32_t high)
{
    std::string why = "wants a number, not " + node.GetKindName();
    const auto number = node.IsScalar() ? UnitParser::ParseUnsigned(node.text, low, high, why)
                                        : std::optional<uint64_t>();
    if (!number)
    {
        document.Error(node, why);
        return std::nullopt;
    }
    return static_cast<uint32_t>(*number);
}

std::vector<uint32_t>
TacclReader::ReadGpus(TopologyDocument& document, const DocumentNode& list)
{
    std::vector<uint32_t> gpus;
    if (!list.IsList() || list.items.empty())
    {
        document.Error(list, "wants a list of GPUs of a host");
        return gpus;
    }
    for (const DocumentNode& node : list.items)
    {
        const auto gpu = ReadInteger(document, node, 0, m_gpus - 1);
        if (gpu && std::find(gpus.begin(), gpus.end(), *gpu) != gpus.end())
        {
            document.Error(node, "GPU " + std::to_string(*gpu) + " is listed twice");
        }
        else if (gpu)
        {
            gpus.push_back(*gpu);
        }
    }
    return gpus;
}

std::map<uint32_t, std::vector<uint32_t>>
TacclReader::ReadGpuMap(TopologyDocument& document, const DocumentNode& map)
{
    std::map<uint32_t, std::vector<uint32_t>> gpus;
    if (!map.IsMap() || map.keys.empty())
    {
        document.Error(map, "wants a map of GPUs of a host to lists of such");
        return gpus;
    }
    for (size_t i = 0; i < map.keys.size(); i++)
    {
        const auto gpu = ReadInteger(document, map.keys[i], 0, m_gpus - 1);
        std::vector<uint32_t> others = ReadGpus(document, map.items[i]);
        if (gpu)
        {
            gpus[*gpu] = std::move(others);
        }
    }
    return gpus;
}

void
TacclReader::ReadIntranode(TopologyDocument& document,
                           const DocumentNode& node,
                           TacclSketch& sketch)
{
    const DocumentBlock block =
        GetIntranodeKeys().Read(node, "intranode_sketch", document.GetDiagnostics(), sketch);
    if (!block.IsRight())
    {
        return;
    }
    const DocumentNode* const switches = block.Find("switches");
    const DocumentNode* const hyperedges = block.Find("switch_hyperedge_strategy");
    if ((sketch.intranode == TacclSketch::Intranode::SWITCH) != (switches != nullptr))
    {
        block.Error(switches ? "switches" : "strategy",
                    switches ? "is for the strategy switch" : "switch needs switches");
        return;
    }
    std::vector<uint32_t> taken;
    for (size_t i = 0; switches && i < switches->items.size(); i++)
    {
        const DocumentNode& list = switches->items[i];
        std::vector<uint32_t> members = ReadGpus(document, list);
        for (uint32_t member : members)
        {
            if (std::find(taken.begin(), taken.end(), member) != taken.end())
            {
                document.Error(list,
                               "GPU " + std::to_string(member) +
                                   " is at another switch: parallel "
                                   "switches are not supported");
            }
            taken.push_back(member);
        }
        sketch.switches.push_back(std::move(members));
    }
    if (switches && (!switches->IsList() || switches->items.empty()))
    {
        block.Error("switches", "wants a list of lists of GPUs");
    }
    if (hyperedges &&
        (!hyperedges->IsList() || !switches || hyperedges->items.size() != switches->items.size()))
    {
        block.Error("switch_hyperedge_strategy", "wants a word for each switch");
        return;
    }
    for (size_t i = 0; hyperedges && i < hyperedges->items.size(); i++)
    {
        const DocumentNode& word = hyperedges->items[i];
        if (!word.IsScalar() ||
            (word.text != "uc-min" && word.text != "uc-max" && word.text != "none"))
        {
            document.Error(word, "wants uc-min, uc-max or none");
        }
        else if (word.text != hyperedges->items[0].text)
        {
            document.Error(word, "must be that of the other switches");
        }
        sketch.hyperedges = word.text == "uc-min"   ? TacclSketch::Hyperedges::FEWEST
                            : word.text == "uc-max" ? TacclSketch::Hyperedges::MOST
                                                    : TacclSketch::Hyperedges::ANY;
    }
}

void
TacclReader::ReadConnections(TopologyDocument& document,
                             const DocumentNode& node,
                             TacclSketch& sketch)
{
    if (!node.IsScalar())
    {
        sketch.connections = ReadGpuMap(document, node);
        size_t links = 0;
        for (const auto& [sender, receivers] : sketch.connections)
        {
            links = links == 0 ? receivers.size() : links;
            if (receivers.size() != links)
            {
                document.Error(node, "each sender must have the same number of receivers");
                return;
            }
        }
        return;
    }
    const bool full = node.text == "fully-connected";
    if (!full && node.text != "direct-map")
    {
        document.Error(
            node,
            Diagnostics::Unknown("connection", node.text, {"fully-connected", "direct-map"}));
        return;
    }
    for (uint32_t sender = 0; sender < m_gpus; sender++)
    {
        for (uint32_t receiver = 0; receiver < m_gpus; receiver++)
        {
            if (full || sender == receiver)
            {
                sketch.connections[sender].push_back(receiver);
            }
        }
    }
}

void
TacclReader::ReadInternode(TopologyDocument& document,
                           const DocumentNode& node,
                           TacclSketch& sketch)
{
    const DocumentBlock block =
        GetInternodeKeys().Read(node, "internode_sketch", document.GetDiagnostics(), sketch);
    if (!block.IsComplete())
    {
        return;
    }
    if (const DocumentNode* connections = block.Find("internode_conn"))
    {
        ReadConnections(document, *connections, sketch);
    }
    if (const DocumentNode* senders = block.Find("gpus_to_sender_rev_map"))
    {
        sketch.senders = ReadGpuMap(document, *senders);
        for (const auto& [sender, gpus] : sketch.senders)
        {
            if (sketch.connections.count(sender) == 0)
            {
                block.Error("gpus_to_sender_rev_map",
                            "GPU " + std::to_string(sender) + " has no internode_conn");
            }
        }
    }
    if (sketch.ownFirst && sketch.senders.empty())
    {
        block.Error("enforce_ordering", "needs gpus_to_sender_rev_map");
    }
}

void
TacclReader::ReadSymmetries(TopologyDocument& document,
                            const DocumentNode& list,
                            TacclSketch& sketch)
{
    const uint32_t ranks = m_gpus * sketch.nodes;
    if (!list.IsList())
    {
        document.Error(list, "symmetry_offsets wants a list of [offset, size]");
        return;
    }
    for (const DocumentNode& pair : list.items)
    {
        if (!pair.IsList() || pair.items.size() != 2)
        {
            document.Error(pair, "wants [offset, size]");
            continue;
        }
        const auto offset = ReadInteger(document, pair.items[0], 1, ranks);
        const auto size = ReadInteger(document, pair.items[1], 1, ranks);
        if (offset && size && (ranks % *size != 0 || *size % *offset != 0))
        {
            document.Error(pair,
                           "the size must divide the " + std::to_string(ranks) +
                               " ranks, and the offset the size");
        }
        else if (offset && size)
        {
            sketch.symmetries.emplace_back(*offset, *size);
        }
    }
}

std::optional<TacclSketch>
TacclReader::ReadSketch(const std::string& file, const TacclMachine& machine)
{
    std::vector<TopologyFault> faults;
    std::optional<TacclSketch> sketch = ParseSketch(file, machine, faults);
    Report(faults);
    return faults.empty() ? sketch : std::nullopt;
}

void
TacclReader::Report(const std::vector<TopologyFault>& faults)
{
    for (const TopologyFault& fault : faults)
    {
        m_errors.push_back(fault.ToSentence());
    }
}

std::optional<TacclSketch>
TacclReader::ParseSketch(const std::string& file,
                         const TacclMachine& machine,
                         std::vector<TopologyFault>& faults)
{
    m_gpus = machine.gpus;
    std::optional<TacclSketch> sketch;
    {
        TopologyDocument document(file, faults);
        const auto root = document.ReadMap();
        if (!root)
        {
            return std::nullopt;
        }
        TacclSketch read;
        const DocumentBlock block =
            GetSketchKeys().Read(*root, "", document.GetDiagnostics(), read);
        if (static_cast<uint64_t>(read.nodes) * m_gpus > MAX_RANKS || read.nodes > MAX_NODES)
        {
            block.Error("nnodes", "makes more than " + std::to_string(MAX_RANKS) + " ranks");
            read.nodes = 1;
        }
        if (const DocumentNode* node = block.Find("intranode_sketch"))
        {
            ReadIntranode(document, *node, read);
        }
        if (const DocumentNode* node = block.Find("internode_sketch"))
        {
            ReadInternode(document, *node, read);
        }
        if (read.nodes > 1 && block.IsComplete() && !block.Find("internode_sketch"))
        {
            block.Error("nnodes", "more than one host needs internode_sketch");
        }
        if (const DocumentNode* node = block.Find("symmetry_offsets"))
        {
            ReadSymmetries(document, *node, read);
        }
        if (read.chunksOfRank > MAX_CHUNKS)
        {
            const DocumentNode& chunks = *block.Find("hyperparameters")->Find("input_chunkup");
            document.GetDiagnostics().Error(chunks.GetMark(),
                                            "hyperparameters.input_chunkup",
                                            "is more than " + std::to_string(MAX_CHUNKS));
        }
        if (read.nodes == 1)
        {
            read.connections.clear();
            read.senders.clear();
            read.ownFirst = false;
        }
        if (block.IsComplete() && !document.HasErrors())
        {
            sketch = std::move(read);
        }
    }
    return sketch;
}

} // namespace ns3
