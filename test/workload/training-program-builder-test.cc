/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/workload/program/training-program-builder.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

JobSpec
MakeBert()
{
    JobSpec job;
    job.name = "bert";
    job.model = "bert-large";
    job.batchPerGpu = 32;
    job.gradients = GradientFormat::FP16;
    return job;
}

IterationProgram
Build(const JobSpec& job, uint32_t gpus)
{
    std::vector<ProgramFault> faults;
    const std::optional<IterationProgram> program =
        TrainingProgramBuilder::Build(job, gpus, faults);
    EXPECT_TRUE(program) << (faults.empty() ? "" : faults[0].what);
    EXPECT_TRUE(!program || program->Validate().empty());
    return program.value_or(IterationProgram());
}

std::string
GetFault(const JobSpec& job, uint32_t gpus = 8)
{
    std::vector<ProgramFault> faults;
    EXPECT_FALSE(TrainingProgramBuilder::Build(job, gpus, faults));
    return faults.size() == 1 ? faults[0].key + ": " + faults[0].what
                              : std::to_string(faults.size()) + " faults";
}

/// Sum of the bytes of the all-reduces of a rank.
uint64_t
GetReducedBytes(const IterationProgram& program)
{
    uint64_t sum = 0;
    for (const ProgramStep& step : program.programs[0].steps)
    {
        sum += step.compute ? 0 : step.bytes;
    }
    return sum;
}

/// "forward 30 <-3; ..." with carried dependencies as <-.
std::string
Describe(const RankProgram& program)
{
    std::string text;
    for (const ProgramStep& step : program.steps)
    {
        text += step.label + " " +
                std::to_string(step.compute ? step.durationPs : static_cast<int64_t>(step.bytes));
        for (const StepDependency& dependency : step.dependencies)
        {
            text += (dependency.carry ? " <-" : " -") + std::to_string(dependency.step);
        }
        text += "; ";
    }
    return text;
}

} // namespace

TEST(TrainingProgramBuilderTest, BucketsAreFilledFromTheLastLayer)
{
    const std::vector<ModelLayer> layers =
        {{"a", 0, 7}, {"b", 10, 1}, {"c", 20, 1}, {"d", 5, 1}, {"e", 5, 1}, {"f", 0, 3}};
    const auto buckets = TrainingProgramBuilder::FillBuckets(layers, 4, 40, 40);
    // From the end: f 0 + e 20 + d 20 = 40 B closes; c 80 B; b 40 B; a has none.
    ASSERT_EQ(buckets.size(), 4u);
    EXPECT_EQ(buckets[0].firstLayer, 3u);
    EXPECT_EQ(buckets[0].lastLayer, 5u);
    EXPECT_EQ(buckets[0].bytes, 40u);
    EXPECT_EQ(buckets[1].bytes, 80u);
    EXPECT_EQ(buckets[2].bytes, 40u);
    EXPECT_EQ(buckets[3].firstLayer, 0u);
    EXPECT_EQ(buckets[3].bytes, 0u);
}

// PyTorch: the first bucket, which the first gradients fill, is closed by 1 MiB.
TEST(TrainingProgramBuilderTest, TheFirstBucketIsSmall)
{
    const std::vector<ModelLayer> layers = {{"a", 30, 1}, {"b", 10, 1}, {"c", 10, 1}, {"d", 5, 1}};
    const auto buckets = TrainingProgramBuilder::FillBuckets(layers, 4, 20, 80);
    ASSERT_EQ(buckets.size(), 3u);
    EXPECT_EQ(buckets[0].firstLayer, 3u);
    EXPECT_EQ(buckets[0].bytes, 20u);
    EXPECT_EQ(buckets[1].firstLayer, 1u);
    EXPECT_EQ(buckets[1].bytes, 80u);
    JobSpec job;
    EXPECT_EQ(job.bucket.Get(), 26'214'400u);
    EXPECT_EQ(job.GetFirstBucket().Get(), 1'048'576u);
    job.bucket = ByteSize(25'000'000);
    EXPECT_EQ(job.GetFirstBucket().Get(), 25'000'000u);
    job.firstBucket = ByteSize(5);
    EXPECT_EQ(job.GetFirstBucket().Get(), 5u);
}

