/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/rdma/congestion/dcqcn.h"
#include "../fixture/network-fixture.h"

#include <numeric>

namespace ns3
{

class ApplyTest : public NetworkFixture
{
  protected:
    /// Two hosts under two leaves with two spines; ports that pin each spine.
    void BuildTwoPaths(const std::string& decision)
    {
        Set("ns3::RoceTransport::ApplyDecision", decision);
        Build(LeafSpine(2, 1, 2, 100 * G, 100 * G, US));
        const RoutingTable& routing = network.GetFabric()->GetRouting();
        paths = routing.GetPaths(Nic(0), Nic(1));
        ASSERT_EQ(paths.size(), 2u);
        for (const auto& path : paths)
        {
            ports.push_back(static_cast<uint16_t>(
                routing.FindUdpSourcePort(Nic(0),
                                          Nic(1),
                                          path,
                                          network.GetFabric()->GetPathSelector())));
        }
    }

    /// Frames of a priority sent up to a spine.
    uint64_t FramesOver(uint32_t path, uint32_t priority) const
    {
        return network.GetFabric()->GetLinkCounters(paths[path][1], priority).frames;
    }

    void Apply(uint32_t queuePair, uint16_t port, uint8_t priority, uint32_t decision)
    {
        network.GetTransport()->Apply(Simulator::Now().GetTimeStep(),
                                      queuePair,
                                      port,
                                      priority,
                                      decision);
    }

