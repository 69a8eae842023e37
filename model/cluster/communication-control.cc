/* SPDX-License-Identifier: GPL-2.0-only */
#include "communication-control.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CommunicationControl");

void
CommunicationControl::SetCluster(const ClusterTopology& topology, const PathOracle& paths)
{
    m_topology = &topology;
    m_paths = &paths;
    m_actuator.Configure(topology, m_log);
}

void
CommunicationControl::SetScheduler(Ptr<CommunicationScheduler> scheduler)
{
    m_scheduler = scheduler;
}

void
CommunicationControl::SetSeed(uint64_t seed)
{
    m_seed = seed;
}

void
CommunicationControl::SetLinkSource(JobProfiler::LinkSource source)
{
    m_linkSource = std::move(source);
}

void
CommunicationControl::Start(const std::vector<Ptr<Job>>& jobs,
                            int64_t latencyPs,
                            WakeCallback wake,
                            ProfiledCallback profiled)
{
    m_jobs = &jobs;
    m_latencyPs = latencyPs;
    m_wake = std::move(wake);
    m_profiler.Configure(m_scheduler->GetProfilePlan(),
                         *m_topology,
                         m_linkSource,
                         std::move(profiled));
    for (const Ptr<Job>& job : jobs)
    {
        if (m_profiler.IsEnabled())
        {
            job->TraceConnectWithoutContext(
                "Iteration",
                MakeCallback(&JobProfiler::IterationEnded, &m_profiler));
        }
    }
}

void
CommunicationControl::Dispose()
{
    m_scheduler = nullptr;
    m_actuator = Actuator();
}

void
CommunicationControl::JobPlaced(const DecisionRecord& base,
                                const Job& job,
                                uint64_t free,
                                const Placement& placement)
{
    m_profiler.Add(base.timePs, job.GetId(), job.GetRequest().gpus, job.HasTraffic());
    m_log.RecordPlacement(base, job.GetRequest(), free, placement);
    DecisionRecord fallback = base;
    fallback.scheduler.clear();
    m_log.RecordFallbacks(fallback, job.GetName(), job.GetRanks()->GetFallbacks());
}

void
CommunicationControl::JobEnded(uint32_t job)
{
    m_profiler.Remove(job);
}

JobView
CommunicationControl::GetJobView(const Job& job, int64_t startPs) const
{
    JobView view = job.GetView(startPs);
    m_profiler.Describe(view);
    return view;
}

ClusterView
CommunicationControl::GetView(int64_t nowPs, const std::string& trigger, int64_t startPs) const
{
    ClusterView view;
    view.nowPs = nowPs;
    view.trigger = trigger;
    view.topology = m_topology;
    view.paths = m_paths;
    view.priorityLevels = m_actuator.GetPriorityMap().levels;
    view.seed = m_seed;
    for (const Ptr<Job>& job : *m_jobs)
    {
        if (job->IsActive())
        {
            view.jobs.push_back(GetJobView(*job, startPs));
        }
    }
    return view;
}

void
CommunicationControl::Update(int64_t nowPs, bool changed, const std::string& trigger)
{
    if (changed || m_profiler.IsDue())
    {
        Decide(nowPs, changed ? trigger : "profiled");
    }
    else if (m_periodicPs > 0 && nowPs >= m_periodicPs)
    {
        Decide(nowPs, "period");
    }
}

void
CommunicationControl::Decide(int64_t nowPs, const std::string& trigger)
{
    const int64_t duePs = nowPs + m_latencyPs;
    m_profiler.Advance(duePs);
    const ClusterView view = GetView(nowPs, trigger, duePs);
    m_periodicPs = 0;
    if (view.jobs.empty())
    {
        return;
    }
    if (m_scheduler->GetPeriodPs() > 0)
    {
        m_periodicPs = nowPs + m_scheduler->GetPeriodPs();
        m_wake(m_periodicPs);
    }
    NS_LOG_DEBUG(nowPs << " ps: decides about " << view.jobs.size() << " jobs, " << trigger);
    const ScheduleDecision decision = m_scheduler->Decide(view);
    DecisionRecord base;
    base.timePs = nowPs;
    base.scheduler = m_scheduler->GetInstanceTypeId().GetName();
    base.trigger = trigger;
    const std::string fault = decision.Validate(view);
    NS_ABORT_MSG_IF(!fault.empty(), base.scheduler << ": " << fault);
    if (m_actuator.Apply(base, view, decision, *m_jobs, duePs))
    {
        m_wake(duePs);
    }
}

} // namespace ns3