TEST(TrainingProgramBuilderTest, SequenceOfOneAllReduce)
{
    JobSpec job;
    job.name = "gpt";
    job.model = "gpt3-24l-1024h";
    job.batchPerGpu = 2;
    job.compute = MilliSeconds(127);
    job.overlap = GradientOverlap::NONE;
    job.channels = 4;
    const IterationProgram program = Build(job, 32);
    // A third of 127 ms; 356.8 M parameters of 4 B.
    EXPECT_EQ(Describe(program.programs[0]),
              "forward 42333333333 <-2; backward 84666666667; all-reduce " +
                  std::to_string(program.gradientBytes) + " -1; ");
    EXPECT_NEAR(program.gradientBytes / 1e9, 4 * 0.3568, 0.0002);
    EXPECT_EQ(program.GetComputePs(31), 127'000'000'000);
    EXPECT_EQ(program.communicators[0].channels, 4u);
    EXPECT_EQ(program.communicators[0].ranks.size(), 32u);
    std::string error;
    const double macs = ModelProfile::Make(job.model, 0, error)->GetForwardMacs();
    EXPECT_DOUBLE_EQ(program.flopPerIteration, 6 * macs * 2 * 32);
}

TEST(TrainingProgramBuilderTest, OverlappedBuckets)
{
    JobSpec job = MakeBert();
    job.bucket = ByteSize(25'000'000);
    const IterationProgram program = Build(job, 8);
    EXPECT_EQ(program.GetComputePs(0), 152'000'000'000);
    EXPECT_EQ(GetReducedBytes(program), program.gradientBytes);
    // 2 B x (31,782,912 + 24 x (4,200,448 + 8,395,776))
    EXPECT_EQ(program.gradientBytes, 2u * 334'092'288);
    // Layers of 8.4 + 16.8 MB: a bucket of at least 25 MB is a layer pair of 25.2 MB, or three
    // halves: from the end mlp + attn = 16.79 + 8.40 = 25.19 MB. So 24 buckets, and the embedding.
    uint32_t reductions = 0;
    uint32_t computes = 0;
    for (const ProgramStep& step : program.programs[0].steps)
    {
        (step.compute ? computes : reductions)++;
    }
    EXPECT_EQ(reductions, 25u);
    // The forward pass and a backward step for each bucket but the embedding's, whose backward
    // pass takes no time.
    EXPECT_EQ(computes, 1u + 24u);
    const std::vector<ProgramStep>& steps = program.programs[0].steps;
    EXPECT_EQ(steps[0].label, "forward");
    EXPECT_EQ(steps[0].dependencies.size(), 25u);
    EXPECT_TRUE(steps[0].dependencies[0].carry);
    EXPECT_EQ(steps[1].label, "backward 0");
    EXPECT_EQ(steps[2].label, "all-reduce bucket 0");
    EXPECT_EQ(steps[2].dependencies[0].step, 1u);
    EXPECT_EQ(steps.back().label, "all-reduce bucket 24");
    EXPECT_EQ(steps.back().bytes, 2u * 31'782'912);
}

// Layers of 16.8 (mlp) and 8.4 MB: the last layer alone fills the first bucket of DDP, then two and
// more layers each of the others.
TEST(TrainingProgramBuilderTest, ByDefaultTheLastLayerIsReducedAlone)
{
    const IterationProgram program = Build(MakeBert(), 8);
    std::vector<uint64_t> reductions;
    for (const ProgramStep& step : program.programs[0].steps)
    {
        if (!step.compute)
        {
            reductions.push_back(step.bytes);
        }
    }
    ASSERT_GT(reductions.size(), 2u);
    EXPECT_EQ(reductions[0], 2u * 8'395'776);
    EXPECT_GE(reductions[1], 26'214'400u);
}

TEST(TrainingProgramBuilderTest, WithoutBarrierForwardWaitsBucketByBucket)
{
    JobSpec job = MakeBert();
    job.barrier = false;
    job.bucket = ByteSize(300'000'000);
    const IterationProgram program = Build(job, 8);
    EXPECT_EQ(program.GetComputePs(0), 152'000'000'000);
    const std::vector<ProgramStep>& steps = program.programs[0].steps;
    // From the end: 12 layer pairs of 25.19 MB reach 302 MB; 12 more; the embedding. Forward: the
    // embedding takes no time, so the first half waits for buckets 2 and 1, the second for 0.
    ASSERT_EQ(steps.size(), 2u + 2u + 3u);
    EXPECT_EQ(steps[0].label, "forward 1");
    ASSERT_EQ(steps[0].dependencies.size(), 2u);
    EXPECT_EQ(steps[steps[0].dependencies[0].step].label, "all-reduce bucket 2");
    EXPECT_EQ(steps[steps[0].dependencies[1].step].label, "all-reduce bucket 1");
    EXPECT_EQ(steps[1].label, "forward 0");
    ASSERT_EQ(steps[1].dependencies.size(), 1u);
    EXPECT_EQ(steps[steps[1].dependencies[0].step].label, "all-reduce bucket 0");
    EXPECT_EQ(steps[0].durationPs + steps[1].durationPs, 152'000'000'000 / 3);
}

TEST(TrainingProgramBuilderTest, BucketsAreReadyWhenTheirLayersAre)
{
    JobSpec job;
    job.name = "resnet";
    job.model = "resnet-50";
    job.batchPerGpu = 256;
    const IterationProgram program = Build(job, 8);
    std::string error;
    const ModelProfile profile = *ModelProfile::Make("resnet-50", 0, error);
    const auto buckets = TrainingProgramBuilder::FillBuckets(profile.layers, 4, 1 << 20, 25 << 20);
    // Backward time up to the end of each bucket, from the MACs of its layers.
    const int64_t backwardPs = 103'600'000'000 - 103'600'000'000 / 3;
    int64_t now = 0;
    double macs = 0;
    uint32_t bucket = 0;
    for (const ProgramStep& step : program.programs[0].steps)
    {
        if (step.compute)
        {
            now += step.label == "forward" ? 0 : step.durationPs;
            continue;
        }
        for (uint32_t l = buckets[bucket].firstLayer; l <= buckets[bucket].lastLayer; l++)
        {
            macs += profile.layers[l].forwardMacs;
        }
        // Rounded down to a picosecond.
        EXPECT_NEAR(now, backwardPs * (macs / profile.GetForwardMacs()), 1.5) << bucket;
        EXPECT_EQ(step.bytes, buckets[bucket].bytes);
        bucket++;
    }
    EXPECT_EQ(bucket, buckets.size());
    EXPECT_EQ(now, backwardPs);
}

TEST(TrainingProgramBuilderTest, ScaleDividesComputeBytesAndWorkAlike)
{
    JobSpec job = MakeBert();
    const IterationProgram full = Build(job, 8);
    job.scale.numerator = 1;
    job.scale.denominator = 7;
    const IterationProgram part = Build(job, 8);
    EXPECT_EQ(part.programs[0].steps.size(), full.programs[0].steps.size());
    EXPECT_EQ(part.GetComputePs(0), 152'000'000'000 / 7);
    EXPECT_EQ(part.gradientBytes, full.gradientBytes / 7);
    EXPECT_EQ(GetReducedBytes(part), part.gradientBytes);
    EXPECT_DOUBLE_EQ(part.flopPerIteration, full.flopPerIteration / 7);
}

TEST(TrainingProgramBuilderTest, ExplicitStepsRunOneAfterTheOther)
{
    JobSpec job;
    job.name = "custom";
    job.iteration = {{ProgramStepKind::COMPUTE, PicoSeconds(30), ByteSize(0), {}},
                     {ProgramStepKind::REDUCE_SCATTER, PicoSeconds(0), ByteSize(1000), {}},
                     {ProgramStepKind::ALL_GATHER, PicoSeconds(0), ByteSize(1000), {}},
                     {ProgramStepKind::COMPUTE, PicoSeconds(20), ByteSize(0), {}},
                     {ProgramStepKind::ALL_REDUCE, PicoSeconds(0), ByteSize(64), {}}};
    job.flopPerIteration = 1e9;
    IterationProgram program = Build(job, 4);
    EXPECT_EQ(Describe(program.programs[0]),
              "compute 0 30 <-4; reduce-scatter 1 1000 -0; all-gather 2 1000 -1; compute 3 20 -2; "
              "all-reduce 4 64 -3; ");
    EXPECT_EQ(program.programs[0].steps[1].operation, CollectiveOperation::REDUCE_SCATTER);
    EXPECT_EQ(program.flopPerIteration, 1e9);
    EXPECT_EQ(program.gradientBytes, 64u);
    // 30 + 20 at 1/3: floor(30/3), then floor(50/3) - 10.
    job.scale.denominator = 3;
    program = Build(job, 4);
    EXPECT_EQ(program.programs[0].steps[0].durationPs, 10);
    EXPECT_EQ(program.programs[0].steps[3].durationPs, 6);
    EXPECT_EQ(program.GetComputePs(0), 50 / 3);
}

TEST(TrainingProgramBuilderTest, AnIterationWithoutComputeGetsAStart)
{
    JobSpec job;
    job.name = "custom";
    job.iteration = {{ProgramStepKind::ALL_REDUCE, PicoSeconds(0), ByteSize(64), {}}};
    EXPECT_EQ(Describe(Build(job, 4).programs[0]), "start 0 <-1; all-reduce 1 64 -0; ");
    EXPECT_EQ(GetFault(job, 1), "iteration: an iteration takes no time");
}

TEST(TrainingProgramBuilderTest, FaultsNameTheKey)
{
    JobSpec job = MakeBert();
    job.model = "bert";
    EXPECT_EQ(GetFault(job).find("model: unknown model \"bert\", did you mean \"bert-"), 0u);
    job = MakeBert();
    job.sequence = 1024;
    EXPECT_EQ(GetFault(job), "sequence: bert-large has sequences of at most 512 tokens");
    job = MakeBert();
    job.batchPerGpu = 0;
    EXPECT_EQ(GetFault(job), "batch-per-gpu: the batch of a GPU must be positive");
    job = MakeBert();
    job.precision = Precision::TF32;
    job.gpuType = GpuType::V100;
    EXPECT_EQ(GetFault(job), "precision: V100 cannot do tf32");
    job = MakeBert();
    job.iteration = {{ProgramStepKind::COMPUTE, PicoSeconds(1), ByteSize(0), {}}};
    EXPECT_EQ(GetFault(job), "iteration: a job has either a model or an iteration");
    job.model.clear();
    job.iteration = {{ProgramStepKind::COMPUTE, PicoSeconds(1), ByteSize(0), {}},
                     {ProgramStepKind::BROADCAST, PicoSeconds(0), ByteSize(1), {}, 8}};
    EXPECT_EQ(GetFault(job), "iteration[1]: there is no rank 8: the job has ranks 0 to 7");
    job.iteration = {{ProgramStepKind::SEND, PicoSeconds(0), ByteSize(1), {}, 2, 9}};
    EXPECT_EQ(GetFault(job), "iteration[0]: there is no rank 9: the job has ranks 0 to 7");
    job.iteration = {{ProgramStepKind::SEND, PicoSeconds(0), ByteSize(1), {}, 2, 2}};
    EXPECT_EQ(GetFault(job), "iteration[0]: rank 2 cannot send to itself");
}

TEST(TrainingProgramBuilderTest, MessagesConcernTwoRanks)
{
    JobSpec job;
    job.name = "custom";
    job.iteration = {{ProgramStepKind::COMPUTE, PicoSeconds(5), ByteSize(0), {}},
                     {ProgramStepKind::ALL_TO_ALL, PicoSeconds(0), ByteSize(400), {}},
                     {ProgramStepKind::SEND, PicoSeconds(0), ByteSize(70), {}, 1, 3},
                     {ProgramStepKind::BROADCAST, PicoSeconds(0), ByteSize(90), {}, 2}};
    const IterationProgram program = Build(job, 4);
    // Ranks 0 and 2 share a program without the message.
    EXPECT_EQ(program.rankProgram, (std::vector<uint32_t>{0, 1, 0, 2}));
    EXPECT_EQ(Describe(program.programs[0]),
              "compute 0 5 <-2; all-to-all 1 400 -0; broadcast 3 90 -1; ");
    for (uint32_t rank : {1, 3})
    {
        EXPECT_EQ(Describe(program.GetRankProgram(rank)),
                  "compute 0 5 <-3; all-to-all 1 400 -0; send 2 70 -1; broadcast 3 90 -2; ");
        const ProgramStep& send = program.GetRankProgram(rank).steps[2];
        const uint32_t communicator = program.GetCommunicator(rank, send.communicator);
        EXPECT_EQ(program.communicators[communicator].ranks, (std::vector<uint32_t>{1, 3}));
        EXPECT_EQ(send.root, 0u);
    }
    EXPECT_EQ(program.programs[0].steps[2].root, 2u);
    EXPECT_EQ(program.communicators[program.GetCommunicator(0, 1)].algorithm, "Pairwise");
}
