/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/workload/program/tensor-program-builder.h"
#include "../fixture/byte-scheduler-example.h"
#include "../fixture/workload-job-fixture.h"

#include "ns3/counter-random.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace ns3;

namespace
{

/// A layer of a model: times of its passes, and the size of its gradient.
struct Layer
{
    int64_t forwardPs;
    int64_t backwardPs;
    uint64_t bytes;
};

/// The forward pass, then the backward pass, with an all-reduce of each gradient; a layer's forward
/// pass waits for its own, or with a barrier for all.
IterationProgram
MakeLayers(uint32_t ranks, const std::vector<Layer>& layers, bool tensors, bool barrier = false)
{
    const auto n = static_cast<uint32_t>(layers.size());
    std::vector<ProgramStep> steps;
    const auto reduction = [n](uint32_t layer) { return n + 2 * (n - 1 - layer) + 1; };
    for (uint32_t layer = 0; layer < n; layer++)
    {
        std::vector<StepDependency> waits{{reduction(layer), true}};
        for (uint32_t other = 1; barrier && layer == 0 && other < n; other++)
        {
            waits.push_back({reduction(other), true});
        }
        steps.push_back(Compute(layers[layer].forwardPs, waits));
    }
    for (uint32_t layer = n; layer-- > 0;)
    {
        steps.push_back(Compute(layers[layer].backwardPs));
        steps.push_back(AllReduce(0, layers[layer].bytes, {{reduction(layer) - 1, false}}));
        steps.back().tensor = tensors ? layer : ProgramStep::NO_TENSOR;
    }
    return MakeProgram(ranks, std::move(steps));
}

/// Of VGG-16 as a job of a scenario.
JobSpec
MakeModel(const std::string& model, int64_t computePs)
{
    JobSpec spec;
    spec.name = "job";
    spec.model = model;
    spec.compute = PicoSeconds(computePs);
    spec.iterations = 3;
    return spec;
}

TensorSchedule
Schedule(uint64_t partition, uint64_t credit, bool priority, int64_t latencyPs = 0)
{
    return {partition, credit, priority, latencyPs, 1};
}

class TensorExchangeTest : public TrainingJobFixture
{
  protected:
    /// Runs a program under a schedule from now on.
    Ptr<TrainingJob> RunTensors(const JobSpec& spec,
                                const IterationProgram& program,
                                const TensorSchedule& schedule)
    {
        m_spans.clear();
        m_iterations.clear();
        m_collectives.clear();
        m_startPs = Simulator::Now().GetTimeStep();
        Ptr<TrainingJob> job = MakeJob(spec, program);
        job->SetTensorSchedule(schedule);
        job->Start(m_startPs, m_startPs, m_startPs);
        Simulator::Run();
        EXPECT_EQ(job->GetStatus(), TrainingJob::Status::FINISHED);
        job->Release(Simulator::Now().GetTimeStep());
        return job;
    }

    /// From the start of GPU 0's first step of an iteration to that of the next one [ps].
    int64_t GetPeriod(uint64_t iteration, size_t steps) const
    {
        std::vector<int64_t> starts;
        size_t computes = 0;
        for (const SpanRecord& span : m_spans)
        {
            if (span.gpu == 0 && span.kind == GpuTimeKind::COMPUTE && computes++ % steps == 0)
            {
                starts.push_back(span.startPs);
            }
        }
        return starts.at(iteration + 1) - starts.at(iteration);
    }

    int64_t m_startPs{0};
};

/**
 * C17, ByteScheduler's example: three layers whose passes take 2 units each, gradients of 3, 6 and
 * 3 units for layers 2, 1 and 0; a worker and a server, one link each way.
 *
 * A pass takes 1 ps less than 2 units, so that gradients come just before pieces end.
 */
class ByteSchedulerExampleTest : public TensorExchangeTest
{
  protected:
    static constexpr uint64_t UNIT = 1000; ///< [byte]
    static constexpr int64_t UNIT_PS = 80 * UNIT;

    /// From the start of the backward pass to the end of the next forward pass.
    int64_t GetTime(const TensorSchedule& schedule)
    {
        MakeCluster(2, 1, 1);
        m_network.psPerByte = 80;
        const auto job =
            RunTensors(MakeSpec(4), MakeByteSchedulerExample(UNIT, 2 * UNIT_PS - 1), schedule);
        EXPECT_EQ(GetPeriod(1, 6), GetPeriod(2, 6));
        return GetPeriod(1, 6);
    }
};

} // namespace

