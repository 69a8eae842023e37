/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/workload/program/pipeline-schedule.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>

using namespace ns3;

namespace
{

/// "F0 F1 B0 ...", with chunks "F0.1".
std::string
Describe(uint32_t stages, uint32_t stage, uint32_t microbatches, uint32_t chunks = 1)
{
    std::string text;
    for (const PipelineTask& task : MakePipelineSchedule(stages, stage, microbatches, chunks))
    {
        text += text.empty() ? "" : " ";
        text += (task.forward ? "F" : "B") + std::to_string(task.microbatch);
        text += chunks > 1 ? "." + std::to_string(task.chunk) : "";
    }
    return text;
}

} // namespace

TEST(PipelineScheduleTest, OneForwardOneBackward)
{
    // Narayanan et al., SC 2021, figure 4 (top) with four microbatches.
    EXPECT_EQ(Describe(4, 0, 4), "F0 F1 F2 F3 B0 B1 B2 B3");
    EXPECT_EQ(Describe(4, 1, 4), "F0 F1 F2 B0 F3 B1 B2 B3");
    EXPECT_EQ(Describe(4, 3, 4), "F0 B0 F1 B1 F2 B2 F3 B3");
    EXPECT_EQ(Describe(4, 0, 2), "F0 F1 B0 B1");
    EXPECT_EQ(Describe(1, 0, 2), "F0 B0 F1 B1");
}

TEST(PipelineScheduleTest, Interleaved)
{
    // Two stages of two chunks: 2 (p - s - 1) + (v - 1) p warm-up passes.
    EXPECT_EQ(Describe(2, 1, 4, 2),
              "F0.0 F1.0 F0.1 B0.1 F1.1 B1.1 F2.0 B0.0 F3.0 B1.0 F2.1 B2.1 F3.1 B3.1 B2.0 B3.0");
    EXPECT_EQ(Describe(2, 0, 4, 2),
              "F0.0 F1.0 F0.1 F1.1 F2.0 B0.1 F3.0 B1.1 F2.1 B0.0 F3.1 B1.0 B2.1 B3.1 B2.0 B3.0");
    // As many microbatches as stages: all forward first.
    EXPECT_EQ(Describe(2, 1, 2, 2), "F0.0 F1.0 F0.1 F1.1 B0.1 B1.1 B0.0 B1.0");
}

TEST(PipelineScheduleTest, EveryPassOnceAndForwardFirst)
{
    for (uint32_t stages : {1, 2, 3, 5})
    {
        for (uint32_t chunks : {1, 2, 3})
        {
            for (uint32_t microbatches : {stages, 2 * stages, 4 * stages})
            {
                for (uint32_t stage = 0; stage < stages; stage++)
                {
                    std::map<std::pair<uint32_t, uint32_t>, int> passes;
                    uint32_t held = 0;
                    uint32_t most = 0;
                    for (const PipelineTask& task :
                         MakePipelineSchedule(stages, stage, microbatches, chunks))
                    {
                        int& state = passes[{task.microbatch, task.chunk}];
                        EXPECT_EQ(state, task.forward ? 0 : 1);
                        state++;
                        held += task.forward ? 1 : -1;
                        most = std::max(most, held);
                    }
                    EXPECT_EQ(passes.size(), microbatches * chunks);
                    EXPECT_EQ(held, 0u);
                    // Activations held by 1F1B: of at most p - s microbatches.
                    if (chunks == 1)
                    {
                        EXPECT_EQ(most, std::min(microbatches, stages - stage));
                    }
                }
            }
        }
    }
}
