/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

#include "ns3/counter-random.h"
#include "ns3/rdma-congestion-control.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace ns3
{

class TimelyTest : public NetworkFixture
{
  protected:
    /// A controller at 10 Gb/s with the paper's thresholds, a minRTT of 20 us and
    /// a start at half the line rate.
    static std::unique_ptr<RateController> MakeController()
    {
        Ptr<RdmaCongestionControl> control =
            ObjectFactory("ns3::Timely").Create<RdmaCongestionControl>();
        control->SetAttribute("StartRate", StringValue("5Gbps"));
        control->SetAttribute("MinRtt", StringValue("20us"));
        FlowContext flow;
        flow.lineRateBps = 10 * G;
        flow.baseRttPs = 7 * US;
        return control->CreateController(flow);
    }

    static double Measure(RateController& controller, int64_t rttPs)
    {
        AckSample sample;
        sample.rttPs = rttPs;
        controller.OnAck(sample);
        return controller.GetRate(0);
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

TEST_F(TimelyTest, ByHand)
{
    auto controller = MakeController();
    EXPECT_EQ(controller->GetRate(0), 5e9);
    EXPECT_EQ(controller->OnSend({0, 1'000, 1'000}), 5e9);
    EXPECT_EQ(controller->GetLimits(0).windowBytes, SendLimits::NO_WINDOW);
    // Below T_low = 50 us: + delta = 10 Mb/s.
    EXPECT_EQ(Measure(*controller, 40 * US), 5.01e9);
    // 60 us: rtt_diff = 0.125 x 0 + 0.875 x 20 us = 17.5 us, gradient 17.5 / 20 =
    // 0.875: x (1 - 0.8 x 0.875) = 0.3.
    EXPECT_NEAR(Measure(*controller, 60 * US), 5.01e9 * 0.3, 1);
    // 600 us is above T_high = 500 us: x (1 - 0.8 x (1 - 500 / 600)) = 13 / 15.
    EXPECT_NEAR(Measure(*controller, 600 * US), 5.01e9 * 0.3 * 13 / 15, 1);
    // Back at 100 us: rtt_diff = 0.125 x (0.125 x 17.5 + 0.875 x 540) - 0.875 x
    // 500 < 0: + delta.
    double rate = 5.01e9 * 0.3 * 13 / 15;
    EXPECT_NEAR(Measure(*controller, 100 * US), rate + 10e6, 1);
    // The gradient stays below 0. With the fifth sample in a row hyperactive
    // increase begins.
    for (uint32_t i = 2; i <= 4; ++i)
    {
        EXPECT_NEAR(Measure(*controller, 100 * US), rate + 10e6 * i, 1);
    }
    EXPECT_NEAR(Measure(*controller, 100 * US), rate + 40e6 + 50e6, 1);
    EXPECT_NEAR(Measure(*controller, 100 * US), rate + 40e6 + 100e6, 1);
}

TEST_F(TimelyTest, AnAcknowledgementWithoutATimeIsNoSample)
{
    auto controller = MakeController();
    EXPECT_EQ(Measure(*controller, -1), 5e9);
}

TEST_F(TimelyTest, RatesStayBetweenTheLeastAndTheLineRate)
{
    auto controller = MakeController();
    for (uint32_t i = 0; i < 1'000; ++i)
    {
        Measure(*controller, 10 * US);
    }
    EXPECT_EQ(controller->GetRate(0), 10e9);
    EXPECT_EQ(controller->OnSend({0, 1'000, 1'000}), RateController::UNPACED);
    for (uint32_t i = 0; i < 1'000; ++i)
    {
        Measure(*controller, 5'000 * US);
    }
    EXPECT_EQ(controller->GetRate(0), 10e6);
}

// Algorithm 1, written once more from the paper, in microseconds and Mb/s.
TEST_F(TimelyTest, SequencesFollowTheEquations)
{
    for (uint64_t seed = 1; seed <= 20; ++seed)
    {
        auto controller = MakeController();
        double rate = 5'000;
        double diff = 0;
        double previous = 0;
        uint32_t falling = 0;
        for (uint32_t i = 0; i < 500; ++i)
        {
            // Stretches of short, middling and long round trips.
            const uint64_t stretch = CounterRandom(seed, 1, i / 20) % 3;
            const uint64_t most = stretch == 0 ? 60 : stretch == 1 ? 400 : 700;
            const double rtt = 10 + static_cast<double>(CounterRandom(seed, 2, i) % most);
            const double got = Measure(*controller, static_cast<int64_t>(rtt * 1e6));

            diff = i == 0 ? 0 : diff - 0.875 * diff + 0.875 * (rtt - previous);
            previous = rtt;
            const double gradient = diff / 20;
            if (gradient > 0)
            {
                falling = 0;
            }
            else
            {
                ++falling;
            }
            if (rtt < 50)
            {
                rate += 10;
            }
            else if (rtt > 500)
            {
                rate -= rate * 0.8 * (1 - 500 / rtt);
            }
            else if (gradient > 0)
            {
                rate -= rate * 0.8 * gradient;
            }
            else
            {
                rate += falling < 5 ? 10 : 50;
            }
            rate = std::min(std::max(rate, 10.0), 10'000.0);
            ASSERT_NEAR(got, rate * 1e6, 1 + rate * 1e-3) << seed << " " << i;
            ASSERT_NEAR(got / 1e6, rate, 1e-6 * rate) << seed << " " << i;
        }
    }
}

TEST_F(TimelyTest, TwoSendersShareALinkWithAQueueBetweenTheThresholds)
{
    // Ten times the paper's rate, so ten times its delta; T_low and T_high of a
    // fabric in which an idle round trip takes 5 us.
    Set("ns3::RoceNic::CongestionControl", "ns3::Timely");
    Set("ns3::Timely::AdditiveIncrease", "100Mbps");
    Set("ns3::Timely::LowThreshold", "20us");
    Set("ns3::Timely::HighThreshold", "100us");
    Set("ns3::Timely::MinRtt", "20us");
    Build(Star(3, 100 * G, US));
    network.GetTransport()->TraceConnectWithoutContext("Rtt",
                                                       MakeCallback(&TimelyTest::OnRtt, this));
    network.GetTransport()->TraceConnectWithoutContext("Rate",
                                                       MakeCallback(&TimelyTest::OnRate, this));
    Run({Flow(0, 2, 60'000'000), Flow(1, 2, 60'000'000)});
    ASSERT_EQ(transfers.size(), 2u);
    CheckConservation();
    // 120 MB, of whose frames 4,096 of 4,178 bytes are payload, take at
    // least 9.79 ms.
    const double least = 120e6 * 8 / 100e9 * 4'178 / 4'096 * 1e12;
    const auto end = static_cast<double>(GetLastDelivery());
    EXPECT_GT(end, least);
    // Both start at line rate; the cuts that follow cost one sixth of the time (16.4 % measured).
    EXPECT_LT(end, least * 1.2);
    EXPECT_NEAR(static_cast<double>(transfers[0].deliveredPs),
                static_cast<double>(transfers[1].deliveredPs),
                0.1 * end);
    // The queue: of the samples after the first millisecond nine of ten lie below
    // T_high, and their mean is near T_low.
    double sum = 0;
    uint64_t count = 0;
    uint64_t above = 0;
    for (const CongestionRecord& record : rtts)
    {
        if (record.timePs > MS)
        {
            sum += static_cast<double>(record.rttPs);
            above += record.rttPs > 100 * US;
            ++count;
        }
    }
    ASSERT_GT(count, 1'000u);
    EXPECT_LT(above, count / 10);
    EXPECT_GT(sum / static_cast<double>(count), 10e6);
    EXPECT_LT(sum / static_cast<double>(count), 60e6);
}

} // namespace ns3
