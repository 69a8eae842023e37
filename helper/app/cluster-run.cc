/* SPDX-License-Identifier: GPL-2.0-only */
#include "cluster-run.h"

#include "../../model/engine/parallel/rank-link.h"
#include "../../model/fabric/host-interconnect.h"
#include "../../model/fabric/logical-process.h"
#include "../../model/fabric/network-state.h"
#include "../../model/rdma/queue-pair.h"
#include "../../model/rdma/wire/roce-framing.h"
#include "congestion-check.h"
#include "conservation-check.h"
#include "interrupt-watch.h"
#include "mpi-session.h"
#include "run-cost-estimator.h"
#include "scenario-flows.h"
#include "timing-check.h"

#include "ns3/gpu-intensity.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/roce-nic.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <exception>
#include <new>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ClusterRun");

namespace
{

/// Simulated time between checks for progress and interrupts.
constexpr int64_t TICK_PS = 100'000'000;

Ptr<Object>
MakeObject(const TypedBlock& block)
{
    ObjectFactory factory(block.typeId);
    for (const AttributeSetting& setting : block.attributes)
    {
        factory.Set(setting.name, StringValue(setting.value));
    }
    return factory.Create();
}

/// The data levels of a fabric: from its highest lossless priority down; no levels if there is no
/// priority for data.
PriorityMap
MakePriorityMap(const Fabric& fabric)
{
    uint32_t mask = fabric.GetLosslessMask();
    if (mask == 0)
    {
        // Without PFC, all priorities below that of control frames carry data.
        mask = ((1u << fabric.GetQueueCount()) - 1) & ~1u & ~(1u << fabric.GetControlPriority()) &
               ~(1u << fabric.GetCnpPriority());
    }
    PriorityMap map;
    map.levels = 0;
    if (mask == 0)
    {
        return map; // no priority is left
    }
    map.highest = static_cast<uint8_t>(HighestBit(mask));
    while (map.levels <= map.highest && (mask >> (map.highest - map.levels) & 1))
    {
        ++map.levels;
    }
    return map;
}

/// The priorities that data of a scenario can have, under any of its schedulers, so that runs to be
/// compared have the same buffers (bit p: priority p); the fabric adds the default one.
uint32_t
FindUsedPriorities(const Scenario& scenario)
{
    uint32_t used = 0;
    for (const TypedBlock& block : scenario.schedulers)
    {
        if (!scenario.jobs.empty() &&
            DynamicCast<CommunicationScheduler>(MakeObject(block))->UsesLevels())
        {
            return UINT32_MAX;
        }
    }
    for (const FlowSpec& flow : scenario.flows)
    {
        used |= flow.priority >= 0 ? 1u << flow.priority : 0;
    }
    return used;
}

} // namespace

ClusterRun::ClusterRun(const Scenario& scenario, const TypedBlock& scheduler, uint32_t run)
    : m_scenario(scenario),
      m_schedulerBlock(scheduler),
      m_run(run),
      m_capture(m_scenario, m_network),
      m_bottleneck(m_scenario, m_network)
{
}

std::unique_ptr<LogicalProcess>
ClusterRun::MakeLogicalProcess(const RankLink& link) const
{
    return m_network.MakeLogicalProcess(link);
}

ClusterRun::~ClusterRun()
{
    if (m_flows)
    {
        m_flows->Dispose();
    }
    if (m_manager)
    {
        m_manager->Dispose();
    }
    m_manager = nullptr;
    m_flows = nullptr;
    m_environment.reset();
    if (m_hostNetwork)
    {
        m_hostNetwork->Dispose();
    }
    m_jobFactory.reset();
    m_oracle.reset();
    m_network.Dispose();
    Simulator::Destroy();
    MpiSession::Renew();
}

