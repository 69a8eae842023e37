/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

#include "ns3/counter-random.h"

namespace ns3
{

class StrictPriorityTest : public NetworkFixture
{
  protected:
    static constexpr int64_t FRAME = 4194 * 80; ///< largest frame at 100 Gb/s [ps]

    /// Delivery time of the flow of the given priority.
    int64_t GetDelivery(uint8_t priority) const
    {
        for (const auto& transfer : transfers)
        {
            if (transfer.priority == priority)
            {
                return transfer.deliveredPs;
            }
        }
        return -1;
    }
};

TEST_F(StrictPriorityTest, AtTheNicInTheSamePicosecond)
{
    // Posted lowest first: the order of posting within an instant does not count.
    Build(Chain(1, 100 * G, US));
    RecordingClient client;
    for (uint8_t priority : {uint8_t{1}, uint8_t{3}, uint8_t{6}})
    {
        Post(Connect(0, 1, &client, priority), 40'960, priority);
    }
    Simulator::Run();
    EXPECT_EQ(client.GetSteps('d'), (std::vector<uint32_t>{6, 3, 1}));
    int64_t message = (10 * 4178 + 16) * 80;
    EXPECT_EQ(GetDelivery(6), message + US);
    EXPECT_EQ(GetDelivery(3), 2 * message + US);
    EXPECT_EQ(GetDelivery(1), 3 * message + US);
    CheckConservation();
}

TEST_F(StrictPriorityTest, PreemptionAtTheNicIsPerFrame)
{
    Build(Chain(1, 100 * G, US));
    int64_t at = 1'000'000 + 12'345;
    Run({Flow(0, 1, 4'096'000, 0, 2), Flow(0, 1, 40'960, at, 5)});
    int64_t message = (10 * 4178 + 16) * 80;
    // It waits for the end of the frame that is on its way; frame n of the other ends at
    // 16 x 80 + (n + 1) x 4178 x 80.
    int64_t free = 16 * 80;
    while (free < at)
    {
        free += 4178 * 80;
    }
    EXPECT_EQ(GetDelivery(5), free + message + US);
    // And the other one takes up the rest: the link was never idle.
    EXPECT_EQ(GetDelivery(2), (1'000 * 4178 + 16) * 80 + message + US);
}

TEST_F(StrictPriorityTest, EqualPrioritiesTakeTurns)
{
    Build(Chain(1, 100 * G, US));
    std::vector<PlainFlow> list(4, Flow(0, 1, 409'600, 0, 4));
    Run(list);
    int64_t all = 4 * (100 * 4178 + 16) * 80 + US;
    for (uint32_t i = 0; i < 4; ++i)
    {
        // Round robin: the last frames are neighbours, in the order of the queue pairs.
        EXPECT_EQ(transfers[i].deliveredPs, all - (3 - i) * 4178 * 80);
    }
}

TEST_F(StrictPriorityTest, TheTopClassTakesItsSoloTimeAndAtMostOneFrameAHop)
{
    // Four switches in a row, and at each a lower priority that has saturated the next link: a flow
    // of the top class is delayed by at most one frame a hop, whenever it comes.
    const uint32_t switches = 4;
    auto graph = [&]() {
        ClusterTopology topology;
        uint32_t first = topology.AddHost("a", 1);
        uint32_t last = topology.AddHost("b", 1);
        std::vector<uint32_t> row;
        for (uint32_t i = 0; i < switches; ++i)
        {
            row.push_back(topology.AddSwitch("s" + std::to_string(i)));
        }
        topology.AddLink(first, row[0], 100 * G, US);
        for (uint32_t i = 0; i + 1 < switches; ++i)
        {
            topology.AddLink(row[i], row[i + 1], 100 * G, US);
        }
        topology.AddLink(row.back(), last, 100 * G, US);
        for (uint32_t i = 0; i < switches; ++i)
        {
            uint32_t from = topology.AddHost("from" + std::to_string(i), 1);
            uint32_t to = topology.AddHost("to" + std::to_string(i), 1);
            topology.AddLink(from, row[i], 100 * G, US);
            topology.AddLink(to, row[i], 100 * G, US);
        }
        return topology;
    }();
    for (uint64_t trial = 0; trial < 20; ++trial)
    {
        Build(graph);
        auto nic = [&](const std::string& name) {
            return topology.GetNodes()[topology.FindNode(name)].ports[0];
        };
        int64_t at = 100 * US + static_cast<int64_t>(CounterRandom(1, 1, trial) % US);
        uint64_t bytes = 1 + CounterRandom(1, 2, trial) % 100'000;
        std::vector<PlainFlow> list = {{nic("a"), nic("b"), bytes, at, 6}};
        // The lower class: over each link between switches, and over the last one.
        for (uint32_t i = 0; i < switches; ++i)
        {
            uint32_t to = i + 1 < switches ? nic("to" + std::to_string(i + 1)) : nic("b");
            list.push_back({nic("from" + std::to_string(i)), to, 3'000'000, 0, 2});
        }
        Run(list);
        CheckConservation();
        int64_t solo = 0;
        {
            RoceFraming framing = network.GetTransport()->GetFraming(nic("a"));
            auto wire = static_cast<int64_t>(framing.GetMessageWireBytes(bytes)) * 80;
            uint64_t frames = framing.GetFrameCount(bytes);
            int64_t last =
                framing.GetDataWireBytes(static_cast<uint32_t>(bytes - (frames - 1) * 4096),
                                         frames == 1) *
                80;
            // The last frame waits at each hop for the largest that goes ahead.
            int64_t ahead = frames > 1 ? FRAME : last;
            solo = wire + switches * (std::max(ahead, last) + US) + US;
        }
        EXPECT_GT(GetDelivery(6) - at, solo - FRAME * switches) << trial;
        EXPECT_LE(GetDelivery(6) - at, solo + FRAME * switches) << trial;
        Restart();
    }
}

TEST_F(StrictPriorityTest, AtTheSwitchTheClassesFinishInOrder)
{
    // Six senders of six classes into one port: total time is that of all bytes, and each class
    // finishes when the classes above it and itself have been served.
    Build(Star(7, 100 * G, US));
    std::vector<PlainFlow> list;
    for (uint8_t i = 0; i < 6; ++i)
    {
        list.push_back(Flow(i, 6, 4'096'000, 0, i + 1));
    }
    Run(list);
    CheckConservation();
    int64_t message = (1'000 * 4178 + 16) * 80;
    for (uint8_t priority = 6; priority >= 1; --priority)
    {
        int64_t expected = (7 - priority) * message + FRAME + 2 * US;
        // A few frames of lower classes are sent before the first of the higher ones comes.
        EXPECT_NEAR(GetDelivery(priority), expected, 7 * FRAME) << +priority;
    }
    EXPECT_NEAR(GetLastDelivery(), 6 * message + FRAME + 2 * US, 16 * 80 + 1);
}

TEST_F(StrictPriorityTest, AcknowledgementsPassDataByAtMostOneFrame)
{
    // The acknowledgement shares its way back with saturating data of class 6.
    Build(Star(3, 100 * G, US));
    Run({Flow(0, 1, 1'000, 300 * US, 3),
         Flow(1, 0, 10'000'000, 0, 6),
         Flow(2, 0, 10'000'000, 0, 6)});
    CheckConservation();
    for (const auto& transfer : transfers)
    {
        if (transfer.priority == 3)
        {
            int64_t back = transfer.completedPs - transfer.deliveredPs;
            EXPECT_GE(back, 2 * (86 * 80 + US));
            EXPECT_LE(back, 2 * (86 * 80 + US + FRAME));
        }
    }
}

TEST_F(StrictPriorityTest, AcknowledgementsPassDataOfTheirOwnPriority)
{
    // Data of priority 7 both ways: acknowledgements go first, or none would leave until all data
    // has.
    Build(Chain(1, 100 * G, US));
    RecordingClient client;
    uint32_t there = Connect(0, 1, &client, 7);
    uint32_t back = Connect(1, 0, &client, 7);
    for (uint32_t i = 0; i < 100; ++i)
    {
        Post(there, 40'960, i);
        Post(back, 40'960, i);
    }
    Simulator::Run();
    ASSERT_EQ(transfers.size(), 200u);
    for (const auto& transfer : transfers)
    {
        EXPECT_LE(transfer.completedPs - transfer.deliveredPs, US + 2 * 86 * 80 + FRAME);
    }
}

TEST_F(StrictPriorityTest, AnIncastTakesTheSameTimeWhateverTheClasses)
{
    // N senders of S each: N x S x 8 / B, however they are spread over classes.
    int64_t times[2];
    for (int mixed = 0; mixed < 2; ++mixed)
    {
        Set("ns3::FabricSwitch::BufferSize", 8'000'000);
        Build(Star(7, 100 * G, US));
        std::vector<PlainFlow> list;
        for (uint8_t i = 0; i < 6; ++i)
        {
            list.push_back(Flow(i, 6, 4'096'000, 0, mixed ? 1 + i % 3 : 4));
        }
        Run(list);
        CheckConservation();
        times[mixed] = GetLastDelivery();
        EXPECT_EQ(GetFabricTotals().dropped, 0u);
        Restart();
    }
    EXPECT_NEAR(times[0], times[1], 2 * FRAME);
    EXPECT_NEAR(times[0], 6 * (1'000 * 4178 + 16) * 80 + FRAME + 2 * US, 2 * FRAME);
}

} // namespace ns3
