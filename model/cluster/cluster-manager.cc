/* SPDX-License-Identifier: GPL-2.0-only */
#include "cluster-manager.h"

#include "../placement/joint-placement.h"
#include "../scheduler/cluster-names.h"
#include "job-check.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ClusterManager);

TypeId
ClusterManager::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ClusterManager")
            .SetParent<Object>()
            .SetGroupName("GpuFabric")
            .AddConstructor<ClusterManager>()
            .AddAttribute("Backfill",
                          "Whether a waiting job that fits may overtake those before it that do "
                          "not; else jobs are placed first come, first served.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&ClusterManager::m_backfill),
                          MakeBooleanChecker())
            .AddAttribute("ControlLatency",
                          "Time from a decision to its effect on the ranks, and from a job's end "
                          "to the manager's knowledge of it.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&ClusterManager::m_controlLatency),
                          MakeTimeChecker(Seconds(0)))
            .AddTraceSource("JobEvent",
                            "Something in a job's life.",
                            MakeTraceSourceAccessor(&ClusterManager::m_jobEventTrace),
                            "ns3::ClusterManager::JobEventTracedCallback")
            .AddTraceSource("GpuAllocation",
                            "A GPU that a job has given back, or has at the end of the run.",
                            MakeTraceSourceAccessor(&ClusterManager::m_gpuAllocationTrace),
                            "ns3::ClusterManager::GpuAllocationTracedCallback")
            .AddTraceSource("GpuFailure",
                            "A GPU whose host was down, and is back or was down to the end.",
                            MakeTraceSourceAccessor(&ClusterManager::m_gpuFailureTrace),
                            "ns3::ClusterManager::GpuFailureTracedCallback")
            .AddTraceSource("Decision",
                            "A decision about a job or one of its queue pairs.",
                            MakeTraceSourceAccessor(&ClusterManager::m_decisionTrace),
                            "ns3::ClusterManager::DecisionTracedCallback");
    return tid;
}

ClusterManager::ClusterManager() = default;

ClusterManager::~ClusterManager() = default;

void
ClusterManager::DoDispose()
{
    m_jobs.clear();
    m_scheduler = nullptr;
    m_placement = nullptr;
    m_done = Callback<void>();
    Object::DoDispose();
}

void
ClusterManager::SetCluster(const ClusterTopology& topology, const PathOracle& paths)
{
    m_topology = &topology;
    m_paths = &paths;
    m_gpuFree.assign(topology.GetGpuCount(), 1);
    m_down.SetTopology(topology);
    m_ledger.Configure(topology, [this](const DecisionRecord& record) { m_decisionTrace(record); });
}

uint32_t
ClusterManager::AddJob(const JobSpec& spec, std::unique_ptr<ManagedJob> handle)
{
    NS_ABORT_MSG_IF(!m_topology, "jobs are added after SetCluster()");
    NS_ABORT_MSG_IF(m_started, "jobs are added before Start()");
    const auto id = static_cast<uint32_t>(m_jobs.size());
    Job& job = m_jobs.emplace_back();
    job.Configure(id, spec, *m_topology);
    job.handle = std::move(handle);
    job.handle->SetCallbacks([this, id](int64_t nowPs) { JobEnded(id, nowPs, "finished", ""); },
                             [this, id](int64_t nowPs, const std::string& reason) {
                                 JobEnded(id, nowPs, "failed", reason);
                             });
    return id;
}

std::vector<std::pair<uint32_t, std::string>>
ClusterManager::Validate() const
{
    NS_ABORT_MSG_IF(!m_topology || !m_placement, "the manager has no cluster or no placement");
    const std::vector<JobCheck::Job> jobs = ClusterJob::GetChecks(m_jobs);
    const UntilJobs untilJobs = ClusterJob::GetUntilJobs(m_jobs);
    return JobCheck::Find(*m_topology, *m_placement, m_seed, jobs, untilJobs);
}

