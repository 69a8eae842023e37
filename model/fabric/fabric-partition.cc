/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-partition.h"

#include "ns3/log.h"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <map>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricPartition");

namespace
{

/// Switches that stay together, and the sum of the rates of their ports [bit/s].
struct Group
{
    std::vector<uint32_t> nodes;
    double rate{0};
};

using Tiers = std::map<uint32_t, std::vector<Group>>; ///< in the order of their first nodes

/**
 * Work at a host's port relative to a switch port of the same rate. Of the instructions of an
 * all-to-all on leaves and spines, where a frame passes 2 ports of hosts and 6 of switches, 35 %
 * are at hosts: 0.35 / 2 over 0.65 / 6.
 */
constexpr double HOST_WEIGHT = 1.6;

/// Sum of the rates of the ports of a node [bit/s].
double
GetRate(const ClusterTopology& topology, uint32_t node)
{
    double rate = 0;
    for (uint32_t port : topology.GetNodes()[node].ports)
    {
        rate += static_cast<double>(topology.GetPortRate(port));
    }
    return rate;
}

/// Calls f(neighbour) for each cable of a node of the network.
template <typename F>
void
ForEachNeighbour(const ClusterTopology& topology, uint32_t node, F f)
{
    for (uint32_t port : topology.GetNodes()[node].ports)
    {
        if (port < topology.GetNetworkPortCount())
        {
            f(topology.GetPortNode(ClusterTopology::GetPeerPort(port)));
        }
    }
}

/// Hops from each node to the nearest host; 0 for a host.
std::vector<uint32_t>
FindTiers(const ClusterTopology& topology)
{
    std::vector<uint32_t> tiers(topology.GetNetworkNodeCount(), UINT32_MAX);
    std::vector<uint32_t> reached;
    for (uint32_t node = 0; node < tiers.size(); ++node)
    {
        if (topology.GetNodes()[node].kind == TopologyNodeKind::HOST)
        {
            tiers[node] = 0;
            reached.push_back(node);
        }
    }
    for (std::size_t i = 0; i < reached.size(); ++i)
    {
        ForEachNeighbour(topology, reached[i], [&](uint32_t neighbour) {
            if (tiers[neighbour] == UINT32_MAX)
            {
                tiers[neighbour] = tiers[reached[i]] + 1;
                reached.push_back(neighbour);
            }
        });
    }
    return tiers;
}

Tiers
FindGroups(const ClusterTopology& topology, const std::vector<uint32_t>& tiers, bool pods)
{
    uint32_t highest = 0;
    for (uint32_t tier : tiers)
    {
        highest = std::max(highest, tier == UINT32_MAX ? 0 : tier);
    }
    const auto nodes = static_cast<uint32_t>(tiers.size());
    std::vector<uint32_t> rank(nodes);
    std::vector<uint32_t> parent(nodes);
    boost::disjoint_sets<uint32_t*, uint32_t*> sets(rank.data(), parent.data());
    for (uint32_t node = 0; node < nodes; ++node)
    {
        sets.make_set(node);
    }
    const auto isInPod = [&](uint32_t node) { return tiers[node] > 0 && tiers[node] < highest; };
    for (uint32_t node = 0; node < nodes && pods; ++node)
    {
        ForEachNeighbour(topology, node, [&](uint32_t neighbour) {
            if (isInPod(node) && isInPod(neighbour))
            {
                sets.union_set(node, neighbour);
            }
        });
    }
    Tiers groups;
    std::map<uint32_t, std::pair<uint32_t, std::size_t>> known; // by the set's representative
    for (uint32_t node = 0; node < nodes; ++node)
    {
        if (tiers[node] == 0)
        {
            continue;
        }
        // A pod belongs to the tier of its first switch.
        const auto [place, isNew] =
            known.emplace(sets.find_set(node),
                          std::make_pair(tiers[node], groups[tiers[node]].size()));
        std::vector<Group>& tier = groups[place->second.first];
        if (isNew)
        {
            tier.emplace_back();
        }
        Group& group = tier[place->second.second];
        group.nodes.push_back(node);
        group.rate += GetRate(topology, node);
    }
    return groups;
}

} // namespace

std::vector<uint32_t>
PartitionFabric(const ClusterTopology& topology, uint32_t processes, FabricPartitionBy by)
{
    const std::vector<uint32_t> tiers = FindTiers(topology);
    Tiers groups = FindGroups(topology, tiers, by != FabricPartitionBy::LEAF);
    processes = std::max(processes, 1u);
    if (by == FabricPartitionBy::AUTOMATIC && !groups.empty() &&
        groups.begin()->second.size() < processes)
    {
        groups = FindGroups(topology, tiers, false);
    }

    double hosts = 0;
    double switches = 0;
    for (uint32_t node = 0; node < tiers.size(); ++node)
    {
        (tiers[node] == 0 ? hosts : switches) += GetRate(topology, node);
    }
    const double share = (HOST_WEIGHT * hosts + switches) / processes;
    double room = processes == 1 ? switches : share - HOST_WEIGHT * hosts;

    std::vector<uint32_t> result(tiers.size(), 0);
    for (auto& [tier, some] : groups)
    {
        // The first groups go to the hosts' logical process while it has less than its share.
        while (!some.empty() && some.front().rate / 2 < room)
        {
            room -= some.front().rate;
            some.erase(some.begin());
        }
        if (!some.empty())
        {
            room = 0;
        }
        double sum = 0;
        for (const Group& group : some)
        {
            sum += group.rate;
        }
        double before = 0;
        for (const Group& group : some)
        {
            // According to the position of its middle.
            const double place = sum > 0 ? (before + group.rate / 2) / sum : 0;
            const auto process =
                std::min(processes - 2, static_cast<uint32_t>(place * (processes - 1)));
            for (uint32_t node : group.nodes)
            {
                result[node] = process + 1;
            }
            before += group.rate;
        }
    }
    NS_LOG_LOGIC(tiers.size() << " nodes among at most " << processes << " logical processes, "
                              << ToName(by));
    // Renumbered without gaps.
    std::vector<uint32_t> used = result;
    used.push_back(0);
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (uint32_t& process : result)
    {
        process = static_cast<uint32_t>(std::lower_bound(used.begin(), used.end(), process) -
                                        used.begin());
    }
    return result;
}

} // namespace ns3
