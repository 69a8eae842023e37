/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/split-network-fixture.h"

#include "ns3/counter-random.h"
#include "ns3/rdma-congestion-control.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace ns3
{

class HpccTest : public SplitNetworkFixture
{
  protected:
    static Ptr<RdmaCongestionControl> Make()
    {
        return ObjectFactory("ns3::Hpcc").Create<RdmaCongestionControl>();
    }

    /// A controller at 100 Gb/s with a T of 10 us: W_init = 12.5e9 x 10e-6 =
    /// 125,000 bytes.
    static std::unique_ptr<RateController> MakeController(double increase = 80)
    {
        Ptr<RdmaCongestionControl> control = Make();
        control->SetAttribute("AdditiveIncrease", UintegerValue(static_cast<uint64_t>(increase)));
        FlowContext flow;
        flow.lineRateBps = 100 * G;
        flow.baseRttPs = 10 * US;
        return control->CreateController(flow);
    }

    /// An acknowledgement of so many bytes, with one link at 100 Gb/s.
    static void Acknowledge(RateController& controller,
                            uint64_t bytes,
                            uint64_t inFlight,
                            int64_t time,
                            uint64_t txBytes,
                            uint64_t queueBytes)
    {
        const IntRecord record{txBytes, queueBytes, time, 100 * G};
        AckSample sample;
        sample.payloadBytes = bytes;
        sample.inFlightBytes = inFlight;
        sample.records = &record;
        sample.recordCount = 1;
        controller.OnAck(sample);
    }

    /// Whole bytes: what is just below a number may be one less.
    static double GetWindow(RateController& controller)
    {
        return static_cast<double>(controller.GetLimits(0).windowBytes);
    }

    /// Two hosts send to a third one, the second from an instant on [ps].
    void RunTwoToOne(uint64_t bytes, int64_t second)
    {
        Set("ns3::RoceNic::CongestionControl", "ns3::Hpcc");
        Set("ns3::Hpcc::AdditiveIncrease", 1'000);
        Build(Star(3, 100 * G, US));
        network.GetTransport()->TraceConnectWithoutContext("Rtt",
                                                           MakeCallback(&HpccTest::OnRtt, this));
        network.GetTransport()->TraceConnectWithoutContext("Rate",
                                                           MakeCallback(&HpccTest::OnRate, this));
        Run({Flow(0, 2, bytes), Flow(1, 2, bytes, second)});
    }

  public:
    void OnRtt(const CongestionRecord& record)
    {
        rtts.push_back(record);
    }

    void OnRate(const CongestionRecord& record)
    {
        rates.push_back(record);
    }

    std::vector<CongestionRecord> rtts;
    std::vector<CongestionRecord> rates;
};

TEST_F(HpccTest, ByHand)
{
    auto controller = MakeController();
    EXPECT_NEAR(GetWindow(*controller), 125'000, 1);
    EXPECT_NEAR(controller->GetRate(0), 100e9, 1);
    EXPECT_EQ(controller->OnSend({0, 1'000, 1'000}), RateController::UNPACED);
    // The first acknowledgement only tells where the links are: lastUpdateSeq =
    // 1,000 + 2,000.
    Acknowledge(*controller, 1'000, 2'000, 0, 0, 0);
    EXPECT_NEAR(GetWindow(*controller), 125'000, 1);
    // 62,500 bytes in 5 us are the whole rate, without a queue: u = 1, tau = T /
    // 2, U = 1/2 x 1 + 1/2 x 1 = 1. W = 125,000 / (1 / 0.95) + 80 = 118,830.
    // ack.seq = 2,000.
    Acknowledge(*controller, 1'000, 2'000, 5 * US, 62'500, 0);
    EXPECT_NEAR(GetWindow(*controller), 118'830, 1);
    // R = W / T = 118,830 x 8 / 10 us = 95.064 Gb/s.
    EXPECT_NEAR(controller->GetRate(0), 95.064e9, 1);
    EXPECT_NEAR(controller->OnSend({0, 1'000, 1'000}), 95.064e9, 1);
    // W^c is still W_init. The queue counts with the less of two readings, 0.
    // U = 1: the same. ack.seq = 3,000 is not above lastUpdateSeq.
    Acknowledge(*controller, 1'000, 5'000, 10 * US, 125'000, 12'500);
    EXPECT_NEAR(GetWindow(*controller), 118'830, 1);
    // u = 12,500 / 125,000 + 1 = 1.1, U = 1/2 x 1 + 1/2 x 1.1 = 1.05;
    // W = 125,000 / (1.05 / 0.95) + 80 = 113,175.2 = W^c, as ack.seq = 4,000.
    // lastUpdateSeq = 4,000 + 5,000.
    Acknowledge(*controller, 1'000, 5'000, 15 * US, 187'500, 20'000);
    EXPECT_NEAR(GetWindow(*controller), 113'175, 1);
    // Half the rate for T: tau = T, U = u = 0.5 < eta: W = W^c + 80. ack.seq =
    // 5,000.
    Acknowledge(*controller, 1'000, 5'000, 25 * US, 250'000, 0);
    EXPECT_NEAR(GetWindow(*controller), 113'255, 1);
    Acknowledge(*controller, 1'000, 5'000, 35 * US, 312'500, 0);
    EXPECT_NEAR(GetWindow(*controller), 113'255, 1);
}

// The busiest of the links decides, wherever it is: here the second one of the path.
TEST_F(HpccTest, TheBusiestLinkCounts)
{
    auto controller = MakeController();
    const auto acknowledge = [&controller](int64_t timePs, uint64_t first, uint64_t second) {
        IntRecord records[2];
        records[0].rateBps = records[1].rateBps = 100 * G;
        records[0].timePs = records[1].timePs = timePs;
        records[0].txBytes = first;
        records[1].txBytes = second;
        AckSample sample;
        sample.payloadBytes = 1'000;
        sample.records = records;
        sample.recordCount = 2;
        controller->OnAck(sample);
    };
    acknowledge(0, 0, 0);
    // A tenth and twice the rate for T: U = 2, W = 125,000 / (2 / 0.95) + 80.
    acknowledge(10 * US, 12'500, 250'000);
    EXPECT_NEAR(GetWindow(*controller), 59'455, 1);
}

TEST_F(HpccTest, AfterMaxStageTheWindowFollowsTheUtilisation)
{
    auto controller = MakeController();
    // Each acknowledgement is above lastUpdateSeq: nothing is in flight. U = 2
    // for T: W^c = 125,000 / (2 / 0.95) + 80 = 59,455.
    Acknowledge(*controller, 1'000, 0, 0, 0, 0);
    Acknowledge(*controller, 1'000, 0, 10 * US, 250'000, 0);
    EXPECT_NEAR(GetWindow(*controller), 59'455, 1);
    // Then U = 0.5: five additive increases.
    for (uint64_t i = 1; i <= 5; ++i)
    {
        Acknowledge(*controller, 1'000, 0, (10 + 10 * i) * US, 250'000 + 62'500 * i, 0);
        EXPECT_NEAR(GetWindow(*controller), 59'455 + 80.0 * static_cast<double>(i), 1);
    }
    // The sixth: 59,855 / (0.5 / 0.95) + 80 = 113,804.5.
    Acknowledge(*controller, 1'000, 0, 70 * US, 250'000 + 62'500 * 6, 0);
    EXPECT_NEAR(GetWindow(*controller), 113'804, 1);
    // And additive again.
    Acknowledge(*controller, 1'000, 0, 80 * US, 250'000 + 62'500 * 7, 0);
    EXPECT_NEAR(GetWindow(*controller), 113'884, 1);
}

TEST_F(HpccTest, AnotherPathStartsAfresh)
{
    auto controller = MakeController();
    Acknowledge(*controller, 1'000, 0, 0, 0, 0);
    AckSample sample;
    const IntRecord two[2] = {{1'000'000, 0, 10 * US, 100 * G}, {2'000'000, 0, 10 * US, 100 * G}};
    sample.payloadBytes = 1'000;
    sample.records = two;
    sample.recordCount = 2;
    controller->OnAck(sample);
    EXPECT_NEAR(GetWindow(*controller), 125'000, 1);
    // Nor do acknowledgements without telemetry change anything.
    sample.recordCount = 0;
    controller->OnAck(sample);
    EXPECT_NEAR(GetWindow(*controller), 125'000, 1);
}

// Algorithm 1, written once more from the paper: in bytes and seconds, link by
// link.
TEST_F(HpccTest, SequencesFollowTheEquations)
{
    constexpr double T = 10e-6;
    constexpr double ETA = 0.95;
    constexpr uint32_t LINKS = 3;
    const double bandwidth[LINKS] = {12.5e9, 50e9, 12.5e9};
    for (uint64_t seed = 1; seed <= 20; ++seed)
    {
        auto controller = MakeController(500);
        double w = 125'000;
        double wc = 125'000;
        double u = 1;
        uint32_t stage = 0;
        uint64_t seq = 0;
        uint64_t lastUpdate = 0;
        IntRecord last[LINKS];
        int64_t now = 0;
        for (uint32_t i = 0; i < 500; ++i)
        {
            const auto random = [&](uint64_t what, uint64_t limit) {
                return CounterRandom(seed, what, i) % limit;
            };
            const auto step = static_cast<int64_t>(1 + random(0, 15 * US));
            now += step;
            IntRecord records[LINKS];
            for (uint32_t link = 0; link < LINKS; ++link)
            {
                // Busy up to the whole rate, and sometimes a queue.
                const double most = bandwidth[link] * static_cast<double>(step) * 1e-12;
                records[link].txBytes =
                    last[link].txBytes +
                    static_cast<uint64_t>(most * static_cast<double>(random(10 + link, 1'001)) /
                                          1'000);
                records[link].queueBytes =
                    random(20 + link, 3) == 0 ? random(30 + link, 80'000) : 0;
                records[link].timePs = now;
                records[link].rateBps = static_cast<uint64_t>(bandwidth[link] * 8);
            }
            AckSample sample;
            sample.payloadBytes = 1'000 * (1 + random(1, 4));
            sample.inFlightBytes = random(2, 100'000);
            sample.records = records;
            sample.recordCount = LINKS;
            controller->OnAck(sample);

            seq += sample.payloadBytes;
            if (i == 0)
            {
                lastUpdate = seq + sample.inFlightBytes;
            }
            else
            {
                double worst = 0;
                for (uint32_t link = 0; link < LINKS; ++link)
                {
                    const double rate =
                        static_cast<double>(records[link].txBytes - last[link].txBytes) /
                        (static_cast<double>(step) * 1e-12);
                    const double queue = static_cast<double>(
                        std::min(records[link].queueBytes, last[link].queueBytes));
                    worst = std::max(worst, queue / (bandwidth[link] * T) + rate / bandwidth[link]);
                }
                const double weight = std::min(static_cast<double>(step) * 1e-12, T) / T;
                u = u * (1 - weight) + worst * weight;
                const bool drop = u >= ETA || stage >= 5;
                w = (drop ? wc * ETA / u : wc) + 500;
                w = std::min(std::max(w, 100e6 / 8 * T), 125'000.0);
                if (seq > lastUpdate)
                {
                    stage = drop ? 0 : stage + 1;
                    wc = w;
                    lastUpdate = seq + sample.inFlightBytes;
                }
            }
            std::copy_n(records, LINKS, last);
            ASSERT_NEAR(controller->GetRate(now), w * 8 / T, w * 8 / T * 1e-9) << seed << " " << i;
        }
    }
}

TEST_F(HpccTest, FramesAreLongerByTheTelemetryAndEachIsAcknowledged)
{
    Set("ns3::RoceNic::CongestionControl", "ns3::Hpcc");
    Build(Star(2, 100 * G, US));
    Run({Flow(0, 1, 409'600)});
    ASSERT_EQ(transfers.size(), 1u);
    EXPECT_EQ(GetRdmaTotals().acks, 100u);
    // 100 frames of 4,096 + 62 + 20 and one RETH of 16; 100 acknowledgements of
    // 66 + 20.
    EXPECT_EQ(GetSentBytes(Nic(0)), 100 * (4'096 + 62 + 20 + 42) + 16u);
    EXPECT_EQ(GetSentBytes(Nic(1)), 100 * (66 + 20 + 42u));
    CheckConservation();
}

TEST_F(HpccTest, TwoSendersShareALinkAlmostWithoutQueue)
{
    // 20 MB each over a link of 100 Gb/s.
    RunTwoToOne(20'000'000, 0);
    ASSERT_EQ(transfers.size(), 2u);
    CheckConservation();
    // 4,096 of 4,220 bytes are payload: at eta = 95 % of the link 40 MB take 40e6 x 8 / (100e9 x
    // 0.95 x 0.9706) = 3.470 ms, and at the whole link 3.297 ms. W_AI keeps it a little above eta:
    // 2 x 1,000 bytes of the 59 kB that the link holds.
    const auto end = static_cast<double>(GetLastDelivery());
    EXPECT_GT(end, 3'297e6);
    EXPECT_LT(end, 3'470e6 * 1.05);
    // They are alike, and end so.
    EXPECT_NEAR(static_cast<double>(transfers[0].deliveredPs),
                static_cast<double>(transfers[1].deliveredPs),
                0.02 * end);
    // An idle path takes 4 us on wires, two frames of 4,220 and two
    // acknowledgements of 128 bytes of 80 ps each: 4.7 us. After the first 100 us
    // the queue stays within a few frames: 2 us at 100 Gb/s are 25,000 bytes.
    const int64_t base = 4 * US + 2 * (4'220 + 128) * 80;
    int64_t sum = 0;
    int64_t count = 0;
    for (const CongestionRecord& record : rtts)
    {
        EXPECT_GE(record.rttPs, base - 1 * US);
        if (record.timePs > 100 * US)
        {
            sum += record.rttPs;
            ++count;
        }
    }
    ASSERT_GT(count, 1'000);
    EXPECT_LT(sum / count, base + 2 * US);
    EXPECT_EQ(GetFabricTotals().xoff, 0u);
}

TEST_F(HpccTest, ASecondSenderGetsItsShare)
{
    RunTwoToOne(20'000'000, 300 * US);
    ASSERT_EQ(transfers.size(), 2u);
    // Half of what is left when both are there; the last windows before the first
    // one ends differ by less than a fifth.
    double last[2] = {0, 0};
    for (const CongestionRecord& record : rates)
    {
        if (record.timePs < transfers[0].deliveredPs - 100 * US)
        {
            last[record.queuePair] = record.rateBps;
        }
    }
    EXPECT_GT(last[1] / last[0], 0.8);
    EXPECT_LT(last[1] / last[0], 1.25);
}

TEST_F(HpccTest, ReadResponsesAreControlledAsSendsAre)
{
    Set("ns3::RoceNic::CongestionControl", "ns3::Hpcc");
    Build(Star(3, 100 * G, US));
    network.GetTransport()->TraceConnectWithoutContext("Rtt", MakeCallback(&HpccTest::OnRtt, this));
    RecordingClient client;
    const uint32_t pairs[2] = {Connect(0, 2, &client), Connect(1, 2, &client)};
    for (uint32_t pair : pairs)
    {
        network.GetTransport()->Post(0, pair, 4'096'000, MessageTag(), RdmaOperation::READ);
    }
    Simulator::Run();
    EXPECT_EQ(client.GetSteps('c').size(), 2u);
    // A thousand responses of each, all acknowledged.
    EXPECT_EQ(GetRdmaTotals().acks, 2'000u);
    int64_t last = 0;
    for (const CongestionRecord& record : rtts)
    {
        last = record.timePs > 200 * US ? std::max(last, record.rttPs) : last;
    }
    // As above: the queue stays small. Uncontrolled it would be that of two
    // senders, up to a megabyte or the pause threshold.
    EXPECT_GT(last, 0);
    EXPECT_LT(last, 4 * US + 2 * (4'220 + 128) * 80 + 6 * US);
    CheckConservation();
}

TEST_F(HpccTest, IsTheSameInPartsAndRanks)
{
    std::string whole;
    for (Mode mode : {Mode::WHOLE, Mode::THREADS, Mode::RANKS})
    {
        EndRanks();
        Clear();
        rtts.clear();
        rates.clear();
        Start(CreateObject<FabricSimulatorImpl>());
        Set("ns3::RoceNic::CongestionControl", "ns3::Hpcc");
        BuildIn(mode, LeafSpine(4, 2, 2, 100 * G, 100 * G, US), 3);
        network.GetTransport()->TraceConnectWithoutContext("Rate",
                                                           MakeCallback(&HpccTest::OnRate, this));
        Run({Flow(0, 7, 1'000'000),
             Flow(2, 7, 1'000'000),
             Flow(4, 7, 1'000'000, 777),
             Flow(7, 3, 500'000)});
        std::string all = ReadAll();
        for (const CongestionRecord& record : rates)
        {
            all += " " + std::to_string(record.timePs) + ":" + std::to_string(record.windowBytes);
        }
        ASSERT_EQ(transfers.size(), 4u);
        if (mode == Mode::WHOLE)
        {
            whole = all;
        }
        EXPECT_EQ(all, whole);
    }
}

} // namespace ns3
