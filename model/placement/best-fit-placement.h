/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_BEST_FIT_PLACEMENT_H
#define GPU_FABRIC_BEST_FIT_PLACEMENT_H

#include "ns3/placement-policy.h"

#include <vector>

namespace ns3
{

/**
 * Takes the fewest hosts that fit the job; among these choices, the one under the fewest leaves;
 * and among these, the tightest: the one that leaves the fewest free GPUs on its hosts, then under
 * their leaf. Leaves beyond the first are added one at a time, the one that contributes most first.
 * Consolidate, in contrast, puts leaves before hosts.
 */
class BestFitPlacement : public PlacementPolicy
{
  public:
    static TypeId GetTypeId();

    std::vector<Placement> Rank(const PlacementView& view,
                                const PlacementRequest& request) const override;
};

} // namespace ns3

#endif // GPU_FABRIC_BEST_FIT_PLACEMENT_H
