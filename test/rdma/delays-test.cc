/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

#include <numeric>

namespace ns3
{

class RdmaDelaysTest : public NetworkFixture
{
  protected:
    static constexpr int64_t WAY = 1098 * 80 + US; ///< 1,000 B of a WRITE over a hop [ps]
    static constexpr int64_t ACK = 86 * 80 + US;
};

TEST_F(RdmaDelaysTest, NoneByDefault)
{
    Build(Chain(2, 100 * G, US));
    RecordingClient client;
    uint32_t queuePair = Connect(0, 2, &client);
    Post(queuePair, 1000);
    EXPECT_EQ(network.GetTransport()->GetQueuePair(queuePair)->delays, nullptr);
    Simulator::Run();
    EXPECT_EQ(transfers.at(0).deliveredPs, 2 * WAY);
    EXPECT_EQ(transfers.at(0).completedPs, 2 * WAY + 2 * ACK);
    EXPECT_EQ(EventLane::Get()->GetEventCount(network.GetFabric()->GetLaneClass() + 1, 2), 0u);
    EXPECT_EQ(EventLane::Get()->GetEventCount(network.GetFabric()->GetLaneClass() + 1, 3), 0u);
}

TEST_F(RdmaDelaysTest, EachOnceAMessage)
{
    Set("ns3::RoceNic::PostDelay", "700ns");
    Set("ns3::RoceNic::CompletionDelay", "300ns");
    Build(Chain(2, 100 * G, US));
    RecordingClient client;
    uint32_t queuePair = Connect(0, 2, &client);
    At(US, [&]() { Post(queuePair, 1000, 4); });
    Simulator::Run();
    CheckConservation();
    int64_t arrived = US + 700'000 + 2 * WAY;
    EXPECT_EQ(transfers.at(0).startPs, US);
    EXPECT_EQ(transfers.at(0).deliveredPs, arrived + 300'000);
    EXPECT_EQ(transfers.at(0).completedPs, arrived + 2 * ACK + 300'000);
    ASSERT_EQ(client.calls.size(), 2u);
    EXPECT_EQ(client.calls[0].kind, 'd');
    EXPECT_EQ(client.calls[0].timePs, arrived + 300'000);
    EXPECT_EQ(client.calls[1].kind, 'c');
    EXPECT_EQ(client.calls[1].timePs, arrived + 2 * ACK + 300'000);
}

TEST_F(RdmaDelaysTest, OfARead)
{
    Set("ns3::RoceNic::PostDelay", "700ns");
    Set("ns3::RoceNic::CompletionDelay", "300ns");
    Build(Chain(2, 100 * G, US));
    RecordingClient client;
    MessageTag tag;
    network.GetTransport()->Post(0, Connect(0, 2, &client), 1000, tag, RdmaOperation::READ);
    Simulator::Run();
    CheckConservation();
    // Request 98 B, one response of 1000 + 82 + 4 B.
    int64_t end = 700'000 + 2 * (98 * 80 + US) + 2 * (1086 * 80 + US) + 300'000;
    EXPECT_EQ(transfers.at(0).deliveredPs, end);
    EXPECT_EQ(transfers.at(0).completedPs, end);
    ASSERT_EQ(client.calls.size(), 2u);
    EXPECT_EQ(client.calls[0].timePs, end);
    EXPECT_EQ(client.calls[1].timePs, end);
}

TEST_F(RdmaDelaysTest, TheyOverlapFromMessageToMessage)
{
    // 100 messages posted 100 ns apart: the delay of 2 us is latency, it takes no throughput.
    Set("ns3::RoceNic::PostDelay", "2us");
    Set("ns3::RoceNic::CompletionDelay", "5us");
    Set("ns3::RoceNic::AckInterval", 1);
    Build(Chain(2, 100 * G, US));
    RecordingClient client;
    uint32_t queuePair = Connect(0, 2, &client);
    for (uint32_t i = 0; i < 100; ++i)
    {
        At(i * 100'000, [&, i]() { Post(queuePair, 1000, i); });
    }
    Simulator::Run();
    CheckConservation();
    std::vector<uint32_t> order(100);
    std::iota(order.begin(), order.end(), 0);
    EXPECT_EQ(client.GetSteps('d'), order);
    EXPECT_EQ(client.GetSteps('c'), order);
    ASSERT_EQ(transfers.size(), 100u);
    for (uint32_t i = 0; i < 100; ++i)
    {
        EXPECT_EQ(transfers[i].deliveredPs, i * 100'000 + 2 * US + 2 * WAY + 5 * US) << i;
        EXPECT_EQ(transfers[i].completedPs, transfers[i].deliveredPs + 2 * ACK) << i;
    }
}

TEST_F(RdmaDelaysTest, PostedFromACompletion)
{
    Set("ns3::RoceNic::PostDelay", "1us");
    Set("ns3::RoceNic::CompletionDelay", "1us");
    Build(Chain(2, 100 * G, US));
    RecordingClient client;
    uint32_t queuePair = Connect(0, 2, &client);
    client.react = [&](const RecordingClient::Call& call) {
        if (call.kind == 'c' && call.step < 9)
        {
            Post(queuePair, 1000, call.step + 1);
        }
        else if (call.kind == 'c')
        {
            network.GetTransport()->DestroyQueuePair(call.timePs, queuePair);
        }
    };
    Post(queuePair, 1000, 0);
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(transfers.at(9).completedPs, 10 * (2 * US + 2 * WAY + 2 * ACK));
}

TEST_F(RdmaDelaysTest, WithLoss)
{
    Set("ns3::RoceNic::PostDelay", "1500ns");
    Set("ns3::RoceNic::CompletionDelay", "2500ns");
    Set("ns3::RoceNic::RetransmissionTimeout", "100us");
    Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
    Build(Chain(2, 100 * G, US));
    uint64_t count = 0;
    GetLossyBuffer("s1")->lose = [&](const LossyBuffer::Arrival&) {
        return MixBits(count++) % 20 == 0;
    };
    RecordingClient client;
    uint32_t queuePair = Connect(0, 2, &client);
    for (uint32_t i = 0; i < 50; ++i)
    {
        Post(queuePair, 1 + i * 500, i);
    }
    Simulator::Run();
    CheckConservation();
    std::vector<uint32_t> order(50);
    std::iota(order.begin(), order.end(), 0);
    EXPECT_EQ(client.GetSteps('d'), order);
    EXPECT_EQ(client.GetSteps('c'), order);
}

} // namespace ns3
