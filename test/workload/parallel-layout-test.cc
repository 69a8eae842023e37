/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/workload/program/parallel-layout.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace ns3;

namespace
{

using Groups = std::vector<std::vector<uint32_t>>;

/// The different groups of all ranks, sorted.
Groups
Collect(const ParallelLayout& layout,
        std::vector<uint32_t> (ParallelLayout::*get)(const ParallelLayout::Place&) const)
{
    std::set<std::vector<uint32_t>> groups;
    for (uint32_t rank = 0; rank < layout.GetRanks(); rank++)
    {
        const std::vector<uint32_t> group = (layout.*get)(layout.GetPlace(rank));
        EXPECT_EQ(std::count(group.begin(), group.end(), rank), 1);
        EXPECT_TRUE(std::is_sorted(group.begin(), group.end()));
        groups.insert(group);
    }
    return {groups.begin(), groups.end()};
}

} // namespace

TEST(ParallelLayoutTest, TheExampleOfMegatron)
{
    // The documentation of initialize_model_parallel() in Megatron-LM: 16 GPUs, tensor 2,
    // pipeline 4.
    const ParallelLayout layout(2, 2, 4);
    EXPECT_EQ(Collect(layout, &ParallelLayout::GetTensorGroup),
              (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}}));
    EXPECT_EQ(Collect(layout, &ParallelLayout::GetDataGroup),
              (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}}));
    EXPECT_EQ(Collect(layout, &ParallelLayout::GetPipelineGroup),
              (Groups{{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}}));
}

TEST(ParallelLayoutTest, StagesBeforeReplicas)
{
    const ParallelLayout layout(2, 2, 2, 1, true);
    EXPECT_EQ(Collect(layout, &ParallelLayout::GetTensorGroup),
              (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
    EXPECT_EQ(Collect(layout, &ParallelLayout::GetPipelineGroup),
              (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
    EXPECT_EQ(Collect(layout, &ParallelLayout::GetDataGroup),
              (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
}

TEST(ParallelLayoutTest, ExpertsAreInsideData)
{
    // Tensor 2, data 4 of which pairs share the experts, pipeline 2.
    const ParallelLayout layout(2, 4, 2, 2);
    EXPECT_EQ(Collect(layout, &ParallelLayout::GetExpertGroup),
              (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}}));
    EXPECT_EQ(Collect(layout, &ParallelLayout::GetExpertDataGroup),
              (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {8, 12}, {9, 13}, {10, 14}, {11, 15}}));
    EXPECT_EQ(Collect(layout, &ParallelLayout::GetDataGroup),
              (Groups{{0, 2, 4, 6}, {1, 3, 5, 7}, {8, 10, 12, 14}, {9, 11, 13, 15}}));
}

TEST(ParallelLayoutTest, PlacesAndRanksAreInverse)
{
    for (const bool stagesFirst : {false, true})
    {
        const ParallelLayout layout(3, 4, 5, 2, stagesFirst);
        for (uint32_t rank = 0; rank < 60; rank++)
        {
            EXPECT_EQ(layout.GetRank(layout.GetPlace(rank)), rank);
        }
    }
}
