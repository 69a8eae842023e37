/* SPDX-License-Identifier: GPL-2.0-only */

// Parallel programs built by TrainingProgramBuilder from a job's keys.

#include "../../model/workload/program/training-program-builder.h"

#include <functional>
#include <gtest/gtest.h>
#include <set>

using namespace ns3;

TEST(ParallelismKeysTest, TheSameAsDataParallelTraining)
{
    JobSpec job;
    job.name = "bert";
    job.model = "bert-large";
    job.batchPerGpu = 32;
    job.gradients = GradientFormat::FP16;
    std::vector<ProgramFault> faults;
    const auto plain = TrainingProgramBuilder::Build(job, 8, faults);
    job.parallelism.written = true;
    const auto general = TrainingProgramBuilder::Build(job, 8, faults);
    ASSERT_TRUE(plain && general);
    EXPECT_EQ(plain->gradientBytes, general->gradientBytes);
    EXPECT_EQ(plain->GetComputePs(0), general->GetComputePs(0));
    EXPECT_EQ(plain->flopPerIteration, general->flopPerIteration);
    const auto getReductions = [](const IterationProgram& program) {
        std::vector<uint64_t> sizes;
        for (const ProgramStep& step : program.programs[0].steps)
        {
            if (!step.compute)
            {
                sizes.push_back(step.bytes);
            }
        }
        return sizes;
    };
    EXPECT_EQ(getReductions(*plain), getReductions(*general));
}

TEST(ParallelismKeysTest, ProgramsAreShared)
{
    // 512 GPUs with a program of 32 microbatches and 12 layers a stage.
    JobSpec job;
    job.name = "gpt";
    job.model = "gpt3-175b";
    job.recompute = Recompute::FULL;
    job.parallelism.tensor = 8;
    job.parallelism.pipeline = 8;
    job.parallelism.microbatches = 32;
    job.parallelism.written = true;
    std::vector<ProgramFault> faults;
    const auto program = TrainingProgramBuilder::Build(job, 512, faults);
    ASSERT_TRUE(program);
    EXPECT_EQ(program->programs.size(), 8u);
    // Tensor 64, data 64, edges 2 x 7 x 64, and the embedding's 64.
    EXPECT_EQ(program->communicators.size(), 64u + 64 + 2 * 7 * 64 + 64);
    size_t bytes = 0;
    for (const RankProgram& steps : program->programs)
    {
        for (const ProgramStep& step : steps.steps)
        {
            bytes += sizeof(step) + step.dependencies.capacity() * sizeof(StepDependency);
            EXPECT_LT(step.label.size(), 16u); // without memory of its own
        }
    }
    EXPECT_LT(bytes, 20'000'000u);
    EXPECT_TRUE(program->Validate().empty());
}

TEST(ParallelismKeysTest, BytesOfMegatron)
{
    // Narayanan et al., SC 2021, table 1: gradients of a GPU in fp16 (parameters x 2 B over tensor
    // and pipeline), and a message between stages, b s h x 2 B.
    struct Row
    {
        const char* model;
        uint32_t tensor;
        uint32_t pipeline;
        uint32_t microBatch;
        double gigabytes;
        double megabytes;
    };

    for (const Row& row : {Row{"megatron-1.7b", 1, 1, 16, 3.30, 0},
                           Row{"megatron-7.5b", 4, 1, 16, 3.73, 0},
                           Row{"megatron-18.4b", 8, 1, 8, 4.61, 0},
                           Row{"megatron-39.1b", 8, 2, 4, 4.89, 134.2},
                           Row{"megatron-76.1b", 8, 4, 2, 4.75, 83.9},
                           Row{"megatron-145.6b", 8, 8, 2, 4.55, 100.7}})
    {
        JobSpec job;
        job.name = "job";
        job.model = row.model;
        job.gradients = GradientFormat::FP16;
        job.parallelism.written = true;
        job.parallelism.tensor = row.tensor;
        job.parallelism.pipeline = row.pipeline;
        job.parallelism.microBatch = row.microBatch;
        job.parallelism.scatterGather = false;
        std::vector<ProgramFault> faults;
        const auto program =
            TrainingProgramBuilder::Build(job, 2 * row.tensor * row.pipeline, faults);
        ASSERT_TRUE(program);
        double gradients = 0;
        std::set<uint64_t> messages;
        for (uint32_t stage = 0; stage < row.pipeline; stage++)
        {
            // Half of what is reduced by two replicas is sent twice.
            for (const ProgramStep& step : program->programs[stage].steps)
            {
                const uint32_t rank = 2 * row.tensor * stage;
                const bool data =
                    !step.compute && step.operation == CollectiveOperation::ALL_REDUCE &&
                    program->communicators[program->GetCommunicator(rank, step.communicator)]
                            .ranks == std::vector<uint32_t>{rank, rank + row.tensor};
                gradients += data ? step.bytes : 0;
                if (!step.compute && step.operation == CollectiveOperation::SEND_RECEIVE)
                {
                    messages.insert(step.bytes);
                }
            }
        }
        // The last stage has a copy of the embedding's weights, at most 1.4 % here.
        EXPECT_NEAR(gradients / 1e9 / row.pipeline / row.gigabytes, 1, 0.015) << row.model;
        EXPECT_EQ(messages.size(), row.pipeline > 1 ? 1u : 0u);
        EXPECT_NEAR(messages.empty() ? 0 : *messages.begin() / 1e6, row.megabytes, 0.05);
    }
}

