/* SPDX-License-Identifier: GPL-2.0-only */

// A user's own program, with its own scheduler, that passes its arguments to RunGpuFabric
// (examples/gpu-fabric-own-scheduler.cc): it runs, sweeps and compares as gpu-fabric-run does.

#include "../fixture/program-fixture.h"

using namespace ns3;

namespace
{

/// An iteration of a sends less than one of b.
const char* const JOBS = R"(schema: gpu-fabric/1
name: small
topology: {type: Star, Hosts: 4, NicRate: 100Gbps, LinkDelay: 1us}
jobs:
  - {name: b, hosts: [host1, host3], iterations: 3,
     iteration: [{compute: 100us}, {all-reduce: {bytes: 200kB}}]}
  - {name: a, hosts: [host0, host2], iterations: 3,
     iteration: [{compute: 100us}, {all-reduce: {bytes: 100kB}}]}
)";

class ProgramOwnTest : public ProgramFixture
{
  protected:
    void SetUp() override
    {
#ifdef GPU_FABRIC_OWN_SCHEDULER_PROGRAM
        m_program = GPU_FABRIC_OWN_SCHEDULER_PROGRAM;
#endif
        ProgramFixture::SetUp();
    }
};

} // namespace

TEST_F(ProgramOwnTest, ItsSchedulerDecides)
{
    Write("small.yaml", std::string(JOBS) + "scheduler: FewestBytes\n");
    const ProgramResult result = Run({"--scenario=small.yaml", "--out=own.sqlite", "--quiet"});
    ASSERT_EQ(result.status, 0) << result.err;
    const std::string reason = "SELECT reason FROM decision JOIN job USING (run, job) "
                               "WHERE kind = 'priority' AND name = '";
    EXPECT_EQ(Query("own.sqlite", reason + "a' ORDER BY time_ps"), "0 jobs send less");
    EXPECT_EQ(Query("own.sqlite", reason + "b' ORDER BY time_ps"), "1 jobs send less");
}

TEST_F(ProgramOwnTest, ItsAttributesAreChecked)
{
    Write("small.yaml", std::string(JOBS) + "scheduler: {type: FewestBytes, Levels: 0}\n");
    const ProgramResult result = Run({"--scenario=small.yaml", "--check"});
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("small.yaml:9:40: "), std::string::npos) << result.err;
}

TEST_F(ProgramOwnTest, PointsOfASweepAreProcessesOfIt)
{
    Write("small.yaml",
          std::string(JOBS) + "sweep: {scheduler: [None, FewestBytes], seeds: 1..2}\n");
    // gpu-fabric-run does not know the scheduler: had the points been its processes, they had
    // failed.
    ProgramResult result =
        Run({"--sweep", "--scenario=small.yaml", "--out=sweep", "--jobs=2", "--quiet"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(
        Query("sweep/campaign.sqlite", "SELECT COUNT(*) FROM run WHERE scheduler = 'FewestBytes'"),
        "2"); // one for each seed
    result = Run({"--compare=sweep/campaign.sqlite"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find("FewestBytes"), std::string::npos) << result.out;
}

TEST_F(ProgramOwnTest, HelpNamesIt)
{
    const ProgramResult result = Run({"--help"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find("gpu-fabric-own-scheduler"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("--sweep"), std::string::npos) << result.out;
}