void
ClusterManager::Start()
{
    NS_ABORT_MSG_IF(m_started, "the manager was started before");
    NS_ABORT_MSG_IF(!m_scheduler, "the manager has no scheduler");
    const auto faults = Validate();
    NS_ABORT_MSG_IF(!faults.empty(), faults.front().second);
    m_started = true;
    m_untilJobs = ClusterJob::GetUntilJobs(m_jobs);
    ConfigureProfiler();
    for (uint32_t id = 0; id < m_jobs.size(); id++)
    {
        Job& job = m_jobs[id];
        job.arrivalPs = GetArrival(id);
        RequestWake(job.arrivalPs);
    }
    if (m_jobs.empty())
    {
        RequestWake(Simulator::Now().GetPicoSeconds());
    }
}

void
ClusterManager::ConfigureProfiler()
{
    m_profiler.Configure(GetProfilePlan(),
                         *m_topology,
                         m_linkSource,
                         [this](int64_t nowPs, uint32_t job, const std::string& detail) {
                             m_jobEventTrace(JobEventRecord{job, nowPs, "profiled", detail});
                             RequestWake(nowPs + m_controlLatency.GetPicoSeconds());
                         });
    for (uint32_t id = 0; m_profiler.IsEnabled() && id < m_jobs.size(); id++)
    {
        m_jobs[id].handle->SetIterationCallback([this, id](int64_t nowPs, int64_t computePs) {
            m_profiler.IterationEnded(nowPs, id, computePs);
        });
    }
}

void
ClusterManager::Close()
{
    NS_ABORT_MSG_IF(m_closed, "the manager was closed before");
    m_closed = true;
    for (uint32_t id = 0; id < m_jobs.size(); id++)
    {
        const int64_t heldToPs = m_jobs[id].GetHeldTo(Simulator::Now().GetPicoSeconds());
        if (heldToPs >= 0)
        {
            EmitAllocations(id, heldToPs);
        }
    }
    for (const GpuFailureRecord& record : m_down.RemoveAll(Simulator::Now().GetPicoSeconds()))
    {
        m_gpuFailureTrace(record);
    }
}

int64_t
ClusterManager::GetArrival(uint32_t id) const
{
    const Job& job = m_jobs.at(id);
    return JobCheck::DrawArrival(m_seed, job.steering.name, job.arrivalRange);
}

void
ClusterManager::RequestWake(int64_t timePs)
{
    if (m_wakes.insert(timePs).second)
    {
        // The manager is on no node.
        Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                       PicoSeconds(timePs) - Simulator::Now(),
                                       &ClusterManager::Wake,
                                       this);
    }
}

void
ClusterManager::Wake()
{
    const int64_t nowPs = Simulator::Now().GetPicoSeconds();
    m_wakes.erase(nowPs);
    if (m_closed)
    {
        return;
    }
    const bool wasDone = IsDone();
    RunEffects(nowPs);
    const bool departed = DepartJobs(nowPs);
    AdmitArrivals(nowPs);
    EndUntilJobs(nowPs);
    const std::string trigger = departed ? "departure" : "arrival";
    const bool placed = PlaceJobs(nowPs, trigger) | FailHopeless(nowPs, trigger);
    if (departed || placed || m_profiler.IsDue())
    {
        Decide(nowPs, departed || placed ? trigger : "profiled");
    }
    else if (m_periodicPs > 0 && nowPs >= m_periodicPs)
    {
        Decide(nowPs, "period");
    }
    if (IsDone() && (!wasDone || m_jobs.empty()) && !m_done.IsNull())
    {
        m_done();
    }
}

void
ClusterManager::RunEffects(int64_t nowPs)
{
    while (!m_effects.empty() && m_effects.begin()->first <= nowPs)
    {
        const Effect effect = std::move(m_effects.begin()->second);
        m_effects.erase(m_effects.begin());
        Job& job = m_jobs[effect.job];
        job.shiftPs -= effect.update.shiftPs;
        job.handle->SetTensors(effect.update.tensors);
        if (effect.update.start && job.state != State::PLACED)
        {
            continue; // a host of its has failed meanwhile
        }
        if (effect.update.start)
        {
            StartJob(effect.job, nowPs, effect.update);
        }
        else
        {
            job.Apply(nowPs, effect.update);
        }
    }
}

