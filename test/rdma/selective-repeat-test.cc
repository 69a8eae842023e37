/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/rdma/selective-repeat.h"
#include "../fixture/network-fixture.h"

#include <numeric>

namespace ns3
{

TEST(SelectiveRepeatTest, OnlyWhatIsMissingBelowTheHighestIsSentAgainOnce)
{
    SelectiveRepeat repeat(1);
    EXPECT_EQ(repeat.GetNext(0, 10), 10u);
    // 2 is missing, 3 has come.
    EXPECT_TRUE(repeat.OnNak(2, 10, 3));
    EXPECT_EQ(repeat.GetNext(2, 10), 2u);
    repeat.OnResend(2);
    EXPECT_EQ(repeat.GetNext(2, 10), 10u);
    // 4 and 5 are missing too; 2 is not sent a second time, and it is the same recovery.
    EXPECT_FALSE(repeat.OnNak(2, 11, 6));
    EXPECT_EQ(repeat.GetNext(2, 11), 4u);
    repeat.OnResend(4);
    EXPECT_EQ(repeat.GetNext(2, 11), 5u);
    repeat.OnResend(5);
    EXPECT_EQ(repeat.GetNext(2, 11), 11u);
    // The recovery ends with the acknowledgement of what was sent when it began.
    repeat.OnProgress(11);
    EXPECT_TRUE(repeat.OnNak(11, 20, 12));
}

TEST(SelectiveRepeatTest, ATimeoutProbesAndThenGoesOnFaster)
{
    SelectiveRepeat repeat(1);
    repeat.OnTimeout(5, 20);
    EXPECT_EQ(repeat.GetNext(5, 20), 5u);
    repeat.OnResend(5);
    EXPECT_EQ(repeat.GetNext(5, 20), 20u);
    // Each acknowledgement lets two more go: the one it acknowledges, and one.
    repeat.OnProgress(6);
    EXPECT_EQ(repeat.GetNext(6, 20), 6u);
    repeat.OnResend(6);
    EXPECT_EQ(repeat.GetNext(6, 20), 7u);
    repeat.OnResend(7);
    EXPECT_EQ(repeat.GetNext(6, 20), 20u);
    repeat.OnProgress(7);
    EXPECT_EQ(repeat.GetNext(7, 20), 8u);
    // Never beyond what was sent before the timeout.
    for (uint64_t frame = 8; frame < 25; ++frame)
    {
        repeat.OnProgress(frame);
    }
    EXPECT_EQ(repeat.GetNext(24, 30), 30u);
}

TEST(SelectiveRepeatTest, ALossDistanceToleratesReordering)
{
    SelectiveRepeat repeat(3);
    EXPECT_FALSE(repeat.OnNak(4, 10, 5));
    EXPECT_FALSE(repeat.OnNak(4, 10, 6));
    EXPECT_EQ(repeat.GetNext(4, 10), 10u);
    EXPECT_TRUE(repeat.OnNak(4, 10, 7));
    EXPECT_EQ(repeat.GetNext(4, 10), 4u);
}

class IrnTest : public NetworkFixture
{
  protected:
    static constexpr int64_t FRAME = 4178 * 80; ///< a full frame at 100 Gb/s [ps]

    void SetUp() override
    {
        NetworkFixture::SetUp();
        Set("ns3::RoceNic::LossRecovery", "irn");
        Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
    }

