/* SPDX-License-Identifier: GPL-2.0-only */
#include "cluster-manager.h"

#include "../placement/joint-placement.h"
#include "../scheduler/cluster-names.h"
#include "cluster-list.h"
#include "job-check.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/object-vector.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ClusterManager");

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
            .AddAttribute("JobList",
                          "The jobs, by id.",
                          TypeId::ATTR_GET,
                          ObjectVectorValue(),
                          MakeObjectVectorAccessor(&ClusterManager::m_jobs),
                          MakeObjectVectorChecker<Job>())
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
    ClusterList::Remove(this);
    m_control.Dispose();
    for (const Ptr<Job>& job : m_jobs)
    {
        job->Dispose();
    }
    m_jobs.clear();
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
    m_control.SetCluster(topology, paths);
    m_control.GetLog().Configure(topology,
                                 [this](const DecisionRecord& record) { m_decisionTrace(record); });
    ClusterList::Remove(this);
    ClusterList::Add(this);
}

uint32_t
ClusterManager::AddJob(const JobSpec& spec, const JobFactory& factory)
{
    NS_ABORT_MSG_IF(!m_topology, "jobs are added after SetCluster()");
    NS_ABORT_MSG_IF(m_started, "jobs are added before Start()");
    const auto id = static_cast<uint32_t>(m_jobs.size());
    const Ptr<Job> job = CreateObject<Job>();
    job->Configure(id,
                   spec,
                   *m_topology,
                   factory,
                   [this, id](int64_t nowPs, const char* kind, const std::string& detail) {
                       JobEnded(id, nowPs, kind, detail);
                   });
    job->TraceConnectWithoutContext("Event", MakeCallback(&ClusterManager::NotifyJobEvent, this));
    m_jobs.push_back(job);
    return id;
}

UntilJobs
ClusterManager::MakeUntilJobs() const
{
    std::vector<std::string> names;
    std::vector<std::string> untils;
    for (const Ptr<Job>& job : m_jobs)
    {
        names.push_back(job->GetName());
        untils.push_back(job->GetSpec().until);
    }
    return {names, untils};
}

std::vector<std::pair<uint32_t, std::string>>
ClusterManager::Validate() const
{
    NS_ABORT_MSG_IF(!m_topology || !m_placement, "the manager has no cluster or no placement");
    return JobCheck::Find(*m_topology, *m_placement, m_seed, m_jobs, MakeUntilJobs());
}

void
ClusterManager::NotifyJobEvent(const JobEventRecord& record)
{
    m_jobEventTrace(record);
}

void
ClusterManager::Start()
{
    NS_ABORT_MSG_IF(m_started, "the manager was started before");
    NS_ABORT_MSG_IF(!m_control.GetScheduler(), "the manager has no scheduler");
    const auto faults = Validate();
    NS_ABORT_MSG_IF(!faults.empty(), faults.front().second);
    m_started = true;
    m_untilJobs = MakeUntilJobs();
    m_control.Start(
        m_jobs,
        m_controlLatency.GetPicoSeconds(),
        [this](int64_t timePs) { RequestWake(timePs); },
        [this](int64_t nowPs, uint32_t job, const std::string& detail) {
            m_jobs[job]->Notify(JobEventRecord{job, nowPs, "profiled", detail});
            RequestWake(nowPs + m_controlLatency.GetPicoSeconds());
        });
    for (uint32_t id = 0; id < m_jobs.size(); id++)
    {
        m_jobs[id]->Expect(GetArrival(id));
        RequestWake(m_jobs[id]->GetArrivalPs());
    }
    if (m_jobs.empty())
    {
        RequestWake(Simulator::Now().GetPicoSeconds());
    }
    NS_LOG_INFO(m_jobs.size() << " jobs on " << m_gpuFree.size() << " GPUs, scheduler "
                              << m_control.GetScheduler()->GetInstanceTypeId().GetName()
                              << ", placement " << m_placement->GetInstanceTypeId().GetName());
}

void
ClusterManager::Close()
{
    NS_ABORT_MSG_IF(m_closed, "the manager was closed before");
    m_closed = true;
    const int64_t nowPs = Simulator::Now().GetPicoSeconds();
    for (const Ptr<Job>& job : m_jobs)
    {
        job->Stop(nowPs);
    }
    for (uint32_t id = 0; id < m_jobs.size(); id++)
    {
        const int64_t heldToPs = m_jobs[id]->GetHeldTo(nowPs);
        if (heldToPs >= 0)
        {
            EmitAllocations(id, heldToPs);
        }
    }
    for (const GpuFailureRecord& record : m_down.RemoveAll(nowPs))
    {
        m_gpuFailureTrace(record);
    }
}

int64_t
ClusterManager::GetArrival(uint32_t id) const
{
    const Job& job = *m_jobs.at(id);
    return JobCheck::DrawArrival(m_seed, job.GetName(), job.GetSpec().arrival);
}