void
ClusterManager::StartJob(uint32_t id, int64_t nowPs, const JobUpdate& update)
{
    Job& job = m_jobs[id];
    job.state = State::RUNNING;
    job.started = true;
    const uint64_t ended = job.handle->GetEndedIterations();
    const bool again = job.continuation.GetStarts() > 0;
    m_jobEventTrace(JobEventRecord{id,
                                   nowPs,
                                   again ? "restarted" : "started",
                                   again ? "with iteration " + std::to_string(ended) : ""});
    job.Start(nowPs, update);
    job.continuation.Start(nowPs, ended);
    if (job.continuation.GetDurationLeft() > 0)
    {
        Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                       PicoSeconds(job.continuation.GetDurationLeft()),
                                       &ClusterManager::DurationOver,
                                       this,
                                       id,
                                       job.continuation.GetStarts());
    }
    if (job.untilOver)
    {
        job.handle->SetLastIteration(nowPs, job.handle->GetCurrentIteration() + 1);
    }
}

void
ClusterManager::DurationOver(uint32_t id, uint32_t start)
{
    Job& job = m_jobs[id];
    if (!m_closed && job.state == State::RUNNING && job.continuation.GetStarts() == start)
    {
        job.handle->SetLastIteration(Simulator::Now().GetPicoSeconds(),
                                     job.handle->GetCurrentIteration());
    }
}

bool
ClusterManager::DepartJobs(int64_t nowPs)
{
    const auto released = [this, nowPs](uint32_t id) { return m_jobs[id].handle->Release(nowPs); };
    m_unreleased.erase(std::remove_if(m_unreleased.begin(), m_unreleased.end(), released),
                       m_unreleased.end());
    // By job, whichever of them ended first.
    std::set<uint32_t> leaving;
    while (!m_departures.empty() && m_departures.begin()->first <= nowPs)
    {
        leaving.insert(m_departures.begin()->second);
        m_departures.erase(m_departures.begin());
    }
    for (const uint32_t id : leaving)
    {
        Job& job = m_jobs[id];
        job.state = State::DEPARTED;
        if (job.started)
        {
            if (m_departure)
            {
                m_departure(id);
            }
            if (!job.handle->Release(nowPs))
            {
                m_unreleased.push_back(id);
            }
            EmitAllocations(id, job.endPs);
        }
        job.steering.flows = FlowSteering();
        job.FreeGpus(m_gpuFree);
        if (job.continuation.WaitsAgain())
        {
            job.WaitAgain();
            m_waiting.push_back(id);
        }
        else
        {
            m_departed++;
        }
    }
    return !leaving.empty();
}

void
ClusterManager::AdmitArrivals(int64_t nowPs)
{
    for (uint32_t id = 0; id < m_jobs.size(); id++)
    {
        Job& job = m_jobs[id];
        if (job.state == State::EXPECTED && job.arrivalPs <= nowPs)
        {
            job.state = State::WAITING;
            m_waiting.push_back(id);
            m_jobEventTrace(JobEventRecord{id, nowPs, "arrived", ""});
        }
    }
}

void
ClusterManager::EndUntilJobs(int64_t nowPs)
{
    // A job that is finished without a start may be what another one waits for.
    for (bool changed = true; changed;)
    {
        changed = false;
        for (uint32_t id = 0; id < m_jobs.size(); id++)
        {
            Job& job = m_jobs[id];
            job.CheckUntil(nowPs, m_untilJobs.Get(id), m_jobs);
            if (job.untilOver && job.state == State::WAITING)
            {
                Cancel(nowPs, id, "finished", job.GetUntilDetail());
                changed = true;
            }
        }
    }
}

void
ClusterManager::Cancel(int64_t nowPs, uint32_t id, const char* kind, const std::string& detail)
{
    Job& job = m_jobs[id];
    m_waiting.erase(std::find(m_waiting.begin(), m_waiting.end(), id));
    job.state = State::DEPARTED;
    job.endPs = nowPs;
    m_departed++;
    m_jobEventTrace(JobEventRecord{id, nowPs, kind, detail});
}

