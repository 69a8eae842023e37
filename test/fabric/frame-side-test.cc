/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/engine/parallel/rank-buffer.h"
#include "../../model/fabric/fabric-split.h"
#include "../../model/fabric/logical-process-codec.h"
#include "../fixture/raw-fabric-fixture.h"

#include <memory>

namespace ns3
{

TEST(FrameSidePoolTest, ASideIsFreedWithItsFrameAndTheNextOneIsEmpty)
{
    FramePool pool;
    const uint32_t first = pool.Allocate();
    EXPECT_EQ(pool.FindSide(first), nullptr);
    pool.AttachSide(first).sentPs = 5;
    pool.Side(first).Append({1, 2, 3, 4});
    EXPECT_EQ(pool.Side(first).hops, 1u);
    EXPECT_EQ(pool.GetSidesInUse(), 1u);
    pool.Free(first);
    EXPECT_EQ(pool.GetSidesInUse(), 0u);
    const uint32_t again = pool.Allocate();
    EXPECT_EQ(again, first);
    EXPECT_EQ(pool.FindSide(again), nullptr);
    EXPECT_EQ(pool.AttachSide(again).sentPs, 0);
    EXPECT_EQ(pool.Side(again).hops, 0u);
}

TEST(FrameSidePoolTest, MoreFramesThan16BitsHaveSides)
{
    constexpr uint32_t COUNT = 70'000;
    FramePool pool;
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        pool.AttachSide(pool.Allocate()).sentPs = i;
    }
    EXPECT_EQ(pool.GetSidesInUse(), COUNT);
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        ASSERT_EQ(pool.Side(i).sentPs, i);
    }
    for (uint32_t i = 0; i < COUNT; i += 2)
    {
        pool.Free(i);
    }
    EXPECT_EQ(pool.GetSidesInUse(), COUNT / 2);
    for (uint32_t i = 0; i < COUNT / 2; ++i)
    {
        pool.AttachSide(pool.Allocate()).sentPs = -1;
    }
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        ASSERT_EQ(pool.Side(i).sentPs, i % 2 == 0 ? int64_t{-1} : int64_t{i});
        pool.Free(i);
    }
    EXPECT_EQ(pool.GetSidesInUse(), 0u);
}

TEST(FrameSidePoolTest, ASideHasRoomForSoManyHops)
{
    FrameSide side;
    for (uint32_t i = 0; i < FrameSide::MAX_HOPS + 2; ++i)
    {
        side.Append({i, 0, 0, 0});
    }
    EXPECT_EQ(side.hops, FrameSide::MAX_HOPS);
    EXPECT_EQ(side.record[FrameSide::MAX_HOPS - 1].txBytes, FrameSide::MAX_HOPS - 1);
}

TEST(FrameSidePoolTest, ABatchCrossesRanksWithItsSides)
{
    FrameBatch sent;
    sent.frames.resize(3);
    sent.frames[1].side = 1;
    sent.frames[2].side = 9;
    sent.sides.resize(2);
    sent.sides[0].sentPs = 11;
    sent.sides[1].Append({1, 2, 3, 4});
    RankBuffer buffer;
    LogicalProcessCodec::Put(buffer, sent);
    FrameBatch received;
    received.frames.resize(1);
    LogicalProcessCodec::Take(buffer, received);
    EXPECT_TRUE(buffer.IsTaken());
    ASSERT_EQ(received.frames.size(), 4u);
    ASSERT_EQ(received.sides.size(), 2u);
    EXPECT_EQ(received.frames[3].side, 9u);
    EXPECT_EQ(received.sides[0].sentPs, 11);
    EXPECT_EQ(received.sides[1].hops, 1u);
    EXPECT_EQ(received.sides[1].record[0].rateBps, 4u);
}

class FrameSideTest : public RawFabricFixture
{
  protected:
    /// h0 and h1 at s1, h2 at s2: 100 Gb/s and 1 us each.
    static ClusterTopology MakeGraph()
    {
        ClusterTopology graph;
        const uint32_t h0 = graph.AddHost("h0", 1);
        const uint32_t h1 = graph.AddHost("h1", 1);
        const uint32_t s1 = graph.AddSwitch("s1");
        const uint32_t s2 = graph.AddSwitch("s2");
        const uint32_t h2 = graph.AddHost("h2", 1);
        graph.AddLink(h0, s1, 100 * G, US);
        graph.AddLink(h1, s1, 100 * G, US);
        graph.AddLink(s1, s2, 100 * G, US);
        graph.AddLink(s2, h2, 100 * G, US);
        return graph;
    }

