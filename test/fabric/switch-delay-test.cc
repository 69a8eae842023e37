/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/engine/event-lane.h"
#include "../../model/fabric/network-state.h"
#include "../fixture/network-fixture.h"

namespace ns3
{

class FabricSwitchDelayTest : public NetworkFixture
{
  protected:
    uint64_t GetDelayEvents() const
    {
        return EventLane::Get()->GetEventCount(network.GetFabric()->GetLaneClass(),
                                               NetworkState::SWITCHED);
    }
};

TEST_F(FabricSwitchDelayTest, ShiftsAFlowByItsTimeAtEverySwitch)
{
    // Two switches, 3 links. The data waits twice, and so does the ACK.
    int64_t delivered = 0;
    int64_t completed = 0;
    for (int64_t delay : {0, 1, 400'000, 5'000'000})
    {
        Set("ns3::FabricSwitch::SwitchDelay", std::to_string(delay) + "ps");
        Build(Chain(3, 100 * G, US));
        Run({Flow(0, 3, 1'000'000)});
        ASSERT_EQ(transfers.size(), 1u);
        if (delay == 0)
        {
            delivered = transfers[0].deliveredPs;
            completed = transfers[0].completedPs;
            EXPECT_EQ(GetDelayEvents(), 0u);
        }
        else
        {
            // One event for each frame and switch: 245 frames, an ACK for 16 of them and one for
            // the last.
            EXPECT_EQ(GetDelayEvents(), 2 * (245 + 16));
        }
        EXPECT_EQ(transfers[0].deliveredPs, delivered + 2 * delay);
        EXPECT_EQ(transfers[0].completedPs, completed + 4 * delay);
        CheckConservation();
        Restart();
    }
}

TEST_F(FabricSwitchDelayTest, FramesOnTheirWayThroughTheSwitchAreInTheBuffer)
{
    // 2 us hold 25 KB at 100 Gb/s: 5 or 6 frames of 4,178 B on the wire.
    Set("ns3::FabricSwitch::SwitchDelay", "2us");
    Build(Star(3, 100 * G, US));
    for (int64_t time : {3 * US, 5 * US, 17 * US, 23 * US + 123'456})
    {
        At(time, [this, time]() {
            const FabricAudit audit = network.GetFabric()->GetAudit(time);
            EXPECT_EQ(audit.frames, audit.framesInUse);
            EXPECT_EQ(audit.bufferUsed, audit.bufferHeld);
        });
    }
    uint64_t inside = 0;
    At(100 * US, [&]() { inside = network.GetFabric()->GetBufferUsed(100 * US, 0); });
    Run({Flow(0, 2, 2'000'000)});
    // In the steady state: what 2 us hold, and one frame in transmission; whole frames of 4,158 B.
    EXPECT_GE(inside, 5 * 4'158u);
    EXPECT_LE(inside, 8 * 4'158u);
    CheckConservation();
}

TEST_F(FabricSwitchDelayTest, ContendingFlowsLoseNothingUnderPfc)
{
    // Admission is on arrival, so that the headroom is the same; an incast with small buffers.
    for (const char* delay : {"0ns", "300ns", "3us"})
    {
        Set("ns3::FabricSwitch::SwitchDelay", delay);
        Set("ns3::FabricSwitch::BufferSize", 2'500'000);
        Build(Star(8, 100 * G, US));
        std::vector<PlainFlow> list;
        for (uint32_t i = 1; i < 8; ++i)
        {
            list.push_back(Flow(i, 0, 3'000'000, 0, 1 + i % 6));
        }
        Run(list);
        EXPECT_EQ(transfers.size(), 7u);
        EXPECT_EQ(GetFabricTotals().dropped, 0u);
        EXPECT_GT(GetFabricTotals().xoff, 0u);
        CheckConservation();
        Restart();
    }
}

} // namespace ns3
