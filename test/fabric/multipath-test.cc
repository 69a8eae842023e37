/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

#include <set>

namespace ns3
{

class MultipathTest : public NetworkFixture
{
  protected:
    /// A k = 4 fat-tree: hosts 0 to 15, then edges, aggregations and cores.
    static ClusterTopology FatTree()
    {
        ClusterTopology graph;
        for (uint32_t i = 0; i < 16; ++i)
        {
            graph.AddHost("h" + std::to_string(i), 1);
        }
        for (const char* tier : {"edge", "agg"})
        {
            for (uint32_t i = 0; i < 8; ++i)
            {
                graph.AddSwitch(tier + std::to_string(i));
            }
        }
        for (uint32_t i = 0; i < 4; ++i)
        {
            graph.AddSwitch("core" + std::to_string(i));
        }
        for (uint32_t i = 0; i < 16; ++i)
        {
            graph.AddLink(i, 16 + i / 2, 100 * G, US);
        }
        for (uint32_t i = 0; i < 8; ++i)
        {
            for (uint32_t j = 0; j < 2; ++j)
            {
                graph.AddLink(16 + i, 24 + i / 2 * 2 + j, 100 * G, US);
                graph.AddLink(24 + i, 32 + i % 2 * 2 + j, 100 * G, US);
            }
        }
        return graph;
    }