void
ClusterManager::HostDown(int64_t nowPs, uint32_t node, bool returns)
{
    m_down.Add(nowPs, node, returns);
    const std::string reason = "host " + m_topology->GetNodes()[node].name + " is down";
    for (uint32_t id = 0; id < m_jobs.size(); id++)
    {
        Job& job = m_jobs[id];
        const bool there = job.IsOn(node, *m_topology);
        if (there && job.state == State::RUNNING)
        {
            job.handle->Abandon(nowPs, reason);
        }
        else if (there && job.state == State::PLACED)
        {
            job.LoseGpus(m_gpuFree);
            JobEnded(id, nowPs, "failed", reason);
        }
    }
    // Also where nothing ran there: jobs may wait for it.
    RequestWake(nowPs + m_controlLatency.GetPicoSeconds());
}

void
ClusterManager::HostUp(int64_t nowPs, uint32_t node)
{
    for (const GpuFailureRecord& record : m_down.Remove(nowPs, node))
    {
        m_gpuFailureTrace(record);
    }
    RequestWake(nowPs + m_controlLatency.GetPicoSeconds());
}

bool
ClusterManager::FailHopeless(int64_t nowPs, const std::string& trigger)
{
    bool placed = false;
    while (
        !m_waiting.empty() && m_down.IsFinal() &&
        std::none_of(m_jobs.begin(), m_jobs.end(), [](const Job& job) { return job.IsActive(); }))
    {
        Cancel(nowPs,
               m_waiting.front(),
               "failed",
               "does not fit without " + m_down.GetNames() + ", down");
        EndUntilJobs(nowPs);
        placed = PlaceJobs(nowPs, trigger) || placed;
    }
    return placed;
}

bool
ClusterManager::PlaceJobs(int64_t nowPs, const std::string& trigger)
{
    const std::vector<PlacementRequest> requests = ClusterJob::GetRequests(m_jobs, m_waiting);
    const std::vector<Placement> together =
        JointPlacement::Place(*m_placement, GetPlacementView(), requests, m_backfill);
    std::vector<uint32_t> waiting;
    const size_t before = m_waiting.size();
    for (size_t i = 0; i < before; i++)
    {
        const uint32_t id = m_waiting[i];
        if (!waiting.empty() && !m_backfill)
        {
            waiting.push_back(id);
            continue;
        }
        std::vector<Placement> ranked;
        if (together.empty())
        {
            ranked = m_placement->Rank(GetPlacementView(), requests[i]);
        }
        else if (!together[i].gpus.empty())
        {
            ranked.push_back(together[i]);
        }
        if (ranked.empty())
        {
            waiting.push_back(id);
            continue;
        }
        PlaceJob(nowPs, trigger, id, ranked.front());
    }
    m_waiting = std::move(waiting);
    return m_waiting.size() < before;
}

void
ClusterManager::PlaceJob(int64_t nowPs,
                         const std::string& trigger,
                         uint32_t id,
                         const Placement& placement)
{
    Job& job = m_jobs[id];
    const auto free = static_cast<uint64_t>(std::count(m_gpuFree.begin(), m_gpuFree.end(), 1));
    job.Place(nowPs, placement.gpus, m_gpuFree, m_seed, *m_paths);
    m_jobEventTrace(JobEventRecord{id, nowPs, "placed", GetGpuNames(*m_topology, job.gpus)});
    const bool hasTraffic =
        !job.steering.flows.GetFlows().empty() || !job.demand.insideLoads.empty();
    m_profiler.Add(nowPs, id, job.request.gpus, hasTraffic);
    m_ledger.RecordPlacement(
        {0, nowPs, m_placement->GetInstanceTypeId().GetName(), trigger, id, "", "", "", ""},
        job.request,
        free,
        placement);
    m_ledger.RecordFallbacks({0, nowPs, "", trigger, id, "", "", "", ""},
                             job.steering.name,
                             job.demand.fallbacks);
}

