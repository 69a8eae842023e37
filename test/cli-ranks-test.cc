/* SPDX-License-Identifier: GPL-2.0-only */

// What a launcher of ranks such as mpirun may ask for.

#include "program-fixture.h"

#include <cstdlib>

using namespace ns3;

namespace
{

class CliRanksTest : public ProgramFixture
{
  protected:
    /// Runs as a launcher would that starts some ranks.
    ProgramResult RunAsRank(const std::vector<std::string>& arguments, const char* ranks) const
    {
        return Run(arguments, [ranks]() { setenv("OMPI_COMM_WORLD_SIZE", ranks, 1); });
    }
};

} // namespace

// Otherwise each would simulate the whole and all would write the same file.
TEST_F(CliRanksTest, SeveralRanksAreRefused)
{
    const std::string scenario = "--scenario=" + GetProjectFolder("scenarios/smoke.yaml");
    const ProgramResult result = RunAsRank({scenario, "--out=result.sqlite"}, "2");
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.err.rfind("gpu-fabric: 2 ranks: a scenario is simulated by one", 0), 0U)
        << result.err;
    EXPECT_FALSE(std::filesystem::exists(Path("result.sqlite")));
}

// Its processes would take themselves for ranks.
TEST_F(CliRanksTest, ASweepIsNotLaunched)
{
    const std::string scenario = "--scenario=" + GetProjectFolder("scenarios/smoke.yaml");
    const ProgramResult result = RunAsRank({scenario, "--sweep"}, "1");
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.err,
              "gpu-fabric: --sweep starts processes itself, on this machine: without mpirun\n");
}
