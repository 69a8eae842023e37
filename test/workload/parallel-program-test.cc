/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/workload/program/parallel-program-builder.h"
#include "../fixture/workload-job-fixture.h"

#include <map>
#include <random>
#include <set>

using namespace ns3;

namespace
{

constexpr uint64_t HIDDEN = 960;        ///< elements of a sample's activations
constexpr uint64_t PARAMETERS = 24'000; ///< of half a block

/// Identical blocks and nothing else, so that stages are equal; experts in every second half.
ModelProfile
MakeBlocks(uint32_t blocks, uint32_t experts = 0)
{
    ModelProfile profile;
    profile.name = "blocks";
    profile.blocks = blocks;
    profile.heads = 24;
    profile.experts = experts;
    for (uint32_t block = 0; block < blocks; block++)
    {
        ModelLayer layer;
        layer.parameters = PARAMETERS;
        layer.forwardMacs = 1000;
        layer.kind = LayerKind::ATTENTION;
        layer.block = static_cast<int32_t>(block);
        layer.activation = HIDDEN;
        profile.layers.push_back(layer);
        layer.kind = experts > 0 ? LayerKind::EXPERTS : LayerKind::FEED_FORWARD;
        layer.expertParameters = experts * PARAMETERS;
        layer.parameters += layer.expertParameters;
        layer.exchanged = experts > 0 ? 2 * HIDDEN : 0;
        profile.layers.push_back(layer);
    }
    return profile;
}

ParallelTraining
MakeTraining(const ModelProfile& profile, const ParallelLayout& layout, uint64_t layerPs = US)
{
    ParallelTraining training;
    training.profile = &profile;
    training.layout = layout;
    training.firstBucketBytes = training.bucketBytes = 400'000;
    training.forwardPs.assign(profile.layers.size(), layerPs);
    training.backwardPs.assign(profile.layers.size(), 2 * layerPs);
    return training;
}

/// Bytes that a rank sends for an operation in an iteration, by the operation's formula [byte]: 2
/// (n-1)/n S, (n-1)/n S or S, on the sender's side only.
double
GetSentBytes(const IterationProgram& program, uint32_t rank, CollectiveOperation operation)
{
    double sum = 0;
    for (const ProgramStep& step : program.GetRankProgram(rank).steps)
    {
        if (step.compute || step.operation != operation)
        {
            continue;
        }
        const std::vector<uint32_t>& ranks =
            program.communicators[program.GetCommunicator(rank, step.communicator)].ranks;
        const double n = static_cast<double>(ranks.size());
        switch (operation)
        {
        case CollectiveOperation::ALL_REDUCE:
            sum += 2 * (n - 1) / n * step.bytes;
            break;
        case CollectiveOperation::SEND_RECEIVE:
            sum += ranks[step.root] == rank ? step.bytes : 0;
            break;
        default:
            sum += (n - 1) / n * step.bytes;
            break;
        }
    }
    return sum;
}

class ParallelProgramTest : public TrainingJobFixture
{
  protected:
    /// End of a job of so many iterations, each GPU on a host of its own, with free transfers.
    int64_t RunFree(const IterationProgram& program, uint64_t iterations)
    {
        m_topology = ClusterTopology();
        m_network.lines.clear();
        m_network.psPerByte = 0;
        m_spans.clear();
        m_iterations.clear();
        MakeCluster(program.ranks, 1, 1);
        Run(MakeSpec(iterations), program);
        const int64_t end = m_finishedPs;
        ExpectTiled(program.ranks, 0, end);
        TearDown();
        return end;
    }

    /// Time of an iteration.
    int64_t GetPeriod(const IterationProgram& program)
    {
        return RunFree(program, 3) - RunFree(program, 2);
    }
};

} // namespace

