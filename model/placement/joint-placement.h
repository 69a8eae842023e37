/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOINT_PLACEMENT_H
#define GPU_FABRIC_JOINT_PLACEMENT_H

#include "ns3/placement-policy.h"

#include <vector>

namespace ns3
{

/// Preserves the order of a queue when a policy places several waiting jobs together.
class JointPlacement
{
  public:
    /**
     * Requests placements for a queue from a policy. Without backfill, no job overtakes an earlier
     * one: if a job has to wait, the policy is called again with fewer jobs, those before it or
     * half of the queue, whichever is more, down to the first job alone.
     * \param requests in the order of the queue
     * \param backfill whether jobs may overtake
     * \returns by request, without GPUs if the job waits; empty if the policy places one job at a
     *          time
     */
    static std::vector<Placement> Place(const PlacementPolicy& policy,
                                        const PlacementView& view,
                                        const std::vector<PlacementRequest>& requests,
                                        bool backfill);
};

} // namespace ns3

#endif // GPU_FABRIC_JOINT_PLACEMENT_H