    /// Loses the data frames whose running numbers are given.
    void Lose(const std::vector<uint32_t>& numbers)
    {
        GetLossyBuffer("s1")->lose = [numbers,
                                      count = 0u](const LossyBuffer::Arrival& arrival) mutable {
            return arrival.priority == 4 && std::count(numbers.begin(), numbers.end(), count++) > 0;
        };
    }
};

TEST_F(IrnTest, OneLostFrameCostsOneFrame)
{
    Build(Chain(2, 100 * G, US));
    Lose({100});
    RecordingClient client;
    Post(Connect(0, 2, &client), 4096 * 1000);
    Simulator::Run();
    CheckConservation();
    const RdmaTotals& totals = GetRdmaTotals();
    EXPECT_EQ(totals.retransmittedBytes, 4096u);
    EXPECT_EQ(totals.discardedFrames, 0u);
    EXPECT_EQ(totals.duplicateFrames, 0u);
    EXPECT_EQ(totals.timeouts, 0u);
    EXPECT_EQ(CountEvents("nak"), 1u);
    // A NAK for each frame that comes before the missing one: those that start until the first
    // NAK is there, and the one that was being sent.
    int64_t loop = 2 * (FRAME + US) + 2 * (86 * 80 + US);
    EXPECT_EQ(totals.naks, static_cast<uint64_t>((loop + FRAME - 1) / FRAME));
    EXPECT_EQ(totals.outOfOrderFrames, totals.naks);
    // The whole takes the time of 1,001 frames at line rate.
    EXPECT_EQ(transfers.at(0).deliveredPs, 1001 * FRAME + 16 * 80 + FRAME + 2 * US);
}

TEST_F(IrnTest, ALostLastFrameCostsTheLowTimeout)
{
    Set("ns3::RoceNic::AckInterval", 1);
    Build(Chain(2, 100 * G, US));
    Lose({9});
    RecordingClient client;
    Post(Connect(0, 2, &client), 4096 * 10);
    Simulator::Run();
    CheckConservation();
    // The ACK of frame 8, then 100 us (RTO_low: one frame is in flight), then the frame.
    int64_t acked = (4194 + 8 * 4178) * 80 + US + (4178 + 16) * 80 + US + 2 * (86 * 80 + US);
    EXPECT_EQ(transfers.at(0).deliveredPs, acked + 100 * US + 2 * (FRAME + US));
    EXPECT_EQ(GetRdmaTotals().retransmittedBytes, 4096u);
}

TEST_F(IrnTest, ManyFramesInFlightWaitForTheHighTimeout)
{
    // All ten are lost: RTO_high from the start of the first, then the first alone.
    Build(Chain(2, 100 * G, US));
    Lose({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    RecordingClient client;
    Post(Connect(0, 2, &client), 4096 * 10);
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(GetRdmaTotals().timeouts, 1u);
    EXPECT_EQ(GetRdmaTotals().retransmittedBytes, 10u * 4096);
    EXPECT_EQ(events.at(10).kind, "timeout");
    EXPECT_EQ(events.at(10).timePs, 320 * US);
    // Round trips with 1, 2, 4 and 3 frames, no timeout more: 60 us would be six.
    EXPECT_LT(transfers.at(0).completedPs, 380 * US);
}

TEST_F(IrnTest, TheTimeoutDoubles)
{
    Set("ns3::RoceNic::MaxRetransmissionTimeout", "300us");
    Build(Chain(2, 100 * G, US));
    Lose({0, 1, 2, 3});
    RecordingClient client;
    Post(Connect(0, 2, &client), 1000);
    Simulator::Run();
    CheckConservation();
    std::vector<int64_t> times;
    for (const auto& event : events)
    {
        if (event.kind == "timeout")
        {
            times.push_back(event.timePs);
        }
    }
    // 100, 200, 300 (not 400), 300 us.
    EXPECT_EQ(times, (std::vector<int64_t>{100 * US, 300 * US, 600 * US, 900 * US}));
}

TEST_F(IrnTest, AWindowBoundsWhatIsInFlight)
{
    // Four frames (16,384 B) in flight: each round trip takes them. The ACK interval is 16, so the
    // sender asks for the acknowledgement when its window is full.
    Set("ns3::RoceNic::IrnWindow", 4 * 4096 + 100);
    Build(Chain(2, 100 * G, 10 * US));
    RecordingClient client;
    uint32_t queuePair = Connect(0, 2, &client);
    Post(queuePair, 4096 * 40);
    uint64_t most = 0;
    for (int64_t at = 1; at < 500; ++at)
    {
        At(at * US, [&, queuePair]() {
            const QueuePair* state = network.GetTransport()->GetQueuePair(queuePair);
            most = std::max(most, state->next - state->unacked);
        });
    }
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(most, 4u);
    EXPECT_EQ(GetRdmaTotals().timeouts, 0u);
    // Ten windows; the ACK of each comes when its fourth frame has crossed two hops.
    int64_t round = (4 * 4178 + 4178) * 80 + 2 * 10 * US + 2 * (86 * 80 + 10 * US);
    EXPECT_EQ(transfers.at(0).completedPs, 10 * round + 2 * 16 * 80);
}

TEST_F(IrnTest, LossAtTwoRatesUnderBothRecoveries)
{
    // 20 MB, 4,883 frames, lost data frames of one in a thousand and one in twenty.
    for (const char* recovery : {"go-back-n", "irn"})
    {
        for (uint32_t one : {1000u, 20u})
        {
            Set("ns3::RoceNic::LossRecovery", recovery);
            Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
            Set("ns3::RoceNic::RetransmissionTimeout", "320us");
            Build(Chain(2, 100 * G, US));
            uint64_t count = 0;
            uint64_t lost = 0;
            GetLossyBuffer("s1")->lose = [&](const LossyBuffer::Arrival& arrival) {
                bool lose = arrival.priority == 4 && MixBits(count++ + 99) % one == 0;
                lost += lose;
                return lose;
            };
            RecordingClient client;
            uint32_t queuePair = Connect(0, 2, &client);
            for (uint32_t i = 0; i < 20; ++i)
            {
                Post(queuePair, 1'000'000, i);
            }
            Simulator::Run();
            CheckConservation();
            std::vector<uint32_t> order(20);
            std::iota(order.begin(), order.end(), 0);
            EXPECT_EQ(client.GetSteps('d'), order);
            EXPECT_EQ(client.GetSteps('c'), order);
            EXPECT_GT(lost, one == 20 ? 100u : 1u);
            uint64_t again = GetRdmaTotals().retransmittedBytes / 4096;
            if (std::string(recovery) == "irn")
            {
                // Every lost frame is sent again; and after a timeout the oldest, which may have
                // come and wait for its acknowledgement.
                EXPECT_GE(again + 20, lost);
                EXPECT_LE(again, lost + GetRdmaTotals().timeouts);
                EXPECT_LE(GetRdmaTotals().duplicateFrames, GetRdmaTotals().timeouts);
            }
            else
            {
                // A round trip of frames for each.
                EXPECT_GT(again, 10 * lost);
            }
            Restart();
        }
    }
}

TEST_F(IrnTest, TheSequenceNumberWraps)
{
    // 2^24 + 1000 frames of 64 B at 1.6 Tb/s, one in a hundred lost around the wrap.
    Set("ns3::RoceNic::PathMtu", 64);
    Set("ns3::RoceNic::AckInterval", 1000);
    Build(Chain(2, 1600 * G, 0));
    const uint64_t frames = (1 << 24) + 1000;
    uint64_t count = 0;
    uint64_t lost = 0;
    GetLossyBuffer("s1")->lose = [&](const LossyBuffer::Arrival& arrival) {
        bool lose = arrival.priority == 4 && ++count > (1 << 24) - 500 && MixBits(count) % 100 == 0;
        lost += lose;
        return lose;
    };
    RecordingClient client;
    Post(Connect(0, 2, &client), 64 * frames);
    Simulator::Run();
    CheckConservation();
    EXPECT_GT(lost, 5u);
    EXPECT_EQ(client.GetSteps('c').size(), 1u);
    EXPECT_LE(GetRdmaTotals().retransmittedBytes / 64, lost + GetRdmaTotals().timeouts);
}

} // namespace ns3
