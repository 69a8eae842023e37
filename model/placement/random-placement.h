/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RANDOM_PLACEMENT_H
#define GPU_FABRIC_RANDOM_PLACEMENT_H

#include "ns3/placement-policy.h"

#include <vector>

namespace ns3
{

/**
 * Takes free GPUs at random, each set of GPUs with the same probability; with `gpus-per-host`,
 * takes hosts at random. A function of the seed of the run and the number of the job.
 */
class RandomPlacement : public PlacementPolicy
{
  public:
    static TypeId GetTypeId();

    std::vector<Placement> Rank(const PlacementView& view,
                                const PlacementRequest& request) const override;
};

} // namespace ns3

#endif // GPU_FABRIC_RANDOM_PLACEMENT_H
