/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_NIC_ISLANDS_H
#define GPU_FABRIC_NIC_ISLANDS_H

#include "ns3/cluster-topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Which NICs of a cluster reach which. Hosts do not forward, so that two NICs reach each other
 * where switches join them, or a cable. In a rail-only network each rail is an island; in most
 * others there is one.
 */
class NicIslands
{
  public:
    /// Finds the islands of a topology. Faults of links are not looked at.
    explicit NicIslands(const ClusterTopology& topology);

    /// Whether a frame that leaves a host by one NIC can arrive at another. \param nicA, nicB port
    /// ids of hosts
    bool AreConnected(uint32_t nicA, uint32_t nicB) const;
    /// NICs (port ids) of a host that a NIC of another host reaches, in their order.
    std::vector<uint32_t> GetReachable(uint32_t nic, uint32_t host) const;
    /**
     * What to tell the user where two NICs do not reach each other: "no path leads from host0.nic1
     * to host2.nic0: host0.nic1 reaches host2.nic1".
     */
    std::string Explain(uint32_t nicA, uint32_t nicB) const;

  private:
    const ClusterTopology& m_topology;
    std::vector<uint32_t> m_island; ///< by node id of a switch
};

} // namespace ns3

#endif // GPU_FABRIC_NIC_ISLANDS_H
