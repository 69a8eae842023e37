/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

namespace ns3
{

/// PFC in the large: deadlocks and the storm watchdog.
class FabricGuardTest : public NetworkFixture
{
  protected:
    /// Switches in a ring, each with a host; links go clockwise.
    static ClusterTopology Ring(uint32_t size)
    {
        ClusterTopology topology;
        for (uint32_t i = 0; i < size; ++i)
        {
            topology.AddHost("h" + std::to_string(i), 1);
        }
        for (uint32_t i = 0; i < size; ++i)
        {
            topology.AddSwitch("s" + std::to_string(i));
        }
        for (uint32_t i = 0; i < size; ++i)
        {
            topology.AddLink(i, size + i, 100 * G, US);
        }
        for (uint32_t i = 0; i < size; ++i)
        {
            topology.AddLink(size + i, size + (i + 1) % size, 100 * G, US);
        }
        return topology;
    }

    /// Each host of a ring of five sends to the one two hops on: the only shortest way is
    /// clockwise, and every link is the first of one flow and the second of another.
    void RunRing()
    {
        Set("ns3::FabricSwitch::BufferSize", 1'000'000);
        Build(Ring(5));
        network.GetFabric()->SetDeadlockCallback([this](int64_t now, const std::string& cycle) {
            deadlockPs = now;
            cycles.push_back(cycle);
        });
        std::vector<PlainFlow> list;
        for (uint32_t i = 0; i < 5; ++i)
        {
            list.push_back(Flow(i, (i + 2) % 5, 20'000'000));
        }
        Simulator::Stop(MilliSeconds(60));
        Run(list);
    }

    /// h0 sends to h1 and to h2, which takes next to nothing until 30 ms and pauses its link.
    void RunStorm()
    {
        Set("ns3::FabricSwitch::BufferSize", 1'500'000);
        Set("ns3::RoceNic::RetransmissionTimeout", "1ms");
        Build(Star(3, 100 * G, US));
        At(0, [this]() { network.GetFabric()->SetReceiveRate(0, Nic(2), 1'000'000); });
        At(30 * MS, [this]() { network.GetFabric()->SetReceiveRate(30 * MS, Nic(2), 0); });
        Run({Flow(0, 2, 5'000'000), Flow(0, 1, 5'000'000)});
    }

    std::vector<FabricEventRecord> GetWatchdogEvents() const
    {
        std::vector<FabricEventRecord> found;
        std::copy_if(events.begin(), events.end(), std::back_inserter(found), [](const auto& e) {
            return e.kind == "pfc-watchdog";
        });
        return found;
    }

    uint64_t CountDrops(const std::string& reason) const
    {
        return std::count_if(events.begin(), events.end(), [&](const auto& event) {
            return event.kind == "drop" && event.detail == reason;
        });
    }

