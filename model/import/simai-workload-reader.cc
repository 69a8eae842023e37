/* SPDX-License-Identifier: GPL-2.0-only */
#include "../base/unit-parser.h"
#include "import-text.h"
#include "workload-reader.h"

#include "ns3/log.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("SimAIWorkloadReader");

namespace
{

/// Groups that a communication may run in.
enum class Group : uint8_t
{
    TENSOR,
    DATA,
    EXPERT,
    EXPERT_DATA ///< same experts
};

/// A communication in the table.
struct Communication
{
    std::optional<ProgramStepKind> kind; ///< nothing: no communication
    Group group{Group::TENSOR};
    uint64_t bytes{0}; ///< [byte]
};

/// Forward pass, input gradients or weight gradients of a layer.
struct Pass
{
    int64_t computePs{0}; ///< [ps]
    Communication communication;
};

/// A line of the table.
struct Layer
{
    std::string name;
    std::array<Pass, 3> passes; ///< forward, input gradients, weight gradients
    bool updates{false};        ///< whether an update time is given, which is not used
};

/// Writes the steps of a rank.
class LayerWriter
{
  public:
    std::vector<ImportedStep> Write(const std::vector<Layer>& layers,
                                    const std::map<Group, uint32_t>& slots)
    {
        m_slots = &slots;
        std::map<std::size_t, uint32_t> reductions; // by layer
        for (std::size_t i = 0; i < layers.size(); i++)
        {
            m_weights.push_back(i);
            AddCompute(layers[i].name + " forward", layers[i].passes[0]);
            const uint32_t done =
                AddCommunication(layers[i].name + " forward", layers[i].passes[0]);
            if (done != NONE)
            {
                m_waits = {done};
            }
        }
        for (std::size_t i = layers.size(); i-- > 0;)
        {
            const Layer& layer = layers[i];
            AddCompute(layer.name + " input gradients", layer.passes[1]);
            const uint32_t inputs =
                AddCommunication(layer.name + " input gradients", layer.passes[1]);
            AddCompute(layer.name + " weight gradients", layer.passes[2]);
            const uint32_t weights =
                AddCommunication(layer.name + " weight gradients", layer.passes[2]);
            if (weights != NONE)
            {
                reductions[i] = weights;
            }
            if (inputs != NONE)
            {
                m_waits.insert(inputs);
            }
        }
        for (const auto& [step, layer] : m_weightWaits)
        {
            const auto reduction = reductions.find(layer);
            if (reduction != reductions.end())
            {
                m_steps[step].dependencies.emplace_back(reduction->second, true);
            }
        }
        for (const uint32_t step : m_waits)
        {
            const auto known = std::make_pair(step, true);
            auto& first = m_steps[0].dependencies;
            if (m_steps[step].kind != ProgramStepKind::COMPUTE &&
                std::find(first.begin(), first.end(), known) == first.end())
            {
                first.push_back(known);
            }
        }
        return std::move(m_steps);
    }

  private:
    static constexpr uint32_t NONE = UINT32_MAX;

    uint32_t Add(ImportedStep step)
    {
        const auto index = static_cast<uint32_t>(m_steps.size());
        for (const uint32_t on : m_waits)
        {
            step.dependencies.emplace_back(on, false);
        }
        for (const std::size_t layer : m_weights)
        {
            m_weightWaits.emplace_back(index, layer);
        }
        m_weights.clear();
        m_steps.push_back(std::move(step));
        return index;
    }

    void AddCompute(const std::string& label, const Pass& pass)
    {
        if (pass.computePs > 0 || m_steps.empty())
        {
            ImportedStep step;
            step.kind = ProgramStepKind::COMPUTE;
            step.label = label;
            step.durationPs = pass.computePs;
            m_waits = {Add(std::move(step))};
        }
    }

    uint32_t AddCommunication(const std::string& label, const Pass& pass)
    {
        const auto slot = m_slots->find(pass.communication.group);
        if (!pass.communication.kind || slot == m_slots->end())
        {
            return NONE;
        }
        ImportedStep step;
        step.kind = *pass.communication.kind;
        step.label = label + " " + ToName(step.kind);
        step.bytes = pass.communication.bytes;
        step.slot = slot->second;
        return Add(std::move(step));
    }

