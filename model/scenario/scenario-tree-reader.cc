/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-tree-reader.h"

#include "../document/attribute-reader.h"
#include "../document/document-loader.h"
#include "../topology/explicit-topology-reader.h"
#include "hardware-preset.h"
#include "scenario-checker.h"
#include "scenario-families.h"
#include "scenario-fault-reader.h"
#include "scenario-flow-reader.h"
#include "scenario-job-reader.h"
#include "scenario-loader.h"
#include "scenario-sweep.h"
#include "scenario-trace-reader.h"

#include "ns3/host-model.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/topology-generator.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ScenarioTreeReader");

namespace
{

/// Maximum number of jobs, with `count` applied: a frame identifies its job with 16 bits, one value
/// of which means "none".
constexpr std::size_t MAX_JOBS = 65'535;

/// The object that a typed block describes.
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

const TypeFamily TOPOLOGY{"Topology", "ns3::TopologyGenerator"};
const TypeFamily HOST{"Host", "ns3::HostModel"};
const TypeFamily RECORDER{"Recorder", "ns3::Recorder"};

/// The scheduler of a scenario that specifies none.
constexpr const char* DEFAULT_SCHEDULER = "None";

const DocumentTable<Scenario>&
GetStopKeys()
{
    using S = Scenario;
    static const DocumentTable<S> table(
        "stop",
        {Key("when",
             &S::stopWhen,
             Form::Choice<StopCondition>(),
             "all-jobs-done: at the latest at time; time: at time."),
         Key("time", &S::stopPs, Form::Time(1), "Simulated time at which the run ends.")});
    return table;
}

const DocumentTable<MeasureSpec>&
GetMeasureKeys()
{
    using S = MeasureSpec;
    static const DocumentTable<S> table(
        "measure",
        {Key("from", &S::fromPs, Form::Time(), "Start of the window."),
         Key("to", &S::toPs, Form::Time(1), "End of the window."),
         Key("warmup",
             &S::warmup,
             Form::Integer(0, 1'000'000'000),
             "Iterations before the window."),
         Key("jobs", &S::jobs, Form::Texts(), "Jobs that set the window.").Otherwise("all")});
    return table;
}

const DocumentTable<RecordSpec>&
GetPcapKeys()
{
    using S = RecordSpec;
    static const DocumentTable<S> table(
        "pcap",
        {Key("nodes", &S::pcapNodes, Form::Texts(), "Hosts and switches: all their ports.")
             .Otherwise("all hosts, without links"),
         Key("links",
             &S::pcapLinks,
             Form::Texts(),
             "Directed links, such as leaf0-spine0: the ports that they leave.")
             .Otherwise("none"),
         Key("direction",
             &S::pcapDirection,
             Form::Choice<CaptureDirection>(),
             "Frames that leave by a port, or arrive at it."),
         Key("from", &S::pcapFromPs, Form::Time(), "Time of the first frame."),
         Key("to", &S::pcapToPs, Form::Time(1), "Time before which the last frame is.")
             .Otherwise("the end of the run"),
         Key("snap", &S::pcapSnap, Form::Bytes(), "Bytes kept of each frame.").Otherwise("all")});
    return table;
}

const DocumentTable<RecordSpec>&
GetQueuePairSampleKeys()
{
    using S = RecordSpec;
    static const DocumentTable<S> table(
        "queue-pairs",
        {Key("interval", &S::queuePairIntervalPs, Form::Time(1), "Time between two samples.")
             .Required()});
    return table;
}

const DocumentTable<RecordSpec>&
GetLinkSampleKeys()
{
    using S = RecordSpec;
    static const DocumentTable<S> table(
        "links",
        {Key("interval", &S::linkIntervalPs, Form::Time(1), "Time between two samples.")
             .Required()});
    return table;
}

/// An item of `record:` that is just a name: its value is NONE.
DocumentKey<RecordSpec>
Word(const std::string& name, bool RecordSpec::*member, const std::string& help)
{
    return DocumentKey<RecordSpec>(
        name,
        ValueShape::Plain(ValueShape::Kind::FLAG),
        [name, member](RecordSpec& record,
                       const DocumentNode& node,
                       const std::string& path,
                       const DocumentContext& context) {
            if (node.kind != DocumentNode::Kind::NONE)
            {
                context.diagnostics.Error(node.GetMark(),
                                          path,
                                          "takes no value: write just " + name);
                return false;
            }
            record.*member = true;
            return true;
        },
        nullptr,
        help);
}

/// The items of `record:`. Each is just a name, or a map with one key.
const DocumentTable<RecordSpec>&
GetRecordKeys()
{
    using S = RecordSpec;
    ValueShape pcap = ValueShape::Plain(ValueShape::Kind::FLAG_OR_MAP);
    pcap.parts.push_back(ValueShape::Block(GetPcapKeys().GetInfo()));
    static const DocumentTable<S> table(
        "record",
        {Word("jobs", &S::jobs, "Jobs, iterations, spans, utilisation, bytes of a job on a link."),
         Word("collectives", &S::collectives, "A row for each collective."),
         Word("transfers", &S::transfers, "A row for each transfer of a job."),
         Word("events", &S::events, "Pauses and events of the fabric."),
         Key("links", GetLinkSampleKeys(), "Samples of every link."),
         Key("queue-pairs",
             GetQueuePairSampleKeys(),
             "Samples of every queue pair: rate, window, bytes, round-trip time."),
         DocumentKey<S>(
             "pcap",
             pcap,
             [](S& record,
                const DocumentNode& node,
                const std::string& path,
                const DocumentContext& context) {
                 record.pcap = true;
                 record.pcapMark = node.GetMark();
                 if (node.kind == DocumentNode::Kind::NONE)
                 {
                     return true;
                 }
                 const bool right = GetPcapKeys().Read(node, path, context, record).IsRight();
                 if (right && record.pcapToPs && *record.pcapToPs <= record.pcapFromPs)
                 {
                     context.diagnostics.Error(node.GetMark(),
                                               path,
                                               "ends before it starts: to must be after from");
                     return false;
                 }
                 if (right && record.pcapSnap && *record.pcapSnap > 65'535)
                 {
                     context.diagnostics.Error(node.GetMark(),
                                               path,
                                               "snap is at most 65535B, the largest packet");
                     return false;
                 }
                 return right;
             },
             nullptr,
             "Pcap files next to the database, one for each port of some nodes or links; as a name "
             "alone: of all hosts.")});
    return table;
}

} // namespace

ScenarioTreeReader::ScenarioTreeReader(const DocumentContext& context,
                                       const ScenarioModelCheck& check)
    : m_context(context),
      m_check(check)
{
}

const DocumentTable<Scenario>&
ScenarioTreeReader::GetKeys()
{
    using S = Scenario;
    const auto block = [](const BlockKeys& keys) { return ValueShape::Block(keys); };
    const ValueShape scheduler = ValueShape::Typed(ScenarioFamilies::SCHEDULER);
    static const DocumentTable<S> table(
        "scenario",
        {DocumentKey<S>("schema",
                        Form::Word({ScenarioLoader::SCHEMA}).shape,
                        "Version of this format.")
             .Required(),
         Key("name", &S::name, Form::Text(), "Name in results.").Otherwise("that of the file"),
         DocumentKey<S>("extends",
                        Form::Text().shape,
                        "A scenario file that this one changes, relative to it."),
         Key("seed",
             &S::seed,
             Form::Integer(0, std::numeric_limits<uint64_t>::max()),
             "Seed of all random draws."),
         Key("stop", GetStopKeys(), "When the run ends.").Otherwise("when all jobs are done"),
         Key("measure", &S::measure, GetMeasureKeys(), "Window of the utilisation figures."),
         DocumentKey<S>("topology",
                        ValueShape::OneOf({ValueShape::Typed(TOPOLOGY),
                                           block(ExplicitTopologyReader::GetKeys().GetInfo())}),
                        "The cluster's graph."),
         DocumentKey<S>("host", ValueShape::Typed(HOST), "What is inside a host, such as dgx-a100.")
             .Otherwise("not modelled"),
         Key("bottleneck",
             &S::bottleneck,
             Form::Text(),
             "A directed link, such as leaf0-spine0, for Theorem 1 of Crux."),
         Key("hardware",
             &S::hardware,
             Form::Text(),
             "Preset of hosts, libraries and NICs, such as h100-cx7, or a .yaml file of one's own.")
             .Otherwise("ideal"),
         DocumentKey<S>("defaults",
                        ValueShape::Plain(ValueShape::Kind::ATTRIBUTES),
                        "Defaults of attributes, by ns3::Class::Attribute."),
         DocumentKey<S>(
             "jobs",
             ValueShape::OneOf({ValueShape::List(block(ScenarioJobReader::GetKeys().GetInfo())),
                                block(ScenarioTraceReader::GetKeys().GetInfo()),
                                ValueShape::Plain(ValueShape::Kind::CHANGES,
                                                  0,
                                                  0,
                                                  &ScenarioJobReader::GetKeys().GetInfo())}),
             "Training jobs, a list or a trace of a cluster."),
         DocumentKey<S>("flows", ScenarioFlowReader::GetShape(), "Plain RDMA transfers."),
         Key("placement",
             &S::placement,
             Form::Typed(ScenarioFamilies::PLACEMENT),
             "Placement of jobs."),
         DocumentKey<S>("scheduler", scheduler, "Communication scheduler.")
             .Otherwise(DEFAULT_SCHEDULER),
         DocumentKey<S>("compare", ValueShape::List(scheduler), "Schedulers, a run under each."),
         DocumentKey<S>(
             "record",
             ValueShape::List(ValueShape::OneOf(
                 {ValueShape::Plain(ValueShape::Kind::WORDS, 0, 0, &GetRecordKeys().GetInfo()),
                  ValueShape::Typed(RECORDER)})),
             "What is written to the database.")
             .Otherwise("jobs, collectives and events"),
         DocumentKey<S>("faults",
                        ValueShape::List(block(ScenarioFaultReader::GetKeys()), 0),
                        "Faults of links, switches, NICs and hosts."),
         DocumentKey<S>("traffic", ValueShape(), "Ordinary ns-3 applications.").NotSupported(),
         Key("solo",
             &S::solo,
             Form::Choice<SoloPaths>(),
             "Run each job alone too, for its slowdown: on selected paths (true) or on those of "
             "ECMP."),
         DocumentKey<S>("sweep",
                        block(ScenarioSweep::GetKeys()),
                        "Many runs of one scenario, for `gpu-fabric sweep`."),
         DocumentKey<S>("fast-forward", ValueShape(), "Skipping of steady stretches.")
             .NotSupported()});
    return table;
}

TypedBlock
ScenarioTreeReader::ApplyHardware(const DocumentBlock& top, Scenario& scenario)
{
    if (scenario.hardware.empty())
    {
        return {};
    }
    const std::optional<HardwarePreset> preset =
        HardwarePreset::Load(scenario.hardware,
                             top.Find("hardware")->GetMark(),
                             scenario.file,
                             m_context.diagnostics);
    if (!preset)
    {
        return {};
    }
    std::vector<AttributeSetting> settings;
    for (const HardwareValue& value : preset->values)
    {
        const bool isWritten = std::any_of(
            scenario.defaults.begin(),
            scenario.defaults.end(),
            [&value](const AttributeSetting& own) { return own.name == value.setting.name; });
        if (!isWritten)
        {
            settings.push_back(value.setting);
            settings.back().origin = "hardware " + preset->name + ": " + ToName(value.kind);
        }
    }
    scenario.defaults.insert(scenario.defaults.begin(), settings.begin(), settings.end());
    return preset->collective;
}

std::optional<Scenario>
ScenarioTreeReader::Read(const DocumentNode& root, const std::string& file, const std::string& text)
{
    Diagnostics& diagnostics = m_context.diagnostics;
    Scenario scenario;
    scenario.file = file;
    scenario.text = text;
    const DocumentBlock top = GetKeys().Read(root, "", m_context, scenario);
    if (scenario.name.empty())
    {
        scenario.name = std::filesystem::path(file).filename().stem().string();
    }
    const bool graphGood = ReadTopology(top, scenario);
    if (const DocumentNode* defaults = top.Find("defaults"))
    {
        scenario.defaults = AttributeReader(diagnostics).ReadDefaults(*defaults, "defaults");
    }
    const TypedBlock collective = ApplyHardware(top, scenario);
    ReadSchedulers(top, scenario);
    ReadRecord(top, scenario, graphGood);

    const ClusterTopology* graph = graphGood ? &scenario.graph : nullptr;
    Names written;
    if (!ReadJobs(top, scenario, graph, written))
    {
        return std::nullopt;
    }
    for (JobSpec& job : scenario.jobs)
    {
        if (job.collective.typeName.empty())
        {
            job.collective = collective;
        }
    }
    if (const DocumentNode* flows = top.Find("flows"))
    {
        scenario.flows = ScenarioFlowReader(diagnostics, graph).Read(*flows, "flows");
    }
    const DocumentNode* noFaults = top.Find("faults");
    if (noFaults != nullptr && noFaults->IsList() && noFaults->items.empty())
    {
        NS_LOG_LOGIC("an empty list of faults"); // also without extends, where it removes others
    }
    else if (const std::vector<DocumentNode>* faults = top.GetList("faults"))
    {
        scenario.faults =
            ScenarioFaultReader(diagnostics, graph, scenario.stopPs).Read(*faults, "faults");
    }
    ScenarioChecker(diagnostics, root, top.HasUnknown()).Check(scenario, written, graphGood);
    scenario.commonText = scenario.text;
    NS_LOG_INFO(file << ": " << scenario.jobs.size() << " jobs, " << scenario.flows.size()
                     << " flows, " << scenario.faults.size() << " faults, "
                     << diagnostics.GetErrorCount() << " errors");
    return diagnostics.HasErrors() ? std::nullopt : std::optional<Scenario>(std::move(scenario));
}

bool
ScenarioTreeReader::ReadJobs(const DocumentBlock& top,
                             Scenario& scenario,
                             const ClusterTopology* graph,
                             Names& written)
{
    Diagnostics& diagnostics = m_context.diagnostics;
    const DocumentNode* jobs = top.Find("jobs");
    if (jobs != nullptr && jobs->IsMap())
    {
        ScenarioTraceReader reader(m_context, graph, m_check);
        scenario.text += reader.Read(*jobs, "jobs", scenario.jobs);
        scenario.imports.push_back(reader.GetCount());
        for (const JobSpec& job : scenario.jobs)
        {
            written[job.name].push_back(job.name);
        }
        if (scenario.jobs.size() > MAX_JOBS)
        {
            top.Error("jobs", "there are more than " + std::to_string(MAX_JOBS) + " jobs");
            return false;
        }
        return true;
    }
    const std::vector<DocumentNode>* list = top.GetList("jobs");
    ScenarioJobReader reader(m_context, graph);
    std::map<std::pair<std::size_t, uint32_t>, uint32_t> programs;
    for (std::size_t i = 0; list != nullptr && i < list->size(); i++)
    {
        const std::string path = "jobs[" + std::to_string(i) + "]";
        const std::size_t before = scenario.jobs.size();
        const int errors = diagnostics.GetErrorCount();
        const std::string name = reader.Read((*list)[i], path, scenario.jobs);
        const bool good = diagnostics.GetErrorCount() == errors;
        for (std::size_t k = before; k < scenario.jobs.size(); k++)
        {
            written[name].push_back(scenario.jobs[k].name);
            // Jobs of one entry run the same program, on the same number of GPUs.
            const auto [program, isNew] = programs.emplace(std::make_pair(i, scenario.jobs[k].gpus),
                                                           static_cast<uint32_t>(programs.size()));
            scenario.jobs[k].program = program->second;
            if (good && isNew && scenario.jobs[k].gpus > 0)
            {
                CheckModel(scenario.jobs[k]);
            }
        }
        if (scenario.jobs.size() > before && scenario.jobs[before].workload)
        {
            // The workload is part of the scenario, so the scenario's text must change with it.
            const ImportedWorkload& workload = *scenario.jobs[before].workload;
            scenario.text += "\n# workload: " + workload.file + ", digest " +
                             std::to_string(workload.digest) + "\n";
            for (const ImportCount& count : workload.counts)
            {
                const bool known =
                    std::any_of(scenario.imports.begin(),
                                scenario.imports.end(),
                                [&count](const ImportCount& other) {
                                    return other.source == count.source && other.what == count.what;
                                });
                if (!known)
                {
                    scenario.imports.push_back(count);
                }
            }
        }
        if (scenario.jobs.size() > MAX_JOBS)
        {
            diagnostics.Error((*list)[i].GetMark(),
                              path,
                              "there are more than " + std::to_string(MAX_JOBS) + " jobs");
            return false;
        }
    }
    return true;
}

void
ScenarioTreeReader::CheckModel(const JobSpec& job)
{
    std::string key = "model";
    const std::string error = m_check ? m_check(job, key) : "";
    if (!error.empty())
    {
        m_context.diagnostics.Error(job.GetMark(key), job.path + "." + key, error);
    }
}

bool
ScenarioTreeReader::ReadTopology(const DocumentBlock& top, Scenario& scenario)
{
    const DocumentNode* node = top.Find("topology");
    if (node == nullptr)
    {
        if (!top.HasUnknown())
        {
            m_context.diagnostics.Error(top.GetMark("topology"), "", "topology is missing");
        }
        return false;
    }
    const DocumentNode* type = node->IsMap() ? node->Find("type") : node;
    std::vector<TopologyFault> faults;
    if (type != nullptr && type->IsScalar() && type->text == "Explicit")
    {
        scenario.topology.typeName = "Explicit";
        scenario.topology.mark = node->GetMark();
        auto graph = ExplicitTopologyReader(m_context.diagnostics).Read(*node, "topology");
        if (!graph)
        {
            return false;
        }
        scenario.graph = std::move(*graph);
    }
    else
    {
        const auto block =
            AttributeReader(m_context.diagnostics, m_context.overridden)
                .ReadTyped(*node, "topology", TOPOLOGY.suffix, TOPOLOGY.base, {"Explicit"});
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
ScenarioTreeReader::ReadHost(const DocumentBlock& top, Scenario& scenario)
{
    const DocumentNode* node = top.Find("host");
    if (node == nullptr)
    {
        return true;
    }
    const auto block = Form::Typed(HOST).read(*node, "host", m_context);
    if (!block)
    {
        return false;
    }
    scenario.host = *block;
    const auto faults = CreateTyped<HostModel>(*block)->AddTo(scenario.graph);
    for (const std::string& fault : faults)
    {
        m_context.diagnostics.Error(block->mark, "host", fault);
    }
    return faults.empty();
}

void
ScenarioTreeReader::ReportTopology(const DocumentBlock& top,
                                   const Scenario& scenario,
                                   const std::vector<TopologyFault>& faults)
{
    for (const TopologyFault& fault : faults)
    {
        if (fault.kind == TopologyFaultKind::FILE)
        {
            std::string ignored;
            if (!m_context.diagnostics.HasSource(fault.place.file))
            {
                m_context.diagnostics.AddSource(
                    fault.place.file,
                    DocumentLoader::ReadText(fault.place.file, ignored).value_or(""));
            }
            m_context.diagnostics.Error({fault.place.file, fault.place.line, fault.place.column},
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
            m_context.diagnostics.Error(written->mark, "topology." + written->name, fault.text);
        }
        else
        {
            m_context.diagnostics.Error(top.GetMark("topology"), "topology", fault.ToSentence());
        }
    }
}

void
ScenarioTreeReader::ReadSchedulers(const DocumentBlock& top, Scenario& scenario)
{
    const ValueForm<TypedBlock> form = Form::Typed(ScenarioFamilies::SCHEDULER);
    const DocumentNode* scheduler = top.Find("scheduler");
    if (scheduler != nullptr && top.Find("compare") != nullptr)
    {
        top.Error("compare", "scheduler and compare are both given: write one of them");
        return;
    }
    if (scheduler != nullptr)
    {
        const auto block = form.read(*scheduler, "scheduler", m_context);
        scenario.schedulers.push_back(block.value_or(TypedBlock()));
        return;
    }
    const std::vector<DocumentNode>* compare = top.GetList("compare");
    for (std::size_t i = 0; compare != nullptr && i < compare->size(); i++)
    {
        const std::string path = "compare[" + std::to_string(i) + "]";
        const auto block = form.read((*compare)[i], path, m_context);
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
                m_context.diagnostics.Error(block->mark, path, "this scheduler is listed already");
            }
        }
        scenario.schedulers.push_back(*block);
    }
    if (scenario.schedulers.empty())
    {
        TypedBlock none;
        none.typeName = DEFAULT_SCHEDULER;
        none.typeId = "ns3::" + none.typeName + ScenarioFamilies::SCHEDULER.suffix;
        scenario.schedulers.push_back(none);
    }
}

void
ScenarioTreeReader::ReadRecord(const DocumentBlock& top, Scenario& scenario, bool graphGood)
{
    const std::vector<DocumentNode>* list = top.GetList("record");
    if (list == nullptr)
    {
        return;
    }
    const DocumentTable<RecordSpec>& table = GetRecordKeys();
    RecordSpec record;
    record.jobs = record.collectives = record.events = false;
    for (std::size_t i = 0; i < list->size(); i++)
    {
        const DocumentNode& node = (*list)[i];
        const std::string path = "record[" + std::to_string(i) + "]";
        // Words are in lower case, types are not: "job" is no JobRecorder.
        if (node.IsMap() ? node.Find("type") != nullptr
                         : !node.text.empty() && node.text[0] >= 'A' && node.text[0] <= 'Z')
        {
            ReadRecorder(node, path, record);
        }
        else if (!node.IsScalar())
        {
            const DocumentBlock block = table.Read(node, path, m_context, record);
            const DocumentNode* pcap = block.IsComplete() ? block.Find("pcap") : nullptr;
            if (pcap != nullptr && graphGood)
            {
                CheckPcap(*pcap, block.GetPath("pcap"), scenario.graph);
            }
        }
        else if (node.text == "links" || node.text == "queue-pairs")
        {
            m_context.diagnostics.Error(node.GetMark(),
                                        path,
                                        "wants an interval: write {" + node.text +
                                            ": {interval: 100us}}");
        }
        else if (table.GetInfo().Find(node.text) == nullptr)
        {
            m_context.diagnostics.Error(
                node.GetMark(),
                path,
                Diagnostics::Unknown("record", node.text, table.GetInfo().ListNames()));
        }
        else
        {
            DocumentNode alone = node;
            alone.kind = DocumentNode::Kind::NONE;
            table.ReadKey(node.text, alone, path, m_context, record);
        }
    }
    scenario.record = record;
}

void
ScenarioTreeReader::ReadRecorder(const DocumentNode& node,
                                 const std::string& path,
                                 RecordSpec& record)
{
    const auto block = Form::Typed(RECORDER).read(node, path, m_context);
    if (!block)
    {
        return;
    }
    for (const TypedBlock& other : record.recorders)
    {
        if (other.typeId == block->typeId)
        {
            m_context.diagnostics.Error(node.GetMark(),
                                        path,
                                        block->typeName + " is there already");
            return;
        }
    }
    record.recorders.push_back(*block);
}

void
ScenarioTreeReader::CheckPcap(const DocumentNode& pcap,
                              const std::string& path,
                              const ClusterTopology& graph) const
{
    const DocumentNode* links = pcap.IsMap() ? pcap.Find("links") : nullptr;
    for (std::size_t i = 0; links != nullptr && i < links->items.size(); i++)
    {
        const DocumentNode& item = links->items[i];
        const int64_t link = item.IsScalar() ? graph.FindDirectedLink(item.text) : 0;
        if (link < 0 || link >= graph.GetNetworkPortCount())
        {
            std::vector<std::string> names;
            for (uint32_t port = 0; port < graph.GetNetworkPortCount(); ++port)
            {
                names.push_back(graph.GetDirectedLinkName(port));
            }
            m_context.diagnostics.Error(item.GetMark(),
                                        path + ".links[" + std::to_string(i) + "]",
                                        Diagnostics::Unknown("link", item.text, names));
        }
    }
    const DocumentNode* nodes = pcap.IsMap() ? pcap.Find("nodes") : nullptr;
    for (std::size_t i = 0; nodes != nullptr && i < nodes->items.size(); i++)
    {
        const DocumentNode& item = nodes->items[i];
        if (item.IsScalar() && graph.FindNode(item.text) < 0)
        {
            std::vector<std::string> names;
            for (const TopologyNode& known : graph.GetNodes())
            {
                names.push_back(known.name);
            }
            m_context.diagnostics.Error(item.GetMark(),
                                        path + ".nodes[" + std::to_string(i) + "]",
                                        Diagnostics::Unknown("node", item.text, names));
        }
    }
}

} // namespace ns3