    /// 256 flows of one frame or two, every host to every other one over again.
    std::vector<PlainFlow> ManyFlows(uint32_t hosts)
    {
        std::vector<PlainFlow> list;
        for (uint32_t i = 0; i < 256; ++i)
        {
            uint32_t from = i % hosts;
            uint32_t to = (from + hosts / 2 + i / hosts % (hosts / 4)) % hosts;
            list.push_back(Flow(from, to, 5'000));
        }
        return list;
    }
};

TEST_F(MultipathTest, EveryLinkOfAFatTreeIsUsed)
{
    // ECMP polarisation would leave half of the cores idle.
    for (uint64_t seed = 1; seed <= 5; ++seed)
    {
        Build(FatTree(), seed);
        Run(ManyFlows(16));
        EXPECT_EQ(transfers.size(), 256u);
        CheckConservation();
        uint64_t most = 0;
        uint64_t least = UINT64_MAX;
        for (uint32_t link = 0; link < topology.GetPortCount(); ++link)
        {
            uint64_t bytes = network.GetFabric()->GetLinkCounters(link, 4).bytes;
            EXPECT_GT(bytes, 0u) << topology.GetDirectedLinkName(link);
            if (topology.GetDirectedLinkName(link).rfind("core", 0) == 0)
            {
                most = std::max(most, bytes);
                least = std::min(least, bytes);
            }
        }
        // 16 links down from the cores carry 16 flows each on average.
        EXPECT_LT(most, 4 * least);
        Restart();
    }
}

TEST_F(MultipathTest, ParallelLinksAreUsed)
{
    // Two leaves, two spines and three parallel cables between each.
    Build(LeafSpine(2, 8, 2, 100 * G, 100 * G, US, 3));
    Run(ManyFlows(16));
    EXPECT_EQ(transfers.size(), 256u);
    CheckConservation();
    for (uint32_t link = 32; link < topology.GetPortCount(); ++link)
    {
        EXPECT_GT(network.GetFabric()->GetLinkCounters(link, 4).frames, 0u)
            << topology.GetDirectedLinkName(link);
    }
}

TEST_F(MultipathTest, APinnedFlowTakesItsPathAndNoOther)
{
    Build(LeafSpine(2, 2, 4, 100 * G, 100 * G, US, 2));
    const RoutingTable& routing = network.GetFabric()->GetRouting();
    auto paths = routing.GetPaths(Nic(0), Nic(2));
    ASSERT_EQ(paths.size(), 4u * 2 * 2);
    RecordingClient client;
    std::vector<uint64_t> expected(topology.GetPortCount(), 0);
    RoceFraming framing = network.GetTransport()->GetFraming(Nic(0));
    for (size_t i = 0; i < paths.size(); ++i)
    {
        int32_t port = routing.FindUdpSourcePort(Nic(0),
                                                 Nic(2),
                                                 paths[i],
                                                 network.GetFabric()->GetPathSelector());
        ASSERT_GT(port, 0);
        // Sizes tell the paths apart.
        uint64_t bytes = 10'000 * (i + 1);
        Post(Connect(0, 2, &client, 4, static_cast<uint16_t>(port)), bytes);
        for (uint32_t link : paths[i])
        {
            expected[link] += framing.GetMessageWireBytes(bytes);
        }
    }
    Simulator::Run();
    CheckConservation();
    for (uint32_t link = 0; link < topology.GetPortCount(); ++link)
    {
        EXPECT_EQ(network.GetFabric()->GetLinkCounters(link, 4).bytes, expected[link])
            << topology.GetDirectedLinkName(link);
    }
}

TEST_F(MultipathTest, AcknowledgementsHaveAPathOfTheirOwn)
{
    // The reverse tuple is hashed by itself: over many queue pairs all four spines carry them, also
    // where the data is pinned to one.
    Build(LeafSpine(2, 2, 4, 100 * G, 100 * G, US));
    const RoutingTable& routing = network.GetFabric()->GetRouting();
    const PathSelector& selector = network.GetFabric()->GetPathSelector();
    RecordingClient client;
    auto path = routing.GetPaths(Nic(0), Nic(2))[0];
    uint32_t found = 0;
    for (uint32_t port = 49'152; port < 65'536 && found < 64; ++port)
    {
        uint64_t hash = HashFiveTuple(Nic(0), Nic(2), static_cast<uint16_t>(port));
        if (routing.GetPath(Nic(0), Nic(2), hash, selector) == path)
        {
            ++found;
            Post(Connect(0, 2, &client, 4, static_cast<uint16_t>(port)), 1'000);
        }
    }
    Simulator::Run();
    std::set<uint32_t> data;
    std::set<uint32_t> control;
    for (uint32_t link = 8; link < topology.GetPortCount(); ++link)
    {
        if (network.GetFabric()->GetLinkCounters(link, 4).frames > 0)
        {
            data.insert(link);
        }
        if (network.GetFabric()->GetLinkCounters(link, 7).frames > 0)
        {
            control.insert(link);
        }
    }
    EXPECT_EQ(data.size(), 2u);    // up and down
    EXPECT_EQ(control.size(), 8u); // four up, four down
}

TEST_F(MultipathTest, DefaultSourcePortsAreEphemeralAndSpread)
{
    Build(Star(2, 100 * G, US));
    std::set<uint16_t> ports;
    for (uint32_t id = 0; id < 1'000; ++id)
    {
        uint16_t port = network.GetTransport()->GetDefaultUdpSourcePort(id);
        EXPECT_GE(port, 49'152);
        ports.insert(port);
    }
    // 1,000 draws of 16,384: 970 distinct expected, standard deviation about 5.
    EXPECT_NEAR(ports.size(), 970, 25);
    RecordingClient client;
    uint32_t queuePair = Connect(0, 1, &client);
    EXPECT_EQ(network.GetTransport()->GetQueuePair(queuePair)->udpSourcePort,
              network.GetTransport()->GetDefaultUdpSourcePort(queuePair));
}

TEST_F(MultipathTest, AFlowToItsOwnNicGoesOverTheSwitch)
{
    Build(Star(2, 100 * G, US));
    Run({Flow(0, 0, 10'000'000), Flow(1, 0, 10'000'000)});
    EXPECT_EQ(transfers.size(), 2u);
    CheckConservation();
    EXPECT_EQ(GetFabricTotals().dropped, 0u);
}

TEST_F(MultipathTest, HostsWithSeveralNics)
{
    // Two rails: the NICs of one host do not share a port, and finish as if each were alone.
    ClusterTopology graph;
    uint32_t a = graph.AddHost("a", 2);
    uint32_t b = graph.AddHost("b", 2);
    uint32_t rail0 = graph.AddSwitch("rail0");
    uint32_t rail1 = graph.AddSwitch("rail1");
    graph.AddLink(a, rail0, 100 * G, US);
    graph.AddLink(a, rail1, 200 * G, US);
    graph.AddLink(b, rail0, 100 * G, US);
    graph.AddLink(b, rail1, 200 * G, US);
    Build(graph);
    Run({{0, 4, 4'096'000, 0, 4}, {2, 6, 4'096'000, 0, 4}});
    CheckConservation();
    int64_t wire = 1'000 * 4178 + 16;
    EXPECT_EQ(transfers[0].deliveredPs, (wire + 4178 + 16) * 80 + 2 * US);
    EXPECT_EQ(transfers[1].deliveredPs, (wire + 4178 + 16) * 40 + 2 * US);
}

TEST_F(MultipathTest, HostsCabledDirectly)
{
    ClusterTopology graph;
    uint32_t a = graph.AddHost("a", 2);
    uint32_t b = graph.AddHost("b", 2);
    graph.AddLink(a, b, 400 * G, US);
    graph.AddLink(a, b, 400 * G, US);
    Build(graph);
    Run({{0, 1, 1'000'000, 0, 4}, {3, 2, 1'000'000, 0, 4}});
    EXPECT_EQ(transfers.size(), 2u);
    CheckConservation();
    EXPECT_EQ(transfers[0].deliveredPs, transfers[1].deliveredPs);
}

} // namespace ns3
