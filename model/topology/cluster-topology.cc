/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/cluster-topology.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <iterator>

namespace ns3
{

TopologyFault
TopologyFault::OfAttribute(const std::string& attribute, const std::string& text)
{
    return {TopologyFaultKind::ATTRIBUTE, {attribute}, text};
}

TopologyFault
TopologyFault::InFile(const std::string& file, int line, int column, const std::string& text)
{
    return {TopologyFaultKind::FILE, {"", file, line, column}, text};
}

TopologyFault
TopologyFault::OfSize(const std::string& text)
{
    return {TopologyFaultKind::SIZE, {}, text};
}

TopologyFault
TopologyFault::InGraph(const std::string& text)
{
    return {TopologyFaultKind::GRAPH, {}, text};
}

std::string
TopologyFault::ToSentence() const
{
    switch (kind)
    {
    case TopologyFaultKind::ATTRIBUTE:
        return place.attribute + " " + text;
    case TopologyFaultKind::FILE:
        return place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) +
               ": " + text;
    case TopologyFaultKind::SIZE:
    case TopologyFaultKind::GRAPH:
        break;
    }
    return text;
}

namespace
{

/// Position of a port in its node's list.
uint32_t
PortIndex(const TopologyNode& node, uint32_t port)
{
    // Port ids of a node grow in the order the links were added.
    const auto position = std::lower_bound(node.ports.begin(), node.ports.end(), port);
    NS_ASSERT(position != node.ports.end() && *position == port);
    return static_cast<uint32_t>(position - node.ports.begin());
}

} // namespace

uint32_t
ClusterTopology::AddHost(const std::string& name, uint32_t gpus)
{
    const auto id = static_cast<uint32_t>(m_nodes.size());
    NS_ABORT_MSG_IF(HasInsides(), "hosts come before the insides of hosts");
    m_nodes.push_back({name, TopologyNodeKind::HOST, gpus, {}, TopologyNode::NO_HOST});
    m_networkNodes = id + 1;
    m_nodeOfName.emplace(name, id);
    m_firstGpu.push_back(static_cast<uint32_t>(m_gpuHost.size()));
    m_gpuHost.insert(m_gpuHost.end(), gpus, id);
    return id;
}

uint32_t
ClusterTopology::AddSwitch(const std::string& name)
{
    const auto id = static_cast<uint32_t>(m_nodes.size());
    NS_ABORT_MSG_IF(HasInsides(), "switches come before the insides of hosts");
    m_nodes.push_back({name, TopologyNodeKind::SWITCH, 0, {}, TopologyNode::NO_HOST});
    m_networkNodes = id + 1;
    m_nodeOfName.emplace(name, id);
    m_firstGpu.push_back(static_cast<uint32_t>(m_gpuHost.size()));
    return id;
}

uint32_t
ClusterTopology::AddLink(uint32_t nodeA, uint32_t nodeB, uint64_t rateBps, int64_t delayPs)
{
    NS_ABORT_MSG_IF(nodeA >= m_networkNodes || nodeB >= m_networkNodes,
                    "a link needs two hosts or switches of the topology");
    NS_ABORT_MSG_IF(HasInsides(), "network links come before the insides of hosts");
    const auto link = static_cast<uint32_t>(m_links.size());
    m_links.push_back({nodeA, nodeB, rateBps, delayPs, TopologyLinkKind::NETWORK});
    m_networkLinks = link + 1;
    m_nodes[nodeA].ports.push_back(2 * link);
    m_nodes[nodeB].ports.push_back(2 * link + 1);
    return link;
}

