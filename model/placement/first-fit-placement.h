/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FIRST_FIT_PLACEMENT_H
#define GPU_FABRIC_FIRST_FIT_PLACEMENT_H

#include "ns3/placement-policy.h"

#include <vector>

namespace ns3
{

/// Takes free GPUs in the order of their ids, regardless of the distance between them.
class FirstFitPlacement : public PlacementPolicy
{
  public:
    static TypeId GetTypeId();

    std::vector<Placement> Rank(const PlacementView& view,
                                const PlacementRequest& request) const override;
};

} // namespace ns3

#endif // GPU_FABRIC_FIRST_FIT_PLACEMENT_H
