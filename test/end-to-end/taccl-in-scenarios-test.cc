/* SPDX-License-Identifier: GPL-2.0-only */

// Synthesized collectives on the packet network.

#include "../fixture/scenario-run-fixture.h"
#include "../fixture/taccl-fixture.h"

using namespace ns3;

namespace
{

class TacclInScenariosTest : public ScenarioRunFixture
{
  protected:
    void SetUp() override
    {
        WriteFile("t.json", TACCL_NDV2);
        WriteFile("s.json", TACCL_NDV2_PAIR);
    }

    /// Two NDv2 whose links take 23, 46 and 105 us a MiB and 2.6 us between hosts; headers take
    /// next to nothing, and PCIe is fast. 2^20 B x 8 / 46 us = 182,361,043,478 bit/s.
    static std::string Cluster(const std::string& jobs)
    {
        return "topology: {type: Taccl, File: t.json, Nodes: 2}\n"
               "host: {type: ndv2, NvlinkRate: 182361043478bps, NvlinkDelay: 0ns, NvlinkHeader: "
               "0B, PcieRate: 8Tbps, PcieDelay: 0ns, PcieHeader: 0B}\n"
               "defaults: {\"ns3::RoceNic::CongestionControl\": \"ns3::FixedRate\", "
               "\"ns3::RoceNic::HeaderBytes\": 1B, \"ns3::RoceNic::AckBytes\": 1B, "
               "\"ns3::RoceNic::GapBytes\": 0B}\n"
               "jobs:\n" +
               jobs;
    }

    static std::string Job(const std::string& name, const std::string& more)
    {
        return "  - {name: " + name +
               ", gpus: 16, iterations: 1, collective: {type: Taccl, Topology: t.json, Sketch: "
               "s.json" +
               more + "}, iteration: [{all-gather: {bytes: 16MiB}}]}\n";
    }
};

} // namespace

// The bound is 911.6 us: 2.6 + 8 x 105 + 69. Propagation overlaps here, so that messages need no
// contiguity; what remains is that a message is cut in segments and frames, which are stored at
// each hop before they go on.
TEST_F(TacclInScenariosTest, TwoNdv2AreWithinTheirBounds)
{
    for (const std::string& solver : GetTacclSolvers())
    {
        SCOPED_TRACE(solver);
        Run(Cluster(Job("a", ", Solver: " + solver)));
        const double us = Real("SELECT (end_ps - first_post_ps) / 1e6 FROM collective");
        EXPECT_GE(us, 911.6);
        EXPECT_LE(us, 930);
        EXPECT_EQ(Rows("SELECT algorithm FROM collective"),
                  std::vector<std::string>{solver == "none" ? "TacclGreedy" : "Taccl"});
        // What was not solved is said, once.
        const std::string why = "a greedy all-gather of Taccl: no MILP solver is to be used";
        const std::vector<std::string> expected{"ns3::TacclCollective|arrival|" + why};
        EXPECT_EQ(Rows("SELECT scheduler, trigger, reason FROM decision WHERE kind = 'fallback'"),
                  solver == "none" ? expected : std::vector<std::string>());
        EXPECT_EQ(messages.find("job a: " + why) != std::string::npos, solver == "none")
            << messages;
    }
}

TEST_F(TacclInScenariosTest, WhatDoesNotFitIsSaid)
{
    const std::string job = "  - {name: a, gpus: 8, iterations: 1, collective: {type: Taccl, "
                            "Topology: t.json, Sketch: s.json}, hosts: [host0], iteration: "
                            "[{all-gather: {bytes: 16MiB}}]}\n";
    EXPECT_EQ(Try(Cluster(job)), ScenarioRunner::BAD_INPUT);
    EXPECT_NE(messages.find("s.json is for 2 hosts of 8 GPUs, not 8 ranks on 1"), std::string::npos)
        << messages;
    WriteFile("s.json", "{nnodes: 2,\n nodes: 3}");
    EXPECT_EQ(Try(Cluster(Job("a", ""))), ScenarioRunner::BAD_INPUT);
    EXPECT_NE(messages.find("s.json:2:2: unknown key \"nodes\""), std::string::npos) << messages;
}
