/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/rdma/congestion/fixed-rate.h"
#include "../fixture/network-fixture.h"
#include "../fixture/send-frame.h"

namespace ns3
{

class FixedRateTest : public NetworkFixture
{
};

TEST_F(FixedRateTest, LineRateIsNotPaced)
{
    auto control = CreateObject<FixedRate>();
    EXPECT_EQ(control->GetFeedback().kinds, 0);
    auto controller = control->CreateController({100 * G});
    EXPECT_EQ(SendFrame(*controller, 0, 4178), 0);
    EXPECT_EQ(controller->GetRate(0), 100e9);
    control->SetAttribute("Rate", StringValue("200Gbps"));
    controller = control->CreateController({100 * G});
    EXPECT_EQ(SendFrame(*controller, 0, 4178), 0);
    EXPECT_EQ(controller->GetRate(0), 100e9);
}

TEST_F(FixedRateTest, PacesBelowIt)
{
    auto control = CreateObject<FixedRate>();
    control->SetAttribute("Rate", StringValue("40Gbps"));
    auto controller = control->CreateController({100 * G});
    // 200 ps a byte.
    EXPECT_EQ(SendFrame(*controller, 0, 1000), 200'000);
    EXPECT_EQ(controller->GetRate(0), 40e9);
    // Congestion does not move it.
    controller->OnCnp(10);
    controller->OnLoss(20);
    AckSample sample;
    sample.now = 30;
    sample.payloadBytes = 1000;
    controller->OnAck(sample);
    EXPECT_EQ(SendFrame(*controller, 40, 1000), 200'000);
}

TEST_F(FixedRateTest, APacedFlowTakesItsTime)
{
    Set("ns3::FixedRate::Rate", "25Gbps");
    Build(Chain(2, 100 * G, US));
    Run({Flow(0, 2, 4'096'000)});
    ASSERT_EQ(transfers.size(), 1u);
    // 1,000 frames; the last starts after the pacing of 999, of which the first has a RETH. 320 ps
    // a byte. Then its way over two hops of 80 ps a byte.
    int64_t start = (4194 + 998 * 4178) * 320;
    EXPECT_EQ(transfers[0].deliveredPs, start + 2 * (4178 * 80 + US));
    CheckConservation();
}

TEST_F(FixedRateTest, PacedFlowsShareAPortWithoutQueues)
{
    // Four flows of a quarter of the line rate leave by one port: none delays another by more than
    // the frames of the three others.
    Set("ns3::FixedRate::Rate", "25Gbps");
    Build(Chain(1, 100 * G, US));
    std::vector<PlainFlow> list(4, Flow(0, 1, 4'096'000));
    Run(list);
    ASSERT_EQ(transfers.size(), 4u);
    int64_t alone = (4194 + 998 * 4178) * 320 + 4178 * 80 + US;
    for (const auto& transfer : transfers)
    {
        EXPECT_GE(transfer.deliveredPs, alone);
        EXPECT_LE(transfer.deliveredPs, alone + 4 * 4194 * 80);
    }
}

} // namespace ns3