    /// 1,000 bytes take 80 ns. What the frames of h0 find is computed beside the numbers.
    static void SendAll(RawFabric& raw)
    {
        Simulator::ScheduleNow([&raw]() {
            for (uint32_t i = 0; i < 3; ++i)
            {
                FrameSide& side =
                    raw.fabric->GetFrames().AttachSide(raw.Send("h0", "h2", 1'000, i));
                side.flags = FRAME_SIDE_INT;
                side.sentPs = 100 + i;
            }
            // One with a side that wants no records, one without.
            const uint32_t stamped = raw.Send("h1", "h2", 1'000, 10);
            raw.fabric->GetFrames().AttachSide(stamped).sentPs = 7;
            raw.Send("h1", "h2", 1'000, 11);
        });
    }

    static void Check(const RawFabric& raw)
    {
        ASSERT_EQ(raw.arrivals.size(), 5u);
        // At s1 both hosts' frames come in pairs at 1.08, 1.16 (and h0's last at 1.24) us, the one
        // of h0 first: they leave as 0, 10, 1, 11, 2, one every 80 ns.
        const uint32_t order[] = {0, 10, 1, 11, 2};
        for (uint32_t i = 0; i < 5; ++i)
        {
            const RawFabric::Arrival& arrival = raw.arrivals[i];
            EXPECT_EQ(arrival.frame.psn, order[i]);
            // Three wires of 1.08 us, and i frames before it at s1.
            EXPECT_EQ(arrival.time, 3 * 1'080 * NS + i * 80 * NS);
            EXPECT_EQ(arrival.side.has_value(), order[i] != 11);
            if (order[i] == 10)
            {
                EXPECT_EQ(arrival.side->sentPs, 7);
                EXPECT_EQ(arrival.side->hops, 0u);
            }
            if (order[i] > 2)
            {
                continue;
            }
            ASSERT_EQ(arrival.side->hops, 2u);
            EXPECT_EQ(arrival.side->sentPs, 100 + order[i]);
            const IntRecord& first = arrival.side->record[0];
            EXPECT_EQ(first.timePs, 1'080 * NS + i * 80 * NS);
            EXPECT_EQ(first.txBytes, i * 1'000u);
            // Frame 1 leaves frames 11 and 2 behind, without preamble and gap; the others none.
            EXPECT_EQ(first.queueBytes, order[i] == 1 ? 2 * (1'000u - RawFabric::GAP) : 0u);
            EXPECT_EQ(first.rateBps, 100 * G);
            const IntRecord& second = arrival.side->record[1];
            EXPECT_EQ(second.timePs, 2 * 1'080 * NS + i * 80 * NS);
            EXPECT_EQ(second.txBytes, i * 1'000u);
            EXPECT_EQ(second.queueBytes, 0u);
        }
        EXPECT_EQ(raw.fabric->GetFrames().GetSidesInUse(), 0u);
    }
};

TEST_F(FrameSideTest, SwitchesAppendWhatTheirEgressPortsAre)
{
    RawFabric raw(MakeGraph());
    SendAll(raw);
    Simulator::Run();
    Check(raw);
}

TEST_F(FrameSideTest, SidesCrossBetweenParts)
{
    for (const bool ownThread : {false, true})
    {
        RawFabric raw(MakeGraph());
        FabricCut cut(*raw.fabric, {0, 0, 1, 2, 0});
        cut.much = 0;
        std::vector<std::unique_ptr<LogicalProcess>> others;
        for (uint32_t part = 1; part < cut.count; ++part)
        {
            others.push_back(
                std::make_unique<LocalLogicalProcess>(*raw.fabric, cut, part, ownThread));
        }
        {
            FabricSplit split(raw.fabric, cut, std::move(others));
            SendAll(raw);
            Simulator::Run();
            Check(raw);
        }
        Simulator::Destroy();
        Simulator::SetImplementation(CreateObject<FabricSimulatorImpl>());
    }
}

TEST_F(FrameSideTest, ADegradedLinkTellsItsRate)
{
    RawFabric raw(MakeGraph());
    raw.fabric->SetLinkRate(0, 2, 50 * G);
    SendAll(raw);
    Simulator::Run();
    ASSERT_EQ(raw.arrivals.size(), 5u);
    ASSERT_EQ(raw.arrivals[0].side->hops, 2u);
    EXPECT_EQ(raw.arrivals[0].side->record[0].rateBps, 50 * G);
    EXPECT_EQ(raw.arrivals[0].side->record[1].rateBps, 100 * G);
}

} // namespace ns3