void
ClusterRun::SetUpThreads()
{
    if (m_threads < 2 && (!m_link || m_link->GetRankCount() < 2))
    {
        return;
    }
    if (m_capture.IsWanted())
    {
        if (m_run == 1) // it holds for all runs
        {
            Warn("pcap files are written in one thread");
        }
        return;
    }
    m_network.SetThreads(m_threads);
    m_network.SetRanks(m_link, m_run);
}

void
ClusterRun::Report(const FabricFault& fault, Diagnostics& diagnostics) const
{
    const std::string name = "ns3::Fabric::" + fault.place.attribute;
    for (const AttributeSetting& setting : m_scenario.defaults)
    {
        if (setting.name == name)
        {
            diagnostics.Error(setting.mark, "defaults." + name, fault.ToSentence());
            return;
        }
    }
    diagnostics.Error(m_scenario.topology.mark, "topology", fault.ToSentence());
}

bool
ClusterRun::Build(Diagnostics& diagnostics)
{
    NS_LOG_FUNCTION(this << m_run);
    SetUpThreads();
    m_network.SetUsedPriorities(FindUsedPriorities(m_scenario));
    for (const FabricFault& fault : m_network.Build(m_scenario.graph, m_scenario.seed))
    {
        Report(fault, diagnostics);
    }
    if (!m_network.GetThreadFault().empty() && m_run == 1)
    {
        Warn("one thread simulates the network: " + m_network.GetThreadFault());
    }
    const std::vector<TopologyNode>& graphNodes = m_scenario.graph.GetNodes();
    if (std::none_of(graphNodes.begin(), graphNodes.end(), [](const TopologyNode& node) {
            return node.kind == TopologyNodeKind::HOST && !node.ports.empty();
        }))
    {
        // A single host is a graph, but no network for jobs.
        diagnostics.Error(m_scenario.topology.mark,
                          "topology",
                          "host " + graphNodes.at(0).name + " has no link");
    }
    if (diagnostics.HasErrors())
    {
        return false; // there is no network to place jobs and flows on
    }
    const std::string fault = m_capture.FindFault();
    if (!fault.empty())
    {
        diagnostics.Error(m_scenario.record.pcapMark, "record", fault);
    }
    m_oracle = std::make_unique<FabricPathOracle>(m_network.GetFabric());
    const PriorityMap priorities = MakePriorityMap(*m_network.GetFabric());
    if (priorities.levels == 0)
    {
        const Fabric& fabric = *m_network.GetFabric();
        diagnostics.Error(m_scenario.topology.mark,
                          "topology",
                          "no priority is left for data: ns3::Fabric::Queues is " +
                              std::to_string(fabric.GetQueueCount()) + ", of which priority " +
                              std::to_string(fabric.GetControlPriority()) +
                              " carries control frames (ns3::Fabric::ControlPriority) and 0 none");
        return false;
    }
    std::vector<Ptr<Node>> nodes;
    for (uint32_t node = 0; node < m_scenario.graph.GetNodes().size(); ++node)
    {
        nodes.push_back(m_network.GetNode(node));
    }
    RdmaVerbs* queuePairs = PeekPointer(m_network.GetTransport());
    if (m_network.GetInterconnect())
    {
        m_hostNetwork = CreateObject<HostJobNetwork>();
        m_hostNetwork->Build(queuePairs, m_network.GetInterconnect(), m_network.GetFabric());
        queuePairs = PeekPointer(m_hostNetwork);
    }
    m_environment =
        std::make_unique<JobEnvironment>(m_scenario.graph, *queuePairs, m_scenario.seed, nodes);
    m_environment->defaultPriority = priorities.highest;
    m_environment->interconnect = m_network.GetInterconnect();
    m_manager = CreateObject<ClusterManager>();
    m_manager->SetCluster(m_scenario.graph, *m_oracle);
    CommunicationControl& control = m_manager->GetControl();
    control.SetScheduler(DynamicCast<CommunicationScheduler>(MakeObject(m_schedulerBlock)));
    if (!m_placement)
    {
        m_placement = DynamicCast<PlacementPolicy>(MakeObject(m_scenario.placement));
    }
    m_manager->SetPlacement(m_placement);
    control.GetActuator().SetPriorityMap(priorities);
    m_manager->SetSeed(m_scenario.seed);
    control.SetLinkSource([fabric = m_network.GetFabric()](uint32_t job) {
        return JobProfiler::GetLinkBytes(fabric->GetJobLinkCounters(), job);
    });
    m_manager->SetDoneCallback(MakeCallback(&ClusterRun::JobsDone, this));
    control.GetLog().SetWarningCallback([this](const std::string& warning) { Warn(warning); });
    BuildJobs(diagnostics);
    m_flowList =
        MakeScenarioFlows(m_scenario, *m_network.GetFabric(), priorities.highest, diagnostics);
    m_flowsDone = m_flowList.empty();
    for (const FaultSpec& fault : m_scenario.faults)
    {
        const uint32_t lossless = m_network.GetFabric()->GetLosslessMask();
        if (fault.priority && !(lossless >> *fault.priority & 1))
        {
            diagnostics.Error(fault.mark,
                              fault.path,
                              "priority " + std::to_string(*fault.priority) +
                                  " cannot be paused: the lossless ones "
                                  "(ns3::FabricSwitch::LosslessMask) are " +
                                  ListPriorities(lossless));
        }
    }
    if (!diagnostics.HasErrors())
    {
        TimingCheck(m_scenario, m_network).Check(m_flowList, diagnostics);
        CongestionCheck(m_scenario, m_network).Check(diagnostics);
    }
    return !diagnostics.HasErrors();
}

