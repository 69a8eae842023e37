/* SPDX-License-Identifier: GPL-2.0-only */

#include "../../model/topology/nic-islands.h"
#include "../fixture/topology-fixture.h"

#include <random>

using namespace ns3;
using namespace topology_test;

namespace
{

constexpr uint64_t G = 1'000'000'000; ///< [bit/s]

} // namespace

TEST(RailOptimizedTopologyTest, CountsNamesAndPortOrder)
{
    const auto topology = GenerateGood("RailOptimized",
                                       {{"Groups", "2"},
                                        {"HostsPerGroup", "3"},
                                        {"GpusPerHost", "8"},
                                        {"NicsPerHost", "4"},
                                        {"NicRate", "400Gbps"},
                                        {"Spines", "2"},
                                        {"Uplinks", "4"},
                                        {"UplinkRate", "800Gbps"},
                                        {"LinkDelay", "500ns"}});
    // 2 x 3 hosts, 2 x 4 rail switches, 2 spines; 6 x 4 host links and 8 x 4 uplinks.
    EXPECT_EQ(CountNodes(topology, "host"), 6U);
    EXPECT_EQ(CountNodes(topology, "rail"), 8U);
    EXPECT_EQ(CountNodes(topology, "spine"), 2U);
    EXPECT_EQ(topology.GetNodes().size(), 16U);
    ASSERT_EQ(topology.GetLinks().size(), 24U + 32U);
    EXPECT_EQ(topology.GetGpuCount(), 48U);
    // A rail switch has a port for each host of its group and its uplinks; a spine 8 x 2.
    EXPECT_EQ(topology.GetNodes()[FindNode(topology, "rail5")].ports.size(), 3U + 4U);
    EXPECT_EQ(topology.GetNodes()[FindNode(topology, "spine1")].ports.size(), 16U);
    // NIC k of a host of group g: rail 4 g + k.
    EXPECT_EQ(topology.GetDirectedLinkName(2 * (4 * 2 + 3)), "host2-rail3");
    EXPECT_EQ(topology.GetDirectedLinkName(2 * (4 * 3 + 0)), "host3-rail4");
    EXPECT_EQ(topology.GetPortName(2 * (4 * 5 + 2)), "host5.nic2");
    // Rail by rail, spine by spine, parallel links one after the other.
    EXPECT_EQ(topology.GetDirectedLinkName(2 * 24), "rail0-spine0");
    EXPECT_EQ(topology.GetDirectedLinkName(2 * 25), "rail0-spine0#2");
    EXPECT_EQ(topology.GetDirectedLinkName(2 * 26), "rail0-spine1");
    EXPECT_EQ(topology.GetDirectedLinkName(2 * 55), "rail7-spine1#2");
    EXPECT_EQ(topology.GetPortRate(0), 400 * G);
    EXPECT_EQ(topology.GetPortRate(2 * 55), 800 * G);
    EXPECT_EQ(topology.GetPortDelay(7), 500'000);
    // Two GPUs a NIC; hosts of a group share the leaf of their NIC 0.
    EXPECT_EQ(topology.GetGpuNic(3), 2U);
    EXPECT_EQ(topology.GetLeaf(2), topology.GetLeaf(0));
    EXPECT_NE(topology.GetLeaf(3), topology.GetLeaf(0));
}

TEST(RailOptimizedTopologyTest, PathsWithinAndBetweenRails)
{
    // 3 spines with 2 parallel links each.
    const auto topology = GenerateGood("RailOptimized",
                                       {{"Groups", "2"},
                                        {"HostsPerGroup", "2"},
                                        {"NicsPerHost", "4"},
                                        {"Spines", "3"},
                                        {"Uplinks", "6"}});
    const auto paths = [&](const char* a, uint32_t nicA, const char* b, uint32_t nicB) {
        return CountPaths(topology, GetNic(topology, a, nicA), GetNic(topology, b, nicB));
    };
    EXPECT_EQ(paths("host0", 1, "host1", 1), std::make_pair(2U, uint64_t{1}));
    // Up by one of 3 x 2 links, down by one of 2 parallel ones.
    EXPECT_EQ(paths("host0", 1, "host1", 2), std::make_pair(4U, uint64_t{12}));
    EXPECT_EQ(paths("host0", 1, "host2", 1), std::make_pair(4U, uint64_t{12}));
    EXPECT_EQ(paths("host0", 1, "host2", 3), std::make_pair(4U, uint64_t{12}));
}

TEST(RailOptimizedTopologyTest, BandwidthBetweenGroups)
{
    // A group sends at most 4 hosts x 2 NICs x 100 Gb/s; its 2 rail switches have 2 uplinks of
    // 100 Gb/s each, so that groups are over-subscribed 2:1. Within a group all NICs send at once.
    const auto topology = GenerateGood("RailOptimized",
                                       {{"Groups", "2"},
                                        {"HostsPerGroup", "4"},
                                        {"NicsPerHost", "2"},
                                        {"Spines", "2"},
                                        {"Uplinks", "2"}});
    EXPECT_EQ(MaxFlow(topology, Range(0, 4), Range(4, 8)), 400 * G);
    EXPECT_EQ(MaxFlow(topology, Range(0, 2), Range(2, 4)), 400 * G);
}

TEST(RailOptimizedTopologyTest, RailOnlyWithoutSpines)
{
    const auto topology = GenerateGood(
        "RailOptimized",
        {{"HostsPerGroup", "3"}, {"NicsPerHost", "4"}, {"Spines", "0"}, {"RailOnly", "true"}});
    EXPECT_EQ(topology.GetNodes().size(), 3U + 4U);
    EXPECT_EQ(topology.GetLinks().size(), 12U);
    const NicIslands islands(topology);
    for (uint32_t a = 0; a < 4; a++)
    {
        for (uint32_t b = 0; b < 4; b++)
        {
            const uint32_t from = GetNic(topology, "host0", a);
            const uint32_t to = GetNic(topology, "host2", b);
            EXPECT_EQ(islands.AreConnected(from, to), a == b);
            EXPECT_EQ(CountPaths(topology, from, to).second, a == b ? 1U : 0U);
        }
    }
    EXPECT_EQ(islands.Explain(GetNic(topology, "host0", 1), GetNic(topology, "host2", 3)),
              "no path leads from host0.nic1 to host2.nic3: host0.nic1 reaches host2.nic1");
}

TEST(RailOptimizedTopologyTest, RailOnlySpinesBelongToARail)
{
    const auto topology = GenerateGood("RailOptimized",
                                       {{"Groups", "3"},
                                        {"HostsPerGroup", "2"},
                                        {"NicsPerHost", "2"},
                                        {"Spines", "4"},
                                        {"Uplinks", "8"},
                                        {"RailOnly", "true"}});
    // 4 spines for each of 2 rails.
    EXPECT_EQ(CountNodes(topology, "spine"), 8U);
    EXPECT_EQ(topology.GetLinks().size(), 6U * 2U + 6U * 8U);
    EXPECT_NE(topology.FindDirectedLink("rail0-spine3#2"), -1);
    EXPECT_EQ(topology.FindDirectedLink("rail0-spine4"), -1);
    EXPECT_NE(topology.FindDirectedLink("rail5-spine4"), -1);
    // Each spine has 2 links to the rail switch of each of 3 groups.
    EXPECT_EQ(topology.GetNodes()[FindNode(topology, "spine7")].ports.size(), 6U);
    const auto nic = [&](const char* host, uint32_t k) { return GetNic(topology, host, k); };
    // 4 spines x 2 parallel links up x 2 down.
    EXPECT_EQ(CountPaths(topology, nic("host0", 1), nic("host4", 1)),
              std::make_pair(4U, uint64_t{16}));
    EXPECT_EQ(CountPaths(topology, nic("host0", 1), nic("host4", 0)).second, 0U);
    EXPECT_EQ(CountPaths(topology, nic("host0", 1), nic("host1", 0)).second, 0U);
}

TEST(RailOptimizedTopologyTest, FaultsOfAttributes)
{
    EXPECT_EQ(
        GenerateBad("RailOptimized", {{"Spines", "0"}}),
        std::vector<std::string>{"Spines is 0, and then rails do not meet: write RailOnly: true"});
    EXPECT_EQ(
        GenerateBad("RailOptimized", {{"Spines", "0"}, {"RailOnly", "true"}, {"Groups", "2"}}),
        std::vector<std::string>{"Spines is 0, and then the 2 groups do not meet"});
    EXPECT_EQ(
        GenerateBad(
            "RailOptimized",
            {{"Spines", "2"}, {"Uplinks", "3"}, {"NicRate", "0bps"}, {"UplinkRate", "0bps"}}),
        (std::vector<std::string>{"Uplinks is 3, which is not a multiple of Spines (2): the "
                                  "uplinks of a rail switch are spread evenly over the spines",
                                  "NicRate is 0",
                                  "UplinkRate is 0"}));
    // (4096 x 65536 hosts + 4096 groups x 2 uplinks) x 8 rails.
    EXPECT_EQ(GenerateBad("RailOptimized", {{"Groups", "4096"}, {"HostsPerGroup", "65536"}}),
              (std::vector<std::string>{
                  "Groups, HostsPerGroup, NicsPerHost and Uplinks make 2147549184 links: at most "
                  "1048576 are supported",
                  "Groups, HostsPerGroup and GpusPerHost make 2147483648 GPUs: at most 1048576 are "
                  "supported"}));
}

TEST(RailOptimizedTopologyTest, RandomParameters)
{
    std::mt19937 random(1);
    const auto draw = [&random](uint32_t low, uint32_t high) {
        return low + static_cast<uint32_t>(random() % (high - low + 1));
    };
    for (int run = 0; run < 100; run++)
    {
        const uint32_t groups = draw(1, 4);
        const uint32_t hosts = draw(1, 5);
        const uint32_t nics = draw(1, 6);
        const uint32_t spines = draw(1, 4);
        const uint32_t parallel = draw(1, 3);
        const bool railOnly = draw(0, 1) == 1;
        const auto topology = GenerateGood("RailOptimized",
                                           {{"Groups", std::to_string(groups)},
                                            {"HostsPerGroup", std::to_string(hosts)},
                                            {"NicsPerHost", std::to_string(nics)},
                                            {"Spines", std::to_string(spines)},
                                            {"Uplinks", std::to_string(spines * parallel)},
                                            {"RailOnly", railOnly ? "true" : "false"}});
        EXPECT_EQ(topology.GetLinks().size(),
                  groups * nics * (hosts + static_cast<std::size_t>(spines) * parallel));
        EXPECT_EQ(CountNodes(topology, "spine"), railOnly ? spines * nics : spines);
        const uint32_t a = draw(0, groups * hosts - 1);
        const uint32_t b = draw(0, groups * hosts - 1);
        const uint32_t i = draw(0, nics - 1);
        const uint32_t j = draw(0, nics - 1);
        if (a == b)
        {
            continue;
        }
        const uint32_t from = topology.GetNodes()[a].ports[i];
        const uint32_t to = topology.GetNodes()[b].ports[j];
        const bool direct = a / hosts == b / hosts && i == j;
        const uint64_t expected =
            direct ? 1 : (railOnly && i != j ? 0 : spines * parallel * parallel);
        EXPECT_EQ(CountPaths(topology, from, to).second, expected);
        EXPECT_EQ(NicIslands(topology).AreConnected(from, to), expected > 0);
    }
}