TEST(ParallelismKeysTest, FaultsNameTheKey)
{
    const auto getFault = [](const std::function<void(JobSpec&)>& change, uint32_t gpus = 16) {
        JobSpec job;
        job.name = "job";
        job.model = "gpt2-small";
        job.parallelism.written = true;
        change(job);
        std::vector<ProgramFault> faults;
        EXPECT_FALSE(TrainingProgramBuilder::Build(job, gpus, faults));
        return faults.size() == 1 ? faults[0].key + ": " + faults[0].what
                                  : std::to_string(faults.size()) + " faults";
    };
    EXPECT_EQ(getFault([](JobSpec& job) { job.parallelism.tensor = 3; }),
              "parallelism.tensor: 16 GPUs cannot be divided into replicas of tensor 3 x "
              "pipeline 1");
    EXPECT_EQ(getFault([](JobSpec& job) { job.parallelism.data = 3; }),
              "parallelism.data: tensor 1 x pipeline 1 x data 3 make 3, the job has 16 GPUs");
    EXPECT_EQ(getFault([](JobSpec& job) { job.parallelism.tensor = 8; }),
              "parallelism.tensor: 12 attention heads cannot be shared evenly by 8 GPUs");
    EXPECT_EQ(getFault([](JobSpec& job) { job.parallelism.pipeline = 8; }),
              "parallelism.pipeline: 12 layers cannot be divided evenly into 8 parts");
    EXPECT_EQ(getFault([](JobSpec& job) { job.parallelism.interleave = 2; }),
              "parallelism.interleave: goes with pipeline only");
    EXPECT_EQ(getFault([](JobSpec& job) {
                  job.parallelism.pipeline = 2;
                  job.parallelism.interleave = 2;
                  job.parallelism.microbatches = 3;
              }),
              "parallelism.microbatches: must be a multiple of pipeline, 2, with interleave");
    EXPECT_EQ(getFault([](JobSpec& job) { job.parallelism.expert = 2; }),
              "parallelism.expert: gpt2-small has no experts");
    EXPECT_EQ(getFault([](JobSpec& job) {
                  job.model = "mixtral-8x7b";
                  job.parallelism.expert = 3;
              }),
              "parallelism.expert: 8 experts cannot be spread evenly over 3 GPUs");
    EXPECT_EQ(getFault([](JobSpec& job) {
                  job.parallelism.pipeline = 4;
                  job.parallelism.zero = 2;
              }),
              "parallelism.zero: 2 and 3 do not go with pipeline: gradients would be sent too "
              "often");
    EXPECT_EQ(getFault([](JobSpec& job) {
                  job.model = "vgg-16";
                  job.parallelism.tensor = 2;
              }),
              "parallelism.tensor: vgg-16 has no transformer layers to share");
    EXPECT_EQ(getFault([](JobSpec& job) {
                  job.parallelism.tensor = 4;
                  job.batchPerGpu = 8;
              }),
              "batch-per-gpu: is of one GPU, but 4 GPUs share a replica: write "
              "parallelism.micro-batch");
    EXPECT_EQ(getFault([](JobSpec& job) {
                  job.parallelism.microbatches = 3;
                  job.batchPerGpu = 8;
              }),
              "batch-per-gpu: 8 samples cannot be divided into 3 microbatches of equal size");
    EXPECT_EQ(getFault([](JobSpec& job) {
                  job.parallelism.tensor = 2;
                  job.parameterServers = 2;
              }),
              "parameter-servers: goes with plain data parallelism only");
    EXPECT_EQ(getFault([](JobSpec& job) { job.parameterServers = 17; }),
              "parameter-servers: is 17, but the job has 16 GPUs");
    EXPECT_EQ(getFault([](JobSpec& job) { job.barrier = false; }),
              "barrier: false goes with data parallelism and all-reduces only");
}
