/* SPDX-License-Identifier: GPL-2.0-only */

// Requests of a launcher of ranks such as mpirun.

#include "../../helper/app/mpi-session.h"
#include "../fixture/program-fixture.h"

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

// Otherwise each would simulate the whole and all would write the same file. Nobody has launched
// these, so that a program with MPI finds itself alone.
TEST_F(CliRanksTest, RanksThatDoNotFindEachOtherAreRefused)
{
    const std::string scenario = "--scenario=" + GetProjectFolder("scenarios/smoke.yaml");
    const ProgramResult result = RunAsRank({scenario, "--out=result.sqlite"}, "2");
    EXPECT_EQ(result.status, 2);
    const std::string first = result.err.substr(0, result.err.find('\n'));
    EXPECT_EQ(
        first,
        MpiSession::HasMpi()
            ? "gpu-fabric: 2 ranks were launched, MPI knows of 1: was it another MPI's mpirun?"
            : "gpu-fabric: 2 ranks: this program was built without MPI; ./gpu-fabric ns3 builds "
              "one with it")
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
