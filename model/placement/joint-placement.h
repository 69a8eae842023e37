/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOINT_PLACEMENT_H
#define GPU_FABRIC_JOINT_PLACEMENT_H

#include "ns3/placement-policy.h"

#include <vector>

namespace ns3
{

/// Keeps the order of a queue where a policy places several waiting jobs together.
class JointPlacement
{
  public:
    /**
     * Asks a policy for places for a queue. In order, no job overtakes one before it: if one has
     * to wait, the policy is asked anew for fewer, those before it or half of the queue, whichever
     * is more, down to the first alone.
     * \param requests in the order of the queue
     * \param backfill whether jobs may overtake
     * \returns by request, without GPUs where the job waits; empty: the policy places one at a time
     */
    static std::vector<Placement> Place(const PlacementPolicy& policy,
                                        const PlacementView& view,
                                        const std::vector<PlacementRequest>& requests,
                                        bool backfill);
};

} // namespace ns3

#endif // GPU_FABRIC_JOINT_PLACEMENT_H