    std::vector<std::vector<uint32_t>> paths;
    std::vector<uint16_t> ports;
};

TEST_F(ApplyTest, DrainWaitsForTheEndOfTheMessage)
{
    BuildTwoPaths("drain");
    RecordingClient client;
    uint32_t queuePair = Connect(0, 1, &client, 2, ports[0]);
    for (uint32_t i = 0; i < 4; ++i)
    {
        Post(queuePair, 409'600, i);
    }
    // 100 frames take 33.4 us: at 50 us the second of four messages is on its way.
    At(50 * US, [&]() { Apply(queuePair, ports[1], 5, 77); });
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(FramesOver(0, 2), 200u);
    EXPECT_EQ(FramesOver(1, 5), 200u);
    EXPECT_EQ(FramesOver(0, 5) + FramesOver(1, 2), 0u);
    EXPECT_EQ(GetRdmaTotals().naks, 0u);
    EXPECT_EQ(GetRdmaTotals().retransmittedBytes, 0u);
    EXPECT_EQ(client.GetSteps('d'), (std::vector<uint32_t>{0, 1, 2, 3}));
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes[0].queuePair, queuePair);
    EXPECT_EQ(changes[0].oldUdpSourcePort, ports[0]);
    EXPECT_EQ(changes[0].newUdpSourcePort, ports[1]);
    EXPECT_EQ(changes[0].oldPriority, 2);
    EXPECT_EQ(changes[0].newPriority, 5);
    EXPECT_EQ(changes[0].decision, 77u);
    // It takes effect when the second message is acknowledged, and the third starts then.
    ASSERT_EQ(transfers.size(), 4u);
    EXPECT_EQ(changes[0].timePs, transfers[1].completedPs);
    int64_t message = (100 * 4178 + 16) * 80;
    EXPECT_EQ(transfers[2].deliveredPs,
              changes[0].timePs + message + 3 * (4178 + 16) * 80 + 4 * US);
    // The frames of the path: the PSN went on.
    EXPECT_EQ(network.GetTransport()->GetQueuePair(queuePair)->unacked, 400u);
}

TEST_F(ApplyTest, NextMessageDoesNotWait)
{
    BuildTwoPaths("next-message");
    RecordingClient client;
    uint32_t queuePair = Connect(0, 1, &client, 2, ports[0]);
    for (uint32_t i = 0; i < 4; ++i)
    {
        Post(queuePair, 409'600, i);
    }
    At(50 * US, [&]() { Apply(queuePair, ports[1], 2, 1); });
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(FramesOver(0, 2), 200u);
    EXPECT_EQ(FramesOver(1, 2), 200u);
    ASSERT_EQ(changes.size(), 1u);
    // With the start of the last frame of the second message; the link is never idle.
    int64_t message = 100 * 4178 * 80;
    EXPECT_EQ(changes[0].timePs, 2 * message + 2 * 16 * 80 - 4178 * 80);
    EXPECT_EQ(transfers[3].deliveredPs, 4 * (message + 16 * 80) + 3 * (4178 + 16) * 80 + 4 * US);
    EXPECT_EQ(client.GetSteps('d'), (std::vector<uint32_t>{0, 1, 2, 3}));
}

TEST_F(ApplyTest, AtOnceChangesWithinAMessage)
{
    BuildTwoPaths("at-once");
    RecordingClient client;
    uint32_t queuePair = Connect(0, 1, &client, 2, ports[0]);
    Post(queuePair, 4'096'000);
    At(50 * US, [&]() { Apply(queuePair, ports[1], 5, 1); });
    Simulator::Run();
    CheckConservation();
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes[0].timePs, 50 * US);
    // 50 us / 334 ns: the 150th frame is on its way.
    EXPECT_EQ(FramesOver(0, 2), 150u);
    EXPECT_EQ(FramesOver(1, 5), 850u);
}

TEST_F(ApplyTest, AtOnceLeavesTheRingOfTheOldPriority)
{
    // The queue pair waits in the NIC behind a higher priority when it gets one above that: it must
    // not wait on in the old ring.
    BuildTwoPaths("at-once");
    RecordingClient client;
    uint32_t low = Connect(0, 1, &client, 1, ports[0]);
    uint32_t middle = Connect(0, 1, &client, 3, ports[0]);
    Post(low, 409'600, 1);
    Post(middle, 40'960'000, 3);
    At(50 * US, [&]() { Apply(low, ports[0], 6, 0); });
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(client.GetSteps('d'), (std::vector<uint32_t>{1, 3}));
    EXPECT_LT(transfers[0].deliveredPs, 50 * US + 100 * 4178 * 80 + 10 * US);
    // And down again, with others in both rings.
    EXPECT_EQ(network.GetFabric()->GetLinkCounters(Nic(0), 1).frames, 0u);
    EXPECT_EQ(network.GetFabric()->GetLinkCounters(Nic(0), 6).frames, 100u);
}

TEST_F(ApplyTest, ReorderingIsRepairedAndCounted)
{
    // Onto a path that is shorter by 20 us: later frames overtake, the receiver asks again.
    for (const char* decision : {"at-once", "next-message", "drain"})
    {
        Set("ns3::RoceTransport::ApplyDecision", decision);
        ClusterTopology graph;
        uint32_t a = graph.AddHost("a", 1);
        uint32_t b = graph.AddHost("b", 1);
        uint32_t s0 = graph.AddSwitch("s0");
        uint32_t s1 = graph.AddSwitch("s1");
        graph.AddLink(a, s0, 100 * G, US);
        graph.AddLink(s1, b, 100 * G, US);
        graph.AddLink(s0, s1, 100 * G, 21 * US);
        graph.AddLink(s0, s1, 100 * G, US);
        Build(graph);
        const RoutingTable& routing = network.GetFabric()->GetRouting();
        const PathSelector& selector = network.GetFabric()->GetPathSelector();
        auto slow = routing.FindUdpSourcePort(0, 3, {0, 4, 2}, selector);
        auto fast = routing.FindUdpSourcePort(0, 3, {0, 6, 2}, selector);
        ASSERT_GT(slow, 0);
        ASSERT_GT(fast, 0);
        RecordingClient client;
        uint32_t queuePair = Connect(0, 1, &client, 4, static_cast<uint16_t>(slow));
        for (uint32_t i = 0; i < 10; ++i)
        {
            Post(queuePair, 204'800, i);
        }
        At(50 * US, [&]() { Apply(queuePair, static_cast<uint16_t>(fast), 4, 1); });
        Simulator::Run();
        CheckConservation();
        std::vector<uint32_t> order(10);
        std::iota(order.begin(), order.end(), 0);
        EXPECT_EQ(client.GetSteps('d'), order) << decision;
        if (std::string(decision) == "drain")
        {
            EXPECT_EQ(GetRdmaTotals().naks, 0u);
            EXPECT_EQ(GetRdmaTotals().retransmittedBytes, 0u);
        }
        else
        {
            // Each frame of the slow path that fills a gap opens the next: 20 us of 334 ns.
            EXPECT_GE(GetRdmaTotals().naks, 1u) << decision;
            EXPECT_LE(GetRdmaTotals().naks, 60u) << decision;
            EXPECT_GT(GetRdmaTotals().discardedFrames, 10u);
        }
        Restart();
    }
}

TEST_F(ApplyTest, WhenIdleItAppliesAtOnce)
{
    BuildTwoPaths("drain");
    RecordingClient client;
    uint32_t queuePair = Connect(0, 1, &client, 2, ports[0]);
    Apply(queuePair, ports[1], 3, 5);
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes[0].timePs, 0);
    Post(queuePair, 1000, 0);
    At(100 * US, [&]() { Apply(queuePair, ports[0], 3, 6); });
    Simulator::Run();
    EXPECT_EQ(changes.size(), 2u);
    EXPECT_EQ(FramesOver(1, 3), 1u);
    // No change, no record.
    Apply(queuePair, ports[0], 3, 7);
    EXPECT_EQ(changes.size(), 2u);
    CheckConservation();
}

TEST_F(ApplyTest, TheLastOfSeveralWins)
{
    BuildTwoPaths("drain");
    RecordingClient client;
    uint32_t queuePair = Connect(0, 1, &client, 2, ports[0]);
    Post(queuePair, 409'600, 0);
    Post(queuePair, 409'600, 1);
    At(10 * US, [&]() { Apply(queuePair, ports[1], 5, 1); });
    At(20 * US, [&]() { Apply(queuePair, ports[1], 3, 2); });
    At(30 * US, [&]() { Apply(queuePair, ports[1], 4, 3); });
    Simulator::Run();
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes[0].newPriority, 4);
    EXPECT_EQ(changes[0].decision, 3u);
    EXPECT_EQ(FramesOver(0, 2), 100u);
    EXPECT_EQ(FramesOver(1, 4), 100u);
    // One that takes everything back leaves no trace.
    Post(queuePair, 409'600, 2);
    Post(queuePair, 409'600, 3);
    int64_t now = Simulator::Now().GetTimeStep();
    At(now + 10 * US, [&]() { Apply(queuePair, ports[0], 6, 4); });
    At(now + 20 * US, [&]() { Apply(queuePair, ports[1], 4, 5); });
    Simulator::Run();
    EXPECT_EQ(changes.size(), 1u);
    EXPECT_EQ(FramesOver(1, 4), 300u);
    CheckConservation();
}

TEST_F(ApplyTest, WhileTheMessageIsBeingRepeated)
{
    // A loss, then a decision while the frames are sent again, at many moments.
    for (int64_t at = 5 * US; at < 120 * US; at += 3'700'000)
    {
        for (const char* decision : {"drain", "next-message", "at-once"})
        {
            Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
            ports.clear();
            BuildTwoPaths(decision);
            uint32_t count = 0;
            GetLossyBuffer("leaf0")->lose = [&](const LossyBuffer::Arrival& arrival) {
                return arrival.priority != 7 && ++count % 83 == 0;
            };
            RecordingClient client;
            uint32_t queuePair = Connect(0, 1, &client, 2, ports[0]);
            for (uint32_t i = 0; i < 5; ++i)
            {
                Post(queuePair, 204'800, i);
            }
            At(at, [&]() { Apply(queuePair, ports[1], 5, 1); });
            Simulator::Run();
            CheckConservation();
            EXPECT_EQ(client.GetSteps('c'), (std::vector<uint32_t>{0, 1, 2, 3, 4}));
            EXPECT_EQ(changes.size(), 1u) << decision << " at " << at;
            EXPECT_EQ(network.GetTransport()->GetQueuePair(queuePair)->priority, 5);
            EXPECT_EQ(GetRdmaTotals().timeouts, 0u);
            Restart();
        }
    }
}

TEST_F(ApplyTest, CongestionStateSurvives)
{
    Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
    Set("ns3::Dcqcn::Preset", "paper"); // it recovers slowly
    BuildTwoPaths("drain");
    RecordingClient client;
    uint32_t queuePair = Connect(0, 1, &client, 2, ports[0]);
    Post(queuePair, 409'600, 0);
    At(10 * US, [&]() {
        network.GetTransport()->GetRateController(queuePair).OnCnp(10 * US);
        Apply(queuePair, ports[1], 5, 1);
    });
    double rate = 0;
    client.react = [&](const RecordingClient::Call& call) {
        if (call.kind == 'c' && call.step == 0)
        {
            rate = network.GetTransport()->GetRateController(queuePair).GetRate(call.timePs);
            Post(queuePair, 4096 * 10, 1);
        }
    };
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(changes.size(), 1u);
    EXPECT_LT(rate, 90e9);
    EXPECT_LT(network.GetTransport()->GetRateController(queuePair).GetRate(0), 100e9);
    EXPECT_EQ(network.GetTransport()->GetQueuePair(queuePair)->unacked, 110u);
}

} // namespace ns3
