/* SPDX-License-Identifier: GPL-2.0-only */
#include "none-scheduler.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NoneScheduler");

NS_OBJECT_ENSURE_REGISTERED(NoneScheduler);

TypeId
NoneScheduler::GetTypeId()
{
    static TypeId tid = TypeId("ns3::NoneScheduler")
                            .SetParent<CommunicationScheduler>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<NoneScheduler>();
    return tid;
}

ScheduleDecision
NoneScheduler::Decide(const ClusterView& view) const
{
    NS_LOG_FUNCTION(this << view.jobs.size());
    ScheduleDecision decision;
    for (const JobView& job : view.jobs)
    {
        JobDecision& entry = decision.jobs.emplace_back();
        entry.job = job.job;
        entry.inputs = "{}";
        entry.reason = "all jobs share one level, and ECMP chooses their paths";
    }
    return decision;
}

} // namespace ns3