std::vector<PresetValue>
ClusterRun::GetPresetValues() const
{
    return CongestionCheck(m_scenario, m_network).GetPresetValues();
}

RoceFraming
ClusterRun::GetFraming(uint32_t& ackInterval) const
{
    uint32_t nic = 0;
    for (const TopologyNode& node : m_scenario.graph.GetNodes())
    {
        if (node.kind == TopologyNodeKind::HOST && !node.ports.empty())
        {
            nic = node.ports[0];
            break;
        }
    }
    ackInterval = DynamicCast<RoceNic>(m_network.GetDevice(nic))->GetAckInterval();
    return m_network.GetTransport()->GetFraming(nic);
}

RunCost
ClusterRun::EstimateCost()
{
    uint32_t nics = 0;
    for (const TopologyNode& node : m_scenario.graph.GetNodes())
    {
        nics += node.kind == TopologyNodeKind::HOST ? static_cast<uint32_t>(node.ports.size()) : 0;
    }
    uint32_t ackInterval = 1;
    const RoceFraming framing = GetFraming(ackInterval);
    constexpr uint64_t MANY = uint64_t{1} << 30;
    const uint64_t segments =
        m_network.GetInterconnect()
            ? m_network.GetInterconnect()->SumSegments(MANY, [](uint64_t) { return uint64_t{1}; })
            : 1;
    RunCostEstimator estimator(m_scenario,
                               *m_oracle,
                               framing,
                               ackInterval,
                               static_cast<uint32_t>(MANY / segments));
    estimator.AddFlows(m_flowList);
    std::vector<RunCostEstimator::Job> jobs;
    // Of frames instead of bytes.
    TrainingJobFactory::Setup counting = GetJobSetup();
    counting.dataWireBytes = [framing](uint64_t bytes) { return framing.GetFrameCount(bytes); };
    counting.ackWireBytes = [framing, ackInterval](uint64_t bytes) {
        return (framing.GetFrameCount(bytes) + ackInterval - 1) / ackInterval;
    };
    const PlacementView empty{&m_scenario.graph,
                              std::vector<uint8_t>(m_scenario.graph.GetGpuCount(), 1),
                              nullptr,
                              m_scenario.seed};
    const TrainingJobFactory factory(counting);
    for (uint32_t id = 0; id < m_scenario.jobs.size(); ++id)
    {
        const JobSpec& spec = m_scenario.jobs[id];
        jobs.push_back({&spec, m_manager->GetArrival(id), [&, id](JobView& view) {
                            const std::vector<Placement> ranked =
                                m_placement->Rank(empty, m_manager->GetJob(id)->GetRequest());
                            if (!ranked.empty())
                            {
                                view = factory.Estimate(m_scenario.jobs[id], ranked.front().gpus);
                            }
                        }});
    }
    estimator.AddJobs(jobs);
    RunCost cost = estimator.GetCost();
    cost.hopNs = RunCost::GetHopNs(nics);
    return cost;
}