PlacementView
ClusterManager::GetPlacementView() const
{
    return {m_topology, m_down.GetUsable(m_gpuFree), this, m_seed};
}

JobView
ClusterManager::GetJobOn(uint32_t id, const std::vector<uint32_t>& gpus) const
{
    return m_jobs.at(id).GetViewOn(gpus, GetNextStartPs(), m_seed, *m_paths);
}

void
ClusterManager::JobEnded(uint32_t id, int64_t nowPs, const char* kind, const std::string& detail)
{
    Job& job = m_jobs[id];
    NS_ABORT_MSG_IF(job.state != State::RUNNING,
                    "job " << job.steering.name << " ends but does not run");
    job.state = State::ENDED;
    job.endPs = nowPs;
    m_profiler.Remove(id);
    const bool again = std::string(kind) == "failed" &&
                       job.continuation.Fail(nowPs, job.started, job.handle->GetEndedIterations());
    m_jobEventTrace(JobEventRecord{id, nowPs, again ? "interrupted" : kind, detail});
    const int64_t knownPs = nowPs + m_controlLatency.GetPicoSeconds();
    m_departures.emplace(knownPs, id);
    RequestWake(knownPs);
}

int64_t
ClusterManager::GetNextStartPs() const
{
    return Simulator::Now().GetPicoSeconds() + m_controlLatency.GetPicoSeconds();
}

JobView
ClusterManager::GetJobView(uint32_t id) const
{
    JobView view = m_jobs.at(id).GetView(GetNextStartPs());
    m_profiler.Describe(view);
    return view;
}

ClusterView
ClusterManager::GetView(int64_t nowPs, const std::string& trigger) const
{
    ClusterView view;
    view.nowPs = nowPs;
    view.trigger = trigger;
    view.topology = m_topology;
    view.paths = m_paths;
    view.priorityLevels = m_ledger.GetPriorityMap().levels;
    view.seed = m_seed;
    for (uint32_t id = 0; id < m_jobs.size(); id++)
    {
        if (m_jobs[id].IsActive())
        {
            view.jobs.push_back(GetJobView(id));
        }
    }
    return view;
}

void
ClusterManager::Decide(int64_t nowPs, const std::string& trigger)
{
    m_profiler.Advance(nowPs + m_controlLatency.GetPicoSeconds());
    const ClusterView view = GetView(nowPs, trigger);
    m_periodicPs = 0;
    if (view.jobs.empty())
    {
        return;
    }
    if (m_scheduler->GetPeriodPs() > 0)
    {
        m_periodicPs = nowPs + m_scheduler->GetPeriodPs();
        RequestWake(m_periodicPs);
    }
    const ScheduleDecision decision = m_scheduler->Decide(view);
    DecisionRecord base;
    base.timePs = nowPs;
    base.scheduler = m_scheduler->GetInstanceTypeId().GetName();
    const std::string fault = decision.Validate(view);
    NS_ABORT_MSG_IF(!fault.empty(), base.scheduler << ": " << fault);
    base.trigger = trigger;
    auto entry = decision.jobs.begin();
    for (const JobView& job : view.jobs)
    {
        const bool spoken = entry != decision.jobs.end() && entry->job == job.job;
        base.job = job.job;
        auto update = m_ledger.Apply(base, spoken ? &*entry++ : nullptr, m_jobs[job.job].steering);
        if (!update.IsEmpty())
        {
            const int64_t duePs = nowPs + m_controlLatency.GetPicoSeconds();
            m_jobs[job.job].shiftPs += update.shiftPs;
            m_effects.emplace(duePs, Effect{job.job, std::move(update)});
            RequestWake(duePs);
        }
    }
}

void
ClusterManager::EmitAllocations(uint32_t job, int64_t endPs)
{
    for (const uint32_t gpu : m_jobs[job].gpus)
    {
        m_gpuAllocationTrace(GpuAllocationRecord{gpu, job, m_jobs[job].placedPs, endPs});
    }
}

} // namespace ns3
