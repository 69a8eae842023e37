/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/cluster/communication-start.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

ProgramStep
Compute(int64_t durationPs, std::vector<StepDependency> dependencies = {})
{
    ProgramStep step;
    step.durationPs = durationPs;
    step.dependencies = std::move(dependencies);
    return step;
}

ProgramStep
AllReduce(uint32_t communicator, std::vector<StepDependency> dependencies)
{
    ProgramStep step;
    step.compute = false;
    step.communicator = communicator;
    step.bytes = 1000;
    step.dependencies = std::move(dependencies);
    return step;
}

/// Four ranks on two hosts; communicator 0 has ranks 0 and 1, communicator 1 has ranks 0 and 2.
IterationProgram
MakeProgram(std::vector<ProgramStep> steps)
{
    IterationProgram program;
    program.ranks = 4;
    program.communicators.resize(2);
    program.communicators[0].ranks = {0, 1};
    program.communicators[1].ranks = {0, 2};
    program.programs = {{std::move(steps)}, {{Compute(50)}}};
    program.rankProgram = {0, 1, 1, 1};
    return program;
}

const std::vector<uint32_t> HOSTS{7, 7, 8, 8};

TEST(CommunicationStartTest, AfterWhatTheCollectiveWaitsFor)
{
    // Forward 30, backward 10 + 60; the bucket of the first 10 leaves after 40 of 100.
    const IterationProgram program = MakeProgram({Compute(30, {{3, true}, {4, true}}),
                                                  Compute(10),
                                                  Compute(60),
                                                  AllReduce(1, {{1, false}}),
                                                  AllReduce(1, {{2, false}, {3, false}})});
    EXPECT_EQ(GetCommunicationStart(program, HOSTS), 0.4);
}

TEST(CommunicationStartTest, InsideAHostDoesNotCount)
{
    EXPECT_EQ(GetCommunicationStart(MakeProgram({Compute(30),
                                                 AllReduce(0, {{0, false}}),
                                                 Compute(70, {{1, false}}),
                                                 AllReduce(1, {{2, false}})}),
                                    HOSTS),
              1);
    EXPECT_EQ(GetCommunicationStart(MakeProgram({Compute(100)}), HOSTS), 1);
}

TEST(CommunicationStartTest, ThroughOtherCollectives)
{
    // The second waits for the first, which waits for 30 of 100; listed in the other order.
    EXPECT_EQ(
        GetCommunicationStart(
            MakeProgram(
                {AllReduce(1, {{2, false}}), Compute(30), AllReduce(0, {{1, false}}), Compute(70)}),
            HOSTS),
        0.3);
}

TEST(CommunicationStartTest, WhatDependsOnTheLastIterationStartsAtOnce)
{
    EXPECT_EQ(GetCommunicationStart(MakeProgram({Compute(100), AllReduce(1, {{0, true}})}), HOSTS),
              0);
}

TEST(CommunicationStartTest, TheRankThatComputesLongestDecides)
{
    // Ranks 2 and 3 compute 50 and do not communicate in their program.
    IterationProgram program = MakeProgram({Compute(20), AllReduce(1, {{0, false}})});
    EXPECT_EQ(GetCommunicationStart(program, HOSTS), 1);
    program.programs[0].steps[0].durationPs = 60;
    EXPECT_EQ(GetCommunicationStart(program, HOSTS), 1);
    program.programs[0].steps.push_back(Compute(60));
    EXPECT_EQ(GetCommunicationStart(program, HOSTS), 0.5);
}

} // namespace
} // namespace ns3
