/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic-islands.h"

#include <numeric>

namespace ns3
{

NicIslands::NicIslands(const ClusterTopology& topology)
    : m_topology(topology),
      m_island(topology.GetNodes().size())
{
    const std::vector<TopologyNode>& nodes = topology.GetNodes();
    std::iota(m_island.begin(), m_island.end(), 0);
    std::vector<uint32_t> open;
    std::vector<bool> seen(nodes.size(), false);
    for (uint32_t first = 0; first < nodes.size(); first++)
    {
        if (nodes[first].kind != TopologyNodeKind::SWITCH || seen[first])
        {
            continue;
        }
        seen[first] = true;
        open.push_back(first);
        while (!open.empty())
        {
            const uint32_t node = open.back();
            open.pop_back();
            m_island[node] = first;
            for (const uint32_t port : nodes[node].ports)
            {
                const uint32_t peer = topology.GetPortNode(ClusterTopology::GetPeerPort(port));
                if (nodes[peer].kind == TopologyNodeKind::SWITCH && !seen[peer])
                {
                    seen[peer] = true;
                    open.push_back(peer);
                }
            }
        }
    }
}

bool
NicIslands::AreConnected(uint32_t nicA, uint32_t nicB) const
{
    const uint32_t peerA = m_topology.GetPortNode(ClusterTopology::GetPeerPort(nicA));
    const uint32_t peerB = m_topology.GetPortNode(ClusterTopology::GetPeerPort(nicB));
    if (m_topology.GetNodes()[peerA].kind != TopologyNodeKind::SWITCH)
    {
        return ClusterTopology::GetPeerPort(nicA) == nicB;
    }
    return m_topology.GetNodes()[peerB].kind == TopologyNodeKind::SWITCH &&
           m_island[peerA] == m_island[peerB];
}

std::vector<uint32_t>
NicIslands::GetReachable(uint32_t nic, uint32_t host) const
{
    std::vector<uint32_t> nics;
    for (const uint32_t other : m_topology.GetNodes()[host].ports)
    {
        if (other != nic && AreConnected(nic, other))
        {
            nics.push_back(other);
        }
    }
    return nics;
}

std::string
NicIslands::Explain(uint32_t nicA, uint32_t nicB) const
{
    const std::string from = m_topology.GetPortName(nicA);
    std::string list;
    for (const uint32_t nic : GetReachable(nicA, m_topology.GetPortNode(nicB)))
    {
        list += (list.empty() ? "" : ", ") + m_topology.GetPortName(nic);
    }
    return "no path leads from " + from + " to " + m_topology.GetPortName(nicB) + ": " + from +
           " reaches " +
           (list.empty() ? "no NIC of " + m_topology.GetNodes()[m_topology.GetPortNode(nicB)].name
                         : list);
}

} // namespace ns3