void
ClusterTopology::AddInside(uint32_t host, const HostLayout& layout)
{
    NS_ABORT_MSG_IF(host >= m_networkNodes || m_nodes[host].kind != TopologyNodeKind::HOST,
                    "only a host has an inside");
    NS_ABORT_MSG_IF(m_nodes[host].gpus != layout.gpus || m_nodes[host].ports.size() != layout.nics,
                    m_nodes[host].name << " has " << m_nodes[host].gpus << " GPUs and "
                                       << m_nodes[host].ports.size() << " NICs, the layout "
                                       << layout.gpus << " and " << layout.nics);
    m_insideOfHost.resize(m_networkNodes, TopologyNode::NO_HOST);
    NS_ABORT_MSG_IF(m_insideOfHost[host] != TopologyNode::NO_HOST,
                    m_nodes[host].name << " has an inside already");
    Inside inside;
    inside.firstNode = static_cast<uint32_t>(m_nodes.size());
    inside.firstPort = GetPortCount();
    while (inside.layout < m_layouts.size() && !(m_layouts[inside.layout] == layout))
    {
        inside.layout++;
    }
    if (inside.layout == m_layouts.size())
    {
        m_layouts.push_back(layout);
    }
    m_insideOfHost[host] = static_cast<uint32_t>(m_insides.size());
    m_insides.push_back(inside);
    for (const HostPart& part : layout.parts)
    {
        const std::string name = m_nodes[host].name + "." + part.name;
        m_nodeOfName.emplace(name, static_cast<uint32_t>(m_nodes.size()));
        m_nodes.push_back({name, part.kind, 0, {}, host});
    }
    for (const HostLink& wire : layout.links)
    {
        const auto link = static_cast<uint32_t>(m_links.size());
        const uint32_t nodeA = inside.firstNode + wire.partA;
        const uint32_t nodeB = inside.firstNode + wire.partB;
        m_links.push_back({nodeA, nodeB, wire.rateBps, wire.delayPs, wire.kind});
        m_nodes[nodeA].ports.push_back(2 * link);
        m_nodes[nodeB].ports.push_back(2 * link + 1);
    }
}

const HostLayout*
ClusterTopology::GetLayout(uint32_t host) const
{
    if (host >= m_insideOfHost.size() || m_insideOfHost[host] == TopologyNode::NO_HOST)
    {
        return nullptr;
    }
    return &m_layouts[m_insides[m_insideOfHost[host]].layout];
}

std::string
ClusterTopology::GetPortName(uint32_t port) const
{
    const TopologyNode& node = m_nodes[GetPortNode(port)];
    return node.name + (node.kind == TopologyNodeKind::HOST ? ".nic" : ".port") +
           std::to_string(PortIndex(node, port));
}

std::string
ClusterTopology::GetDirectedLinkName(uint32_t port) const
{
    const TopologyNode& from = m_nodes[GetPortNode(port)];
    const uint32_t to = GetPortNode(GetPeerPort(port));
    uint32_t count = 1;
    for (const uint32_t other : from.ports)
    {
        if (other >= port)
        {
            break;
        }
        count += GetPortNode(GetPeerPort(other)) == to ? 1 : 0;
    }
    const std::string name = from.name + "-" + m_nodes[to].name;
    return count == 1 ? name : name + "#" + std::to_string(count);
}

int64_t
ClusterTopology::FindNode(const std::string& name) const
{
    const int64_t node = FindAnyNode(name);
    return node < static_cast<int64_t>(m_networkNodes) ? node : -1;
}

int64_t
ClusterTopology::FindAnyNode(const std::string& name) const
{
    const auto found = m_nodeOfName.find(name);
    return found == m_nodeOfName.end() ? -1 : static_cast<int64_t>(found->second);
}

int64_t
ClusterTopology::FindDirectedLink(const std::string& name) const
{
    // Node names may themselves contain "-": try every split position.
    for (auto dash = name.find('-'); dash != std::string::npos; dash = name.find('-', dash + 1))
    {
        const int64_t from = FindAnyNode(name.substr(0, dash));
        if (from < 0)
        {
            continue;
        }
        for (const uint32_t port : m_nodes[from].ports)
        {
            if (GetDirectedLinkName(port) == name)
            {
                return port;
            }
        }
    }
    return -1;
}

uint32_t
ClusterTopology::GetGpuNic(uint32_t gpu) const
{
    const uint32_t host = m_gpuHost[gpu];
    const TopologyNode& node = m_nodes[host];
    NS_ABORT_MSG_IF(node.ports.empty(), "host " << node.name << " has no NIC");
    const uint64_t local = gpu - m_firstGpu[host];
    return node.ports[local * node.ports.size() / node.gpus];
}

uint32_t
ClusterTopology::GetLeaf(uint32_t host) const
{
    const TopologyNode& node = m_nodes[host];
    if (node.ports.empty())
    {
        return host;
    }
    const uint32_t peer = GetPortNode(GetPeerPort(node.ports.front()));
    return m_nodes[peer].kind == TopologyNodeKind::SWITCH ? peer : host;
}

