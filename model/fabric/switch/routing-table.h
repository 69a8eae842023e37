/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROUTING_TABLE_H
#define GPU_FABRIC_ROUTING_TABLE_H

#include "ns3/cluster-topology.h"
#include "ns3/path-selector.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * Shortest-path routing of a topology. Switches have next hops towards the switch that a
 * destination is attached to, not towards every host, so the table grows only with the number of
 * switches. Hosts do not forward.
 */
class RoutingTable
{
  public:
    /// Stands for "no route" in place of a port.
    static constexpr uint32_t NO_PORT = UINT32_MAX;

    /**
     * Computes the tables.
     * \param seed of the run, gives every switch its hash seed
     * \param deadLinks by link of the topology: nonzero if no path may use it; empty: none
     */
    void Build(const ClusterTopology& topology,
               uint64_t seed,
               const std::vector<uint8_t>& deadLinks = {});

    /// Egress port of a switch for a frame, or NO_PORT. \param switchIndex dense over switches
    uint32_t Route(uint32_t switchIndex,
                   uint32_t destinationNic,
                   uint64_t flowHash,
                   const PathSelector& selector) const
    {
        uint32_t attachment = m_attachment[destinationNic];
        const Group& group = m_groups[switchIndex * m_attachmentCount + attachment];
        if (group.count == 1)
        {
            return m_ports[group.first];
        }
        if (group.count == 0)
        {
            // The destination is attached to this switch.
            return destinationNic ^ 1;
        }
        return m_ports[group.first +
                       selector.Select(flowHash, m_switches[switchIndex].seed, group.count)];
    }

    /// The next hops of a switch towards a NIC.
    struct NextHops
    {
        const uint32_t* ports; ///< port ids
        uint32_t count;        ///< 0: the NIC is attached to this switch
        uint32_t group;        ///< identifies the set within the switch
        uint64_t seed;         ///< of the switch
    };

    /// For a selector that chooses per frame. If there is no route, the only port is NO_PORT.
    NextHops GetNextHops(uint32_t switchIndex, uint32_t destinationNic) const
    {
        const uint32_t attachment = m_attachment[destinationNic];
        const Group& group = m_groups[switchIndex * m_attachmentCount + attachment];
        return {m_ports.data() + group.first,
                group.count,
                attachment,
                m_switches[switchIndex].seed};
    }

    /// All shortest paths between two NICs, in the order of port ids; empty: not reachable.
    std::vector<std::vector<uint32_t>> GetPaths(uint32_t sourceNic, uint32_t destinationNic) const;
    /// The path of a flow hash; empty: not reachable.
    std::vector<uint32_t> GetPath(uint32_t sourceNic,
                                  uint32_t destinationNic,
                                  uint64_t flowHash,
                                  const PathSelector& selector) const;
    /// The first UDP source port from 49152 on (then from 1 on) for which ECMP takes a path; -1 if
    /// none of the 65,535 does, or if a selector chooses per frame among several.
    int32_t FindUdpSourcePort(uint32_t sourceNic,
                              uint32_t destinationNic,
                              const std::vector<uint32_t>& path,
                              const PathSelector& selector) const;

    /// Dense index of a switch by node id, UINT32_MAX for a host.
    uint32_t GetSwitchIndex(uint32_t node) const
    {
        return m_switchIndex[node];
    }

    uint32_t GetSwitchCount() const
    {
        return static_cast<uint32_t>(m_switches.size());
    }

  private:
    /// Next hops: m_ports[first] and those that follow. Without a route, the one next hop is
    /// m_ports[0], NO_PORT, so that Route() needs no test.
    struct Group
    {
        uint32_t first{0};
        uint32_t count{1}; ///< 0 at the switch itself
    };

    struct Switch
    {
        uint32_t node;
        uint64_t seed;
    };

    void CollectPaths(uint32_t port,
                      uint32_t destinationNic,
                      std::vector<uint32_t>& path,
                      std::vector<std::vector<uint32_t>>& paths) const;

    uint32_t GetPeerNode(uint32_t port) const
    {
        return m_portNode[port ^ 1];
    }

    static constexpr uint32_t UNREACHABLE = UINT32_MAX;

    std::vector<uint32_t> m_portNode;
    std::vector<uint32_t> m_switchIndex;
    std::vector<Switch> m_switches;
    std::vector<uint32_t> m_attachment; ///< by NIC: index of the switch it is attached to
    uint32_t m_attachmentCount{0};
    std::vector<Group> m_groups;   ///< by switch and attachment
    std::vector<uint32_t> m_ports; ///< next hops, after NO_PORT; shared by equal groups
};

} // namespace ns3

#endif // GPU_FABRIC_ROUTING_TABLE_H
