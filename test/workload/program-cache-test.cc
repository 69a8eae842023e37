/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/workload/program/program-cache.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace ns3
{
namespace
{

JobSpec
MakeBert(uint32_t program, uint32_t gpus = 2)
{
    JobSpec spec;
    spec.name = "bert";
    spec.model = "bert-large";
    spec.gpus = gpus;
    spec.program = program;
    return spec;
}

TEST(ProgramCacheTest, IsBuiltOnceAndShared)
{
    ProgramCache cache;
    std::vector<ProgramFault> faults;
    EXPECT_TRUE(cache.Check(MakeBert(0), faults));
    const std::shared_ptr<const IterationProgram> program = cache.Get(MakeBert(0));
    EXPECT_EQ(program->ranks, 2U);
    JobSpec other = MakeBert(0);
    other.name = "another";
    other.iterations = 7;
    EXPECT_EQ(cache.Get(other), program);
    EXPECT_TRUE(cache.Check(other, faults));
    EXPECT_EQ(cache.GetBuildCount(), 1U);
    EXPECT_EQ(cache.GetFigures(other).flop, program->flopPerIteration);
    EXPECT_EQ(cache.GetFigures(other).gradientBytes, program->gradientBytes);
    EXPECT_EQ(cache.Get(MakeBert(1, 4))->ranks, 4U);
    EXPECT_EQ(cache.GetBuildCount(), 2U);
    EXPECT_TRUE(faults.empty());
}

TEST(ProgramCacheTest, FaultsAreReturned)
{
    ProgramCache cache;
    JobSpec spec = MakeBert(0);
    spec.batchPerGpu = 0;
    std::vector<ProgramFault> faults;
    EXPECT_FALSE(cache.Check(spec, faults));
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_EQ(faults[0].key, "batch-per-gpu");
    EXPECT_DEATH(cache.GetFigures(spec), "job bert was not checked");
    EXPECT_DEATH(cache.Get(spec), "job bert: the batch of a GPU must be positive");
}

TEST(ProgramCacheTest, GradientsAsTensorsAreAnotherProgram)
{
    ProgramCache cache;
    std::vector<ProgramFault> faults;
    cache.SetTensorOptions(TensorProgramOptions());
    EXPECT_TRUE(cache.Check(MakeBert(0), faults)); // as the scenario says it
    EXPECT_TRUE(cache.Get(MakeBert(0))->HasTensors());
    EXPECT_TRUE(cache.Get(MakeBert(0))->HasOnly({CollectiveOperation::ALL_REDUCE}));
    JobSpec late = MakeBert(1);
    late.overlap = GradientOverlap::NONE; // they cannot be tensors
    EXPECT_FALSE(cache.Get(late)->HasTensors());
}

// Programs that nobody holds are forgotten when MAX_UNUSED others were asked for after them.
TEST(ProgramCacheTest, KeepsWhatRunsAndALittleMore)
{
    ProgramCache cache;
    const std::shared_ptr<const IterationProgram> held = cache.Get(MakeBert(0));
    const std::weak_ptr<const IterationProgram> unused = cache.Get(MakeBert(1));
    for (uint32_t program = 2; program < 2 + ProgramCache::MAX_UNUSED - 1; program++)
    {
        cache.Get(MakeBert(program));
    }
    EXPECT_FALSE(unused.expired());
    cache.Get(MakeBert(1000));
    EXPECT_TRUE(unused.expired());
    EXPECT_EQ(cache.GetBuildCount(), 2 + ProgramCache::MAX_UNUSED);
    EXPECT_EQ(cache.Get(MakeBert(0)), held);
    EXPECT_EQ(cache.GetBuildCount(), 2 + ProgramCache::MAX_UNUSED);
}

} // namespace
} // namespace ns3
