/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-reader.h"

#include "../document/attribute-reader.h"
#include "../document/document-loader.h"
#include "../topology/explicit-topology-reader.h"
#include "scenario-checker.h"
#include "scenario-fault-reader.h"
#include "scenario-flow-reader.h"
#include "scenario-job-reader.h"
#include "scenario-trace-reader.h"

#include "ns3/host-model.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/topology-generator.h"

#include <filesystem>
#include <map>
#include <utility>

namespace ns3
{

namespace
{

/// In all, `count` applied: a frame names its job with 16 bits, one value of which is "none".
constexpr std::size_t MAX_JOBS = 65'535;

/// Cuts "Suffix|ns3::Base", the detail of a typed key.
std::pair<std::string, std::string>
SplitTyped(const char* key)
{
    const std::vector<std::string> parts =
        ScenarioKeys::Split(ScenarioKeys::Find("scenario", key)->detail);
    return {parts.at(0), parts.at(1)};
}

/// The object of a typed block.
template <class T>
Ptr<T>
CreateTyped(const TypedBlock& block)
{
    ObjectFactory factory(block.typeId);
    for (const AttributeSetting& setting : block.attributes)
    {
        factory.Set(setting.name, StringValue(setting.value));
    }
    return factory.Create<T>();
}

/// A typed block that was not written.
TypedBlock
DefaultTyped(const std::string& name, const char* key)
{
    TypedBlock block;
    block.typeName = name;
    block.typeId = "ns3::" + name + SplitTyped(key).first;
    return block;
}

} // namespace

ScenarioReader::ScenarioReader(Diagnostics& diagnostics)
    : m_diagnostics(diagnostics)
{
}

void
ScenarioReader::SetModelCheck(ModelCheck check)
{
    m_modelCheck = std::move(check);
}

std::optional<Scenario>
ScenarioReader::Read(const std::string& file, Diagnostics& diagnostics)
{
    return ScenarioReader(diagnostics).Read(file);
}

void
ScenarioReader::SetOverridden(std::vector<std::string> attributes)
{
    m_overridden = std::move(attributes);
}

std::optional<Scenario>
ScenarioReader::ReadTree(const DocumentNode& root, const std::string& file, const std::string& text)
{
    Scenario scenario;
    scenario.file = file;
    scenario.text = text;
    const DocumentBlock top(root, "scenario", "", m_diagnostics);
    scenario.name =
        top.GetText("name").value_or(std::filesystem::path(file).filename().stem().string());
    scenario.seed = top.GetInteger("seed").value_or(scenario.seed);
    const std::string solo = top.GetText("solo").value_or("false");
    scenario.solo = solo == "true" ? "selected" : solo == "ecmp" ? "ecmp" : "";
    scenario.bottleneck = top.GetText("bottleneck").value_or("");
    ReadStop(top, scenario);
    ReadMeasure(top, scenario);
    const bool graphGood = ReadTopology(top, scenario);
    if (const DocumentNode* defaults = top.Find("defaults"))
    {
        scenario.defaults = AttributeReader(m_diagnostics).ReadDefaults(*defaults, "defaults");
    }
    ReadSchedulers(top, scenario);
    ReadRecord(top, scenario, graphGood);

    const ClusterTopology* graph = graphGood ? &scenario.graph : nullptr;
    std::map<std::string, std::vector<std::string>> written;
    const DocumentNode* jobs = top.Find("jobs");
    if (jobs != nullptr && jobs->IsMap())
    {
        ScenarioTraceReader reader(m_diagnostics, graph, m_modelCheck);
        scenario.text += reader.Read(*jobs, "jobs", scenario.jobs);
        for (const JobSpec& job : scenario.jobs)
        {
            written[job.name].push_back(job.name);
        }
        if (scenario.jobs.size() > MAX_JOBS)
        {
            top.Error("jobs", "there are more than " + std::to_string(MAX_JOBS) + " jobs");
            return std::nullopt;
        }
    }
    else if (const std::vector<DocumentNode>* list = top.GetList("jobs"))
    {
        ScenarioJobReader reader(m_diagnostics, graph, m_overridden);
        std::map<std::pair<std::size_t, uint32_t>, uint32_t> programs;
        for (std::size_t i = 0; i < list->size(); i++)
        {
            const std::string path = "jobs[" + std::to_string(i) + "]";
            const std::size_t before = scenario.jobs.size();
            const int errors = m_diagnostics.GetErrorCount();
            const std::string name = reader.Read((*list)[i], path, scenario.jobs);
            const bool good = m_diagnostics.GetErrorCount() == errors;
            for (std::size_t k = before; k < scenario.jobs.size(); k++)
            {
                written[name].push_back(scenario.jobs[k].name);
                // Those of one entry do the same, on as many GPUs.
                const auto [program, isNew] =
                    programs.emplace(std::make_pair(i, scenario.jobs[k].gpus),
                                     static_cast<uint32_t>(programs.size()));
                scenario.jobs[k].program = program->second;
                if (good && isNew && scenario.jobs[k].gpus > 0)
                {
                    CheckModel(scenario.jobs[k]);
                }
            }
            if (scenario.jobs.size() > before && scenario.jobs[before].workload)
            {
                // Part of the scenario, whose text must change with it.
                const ImportedWorkload& workload = *scenario.jobs[before].workload;
                scenario.text += "\n# workload: " + workload.file + ", digest " +
                                 std::to_string(workload.digest) + "\n";
            }
            if (scenario.jobs.size() > MAX_JOBS)
            {
                m_diagnostics.Error((*list)[i].GetMark(),
                                    path,
                                    "there are more than " + std::to_string(MAX_JOBS) + " jobs");
                return std::nullopt;
            }
        }
    }
    if (const DocumentNode* flows = top.Find("flows"))
    {
        scenario.flows = ScenarioFlowReader(m_diagnostics, graph).Read(*flows, "flows");
    }
    if (const std::vector<DocumentNode>* faults = top.GetList("faults"))
    {
        scenario.faults =
            ScenarioFaultReader(m_diagnostics, graph, scenario.stopPs).Read(*faults, "faults");
    }
    ScenarioChecker(m_diagnostics, root, top.HasUnknown()).Check(scenario, written, graphGood);
    scenario.commonText = scenario.text;
    return m_diagnostics.HasErrors() ? std::nullopt : std::optional<Scenario>(scenario);
}

void
ScenarioReader::CheckModel(const JobSpec& job)
{
    std::string key = "model";
    const std::string error = m_modelCheck ? m_modelCheck(job, key) : "";
    if (!error.empty())
    {
        m_diagnostics.Error(job.GetMark(key), job.path + "." + key, error);
    }
}

void
ScenarioReader::ReadStop(const DocumentBlock& top, Scenario& scenario)
{
    const DocumentNode* node = top.Find("stop");
    if (node == nullptr)
    {
        return;
    }
    const DocumentBlock stop(*node, "stop", "stop", m_diagnostics);
    if (stop.IsComplete())
    {
        scenario.stopWhenJobsDone = stop.GetText("when").value_or("all-jobs-done") != "time";
        scenario.stopPs = stop.GetTime("time").value_or(0);
    }
}

void
ScenarioReader::ReadMeasure(const DocumentBlock& top, Scenario& scenario)
{
    const DocumentNode* node = top.Find("measure");
    if (node == nullptr)
    {
        return;
    }
    const DocumentBlock measure(*node, "measure", "measure", m_diagnostics);
    if (!measure.IsComplete())
    {
        return;
    }
    scenario.measure.fromPs = measure.GetTime("from");
    scenario.measure.toPs = measure.GetTime("to");
    const auto warmup = measure.GetInteger("warmup");
    scenario.measure.warmup = static_cast<uint32_t>(warmup.value_or(scenario.measure.warmup));
    if (const auto jobs = measure.GetScalars("jobs"))
    {
        for (const DocumentNode* job : *jobs)
        {
            scenario.measure.jobs.push_back(job->text);
        }
    }
}

bool
ScenarioReader::ReadTopology(const DocumentBlock& top, Scenario& scenario)
{
    const DocumentNode* node = top.Find("topology");
    if (node == nullptr)
    {
        if (!top.HasUnknown())
        {
            m_diagnostics.Error(top.GetMark("topology"), "", "topology is missing");
        }
        return false;
    }
    const DocumentNode* type = node->IsMap() ? node->Find("type") : node;
    std::vector<TopologyFault> faults;
    if (type != nullptr && type->IsScalar() && type->text == "Explicit")
    {
        scenario.topology.typeName = "Explicit";
        scenario.topology.mark = node->GetMark();
        auto graph = ExplicitTopologyReader(m_diagnostics).Read(*node, "topology");
        if (!graph)
        {
            return false;
        }
        scenario.graph = std::move(*graph);
    }
    else
    {
        const auto typed = SplitTyped("topology");
        const auto block =
            AttributeReader(m_diagnostics, m_overridden)
                .ReadTyped(*node, "topology", typed.first, typed.second, {"Explicit"});
        if (!block)
        {
            return false;
        }
        scenario.topology = *block;
        scenario.graph = CreateTyped<TopologyGenerator>(*block)->Generate(faults);
    }
    if (faults.empty())
    {
        faults = scenario.graph.Validate();
    }
    ReportTopology(top, scenario, faults);
    return faults.empty() && ReadHost(top, scenario);
}

bool
ScenarioReader::ReadHost(const DocumentBlock& top, Scenario& scenario)
{
    const DocumentNode* node = top.Find("host");
    if (node == nullptr)
    {
        return true;
    }
    const auto typed = SplitTyped("host");
    const auto block = AttributeReader(m_diagnostics, m_overridden)
                           .ReadTyped(*node, "host", typed.first, typed.second);
    if (!block)
    {
        return false;
    }
    scenario.host = *block;
    const auto faults = CreateTyped<HostModel>(*block)->AddTo(scenario.graph);
    for (const std::string& fault : faults)
    {
        m_diagnostics.Error(block->mark, "host", fault);
    }
    return faults.empty();
}

void
ScenarioReader::ReportTopology(const DocumentBlock& top,
                               const Scenario& scenario,
                               const std::vector<TopologyFault>& faults)
{
    for (const TopologyFault& fault : faults)
    {
        if (fault.kind == TopologyFaultKind::FILE)
        {
            std::string ignored;
            if (const auto source = DocumentLoader::ReadText(fault.place.file, ignored))
            {
                m_diagnostics.AddSource(fault.place.file, *source);
            }
            m_diagnostics.Error({fault.place.file, fault.place.line, fault.place.column},
                                "",
                                fault.text);
            continue;
        }
        const auto& settings = scenario.topology.attributes;
        const auto written =
            std::find_if(settings.begin(), settings.end(), [&fault](const auto& setting) {
                return setting.name == fault.place.attribute;
            });
        if (written != settings.end())
        {
            m_diagnostics.Error(written->mark, "topology." + written->name, fault.text);
        }
        else
        {
            m_diagnostics.Error(top.GetMark("topology"), "topology", fault.ToSentence());
        }
    }
}

void
ScenarioReader::ReadSchedulers(const DocumentBlock& top, Scenario& scenario)
{
    AttributeReader attributes(m_diagnostics, m_overridden);
    scenario.placement = DefaultTyped("Consolidate", "placement");
    if (const DocumentNode* placement = top.Find("placement"))
    {
        const auto typed = SplitTyped("placement");
        scenario.placement =
            attributes.ReadTyped(*placement, "placement", typed.first, typed.second)
                .value_or(scenario.placement);
    }
    const auto typed = SplitTyped("scheduler");
    const DocumentNode* scheduler = top.Find("scheduler");
    if (scheduler != nullptr && top.Find("compare") != nullptr)
    {
        top.Error("compare", "scheduler and compare are both given: write one of them");
        return;
    }
    if (scheduler != nullptr)
    {
        const auto block = attributes.ReadTyped(*scheduler, "scheduler", typed.first, typed.second);
        scenario.schedulers.push_back(block.value_or(TypedBlock()));
        return;
    }
    const std::vector<DocumentNode>* compare = top.GetList("compare");
    for (std::size_t i = 0; compare != nullptr && i < compare->size(); i++)
    {
        const std::string path = "compare[" + std::to_string(i) + "]";
        const auto block = attributes.ReadTyped((*compare)[i], path, typed.first, typed.second);
        if (!block)
        {
            continue;
        }
        for (const TypedBlock& other : scenario.schedulers)
        {
            bool same = other.typeId == block->typeId &&
                        other.attributes.size() == block->attributes.size();
            for (std::size_t a = 0; same && a < block->attributes.size(); a++)
            {
                same = other.attributes[a].name == block->attributes[a].name &&
                       other.attributes[a].value == block->attributes[a].value;
            }
            if (same)
            {
                m_diagnostics.Error(block->mark, path, "this scheduler is listed already");
            }
        }
        scenario.schedulers.push_back(*block);
    }
    if (scenario.schedulers.empty())
    {
        scenario.schedulers.push_back(DefaultTyped("None", "scheduler"));
    }
}

void
ScenarioReader::ReadRecord(const DocumentBlock& top, Scenario& scenario, bool graphGood)
{
    const std::vector<DocumentNode>* list = top.GetList("record");
    if (list == nullptr)
    {
        return;
    }
    RecordSpec record;
    record.jobs = record.collectives = record.events = false;
    const std::map<std::string, bool*> words{{"jobs", &record.jobs},
                                             {"collectives", &record.collectives},
                                             {"transfers", &record.transfers},
                                             {"events", &record.events},
                                             {"pcap", &record.pcap}};
    for (std::size_t i = 0; i < list->size(); i++)
    {
        const DocumentNode& node = (*list)[i];
        const std::string path = "record[" + std::to_string(i) + "]";
        const auto word = words.find(node.IsScalar() ? node.text : "");
        if (word != words.end())
        {
            *word->second = true;
            record.pcapMark = word->first == "pcap" ? node.GetMark() : record.pcapMark;
        }
        else if (node.IsMap() ? node.Find("type") != nullptr
                              : AttributeReader::FindType(node.text, "Recorder").GetUid() != 0)
        {
            ReadRecorder(node, path, record);
        }
        else if (node.IsScalar() && node.text == "links")
        {
            m_diagnostics.Error(node.GetMark(),
                                path,
                                "wants an interval: write {links: {interval: 100us}}");
        }
        else if (node.IsScalar())
        {
            std::vector<std::string> names;
            for (const ScenarioKey& key : ScenarioKeys::Get("record"))
            {
                names.emplace_back(key.name);
            }
            m_diagnostics.Error(node.GetMark(),
                                path,
                                Diagnostics::Unknown("record", node.text, names));
        }
        else
        {
            const DocumentBlock block(node, "record", path, m_diagnostics);
            const DocumentNode* links = block.IsComplete() ? block.Find("links") : nullptr;
            for (const auto& entry : words)
            {
                if (entry.first != "pcap" && block.Find(entry.first) != nullptr)
                {
                    block.Error(entry.first, "takes no value: write just " + entry.first);
                }
            }
            if (links != nullptr)
            {
                const DocumentBlock interval(*links, "links", path + ".links", m_diagnostics);
                record.linkIntervalPs =
                    interval.IsComplete() ? interval.GetTime("interval").value_or(0) : 0;
            }
            if (const DocumentNode* pcap = block.Find("pcap"))
            {
                ReadPcap(*pcap, path + ".pcap", scenario, graphGood, record);
            }
        }
    }
    scenario.record = record;
}

void
ScenarioReader::ReadRecorder(const DocumentNode& node, const std::string& path, RecordSpec& record)
{
    const auto block = AttributeReader(m_diagnostics, m_overridden)
                           .ReadTyped(node, path, "Recorder", "ns3::Recorder");
    if (!block)
    {
        return;
    }
    for (const TypedBlock& other : record.recorders)
    {
        if (other.typeId == block->typeId)
        {
            m_diagnostics.Error(node.GetMark(), path, block->typeName + " is there already");
            return;
        }
    }
    record.recorders.push_back(*block);
}

void
ScenarioReader::ReadPcap(const DocumentNode& node,
                         const std::string& path,
                         const Scenario& scenario,
                         bool graphGood,
                         RecordSpec& record)
{
    record.pcap = true;
    record.pcapMark = node.GetMark();
    const DocumentBlock block(node, "pcap", path, m_diagnostics);
    const auto items = block.IsComplete() ? block.GetScalars("nodes") : std::nullopt;
    for (std::size_t i = 0; items && i < items->size(); i++)
    {
        const DocumentNode& item = *(*items)[i];
        if (graphGood && scenario.graph.FindNode(item.text) < 0)
        {
            std::vector<std::string> names;
            for (const TopologyNode& known : scenario.graph.GetNodes())
            {
                names.push_back(known.name);
            }
            m_diagnostics.Error(item.GetMark(),
                                block.GetPath("nodes") + "[" + std::to_string(i) + "]",
                                Diagnostics::Unknown("node", item.text, names));
        }
        record.pcapNodes.push_back(item.text);
    }
}

} // namespace ns3