TrainingJobFactory::Setup
ClusterRun::GetJobSetup()
{
    uint32_t interval = 1;
    const RoceFraming framing = GetFraming(interval);
    TrainingJobFactory::Setup setup;
    setup.environment = m_environment.get();
    m_programs.SetTensorOptions(m_manager->GetControl().GetScheduler()->GetTensorOptions());
    setup.getProgram = [this](const JobSpec& spec) { return m_programs.Get(spec); };
    setup.dataWireBytes = [framing](uint64_t bytes) { return framing.GetMessageWireBytes(bytes); };
    setup.ackWireBytes = [framing, interval](uint64_t bytes) {
        const uint64_t acks = (framing.GetFrameCount(bytes) + interval - 1) / interval;
        return acks * framing.GetAckWireBytes();
    };
    return setup;
}

bool
ClusterRun::CheckProgram(const JobSpec& spec, Diagnostics& diagnostics)
{
    std::vector<ProgramFault> faults;
    const bool good = m_programs.Check(spec, faults);
    for (const ProgramFault& fault : faults)
    {
        diagnostics.Error(spec.GetMark(fault.key), spec.name + "." + fault.key, fault.what);
    }
    return good;
}

void
ClusterRun::BuildJobs(Diagnostics& diagnostics)
{
    bool complete = true;
    if (!m_scenario.jobs.empty())
    {
        m_jobFactory = std::make_unique<TrainingJobFactory>(GetJobSetup());
    }
    for (const JobSpec& spec : m_scenario.jobs)
    {
        if (!CheckProgram(spec, diagnostics))
        {
            complete = false;
            continue;
        }
        NS_LOG_LOGIC("job " << spec.name << " on " << spec.gpus << " GPUs");
        m_manager->AddJob(spec, *m_jobFactory);
        m_jobsDone = false;
    }
    if (complete)
    {
        for (const auto& [job, fault] : m_manager->Validate())
        {
            const JobSpec& spec = m_scenario.jobs[job];
            diagnostics.Error(spec.mark, spec.name, fault);
        }
    }
}

void
ClusterRun::RecordJob(uint32_t job)
{
    const JobSpec& spec = m_scenario.jobs[job];
    JobRow row;
    row.name = spec.name;
    row.model = !spec.label.empty() ? spec.label : spec.model.empty() ? "explicit" : spec.model;
    row.gpus = spec.gpus;
    row.batch = spec.batchPerGpu;
    row.scale = spec.scale.GetText();
    const ProgramCache::Figures& program = m_programs.GetFigures(spec);
    row.wFlop = program.flop;
    row.gradientBytes = program.gradientBytes;
    m_recorders->GetJobLog().AddJob(row);
}

void
ClusterRun::TraceJobs(const std::string& source, const CallbackBase& callback)
{
    if (!m_manager->TraceConnectWithoutContext(source, callback))
    {
        for (uint32_t id = 0; id < m_scenario.jobs.size(); ++id) // one source per job
        {
            NS_ABORT_MSG_UNLESS(m_manager->GetJob(id)->TraceConnectWithoutContext(source, callback),
                                "jobs have no trace source " << source);
        }
    }
    if (source == "Span")
    {
        m_unstarted.ConnectWithoutContext(callback);
    }
}

