/* SPDX-License-Identifier: GPL-2.0-only */
#include "cluster-run.h"

#include "../../model/engine/parallel/rank-link.h"
#include "../../model/fabric/host-interconnect.h"
#include "../../model/fabric/logical-process.h"
#include "../../model/fabric/network-state.h"
#include "../../model/rdma/queue-pair.h"
#include "../../model/rdma/wire/roce-framing.h"
#include "conservation-check.h"
#include "mpi-session.h"
#include "scenario-flows.h"

#include "ns3/gpu-intensity.h"
#include "ns3/object-factory.h"
#include "ns3/roce-nic.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>

namespace ns3
{

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

/// The data levels of a fabric: from its highest lossless priority down.
PriorityMap
MakePriorityMap(const Fabric& fabric)
{
    uint32_t mask = fabric.GetLosslessMask();
    if (mask == 0)
    {
        // Without PFC, all priorities below that of control frames carry data.
        mask = ((1u << fabric.GetQueueCount()) - 1) & ~1u & ~(1u << fabric.GetControlPriority());
    }
    PriorityMap map;
    map.highest = static_cast<uint8_t>(HighestBit(mask));
    map.levels = 0;
    while (map.levels <= map.highest && (mask >> (map.highest - map.levels) & 1))
    {
        ++map.levels;
    }
    return map;
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
ClusterRun::MakePart(const RankLink& link) const
{
    return m_network.MakePart(link);
}

ClusterRun::~ClusterRun()
{
    if (m_flows)
    {
        m_flows->Dispose();
    }
    m_runners.clear();
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
    m_jobNetwork.reset();
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

bool
ClusterRun::Build(Diagnostics& diagnostics)
{
    SetUpThreads();
    for (const std::string& error : m_network.Build(m_scenario.graph, m_scenario.seed))
    {
        diagnostics.Error(m_scenario.topology.mark, "topology", error);
    }
    if (!m_network.GetThreadFault().empty() && m_run == 1)
    {
        Warn("one thread simulates the network: " + m_network.GetThreadFault());
    }
    const std::string fault = m_capture.FindFault();
    if (!fault.empty())
    {
        diagnostics.Error(m_scenario.record.pcapMark, "record", fault);
    }
    m_oracle = std::make_unique<FabricPathOracle>(m_network.GetFabric());
    PriorityMap priorities = MakePriorityMap(*m_network.GetFabric());
    m_jobNetwork = std::make_unique<RoceJobNetwork>(m_network.GetTransport(), priorities.highest);
    std::vector<Ptr<Node>> nodes;
    for (uint32_t node = 0; node < m_scenario.graph.GetNodes().size(); ++node)
    {
        nodes.push_back(m_network.GetNode(node));
    }
    JobNetwork* jobNetwork = m_jobNetwork.get();
    if (m_network.GetInterconnect())
    {
        m_hostNetwork = CreateObject<HostJobNetwork>();
        m_hostNetwork->Build(jobNetwork, m_network.GetInterconnect(), m_network.GetFabric());
        jobNetwork = PeekPointer(m_hostNetwork);
    }
    m_environment =
        std::make_unique<JobEnvironment>(m_scenario.graph, *jobNetwork, m_scenario.seed, nodes);
    m_environment->interconnect = m_network.GetInterconnect();
    m_manager = CreateObject<ClusterManager>();
    m_manager->SetCluster(m_scenario.graph, *m_oracle);
    m_manager->SetScheduler(DynamicCast<CommunicationScheduler>(MakeObject(m_schedulerBlock)));
    m_manager->SetPlacement(
        m_placement ? m_placement : DynamicCast<PlacementPolicy>(MakeObject(m_scenario.placement)));
    m_manager->SetPriorityMap(priorities);
    m_manager->SetSeed(m_scenario.seed);
    m_manager->SetLinkSource([fabric = m_network.GetFabric()](uint32_t job) {
        return JobProfiler::GetLinkBytes(fabric->GetJobLinkCounters(), job);
    });
    m_manager->SetDoneCallback(MakeCallback(&ClusterRun::JobsDone, this));
    m_manager->SetWarningCallback(MakeCallback(&ClusterRun::Warn, this));
    BuildJobs(diagnostics);
    m_flowList =
        MakeScenarioFlows(m_scenario, *m_network.GetFabric(), priorities.highest, diagnostics);
    m_flowsDone = m_flowList.empty();
    return !diagnostics.HasErrors();
}

void
ClusterRun::PrepareJobs()
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
    const uint32_t interval = DynamicCast<RoceNic>(m_network.GetDevice(nic))->GetAckInterval();
    const RoceFraming framing = m_network.GetTransport()->GetFraming(nic);
    m_jobSetup.environment = m_environment.get();
    m_programs.SetTensorOptions(m_manager->GetTensorOptions());
    m_jobSetup.getProgram = [this](const JobSpec& spec) { return m_programs.Get(spec); };
    m_jobSetup.dataWireBytes = [framing](uint64_t bytes) {
        return framing.GetMessageWireBytes(bytes);
    };
    m_jobSetup.ackWireBytes = [framing, interval](uint64_t bytes) {
        const uint64_t acks = (framing.GetFrameCount(bytes) + interval - 1) / interval;
        return acks * framing.GetAckWireBytes();
    };
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
        PrepareJobs();
    }
    for (const JobSpec& spec : m_scenario.jobs)
    {
        if (!CheckProgram(spec, diagnostics))
        {
            complete = false;
            continue;
        }
        auto job = std::make_unique<TrainingJobRunner>(m_jobSetup,
                                                       static_cast<uint32_t>(m_runners.size()),
                                                       spec);
        m_runners.push_back(job.get());
        m_manager->AddJob(spec, std::move(job));
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
    row.scale = spec.scaleDenominator == 1 ? std::to_string(spec.scaleNumerator)
                                           : std::to_string(spec.scaleNumerator) + "/" +
                                                 std::to_string(spec.scaleDenominator);
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
        for (uint32_t id = 0; id < m_runners.size(); ++id) // one source per job
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
        m_interrupted = true;
        Simulator::Stop();
        return;
    }
    if (m_progress && m_progress->IsDue())
    {
        RunProgress progress;
        progress.simulatedPs = Simulator::Now().GetTimeStep();
        progress.stopPs = m_scenario.stopPs;
        progress.events = EventLane::Get()->GetEventCount();
        for (uint32_t job = 0; job < m_runners.size(); ++job)
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
ClusterRun::JobsDone()
{
    m_jobsDone = true;
    StopIfDone();
}

void
ClusterRun::FlowsDone(int64_t /* now */)
{
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
    for (uint32_t job = 0; job < m_runners.size(); ++job)
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
    m_placements[job] = m_manager->GetJob(job)->GetGpus();
    const JobView view = m_manager->GetJobView(job);
    m_bottleneck.AddJob(view, *m_runners[job]);
    CandidatePaths paths(*m_oracle);
    const GpuIntensity intensity(m_scenario.graph, view, paths);
    m_recorders->GetJobLog().GetJob(job).commPs =
        static_cast<int64_t>(intensity.GetLinkSeconds() * 1e12 + 0.5);
}

void
ClusterRun::Run(ResultDatabase& database, RunRow row, ProgressPrinter* progress)
{
    m_progress = progress;
    row.run = m_run;
    database.Insert(row);
    m_recorders = std::make_unique<RunRecorders>(database,
                                                 m_run,
                                                 m_scenario.graph.GetGpuCount(),
                                                 m_scenario.measure,
                                                 m_scenario.record);
    m_placements.resize(m_runners.size());
    const bool profiles = m_manager->GetProfilePlan().iterations > 0;
    m_recorders->GetJobLog().GetWindowFinder().SetProfiles(profiles);
    for (uint32_t job = 0; job < m_runners.size(); ++job)
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
    if (m_scenario.measure.fromPs)
    {
        Simulator::Schedule(PicoSeconds(*m_scenario.measure.fromPs),
                            [this]() { m_recorders->OpenWindow(Simulator::Now().GetTimeStep()); });
    }
    if (m_scenario.measure.toPs)
    {
        Simulator::Schedule(PicoSeconds(*m_scenario.measure.toPs),
                            [this]() { m_recorders->CloseWindow(Simulator::Now().GetTimeStep()); });
    }
    m_recorders->Start();
    if (m_scenario.stopPs > 0)
    {
        Simulator::Stop(PicoSeconds(m_scenario.stopPs));
    }
    Simulator::Schedule(PicoSeconds(TICK_PS), &ClusterRun::Tick, this);
    Simulator::Run();
    m_capture.Close();

    m_endPs = Simulator::Now().GetTimeStep();
    m_laneEvents = EventLane::Get()->GetEventCount();
    m_packetHops = m_network.GetFabric()->GetTotals().hops;
    if (m_progress)
    {
        m_progress->Finish();
    }
    m_network.GetFabric()->FinishPauses(m_endPs);
    for (uint32_t job = 0; job < m_runners.size(); ++job)
    {
        if (const Ptr<TrainingJob> running = m_runners[job]->GetJob())
        {
            m_recorders->GetJobLog().GetJob(job).openIterationPs =
                running->GetOpenIterationStartPs();
        }
        m_runners[job]->Stop(m_endPs);
    }
    m_manager->Close();
    m_network.GetTransport()->FinishTransfers(m_endPs);
    if (m_flows && m_flows->GetPosted() < m_flowList.size())
    {
        Warn(std::to_string(m_flowList.size() - m_flows->GetPosted()) + " of " +
             std::to_string(m_flowList.size()) +
             " flows had not started when the run ended, and are no rows of its tables");
    }
    RecordUnstartedJobs();
    for (uint32_t job = 0; job < m_runners.size(); ++job)
    {
        if (m_runners[job]->GetJob() && !m_manager->GetJob(job)->GetGpus().empty())
        {
            CompleteJobRow(job);
        }
    }
    const MeasuringWindow window = m_recorders->Finish(m_endPs);
    bool done = m_jobsDone && m_flowsDone;
    row.status = m_interrupted || m_deadlock ||
                         (m_scenario.stopWhen == StopCondition::ALL_JOBS_DONE && !done)
                     ? "stopped"
                     : "finished";
    row.endPs = m_endPs;
    row.events = m_laneEvents;
    row.measureFromPs = window.fromPs;
    row.measureToPs = window.toPs;
    row.measureNote = window.note;
    database.Insert(row);
    ConservationCheck(*m_network.GetFabric(),
                      *m_network.GetTransport(),
                      m_network.GetInterconnect(),
                      m_endPs)
        .Write(database, m_run);
    m_bottleneck.Write(database, m_run);
}

} // namespace ns3
