/* SPDX-License-Identifier: GPL-2.0-only */

#include "../fixture/topology-fixture.h"

#include <random>

using namespace ns3;
using namespace topology_test;

namespace
{

constexpr uint64_t GIB = 8ULL << 30; ///< 1 GB/s of ASTRA-sim [bit/s]

std::string
Write(const ScenarioFolder& folder,
      const std::string& kinds,
      const std::string& npus,
      const std::string& bandwidth,
      const std::string& latency)
{
    return folder.Write("network.yml",
                        "topology: [" + kinds + "]\nnpus_count: [" + npus + "]\nbandwidth: [" +
                            bandwidth + "]\nlatency: [" + latency + "]\n");
}

/// Links and number of shortest paths between two hosts by their first NICs.
std::pair<uint32_t, uint64_t>
Paths(const ClusterTopology& topology, uint32_t a, uint32_t b)
{
    return CountPaths(topology, topology.GetNodes()[a].ports[0], topology.GetNodes()[b].ports[0]);
}

/// Errors of a file, without its name.
std::vector<std::string>
GetErrors(const std::string& text)
{
    const ScenarioFolder folder;
    const std::string file = folder.Write("n.yml", text);
    std::vector<std::string> errors = GenerateBad("AstraSim", {{"File", file}});
    for (std::string& error : errors)
    {
        if (error.compare(0, file.size(), file) == 0)
        {
            error.erase(0, file.size());
        }
    }
    return errors;
}

} // namespace

