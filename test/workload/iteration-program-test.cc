/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/workload/program/iteration-program.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

ProgramStep
Compute(int64_t durationPs, std::vector<StepDependency> dependencies = {})
{
    ProgramStep step;
    step.label = "compute";
    step.durationPs = durationPs;
    step.dependencies = std::move(dependencies);
    return step;
}

ProgramStep
AllReduce(uint32_t communicator, uint64_t bytes, std::vector<StepDependency> dependencies)
{
    ProgramStep step;
    step.compute = false;
    step.label = "all-reduce";
    step.communicator = communicator;
    step.bytes = bytes;
    step.dependencies = std::move(dependencies);
    return step;
}

/// Two ranks that compute and reduce on two communicators.
IterationProgram
MakeProgram()
{
    IterationProgram program;
    program.ranks = 2;
    program.communicators.resize(2);
    program.communicators[0].ranks = {0, 1};
    program.communicators[1].ranks = {0, 1};
    RankProgram steps;
    steps.steps = {Compute(10, {{3, true}}),
                   AllReduce(0, 100, {{0, false}}),
                   Compute(20),
                   AllReduce(1, 200, {{2, false}})};
    program.programs = {steps, steps};
    program.rankProgram = {0, 1};
    return program;
}

/// The only fault.
std::string
GetFault(const IterationProgram& program)
{
    const std::vector<std::string> faults = program.Validate();
    return faults.size() == 1 ? faults[0] : std::to_string(faults.size()) + " faults";
}

} // namespace

TEST(IterationProgramTest, AGoodOneHasNoFaults)
{
    const IterationProgram program = MakeProgram();
    EXPECT_TRUE(program.Validate().empty());
    EXPECT_EQ(program.GetComputePs(1), 30);
}

TEST(IterationProgramTest, FindsUnknownStepsAndCommunicators)
{
    IterationProgram program = MakeProgram();
    program.programs[0].steps[1].dependencies[0].step = 4;
    EXPECT_EQ(GetFault(program),
              "program 0, step 1 (all-reduce) depends on step 4, which does not exist");
    program = MakeProgram();
    program.programs[1].steps[3].communicator = 2;
    EXPECT_EQ(GetFault(program),
              "program 1, step 3 (all-reduce) uses communicator 2, which does not exist");
    program = MakeProgram();
    program.programs[0].steps[1].dependencies.push_back({0, false});
    EXPECT_EQ(GetFault(program), "program 0, step 1 (all-reduce) names a dependency twice");
    program = MakeProgram();
    program.rankProgram = {0, 2};
    EXPECT_EQ(GetFault(program), "not every rank has a program");
    program = MakeProgram();
    program.programs[0].steps[2].durationPs = -1;
    EXPECT_EQ(GetFault(program), "program 0, step 2 (compute) has a negative duration");
}

TEST(IterationProgramTest, FindsRanksThatDisagree)
{
    IterationProgram program = MakeProgram();
    program.programs[1].steps[1].bytes = 101;
    EXPECT_EQ(GetFault(program), "ranks 0 and 1 issue different collectives on communicator 0");
    program = MakeProgram();
    program.communicators[1].ranks = {0};
    EXPECT_EQ(GetFault(program), "rank 1 uses communicator 1 but is none of its ranks");
    program = MakeProgram();
    program.communicators[1].ranks = {0, 0};
    EXPECT_EQ(GetFault(program), "communicator 1 has rank 0 twice");
    program.communicators[1].ranks = {0, 5};
    EXPECT_EQ(GetFault(program), "communicator 1 has rank 5, which does not exist");
}

TEST(IterationProgramTest, FindsCycles)
{
    IterationProgram program = MakeProgram();
    for (RankProgram& rank : program.programs)
    {
        rank.steps[0].dependencies = {{3, false}};
    }
    EXPECT_EQ(GetFault(program),
              "rank 0, step 0 (compute) waits for itself, directly or through others");
    // Across ranks: rank 0 needs communicator 0 for 1, rank 1 communicator 1 for 0.
    program = MakeProgram();
    program.programs[0].steps[3].dependencies = {{1, false}};
    program.programs[1].steps = {Compute(10, {{3, true}}),
                                 AllReduce(1, 200, {{0, false}}),
                                 Compute(20),
                                 AllReduce(0, 100, {{1, false}})};
    EXPECT_EQ(GetFault(program),
              "rank 0, step 1 (all-reduce) waits for itself, directly or through others");
}

TEST(IterationProgramTest, FindsCollectivesThatNothingPaces)
{
    IterationProgram program = MakeProgram();
    for (RankProgram& rank : program.programs)
    {
        rank.steps[1].dependencies = {{1, true}};
    }
    const std::vector<std::string> faults = program.Validate();
    ASSERT_EQ(faults.size(), 2u);
    EXPECT_EQ(faults[0],
              "program 0, step 1 (all-reduce) waits for no compute step, directly or through "
              "others");
}

TEST(IterationProgramTest, FindsIterationsWithoutAStart)
{
    IterationProgram program;
    program.ranks = 1;
    program.programs.resize(1);
    program.rankProgram = {0};
    EXPECT_EQ(GetFault(program),
              "program 0 has no compute step, so that its iterations have no start");
}