TEST_F(ParallelProgramTest, BubbleOfOneForwardOneBackward)
{
    struct Case
    {
        uint32_t stages;
        uint32_t microbatches;
    };

    for (const Case& c : {Case{4, 8}, Case{8, 32}, Case{16, 96}, Case{1, 3}, Case{2, 1}})
    {
        const ModelProfile profile = MakeBlocks(c.stages);
        ParallelTraining training = MakeTraining(profile, {1, 1, c.stages});
        training.microbatches = c.microbatches;
        // 2 layers of (1 + 2) us a stage. (p-1)/m more: 4/8 1.375, 8/32 1.21875, 16/96 1.15625.
        const int64_t pass = 6 * US;
        EXPECT_EQ(GetPeriod(ParallelProgramBuilder::Assemble(training, 0)),
                  (c.microbatches + c.stages - 1) * pass)
            << c.stages << " " << c.microbatches;
    }
}

TEST_F(ParallelProgramTest, InterleavingDividesTheBubble)
{
    struct Case
    {
        uint32_t stages;
        uint32_t microbatches;
        uint32_t chunks;
    };

    for (const Case& c : {Case{4, 8, 2}, Case{2, 4, 3}, Case{4, 4, 2}, Case{3, 9, 4}})
    {
        const ModelProfile profile = MakeBlocks(c.stages * c.chunks);
        ParallelTraining training = MakeTraining(profile, {1, 1, c.stages});
        training.microbatches = c.microbatches;
        training.chunks = c.chunks;
        // A chunk takes 6 us; the bubble is that of p - 1 chunks: (p-1)/(v m) of m v chunks.
        EXPECT_EQ(GetPeriod(ParallelProgramBuilder::Assemble(training, 0)),
                  (c.microbatches * c.chunks + c.stages - 1) * 6 * US)
            << c.stages << " " << c.microbatches << " " << c.chunks;
    }
}

TEST_F(ParallelProgramTest, TensorBytes)
{
    const ModelProfile profile = MakeBlocks(6);
    ParallelTraining training = MakeTraining(profile, {4, 1, 1});
    training.microbatches = 5;
    training.microBatch = 3;
    IterationProgram program = ParallelProgramBuilder::Assemble(training, 0);
    // 4 all-reduces of b s h x 2 B a block and microbatch.
    const double reduction = 2 * 3 / 4.0 * 3 * HIDDEN * 2;
    EXPECT_DOUBLE_EQ(GetSentBytes(program, 1, CollectiveOperation::ALL_REDUCE),
                     4 * 6 * 5 * reduction);
    // Recomputed, the two of the forward pass come again.
    training.recompute = true;
    program = ParallelProgramBuilder::Assemble(training, 0);
    EXPECT_DOUBLE_EQ(GetSentBytes(program, 1, CollectiveOperation::ALL_REDUCE),
                     6 * 6 * 5 * reduction);
    EXPECT_EQ(program.GetComputePs(0), 5 * 12 * 4 * US);
}

TEST_F(ParallelProgramTest, EmbeddingAndHeadAreReducedOnce)
{
    std::string error;
    const ModelProfile profile = *ModelProfile::Make("gpt2-small", 0, error);
    ParallelTraining training = MakeTraining(profile, {4, 1, 1});
    const double reduction = 2 * 3 / 4.0 * 1024 * 768 * 2;
    EXPECT_DOUBLE_EQ(GetSentBytes(ParallelProgramBuilder::Assemble(training, 0),
                                  3,
                                  CollectiveOperation::ALL_REDUCE),
                     (4 * 12 + 2) * reduction);
}

TEST_F(ParallelProgramTest, PipelineBytes)
{
    const ModelProfile profile = MakeBlocks(4);
    ParallelTraining training = MakeTraining(profile, {2, 1, 4});
    training.microbatches = 5;
    training.scatterGather = false;
    for (const bool parts : {false, true})
    {
        training.scatterGather = parts;
        const IterationProgram program = ParallelProgramBuilder::Assemble(training, 0);
        // A boundary and microbatch: s h x 2 B, of each of the 2 GPUs, or half.
        const double message = HIDDEN * 2 / (parts ? 2 : 1);
        const auto getSent = [&program](uint32_t stage) {
            return GetSentBytes(program, 2 * stage, CollectiveOperation::SEND_RECEIVE);
        };
        EXPECT_DOUBLE_EQ(getSent(0), 5 * message);
        EXPECT_DOUBLE_EQ(getSent(1), 10 * message);
        EXPECT_DOUBLE_EQ(getSent(2), 10 * message);
        EXPECT_DOUBLE_EQ(getSent(3), 5 * message);
        // What was received in parts is gathered.
        EXPECT_DOUBLE_EQ(GetSentBytes(program, 2, CollectiveOperation::ALL_GATHER),
                         parts ? 10 * HIDDEN * 2 / 2 : 0);
    }
}

