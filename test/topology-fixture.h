/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TOPOLOGY_FIXTURE_H
#define GPU_FABRIC_TOPOLOGY_FIXTURE_H

#include "scenario-fixture.h"

#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/topology-generator.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

/// What tests of topology generators share: generation as scenarios do it, and graph figures that
/// are computed without the routing of the simulator.
namespace topology_test
{

using Settings = std::vector<std::pair<std::string, std::string>>;

inline ns3::ClusterTopology
Generate(const std::string& type, const Settings& settings, std::vector<std::string>& errors)
{
    ns3::ObjectFactory factory("ns3::" + type + "Topology");
    for (const auto& [name, value] : settings)
    {
        factory.Set(name, ns3::StringValue(value));
    }
    return factory.Create<ns3::TopologyGenerator>()->Generate(errors);
}

inline ns3::ClusterTopology
GenerateGood(const std::string& type, const Settings& settings)
{
    std::vector<std::string> errors;
    ns3::ClusterTopology topology = Generate(type, settings, errors);
    EXPECT_EQ(errors, std::vector<std::string>());
    EXPECT_EQ(topology.Validate(), std::vector<std::string>());
    return topology;
}

inline std::vector<std::string>
GenerateBad(const std::string& type, const Settings& settings)
{
    std::vector<std::string> errors;
    Generate(type, settings, errors);
    return errors;
}

/// Nodes whose names are a word and a number.
inline uint32_t
CountNodes(const ns3::ClusterTopology& topology, const std::string& word)
{
    return static_cast<uint32_t>(std::count_if(
        topology.GetNodes().begin(),
        topology.GetNodes().end(),
        [&word](const ns3::TopologyNode& node) {
            return node.name.size() > word.size() && node.name.compare(0, word.size(), word) == 0 &&
                   node.name.find_first_not_of("0123456789", word.size()) == std::string::npos;
        }));
}

inline uint32_t
FindNode(const ns3::ClusterTopology& topology, const std::string& name)
{
    const int64_t node = topology.FindNode(name);
    EXPECT_GE(node, 0) << name;
    return static_cast<uint32_t>(node);
}

/// Port id of a NIC.
inline uint32_t
GetNic(const ns3::ClusterTopology& topology, const std::string& host, uint32_t nic = 0)
{
    return topology.GetNodes()[FindNode(topology, host)].ports.at(nic);
}

/// Shortest paths between two NICs through switches: (links of one, number of paths); (0, 0):
/// none. Breadth first, counting.
inline std::pair<uint32_t, uint64_t>
CountPaths(const ns3::ClusterTopology& topology, uint32_t nicA, uint32_t nicB)
{
    const auto& nodes = topology.GetNodes();
    const auto peer = [&](uint32_t port) {
        return topology.GetPortNode(ns3::ClusterTopology::GetPeerPort(port));
    };
    std::vector<uint32_t> distance(nodes.size(), 0);
    std::vector<uint64_t> count(nodes.size(), 0);
    std::vector<uint32_t> queue{peer(nicA)};
    distance[queue[0]] = 1;
    count[queue[0]] = 1;
    for (std::size_t i = 0; i < queue.size(); i++)
    {
        for (const uint32_t port : nodes[queue[i]].ports)
        {
            const uint32_t next = peer(port);
            if (nodes[next].kind != ns3::TopologyNodeKind::SWITCH)
            {
                continue;
            }
            if (distance[next] == 0)
            {
                distance[next] = distance[queue[i]] + 1;
                queue.push_back(next);
            }
            count[next] += distance[next] == distance[queue[i]] + 1 ? count[queue[i]] : 0;
        }
    }
    const uint32_t last = peer(nicB);
    return {distance[last] == 0 ? 0 : distance[last] + 1, count[last]};
}

/**
 * The largest rate [bit/s] at which one set of hosts can send to another: maximum flow by
 * augmenting paths (Edmonds and Karp), hosts not forwarding.
 */
inline uint64_t
MaxFlow(const ns3::ClusterTopology& topology,
        const std::vector<uint32_t>& from,
        const std::vector<uint32_t>& to)
{
    constexpr uint32_t none = std::numeric_limits<uint32_t>::max();
    const auto& nodes = topology.GetNodes();
    std::vector<uint64_t> free(topology.GetPortCount()); // of each directed link
    for (uint32_t port = 0; port < free.size(); port++)
    {
        free[port] = topology.GetPortRate(port);
    }
    std::vector<bool> isTarget(nodes.size(), false);
    for (const uint32_t host : to)
    {
        isTarget[host] = true;
    }
    uint64_t flow = 0;
    while (true)
    {
        std::vector<uint32_t> by(nodes.size(), none); // directed link that reached a node
        std::vector<bool> seen(nodes.size(), false);
        std::vector<uint32_t> queue = from;
        for (const uint32_t host : from)
        {
            seen[host] = true;
        }
        uint32_t end = none;
        for (std::size_t i = 0; i < queue.size() && end == none; i++)
        {
            for (const uint32_t port : nodes[queue[i]].ports)
            {
                const uint32_t next = topology.GetPortNode(ns3::ClusterTopology::GetPeerPort(port));
                if (free[port] == 0 || seen[next])
                {
                    continue;
                }
                seen[next] = true;
                by[next] = port;
                if (isTarget[next])
                {
                    end = next;
                    break;
                }
                if (nodes[next].kind == ns3::TopologyNodeKind::SWITCH)
                {
                    queue.push_back(next);
                }
            }
        }
        if (end == none)
        {
            return flow;
        }
        uint64_t least = std::numeric_limits<uint64_t>::max();
        for (uint32_t node = end; by[node] != none; node = topology.GetPortNode(by[node]))
        {
            least = std::min(least, free[by[node]]);
        }
        for (uint32_t node = end; by[node] != none; node = topology.GetPortNode(by[node]))
        {
            free[by[node]] -= least;
            free[ns3::ClusterTopology::GetPeerPort(by[node])] += least;
        }
        flow += least;
    }
}

/// Node ids first to last - 1.
inline std::vector<uint32_t>
Range(uint32_t first, uint32_t last)
{
    std::vector<uint32_t> ids;
    for (uint32_t id = first; id < last; id++)
    {
        ids.push_back(id);
    }
    return ids;
}

} // namespace topology_test

#endif // GPU_FABRIC_TOPOLOGY_FIXTURE_H
