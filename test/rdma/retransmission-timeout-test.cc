/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

#include <numeric>

namespace ns3
{

class RetransmissionTimeoutTest : public NetworkFixture
{
  protected:
    static constexpr uint32_t A = 0; ///< node of the sending host of Chain(2)
    static constexpr uint32_t B = 2; ///< node of the receiving host
    static constexpr int64_t RTO = 4'096'000ll << 14;

    void BuildLossy()
    {
        Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
        Build(Chain(2, 100 * G, US));
    }

    /// Loses the frames of a priority whose running numbers are given.
    void Lose(uint32_t priority, const std::vector<uint32_t>& numbers)
    {
        GetLossyBuffer("s1")->lose =
            [priority, numbers, count = 0u](const LossyBuffer::Arrival& arrival) mutable {
                return arrival.priority == priority &&
                       std::count(numbers.begin(), numbers.end(), count++) > 0;
            };
    }

    /// Times of the events of a kind [ps].
    std::vector<int64_t> GetTimes(const std::string& kind) const
    {
        std::vector<int64_t> times;
        for (const auto& event : events)
        {
            if (event.kind == kind)
            {
                times.push_back(event.timePs);
            }
        }
        return times;
    }
};

TEST_F(RetransmissionTimeoutTest, TheOnlyFrameLost)
{
    BuildLossy();
    Lose(4, {0});
    RecordingClient client;
    Post(Connect(A, B, &client), 1000);
    Simulator::Run();
    CheckConservation();
    ASSERT_EQ(transfers.size(), 1u);
    // It starts at 0 and again at RTO; 1098 B on the wire, twice.
    EXPECT_EQ(GetTimes("timeout"), (std::vector<int64_t>{RTO}));
    EXPECT_EQ(transfers[0].deliveredPs, RTO + 2 * (1098 * 80 + US));
    EXPECT_EQ(transfers[0].retransmittedBytes, 1000u);
    EXPECT_EQ(GetRdmaTotals().naks, 0u);
}

TEST_F(RetransmissionTimeoutTest, TheLastFrameLostCountsFromTheLastProgress)
{
    Set("ns3::RoceNic::AckInterval", 1);
    BuildLossy();
    Lose(4, {9});
    RecordingClient client;
    Post(Connect(A, B, &client), 4096 * 10);
    Simulator::Run();
    CheckConservation();
    // The ACK of frame 8 comes after its two hops (all wait for the RETH of the first there, too),
    // and its own two.
    int64_t acked = (4194 + 8 * 4178) * 80 + US + (4178 + 16) * 80 + US + 2 * (86 * 80 + US);
    EXPECT_EQ(GetTimes("timeout"), (std::vector<int64_t>{acked + RTO}));
    EXPECT_EQ(transfers.at(0).deliveredPs, acked + RTO + 2 * (4178 * 80 + US));
    EXPECT_EQ(GetRdmaTotals().retransmittedBytes, 4096u);
}

TEST_F(RetransmissionTimeoutTest, TheAcknowledgementLost)
{
    BuildLossy();
    Lose(7, {0});
    RecordingClient client;
    Post(Connect(A, B, &client), 1000, 5);
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(transfers.at(0).deliveredPs, 2 * (1098 * 80 + US));
    EXPECT_EQ(transfers.at(0).completedPs, RTO + 2 * (1098 * 80 + US) + 2 * (86 * 80 + US));
    EXPECT_EQ(client.GetSteps('d'), (std::vector<uint32_t>{5}));
    EXPECT_EQ(GetRdmaTotals().duplicateFrames, 1u);
    EXPECT_EQ(GetRdmaTotals().deliveredBytes, 1000u);
}

TEST_F(RetransmissionTimeoutTest, TheNakLost)
{
    Set("ns3::RoceNic::AckInterval", 1000);
    BuildLossy();
    Lose(4, {3});
    auto loseData = GetLossyBuffer("s1")->lose;
    bool first = true;
    GetLossyBuffer("s1")->lose = [loseData, first](const LossyBuffer::Arrival& arrival) mutable {
        if (arrival.priority == 7 && first)
        {
            first = false;
            return true;
        }
        return loseData(arrival);
    };
    RecordingClient client;
    Post(Connect(A, B, &client), 4096 * 10);
    Simulator::Run();
    CheckConservation();
    // One NAK a gap: the timeout of frame 0, sent at 0, repeats all ten.
    EXPECT_EQ(GetRdmaTotals().naks, 1u);
    EXPECT_EQ(CountEvents("nak"), 0u);
    EXPECT_EQ(GetTimes("timeout"), (std::vector<int64_t>{RTO}));
    EXPECT_EQ(GetRdmaTotals().duplicateFrames, 3u);
    EXPECT_EQ(GetRdmaTotals().discardedFrames, 6u);
    EXPECT_EQ(GetRdmaTotals().retransmittedBytes, 4096u * 10);
}

TEST_F(RetransmissionTimeoutTest, DoublesUpToItsMaximum)
{
    Set("ns3::RoceNic::RetransmissionTimeout", "1ms");
    Set("ns3::RoceNic::MaxRetransmissionTimeout", "4ms");
    BuildLossy();
    Lose(4, {0, 1, 2, 3, 4});
    RecordingClient client;
    uint32_t queuePair = Connect(A, B, &client);
    Post(queuePair, 1000, 0);
    // Progress takes it back to 1 ms: the next message's first frame is lost once.
    client.react = [&](const RecordingClient::Call& call) {
        if (call.kind == 'c' && call.step == 0)
        {
            Lose(4, {0});
            Post(queuePair, 1000, 1);
        }
    };
    Simulator::Run();
    CheckConservation();
    int64_t way = 2 * (1098 * 80 + US) + 2 * (86 * 80 + US);
    int64_t second = 15 * MS + way;
    EXPECT_EQ(GetTimes("timeout"),
              (std::vector<int64_t>{MS, 3 * MS, 7 * MS, 11 * MS, 15 * MS, second + MS}));
    EXPECT_EQ(transfers.at(0).completedPs, second);
    EXPECT_EQ(transfers.at(1).completedPs, second + MS + way);
}

TEST_F(RetransmissionTimeoutTest, FailsAfterTheRetryTimeoutAndTheRunEnds)
{
    Set("ns3::RoceNic::RetransmissionTimeout", "1ms");
    Set("ns3::RoceNic::MaxRetransmissionTimeout", "4ms");
    Set("ns3::RoceNic::RetryTimeout", "20ms");
    BuildLossy();
    GetLossyBuffer("s1")->lose = [](const LossyBuffer::Arrival& arrival) {
        return arrival.priority == 4;
    };
    RecordingClient client;
    uint32_t doomed = Connect(A, B, &client);
    uint32_t other = Connect(A, B, &client, 3);
    Post(doomed, 4096 * 20, 1);
    Post(doomed, 1000, 2);
    Post(other, 4096 * 20, 3);
    Simulator::Run();
    // 1, 3, 7, 11, 15, 19 ms; at 23 ms it is over.
    EXPECT_EQ(GetTimes("failed"), (std::vector<int64_t>{23 * MS}));
    EXPECT_EQ(GetTimes("timeout").size(), 6u);
    EXPECT_EQ(GetRdmaTotals().failures, 1u);
    EXPECT_EQ(client.GetSteps('c'), (std::vector<uint32_t>{3}));
    ASSERT_EQ(client.GetSteps('f').size(), 1u);
    EXPECT_EQ(client.calls.back().queuePair, doomed);
    EXPECT_EQ(Simulator::Now(), PicoSeconds(23 * MS));
    CheckConservation(false);
    // What is posted now goes nowhere, and the queue pair may be destroyed.
    Post(doomed, 1000, 4);
    Simulator::Run();
    EXPECT_EQ(client.GetSteps('c').size(), 1u);
    network.GetTransport()->DestroyQueuePair(Simulator::Now().GetTimeStep(), doomed);
    EXPECT_EQ(network.GetTransport()->GetQueuePair(doomed), nullptr);
}

TEST_F(RetransmissionTimeoutTest, AFailureCountsFromTheLastProgress)
{
    // The path dies at 50 ms, long after the first frame.
    Set("ns3::RoceNic::RetransmissionTimeout", "1ms");
    Set("ns3::RoceNic::MaxRetransmissionTimeout", "1ms");
    Set("ns3::RoceNic::RetryTimeout", "5ms");
    BuildLossy();
    GetLossyBuffer("s1")->lose = [](const LossyBuffer::Arrival&) {
        return Simulator::Now() >= MilliSeconds(50);
    };
    RecordingClient client;
    uint32_t queuePair = Connect(A, B, &client);
    for (int64_t at = 0; at < 60; at += 10)
    {
        At(at * MS, [&, at]() { Post(queuePair, 1000, at); });
    }
    Simulator::Run();
    EXPECT_EQ(client.GetSteps('c'), (std::vector<uint32_t>{0, 10, 20, 30, 40}));
    EXPECT_EQ(GetTimes("failed"), (std::vector<int64_t>{55 * MS}));
}

TEST_F(RetransmissionTimeoutTest, TwoHundredMessagesWithOnePercentLoss)
{
    // One after the other over two switches: each loss costs about one timeout.
    Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
    Build(Chain(3, 100 * G, US));
    uint64_t count = 0;
    uint64_t lost = 0;
    for (const char* name : {"s1", "s2"})
    {
        GetLossyBuffer(name)->lose = [&](const LossyBuffer::Arrival&) {
            bool lose = MixBits(count++ + 5'000) % 100 == 0;
            lost += lose;
            return lose;
        };
    }
    RecordingClient client;
    uint32_t queuePair = Connect(0, 3, &client);
    client.react = [&](const RecordingClient::Call& call) {
        if (call.kind == 'c' && call.step < 199)
        {
            Post(queuePair, 1000, call.step + 1);
        }
    };
    Post(queuePair, 1000, 0);
    Simulator::Run();
    CheckConservation();
    std::vector<uint32_t> order(200);
    std::iota(order.begin(), order.end(), 0);
    EXPECT_EQ(client.GetSteps('c'), order);
    // About 800 frames at two switches: 8 expected.
    EXPECT_GT(lost, 0u);
    EXPECT_EQ(GetRdmaTotals().timeouts, lost);
    int64_t way = 3 * (1098 * 80 + US) + 3 * (86 * 80 + US);
    EXPECT_NEAR(Simulator::Now().GetTimeStep(), 200 * way + lost * RTO, 0.5 * lost * RTO);
}

TEST_F(RetransmissionTimeoutTest, TwoHundredMessagesAtOnceWithOnePercentLoss)
{
    BuildLossy();
    uint64_t count = 0;
    GetLossyBuffer("s1")->lose = [&](const LossyBuffer::Arrival&) {
        return MixBits(count++ + 77) % 100 == 0;
    };
    std::vector<PlainFlow> list;
    for (int i = 0; i < 200; ++i)
    {
        list.push_back({Nic(A), Nic(B), 1000, 0, 4});
    }
    Run(list);
    CheckConservation();
    EXPECT_EQ(transfers.size(), 200u);
    // Each is a queue pair of its own: every loss costs a timeout, and no message more than two.
    EXPECT_EQ(GetRdmaTotals().timeouts, GetFabricTotals().dropped);
    EXPECT_GT(GetFabricTotals().dropped, 0u);
    EXPECT_LT(Simulator::Now(), PicoSeconds(4 * RTO));
}

TEST_F(RetransmissionTimeoutTest, OneInAThousandLostWithPfc)
{
    Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
    Set("ns3::FabricSwitch::LosslessMask", 1 << 4);
    Set("ns3::FabricSwitch::BufferSize", 2'000'000);
    Set("ns3::RoceNic::RetransmissionTimeout", "500us");
    Build(Star(9, 100 * G, US));
    uint64_t count = 0;
    GetLossyBuffer("s")->lose = [&](const LossyBuffer::Arrival&) {
        return MixBits(count++) % 1000 == 0;
    };
    std::vector<PlainFlow> list;
    for (uint32_t i = 0; i < 8; ++i)
    {
        list.push_back(Flow(i, 8, 5'000'000));
    }
    Run(list);
    EXPECT_EQ(transfers.size(), 8u);
    CheckConservation();
    EXPECT_GT(GetFabricTotals().dropped, 5u);
    EXPECT_GT(GetFabricTotals().xoff, 0u);
}

TEST_F(RetransmissionTimeoutTest, EveryThirdControlFrameLost)
{
    Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
    Set("ns3::RedEcnMarker::Kmin", 5'000);
    Set("ns3::RedEcnMarker::Kmax", 50'000);
    Set("ns3::RoceNic::RetransmissionTimeout", "200us");
    Set("ns3::RoceNic::AckInterval", 2);
    Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
    Set("ns3::FabricSwitch::Pfc", "false");
    Set("ns3::FabricSwitch::BufferSize", 300'000);
    Build(Star(5, 100 * G, US));
    // By size: ACK and NAK 66, CNP 78 bytes.
    uint64_t acks = 0;
    uint64_t cnps = 0;
    GetLossyBuffer("s")->lose = [&](const LossyBuffer::Arrival& arrival) {
        return arrival.priority == 7 && (arrival.bytes == 78 ? ++cnps : ++acks) % 3 == 0;
    };
    std::vector<PlainFlow> list;
    for (uint32_t i = 0; i < 4; ++i)
    {
        list.push_back(Flow(i, 4, 3'000'000));
    }
    Run(list);
    EXPECT_EQ(transfers.size(), 4u);
    CheckConservation();
    EXPECT_GT(cnps, 3u);
    EXPECT_EQ(cnps, GetRdmaTotals().cnps);
    EXPECT_EQ(acks, GetRdmaTotals().acks + GetRdmaTotals().naks);
    EXPECT_EQ(GetRdmaTotals().controlFrames, cnps - cnps / 3 + acks - acks / 3);
}

TEST_F(RetransmissionTimeoutTest, HeldWhileThePriorityIsPaused)
{
    // A flow of priority 5 has the port for 4 ms; that of priority 4 fills its share of the buffer
    // and is paused. Its oldest frame waits 40 times the RTO, and nothing is sent twice.
    Set("ns3::RoceNic::RetransmissionTimeout", "100us");
    Set("ns3::RoceNic::MaxRetransmissionTimeout", "100us");
    Set("ns3::FabricSwitch::LosslessMask", 1 << 4 | 1 << 5);
    Set("ns3::FabricSwitch::BufferSize", 1'000'000);
    Build(Star(3, 100 * G, US));
    Run({Flow(0, 2, 2'000'000, 0, 4), Flow(1, 2, 50'000'000, 0, 5)});
    CheckConservation();
    ASSERT_EQ(transfers.size(), 2u);
    EXPECT_GT(transfers[0].deliveredPs, 4 * MS);
    EXPECT_EQ(GetRdmaTotals().timeouts, 0u);
    EXPECT_EQ(GetRdmaTotals().retransmittedBytes, 0u);
}

TEST_F(RetransmissionTimeoutTest, HeldWhileTheFramesWaitInTheNic)
{
    // Both flows leave by one NIC: the lower priority sends nothing for 4 ms, and its timer, armed
    // by an earlier message, finds nothing outstanding.
    Set("ns3::RoceNic::RetransmissionTimeout", "100us");
    Build(Chain(2, 100 * G, US));
    RecordingClient client;
    uint32_t low = Connect(A, B, &client, 1);
    uint32_t high = Connect(A, B, &client, 6);
    Post(low, 1000, 0);
    At(20 * US, [&]() {
        Post(high, 50'000'000, 1);
        Post(low, 100'000, 2);
    });
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(client.GetSteps('c'), (std::vector<uint32_t>{0, 1, 2}));
    EXPECT_EQ(GetRdmaTotals().timeouts, 0u);
    EXPECT_EQ(GetRdmaTotals().retransmittedBytes, 0u);
}

TEST_F(RetransmissionTimeoutTest, StarvationInTheNetworkIsNotLoss)
{
    // The default RTO of 67 ms, and a wait of 40 ms in a switch.
    Build(Star(3, 100 * G, US));
    Run({Flow(0, 2, 100'000, 0, 1), Flow(1, 2, 500'000'000, 0, 6)});
    ASSERT_EQ(transfers.size(), 2u);
    EXPECT_GT(transfers[0].deliveredPs, 40 * MS);
    EXPECT_EQ(GetRdmaTotals().timeouts, 0u);
    CheckConservation();
}

TEST_F(RetransmissionTimeoutTest, ASpuriousTimeoutDoesNoHarm)
{
    // The RTO is shorter than the queue: everything is sent many times, each byte delivered once.
    Set("ns3::RoceNic::RetransmissionTimeout", "20us");
    Set("ns3::RoceNic::MaxRetransmissionTimeout", "50us");
    Build(Star(5, 100 * G, US));
    std::vector<PlainFlow> list;
    for (uint32_t i = 0; i < 4; ++i)
    {
        list.push_back(Flow(i, 4, 2'000'000));
    }
    Run(list);
    EXPECT_EQ(transfers.size(), 4u);
    CheckConservation();
    EXPECT_GT(GetRdmaTotals().timeouts, 0u);
    EXPECT_GT(GetRdmaTotals().duplicateFrames, 0u);
    EXPECT_EQ(GetFabricTotals().dropped, 0u);
    EXPECT_EQ(GetRdmaTotals().failures, 0u);
}

} // namespace ns3