void
ClusterRun::ConnectRecorders()
{
    RunContext context;
    context.topology = &m_scenario.graph;
    context.fabric = m_network.GetFabric();
    context.transport = m_network.GetTransport();
    context.traceJobs = [this](const std::string& source, const CallbackBase& callback) {
        TraceJobs(source, callback);
    };
    m_recorders->Connect(context);
    m_manager->TraceConnectWithoutContext("JobEvent",
                                          MakeCallback(&ClusterRun::WarnOfFailedJob, this));
    m_manager->SetDepartureCallback([this](uint32_t job) { CompleteJobRow(job); });
    context.transport->TraceConnectWithoutContext(
        "Event",
        MakeCallback(&ClusterRun::WarnOfFailedFlow, this));
}

void
ClusterRun::Tick()
{
    if (m_interrupt && m_interrupt->load(std::memory_order_relaxed))
    {
        Interrupt();
        return;
    }
    if (m_progress && m_progress->IsDue())
    {
        RunProgress progress;
        progress.simulatedPs = Simulator::Now().GetTimeStep();
        progress.stopPs = m_scenario.stopPs;
        progress.events = EventLane::Get()->GetEventCount();
        progress.hops = m_network.GetFabric()->GetTotals().hops;
        progress.expectedHops = m_cost.packetHops;
        progress.untilStop = m_scenario.stopWhen == StopCondition::TIME;
        for (uint32_t job = 0; job < m_scenario.jobs.size(); ++job)
        {
            progress.jobs.push_back({m_scenario.jobs[job].name,
                                     m_recorders->GetJobLog().GetIterations(job),
                                     m_scenario.jobs[job].iterations});
        }
        m_progress->Update(progress);
    }
    if (!Simulator::IsFinished())
    {
        Simulator::Schedule(PicoSeconds(TICK_PS), &ClusterRun::Tick, this);
    }
}

void
ClusterRun::Interrupt()
{
    m_interrupted = true;
    Simulator::Stop();
}

void
ClusterRun::Simulate()
{
    const InterruptWatch watch(m_interrupt, [this]() { Interrupt(); });
    // Freed when memory is short, so that results can be written.
    constexpr size_t RESERVE = 16 << 20;
    std::unique_ptr<char[]> reserve(new char[RESERVE]); // not touched: no memory is used yet
    try
    {
        Simulator::Run();
    }
    catch (const ResultWriteError&)
    {
        throw;
    }
    catch (const std::bad_alloc&)
    {
        reserve.reset();
        m_failure = "there is not enough memory";
    }
    catch (const std::exception& error)
    {
        m_failure = error.what();
    }
}

void
ClusterRun::JobsDone()
{
    NS_LOG_FUNCTION(this);
    m_jobsDone = true;
    StopIfDone();
}

void
ClusterRun::FlowsDone(int64_t /* now */)
{
    NS_LOG_FUNCTION(this);
    m_flowsDone = true;
    StopIfDone();
}

void
ClusterRun::StopIfDone()
{
    if (m_jobsDone && m_flowsDone && m_scenario.stopWhen == StopCondition::ALL_JOBS_DONE)
    {
        Simulator::Stop();
    }
}

void
ClusterRun::StartFaults()
{
    // First, so that a fault takes effect before everything else at its instant.
    m_faults.SetHostCallbacks(
        [this](int64_t now, uint32_t node, bool returns) {
            m_manager->HostDown(now, node, returns);
            FailQueuePairs(now, node);
        },
        [this](int64_t now, uint32_t node) { m_manager->HostUp(now, node); });
    m_faults.Start(m_network.GetFabric(), m_scenario.faults);
    m_network.GetFabric()->SetDeadlockCallback([this](int64_t now, const std::string& cycle) {
        m_deadlock = true;
        Warn("PFC deadlock at " + std::to_string(now) + " ps, the run is stopped: " + cycle);
        Simulator::Stop();
    });
}

