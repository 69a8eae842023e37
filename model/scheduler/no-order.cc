/* SPDX-License-Identifier: GPL-2.0-only */
#include "no-order.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NoOrder");

NS_OBJECT_ENSURE_REGISTERED(NoOrder);

TypeId
NoOrder::GetTypeId()
{
    static TypeId tid = TypeId("ns3::NoOrder")
                            .SetParent<JobOrder>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<NoOrder>();
    return tid;
}

void
NoOrder::Rank(const ClusterView& /* view */, CandidatePaths& /* paths */, JobRanking& ranking) const
{
    NS_LOG_FUNCTION(this << ranking.jobs.size());
    ranking.ordered = false;
    ranking.by = "job";
}

} // namespace ns3