// Whole tensors as they come: pushes end at 5, 11 and 14, pulls at 8, 17 and 20, and the three
// forward passes follow: 26 units. On the way 4 passes, b2 and all forward ones: 4 ps less.
TEST_F(ByteSchedulerExampleTest, TakesTwentySixUnitsInOrder)
{
    EXPECT_EQ(GetTime(TensorSchedule()), 26 * UNIT_PS - 4);
}

// Pieces of one unit, one posted at a time: pushes 2 2 1 1 0 0 0 1 1 1 1 2 from 2 to 14; layer 0
// is pulled at 10, layer 1 at 14, layer 2 at 15: forward passes end at 12, 16 and 18. On the way
// b2 and the last two passes: 3 ps less.
TEST_F(ByteSchedulerExampleTest, TakesEighteenUnitsByLayer)
{
    EXPECT_EQ(GetTime(Schedule(UNIT, UNIT, true)), 18 * UNIT_PS - 3);
    const std::vector<uint64_t> pushed = {2, 2, 1, 1, 0, 0, 0, 1, 1, 1, 1, 2};
    // Sizes of layers before them: pieces 0 to 2 of an iteration are of layer 2, 3 to 8 of layer 1.
    std::vector<uint64_t> layers;
    for (const CollectiveRecord& record : m_collectives)
    {
        if (record.iteration == 1 && record.operation == "reduce")
        {
            const uint64_t piece = record.collective % 12;
            layers.push_back(piece < 3 ? 2 : piece < 9 ? 1 : 0);
        }
    }
    EXPECT_EQ(layers, pushed);
}

// Only pieces: a pull follows its push by one unit. Pushes end at 14, the pull of layer 0 at 15:
// 15 + 6 = 21 units; 1 + 3 passes.
TEST_F(ByteSchedulerExampleTest, TakesTwentyOneUnitsInPieces)
{
    EXPECT_EQ(GetTime(Schedule(UNIT, UNIT, false)), 21 * UNIT_PS - 4);
}

// Only priority, whole tensors, one posted at a time: push 2 from 2 to 5, then 1 (ready at 4, as 0
// is at 6) to 11, then 0 to 14. Pulls end at 8, 17 and 20: no gain.
TEST_F(ByteSchedulerExampleTest, TakesTwentySixUnitsByLayerInWholeTensors)
{
    EXPECT_EQ(GetTime(Schedule(TensorSchedule::UNLIMITED, 1, true)), 26 * UNIT_PS - 4);
}

// Whole tensors without limit, as they come, are the plain run to the picosecond: all spans, all
// iterations, all collectives.
TEST_F(TensorExchangeTest, WithoutPartitionAndCreditItIsThePlainRun)
{
    MakeCluster(4, 1, 1);
    const std::vector<Layer> layers{{30 * US, 60 * US, 4'000'003},
                                    {50 * US, 100 * US, 1'000'001},
                                    {20 * US, 40 * US, 7}};
    const auto plain = Run(MakeSpec(4), MakeLayers(4, layers, false));
    const auto spans = m_spans;
    const auto iterations = m_iterations;
    const auto collectives = m_collectives;
    RunTensors(MakeSpec(4), MakeLayers(4, layers, true), TensorSchedule());
    ASSERT_EQ(m_spans.size(), spans.size());
    for (size_t i = 0; i < spans.size(); i++)
    {
        EXPECT_EQ(m_spans[i].gpu, spans[i].gpu);
        EXPECT_EQ(m_spans[i].kind, spans[i].kind);
        EXPECT_EQ(m_spans[i].startPs - m_startPs, spans[i].startPs);
        EXPECT_EQ(m_spans[i].endPs - m_startPs, spans[i].endPs);
    }
    ASSERT_EQ(m_iterations.size(), iterations.size());
    for (size_t i = 0; i < iterations.size(); i++)
    {
        EXPECT_EQ(m_iterations[i].endPs - m_startPs, iterations[i].endPs);
        EXPECT_EQ(m_iterations[i].exposedPs, iterations[i].exposedPs);
        EXPECT_EQ(m_iterations[i].bytes, iterations[i].bytes);
    }
    ASSERT_EQ(m_collectives.size(), collectives.size());
    for (size_t i = 0; i < collectives.size(); i++)
    {
        EXPECT_EQ(m_collectives[i].collective, collectives[i].collective);
        EXPECT_EQ(m_collectives[i].iteration, collectives[i].iteration);
        EXPECT_EQ(m_collectives[i].bytes, collectives[i].bytes);
        EXPECT_EQ(m_collectives[i].endPs - m_startPs, collectives[i].endPs);
    }
    const int64_t period = GetPeriod(1, 6);
    // The layer that is needed first is reduced last: the barrier costs nothing.
    m_spans.clear();
    m_startPs = Simulator::Now().GetTimeStep();
    Ptr<TrainingJob> barrier = MakeJob(MakeSpec(4), MakeLayers(4, layers, false, true));
    barrier->Start(m_startPs, m_startPs, m_startPs);
    Simulator::Run();
    EXPECT_EQ(GetPeriod(1, 6), period);
}

