/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

#include "ns3/topology-generator.h"

#include <set>

namespace ns3
{

class FatTreeTopologyTest : public NetworkFixture
{
  protected:
    using Settings = std::vector<std::pair<std::string, std::string>>;

    static ClusterTopology Generate(const Settings& settings, std::vector<std::string>& errors)
    {
        ObjectFactory factory("ns3::FatTreeTopology");
        for (const auto& setting : settings)
        {
            factory.Set(setting.first, StringValue(setting.second));
        }
        std::vector<TopologyFault> faults;
        ClusterTopology topology = factory.Create<TopologyGenerator>()->Generate(faults);
        for (const TopologyFault& fault : faults)
        {
            errors.push_back(fault.ToSentence());
        }
        return topology;
    }

    static ClusterTopology GenerateGood(const Settings& settings)
    {
        std::vector<std::string> errors;
        ClusterTopology graph = Generate(settings, errors);
        EXPECT_EQ(errors, std::vector<std::string>());
        EXPECT_TRUE(graph.Validate().empty());
        return graph;
    }

    static std::vector<std::string> GenerateBad(const Settings& settings)
    {
        std::vector<std::string> errors;
        Generate(settings, errors);
        return errors;
    }
};

TEST_F(FatTreeTopologyTest, CountsOfAnyEvenK)
{
    // K^3/4 hosts, K^2/2 edge and as many aggregation switches, K^2/4 cores; each switch has K
    // ports.
    for (uint32_t k : {2u, 4u, 6u, 8u, 16u})
    {
        ClusterTopology graph = GenerateGood({{"K", std::to_string(k)}, {"GpusPerHost", "4"}});
        const uint32_t hosts = k * k * k / 4;
        EXPECT_EQ(graph.GetNodes().size(), hosts + k * k + k * k / 4);
        EXPECT_EQ(graph.GetLinks().size(), 3 * hosts);
        EXPECT_EQ(graph.GetGpuCount(), 4 * hosts);
        for (const TopologyNode& node : graph.GetNodes())
        {
            bool isHost = node.kind == TopologyNodeKind::HOST;
            EXPECT_EQ(node.ports.size(), isHost ? 1 : k) << node.name;
        }
        EXPECT_EQ(graph.FindNode("host" + std::to_string(hosts - 1)), hosts - 1);
        EXPECT_NE(graph.FindNode("core" + std::to_string(k * k / 4 - 1)), -1);
        EXPECT_EQ(graph.FindNode("core" + std::to_string(k * k / 4)), -1);
    }
}

TEST_F(FatTreeTopologyTest, CablingOfK4)
{
    ClusterTopology graph = GenerateGood({{"NicRate", "400Gbps"}, {"LinkDelay", "500ns"}});
    auto name = [&](uint32_t port) { return graph.GetDirectedLinkName(port); };
    EXPECT_EQ(name(0), "host0-edge0");
    EXPECT_EQ(name(2 * 15), "host15-edge7");
    // 16 links of hosts, then 16 of edges, then 16 of aggregation switches.
    EXPECT_EQ(name(2 * 16), "edge0-agg0");
    EXPECT_EQ(name(2 * 17), "edge0-agg1");
    EXPECT_EQ(name(2 * 18), "edge1-agg0");
    EXPECT_EQ(name(2 * 31), "edge7-agg7");
    EXPECT_EQ(name(2 * 32), "agg0-core0");
    EXPECT_EQ(name(2 * 33), "agg0-core1");
    EXPECT_EQ(name(2 * 34), "agg1-core2");
    EXPECT_EQ(name(2 * 36), "agg2-core0");
    EXPECT_EQ(name(2 * 47), "agg7-core3");
    for (uint32_t port = 0; port < graph.GetPortCount(); ++port)
    {
        EXPECT_EQ(graph.GetPortRate(port), 400 * G);
        EXPECT_EQ(graph.GetPortDelay(port), US / 2);
    }
}

TEST_F(FatTreeTopologyTest, PathsBetweenPods)
{
    // Same edge 1 path of 2 links, same pod K/2 of 4, another pod K^2/4 of 6.
    ClusterTopology graph = GenerateGood({{"K", "6"}});
    RoutingTable routing;
    routing.Build(graph, 1);
    auto nic = [&](uint32_t host) { return graph.GetNodes()[host].ports[0]; };
    EXPECT_EQ(routing.GetPaths(nic(0), nic(2)).size(), 1u);
    EXPECT_EQ(routing.GetPaths(nic(0), nic(3)).size(), 3u);
    auto paths = routing.GetPaths(nic(0), nic(53));
    EXPECT_EQ(paths.size(), 9u);
    EXPECT_EQ(paths[0].size(), 6u);
}

TEST_F(FatTreeTopologyTest, Oversubscription)
{
    // K = 4 with 3 hosts for each of an edge's 2 uplinks: 8 edges x 6 hosts.
    ClusterTopology graph = GenerateGood({{"Oversubscription", "3"}, {"GpusPerHost", "1"}});
    EXPECT_EQ(graph.GetGpuCount(), 48u);
    EXPECT_EQ(graph.GetNodes()[graph.FindNode("edge3")].ports.size(), 8u);
    EXPECT_EQ(graph.GetDirectedLinkName(2 * 23), "host23-edge3");
    EXPECT_EQ(graph.GetDirectedLinkName(2 * 24), "host24-edge4");
    EXPECT_EQ(graph.GetLinks().size(), 48u + 32u);
}

TEST_F(FatTreeTopologyTest, FaultsOfAttributes)
{
    EXPECT_EQ(
        GenerateBad({{"K", "5"}, {"NicRate", "0bps"}}),
        (std::vector<std::string>{"K is 5, which is not even: half of a switch's ports go up, "
                                  "half down",
                                  "NicRate is 0"}));
    // 3 x 512^3 / 4 links, 8 x 512^3 / 4 GPUs.
    EXPECT_EQ(GenerateBad({{"K", "512"}}),
              (std::vector<std::string>{"K and Oversubscription make 100663296 links: at most "
                                        "1048576 are supported",
                                        "K, Oversubscription and GpusPerHost make 268435456 GPUs: "
                                        "at most 1048576 are supported"}));
}

TEST_F(FatTreeTopologyTest, EveryCoreLinkIsUsed)
{
    // 256 flows over a K = 4 tree, of which 12 in 15 cross pods: 205 on 16 links up to the cores
    // and 16 down. Polarisation would leave half of them empty.
    for (uint64_t seed = 1; seed <= 5; ++seed)
    {
        Build(GenerateGood({}), seed);
        std::vector<PlainFlow> list;
        for (uint32_t i = 0; i < 256; ++i)
        {
            uint32_t from = i % 16;
            list.push_back(Flow(from, (from + 1 + i / 16 % 15) % 16, 1'000));
        }
        Run(list);
        EXPECT_EQ(transfers.size(), 256u);
        uint32_t most = 0;
        for (uint32_t link = 2 * 32; link < 2 * 48; ++link)
        {
            uint64_t frames = network.GetFabric()->GetLinkCounters(link, 4).frames;
            EXPECT_GT(frames, 0u) << topology.GetDirectedLinkName(link) << ", seed " << seed;
            most = std::max(most, static_cast<uint32_t>(frames));
        }
        // 205 / 16 = 12.8 on average, standard deviation 3.5.
        EXPECT_LT(most, 13 + 5 * 4u);
        CheckConservation();
        Restart();
    }
}

} // namespace ns3