    const std::map<Group, uint32_t>* m_slots{nullptr};
    std::vector<ImportedStep> m_steps;
    std::set<uint32_t> m_waits;         ///< what the next step waits for
    std::vector<std::size_t> m_weights; ///< layers of whose weights it needs the latest reduction
    std::vector<std::pair<uint32_t, std::size_t>> m_weightWaits; ///< (step, layer)
};

} // namespace

/**
 * Workloads of SimAI (Wang et al., NSDI 2025), as written by its generator AICB: a line
 * `HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: t ep: e pp: p vpp: v ga: g all_gpus: n
 * ...`, the number of layers, and for each layer its name and dependency, then for each of the
 * forward pass, the input gradients and the weight gradients a compute time [ns], a communication
 * and its bytes, and finally an update time, which is not used.
 *
 * Without all_gpus, `gpus:` of the job gives the number of ranks.
 *
 * A communication is ALLREDUCE, ALLGATHER, REDUCESCATTER, ALLTOALL, BROADCAST (from the first rank
 * of its group) or NONE. Communications of the
 * forward pass and of input gradients run among the t ranks of a tensor group, those of weight
 * gradients among replicas; with _EP among the e replicas that share experts, with _DP_EP among
 * those that hold the same experts. Tensor groups consist of neighbouring ranks; next come
 * replicas, then stages.
 *
 * As in SimAI, layers run forward in order, then backward. A pass waits for the communication of
 * the previous pass; that of input gradients overlaps the computation of weight gradients, and that
 * of weight gradients overlaps everything until the next forward pass of its layer. All ranks do
 * the same. The file contains no transfers between pipeline stages (SimAI's packet simulation has
 * none either), and already contains the layers of all ga microbatches.
 */
