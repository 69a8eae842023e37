/* SPDX-License-Identifier: GPL-2.0-only */
#include "routing-table.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <algorithm>
#include <map>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoutingTable");

void
RoutingTable::Build(const ClusterTopology& topology,
                    uint64_t seed,
                    const std::vector<uint8_t>& deadLinks)
{
    const auto isDead = [&deadLinks](uint32_t port) {
        return !deadLinks.empty() && deadLinks[port / 2];
    };
    const auto& nodes = topology.GetNodes();
    uint32_t ports = topology.GetPortCount();
    m_portNode.resize(ports);
    for (uint32_t port = 0; port < ports; ++port)
    {
        m_portNode[port] = topology.GetPortNode(port);
    }
    m_switchIndex.assign(nodes.size(), UINT32_MAX);
    m_switches.clear();
    for (uint32_t node = 0; node < nodes.size(); ++node)
    {
        if (nodes[node].kind == TopologyNodeKind::SWITCH)
        {
            m_switchIndex[node] = static_cast<uint32_t>(m_switches.size());
            m_switches.push_back({node, MixBits(seed * 0x9e3779b97f4a7c15ull + node + 1)});
        }
    }

    // Switches that some NIC is attached to, in node order.
    std::vector<uint32_t> attachmentOf(nodes.size(), UINT32_MAX);
    std::vector<uint32_t> attachedNodes;
    m_attachment.assign(ports, UINT32_MAX);
    for (const bool count : {true, false})
    {
        for (uint32_t port = 0; port < ports; ++port)
        {
            uint32_t peer = GetPeerNode(port);
            if (nodes[m_portNode[port]].kind == TopologyNodeKind::HOST &&
                m_switchIndex[peer] != UINT32_MAX)
            {
                if (count)
                {
                    attachmentOf[peer] = 0;
                }
                else
                {
                    m_attachment[port] = attachmentOf[peer];
                }
            }
        }
        for (uint32_t node = 0; count && node < nodes.size(); ++node)
        {
            if (attachmentOf[node] == 0)
            {
                attachmentOf[node] = static_cast<uint32_t>(attachedNodes.size());
                attachedNodes.push_back(node);
            }
        }
    }
    m_attachmentCount = static_cast<uint32_t>(attachedNodes.size());

    m_groups.assign(m_switches.size() * m_attachmentCount, Group());
    m_ports.assign(1, NO_PORT);
    std::vector<uint32_t> distance(nodes.size());
    std::vector<uint32_t> order;
    // Next hops by their position in m_ports: the uplinks are the same for most destinations, and
    // the lists of all switches should fit in the cache.
    std::map<std::vector<uint32_t>, uint32_t> lists;
    std::vector<uint32_t> list;
    for (uint32_t attachment = 0; attachment < m_attachmentCount; ++attachment)
    {
        std::fill(distance.begin(), distance.end(), UNREACHABLE);
        order.assign(1, attachedNodes[attachment]);
        distance[order[0]] = 0;
        for (size_t i = 0; i < order.size(); ++i)
        {
            for (uint32_t port : nodes[order[i]].ports)
            {
                uint32_t peer = GetPeerNode(port);
                if (m_switchIndex[peer] != UINT32_MAX && distance[peer] == UNREACHABLE &&
                    !isDead(port))
                {
                    distance[peer] = distance[order[i]] + 1;
                    order.push_back(peer);
                }
            }
        }
        for (uint32_t node : order)
        {
            Group& group = m_groups[m_switchIndex[node] * m_attachmentCount + attachment];
            if (distance[node] == 0)
            {
                group.count = 0;
                continue;
            }
            list.clear();
            for (uint32_t port : nodes[node].ports)
            {
                uint32_t peer = GetPeerNode(port);
                if (m_switchIndex[peer] != UINT32_MAX && distance[peer] + 1 == distance[node] &&
                    !isDead(port))
                {
                    list.push_back(port);
                }
            }
            const auto known = lists.find(list);
            group.first =
                known != lists.end() ? known->second : static_cast<uint32_t>(m_ports.size());
            group.count = static_cast<uint32_t>(list.size());
            if (known == lists.end())
            {
                m_ports.insert(m_ports.end(), list.begin(), list.end());
                lists.emplace(list, group.first);
            }
        }
    }
    NS_LOG_LOGIC(m_switches.size()
                 << " switches, " << attachedNodes.size() << " with NICs, "
                 << std::count(deadLinks.begin(), deadLinks.end(), 1) << " links avoided");
}

void
RoutingTable::CollectPaths(uint32_t port,
                           uint32_t destinationNic,
                           std::vector<uint32_t>& path,
                           std::vector<std::vector<uint32_t>>& paths) const
{
    path.push_back(port);
    uint32_t node = GetPeerNode(port);
    if ((port ^ 1) == destinationNic)
    {
        paths.push_back(path);
    }
    else if (m_switchIndex[node] != UINT32_MAX && m_attachment[destinationNic] != UINT32_MAX)
    {
        const Group& group =
            m_groups[m_switchIndex[node] * m_attachmentCount + m_attachment[destinationNic]];
        if (group.count == 0 && GetPeerNode(destinationNic) == node)
        {
            CollectPaths(destinationNic ^ 1, destinationNic, path, paths);
        }
        for (uint32_t i = 0; i < group.count && group.first != 0; ++i)
        {
            CollectPaths(m_ports[group.first + i], destinationNic, path, paths);
        }
    }
    path.pop_back();
}

std::vector<std::vector<uint32_t>>
RoutingTable::GetPaths(uint32_t sourceNic, uint32_t destinationNic) const
{
    std::vector<std::vector<uint32_t>> paths;
    std::vector<uint32_t> path;
    CollectPaths(sourceNic, destinationNic, path, paths);
    return paths;
}

std::vector<uint32_t>
RoutingTable::GetPath(uint32_t sourceNic,
                      uint32_t destinationNic,
                      uint64_t flowHash,
                      const PathSelector& selector) const
{
    std::vector<uint32_t> path{sourceNic};
    while ((path.back() ^ 1) != destinationNic)
    {
        uint32_t node = GetPeerNode(path.back());
        uint32_t index = m_switchIndex[node];
        if (index == UINT32_MAX || m_attachment[destinationNic] == UINT32_MAX)
        {
            return {};
        }
        uint32_t next = Route(index, destinationNic, flowHash, selector);
        if (next == NO_PORT)
        {
            return {};
        }
        path.push_back(next);
    }
    return path;
}

int32_t
RoutingTable::FindUdpSourcePort(uint32_t sourceNic,
                                uint32_t destinationNic,
                                const std::vector<uint32_t>& path,
                                const PathSelector& selector) const
{
    if (selector.IsPerFrame() && GetPaths(sourceNic, destinationNic).size() > 1)
    {
        return -1;
    }
    for (uint32_t i = 0; i < 65'536; ++i)
    {
        auto port = static_cast<uint16_t>(49'152 + i);
        if (port != 0 && GetPath(sourceNic,
                                 destinationNic,
                                 HashFiveTuple(sourceNic, destinationNic, port),
                                 selector) == path)
        {
            return port;
        }
    }
    return -1;
}

} // namespace ns3
