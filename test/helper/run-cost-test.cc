/* SPDX-License-Identifier: GPL-2.0-only */

// What a run is said to cost, against what it costs.

#include "../../helper/app/cluster-run.h"
#include "../../model/scenario/scenario-reader.h"
#include "../fixture/scenario-run-fixture.h"

using namespace ns3;

namespace
{

class RunCostTest : public ScenarioRunFixture
{
  protected:
    /// Expects that the packet-hops of a scenario are those of its estimate, within a factor: so is
    /// the time that is said to be left, once the speed is known. Without congestion control, whose
    /// reaction to the first collisions no estimate knows.
    void Compare(const std::string& text, double factor)
    {
        SCOPED_TRACE(text);
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::FabricSimulatorImpl"));
        const ScenarioFolder folder;
        const std::string file = folder.Write("a.yaml",
                                              "schema: gpu-fabric/1\n"
                                              "defaults: {ns3::RoceNic::CongestionControl: "
                                              "ns3::FixedRate}\n" +
                                                  text);
        Diagnostics diagnostics;
        const auto scenario = ScenarioReader::Read(file, diagnostics);
        ASSERT_TRUE(scenario.has_value());
        ClusterRun run(*scenario, scenario->schedulers[0], 1);
        ASSERT_TRUE(run.Build(diagnostics));
        const RunCost cost = run.EstimateCost();
        ResultDatabase database(folder.GetPath("a.sqlite"));
        run.Run(database, RunRow(), nullptr);
        const auto hops = static_cast<double>(run.GetPacketHops());
        ASSERT_GT(hops, 0);
        EXPECT_LT(cost.packetHops / hops, factor);
        EXPECT_GT(cost.packetHops / hops, 1 / factor);
        EXPECT_LT(cost.GetEvents() / static_cast<double>(run.GetLaneEvents()), 1.5 * factor);
        EXPECT_GT(cost.GetEvents() / static_cast<double>(run.GetLaneEvents()), 1 / factor / 1.5);
    }
};

/// 100 million hops of 100 ns in 1 ms; windows of 500 ns.
RunCost
MakeCost(double hops)
{
    RunCost cost;
    cost.packetHops = hops;
    cost.simulatedPs = 1e9;
    cost.hopNs = 100;
    cost.windowPs = 5e5;
    cost.memoryBytes = 45e6;
    return cost;
}

} // namespace

TEST_F(RunCostTest, PlainFlows)
{
    // 1 MB in 245 frames of 4 KiB and 16 ACKs, two hops each: 522.
    Compare("topology: {type: Star, Hosts: 4, Rate: 100Gbps}\n"
            "flows: [{from: host0, to: host1, bytes: 1MB}, {from: host2, to: host1, bytes: 1MB}]\n",
            1.1);
}

TEST_F(RunCostTest, FlowsThatTheEndOfTheRunCuts)
{
    // Two senders share the receiver's 100 Gb/s, so that half of 5 MB have arrived after 200 us.
    Compare("topology: {type: Star, Hosts: 3, Rate: 100Gbps}\n"
            "stop: {time: 200us}\n"
            "flows: [{from: host0, to: host1, bytes: 2.5MB}, {from: host2, to: host1, bytes: "
            "2.5MB}]\n",
            1.3);
}

TEST_F(RunCostTest, JobsOfAllKinds)
{
    const std::string topology =
        "topology: {type: LeafSpine, Leaves: 4, Spines: 2, HostsPerLeaf: 4, GpusPerHost: 2,\n"
        "           NicsPerHost: 2, Uplinks: 4, NicRate: 100Gbps, UplinkRate: 100Gbps}\n";
    for (const std::string job :
         {"{name: a, gpus: 16, iterations: 3, iteration: [{compute: 100us}, {all-reduce: {bytes: "
          "1MB}}]}",
          "{name: a, gpus: 32, iterations: 2, iteration: [{compute: 10us}, {all-to-all: {bytes: "
          "2MB}}]}",
          "{name: a, gpus: 32, duration: 1ms, iteration: [{compute: 100us}, {all-gather: {bytes: "
          "1MB}}]}",
          "{name: a, gpus: 16, iterations: 2, model: bert-large, scale: 1/500}"})
    {
        Compare(topology + "jobs: [" + job + "]\n", 1.4);
    }
    // One that runs until another one ends, a second one of each.
    Compare(topology + "jobs:\n"
                       "  - {name: a, gpus: 8, count: 2, iterations: 4,\n"
                       "     iteration: [{compute: 300us}, {all-reduce: {bytes: 1MB}}]}\n"
                       "  - {name: b, gpus: 8, until: a-0,\n"
                       "     iteration: [{compute: 100us}, {all-reduce: {bytes: 1MB}}]}\n",
            1.4);
}

TEST(RunCostFormatTest, TwoDigitsAndUnits)
{
    EXPECT_EQ(MakeCost(1e8).Describe(),
              "about 100 million packet-hops, 170 million events, 10 s of CPU time, 45 MB of "
              "memory");
    EXPECT_EQ(MakeCost(1234).Describe(),
              "about 1200 packet-hops, 2100 events, 0.1 s of CPU time, 45 MB of memory");
    RunCost both = MakeCost(1e8);
    both.Add(MakeCost(1e8), 2);
    EXPECT_EQ(both.Describe(),
              "about 300 million packet-hops, 510 million events, 30 s of CPU time, 45 MB of "
              "memory");
}

TEST(RunCostFormatTest, HopsCostMoreInALargeNetwork)
{
    const double small = RunCost::GetHopNs(16);
    EXPECT_DOUBLE_EQ(RunCost::GetHopNs(2), small);
    EXPECT_NEAR(RunCost::GetHopNs(1024) / small, 210.0 / 65, 0.1);
    EXPECT_NEAR(RunCost::GetHopNs(4096) / small, 320.0 / 65, 0.1);
}

TEST(RunCostFormatTest, ThreadsThatPay)
{
    // 1.7 x 10^8 events in 2,000 windows.
    const RunCost large = MakeCost(1e8);
    EXPECT_DOUBLE_EQ(large.GetWindowEvents(), 85'000);
    EXPECT_EQ(large.GetThreadsFault(2, 0.3, 2), "");
    EXPECT_EQ(large.GetThreadsFault(2, 7.9, 2),
              "2 processors, on which 7 other processes run at "
              "present");
    EXPECT_EQ(large.ChooseThreads(0, 16), 4u);
    EXPECT_EQ(large.ChooseThreads(1.2, 4), 3u);
    EXPECT_EQ(large.ChooseThreads(9, 2), 1u);
    const RunCost small = MakeCost(1e5);
    EXPECT_EQ(small.GetThreadsFault(2, 0, 16), "about 85 events in a window of 500 ns");
    EXPECT_EQ(small.ChooseThreads(0, 16), 1u);
}