void
ClusterManager::RequestWake(int64_t timePs)
{
    if (m_wakes.insert(timePs).second)
    {
        // The manager is not on any node.
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
    m_control.GetActuator().ApplyDue(nowPs);
    const bool departed = DepartJobs(nowPs);
    AdmitArrivals(nowPs);
    EndUntilJobs(nowPs);
    const std::string trigger = departed ? "departure" : "arrival";
    const bool placed = PlaceJobs(nowPs, trigger) | FailHopeless(nowPs, trigger);
    m_control.Update(nowPs, departed || placed, trigger);
    if (IsDone() && (!wasDone || m_jobs.empty()) && !m_done.IsNull())
    {
        m_done();
    }
}

bool
ClusterManager::DepartJobs(int64_t nowPs)
{
    const auto released = [this, nowPs](uint32_t id) { return m_jobs[id]->Release(nowPs); };
    m_unreleased.erase(std::remove_if(m_unreleased.begin(), m_unreleased.end(), released),
                       m_unreleased.end());
    // In job order, regardless of which ended first.
    std::set<uint32_t> leaving;
    while (!m_departures.empty() && m_departures.begin()->first <= nowPs)
    {
        leaving.insert(m_departures.begin()->second);
        m_departures.erase(m_departures.begin());
    }
    for (const uint32_t id : leaving)
    {
        Job& job = *m_jobs[id];
        if (job.HasStarted())
        {
            if (m_departure)
            {
                m_departure(id);
            }
            if (!job.Release(nowPs))
            {
                m_unreleased.push_back(id);
            }
            EmitAllocations(id, job.GetEndPs());
        }
        job.Depart(m_gpuFree);
        if (job.GetContinuation().WaitsAgain())
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
        Job& job = *m_jobs[id];
        if (job.GetState() == JobState::EXPECTED && job.GetArrivalPs() <= nowPs)
        {
            job.Arrive();
            m_waiting.push_back(id);
            job.Notify(JobEventRecord{id, nowPs, "arrived", ""});
        }
    }
}

bool
ClusterManager::IsUntilOver(uint32_t id) const
{
    const std::vector<uint32_t>& others = m_untilJobs.Get(id);
    return !others.empty() && std::all_of(others.begin(), others.end(), [this](uint32_t other) {
        return m_jobs[other]->GetState() == JobState::DEPARTED;
    });
}

void
ClusterManager::EndUntilJobs(int64_t nowPs)
{
    // Another job may be waiting for a job that is finished without ever starting.
    for (bool changed = true; changed;)
    {
        changed = false;
        for (uint32_t id = 0; id < m_jobs.size(); id++)
        {
            Job& job = *m_jobs[id];
            job.SetUntilOver(nowPs, IsUntilOver(id));
            if (job.IsUntilOver() && job.GetState() == JobState::WAITING)
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
    m_waiting.erase(std::find(m_waiting.begin(), m_waiting.end(), id));
    m_jobs[id]->Cancel(nowPs);
    m_departed++;
    m_jobs[id]->Notify(JobEventRecord{id, nowPs, kind, detail});
}

void
ClusterManager::HostDown(int64_t nowPs, uint32_t node, bool returns)
{
    m_down.Add(nowPs, node, returns);
    const std::string reason = "host " + m_topology->GetNodes()[node].name + " is down";
    for (uint32_t id = 0; id < m_jobs.size(); id++)
    {
        Job& job = *m_jobs[id];
        const bool there = job.IsOn(node, *m_topology);
        if (there && job.GetState() == JobState::RUNNING)
        {
            job.GetRanks()->Fail(nowPs, reason);
        }
        else if (there && job.GetState() == JobState::PLACED)
        {
            job.LoseGpus(m_gpuFree);
            JobEnded(id, nowPs, "failed", reason);
        }
    }
    // Even if nothing ran there, jobs may be waiting for it.
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
    const auto isActive = [](const Ptr<Job>& job) { return job->IsActive(); };
    while (!m_waiting.empty() && m_down.IsFinal() &&
           std::none_of(m_jobs.begin(), m_jobs.end(), isActive))
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
    std::vector<PlacementRequest> requests;
    for (const uint32_t id : m_waiting)
    {
        requests.push_back(m_jobs[id]->GetRequest());
    }
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
    Job& job = *m_jobs[id];
    const auto free = static_cast<uint64_t>(std::count(m_gpuFree.begin(), m_gpuFree.end(), 1));
    job.Place(nowPs, placement.gpus, m_gpuFree, m_seed, *m_paths);
    job.Notify(JobEventRecord{id, nowPs, "placed", GetGpuNames(*m_topology, job.GetGpus())});
    DecisionRecord base;
    base.timePs = nowPs;
    base.scheduler = m_placement->GetInstanceTypeId().GetName();
    base.trigger = trigger;
    base.job = id;
    m_control.JobPlaced(base, job, free, placement);
}

PlacementView
ClusterManager::GetPlacementView() const
{
    return {m_topology, m_down.GetUsable(m_gpuFree), this, m_seed};
}

JobView
ClusterManager::GetJobOn(uint32_t id, const std::vector<uint32_t>& gpus) const
{
    return m_jobs.at(id)->GetViewOn(gpus, GetNextStartPs(), m_seed, *m_paths);
}

void
ClusterManager::JobEnded(uint32_t id, int64_t nowPs, const char* kind, const std::string& detail)
{
    const bool again = m_jobs[id]->End(nowPs, std::string(kind) == "failed");
    m_control.JobEnded(id);
    m_jobs[id]->Notify(JobEventRecord{id, nowPs, again ? "interrupted" : kind, detail});
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
    return m_control.GetJobView(*m_jobs.at(id), GetNextStartPs());
}

void
ClusterManager::EmitAllocations(uint32_t job, int64_t endPs)
{
    for (const uint32_t gpu : m_jobs[job]->GetGpus())
    {
        m_gpuAllocationTrace(GpuAllocationRecord{gpu, job, m_jobs[job]->GetPlacedPs(), endPs});
    }
}

} // namespace ns3
