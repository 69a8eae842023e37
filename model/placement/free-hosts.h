/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FREE_HOSTS_H
#define GPU_FABRIC_FREE_HOSTS_H

#include "ns3/cluster-view.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * The hosts that have free GPUs for a request, for placements: only the named ones where the user
 * named hosts, and only those GPUs whose numbers the user gave. Where numbers were given, a host
 * counts if all of them are free.
 */
class FreeHosts
{
  public:
    static constexpr uint32_t NONE = UINT32_MAX;

    /// A host with free GPUs.
    struct Host
    {
        uint32_t node{0};
        uint32_t leaf{0}; ///< node id of its leaf, or of itself where it has no switch
        uint32_t free{0}; ///< GPUs that the request may use
    };

    /// GPUs taken from a host.
    struct Share
    {
        uint32_t host{0}; ///< index into GetHosts()
        uint32_t gpus{0};
    };

    FreeHosts(const PlacementView& view, const PlacementRequest& request);

    /// 1 by GPU id where it is free and the request may use it, but for named hosts.
    static std::vector<uint8_t> GetUsable(const PlacementView& view,
                                          const PlacementRequest& request);

    /// In node order, those with at least one free GPU.
    const std::vector<Host>& GetHosts() const
    {
        return m_hosts;
    }

    /**
     * Takes hosts one after the other until the job has its GPUs: all that a host has; with
     * gpus-per-host so many of each that has them, and what remains of the first other one that
     * has it; on named hosts an equal part of each.
     * \param order indices into GetHosts()
     * \returns nothing where the order does not give enough
     */
    std::vector<Share> Fill(const std::vector<uint32_t>& order) const;

    /// Free GPUs with the smallest ids of each host, ranks host by host in node order; nothing for
    /// no shares. The reason is `how` and the number of hosts and leaves.
    std::vector<Placement> Make(std::vector<Share> shares, const std::string& how) const;
    /// Those very GPUs, sorted.
    std::vector<Placement> MakeOf(std::vector<uint32_t> gpus, const std::string& how) const;
    /// Ids of the free GPUs that the request may use.
    std::vector<uint32_t> GetGpus() const;

  private:
    const ClusterTopology& m_topology;
    const PlacementRequest& m_request;
    std::vector<uint8_t> m_usable; ///< by GPU id
    std::vector<Host> m_hosts;
};

} // namespace ns3

#endif // GPU_FABRIC_FREE_HOSTS_H
