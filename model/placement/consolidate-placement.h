/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CONSOLIDATE_PLACEMENT_H
#define GPU_FABRIC_CONSOLIDATE_PLACEMENT_H

#include "ns3/placement-policy.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * Packs a job as tightly as possible: on one host, else under one leaf, else over the fewest
 * leaves.
 *
 * Best fit at each stage, ties to the smallest node id:
 * - one host: among those that fit the job, the one with the fewest free GPUs;
 * - one leaf: among those that fit the job, the one with the fewest free GPUs; under it the hosts
 *   with the most free GPUs first (so that few are used), the last one by best fit again;
 * - several leaves: the leaves with the most free GPUs first, the last one by best fit again.
 *
 * With `gpus-per-host` g, each host contributes g GPUs (the last one the remainder); only hosts
 * with that many free GPUs count, and the fullest are taken first. Hosts named by the user
 * contribute gpus / hosts each. On a host, the free GPUs with the smallest ids are taken, which
 * fills the NICs one after the other. Ranks are host-major in node order. One placement is
 * returned.
 */
class ConsolidatePlacement : public PlacementPolicy
{
  public:
    static TypeId GetTypeId();

    std::vector<Placement> Rank(const PlacementView& view,
                                const PlacementRequest& request) const override;

  private:
    static constexpr uint32_t NONE = UINT32_MAX; ///< no space fits

    /// A host with its free GPUs.
    struct Space
    {
        uint32_t node;
        uint32_t free;
    };

    /// A leaf switch with its hosts.
    struct Leaf
    {
        uint32_t node;
        uint32_t free;
        bool used; ///< by this job
        std::vector<Space> hosts;
    };

    /// GPUs taken from a host.
    struct Share
    {
        uint32_t host;
        uint32_t gpus;
    };

    /// Index of the host with the fewest free GPUs among those with at least `gpus`, or NONE.
    static uint32_t BestFit(const std::vector<Space>& hosts, uint32_t gpus);
    /// Shares of the hosts that the user named; empty if one of them has too few free GPUs.
    static std::vector<Share> TakeNamed(const std::vector<Space>& hosts,
                                        const PlacementRequest& request);
    /// Takes gpus GPUs from the hosts of one leaf, or fewer if they have fewer; if perHost is not
    /// 0, all hosts but the last one contribute that number.
    static std::vector<Share> TakeFromHosts(std::vector<Space> hosts,
                                            uint32_t gpus,
                                            uint32_t perHost);
    /// Takes gpus GPUs from as few leaves as possible; empty if there are not that many.
    static std::vector<Share> TakeFromLeaves(std::vector<Leaf> leaves,
                                             uint32_t gpus,
                                             uint32_t perHost);
};

} // namespace ns3

#endif // GPU_FABRIC_CONSOLIDATE_PLACEMENT_H
