/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/fabric/fabric-partition.h"

#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/topology-generator.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

using namespace ns3;

namespace
{

ClusterTopology
Generate(const std::string& type, const std::map<std::string, std::string>& attributes)
{
    ObjectFactory factory("ns3::" + type + "Topology");
    for (const auto& [name, value] : attributes)
    {
        factory.Set(name, StringValue(value));
    }
    std::vector<TopologyFault> errors;
    ClusterTopology topology = factory.Create<TopologyGenerator>()->Generate(errors);
    EXPECT_TRUE(errors.empty());
    return topology;
}

/// 8 leaves of 4 hosts of 100 Gb/s, 4 spines; uplink capacity equals downlink capacity.
ClusterTopology
MakeLeafSpine()
{
    return Generate("LeafSpine",
                    {{"Leaves", "8"},
                     {"Spines", "4"},
                     {"HostsPerLeaf", "4"},
                     {"GpusPerHost", "1"},
                     {"NicsPerHost", "1"},
                     {"NicRate", "100Gbps"},
                     {"Uplinks", "4"},
                     {"UplinkRate", "100Gbps"},
                     {"LinkDelay", "1us"}});
}

/// Nodes of each logical process by the prefixes of their names.
std::map<std::string, uint32_t>
Count(const ClusterTopology& topology, const std::vector<uint32_t>& parts, uint32_t part)
{
    std::map<std::string, uint32_t> counts;
    for (uint32_t node = 0; node < parts.size(); ++node)
    {
        const std::string& name = topology.GetNodes()[node].name;
        counts[name.substr(0, name.find_first_of("0123456789"))] += parts[node] == part;
    }
    return counts;
}

} // namespace

TEST(FabricPartitionTest, TheHostsArePartZero)
{
    const ClusterTopology topology = MakeLeafSpine();
    for (uint32_t parts = 1; parts <= 20; ++parts)
    {
        const std::vector<uint32_t> result = PartitionFabric(topology, parts);
        ASSERT_EQ(result.size(), topology.GetNetworkNodeCount());
        for (uint32_t node = 0; node < result.size(); ++node)
        {
            if (topology.GetNodes()[node].kind == TopologyNodeKind::HOST)
            {
                ASSERT_EQ(result[node], 0u);
            }
        }
        // 12 switches: no part is empty, and there are as many as there may be.
        const uint32_t most = *std::max_element(result.begin(), result.end());
        EXPECT_LE(most + 1, std::max(parts, 1u));
        for (uint32_t part = 0; part <= most; ++part)
        {
            EXPECT_NE(std::count(result.begin(), result.end(), part), 0) << part;
        }
    }
}

TEST(FabricPartitionTest, TwoPartsHaveAboutTheSameWork)
{
    // Rates: hosts 32 x 100, leaves 8 x 800, spines 4 x 800 Gb/s. A host's counts 1.6 times:
    // 5,120 + 9,600 = 14,720, half of which are the hosts and three leaves (2,240 of 800
    // each: 2.8).
    const ClusterTopology topology = MakeLeafSpine();
    const std::vector<uint32_t> parts = PartitionFabric(topology, 2);
    EXPECT_EQ(Count(topology, parts, 0),
              (std::map<std::string, uint32_t>{{"host", 32}, {"leaf", 3}, {"spine", 0}}));
    EXPECT_EQ(Count(topology, parts, 1),
              (std::map<std::string, uint32_t>{{"host", 0}, {"leaf", 5}, {"spine", 4}}));
}

TEST(FabricPartitionTest, MorePartsShareTheSwitches)
{
    // A third of the work is 4,907, less than the hosts': the switches go to the other two.
    const ClusterTopology topology = MakeLeafSpine();
    const std::vector<uint32_t> parts = PartitionFabric(topology, 3);
    for (uint32_t part : {1, 2})
    {
        EXPECT_EQ(Count(topology, parts, part),
                  (std::map<std::string, uint32_t>{{"host", 0}, {"leaf", 4}, {"spine", 2}}));
    }
    // Neighbours stay together.
    std::vector<uint32_t> leaves;
    for (uint32_t node = 0; node < parts.size(); ++node)
    {
        if (topology.GetNodes()[node].name.rfind("leaf", 0) == 0)
        {
            leaves.push_back(parts[node]);
        }
    }
    EXPECT_TRUE(std::is_sorted(leaves.begin(), leaves.end()));
}

TEST(FabricPartitionTest, PodsStayTogether)
{
    // 4 pods of 2 ToRs and 2 aggregation switches each, 4 cores.
    const ClusterTopology topology = Generate("FatTree", {{"K", "4"}});
    const uint32_t nodes = topology.GetNetworkNodeCount();
    const std::vector<uint32_t> pods = PartitionFabric(topology, 3, FabricPartitionBy::POD);
    EXPECT_EQ(PartitionFabric(topology, 3), pods) << "there are enough";
    // Two switches with a cable between them are in one pod unless one of them is a core.
    const auto isCore = [&](uint32_t node) {
        return topology.GetNodes()[node].name.rfind("core", 0) == 0;
    };
    uint32_t cables = 0;
    for (uint32_t node = 0; node < nodes; ++node)
    {
        for (uint32_t port : topology.GetNodes()[node].ports)
        {
            const uint32_t peer = topology.GetPortNode(ClusterTopology::GetPeerPort(port));
            if (topology.GetNodes()[node].kind == TopologyNodeKind::SWITCH &&
                topology.GetNodes()[peer].kind == TopologyNodeKind::SWITCH && !isCore(node) &&
                !isCore(peer))
            {
                EXPECT_EQ(pods[node], pods[peer]);
                ++cables;
            }
        }
    }
    EXPECT_EQ(cables, 2u * 4 * 2 * 2);
    // By leaf they need not.
    const std::vector<uint32_t> leaves = PartitionFabric(topology, 8, FabricPartitionBy::LEAF);
    EXPECT_EQ(*std::max_element(leaves.begin(), leaves.end()), 7u);
    EXPECT_EQ(PartitionFabric(topology, 8), leaves) << "there are not enough pods";
}

TEST(FabricPartitionTest, Names)
{
    EXPECT_EQ(FromName<FabricPartitionBy>("auto"), FabricPartitionBy::AUTOMATIC);
    EXPECT_EQ(FromName<FabricPartitionBy>("leaf"), FabricPartitionBy::LEAF);
    EXPECT_EQ(FromName<FabricPartitionBy>("pod"), FabricPartitionBy::POD);
    EXPECT_EQ(FromName<FabricPartitionBy>(""), std::nullopt);
    EXPECT_EQ(FromName<FabricPartitionBy>("Pod"), std::nullopt);
}