TEST_F(ParallelProgramTest, DataAndZeroBytes)
{
    const ModelProfile profile = MakeBlocks(6);
    const double parameters = 12 * PARAMETERS;
    ParallelTraining training = MakeTraining(profile, {1, 4, 1});
    training.microbatches = 3;
    for (const bool overlap : {true, false})
    {
        training.overlap = overlap;
        training.zero = 0;
        IterationProgram program = ParallelProgramBuilder::Assemble(training, 0);
        const auto getSent = [&program](CollectiveOperation operation) {
            return GetSentBytes(program, 2, operation);
        };
        // fp32 gradients, fp16 parameters; (d-1)/d of them, twice in an all-reduce.
        EXPECT_DOUBLE_EQ(getSent(CollectiveOperation::ALL_REDUCE), 2 * 0.75 * 4 * parameters);
        EXPECT_EQ(program.gradientBytes, 4 * parameters);
        training.zero = 1;
        program = ParallelProgramBuilder::Assemble(training, 0);
        EXPECT_DOUBLE_EQ(getSent(CollectiveOperation::REDUCE_SCATTER), 0.75 * 4 * parameters);
        EXPECT_DOUBLE_EQ(getSent(CollectiveOperation::ALL_GATHER), 0.75 * 2 * parameters);
        training.zero = 2;
        program = ParallelProgramBuilder::Assemble(training, 0);
        EXPECT_DOUBLE_EQ(getSent(CollectiveOperation::REDUCE_SCATTER), 3 * 0.75 * 4 * parameters);
        EXPECT_DOUBLE_EQ(getSent(CollectiveOperation::ALL_GATHER), 0.75 * 2 * parameters);
        training.zero = 3;
        program = ParallelProgramBuilder::Assemble(training, 0);
        EXPECT_DOUBLE_EQ(getSent(CollectiveOperation::REDUCE_SCATTER), 3 * 0.75 * 4 * parameters);
        EXPECT_DOUBLE_EQ(getSent(CollectiveOperation::ALL_GATHER), 3 * 2 * 0.75 * 2 * parameters);
        EXPECT_DOUBLE_EQ(getSent(CollectiveOperation::ALL_REDUCE), 0);
    }
}

TEST_F(ParallelProgramTest, ZeroGathersABlockAhead)
{
    const ModelProfile profile = MakeBlocks(2);
    ParallelTraining training = MakeTraining(profile, {1, 2, 1});
    training.zero = 3;
    const IterationProgram program = ParallelProgramBuilder::Assemble(training, 0);
    std::string text;
    for (const ProgramStep& step : program.programs[0].steps)
    {
        text += step.label + ":";
        for (const StepDependency& dependency : step.dependencies)
        {
            text += (dependency.carry ? " <-" : " ") + std::to_string(dependency.step);
        }
        text += "; ";
    }
    // Gathers of both blocks; each is computed when its own are there, while the other comes.
    // The first of an iteration wait for the last gather (6) and reduction (10) of the one before,
    // and its last compute (9).
    EXPECT_EQ(text,
              "all-gather: <-5 <-9 <-8; all-gather: <-5 <-9 <-8; forward: 0 <-5 <-9; forward: 1; "
              "all-gather: 3; all-gather: 3; backward: 4; reduce-scatter: 6; backward: 5; "
              "reduce-scatter: 8; ");
}

