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
 * Tells which NICs of a cluster can reach each other. Hosts do not forward, so two NICs reach each
 * other if switches or a cable connect them. In a rail-only network each rail is an island; in most
 * others there is a single one.
 */
class NicIslands
{
  public:
    /// Finds the islands of a topology. Link faults are ignored.
    explicit NicIslands(const ClusterTopology& topology);

    /// Whether a frame that leaves a host by one NIC can arrive at another. \param nicA, nicB port
    /// ids of hosts
    bool AreConnected(uint32_t nicA, uint32_t nicB) const;
    /// NICs (port ids) of a host that a NIC of another host can reach, in order.
    std::vector<uint32_t> GetReachable(uint32_t nic, uint32_t host) const;
    /// The message for two NICs that cannot reach each other: "no path leads from host0.nic1 to
    /// host2.nic0: host0.nic1 reaches host2.nic1".
    std::string Explain(uint32_t nicA, uint32_t nicB) const;

  private:
    const ClusterTopology& m_topology;
    std::vector<uint32_t> m_island; ///< by node id of a switch
};

} // namespace ns3

#endif // GPU_FABRIC_NIC_ISLANDS_H