void
ClusterRun::FailQueuePairs(int64_t now, uint32_t host)
{
    NS_LOG_FUNCTION(this << now << host);
    // Connection management informs both ends.
    Ptr<RoceTransport> transport = m_network.GetTransport();
    for (uint32_t id = 0; id < transport->GetQueuePairCount(); ++id)
    {
        const QueuePair* queuePair = transport->GetQueuePair(id);
        if (queuePair != nullptr && !queuePair->failed && !queuePair->messages.IsEmpty() &&
            (m_scenario.graph.GetPortNode(queuePair->sourceNic) == host ||
             m_scenario.graph.GetPortNode(queuePair->destinationNic) == host))
        {
            transport->Fail(now, id);
        }
    }
}

void
ClusterRun::Warn(const std::string& text) const
{
    if (!m_warn.IsNull())
    {
        m_warn(text);
    }
}

void
ClusterRun::WarnOfFailedJob(const JobEventRecord& record)
{
    if (record.kind == "failed" || record.kind == "interrupted")
    {
        Warn("job " + m_scenario.jobs[record.job].name + " has " +
             (record.kind == "failed" ? "failed at " : "been interrupted at ") +
             std::to_string(record.timePs) + " ps: " + record.detail);
    }
}

void
ClusterRun::WarnOfFailedFlow(const FabricEventRecord& record)
{
    const QueuePair* queuePair = record.kind == "failed"
                                     ? m_network.GetTransport()->GetQueuePair(record.queuePair)
                                     : nullptr;
    if (queuePair != nullptr && queuePair->job == NO_ID)
    {
        Warn("the flow from " + m_scenario.graph.GetPortName(queuePair->sourceNic) + " to " +
             m_scenario.graph.GetPortName(queuePair->destinationNic) + " has failed at " +
             std::to_string(record.timePs) + " ps");
    }
}

void
ClusterRun::RecordUnstartedJobs()
{
    // A job that has its GPUs but has not started when the run ends has been waiting for its start;
    // its ranks, which account for all other time, do not exist yet.
    for (uint32_t job = 0; job < m_scenario.jobs.size(); ++job)
    {
        const Ptr<Job> placed = m_manager->GetJob(job);
        if (placed->GetState() == JobState::PLACED)
        {
            for (uint32_t gpu : placed->GetGpus())
            {
                m_unstarted({job, gpu, GpuTimeKind::PEER_WAIT, placed->GetPlacedPs(), m_endPs});
            }
        }
    }
}

void
ClusterRun::CompleteJobRow(uint32_t job)
{
    const Ptr<Job> placed = m_manager->GetJob(job);
    m_placements[job] = placed->GetGpus();
    const JobView view = m_manager->GetJobView(job);
    m_bottleneck.AddJob(view,
                        placed->GetEndedIterations(),
                        placed->GetRanks()->GetCurrentIteration());
    CandidatePaths paths(*m_oracle);
    const GpuIntensity intensity(m_scenario.graph, view, paths);
    m_recorders->GetJobLog().GetJob(job).commPs =
        static_cast<int64_t>(intensity.GetLinkSeconds() * 1e12 + 0.5);
}