class SimAIWorkloadReader : public WorkloadReader
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::SimAIWorkloadReader")
                                .SetParent<WorkloadReader>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<SimAIWorkloadReader>();
        return tid;
    }

    std::optional<ImportedWorkload> Read(const WorkloadFiles& files,
                                         Diagnostics& diagnostics) const override
    {
        NS_LOG_FUNCTION(this << files.file);
        const auto content = ReadFile(files.file, files.mark, diagnostics);
        if (!content)
        {
            return std::nullopt;
        }
        ImportText text(diagnostics, files.file, *content);
        Header header;
        header.gpus = files.gpus; // unless the file gives their number
        std::vector<Layer> layers;
        if (!ReadHeader(text, header) || !ReadLayers(text, layers))
        {
            return std::nullopt;
        }
        if (header.pipeline > 1)
        {
            diagnostics.Warning({files.file, 1, 1},
                                "",
                                "the file does not tell the transfers between its " +
                                    std::to_string(header.pipeline) +
                                    " pipeline stages: they are left out");
        }
        ImportedWorkload workload = MakeWorkload(header, layers);
        AddCounts(header, layers, workload);
        return workload;
    }

  private:
    /// The groups.
    struct Header
    {
        uint64_t tensor{0};
        uint64_t expert{1};
        uint64_t pipeline{1};
        uint64_t gpus{0};
        uint64_t replicas{0};
    };

    static void AddCounts(const Header& header,
                          const std::vector<Layer>& layers,
                          ImportedWorkload& workload)
    {
        ImportCount communications;
        communications.what = "communications";
        ImportCount computations;
        computations.what = "compute times";
        ImportCount updates;
        updates.what = "update times";
        for (const Layer& layer : layers)
        {
            computations.read += layer.passes.size();
            updates.skipped += layer.updates ? 1 : 0;
            for (const Pass& pass : layer.passes)
            {
                if (pass.communication.kind)
                {
                    const bool alone = GetSize(header, pass.communication.group) == 1;
                    (alone ? communications.skipped : communications.read)++;
                }
            }
        }
        workload.counts = {communications, computations, updates};
    }

    static bool ReadHeader(ImportText& text, Header& header)
    {
        static const std::string kind = "HYBRID_TRANSFORMER_FWD_IN_BCKWD";
        if (!text.Next())
        {
            text.FileError("the file is empty");
            return false;
        }
        const std::vector<ImportWord> words = text.GetWords();
        if (words.empty() || words[0].text != kind)
        {
            text.Error(words.empty() ? 1 : words[0].column, "the file must begin with " + kind);
            return false;
        }
        std::map<std::string, uint64_t> values;
        for (std::size_t i = 1; i < words.size(); i += 2)
        {
            std::string key = words[i].text;
            key.erase(key.back() == ':' ? key.size() - 1 : key.size());
            if (i + 1 == words.size())
            {
                text.Error(words[i].column, key + " has no value");
                return false;
            }
            ImportWord value = words[i + 1];
            if (value.text.size() > 2 && value.text.compare(value.text.size() - 2, 2, ".0") == 0)
            {
                value.text.erase(value.text.size() - 2); // bytes may be written as 8388608.0
            }
            const auto number = text.GetInteger(value, key, 0, UINT64_MAX);
            if (!number)
            {
                return false;
            }
            if (key.compare(0, 10, "checkpoint") == 0 && *number > 0)
            {
                text.Error(words[i].column, key + ": repeated forward passes are not supported");
                return false;
            }
            if (!values.emplace(key, *number).second)
            {
                text.Error(words[i].column, key + " is there twice");
                return false;
            }
        }
        return CheckHeader(text, values, header);
    }

    static bool CheckHeader(ImportText& text,
                            const std::map<std::string, uint64_t>& values,
                            Header& header)
    {
        for (const auto& [key, target] :
             {std::make_pair("model_parallel_NPU_group", &header.tensor),
              std::make_pair("all_gpus", &header.gpus),
              std::make_pair("ep", &header.expert),
              std::make_pair("pp", &header.pipeline)})
        {
            const auto value = values.find(key);
            if (value == values.end() && *target == 0)
            {
                const bool gpus = target == &header.gpus;
                text.Error(1, std::string(key) + " is missing" + (gpus ? ", and gpus" : ""));
                return false;
            }
            *target = value == values.end() ? *target : value->second;
            if (*target == 0 || *target > MAX_RANKS)
            {
                text.Error(1, std::string(key) + " must be from 1 to " + std::to_string(MAX_RANKS));
                return false;
            }
        }
        const uint64_t replica = header.tensor * header.pipeline;
        header.replicas = header.gpus / replica;
        if (header.gpus % replica != 0)
        {
            text.Error(1,
                       "all_gpus (" + std::to_string(header.gpus) +
                           ") is not a multiple of model_parallel_NPU_group x pp (" +
                           std::to_string(replica) + ")");
            return false;
        }
        if (header.replicas % header.expert != 0)
        {
            text.Error(1,
                       "ep (" + std::to_string(header.expert) + ") does not divide the " +
                           std::to_string(header.replicas) + " replicas");
            return false;
        }
        return true;
    }

    static bool ReadLayers(ImportText& text, std::vector<Layer>& layers)
    {
        const bool line = text.Next();
        const std::vector<ImportWord> words = line ? text.GetWords() : std::vector<ImportWord>();
        if (words.size() != 1)
        {
            text.Error(1, "the second line must be the number of layers");
            return false;
        }
        const uint64_t count =
            text.GetInteger(words[0], "number of layers", 1, MAX_STEPS / 6).value_or(0);
        while (count > 0 && text.Next())
        {
            const std::vector<ImportWord> cells = text.GetWords();
            if (cells.empty())
            {
                continue;
            }
            if (layers.size() == count)
            {
                text.Error(cells[0].column,
                           "more layers than the " + std::to_string(count) + " of the second line");
                return false;
            }
            layers.push_back(ReadLayer(text, cells));
        }
        if (!text.HasErrors() && layers.size() < count)
        {
            text.Error(1,
                       "the file ends after " + std::to_string(layers.size()) + " of " +
                           std::to_string(count) + " layers");
        }
        return !text.HasErrors();
    }

    static Layer ReadLayer(ImportText& text, const std::vector<ImportWord>& cells)
    {
        Layer layer;
        if (cells.size() != 12)
        {
            text.Error(cells[0].column,
                       "a layer has 12 cells (name, dependency, three times compute time, "
                       "communication and bytes, update time), not " +
                           std::to_string(cells.size()));
            return layer;
        }
        layer.name = cells[0].text;
        layer.updates = cells[11].text != "0";
        for (std::size_t pass = 0; pass < 3; pass++)
        {
            const ImportWord* const cell = &cells[2 + 3 * pass];
            layer.passes[pass].computePs = text.GetTime(cell[0], "compute time", "ns").value_or(0);
            Communication& communication = layer.passes[pass].communication;
            communication.bytes =
                text.GetInteger(cell[2], "number of bytes", 0, INT64_MAX).value_or(0);
            const bool weights = pass == 2;
            const std::string error = ParseCommunication(cell[1].text, weights, communication);
            if (!error.empty())
            {
                text.Error(cell[1].column, error);
            }
            if (communication.bytes == 0)
            {
                communication.kind.reset();
            }
        }
        return layer;
    }

    static std::string ParseCommunication(const std::string& word,
                                          bool weights,
                                          Communication& communication)
    {
        static const std::map<std::string, std::optional<ProgramStepKind>> kinds{
            {"NONE", std::nullopt},
            {"ALLREDUCE", ProgramStepKind::ALL_REDUCE},
            {"ALLGATHER", ProgramStepKind::ALL_GATHER},
            {"REDUCESCATTER", ProgramStepKind::REDUCE_SCATTER},
            {"ALLTOALL", ProgramStepKind::ALL_TO_ALL},
            {"BROADCAST", ProgramStepKind::BROADCAST}};
        std::string kind = word;
        communication.group = weights ? Group::DATA : Group::TENSOR;
        for (const auto& [suffix, group] :
             {std::make_pair("_DP_EP", Group::EXPERT_DATA), std::make_pair("_EP", Group::EXPERT)})
        {
            const std::string end = suffix;
            if (kind.size() > end.size() &&
                kind.compare(kind.size() - end.size(), end.size(), end) == 0)
            {
                kind.erase(kind.size() - end.size());
                communication.group = group;
            }
        }
        const auto found = kinds.find(kind);
        if (found == kinds.end())
        {
            std::vector<std::string> names;
            for (const auto& entry : kinds)
            {
                names.push_back(entry.first);
            }
            return Diagnostics::Unknown("communication", word, names) + ", each with _EP or _DP_EP";
        }
        communication.kind = found->second;
        return "";
    }

    static ImportedWorkload MakeWorkload(const Header& header, const std::vector<Layer>& layers)
    {
        ImportedWorkload workload;
        workload.ranks = static_cast<uint32_t>(header.gpus);
        workload.rankProgram.assign(workload.ranks, 0);
        workload.rankGroups.resize(workload.ranks);
        std::set<Group> used;
        for (const Layer& layer : layers)
        {
            for (const Pass& pass : layer.passes)
            {
                if (pass.communication.kind)
                {
                    used.insert(pass.communication.group);
                }
            }
            const Communication& weights = layer.passes[2].communication;
            if (weights.kind == ProgramStepKind::ALL_REDUCE ||
                weights.kind == ProgramStepKind::REDUCE_SCATTER)
            {
                workload.gradientBytes += weights.bytes;
            }
        }
        std::map<Group, uint32_t> slots;
        for (const Group group : used)
        {
            if (GetSize(header, group) > 1)
            {
                const auto slot = static_cast<uint32_t>(slots.size());
                slots[group] = slot;
                AddGroups(header, group, workload);
            }
        }
        workload.programs.push_back(LayerWriter().Write(layers, slots));
        return workload;
    }

    static uint64_t GetSize(const Header& header, Group group)
    {
        switch (group)
        {
        case Group::TENSOR:
            return header.tensor;
        case Group::DATA:
            return header.replicas;
        case Group::EXPERT:
            return header.expert;
        case Group::EXPERT_DATA:
            return header.replicas / header.expert;
        }
        return 0;
    }

    /// Adds all groups of a kind as the next slot of every rank.
    static void AddGroups(const Header& header, Group group, ImportedWorkload& workload)
    {
        std::map<std::array<uint64_t, 3>, uint32_t> known;
        for (uint32_t rank = 0; rank < workload.ranks; rank++)
        {
            const uint64_t tensor = rank % header.tensor;
            const uint64_t replica = rank / header.tensor % header.replicas;
            const uint64_t stage = rank / header.tensor / header.replicas;
            std::array<uint64_t, 3> key{stage, tensor, 0};
            switch (group)
            {
            case Group::TENSOR:
                key = {stage, 0, replica};
                break;
            case Group::DATA:
                break;
            case Group::EXPERT:
                key[2] = replica / header.expert;
                break;
            case Group::EXPERT_DATA:
                key[2] = replica % header.expert;
                break;
            }
            const auto [entry, isNew] =
                known.emplace(key, static_cast<uint32_t>(workload.groups.size()));
            if (isNew)
            {
                workload.groups.emplace_back();
            }
            workload.groups[entry->second].push_back(rank);
            workload.rankGroups[rank].push_back(entry->second);
        }
    }
};

NS_OBJECT_ENSURE_REGISTERED(SimAIWorkloadReader);

} // namespace ns3
