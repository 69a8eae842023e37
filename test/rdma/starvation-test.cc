/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

namespace ns3
{

/// Starvation is not loss: how a low priority behaves when it gets no service for seconds.
class StarvationTest : public NetworkFixture
{
  protected:
    static constexpr int64_t RTO = 4'096'000ll << 14; ///< the default [ps]
    static constexpr int64_t S = 1'000'000'000'000;   ///< [ps]
    static constexpr int64_t BYTE = 8'000;            ///< at 1 Gb/s [ps]
    static constexpr uint32_t FRAME = 4096 + 82;      ///< on the wire, without RETH [byte]
    static constexpr int64_t PERIOD = 100 * MS;
    static constexpr uint32_t PERIODS = 20;
    /// 50.5 % of a period, so that the link never idles: 1,511 frames [frames].
    static constexpr uint64_t BURST = PERIOD / 2 * 101 / 100 / (FRAME * BYTE);

    /// Two senders of higher priorities that are on and off in turn, as jobs of 50 % duty are: the
    /// link is busy for 2 s. Returns the time that their frames take [ps].
    int64_t Saturate(uint32_t first, uint32_t second, uint32_t to)
    {
        for (uint32_t i = 0; i < PERIODS; ++i)
        {
            list.push_back(Flow(first, to, BURST * 4096, i * PERIOD, 6));
            list.push_back(Flow(second, to, BURST * 4096, i * PERIOD + PERIOD / 2, 5));
        }
        return 2 * PERIODS * (BURST * FRAME + 16) * BYTE;
    }

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

    /// The messages of a priority.
    std::vector<TransferRecord> GetTransfers(uint32_t priority) const
    {
        std::vector<TransferRecord> found;
        std::copy_if(transfers.begin(),
                     transfers.end(),
                     std::back_inserter(found),
                     [priority](const auto& transfer) { return transfer.priority == priority; });
        return found;
    }