void
ClusterRun::Run(ResultDatabase& database, RunRow row, ProgressPrinter* progress)
{
    NS_LOG_FUNCTION(this << m_run);
    m_progress = progress;
    row.run = m_run;
    database.Insert(row);
    m_recorders = std::make_unique<RunRecorders>(database,
                                                 m_run,
                                                 m_scenario.graph.GetGpuCount(),
                                                 m_scenario.measure,
                                                 m_scenario.record);
    m_placements.resize(m_scenario.jobs.size());
    const bool profiles = m_manager->GetControl().GetScheduler()->GetProfilePlan().iterations > 0;
    m_recorders->GetJobLog().GetWindowFinder().SetProfiles(profiles);
    for (uint32_t job = 0; job < m_scenario.jobs.size(); ++job)
    {
        RecordJob(job);
    }
    ConnectRecorders();
    m_network.GetFabric()->EnableAccounting(m_scenario.record.jobs || profiles);
    m_capture.Open(m_pcapPrefix);
    if (m_capture.IsForced() && !m_warn.IsNull())
    {
        m_warn("pcap files show true RoCEv2, not the sizes that HeaderBytes and AckBytes force");
    }

    StartFaults();
    if (!m_jobsDone)
    {
        m_manager->Start();
    }
    if (!m_flowsDone)
    {
        m_flows = CreateObject<PlainFlows>();
        m_flows->Start(m_network.GetTransport(), m_flowList, [this](int64_t now) {
            FlowsDone(now);
        });
    }
    if (m_scenario.measure.from)
    {
        Simulator::Schedule(*m_scenario.measure.from,
                            [this]() { m_recorders->OpenWindow(Simulator::Now().GetTimeStep()); });
    }
    if (m_scenario.measure.to)
    {
        Simulator::Schedule(*m_scenario.measure.to,
                            [this]() { m_recorders->CloseWindow(Simulator::Now().GetTimeStep()); });
    }
    m_recorders->Start();
    if (m_scenario.stopPs > 0)
    {
        Simulator::Stop(PicoSeconds(m_scenario.stopPs));
    }
    Simulator::Schedule(PicoSeconds(TICK_PS), &ClusterRun::Tick, this);
    Simulate();
    m_capture.Close();

    m_endPs = Simulator::Now().GetTimeStep();
    m_laneEvents = EventLane::Get()->GetEventCount();
    m_packetHops = m_network.GetFabric()->GetTotals().hops;
    if (m_progress)
    {
        m_progress->Finish();
    }
    if (!m_failure.empty())
    {
        // In case that what follows fails too.
        row.status = "stopped";
        row.endPs = m_endPs;
        row.events = m_laneEvents;
        database.Insert(row);
    }
    for (uint32_t job = 0; job < m_scenario.jobs.size(); ++job)
    {
        if (const Ptr<JobRanks> ranks = m_manager->GetJob(job)->GetRanks())
        {
            m_recorders->GetJobLog().GetJob(job).openIterationPs = ranks->GetOpenIterationStartPs();
        }
    }
    m_network.GetFabric()->FinishPauses(m_endPs);
    m_manager->Close();
    m_network.GetTransport()->FinishTransfers(m_endPs);
    if (m_flows && m_flows->GetPosted() < m_flowList.size())
    {
        Warn(std::to_string(m_flowList.size() - m_flows->GetPosted()) + " of " +
             std::to_string(m_flowList.size()) +
             " flows had not started when the run ended, and are no rows of its tables");
    }
    RecordUnstartedJobs();
    for (uint32_t job = 0; job < m_scenario.jobs.size(); ++job)
    {
        if (m_manager->GetJob(job)->GetRanks() && !m_manager->GetJob(job)->GetGpus().empty())
        {
            CompleteJobRow(job);
        }
    }
    const MeasuringWindow window = m_recorders->Finish(m_endPs);
    bool done = m_jobsDone && m_flowsDone;
    row.status = m_interrupted || m_deadlock || !m_failure.empty() ||
                         (m_scenario.stopWhen == StopCondition::ALL_JOBS_DONE && !done)
                     ? "stopped"
                     : "finished";
    row.endPs = m_endPs;
    row.events = m_laneEvents;
    row.measureFromPs = window.fromPs;
    row.measureToPs = window.toPs;
    row.measureNote = window.note;
    database.Insert(row);
    if (!m_failure.empty())
    {
        return; // in the middle of an event: frames may be counted on one side only
    }
    ConservationCheck(*m_network.GetFabric(),
                      *m_network.GetTransport(),
                      m_network.GetInterconnect(),
                      m_endPs)
        .Write(database, m_run);
    m_bottleneck.Write(database, m_run);
}

} // namespace ns3
