/* SPDX-License-Identifier: GPL-2.0-only */
#include "joint-placement.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

std::vector<Placement>
JointPlacement::Place(const PlacementPolicy& policy,
                      const PlacementView& view,
                      const std::vector<PlacementRequest>& requests,
                      bool backfill)
{
    std::vector<PlacementRequest> asked = requests;
    while (!asked.empty())
    {
        std::vector<Placement> placements = policy.PlaceTogether(view, asked);
        if (placements.empty())
        {
            return {};
        }
        NS_ABORT_MSG_IF(placements.size() != asked.size(),
                        placements.size() << " placements for " << asked.size() << " jobs");
        const auto first =
            std::find_if(placements.begin(), placements.end(), [](const Placement& placement) {
                return placement.gpus.empty();
            });
        const auto placed = static_cast<size_t>(first - placements.begin());
        if (backfill || placed == asked.size() || asked.size() == 1)
        {
            placements.resize(requests.size());
            return placements;
        }
        asked.resize(std::max(placed, std::min(asked.size() - 1, (asked.size() + 1) / 2)));
    }
    return {};
}

} // namespace ns3