    std::vector<PlainFlow> list;
};

TEST_F(StarvationTest, InTheNetworkForTwoSeconds)
{
    // Ten frames, which the switch has room for: nobody is paused.
    constexpr int64_t AT = 10 * MS;
    constexpr uint32_t FRAMES = 10;
    Build(Star(4, G, US));
    int64_t busy = Saturate(0, 1, 3);
    list.push_back(Flow(2, 3, FRAMES * 4096, AT, 4));
    Run(list);
    CheckConservation();
    EXPECT_EQ(GetFabricTotals().xoff, 0u);
    ASSERT_EQ(transfers.size(), 2u * PERIODS + 1);
    // It has the link when the others are through, from the first frame's arrival at the switch on.
    int64_t through = (FRAME + 16) * BYTE + US + busy;
    ASSERT_GT(through, 2 * S);
    ASSERT_EQ(GetTransfers(4).size(), 1u);
    const TransferRecord starved = GetTransfers(4)[0];
    EXPECT_EQ(starved.deliveredPs, through + (FRAMES * FRAME + 16) * BYTE + US);
    // Sent at 10 ms, and again after 67 ms, 134 ms, ... without an answer: at (2^k - 1) RTO.
    std::vector<int64_t> expected;
    for (int64_t k = 1; AT + ((1 << k) - 1) * RTO < starved.deliveredPs; ++k)
    {
        expected.push_back(AT + ((1 << k) - 1) * RTO);
    }
    EXPECT_EQ(expected.size(), 4u);
    EXPECT_EQ(GetTimes("timeout"), expected);
    // Each time no more than what is outstanding, all of it in vain.
    EXPECT_EQ(GetRdmaTotals().retransmittedBytes, 4u * FRAMES * 4096);
    EXPECT_EQ(GetRdmaTotals().duplicateFrames, 4u * FRAMES);
    EXPECT_EQ(GetRdmaTotals().failures, 0u);
}

TEST_F(StarvationTest, TheTimeoutStopsDoublingAtItsMaximum)
{
    // The same with a maximum of 200 ms: at 67, 201, 401, ... ms, never faster.
    Set("ns3::RoceNic::MaxRetransmissionTimeout", "200ms");
    Build(Star(4, G, US));
    Saturate(0, 1, 3);
    list.push_back(Flow(2, 3, 4096, 10 * MS, 4));
    Run(list);
    CheckConservation();
    std::vector<int64_t> expected;
    for (int64_t at = 10 * MS + RTO, timeout = RTO; at < GetTransfers(4).at(0).deliveredPs;)
    {
        expected.push_back(at);
        timeout = std::min(2 * timeout, 200 * MS);
        at += timeout;
    }
    EXPECT_EQ(expected.size(), 11u);
    EXPECT_EQ(GetTimes("timeout"), expected);
    EXPECT_EQ(GetRdmaTotals().failures, 0u);
}

TEST_F(StarvationTest, BehindAPauseNothingIsSentTwice)
{
    // More than the switch has room for: its NIC is paused, and the RTO held, for two seconds.
    Set("ns3::FabricSwitch::BufferSize", 1'000'000);
    Build(Star(4, G, US));
    int64_t busy = Saturate(0, 1, 3);
    list.push_back(Flow(2, 3, 10'000'000, 10 * MS, 4));
    Run(list);
    CheckConservation();
    uint64_t frames = 10'000'000 / 4096 + 1;
    int64_t through = (FRAME + 16) * BYTE + US + busy;
    // To the microsecond: each burst begins with a RETH of its own to wait for.
    EXPECT_NEAR(GetTransfers(4).at(0).deliveredPs,
                through + (10'000'000 + frames * 82 + 16) * BYTE + US,
                50 * US);
    EXPECT_TRUE(std::any_of(pauses.begin(), pauses.end(), [this](const PauseRecord& pause) {
        return pause.priority == 4 && pause.endPs - pause.startPs > S &&
               topology.GetPortNode(pause.link) == 2;
    }));
    EXPECT_EQ(GetRdmaTotals().timeouts, 0u);
    EXPECT_EQ(GetRdmaTotals().retransmittedBytes, 0u);
    EXPECT_EQ(GetFabricTotals().dropped, 0u);
}

TEST_F(StarvationTest, InTheNicNothingIsSentTwice)
{
    // All three leave by one NIC.
    Build(Star(4, G, US));
    Saturate(0, 0, 3);
    list.push_back(Flow(0, 3, 1'000'000, 10 * MS, 4));
    Run(list);
    CheckConservation();
    EXPECT_GT(GetTransfers(4).at(0).deliveredPs, 2 * S);
    EXPECT_EQ(GetRdmaTotals().timeouts, 0u);
    EXPECT_EQ(GetRdmaTotals().retransmittedBytes, 0u);
}

TEST_F(StarvationTest, OfReadResponsesInTheNetwork)
{
    // The requester, host 3, hears nothing for two seconds, and asks again once an RTO.
    constexpr int64_t AT = 10 * MS;
    constexpr uint32_t FRAMES = 10;
    Build(Star(4, G, US));
    Saturate(0, 1, 3);
    RecordingClient client;
    uint32_t read = Connect(2, 3, &client, 4);
    At(AT, [&]() {
        network.GetTransport()->Post(AT, read, FRAMES * 4096, MessageTag(), RdmaOperation::READ);
    });
    Run(list);
    CheckConservation();
    ASSERT_EQ(client.GetSteps('c').size(), 1u);
    EXPECT_GT(client.calls.back().timePs, 2 * S);
    std::vector<int64_t> expected;
    for (int64_t k = 1; AT + ((1 << k) - 1) * RTO < 2 * S; ++k)
    {
        expected.push_back(AT + ((1 << k) - 1) * RTO);
    }
    EXPECT_EQ(expected.size(), 4u);
    EXPECT_EQ(GetTimes("timeout"), expected);
    EXPECT_EQ(GetRdmaTotals().readRequests, 5u);
    EXPECT_EQ(GetRdmaTotals().duplicateFrames, 4u * FRAMES);
    EXPECT_EQ(GetRdmaTotals().failures, 0u);
}

/// Waiting is no attempt that has failed: RetryTimeout is one second, the wait two.
class StarvationAndLossTest : public StarvationTest,
                              public ::testing::WithParamInterface<const char*>
{
  protected:
    void BuildLossy(const ClusterTopology& graph)
    {
        Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
        Set("ns3::RoceNic::LossRecovery", GetParam());
        Set("ns3::RoceNic::IrnTimeoutLow", "20ms");
        Set("ns3::RoceNic::IrnTimeoutHigh", "50ms");
        Set("ns3::RoceNic::RetransmissionTimeout", "50ms");
        Set("ns3::RoceNic::RetryTimeout", "1s");
        Build(graph);
    }

    /// Loses frames of an ingress and priority whose running numbers are given.
    void Lose(const char* name,
              uint32_t ingress,
              uint32_t priority,
              const std::vector<uint32_t>& numbers)
    {
        GetLossyBuffer(name)->lose = [=, count = 0u](const LossyBuffer::Arrival& arrival) mutable {
            return arrival.ingress == ingress && arrival.priority == priority &&
                   std::count(numbers.begin(), numbers.end(), count++) > 0;
        };
    }
};

TEST_P(StarvationAndLossTest, AfterATimeoutInTheNic)
{
    // The only frame is lost. When its RTO is over, the NIC has better things to do for two
    // seconds; then it is lost once more.
    BuildLossy(Star(4, G, US));
    Lose("s", 0, 4, {0, 1});
    list.push_back(Flow(0, 3, 1000, 0, 4));
    list.push_back(Flow(0, 3, 250'000'000, 5 * MS, 6));
    Run(list);
    CheckConservation();
    ASSERT_EQ(transfers.size(), 2u);
    int64_t first = GetParam() == std::string("irn") ? 20 * MS : 50 * MS;
    ASSERT_EQ(GetTimes("timeout").size(), 2u);
    EXPECT_EQ(GetTimes("timeout")[0], first);
    // The second RTO, twice the first, begins when the frame is sent again.
    EXPECT_NEAR(GetTimes("timeout")[1],
                5 * MS + (250'000'000 + 61'036 * 82) * BYTE + 2 * first,
                100 * US);
    EXPECT_EQ(GetRdmaTotals().failures, 0u);
}

TEST_P(StarvationAndLossTest, AfterANakInTheNic)
{
    // The first of two frames is lost; the NAK comes when the NIC is busy. What is sent again is
    // lost, too.
    BuildLossy(Star(4, G, US));
    Lose("s", 0, 4, {0, 2});
    list.push_back(Flow(0, 3, 8192, 0, 4));
    list.push_back(Flow(0, 3, 250'000'000, 70 * US, 6));
    Run(list);
    CheckConservation();
    ASSERT_EQ(transfers.size(), 2u);
    // One NAK a gap: the second loss costs a timeout.
    ASSERT_EQ(GetTimes("nak").size(), 1u);
    EXPECT_LT(GetTimes("nak")[0], MS);
    ASSERT_EQ(GetTimes("timeout").size(), 1u);
    EXPECT_GT(GetTimes("timeout")[0], 2 * S);
    EXPECT_EQ(GetRdmaTotals().failures, 0u);
}

TEST_P(StarvationAndLossTest, BehindAPause)
{
    // The flow of 0 to 3 is stuck behind that of 1, and NIC 0 paused for two seconds. Before, the
    // only frame of a message to 2 was lost; when it is sent again, it is lost again.
    Set("ns3::FabricSwitch::BufferSize", 1'000'000);
    BuildLossy(Star(4, G, US));
    auto to2 = [count = 0u](const LossyBuffer::Arrival& arrival) mutable {
        return arrival.egress == 2 && arrival.priority == 4 && count++ < 2;
    };
    GetLossyBuffer("s")->lose = to2;
    list.push_back(Flow(0, 2, 1000, 0, 4));
    list.push_back(Flow(1, 3, 250'000'000, 0, 6));
    list.push_back(Flow(0, 3, 5'000'000, 0, 4));
    Run(list);
    CheckConservation();
    ASSERT_EQ(transfers.size(), 3u);
    EXPECT_GT(GetTransfers(4)[0].completedPs, 2 * S);
    // None while it is held, then one a loss.
    ASSERT_EQ(GetTimes("timeout").size(), 2u);
    EXPECT_GT(GetTimes("timeout")[0], 2 * S);
    EXPECT_EQ(GetRdmaTotals().failures, 0u);
}

TEST_P(StarvationAndLossTest, ButWhatIsLostForEverFails)
{
    // The wait in the NIC is neither counted nor forgotten: what came before it, is.
    BuildLossy(Star(4, G, US));
    Set("ns3::RoceNic::MaxRetransmissionTimeout", "50ms");
    GetLossyBuffer("s")->lose = [](const LossyBuffer::Arrival& arrival) {
        return arrival.priority == 4;
    };
    list.push_back(Flow(0, 3, 1000, 0, 4));
    list.push_back(Flow(0, 3, 250'000'000, 500 * MS, 6));
    Launch(list);
    Simulator::Run();
    ASSERT_EQ(GetTimes("failed").size(), 1u);
    int64_t wait = (250'000'000 + 61'036 * 82) * BYTE;
    // RTOs of at most 800 ms, so that it is noticed so much later at most.
    EXPECT_GT(GetTimes("failed")[0], wait + S);
    EXPECT_LT(GetTimes("failed")[0], wait + S + 900 * MS);
    EXPECT_EQ(GetRdmaTotals().failures, 1u);
}

INSTANTIATE_TEST_SUITE_P(EitherRecovery,
                         StarvationAndLossTest,
                         ::testing::Values("go-back-n", "irn"),
                         [](const auto& recovery) {
                             return std::string(recovery.param) == "irn" ? "Irn" : "GoBackN";
                         });

TEST_F(StarvationTest, OfAReadRequestInTheNic)
{
    // The request waits in the reader's NIC, behind what that sends itself, for two seconds; the
    // first time that it is sent, it is lost.
    Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
    Set("ns3::RoceNic::RetransmissionTimeout", "50ms");
    Set("ns3::RoceNic::RetryTimeout", "1s");
    Build(Star(4, G, US));
    GetLossyBuffer("s")->lose = [count = 0u](const LossyBuffer::Arrival& arrival) mutable {
        return arrival.priority == 4 && arrival.bytes == 78 && count++ < 1;
    };
    RecordingClient client;
    uint32_t read = Connect(2, 0, &client, 4);
    uint32_t write = Connect(0, 3, &client, 6);
    Post(write, 250'000'000, 1);
    At(MS, [&]() {
        MessageTag tag;
        tag.step = 2;
        network.GetTransport()->Post(MS, read, 100'000, tag, RdmaOperation::READ);
    });
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(client.GetSteps('c'), (std::vector<uint32_t>{1, 2}));
    EXPECT_EQ(GetRdmaTotals().readRequests, 2u);
    EXPECT_EQ(GetTimes("timeout").size(), 1u);
    EXPECT_EQ(GetRdmaTotals().failures, 0u);
}

} // namespace ns3
