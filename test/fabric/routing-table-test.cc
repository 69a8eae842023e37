/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"
#include "../fixture/peer-workloads.h"

#include "ns3/topology-generator.h"

#include <cmath>
#include <filesystem>
#include <set>

namespace ns3
{

namespace
{

/// A fat-tree of k-port switches: k pods of k/2 edge and k/2 aggregation switches, k^2/4 cores.
ClusterTopology
FatTree(uint32_t k)
{
    ClusterTopology graph;
    const uint32_t half = k / 2;
    for (uint32_t host = 0; host < k * half * half; ++host)
    {
        graph.AddHost("h" + std::to_string(host), 1);
    }
    std::vector<uint32_t> edges;
    std::vector<uint32_t> aggregations;
    std::vector<uint32_t> cores;
    for (uint32_t i = 0; i < k * half; ++i)
    {
        edges.push_back(graph.AddSwitch("edge" + std::to_string(i)));
        aggregations.push_back(graph.AddSwitch("agg" + std::to_string(i)));
    }
    for (uint32_t i = 0; i < half * half; ++i)
    {
        cores.push_back(graph.AddSwitch("core" + std::to_string(i)));
    }
    for (uint32_t host = 0; host < k * half * half; ++host)
    {
        graph.AddLink(host, edges[host / half], 100'000'000'000, 1'000'000);
    }
    for (uint32_t pod = 0; pod < k; ++pod)
    {
        for (uint32_t i = 0; i < half; ++i)
        {
            for (uint32_t j = 0; j < half; ++j)
            {
                graph.AddLink(edges[pod * half + i],
                              aggregations[pod * half + j],
                              100'000'000'000,
                              1'000'000);
            }
        }
        for (uint32_t j = 0; j < half; ++j)
        {
            for (uint32_t i = 0; i < half; ++i)
            {
                graph.AddLink(aggregations[pod * half + j],
                              cores[j * half + i],
                              100'000'000'000,
                              1'000'000);
            }
        }
    }
    return graph;
}

/// Whether each link of a path starts where the previous one ends.
bool
IsConnected(const ClusterTopology& graph, const std::vector<uint32_t>& path)
{
    for (size_t i = 1; i < path.size(); ++i)
    {
        if (graph.GetPortNode(path[i - 1] ^ 1) != graph.GetPortNode(path[i]))
        {
            return false;
        }
    }
    return !path.empty();
}

} // namespace

class RoutingTableTest : public NetworkFixture
{
  protected:
    uint32_t NicOf(const ClusterTopology& graph, const std::string& host, uint32_t index = 0)
    {
        return graph.GetNodes()[graph.FindNode(host)].ports[index];
    }

