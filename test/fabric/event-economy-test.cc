/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

namespace ns3
{

class EventEconomyTest : public NetworkFixture
{
  protected:
    /// DCQCN, PFC and ECN on, an ACK a frame, frames of 1000 B.
    void Configure()
    {
        Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
        Set("ns3::RoceNic::PathMtu", 1000);
        Set("ns3::RoceNic::AckInterval", 1);
        Set("ns3::RedEcnMarker::Kmin", 100'000);
        Set("ns3::RedEcnMarker::Kmax", 400'000);
    }

    /// What the lane did must follow from what the network did.
    void CheckEvents(double most)
    {
        Ptr<EventLane> lane = EventLane::Get();
        const FabricTotals& totals = GetFabricTotals();
        uint64_t arrivals = lane->GetEventCount(0, 0);
        EXPECT_EQ(arrivals, totals.hops + totals.pfcFrames);
        double perHop = static_cast<double>(lane->GetEventCount()) / totals.hops;
        EXPECT_LE(perHop, most);
        EXPECT_GE(perHop, 1.0);
        RecordProperty("eventsPerHop", std::to_string(perHop));
        std::cout << "    " << totals.hops << " hops, " << perHop << " events a hop, "
                  << lane->GetEventCount(0, 1) << " wake-ups, " << totals.markedFrames << " marks, "
                  << totals.xoff << " pauses, " << GetRdmaTotals().cnps << " CNPs\n";
        CheckConservation();
    }
};

TEST_F(EventEconomyTest, AllToAllSaturated)
{
    Configure();
    Build(LeafSpine(4, 4, 1, 100 * G, 400 * G, US));
    std::vector<PlainFlow> list;
    for (uint32_t i = 0; i < 16; ++i)
    {
        for (uint32_t j = 0; j < 16; ++j)
        {
            if (i != j)
            {
                list.push_back(Flow(i, j, 400'000));
            }
        }
    }
    // And a little more than one port can take, so that there is something to mark.
    for (uint32_t i = 1; i < 6; ++i)
    {
        list.push_back(Flow(i, 0, 1'000'000));
    }
    Run(list);
    EXPECT_EQ(transfers.size(), 245u);
    EXPECT_GT(GetRdmaTotals().cnps, 0u);
    CheckEvents(2.1);
}

TEST_F(EventEconomyTest, IncastSaturated)
{
    Configure();
    Set("ns3::FabricSwitch::BufferSize", 4'000'000);
    Build(LeafSpine(4, 4, 1, 100 * G, 400 * G, US));
    std::vector<PlainFlow> list;
    for (uint32_t i = 1; i < 16; ++i)
    {
        list.push_back(Flow(i, 0, 2'000'000));
    }
    Run(list);
    EXPECT_EQ(transfers.size(), 15u);
    EXPECT_GT(GetFabricTotals().xoff, 0u);
    EXPECT_GT(GetRdmaTotals().cnps, 0u);
    CheckEvents(2.1);
}

TEST_F(EventEconomyTest, APermutationAtLineRate)
{
    Set("ns3::RoceNic::PathMtu", 1000);
    Set("ns3::RoceNic::AckInterval", 1);
    Build(LeafSpine(4, 4, 1, 100 * G, 400 * G, US));
    std::vector<PlainFlow> list;
    for (uint32_t i = 0; i < 16; ++i)
    {
        list.push_back(Flow(i, (i + 4) % 16, 2'000'000));
    }
    Run(list);
    CheckEvents(2.1);
}

TEST_F(EventEconomyTest, AFewEventsForALoneFlow)
{
    // A faster second link, so that nothing waits at the switch: an arrival for each frame and hop,
    // a wake-up for each frame at the NIC, one for the kick, and one timer.
    ClusterTopology graph;
    uint32_t a = graph.AddHost("a", 1);
    uint32_t b = graph.AddHost("b", 1);
    uint32_t s = graph.AddSwitch("s");
    graph.AddLink(a, s, 100 * G, US);
    graph.AddLink(b, s, 200 * G, US);
    Build(graph);
    Run({Flow(0, 1, 4'096'000)});
    Ptr<EventLane> lane = EventLane::Get();
    const FabricTotals& totals = GetFabricTotals();
    EXPECT_EQ(lane->GetEventCount(0, 0), totals.hops);
    EXPECT_EQ(totals.hops, 2 * (1'000 + 1'000 / 16 + 1));
    EXPECT_LE(lane->GetEventCount(0, 1), 1'000u + 2);
    EXPECT_LE(lane->GetEventCount(1, 0), 1u);
    EXPECT_EQ(lane->GetEventCount(1, 1), 0u);
}

TEST_F(EventEconomyTest, IdleQueuePairsCostNothing)
{
    Build(Chain(2, 100 * G, US));
    RecordingClient client;
    for (int i = 0; i < 1'000; ++i)
    {
        Connect(0, 2, &client);
    }
    Simulator::Run();
    EXPECT_EQ(EventLane::Get()->GetEventCount(), 0u);
    Post(500, 1);
    Simulator::Run();
    EXPECT_LE(EventLane::Get()->GetEventCount(), 8u);
}

} // namespace ns3
