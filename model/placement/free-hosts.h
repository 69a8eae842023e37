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
 * The hosts with free GPUs that a request may use: only the hosts and the GPU numbers that the user
 * named, if any. If GPU numbers are given, a host counts only if all of those GPUs are free.
 */
class FreeHosts
{
  public:
    static constexpr uint32_t NONE = UINT32_MAX;

    /// A host with free GPUs.
    struct Host
    {
        uint32_t node{0};
        uint32_t leaf{0}; ///< node id of its leaf, or of itself if it has no switch
        uint32_t free{0}; ///< GPUs that the request may use
    };

    /// GPUs taken from a host.
    struct Share
    {
        uint32_t host{0}; ///< index into GetHosts()
        uint32_t gpus{0};
    };

    FreeHosts(const PlacementView& view, const PlacementRequest& request);

    /// By GPU id, 1 if it is free and the request may use it; named hosts are not considered.
    static std::vector<uint8_t> GetUsable(const PlacementView& view,
                                          const PlacementRequest& request);

    /// The hosts with at least one free GPU, in node order.
    const std::vector<Host>& GetHosts() const
    {
        return m_hosts;
    }

    /**
     * Takes hosts one by one until the job has its GPUs: normally all free GPUs of a host; with
     * gpus-per-host, that number from each host that has it, and the remainder from the first other
     * host that has enough; on named hosts, an equal part from each.
     * \param order indices into GetHosts()
     * \returns nothing if the hosts do not have enough GPUs
     */
    std::vector<Share> Fill(const std::vector<uint32_t>& order) const;

    /// Builds a placement from shares: the free GPUs with the smallest ids of each host, ranks host
    /// by host in node order; nothing if there are no shares. The reason consists of `how` and the
    /// numbers of hosts and leaves.
    std::vector<Placement> Make(std::vector<Share> shares, const std::string& how) const;
    /// Builds a placement from the given GPUs, sorted.
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