    Ptr<EcmpPathSelector> selector = CreateObject<EcmpPathSelector>();
    RoutingTable routing;
};

TEST_F(RoutingTableTest, LeafSpineWithParallelLinks)
{
    // 2 leaves with 2 hosts, 2 spines, 2 parallel links to each: 2 x 2 ways up, 2 ways down.
    ClusterTopology graph = LeafSpine(2, 2, 2, 100 * G, 100 * G, US, 2);
    routing.Build(graph, 1);
    EXPECT_EQ(routing.GetSwitchCount(), 4u);
    EXPECT_EQ(routing.GetSwitchIndex(0), UINT32_MAX);
    EXPECT_EQ(routing.GetSwitchIndex(4), 0u);
    EXPECT_EQ(routing.GetSwitchIndex(7), 3u);
    auto paths = routing.GetPaths(NicOf(graph, "h0"), NicOf(graph, "h2"));
    EXPECT_EQ(paths.size(), 8u);
    std::set<std::vector<uint32_t>> distinct(paths.begin(), paths.end());
    EXPECT_EQ(distinct.size(), 8u);
    for (const auto& path : paths)
    {
        ASSERT_EQ(path.size(), 4u);
        EXPECT_TRUE(IsConnected(graph, path));
        EXPECT_EQ(path.front(), NicOf(graph, "h0"));
        EXPECT_EQ(path.back() ^ 1, NicOf(graph, "h2"));
    }
    // Under one leaf there is one path, over that leaf only.
    paths = routing.GetPaths(NicOf(graph, "h0"), NicOf(graph, "h1"));
    ASSERT_EQ(paths.size(), 1u);
    EXPECT_EQ(paths[0], (std::vector<uint32_t>{NicOf(graph, "h0"), NicOf(graph, "h1") ^ 1}));
    // To itself over its leaf.
    paths = routing.GetPaths(NicOf(graph, "h0"), NicOf(graph, "h0"));
    ASSERT_EQ(paths.size(), 1u);
    EXPECT_EQ(paths[0], (std::vector<uint32_t>{NicOf(graph, "h0"), NicOf(graph, "h0") ^ 1}));
}

TEST_F(RoutingTableTest, FatTreePaths)
{
    ClusterTopology graph = FatTree(4);
    routing.Build(graph, 1);
    EXPECT_EQ(routing.GetSwitchCount(), 20u);
    // Same edge 1 path of 2 links, same pod 2 of 4, another pod 4 of 6.
    auto near = routing.GetPaths(NicOf(graph, "h0"), NicOf(graph, "h1"));
    auto pod = routing.GetPaths(NicOf(graph, "h0"), NicOf(graph, "h3"));
    auto far = routing.GetPaths(NicOf(graph, "h0"), NicOf(graph, "h12"));
    ASSERT_EQ(near.size(), 1u);
    ASSERT_EQ(pod.size(), 2u);
    ASSERT_EQ(far.size(), 4u);
    EXPECT_EQ(near[0].size(), 2u);
    EXPECT_EQ(pod[0].size(), 4u);
    EXPECT_EQ(far[0].size(), 6u);
    for (const auto& path : far)
    {
        EXPECT_TRUE(IsConnected(graph, path));
    }
}

TEST_F(RoutingTableTest, ShortestPathsOnly)
{
    // a - s0 - s1 - b, with a way round over s2 that is one longer.
    ClusterTopology graph;
    uint32_t a = graph.AddHost("a", 1);
    uint32_t b = graph.AddHost("b", 1);
    uint32_t s0 = graph.AddSwitch("s0");
    uint32_t s1 = graph.AddSwitch("s1");
    uint32_t s2 = graph.AddSwitch("s2");
    graph.AddLink(a, s0, 100 * G, US);
    graph.AddLink(s0, s2, 100 * G, US);
    graph.AddLink(s2, s1, 100 * G, US);
    graph.AddLink(s0, s1, 10 * G, 10 * US); // slower, but shorter in hops
    graph.AddLink(s1, b, 100 * G, US);
    routing.Build(graph, 1);
    auto paths = routing.GetPaths(0, 9);
    ASSERT_EQ(paths.size(), 1u);
    EXPECT_EQ(paths[0], (std::vector<uint32_t>{0, 6, 8}));
}

TEST_F(RoutingTableTest, EveryHashTakesAListedPathAndAllAreTaken)
{
    ClusterTopology graph = FatTree(4);
    routing.Build(graph, 3);
    uint32_t from = NicOf(graph, "h1");
    uint32_t to = NicOf(graph, "h14");
    auto paths = routing.GetPaths(from, to);
    std::map<std::vector<uint32_t>, uint32_t> taken;
    const uint32_t count = 4000;
    for (uint32_t port = 1; port <= count; ++port)
    {
        ++taken[routing.GetPath(from, to, HashFiveTuple(from, to, port), *selector)];
    }
    ASSERT_EQ(taken.size(), paths.size());
    for (const auto& path : paths)
    {
        // 1,000 expected of each; standard deviation sqrt(4000 x 1/4 x 3/4) = 27.
        EXPECT_NEAR(taken[path], count / 4, 4.5 * 27);
    }
}

TEST_F(RoutingTableTest, FoundSourcePortTakesExactlyThePath)
{
    for (const ClusterTopology& graph :
         {FatTree(4), LeafSpine(4, 4, 4, 100 * G, 100 * G, US, 2), FatTree(8)})
    {
        routing.Build(graph, 5);
        for (uint32_t host : {1u, 7u, 15u})
        {
            uint32_t from = NicOf(graph, "h0");
            uint32_t to = NicOf(graph, "h" + std::to_string(host));
            for (const auto& path : routing.GetPaths(from, to))
            {
                int32_t port = routing.FindUdpSourcePort(from, to, path, *selector);
                ASSERT_GT(port, 0);
                EXPECT_EQ(routing.GetPath(from, to, HashFiveTuple(from, to, port), *selector),
                          path);
            }
            std::vector<uint32_t> none = {from};
            EXPECT_EQ(routing.FindUdpSourcePort(from, to, none, *selector), -1);
        }
    }
}

TEST_F(RoutingTableTest, ProbesToCoverAllPathsAreTheCouponCollectors)
{
    // To have found a port for each of n paths takes n H_n probes on average: 8.33 for 4, 54.1 for
    // 16. The standard deviation of one trial is less than n pi / sqrt(6).
    for (uint32_t paths : {4u, 16u})
    {
        ClusterTopology graph = LeafSpine(2, 20, paths, 100 * G, 100 * G, US);
        routing.Build(graph, 11);
        double sum = 0;
        uint32_t trials = 0;
        for (uint32_t a = 0; a < 20; ++a)
        {
            for (uint32_t b = 20; b < 40; ++b)
            {
                int32_t most = 0;
                for (const auto& path : routing.GetPaths(2 * a, 2 * b))
                {
                    most =
                        std::max(most,
                                 routing.FindUdpSourcePort(2 * a, 2 * b, path, *selector) - 49'151);
                }
                sum += most;
                ++trials;
            }
        }
        double harmonic = 0;
        for (uint32_t i = 1; i <= paths; ++i)
        {
            harmonic += 1.0 / i;
        }
        double sigma = paths * 1.2825 / std::sqrt(trials);
        EXPECT_NEAR(sum / trials, paths * harmonic, 3.5 * sigma) << paths;
    }
}

TEST_F(RoutingTableTest, SeedsChangeTheChoice)
{
    ClusterTopology graph = LeafSpine(2, 2, 8, 100 * G, 100 * G, US);
    RoutingTable other;
    routing.Build(graph, 1);
    other.Build(graph, 2);
    uint32_t different = 0;
    for (uint32_t port = 1; port <= 1000; ++port)
    {
        uint64_t hash = HashFiveTuple(0, 4, port);
        different += routing.GetPath(0, 4, hash, *selector) != other.GetPath(0, 4, hash, *selector);
    }
    // 7 of 8 on average.
    EXPECT_NEAR(different, 875, 50);
}

TEST_F(RoutingTableTest, SeparateRailsAreNotReachable)
{
    // Two hosts with a NIC on each of two switches that no cable joins.
    ClusterTopology graph;
    uint32_t a = graph.AddHost("a", 2);
    uint32_t b = graph.AddHost("b", 2);
    uint32_t rail0 = graph.AddSwitch("rail0");
    uint32_t rail1 = graph.AddSwitch("rail1");
    graph.AddLink(a, rail0, 100 * G, US);
    graph.AddLink(a, rail1, 100 * G, US);
    graph.AddLink(b, rail0, 100 * G, US);
    graph.AddLink(b, rail1, 100 * G, US);
    EXPECT_TRUE(graph.Validate().empty());
    routing.Build(graph, 1);
    uint64_t hash = HashFiveTuple(0, 6, 50'000);
    EXPECT_TRUE(routing.GetPaths(0, 6).empty());
    EXPECT_TRUE(routing.GetPath(0, 6, hash, *selector).empty());
    EXPECT_EQ(routing.GetPath(0, 4, hash, *selector), (std::vector<uint32_t>{0, 5}));
    EXPECT_EQ(routing.GetPath(2, 6, hash, *selector), (std::vector<uint32_t>{2, 7}));
    EXPECT_EQ(routing.FindUdpSourcePort(0, 6, {0, 7}, *selector), -1);
    // Neither switch knows a way to the other's NICs, however it chooses.
    for (uint32_t rail : {0u, 1u})
    {
        for (uint32_t nic : {0u, 2u, 4u, 6u})
        {
            bool here = nic / 2 % 2 == rail;
            uint32_t port = here ? nic ^ 1 : RoutingTable::NO_PORT;
            EXPECT_EQ(routing.Route(rail, nic, hash, *selector), port);
            const RoutingTable::NextHops hops = routing.GetNextHops(rail, nic);
            EXPECT_EQ(hops.count, here ? 0u : 1u);
            EXPECT_EQ(here ? nic ^ 1 : hops.ports[0], port);
        }
    }
}

TEST_F(RoutingTableTest, HostsCabledToEachOtherDoNotForward)
{
    ClusterTopology graph;
    uint32_t a = graph.AddHost("a", 1);
    uint32_t b = graph.AddHost("b", 1);
    uint32_t c = graph.AddHost("c", 1);
    graph.AddLink(a, b, 100 * G, US);
    graph.AddLink(b, c, 100 * G, US);
    routing.Build(graph, 1);
    EXPECT_EQ(routing.GetPath(0, 1, 99, *selector), (std::vector<uint32_t>{0}));
    EXPECT_EQ(routing.GetPaths(0, 1), (std::vector<std::vector<uint32_t>>{{0}}));
    EXPECT_TRUE(routing.GetPath(0, 3, 99, *selector).empty());
    EXPECT_TRUE(routing.GetPaths(0, 3).empty());
}

TEST_F(RoutingTableTest, PeerTopologyFileGivesTheSameGraph)
{
    const std::string file = GetPeerWorkloads() + "/T16.hpcc";
    if (!std::filesystem::exists(file))
    {
        GTEST_SKIP() << file << " is not here";
    }
    // 16 hosts of 100 Gb/s under 4 leaves, one spine of 400 Gb/s.
    ClusterTopology built = LeafSpine(4, 4, 1, 100 * G, 400 * G, US);
    ObjectFactory factory("ns3::HpccTopology");
    factory.Set("File", StringValue(file));
    std::vector<TopologyFault> errors;
    ClusterTopology read = factory.Create<TopologyGenerator>()->Generate(errors);
    ASSERT_TRUE(errors.empty()) << errors[0].ToSentence();
    ASSERT_EQ(read.GetLinks().size(), built.GetLinks().size());
    for (size_t i = 0; i < built.GetLinks().size(); ++i)
    {
        EXPECT_EQ(read.GetLinks()[i].nodeA, built.GetLinks()[i].nodeA);
        EXPECT_EQ(read.GetLinks()[i].nodeB, built.GetLinks()[i].nodeB);
        EXPECT_EQ(read.GetLinks()[i].rateBps, built.GetLinks()[i].rateBps);
        EXPECT_EQ(read.GetLinks()[i].delayPs, built.GetLinks()[i].delayPs);
    }
    routing.Build(read, 1);
    EXPECT_EQ(routing.GetPaths(0, 8).size(), 1u);
    EXPECT_EQ(routing.GetPaths(0, 8)[0].size(), 4u);
}

} // namespace ns3
