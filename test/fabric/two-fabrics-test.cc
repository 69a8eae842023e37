/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/fabric/fabric-split.h"
#include "../fixture/raw-fabric-fixture.h"

#include <memory>
#include <tuple>
#include <utility>

namespace ns3
{

/// Any number of fabrics live in one simulation.
class TwoFabricsTest : public RawFabricFixture
{
  protected:
    using Arrival = std::tuple<int64_t, uint32_t, uint32_t>; ///< time, port, number

    static ClusterTopology MakeGraph(uint32_t hosts, int64_t delay)
    {
        ClusterTopology graph;
        const uint32_t node = graph.AddSwitch("s");
        for (uint32_t i = 0; i < hosts; ++i)
        {
            graph.AddLink(graph.AddHost("h" + std::to_string(i), 1), node, 100 * G, delay);
        }
        return graph;
    }

    /// All hosts but the first send to it, so much that it pauses them.
    static void SendAll(RawFabric& raw, uint32_t hosts)
    {
        Simulator::ScheduleNow([&raw, hosts]() {
            for (uint32_t i = 0; i < 2'000; ++i)
            {
                raw.Send("h" + std::to_string(1 + i % (hosts - 1)), "h0", 4'096, i);
            }
        });
    }

    static std::vector<Arrival> GetArrivals(const RawFabric& raw)
    {
        std::vector<Arrival> list;
        for (const RawFabric::Arrival& arrival : raw.arrivals)
        {
            list.emplace_back(arrival.time, arrival.port, arrival.frame.psn);
        }
        return list;
    }

    std::vector<Arrival> RunAlone(uint32_t hosts, int64_t delay)
    {
        SetUp();
        std::vector<Arrival> arrivals;
        {
            RawFabric raw(MakeGraph(hosts, delay));
            SendAll(raw, hosts);
            Simulator::Run();
            EXPECT_GT(raw.fabric->GetTotals().xoff, 0u);
            arrivals = GetArrivals(raw);
        }
        EXPECT_EQ(arrivals.size(), 2'000u);
        return arrivals;
    }
};

TEST_F(TwoFabricsTest, RunIndependentlyAndEndAsTheyDoAlone)
{
    Config::SetDefault("ns3::FabricSwitch::BufferSize", StringValue("4000000"));
    const std::vector<Arrival> first = RunAlone(5, US);
    const std::vector<Arrival> second = RunAlone(9, 700 * NS);
    ASSERT_NE(first, second);
    SetUp();
    RawFabric a(MakeGraph(5, US));
    RawFabric b(MakeGraph(9, 700 * NS));
    EXPECT_EQ(a.fabric->GetLaneClass(), 0u);
    EXPECT_EQ(b.fabric->GetLaneClass(), 1u);
    SendAll(a, 5);
    SendAll(b, 9);
    Simulator::Run();
    EXPECT_EQ(GetArrivals(a), first);
    EXPECT_EQ(GetArrivals(b), second);
}

TEST_F(TwoFabricsTest, AtOneTimeTheOneBuiltFirstComesFirst)
{
    // Alike, so that all their events are at the same times.
    RawFabric a(MakeGraph(5, US));
    RawFabric b(MakeGraph(5, US));
    std::vector<const RawFabric*> order;
    a.onArrival = [&]() { order.push_back(&a); };
    b.onArrival = [&]() { order.push_back(&b); };
    SendAll(b, 5);
    SendAll(a, 5);
    Simulator::Run();
    ASSERT_EQ(order.size(), 4'000u);
    for (std::size_t i = 0; i < order.size(); ++i)
    {
        ASSERT_EQ(order[i], i % 2 == 0 ? &a : &b) << i;
    }
}

TEST_F(TwoFabricsTest, OneOfThemMayRunInSeveralThreads)
{
    Config::SetDefault("ns3::FabricSwitch::BufferSize", StringValue("4000000"));
    const std::vector<Arrival> first = RunAlone(5, US);
    const std::vector<Arrival> second = RunAlone(9, 700 * NS);
    SetUp();
    RawFabric a(MakeGraph(5, US));
    RawFabric b(MakeGraph(9, 700 * NS));
    // The switch is node 0 of each, and alone in the other logical process.
    const FabricCut cutA(*a.fabric, {1, 0, 0, 0, 0, 0});
    const FabricCut cutB(*b.fabric, {1, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    EXPECT_EQ(FabricSplit::FindFault(*b.fabric, cutB), "");
    std::vector<std::unique_ptr<LogicalProcess>> others;
    others.push_back(std::make_unique<LocalLogicalProcess>(*a.fabric, cutA, 1, true));
    {
        const FabricSplit split(a.fabric, cutA, std::move(others));
        EXPECT_EQ(FabricSplit::FindFault(*b.fabric, cutB),
                  "another network of the simulation runs in several threads");
        SendAll(a, 5);
        SendAll(b, 9);
        Simulator::Run();
        EXPECT_GT(split.GetWindows(), 10u);
    }
    EXPECT_EQ(GetArrivals(a), first);
    EXPECT_EQ(GetArrivals(b), second);
    EXPECT_EQ(FabricSplit::FindFault(*b.fabric, cutB), "");
}

} // namespace ns3
