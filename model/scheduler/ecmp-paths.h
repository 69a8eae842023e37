/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ECMP_PATHS_H
#define GPU_FABRIC_ECMP_PATHS_H

#include "ns3/path-choice.h"

namespace ns3
{

/// Leaves all flows to ECMP.
class EcmpPaths : public PathChoice
{
  public:
    static TypeId GetTypeId();

    void Choose(const ClusterView& view,
                const JobRanking& ranking,
                CandidatePaths& paths,
                ScheduleDecision& decision) const override;
};

} // namespace ns3

#endif // GPU_FABRIC_ECMP_PATHS_H