    std::vector<std::string> cycles;
    int64_t deadlockPs{-1};
};

TEST_F(FabricGuardTest, ARingOfFlowsDeadlocksAndTheCycleIsNamed)
{
    RunRing();
    ASSERT_EQ(cycles.size(), 1u);
    EXPECT_EQ(cycles[0], "s0-s1 p4 -> s1-s2 p4 -> s2-s3 p4 -> s3-s4 p4 -> s4-s0 p4 -> s0-s1 p4");
    EXPECT_EQ(CountEvents("deadlock"), 1u);
    EXPECT_GE(deadlockPs, 10 * MS);
    EXPECT_LT(deadlockPs, 25 * MS);
    // None of these flows ever ends.
    EXPECT_EQ(transfers.size(), 0u);
    EXPECT_EQ(GetFabricTotals().losslessDrops, 0u);
}

TEST_F(FabricGuardTest, ADeadlockIsNotLookedForWhereThatIsOff)
{
    Set("ns3::Fabric::DeadlockDetection", "0ms");
    RunRing();
    EXPECT_EQ(cycles.size(), 0u);
    EXPECT_EQ(transfers.size(), 0u);
}

TEST_F(FabricGuardTest, TheWatchdogLetsADeadlockedRingGoOn)
{
    Set("ns3::Fabric::DeadlockDetection", "0ms");
    Set("ns3::FabricSwitch::WatchdogDetection", "2ms");
    Set("ns3::FabricSwitch::WatchdogRestoration", "1ms");
    Set("ns3::RoceNic::RetransmissionTimeout", "1ms");
    RunRing();
    EXPECT_GE(GetWatchdogEvents().size(), 2u);
    // It soon deadlocks again, but in between it delivers as much as until the first time, some
    // 266 KB, or more.
    EXPECT_GT(GetRdmaTotals().deliveredBytes, 2 * 266'240u);
}

TEST_F(FabricGuardTest, AnIncastIsNoDeadlockHoweverLongItLasts)
{
    Set("ns3::Fabric::DeadlockDetection", "100us");
    Set("ns3::FabricSwitch::BufferSize", 3'000'000);
    Build(LeafSpine(3, 2, 1, 100 * G, 200 * G, US));
    network.GetFabric()->SetDeadlockCallback(
        [this](int64_t, const std::string& cycle) { cycles.push_back(cycle); });
    Run({Flow(0, 4, 5'000'000),
         Flow(1, 4, 5'000'000),
         Flow(2, 4, 5'000'000),
         Flow(3, 4, 5'000'000)});
    EXPECT_GT(GetFabricTotals().xoff, 10u);
    EXPECT_EQ(cycles.size(), 0u);
    EXPECT_EQ(transfers.size(), 4u);
    CheckConservation();
}

TEST_F(FabricGuardTest, TheWatchdogDropsWhatAStormHoldsBack)
{
    Set("ns3::FabricSwitch::WatchdogDetection", "2ms");
    Set("ns3::FabricSwitch::WatchdogRestoration", "3ms");
    RunStorm();
    const std::vector<FabricEventRecord> watchdog = GetWatchdogEvents();
    ASSERT_EQ(watchdog.size(), 2u);
    // Two milliseconds after the pause began, which is when 256 KB had arrived: 62 frames.
    const int64_t paused = watchdog[0].timePs - 2 * MS;
    EXPECT_GT(paused, 20 * US);
    EXPECT_LT(paused, 60 * US);
    EXPECT_EQ(watchdog[0].detail, "s-h2 p4 has been paused for 2000 us: its frames are dropped");
    // The NIC resumes at 30 ms (and a microsecond on the wire); no pause since, so 3 ms later.
    EXPECT_EQ(watchdog[1].detail, "s-h2 p4 is restored");
    EXPECT_GE(watchdog[1].timePs, 33 * MS);
    EXPECT_LT(watchdog[1].timePs, 33 * MS + 10 * US);
    EXPECT_EQ(CountDrops("PFC watchdog"), 1u); // and the rest is counted
    EXPECT_GT(GetFabricTotals().faultDrops, 100u);
    // The other flow was stuck behind it until the watchdog acted, and is through long before the
    // storm is over.
    ASSERT_EQ(transfers.size(), 2u);
    EXPECT_GT(transfers[1].completedPs, 2 * MS);
    EXPECT_LT(transfers[1].completedPs, 5 * MS);
    EXPECT_GT(transfers[0].completedPs, 33 * MS);
    EXPECT_EQ(GetFabricTotals().losslessDrops, 0u);
    CheckConservation();
}

TEST_F(FabricGuardTest, TheWatchdogMayForwardInstead)
{
    Set("ns3::FabricSwitch::WatchdogDetection", "2ms");
    Set("ns3::FabricSwitch::WatchdogRestoration", "3ms");
    Set("ns3::FabricSwitch::WatchdogAction", "forward");
    RunStorm();
    EXPECT_EQ(GetWatchdogEvents().size(), 2u);
    EXPECT_EQ(CountDrops("PFC watchdog"), 0u);
    EXPECT_EQ(CountDrops("receive buffer full"), 1u); // the NIC has no room for them
    ASSERT_EQ(transfers.size(), 2u);
    EXPECT_LT(transfers[1].completedPs, 5 * MS);
    CheckConservation();
}

TEST_F(FabricGuardTest, WithoutAWatchdogAStormHoldsAllBack)
{
    Set("ns3::FabricSwitch::WatchdogDetection", "0ms");
    RunStorm();
    EXPECT_EQ(GetWatchdogEvents().size(), 0u);
    EXPECT_EQ(GetFabricTotals().dropped, 0u);
    ASSERT_EQ(transfers.size(), 2u);
    EXPECT_GT(transfers[1].completedPs, 30 * MS);
    CheckConservation();
}

TEST_F(FabricGuardTest, NothingIsLookedAtWhileNothingIsPaused)
{
    Build(Star(3, 100 * G, US));
    Run({Flow(0, 2, 5'000'000)});
    // Ordinary events: the initialisation of four nodes and six devices, and the flow's start.
    EXPECT_EQ(Simulator::GetEventCount() - EventLane::Get()->GetEventCount(), 4u + 6 + 1);
}

} // namespace ns3