TEST_F(ParallelProgramTest, ExpertBytes)
{
    const ModelProfile profile = MakeBlocks(3, 8);
    ParallelTraining training = MakeTraining(profile, {1, 8, 1, 4});
    training.microbatches = 2;
    const IterationProgram program = ParallelProgramBuilder::Assemble(training, 0);
    // 2 + 2 all-to-alls a block and microbatch: (e-1)/e of 2 experts' s h x 2 B.
    EXPECT_DOUBLE_EQ(GetSentBytes(program, 5, CollectiveOperation::ALL_TO_ALL),
                     4 * 3 * 2 * 0.75 * 2 * HIDDEN * 2);
    // 8/4 experts a GPU, reduced by 2; the rest by 8. 24,000 parameters each, 2 halves a block.
    EXPECT_DOUBLE_EQ(GetSentBytes(program, 5, CollectiveOperation::ALL_REDUCE),
                     4.0 * PARAMETERS * 3 * (2 * 7 / 8.0 * 2 + 2 * 1 / 2.0 * 2));
}

TEST_F(ParallelProgramTest, TablesAreExchangedBesideTheBottom)
{
    std::string error;
    const ModelProfile profile = *ModelProfile::Make("dlrm-criteo", 0, error);
    ParallelTraining training = MakeTraining(profile, {1, 4, 1});
    training.microBatch = 100;
    const IterationProgram program = ParallelProgramBuilder::Assemble(training, 0);
    // Forward and backward: batch x tables x dimension, fp16.
    EXPECT_DOUBLE_EQ(GetSentBytes(program, 0, CollectiveOperation::ALL_TO_ALL),
                     2 * 0.75 * 100 * 26 * 128 * 2);
    // Only the MLPs are reduced.
    EXPECT_EQ(program.gradientBytes, 4 * (profile.GetParameters() - profile.layers[0].parameters));
    // Lookup, exchange, bottom (3 layers of 1 us), then what needs both.
    const std::vector<ProgramStep>& steps = program.programs[0].steps;
    EXPECT_EQ(steps[1].label, "all-to-all");
    EXPECT_EQ(steps[2].durationPs, 3 * US);
    EXPECT_TRUE(steps[2].dependencies.empty());
    EXPECT_EQ(steps[3].dependencies[0].step, 1u);
}

TEST_F(ParallelProgramTest, ParameterServers)
{
    const ModelProfile profile = MakeBlocks(2);
    ParallelTraining training = MakeTraining(profile, {1, 4, 1});
    training.parameterServers = 2;
    const IterationProgram program = ParallelProgramBuilder::Assemble(training, 0);
    uint64_t pushed = 0;
    uint64_t pulled = 0;
    std::set<uint32_t> roots;
    for (const ProgramStep& step : program.programs[0].steps)
    {
        pushed += !step.compute && step.operation == CollectiveOperation::REDUCE ? step.bytes : 0;
        pulled +=
            !step.compute && step.operation == CollectiveOperation::BROADCAST ? step.bytes : 0;
        if (!step.compute)
        {
            roots.insert(step.root);
        }
    }
    EXPECT_EQ(pushed, 4 * 4 * PARAMETERS);
    EXPECT_EQ(pulled, pushed);
    EXPECT_EQ(roots, (std::set<uint32_t>{0, 2}));
    // Every worker sends all but what its own server keeps, and a server sends to three.
    MakeCluster(4, 1, 1);
    Run(MakeSpec(1), program);
    for (const FakeNetwork::Line& line : m_network.lines)
    {
        const bool toServer = line.config.destinationGpu % 2 == 0;
        const bool fromServer = line.config.sourceGpu % 2 == 0;
        EXPECT_EQ(line.bytes, (toServer + fromServer) * pushed / 2);
    }
    EXPECT_EQ(m_network.lines.size(), 10u); // of 12, not between the two that are no servers
}

