/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

#include <map>
#include <numeric>

namespace ns3
{

class GoBackNTest : public NetworkFixture
{
  protected:
    /// Host, switch, host, with a switch that loses what a test wants.
    void BuildLossy(uint64_t rate = 100 * G, int64_t delay = US)
    {
        Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
        Build(Chain(2, rate, delay));
    }

    static constexpr uint32_t A = 0; ///< node of the sending host of Chain(2)
    static constexpr uint32_t B = 2; ///< node of the receiving host
};

TEST_F(GoBackNTest, OneLostFrameCostsOneNakAndWhatFollowed)
{
    BuildLossy();
    uint32_t count = 0;
    GetLossyBuffer("s1")->lose = [&](const LossyBuffer::Arrival& arrival) {
        return arrival.priority == 4 && count++ == 100;
    };
    RecordingClient client;
    Post(Connect(A, B, &client), 4096 * 1000);
    Simulator::Run();
    CheckConservation();
    const RdmaTotals& totals = GetRdmaTotals();
    EXPECT_EQ(totals.naks, 1u);
    EXPECT_EQ(CountEvents("nak"), 1u);
    EXPECT_EQ(CountEvents("drop"), 1u);
    EXPECT_EQ(totals.timeouts, 0u);
    EXPECT_EQ(totals.duplicateFrames, 0u);
    // What was discarded behind the gap, and the lost frame, are sent again; nothing else.
    EXPECT_EQ(totals.retransmittedBytes, (totals.discardedFrames + 1) * 4096);
    EXPECT_EQ(totals.sentBytes, totals.postedBytes + totals.retransmittedBytes);
    EXPECT_EQ(transfers[0].retransmittedBytes, totals.retransmittedBytes);
    // Frame 101 arrives at B 2 hops after its start, the NAK takes 2 hops back: what starts in the
    // meantime is lost time. 4178 B at 80 ps; NAK 86 B.
    int64_t frame = 4178 * 80;
    int64_t loop = 2 * (frame + US) + 2 * (86 * 80 + US);
    uint64_t outstanding = (loop + frame - 1) / frame; // frame 101 itself included
    EXPECT_EQ(totals.discardedFrames, outstanding);
    EXPECT_EQ(transfers[0].deliveredPs,
              (1000 + static_cast<int64_t>(outstanding) + 1) * frame + 16 * 80 + frame + 2 * US);
}

// Drops count in their own priority, as their events do.
TEST_F(GoBackNTest, LostFramesCountInTheirPriority)
{
    BuildLossy();
    std::map<uint32_t, uint32_t> left{{1, 3}, {4, 5}};
    GetLossyBuffer("s1")->lose = [&](const LossyBuffer::Arrival& arrival) {
        return left[arrival.priority] > 0 && left[arrival.priority]-- > 0;
    };
    Run({Flow(A, B, 400'000, 0, 1), Flow(A, B, 400'000, 0, 2), Flow(A, B, 400'000, 0, 4)});
    EXPECT_EQ(transfers.size(), 3u);
    CheckConservation();
    std::map<uint32_t, uint64_t> lost;
    for (uint32_t link = 0; link < topology.GetPortCount(); ++link)
    {
        for (uint32_t priority = 0; priority < 8; ++priority)
        {
            const uint64_t frames =
                network.GetFabric()->GetLinkCounters(link, priority).droppedFrames;
            if (frames > 0)
            {
                lost[priority] += frames;
            }
        }
    }
    EXPECT_EQ(lost, (std::map<uint32_t, uint64_t>{{1, 3}, {4, 5}}));
}

TEST_F(GoBackNTest, MessagesAreDeliveredOnceAndInOrder)
{
    // Every 37th frame of the data is lost, the repeated ones too.
    Set("ns3::RoceNic::RetransmissionTimeout", "1ms");
    BuildLossy();
    uint32_t count = 0;
    GetLossyBuffer("s1")->lose = [&](const LossyBuffer::Arrival& arrival) {
        return arrival.priority == 4 && ++count % 37 == 0;
    };
    RecordingClient client;
    uint32_t queuePair = Connect(A, B, &client);
    const uint32_t messages = 300;
    for (uint32_t i = 0; i < messages; ++i)
    {
        Post(queuePair, 1 + i * 97 % 30'000, i);
    }
    Simulator::Run();
    CheckConservation();
    std::vector<uint32_t> order(messages);
    std::iota(order.begin(), order.end(), 0);
    EXPECT_EQ(client.GetSteps('d'), order);
    EXPECT_EQ(client.GetSteps('c'), order);
    EXPECT_GT(GetRdmaTotals().naks, 20u);
    ASSERT_EQ(transfers.size(), messages);
    for (const auto& transfer : transfers)
    {
        EXPECT_GT(transfer.deliveredPs, 0);
        EXPECT_GT(transfer.completedPs, transfer.deliveredPs);
    }
}

TEST_F(GoBackNTest, ALossyIncastFinishes)
{
    // Neither PFC nor congestion control, a buffer of 200 KB: heavy loss, and every byte arrives.
    for (bool priorityZero : {true, false})
    {
        Set("ns3::RoceNic::RetransmissionTimeout", "200us");
        Set("ns3::RoceNic::PathMtu", 1000);
        if (priorityZero)
        {
            // Priority 0 is lossy with the default mask; the headroom of the others is in the way.
            Set("ns3::FabricSwitch::LosslessMask", 0x2);
            Set("ns3::FabricSwitch::BufferSize", 500'000);
        }
        else
        {
            Set("ns3::FabricSwitch::Pfc", "false");
            Set("ns3::FabricSwitch::BufferSize", 200'000);
        }
        Build(Star(9, 100 * G, US));
        std::vector<PlainFlow> list;
        for (uint32_t i = 0; i < 8; ++i)
        {
            list.push_back(Flow(i, 8, 1'000'000, 0, priorityZero ? 0 : 4));
        }
        Run(list);
        EXPECT_EQ(transfers.size(), 8u);
        CheckConservation();
        EXPECT_GT(GetFabricTotals().dropped, 100u);
        EXPECT_EQ(GetFabricTotals().xoff, 0u);
        EXPECT_EQ(GetFabricTotals().dropped, CountEvents("drop"));
        EXPECT_GT(GetRdmaTotals().naks, 0u);
        uint64_t lost = 0;
        for (uint32_t link = 0; link < topology.GetPortCount(); ++link)
        {
            lost += network.GetFabric()->GetLinkCounters(link, priorityZero ? 0 : 4).droppedFrames;
        }
        EXPECT_EQ(lost, GetFabricTotals().dropped);
        EXPECT_GE(network.GetFabric()->GetBufferPeak(0), 100'000u);
        EXPECT_LE(network.GetFabric()->GetBufferPeak(0), 500'000u);
        Restart();
    }
}

TEST_F(GoBackNTest, TheSequenceNumberWraps)
{
    // More frames than 24 bits count: 2^24 + 1000 of 64 B, at 1.6 Tb/s. With loss around the wrap.
    Set("ns3::RoceNic::PathMtu", 64);
    Set("ns3::RoceNic::AckInterval", 1000);
    BuildLossy(1600 * G, 0);
    const uint64_t frames = (1 << 24) + 1000;
    uint64_t count = 0;
    uint64_t lost = 0;
    GetLossyBuffer("s1")->lose = [&](const LossyBuffer::Arrival& arrival) {
        if (arrival.priority != 4)
        {
            return false;
        }
        ++count;
        bool lose = count > (1 << 24) - 500 && count % 100 == 0;
        lost += lose;
        return lose;
    };
    RecordingClient client;
    uint32_t queuePair = Connect(A, B, &client);
    Post(queuePair, 64 * frames, 0);
    Post(queuePair, 64 * 1000, 1);
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(GetRdmaTotals().deliveredBytes, 64 * (frames + 1000));
    EXPECT_EQ(client.GetSteps('d'), (std::vector<uint32_t>{0, 1}));
    EXPECT_GT(lost, 10u);
    EXPECT_EQ(GetFabricTotals().dropped, lost);
    EXPECT_EQ(GetRdmaTotals().timeouts, 0u);
    EXPECT_EQ(network.GetTransport()->GetQueuePair(queuePair)->unacked, frames + 1000);
}

TEST_F(GoBackNTest, NoMoreIsOutstandingThanThePsnCanTell)
{
    // Acknowledgements are lost while more than 2^23 frames could leave: the sender stops there
    // (beyond, an old PSN would read as a new one), and goes on after the timeout.
    Set("ns3::RoceNic::PathMtu", 64);
    Set("ns3::RoceNic::AckInterval", 1000);
    Set("ns3::RoceNic::RetransmissionTimeout", "10ms");
    BuildLossy(1600 * G, 0);
    GetLossyBuffer("s1")->lose = [&](const LossyBuffer::Arrival& arrival) {
        return arrival.priority == 7 && Simulator::Now() < MilliSeconds(8);
    };
    const uint64_t window = 1 << 23;
    const uint64_t frames = window + window / 8;
    RecordingClient client;
    uint32_t queuePair = Connect(A, B, &client);
    Post(queuePair, 64 * frames);
    // 2^23 frames of 146 B at 5 ps a byte take 6.12 ms.
    At(7 * MS, [&]() {
        EXPECT_EQ(network.GetTransport()->GetQueuePair(queuePair)->next, window);
        EXPECT_EQ(network.GetTransport()->GetQueuePair(queuePair)->unacked, 0u);
    });
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(transfers.size(), 1u);
    EXPECT_EQ(GetRdmaTotals().timeouts, 1u);
}

TEST_F(GoBackNTest, SizesBeyond32Bits)
{
    Set("ns3::RoceNic::PathMtu", 65'536);
    Build(Chain(2, 1600 * G, US));
    const uint64_t bytes = 5'000'000'000;
    RecordingClient client;
    uint32_t queuePair = Connect(A, B, &client);
    Post(queuePair, bytes, 0);
    Post(queuePair, 10, 1);
    Simulator::Run();
    CheckConservation();
    ASSERT_EQ(transfers.size(), 2u);
    EXPECT_EQ(transfers[0].bytes, bytes);
    EXPECT_EQ(GetRdmaTotals().deliveredBytes, bytes + 10);
    // 76,293 frames of 65,536 B and one of 61,952 B, with 82 each; RETH 16; 5 ps a byte.
    uint64_t full = bytes / 65'536;
    int64_t wire = static_cast<int64_t>(bytes + (full + 1) * 82 + 16);
    int64_t last = 61'952 + 82;
    EXPECT_EQ(bytes - full * 65'536, 61'952u);
    // The last frame waits at the switch for the end of the one before; all wait for the RETH.
    int64_t expected = (wire - last) * 5 + US + (16 + 65'618) * 5 + last * 5 + US;
    EXPECT_EQ(transfers[0].deliveredPs, expected);
    EXPECT_EQ(network.GetFabric()->GetLinkCounters(Nic(A), 4).bytes,
              static_cast<uint64_t>(wire) + 12 + 82 + 16);
}

TEST_F(GoBackNTest, RetransmissionCountsAreOfTheMessageThatWasHit)
{
    BuildLossy();
    uint32_t count = 0;
    GetLossyBuffer("s1")->lose = [&](const LossyBuffer::Arrival& arrival) {
        return arrival.priority == 4 && count++ == 150; // frame 50 of the second message
    };
    RecordingClient client;
    uint32_t queuePair = Connect(A, B, &client);
    for (uint32_t i = 0; i < 3; ++i)
    {
        Post(queuePair, 4096 * 100, i);
    }
    Simulator::Run();
    CheckConservation();
    ASSERT_EQ(transfers.size(), 3u);
    EXPECT_EQ(transfers[0].retransmittedBytes, 0u);
    EXPECT_GT(transfers[1].retransmittedBytes, 0u);
    EXPECT_EQ(transfers[2].retransmittedBytes, 0u);
    EXPECT_EQ(transfers[1].retransmittedBytes, GetRdmaTotals().retransmittedBytes);
}

TEST_F(GoBackNTest, RandomLossOfEverything)
{
    // 1 % of data, ACK, NAK and CNP at every switch of four hops; long messages.
    for (uint64_t seed = 1; seed <= 5; ++seed)
    {
        Set("ns3::RoceNic::RetransmissionTimeout", "300us");
        Set("ns3::RoceNic::PathMtu", 1000);
        Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
        Set("ns3::RedEcnMarker::Kmin", 10'000);
        Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
        Build(LeafSpine(2, 4, 2, 100 * G, 100 * G, US), seed);
        uint64_t count = 0;
        for (const char* name : {"leaf0", "leaf1", "spine0", "spine1"})
        {
            GetLossyBuffer(name)->lose = [&count, seed](const LossyBuffer::Arrival&) {
                return MixBits(seed * 1'000'003 + count++) % 100 == 0;
            };
        }
        std::vector<PlainFlow> list;
        for (uint32_t i = 0; i < 8; ++i)
        {
            list.push_back(Flow(i, (i + 4) % 8, 500'000));
            list.push_back(Flow(i, 7 - i, 300'000, 10 * US, 2));
        }
        Run(list);
        EXPECT_EQ(transfers.size(), 16u);
        CheckConservation();
        EXPECT_GT(GetFabricTotals().dropped, 50u);
        EXPECT_GT(GetRdmaTotals().cnps, 0u);
        Restart();
    }
}

} // namespace ns3
