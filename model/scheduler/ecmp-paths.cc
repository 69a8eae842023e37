/* SPDX-License-Identifier: GPL-2.0-only */
#include "ecmp-paths.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(EcmpPaths);

TypeId
EcmpPaths::GetTypeId()
{
    static TypeId tid = TypeId("ns3::EcmpPaths")
                            .SetParent<PathChoice>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<EcmpPaths>();
    return tid;
}

void
EcmpPaths::Choose(const ClusterView& /* view */,
                  const JobRanking& /* ranking */,
                  CandidatePaths& /* paths */,
                  ScheduleDecision& /* decision */) const
{
}

} // namespace ns3