TEST_F(ParallelProgramTest, RandomInstancesRunToTheEnd)
{
    std::mt19937 random(1);
    const auto draw = [&random](std::initializer_list<uint32_t> values) {
        return values.begin()[random() % values.size()];
    };
    uint32_t runs = 0;
    while (runs < 60)
    {
        const uint32_t tensor = draw({1, 2, 3});
        const uint32_t pipeline = draw({1, 2, 3, 4});
        const uint32_t expert = draw({1, 2});
        const uint32_t data = expert * draw({1, 2});
        const uint32_t chunks = pipeline > 1 ? draw({1, 2}) : 1;
        const uint32_t microbatches = chunks > 1 ? pipeline * draw({1, 2}) : draw({1, 2, 5});
        if (tensor * data * pipeline > 24)
        {
            continue;
        }
        const ModelProfile profile = MakeBlocks(pipeline * chunks, expert > 1 ? 2 : 0);
        ParallelTraining training =
            MakeTraining(profile, {tensor, data, pipeline, expert, draw({0, 1}) == 1});
        training.microbatches = microbatches;
        training.chunks = chunks;
        training.scatterGather = draw({0, 1}) == 1;
        training.overlap = draw({0, 1}) == 1;
        training.recompute = draw({0, 1}) == 1;
        training.zero = data == 1 ? 0 : pipeline > 1 ? draw({0, 1}) : draw({0, 1, 2});
        training.firstBucketBytes = training.bucketBytes = draw({1, 400'000});
        // Tiny and empty messages, too.
        training.scale.denominator = static_cast<uint32_t>(draw({1, 1000, 100'000'000}));
        const IterationProgram program = ParallelProgramBuilder::Assemble(training, draw({0, 1}));
        ASSERT_EQ(program.Validate(), std::vector<std::string>{});
        m_topology = ClusterTopology();
        m_network.lines.clear();
        m_spans.clear();
        m_iterations.clear();
        m_finishedPs = -1;
        const uint32_t gpusPerHost = draw({1, 2, 4});
        MakeCluster((program.ranks + gpusPerHost - 1) / gpusPerHost,
                    gpusPerHost,
                    gpusPerHost == 4 ? 2 : 1);
        Run(MakeSpec(3), program);
        ASSERT_GT(m_finishedPs, 0) << tensor << " " << data << " " << pipeline << " " << expert;
        // The time of every GPU is split without gap, and its compute is the program's.
        ExpectTiled(program.ranks, 0, m_finishedPs);
        for (uint32_t rank = 0; rank < program.ranks; rank++)
        {
            EXPECT_EQ(Sum(rank, GpuTimeKind::COMPUTE), 3 * program.GetComputePs(rank));
        }
        // What was sent is what the program says.
        uint64_t sent = 0;
        for (const FakeNetwork::Line& line : m_network.lines)
        {
            sent += line.bytes;
        }
        EXPECT_EQ(sent, 3 * m_jobs.back()->GetTraffic().GetNetworkBytes());
        TearDown();
        runs++;
    }
}

TEST_F(ParallelProgramTest, AlgorithmOfTheJob)
{
    const ModelProfile profile = MakeBlocks(2, 2);
    const ParallelTraining training = MakeTraining(profile, {2, 2, 2, 2});
    const auto getAlgorithms = [&training](const std::string& name) {
        TypedBlock collective;
        collective.typeName = name;
        // By operation of the first step on each communicator.
        std::map<std::string, std::string> algorithms;
        const IterationProgram program = ParallelProgramBuilder::Assemble(training, 0, collective);
        for (const ProgramStep& step : program.programs[0].steps)
        {
            if (!step.compute)
            {
                algorithms[GetCollectiveOperationName(step.operation)] =
                    program.communicators[program.GetCommunicator(0, step.communicator)].algorithm;
            }
        }
        return algorithms;
    };
    using Algorithms = std::map<std::string, std::string>;
    EXPECT_EQ(getAlgorithms(""),
              (Algorithms{{"all-reduce", "Ring"},
                          {"all-gather", "Ring"},
                          {"all-to-all", "Pairwise"},
                          {"send-receive", "Ring"}}));
    // A tree cannot exchange all to all.
    EXPECT_EQ(getAlgorithms("Tree"),
              (Algorithms{{"all-reduce", "Tree"},
                          {"all-gather", "Tree"},
                          {"all-to-all", "Pairwise"},
                          {"send-receive", "Ring"}}));
    EXPECT_EQ(getAlgorithms("Direct"),
              (Algorithms{{"all-reduce", "Direct"},
                          {"all-gather", "Direct"},
                          {"all-to-all", "Direct"},
                          {"send-receive", "Ring"}}));
}