TEST(AstraSimTopologyTest, OneSwitchIsAStar)
{
    const ScenarioFolder folder;
    const auto topology =
        GenerateGood("AstraSim", {{"File", Write(folder, "Switch", "4", "50.0", "500.0")}});
    EXPECT_EQ(topology.GetNodes().size(), 5U);
    EXPECT_EQ(topology.GetGpuCount(), 4U);
    ASSERT_EQ(topology.GetLinks().size(), 4U);
    EXPECT_EQ(topology.GetDirectedLinkName(6), "host3-switch0");
    // 1 GB is 2^30 B.
    EXPECT_EQ(topology.GetPortRate(0), 50 * GIB);
    EXPECT_EQ(topology.GetPortDelay(0), 500'000);
    EXPECT_EQ(GenerateGood(
                  "AstraSim",
                  {{"File", Write(folder, "Switch", "4", "50", "500")}, {"Gigabyte", "1000000000"}})
                  .GetPortRate(0),
              400'000'000'000U);
}

TEST(AstraSimTopologyTest, Ring)
{
    const ScenarioFolder folder;
    const auto topology =
        GenerateGood("AstraSim", {{"File", Write(folder, "Ring", "6", "10", "20")}});
    // 6 hosts and routers; 6 cables and 6 links of the ring.
    EXPECT_EQ(topology.GetNodes().size(), 12U);
    ASSERT_EQ(topology.GetLinks().size(), 12U);
    EXPECT_EQ(topology.GetDirectedLinkName(0), "host0-router0");
    EXPECT_EQ(topology.GetPortRate(0), 2 * 10 * GIB); // both neighbours at once
    EXPECT_EQ(topology.GetPortDelay(0), 0);
    EXPECT_EQ(topology.GetDirectedLinkName(2 * 6), "router0-router1");
    EXPECT_EQ(topology.GetDirectedLinkName(2 * 11), "router5-router0");
    EXPECT_EQ(topology.GetPortRate(2 * 6), 10 * GIB);
    EXPECT_EQ(topology.GetPortDelay(2 * 6), 20'000);
    EXPECT_EQ(Paths(topology, 0, 1), std::make_pair(3U, uint64_t{1}));
    EXPECT_EQ(Paths(topology, 0, 4), std::make_pair(4U, uint64_t{1}));
    EXPECT_EQ(Paths(topology, 0, 3), std::make_pair(5U, uint64_t{2})); // either way round
    // Halves of a ring have two links between them.
    EXPECT_EQ(MaxFlow(topology, Range(0, 3), Range(3, 6)), 2 * 10 * GIB);
    // Two NPUs have one link.
    const auto two = GenerateGood("AstraSim", {{"File", Write(folder, "Ring", "2", "10", "20")}});
    EXPECT_EQ(two.GetLinks().size(), 3U);
    EXPECT_EQ(two.GetPortRate(0), 10 * GIB);
}

TEST(AstraSimTopologyTest, FullyConnected)
{
    const ScenarioFolder folder;
    const auto topology =
        GenerateGood("AstraSim", {{"File", Write(folder, "FullyConnected", "5", "10", "0")}});
    ASSERT_EQ(topology.GetLinks().size(), 5U + 10U);
    EXPECT_EQ(topology.GetPortRate(0), 4 * 10 * GIB);
    for (uint32_t other = 1; other < 5; other++)
    {
        EXPECT_EQ(Paths(topology, 0, other), std::make_pair(3U, uint64_t{1}));
    }
    // 2 x 3 pairs.
    EXPECT_EQ(MaxFlow(topology, Range(0, 2), Range(2, 5)), 6 * 10 * GIB);
}

TEST(AstraSimTopologyTest, ThreeDimensions)
{
    // ASTRA-sim's example: 2 x 8 x 4 NPUs.
    const ScenarioFolder folder;
    const auto topology = GenerateGood("AstraSim",
                                       {{"File",
                                         Write(folder,
                                               "Ring, FullyConnected, Switch",
                                               "2, 8, 4",
                                               "200.0, 100.0, 50.0",
                                               "50.0, 500.0, 2000.0")}});
    EXPECT_EQ(CountNodes(topology, "host"), 64U);
    EXPECT_EQ(CountNodes(topology, "router"), 64U);
    EXPECT_EQ(CountNodes(topology, "switch"), 16U); // one for each place of the first two
    // 64 cables; 32 rings of one link; 8 groups of 28 pairs; 16 switches of 4 links.
    EXPECT_EQ(topology.GetLinks().size(), 64U + 32 + 8 * 28 + 64);
    EXPECT_EQ(topology.GetPortRate(0), (200 + 7 * 100 + 50) * GIB);
    EXPECT_NE(topology.FindDirectedLink("router0-router1"), -1);
    EXPECT_NE(topology.FindDirectedLink("router0-router14"), -1);
    EXPECT_EQ(topology.FindDirectedLink("router0-router3"), -1);
    EXPECT_NE(topology.FindDirectedLink("router48-switch0"), -1);
    EXPECT_NE(topology.FindDirectedLink("router63-switch15"), -1);
    const int64_t link = topology.FindDirectedLink("router17-switch1");
    ASSERT_GE(link, 0);
    EXPECT_EQ(topology.GetPortRate(static_cast<uint32_t>(link)), 50 * GIB);
    EXPECT_EQ(topology.GetPortDelay(static_cast<uint32_t>(link)), 2'000'000);
    // A switch costs two links. All orders of the differing dimensions are shortest paths.
    EXPECT_EQ(Paths(topology, 0, 1), std::make_pair(3U, uint64_t{1}));
    EXPECT_EQ(Paths(topology, 0, 2 + 1), std::make_pair(4U, uint64_t{2}));
    EXPECT_EQ(Paths(topology, 0, 16), std::make_pair(4U, uint64_t{1}));
    EXPECT_EQ(Paths(topology, 0, 16 + 2 + 1), std::make_pair(6U, uint64_t{6}));
}

TEST(AstraSimTopologyTest, RandomDimensions)
{
    std::mt19937 random(4);
    const std::vector<std::string> names{"Ring", "FullyConnected", "Switch"};
    const ScenarioFolder folder;
    for (uint32_t run = 0; run < 60; run++)
    {
        std::string kinds;
        std::string npus;
        std::string ones;
        uint32_t total = 1;
        std::vector<std::pair<uint32_t, uint32_t>> dimensions;
        for (uint32_t d = 0; d < 1 + run % 3; d++)
        {
            dimensions.emplace_back(random() % 3, 1 + random() % 5);
            const std::string comma = d > 0 ? ", " : "";
            kinds += comma + names[dimensions[d].first];
            npus += comma + std::to_string(dimensions[d].second);
            ones += comma + "1";
            total *= dimensions[d].second;
        }
        const auto topology =
            GenerateGood("AstraSim", {{"File", Write(folder, kinds, npus, ones, ones)}});
        // Links between two NPUs: the sum over the dimensions in which they differ.
        const uint32_t a = random() % total;
        const uint32_t b = random() % total;
        if (a == b)
        {
            continue;
        }
        const bool star = dimensions.size() == 1 && dimensions[0].first == 2;
        uint32_t length = star ? 0 : 2;
        for (uint32_t d = 0, x = a, y = b; d < dimensions.size(); d++)
        {
            const auto [kind, n] = dimensions[d];
            const uint32_t gap = std::max(x % n, y % n) - std::min(x % n, y % n);
            length += gap == 0 ? 0 : kind == 2 ? 2 : kind == 1 ? 1 : std::min(gap, n - gap);
            x /= n;
            y /= n;
        }
        EXPECT_EQ(Paths(topology, a, b).first, length) << kinds << " " << npus << a << " " << b;
    }
}

TEST(AstraSimTopologyTest, FaultsOfFiles)
{
    EXPECT_EQ(GenerateBad("AstraSim", {}), std::vector<std::string>{"File is missing"});
    EXPECT_EQ(GetErrors("topology: [Ring]\nnpus_count: [4]\nbandwidth: [1]\n"),
              std::vector<std::string>{":1:1: latency is missing"});
    EXPECT_EQ(GetErrors("topology: [Rings, Switch]\nnpus_count: [4, 1.5]\nbandwidth: [0, 1]\n"
                        "latency: [1]\n"),
              (std::vector<std::string>{
                  ":1:12: unknown kind \"Rings\", did you mean \"Ring\"? Valid kinds: "
                  "FullyConnected, Ring, Switch",
                  ":2:17: \"1.5\" is not a whole number from 1 to 1048576",
                  ":3:13: \"0\" must be above 0",
                  ":4:10: latency: has 1 values for 2 dimensions of topology"}));
    EXPECT_EQ(GetErrors("topology: [Ring]\nnpus_count: [4]\nbandwidth: [1e9]\nlatency: [-1]\n"),
              (std::vector<std::string>{":3:13: \"1e9\" is too large",
                                        ":4:11: \"-1\" must be 0 or more"}));
    EXPECT_EQ(GetErrors("topology: [Ring, Ring]\nnpus_count: [1048576, 1048576]\n"
                        "bandwidth: [1, 1]\nlatency: [1, 1]\n")
                  .size(),
              2U);
}