std::vector<TopologyFault>
ClusterTopology::Validate() const
{
    std::vector<TopologyFault> faults;
    std::vector<uint32_t> hosts;
    for (uint32_t id = 0; id < m_nodes.size(); id++)
    {
        const TopologyNode& node = m_nodes[id];
        if (node.name.empty())
        {
            faults.push_back(TopologyFault::InGraph("node " + std::to_string(id) + " has no name"));
        }
        else if (node.name.find('/') != std::string::npos)
        {
            faults.push_back(TopologyFault::InGraph(
                "node \"" + node.name +
                "\" has a \"/\" in its name, which separates the parts of paths in ns-3"));
        }
        else if (FindAnyNode(node.name) != id)
        {
            faults.push_back(TopologyFault::InGraph("two nodes are called \"" + node.name + "\""));
        }
        if (node.kind == TopologyNodeKind::HOST)
        {
            hosts.push_back(id);
        }
        if (node.ports.size() > MAX_PORTS)
        {
            faults.push_back(TopologyFault::InGraph(
                "node " + node.name + " has " + std::to_string(node.ports.size()) +
                " ports: at most " + std::to_string(MAX_PORTS) + " are supported"));
        }
    }
    for (uint32_t id = 0; id < m_links.size(); id++)
    {
        const TopologyLink& link = m_links[id];
        const std::string name = m_nodes[link.nodeA].name + "-" + m_nodes[link.nodeB].name;
        if (link.nodeA == link.nodeB)
        {
            faults.push_back(TopologyFault::InGraph("link " + name + " joins a node to itself"));
        }
        if (link.rateBps == 0)
        {
            faults.push_back(TopologyFault::InGraph("link " + name + " has a rate of 0"));
        }
        if (link.delayPs < 0)
        {
            faults.push_back(TopologyFault::InGraph("link " + name + " has a negative delay"));
        }
        if (link.delayPs > MAX_DELAY_PS)
        {
            faults.push_back(TopologyFault::InGraph(
                "link " + name + " has a delay of more than " +
                std::to_string(MAX_DELAY_PS / 1'000'000'000'000) + " s: it is not supported"));
        }
    }
    if (hosts.empty())
    {
        faults.push_back(TopologyFault::InGraph("there is no host"));
    }
    for (const uint32_t host : hosts)
    {
        if (m_nodes[host].ports.empty() && hosts.size() > 1)
        {
            faults.push_back(TopologyFault::InGraph("host " + m_nodes[host].name + " has no link"));
        }
    }
    if (faults.empty())
    {
        CheckReachability(hosts, faults);
    }
    return faults;
}

void
ClusterTopology::CheckReachability(const std::vector<uint32_t>& hosts,
                                   std::vector<TopologyFault>& faults) const
{
    // Hosts do not forward, so two hosts reach each other through an island of switches that both
    // are attached to, or through a direct cable.
    boost::disjoint_sets_with_storage<> sets(m_networkNodes);
    const auto isHost = [this](uint32_t node) {
        return m_nodes[node].kind == TopologyNodeKind::HOST;
    };
    for (uint32_t id = 0; id < m_networkLinks; id++)
    {
        const TopologyLink& link = m_links[id];
        if (!isHost(link.nodeA) && !isHost(link.nodeB))
        {
            sets.union_set(link.nodeA, link.nodeB);
        }
    }
    std::vector<std::vector<uint32_t>> islands(m_nodes.size());
    for (const uint32_t host : hosts)
    {
        std::vector<uint32_t>& mine = islands[host];
        for (const uint32_t port : m_nodes[host].ports)
        {
            const uint32_t peer = GetPortNode(GetPeerPort(port));
            mine.push_back(static_cast<uint32_t>(sets.find_set(peer)));
            if (isHost(peer))
            {
                mine.push_back(host); // the peer lists this host as an island, too
            }
        }
        std::sort(mine.begin(), mine.end());
        mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    }
    const auto meet = [](const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
        std::vector<uint32_t> both;
        std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
        return both;
    };
    std::vector<uint32_t> common = hosts.empty() ? std::vector<uint32_t>() : islands[hosts[0]];
    for (const uint32_t host : hosts)
    {
        common = meet(common, islands[host]);
    }
    if (!common.empty())
    {
        return; // the usual case: one island holds all
    }
    for (std::size_t i = 0; i < hosts.size(); i++)
    {
        for (std::size_t j = i + 1; j < hosts.size(); j++)
        {
            if (meet(islands[hosts[i]], islands[hosts[j]]).empty())
            {
                faults.push_back(TopologyFault::InGraph(
                    "host " + m_nodes[hosts[j]].name + " cannot be reached from " +
                    m_nodes[hosts[i]].name + " (hosts do not forward)"));
                return; // one pair is enough to show the partition; a list of all would hide it
            }
        }
    }
}

} // namespace ns3
