/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/workload/program/tensor-program-builder.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace ns3;

namespace
{

JobSpec
MakeJob(const std::string& model)
{
    JobSpec job;
    job.name = "job";
    job.model = model;
    job.gpus = 4;
    job.compute = MilliSeconds(300);
    return job;
}

IterationProgram
MakeProgram(const JobSpec& job, bool spreads = true)
{
    std::vector<ProgramFault> faults;
    const auto program = TensorProgramBuilder::Build(job, job.gpus, {spreads}, faults);
    EXPECT_TRUE(program) << faults.front().what;
    EXPECT_TRUE(program->Validate().empty()) << program->Validate().front();
    return *program;
}

uint64_t
SumBytes(const IterationProgram& program, CollectiveOperation operation, int64_t communicator = -1)
{
    uint64_t sum = 0;
    for (const ProgramStep& step : program.programs[0].steps)
    {
        const bool counts = !step.compute && step.operation == operation &&
                            (communicator < 0 || step.communicator == communicator);
        sum += counts ? step.bytes : 0;
    }
    return sum;
}

} // namespace

// VGG-16 has 13 convolutions and 3 fully connected layers with parameters: 16 tensors of whole
// layers, starting at the output, 138,357,544 x 4 B in all, regardless of bucket and barrier.
TEST(TensorProgramBuilderTest, ATensorALayer)
{
    JobSpec job = MakeJob("vgg-16");
    const IterationProgram program = MakeProgram(job);
    job.bucket = ByteSize(1'000'000'000);
    job.barrier = true;
    EXPECT_EQ(MakeProgram(job).programs[0].steps.size(), program.programs[0].steps.size());
    uint32_t next = 16;
    int64_t computePs = 0;
    for (const ProgramStep& step : program.programs[0].steps)
    {
        computePs += step.durationPs;
        if (step.compute)
        {
            EXPECT_EQ(step.tensor, ProgramStep::NO_TENSOR);
            continue;
        }
        EXPECT_EQ(step.tensor, --next);
        // fc7: 4096 x 4096 + 4096; fc6: 25088 x 4096 + 4096 parameters.
        EXPECT_TRUE(next != 14 || step.bytes == 67'125'248u) << step.bytes;
        EXPECT_TRUE(next != 13 || step.bytes == 411'058'176u) << step.bytes;
    }
    EXPECT_EQ(next, 0u);
    EXPECT_EQ(computePs, 300'000'000'000);
    EXPECT_EQ(SumBytes(program, CollectiveOperation::ALL_REDUCE), 553'430'176u);
    EXPECT_EQ(program.gradientBytes, 553'430'176u);
}

// A forward step waits for the tensors of its own layers: each tensor is waited for once.
TEST(TensorProgramBuilderTest, ForwardWaitsForItsOwnTensor)
{
    for (const uint32_t servers : {0u, 3u})
    {
        JobSpec job = MakeJob("resnet-50");
        job.parameterServers = servers;
        const IterationProgram program = MakeProgram(job);
        const std::vector<ProgramStep>& steps = program.programs[0].steps;
        std::vector<uint32_t> waits(steps.size());
        uint32_t last = 0;
        for (const ProgramStep& step : steps)
        {
            for (const StepDependency& dependency : step.dependencies)
            {
                if (dependency.carry)
                {
                    EXPECT_TRUE(step.compute);
                    waits[dependency.step]++;
                    EXPECT_GE(steps[dependency.step].tensor, last);
                    last = steps[dependency.step].tensor;
                }
            }
        }
        for (size_t s = 0; s < steps.size(); s++)
        {
            const bool pulls =
                !steps[s].compute && steps[s].operation != CollectiveOperation::REDUCE;
            EXPECT_EQ(waits[s], pulls ? 1u : 0u) << steps[s].label;
        }
    }
}

// Spread, each of three servers has a third; whole, tensors go round, and that with fc6 has most.
TEST(TensorProgramBuilderTest, TensorsGoToServers)
{
    JobSpec job = MakeJob("vgg-16");
    job.parameterServers = 3;
    const IterationProgram spread = MakeProgram(job);
    const IterationProgram whole = MakeProgram(job, false);
    for (const CollectiveOperation operation :
         {CollectiveOperation::REDUCE, CollectiveOperation::BROADCAST})
    {
        const uint32_t first = operation == CollectiveOperation::REDUCE ? 0 : 1;
        EXPECT_EQ(SumBytes(spread, operation), 553'430'176u);
        EXPECT_EQ(SumBytes(whole, operation), 553'430'176u);
        for (uint32_t server = 0; server < 3; server++)
        {
            EXPECT_NEAR(SumBytes(spread, operation, 2 * server + first), 553'430'176 / 3, 16);
        }
        // Tensors 15, 12, 9, 6, 3, 0; 14, 11, ...; 13, which is fc6, 10, ...
        EXPECT_GT(SumBytes(whole, operation, 4 + first), 411'058'176u);
    }
    EXPECT_EQ(SumBytes(spread, CollectiveOperation::ALL_REDUCE), 0u);
    // Beside ranks 0, 1 and 2 of four.
    for (const ProgramStep& step : whole.programs[0].steps)
    {
        EXPECT_TRUE(step.compute || step.root == step.communicator / 2);
    }
}

TEST(TensorProgramBuilderTest, SaysWhyNot)
{
    const auto why = [](const std::function<void(JobSpec&)>& change) {
        JobSpec job = MakeJob("vgg-16");
        change(job);
        return TensorProgramBuilder::GetUnsupportedReason(job);
    };
    EXPECT_EQ(why([](JobSpec&) {}), "");
    EXPECT_EQ(why([](JobSpec& job) { job.parameterServers = 2; }), "");
    EXPECT_EQ(why([](JobSpec& job) { job.parallelism.written = true; }), "");
    EXPECT_EQ(why([](JobSpec& job) { job.model.clear(); }), "its iteration is given step by step");
    EXPECT_EQ(why([](JobSpec& job) { job.overlap = GradientOverlap::NONE; }),
              "it reduces its gradients after the backward pass (overlap: none)");
    EXPECT_EQ(why([](JobSpec& job) { job.parallelism.tensor = 2; }),
              "it is not plain data parallelism");
    EXPECT_EQ(why([](JobSpec& job) { job.recompute = Recompute::FULL; }),
              "its backward pass repeats the forward pass");
    EXPECT_EQ(why([](JobSpec& job) { job.model = "dlrm-criteo"; }),
              "its tables are spread over the GPUs");
    EXPECT_EQ(why([](JobSpec& job) { job.collective.typeName = "Auto"; }),
              "the algorithm Auto has another schedule for each size");
}
