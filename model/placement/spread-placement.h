/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SPREAD_PLACEMENT_H
#define GPU_FABRIC_SPREAD_PLACEMENT_H

#include "ns3/placement-policy.h"

#include <vector>

namespace ns3
{

/**
 * Spreads a job over as many hosts as it has GPUs, or over all hosts if there are fewer. Hosts are
 * ordered by taking the leaves in turn, from each the host with the most free GPUs; one GPU of each
 * host is taken in that order, then one more of each, and so on. With `gpus-per-host`, hosts are
 * filled in the same order.
 */
class SpreadPlacement : public PlacementPolicy
{
  public:
    static TypeId GetTypeId();

    std::vector<Placement> Rank(const PlacementView& view,
                                const PlacementRequest& request) const override;
};

} // namespace ns3

#endif // GPU_FABRIC_SPREAD_PLACEMENT_H
