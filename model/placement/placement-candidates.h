/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PLACEMENT_CANDIDATES_H
#define GPU_FABRIC_PLACEMENT_CANDIDATES_H

#include "ns3/placement-policy.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// Derives several placements of a job from policies that return one or few.
class PlacementCandidates
{
  public:
    /**
     * The placements that a policy ranks, then those that it ranks when one of the hosts used by an
     * earlier candidate is excluded, then two of them, and so on.
     * \param count maximum number of placements, which are all different
     * \returns best first, by the policy's own order
     */
    static std::vector<Placement> Get(const PlacementPolicy& policy,
                                      const PlacementView& view,
                                      const PlacementRequest& request,
                                      uint32_t count);

    /// The policy with a name such as "BestFit", with default attributes; aborts if there is none.
    static Ptr<PlacementPolicy> Make(const std::string& name);
};

} // namespace ns3

#endif // GPU_FABRIC_PLACEMENT_CANDIDATES_H