// Compute and communication of an iteration bound its time, whatever the order; nothing is lost,
// and at most the credit and a piece are posted.
TEST_F(TensorExchangeTest, RandomProgramsKeepTheirBytesAndBounds)
{
    MakeCluster(4, 1, 1);
    uint32_t better = 0;
    for (uint64_t seed = 0; seed < 100; seed++)
    {
        uint64_t draws = 0;
        const auto draw = [&](uint64_t low, uint64_t high) {
            return low + CounterRandom(seed, 7, draws++) % (high - low + 1);
        };
        const auto ranks = static_cast<uint32_t>(draw(2, 4));
        const bool servers = draw(0, 1) == 1;
        std::vector<Layer> layers(draw(1, 5));
        uint64_t bytes = 0;
        int64_t computePs = 0;
        uint64_t largest = 0;
        for (Layer& layer : layers)
        {
            layer = {static_cast<int64_t>(draw(1, 20)) * US,
                     static_cast<int64_t>(draw(1, 20)) * US,
                     draw(1, 50) * 12'000 + draw(0, 11)};
            bytes += layer.bytes;
            largest = std::max(largest, layer.bytes);
            computePs += layer.forwardPs + layer.backwardPs;
        }
        const uint64_t partition = draw(1, 10) * 12'000;
        const uint64_t credit = draw(1, 8) * 12'000;
        IterationProgram program = MakeLayers(ranks, layers, true);
        if (servers)
        {
            program = TensorProgramBuilder::UseServers(program,
                                                       static_cast<uint32_t>(draw(1, ranks)),
                                                       {draw(0, 1) == 1});
        }
        const auto streams = static_cast<uint32_t>(draw(1, 3));
        int64_t fifoPs = 0;
        for (const bool priority : {false, true})
        {
            const auto job =
                RunTensors(MakeSpec(4), program, {partition, credit, priority, US / 10, streams});
            std::map<std::pair<uint64_t, std::string>, uint64_t> sums;
            for (const CollectiveRecord& record : m_collectives)
            {
                sums[{record.iteration, record.operation}] += record.bytes;
                EXPECT_LE(record.bytes, partition);
            }
            EXPECT_EQ(sums.size(), servers ? 8u : 4u);
            for (const auto& [key, sum] : sums)
            {
                EXPECT_EQ(sum, bytes) << "seed " << seed << ", " << key.second;
            }
            EXPECT_LT(job->GetExchange()->GetMaxPostedBytes(),
                      credit + std::min(partition, largest));
            ExpectTiled(ranks, m_startPs, m_finishedPs);
            const int64_t period = GetPeriod(1, 2 * layers.size());
            EXPECT_GE(period, computePs);
            if (!servers)
            {
                // 2 (n - 1) / n S on each line; chunks are rounded to bytes, messages between
                // ranks take 0.1 us each way, and what is posted cannot be overtaken.
                const auto communicationPs =
                    static_cast<int64_t>(2 * (ranks - 1) * bytes / ranks) * 80;
                const int64_t slackPs =
                    static_cast<int64_t>(bytes / partition + 10) * 2 * (US / 10 + ranks * 80);
                EXPECT_GE(period, communicationPs - slackPs);
                EXPECT_LE(period, computePs + communicationPs + slackPs) << "seed " << seed;
            }
            better += priority && period < fifoPs ? 1 : 0;
            fifoPs = period;
        }
    }
    EXPECT_GT(better, 30u);
}

/**
 * schedulers.md, section 5: a ring of eight hosts. The gradient of a layer is on the line for
 * 2 x 7/8 of its bytes; in order it ends at max(ready, end before) + that. By layer, in small
 * pieces, the line serves what is nearest the input: the end is that of the last piece before each
 * layer.
 */
TEST_F(TensorExchangeTest, RingsOfEightInClosedForm)
{
    MakeCluster(8, 1, 1);

    struct Case
    {
        std::string model;
        int64_t computeUs;
        int64_t psPerByte; ///< 8e12 / rate
        double fifoMs;     ///< schedulers.md
        double priorityMs;
    };

    for (const Case& c : {Case{"vgg-16", 324'500, 320, 418.1, 324.5},
                          Case{"resnet-50", 154'600, 800, 194.7, 154.7}})
    {
        m_network.psPerByte = c.psPerByte;
        const JobSpec spec = MakeModel(c.model, c.computeUs * US);
        std::vector<ProgramFault> faults;
        const auto program = TensorProgramBuilder::Build(spec, 8, {}, faults);
        ASSERT_TRUE(program);
        // The recursion.
        int64_t nowPs = 0;
        int64_t linePs = 0;
        int64_t forwardPs = 0;
        bool backward = false;
        size_t computes = 0;
        for (const ProgramStep& step : program->programs[0].steps)
        {
            computes += step.compute ? 1 : 0;
            backward = backward || step.label.find("backward") != std::string::npos;
            nowPs += step.compute && backward ? step.durationPs : 0;
            forwardPs += step.compute && !backward ? step.durationPs : 0;
            linePs = step.compute ? linePs
                                  : std::max(linePs, nowPs) +
                                        static_cast<int64_t>(step.bytes) * 14 / 8 * c.psPerByte;
        }
        const double recursionMs = static_cast<double>(linePs + forwardPs) / 1e9;
        EXPECT_NEAR(recursionMs, c.fifoMs, 0.05) << c.model;
        RunTensors(spec, *program, TensorSchedule());
        EXPECT_NEAR(GetPeriod(1, computes) / 1e9, recursionMs, 0.01) << c.model;
        // Pieces of 1 MB, one ahead: what is posted cannot be overtaken, two pieces at most.
        RunTensors(spec, *program, Schedule(1'000'000, 1'000'001, true, US));
        const double pieceMs = 2 * 1e6 * 14 / 8 * static_cast<double>(c.psPerByte) / 1e9;
        EXPECT_GE(GetPeriod(1, computes) / 1e9, c.priorityMs - 0.05) << c.model;
        EXPECT_LE(GetPeriod(1, computes) / 1e9, c.priorityMs + pieceMs) << c.model;
    }
}

// Two pieces of 1 MB on two ranks: a step takes 40 us on the line and 10 us on the way. One after
// the other: 2 x 2 x 50 = 200 us. Two at a time: steps leave at 0, 40, 80 and 120 us, the last one
// arrives at 170.
TEST_F(TensorExchangeTest, StreamsHideLatency)
{
    MakeCluster(2, 1, 1);
    m_network.latencyPs = 10 * US;
    const IterationProgram program = MakeLayers(2, {{10 * US, 10 * US, 2'000'000}}, true);
    for (const uint32_t streams : {1u, 2u})
    {
        RunTensors(MakeSpec(2), program, {1'000'000, 2'000'000, true, 0, streams});
        EXPECT_EQ(GetPeriod(0, 2), (streams == 1 ? 220 : 190) * US);
        ASSERT_EQ(m_collectives.size(), 4u);
        EXPECT_EQ(m_collectives[1].endPs - m_collectives[0].endPs, (streams == 1 ? 100 : 40) * US);
    }
}

// There is nobody to send to.
TEST_F(TensorExchangeTest, ARankAloneOnlyComputes)
{
    MakeCluster(1, 1, 1);
    const std::vector<Layer> layers{{10 * US, 20 * US, 900'000}, {5 * US, 10 * US, 300'000}};
    const IterationProgram program = MakeLayers(1, layers, true);
    for (const IterationProgram& p :
         {program, TensorProgramBuilder::UseServers(program, 1, {true})})
    {
        for (const bool priority : {false, true})
        {
            RunTensors(MakeSpec(3), p, Schedule(100'000, 200'000, priority, US));
            EXPECT_EQ(m_finishedPs - m_startPs, 3 * 45 * US);
        }
    }
}

// The order of rank 0 reaches the others 2 us after its own gradient did: an all-reduce of two
// ranks that alone takes 80 us starts 1 us later on rank 1, which is behind by its report.
TEST_F(TensorExchangeTest, RanksTellEachOther)
{
    MakeCluster(2, 1, 1);
    const IterationProgram program = MakeLayers(2, {{10 * US, 10 * US, 1'000'000}}, true);
    RunTensors(MakeSpec(2), program, Schedule(2'000'000, 1, true, 5 * US));
    // Both are ready at 20 us; rank 0 knows at 25 and posts, rank 1 posts at 30. A step of half
    // the bytes is 40 us: rank 1's arrives at 70, rank 0's second step takes 40 more.
    ASSERT_EQ(m_collectives.size(), 2u);
    EXPECT_EQ(m_collectives[0].firstPostPs - m_startPs, 25 * US);
    EXPECT_EQ(m_collectives[0].lastPostPs - m_startPs, 30 * US);
    EXPECT_EQ(m_collectives[0].endPs - m_startPs, 110 * US);
    // Exposed from the last gradient on, not from the post.
    EXPECT_EQ(Sum(0, GpuTimeKind::PEER_WAIT), 0);
    EXPECT_EQ(Sum(1, GpuTimeKind::EXPOSED_COMMUNICATION), 2 * 90 * US);
}

// A schedule holds from the next iteration on that no rank has started, on all ranks.
TEST_F(TensorExchangeTest, SchedulesChangeBetweenIterations)
{
    MakeCluster(2, 1, 1);
    const IterationProgram program = MakeLayers(2, {{10 * US, 10 * US, 1'000'000}}, true);
    Ptr<TrainingJob> job = MakeJob(MakeSpec(8), program);
    job->SetTensorSchedule(Schedule(500'000, 500'000, true));
    job->Start(0, 0, 0);
    // An iteration takes 100 us: in the third.
    Simulator::Schedule(MicroSeconds(250),
                        [job] { job->SetTensorSchedule(Schedule(250'000, 250'000, true)); });
    Simulator::Run();
    std::vector<uint64_t> pieces(8);
    for (const CollectiveRecord& record : m_collectives)
    {
        pieces.at(record.iteration)++;
    }
    EXPECT_EQ(pieces, (std::vector<uint64_t>{2, 2, 2, 4, 4, 4, 4, 4}));
    const std::vector<TensorSample>& samples = job->GetExchange()->GetSamples();
    ASSERT_EQ(samples.size(), 2u);
    // Iteration 1, as 2 was under way, then those after 3.
    EXPECT_EQ(samples[0].iterations, 1u);
    EXPECT_EQ(samples[0].elapsedPs, 100 * US);
    EXPECT_EQ(samples[1].iterations, 4u);
    EXPECT_EQ(samples[1].schedule.partitionBytes, 250'000u);
}

// A job that ends before its time leaves nothing behind that would act later.
TEST_F(TensorExchangeTest, StopsAnywhere)
{
    MakeCluster(3, 1, 1);
    IterationProgram program =
        MakeLayers(3, {{10 * US, 10 * US, 900'000}, {5 * US, 5 * US, 300'000}}, true);
    for (const bool servers : {false, true})
    {
        if (servers)
        {
            program = TensorProgramBuilder::UseServers(program, 2, {true});
        }
        for (int64_t stopUs : {12, 21, 26, 60})
        {
            m_spans.clear();
            const int64_t start = Simulator::Now().GetTimeStep();
            Ptr<TrainingJob> job = MakeJob(MakeSpec(50), program);
            job->SetTensorSchedule(Schedule(100'000, 200'000, true, US));
            job->Start(start, start, start);
            Simulator::Schedule(MicroSeconds(stopUs),
                                [job] { job->Fail(Simulator::Now().GetTimeStep(), "stopped"); });
            Simulator::Run();
            EXPECT_EQ(job->GetStatus(), TrainingJob::Status::FAILED);
            ExpectTiled(3, start, start + stopUs * US);
            EXPECT_TRUE(job->Release(Simulator::Now().GetTimeStep()));
        }
    }
}
