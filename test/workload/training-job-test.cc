/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/workload/program/training-program-builder.h"
#include "../fixture/workload-job-fixture.h"

#include "ns3/global-value.h"
#include "ns3/string.h"

#include <map>
#include <tuple>

using namespace ns3;

namespace
{

class TrainingJobTest : public TrainingJobFixture
{
};

} // namespace

TEST_F(TrainingJobTest, LoneJobTakesComputeAndCommunication)
{
    MakeCluster(4, 1, 1);
    Run(MakeSpec(3),
        MakeProgram(4, {Compute(1000 * US, {{1, true}}), AllReduce(0, MEGABYTE, {{0, false}})}));
    // Iteration = C + t = 1000 + 120 us.
    EXPECT_EQ(m_finishedPs, 3 * 1120 * US);
    ASSERT_EQ(m_iterations.size(), 3u);
    for (int64_t k = 0; k < 3; k++)
    {
        const IterationRecord& record = m_iterations[k];
        EXPECT_EQ(record.iteration, static_cast<uint64_t>(k));
        EXPECT_EQ(record.startPs, k * 1120 * US);
        EXPECT_EQ(record.endPs, (k + 1) * 1120 * US);
        EXPECT_EQ(record.computePs, 4 * 1000 * US);
        EXPECT_EQ(record.exposedPs, 4 * ALL_REDUCE_OF_4_PS);
        EXPECT_EQ(record.peerWaitPs, 0);
        EXPECT_EQ(record.shiftPs, 0);
        // 2 (n-1) S
        EXPECT_EQ(record.bytes, 6 * MEGABYTE);
    }
    ExpectTiled(4, 0, 3 * 1120 * US);
    ASSERT_EQ(m_collectives.size(), 3u);
    EXPECT_EQ(m_collectives[1].iteration, 1u);
    EXPECT_EQ(m_collectives[1].operation, "all-reduce");
    EXPECT_EQ(m_collectives[1].algorithm, "Ring");
    EXPECT_EQ(m_collectives[1].firstPostPs, 2120 * US);
    EXPECT_EQ(m_collectives[1].endPs, 2240 * US);
    // 8e6 bit / 120 us * 2 * 3/4: the line rate.
    EXPECT_EQ(m_collectives[1].busBandwidthBps, 100'000'000'000u);
    uint64_t sent = 0;
    for (const FakeNetwork::Line& line : m_network.lines)
    {
        sent += line.bytes;
    }
    EXPECT_EQ(sent, 3 * 6 * MEGABYTE);
}

TEST_F(TrainingJobTest, ExposedIsWhatOverlapDoesNotHide)
{
    // C27: exposed = max(0, t - (1 - phi) C), with C = 200 us and t = 120 us.
    MakeCluster(4, 1, 1);
    for (int64_t percent : {0, 25, 50, 75, 100})
    {
        m_spans.clear();
        const int64_t before = 2 * percent * US;
        const int64_t after = 200 * US - before;
        const int64_t start = Simulator::Now().GetTimeStep();
        Ptr<TrainingJob> job = MakeJob(MakeSpec(5),
                                       MakeProgram(4,
                                                   {Compute(before, {{1, true}}),
                                                    AllReduce(0, MEGABYTE, {{0, false}}),
                                                    Compute(after)}));
        job->Start(start, start, start);
        Simulator::Run();
        const int64_t exposed = std::max<int64_t>(0, ALL_REDUCE_OF_4_PS - after);
        EXPECT_EQ(m_finishedPs - start, 5 * (200 * US + exposed)) << percent;
        EXPECT_EQ(Sum(2, GpuTimeKind::EXPOSED_COMMUNICATION), 5 * exposed) << percent;
        EXPECT_EQ(Sum(2, GpuTimeKind::COMPUTE), 5 * 200 * US);
        ExpectTiled(4, start, m_finishedPs);
    }
}

TEST_F(TrainingJobTest, CarriedReductionHidesBehindTheNextForwardPass)
{
    // Two layers of 30 us forward, 60 us backward; each is reduced in 120 us. With a barrier an
    // iteration is 60 + 60 + 240 = 360 us (the first reduction starts at 120). Without, forward 1
    // waits for reduction 1, forward 0 for reduction 0.
    MakeCluster(4, 1, 1);
    const auto make = [](bool barrier) {
        // 0 forward of layer 0, 1 forward of layer 1, 2 backward 1, 3 reduce 1, 4 backward 0,
        // 5 reduce 0.
        std::vector<StepDependency> first{{5, true}};
        std::vector<StepDependency> second{{3, true}};
        if (barrier)
        {
            first.push_back({3, true});
            second.clear();
        }
        return MakeProgram(4,
                           {Compute(30 * US, first),
                            Compute(30 * US, second),
                            Compute(60 * US),
                            AllReduce(0, MEGABYTE, {{2, false}}),
                            Compute(60 * US),
                            AllReduce(0, MEGABYTE, {{4, false}})});
    };
    Run(MakeSpec(2), make(true));
    // reduce 1 from 120 to 240, reduce 0 from 240 to 360.
    EXPECT_EQ(m_finishedPs, 2 * 360 * US);
    m_iterations.clear();
    m_spans.clear();

    // The layers reduced the other way round: what is needed first is reduced first, so that the
    // first forward step runs while the second reduction does.
    Simulator::Schedule(Time(0), [] {});
    IterationProgram early = make(false);
    early.programs[0].steps[0].dependencies = {{3, true}};
    early.programs[0].steps[1].dependencies = {{5, true}};
    const int64_t start = Simulator::Now().GetTimeStep();
    MakeJob(MakeSpec(2), early)->Start(start, start, start);
    Simulator::Run();
    // Iteration 0: reduce at 120 to 240 and 240 to 360; forward 0 of iteration 1 at 240 to 270,
    // forward 1 from 360 to 390; backward to 450 and 510; reductions 450 to 570 and to 690.
    ASSERT_EQ(m_iterations.size(), 2u);
    EXPECT_EQ(m_iterations[0].endPs - start, 240 * US);
    EXPECT_EQ(m_iterations[1].startPs - start, 240 * US);
    EXPECT_EQ(m_finishedPs - start, 690 * US);
    EXPECT_EQ(m_iterations[1].exposedPs, 4 * (90 + 180) * US);
    ExpectTiled(4, start, m_finishedPs);
}

TEST_F(TrainingJobTest, PeersOfAStragglerWaitUntilItPosts)
{
    MakeCluster(4, 1, 1);
    IterationProgram program =
        MakeProgram(4, {Compute(100 * US, {{1, true}}), AllReduce(0, MEGABYTE, {{0, false}})});
    program.programs.push_back(program.programs[0]);
    program.programs[1].steps[0].durationPs = 137 * US + 1;
    program.rankProgram[2] = 1;
    Run(MakeSpec(4), program);
    for (uint32_t gpu = 0; gpu < 4; gpu++)
    {
        const int64_t late = gpu == 2 ? 0 : 37 * US + 1;
        EXPECT_EQ(Sum(gpu, GpuTimeKind::COMPUTE), 4 * (137 * US + 1 - late));
        EXPECT_EQ(Sum(gpu, GpuTimeKind::PEER_WAIT), 4 * late);
    }
    // The reduction begins before the straggler is there and is done the sooner: rank 3's first
    // message needs it not. Exposed is from its post to the end of each rank.
    EXPECT_EQ(m_collectives[0].lastPostPs, 137 * US + 1);
    EXPECT_EQ(m_collectives[0].firstPostPs, 100 * US);
    EXPECT_GT(Sum(2, GpuTimeKind::EXPOSED_COMMUNICATION), 0);
    EXPECT_LE(Sum(2, GpuTimeKind::EXPOSED_COMMUNICATION), 4 * ALL_REDUCE_OF_4_PS);
    ExpectTiled(4, 0, m_finishedPs);
    for (const IterationRecord& record : m_iterations)
    {
        EXPECT_EQ(record.peerWaitPs, 3 * (37 * US + 1));
    }
}

TEST_F(TrainingJobTest, WaitingForTwoCollectivesInARowIsExposed)
{
    // The gather waits for the scatter on the same rank: nobody waits for a peer.
    MakeCluster(4, 1, 1);
    Run(MakeSpec(2),
        MakeProgram(4,
                    {Compute(100 * US, {{2, true}}),
                     Collective(0, CollectiveOperation::REDUCE_SCATTER, MEGABYTE, {{0, false}}),
                     Collective(0, CollectiveOperation::ALL_GATHER, MEGABYTE, {{1, false}})}));
    // Each 3/4 MB at 80 ps/B.
    EXPECT_EQ(m_finishedPs, 2 * (100 + 60 + 60) * US);
    for (uint32_t gpu = 0; gpu < 4; gpu++)
    {
        EXPECT_EQ(Sum(gpu, GpuTimeKind::PEER_WAIT), 0);
        EXPECT_EQ(Sum(gpu, GpuTimeKind::EXPOSED_COMMUNICATION), 2 * 120 * US);
    }
}

TEST_F(TrainingJobTest, CommunicatorsOverlap)
{
    // Two reductions at once, on one communicator one after the other, on two at the same time.
    // Queue pairs are shared, so the fake line, too: 2 MB in all either way, but the steps of
    // both interleave, so that two together end sooner where latency counts.
    MakeCluster(2, 1, 1);
    m_network.latencyPs = 100 * US;
    const auto make = [](uint32_t second) {
        return MakeProgram(2,
                           {Compute(10 * US, {{1, true}, {2, true}}),
                            AllReduce(0, 1000, {{0, false}}),
                            AllReduce(second, 1000, {{0, false}})},
                           2);
    };
    Run(MakeSpec(1), make(0));
    // Two steps of 500 B (40 ns) and the latency each.
    EXPECT_EQ(m_finishedPs, 10 * US + 2 * 2 * (100 * US + 40'000));
    const int64_t start = m_finishedPs;
    MakeJob(MakeSpec(1), make(1))->Start(start, start, start);
    Simulator::Run();
    // The second message of a step waits 40 ns for the line in the first step only.
    EXPECT_EQ(m_finishedPs - start, 10 * US + 2 * (100 * US + 40'000) + 40'000);
}

TEST_F(TrainingJobTest, TimeBeforeTheStartAndAfterTheOwnEndIsPeerWait)
{
    // Rank 1 computes longer after the reduction in the last step, which nobody waits for.
    MakeCluster(2, 1, 1);
    IterationProgram program = MakeProgram(2,
                                           {Compute(10 * US, {{1, true}}),
                                            AllReduce(0, MEGABYTE, {{0, false}}),
                                            Compute(20 * US, {{1, false}})});
    program.programs.push_back(program.programs[0]);
    program.programs[1].steps[2].durationPs = 50 * US;
    program.rankProgram[1] = 1;
    Ptr<TrainingJob> job = MakeJob(MakeSpec(1), program);
    Simulator::Schedule(PicoSeconds(5 * US), [job] { job->Start(5 * US, 3 * US, 6 * US); });
    Simulator::Run();
    // 6 + 10 + 80 (2 * 1/2 MB at 80 ps/B) + 50 us.
    EXPECT_EQ(m_finishedPs, 146 * US);
    ExpectTiled(2, 3 * US, 146 * US);
    EXPECT_EQ(Sum(0, GpuTimeKind::PEER_WAIT), (3 + 30) * US);
    EXPECT_EQ(Sum(1, GpuTimeKind::PEER_WAIT), 3 * US);
    // Neither is part of an iteration.
    ASSERT_EQ(m_iterations.size(), 1u);
    EXPECT_EQ(m_iterations[0].startPs, 6 * US);
    EXPECT_EQ(m_iterations[0].endPs, 146 * US);
    EXPECT_EQ(m_iterations[0].peerWaitPs, 0);
    EXPECT_EQ(m_iterations[0].computePs, (30 + 60) * US);
    EXPECT_EQ(m_iterations[0].exposedPs, 2 * 80 * US);
}

TEST_F(TrainingJobTest, ShiftDelaysTheNextIterationOnAllRanks)
{
    MakeCluster(2, 1, 1);
    Ptr<TrainingJob> job = MakeJob(
        MakeSpec(3),
        MakeProgram(2, {Compute(20 * US, {{1, true}}), AllReduce(0, MEGABYTE, {{0, false}})}));
    EXPECT_EQ(job->AddShift(7 * US), 0u);
    job->Start(0, 0, US);
    // Iteration 0 starts at 8 us and ends at 108.
    Simulator::Schedule(PicoSeconds(50 * US), [job] { EXPECT_EQ(job->AddShift(9 * US), 1u); });
    Simulator::Run();
    ASSERT_EQ(m_iterations.size(), 3u);
    EXPECT_EQ(m_iterations[0].startPs, 8 * US);
    EXPECT_EQ(m_iterations[0].endPs, 117 * US);
    EXPECT_EQ(m_iterations[0].shiftPs, 2 * 9 * US);
    EXPECT_EQ(m_iterations[0].exposedPs, 2 * 80 * US);
    EXPECT_EQ(m_iterations[1].startPs, 117 * US);
    EXPECT_EQ(m_iterations[1].shiftPs, 0);
    EXPECT_EQ(m_finishedPs, (8 + 3 * 100 + 9) * US);
    EXPECT_EQ(Sum(1, GpuTimeKind::SHIFT), 16 * US);
    EXPECT_EQ(Sum(1, GpuTimeKind::PEER_WAIT), 1 * US);
    ExpectTiled(2, 0, m_finishedPs);
}

TEST_F(TrainingJobTest, OpenEndedJobEndsWithTheIterationItIsTold)
{
    MakeCluster(2, 1, 1);
    Ptr<TrainingJob> job = MakeJob(
        MakeSpec(0),
        MakeProgram(2, {Compute(20 * US, {{1, true}}), AllReduce(0, MEGABYTE, {{0, false}})}));
    job->Start(0, 0, 0);
    Simulator::Schedule(PicoSeconds(330 * US), [job] {
        EXPECT_EQ(job->GetCurrentIteration(), 3u);
        EXPECT_EQ(job->GetEndedIterations(), 3u);
        job->SetLastIteration(330 * US, job->GetCurrentIteration());
    });
    Simulator::Run();
    EXPECT_EQ(m_finishedPs, 400 * US);
    EXPECT_EQ(m_iterations.size(), 4u);
    EXPECT_EQ(job->GetEndedIterations(), 4u);
}

TEST_F(TrainingJobTest, ToldToEndDuringAShiftItEndsAtOnce)
{
    MakeCluster(2, 1, 1);
    Ptr<TrainingJob> job = MakeJob(
        MakeSpec(0),
        MakeProgram(2, {Compute(20 * US, {{1, true}}), AllReduce(0, MEGABYTE, {{0, false}})}));
    job->Start(0, 0, 0);
    job->AddShift(0);
    Simulator::Schedule(PicoSeconds(50 * US), [job] { job->AddShift(40 * US); });
    Simulator::Schedule(PicoSeconds(110 * US), [job] {
        EXPECT_EQ(job->GetCurrentIteration(), 0u);
        job->SetLastIteration(110 * US, 0);
    });
    Simulator::Run();
    EXPECT_EQ(m_finishedPs, 110 * US);
    EXPECT_EQ(Sum(0, GpuTimeKind::SHIFT), 10 * US);
    ExpectTiled(2, 0, 110 * US);
}

TEST_F(TrainingJobTest, AFailedQueuePairEndsTheJob)
{
    MakeCluster(3, 1, 1);
    Ptr<TrainingJob> job = MakeJob(
        MakeSpec(10),
        MakeProgram(3, {Compute(20 * US, {{1, true}}), AllReduce(0, MEGABYTE, {{0, false}})}));
    job->Start(0, 0, 0);
    Simulator::Schedule(PicoSeconds(15 * US), [this] { m_network.stuck = true; });
    Simulator::Schedule(PicoSeconds(500 * US), [this] {
        m_network.Fail(FakeNetwork::FIRST + 1);
        m_network.Fail(FakeNetwork::FIRST + 2);
    });
    Simulator::Run();
    EXPECT_EQ(m_finishedPs, -1);
    EXPECT_EQ(m_failedPs, 500 * US);
    EXPECT_EQ(m_reason,
              "queue pair 101 from host1.nic0 to host2.nic0 (channel 0, rank 1 to rank 2) has "
              "failed");
    EXPECT_EQ(job->GetStatus(), TrainingJob::Status::FAILED);
    // Everybody had posted at 20 us.
    EXPECT_EQ(Sum(0, GpuTimeKind::COMPUTE), 20 * US);
    EXPECT_EQ(Sum(0, GpuTimeKind::EXPOSED_COMMUNICATION), 480 * US);
    ExpectTiled(3, 0, 500 * US);
    // Queue pair 0 has a message outstanding and has not failed: it is made to give up.
    EXPECT_GT(m_network.lines[0].outstanding, 0u);
    EXPECT_TRUE(job->Release(500 * US));
    EXPECT_TRUE(m_network.lines[0].aborted);
    EXPECT_FALSE(m_network.lines[1].aborted);
    for (const FakeNetwork::Line& line : m_network.lines)
    {
        EXPECT_FALSE(line.open);
    }
    m_network.stuck = false;
    m_finishedPs = -1;
    MakeJob(MakeSpec(1), MakeProgram(3, {Compute(20 * US)}))->Start(500 * US, 500 * US, 500 * US);
    Simulator::Run();
    EXPECT_EQ(m_finishedPs, 520 * US);
}

TEST_F(TrainingJobTest, StoppedJobAccountsForItsTime)
{
    // One rank computes, two have ended their step and wait for it.
    MakeCluster(3, 1, 1);
    IterationProgram program =
        MakeProgram(3, {Compute(20 * US, {{1, true}}), AllReduce(0, MEGABYTE, {{0, false}})});
    program.programs.push_back(program.programs[0]);
    program.programs[1].steps[0].durationPs = 900 * US;
    program.rankProgram[0] = 1;
    Ptr<TrainingJob> job = MakeJob(MakeSpec(10), program);
    job->Start(0, 0, 0);
    Simulator::Stop(PicoSeconds(300 * US));
    Simulator::Run();
    job->Stop(300 * US);
    EXPECT_EQ(job->GetStatus(), TrainingJob::Status::STOPPED);
    EXPECT_EQ(m_failedPs, -1);
    ExpectTiled(3, 0, 300 * US);
    EXPECT_EQ(Sum(0, GpuTimeKind::COMPUTE), 300 * US);
    EXPECT_EQ(Sum(1, GpuTimeKind::PEER_WAIT), 280 * US);
    EXPECT_EQ(Sum(2, GpuTimeKind::PEER_WAIT), 280 * US);
    job->Stop(400 * US);
    ExpectTiled(3, 0, 300 * US);
}

TEST_F(TrainingJobTest, JobOfOneGpuOnlyComputes)
{
    MakeCluster(1, 1, 1);
    Run(MakeSpec(1000),
        MakeProgram(1, {Compute(US, {{1, true}}), AllReduce(0, MEGABYTE, {{0, false}})}));
    EXPECT_EQ(m_finishedPs, 1000 * US);
    EXPECT_EQ(Sum(0, GpuTimeKind::COMPUTE), 1000 * US);
    EXPECT_EQ(m_collectives.size(), 1000u);
    EXPECT_EQ(m_collectives[0].busBandwidthBps, 0u);
}

TEST_F(TrainingJobTest, IterationsWithoutComputeWork)
{
    MakeCluster(2, 1, 1);
    JobSpec spec = MakeSpec(4);
    spec.iteration = {{ProgramStepKind::ALL_REDUCE, PicoSeconds(0), ByteSize(MEGABYTE), {}}};
    std::vector<ProgramFault> faults;
    Run(spec, *TrainingProgramBuilder::Build(spec, 2, faults));
    EXPECT_EQ(m_finishedPs, 4 * 80 * US);
    ASSERT_EQ(m_iterations.size(), 4u);
    EXPECT_EQ(m_iterations[3].startPs, 3 * 80 * US);
    EXPECT_EQ(m_iterations[3].exposedPs, 2 * 80 * US);
    ExpectTiled(2, 0, m_finishedPs);
}

TEST_F(TrainingJobTest, JitterIsTheSameOnAnyNetwork)
{
    MakeCluster(4, 1, 1);
    JobSpec spec = MakeSpec(6);
    spec.jitterCv = 0.05;
    const IterationProgram program = MakeProgram(
        4,
        {Compute(100 * US, {{1, true}}), AllReduce(0, MEGABYTE, {{0, false}}), Compute(50 * US)});
    const auto getComputes = [this] {
        std::map<uint32_t, std::vector<int64_t>> computes;
        for (const SpanRecord& span : m_spans)
        {
            if (span.kind == GpuTimeKind::COMPUTE)
            {
                computes[span.gpu].push_back(span.endPs - span.startPs);
            }
        }
        return computes;
    };
    Run(spec, program);
    ExpectTiled(4, 0, m_finishedPs);
    const auto first = getComputes();
    EXPECT_NE(first.at(0), first.at(1));
    EXPECT_NE(first.at(0)[0], first.at(0)[2]);
    const int64_t start = m_finishedPs;
    m_spans.clear();
    m_network.psPerByte = 250;
    MakeJob(spec, program)->Start(start, start, start);
    Simulator::Run();
    EXPECT_EQ(getComputes(), first);
    ExpectTiled(4, start, m_finishedPs);
    // Of the whole job: all ranks the same.
    m_spans.clear();
    spec.jitterScope = JitterScope::JOB;
    const int64_t again = m_finishedPs;
    MakeJob(spec, program)->Start(again, again, again);
    Simulator::Run();
    const auto shared = getComputes();
    EXPECT_EQ(shared.at(0), shared.at(3));
    EXPECT_EQ(Sum(0, GpuTimeKind::PEER_WAIT), 0);
}

TEST_F(TrainingJobTest, BertOverlapsItsBuckets)
{
    // Two hosts of 4 GPUs and 4 NICs. 668 MB at 4 x 100 Gb/s take 2 * 7/8 * 668 / 50 GB/s = 23.4
    // ms, in buckets of which only the embedding's is ready at the end: 63.6 MB in 2.2 ms.
    MakeCluster(2, 4, 4);
    JobSpec spec = MakeSpec(3);
    spec.model = "bert-large";
    spec.batchPerGpu = 32;
    spec.gradients = GradientFormat::FP16;
    spec.bucket = ByteSize(25'000'000);
    std::vector<ProgramFault> faults;
    const IterationProgram program = *TrainingProgramBuilder::Build(spec, 8, faults);
    Run(spec, program);
    ASSERT_EQ(m_iterations.size(), 3u);
    ExpectTiled(8, 0, m_finishedPs);
    EXPECT_EQ(m_iterations[1].computePs, 8 * int64_t{152'000'000'000});
    // The embedding's bucket, 63,565,824 B, and the one before it: ready at the same time.
    const double bytes = 63'565'824 + 25'192'448;
    EXPECT_NEAR(m_iterations[1].exposedPs / 8, 2 * 7 / 8.0 * bytes / 4 * 80, 0.02e9);
    EXPECT_EQ(m_collectives.size(), 3u * 25);
}

TEST_F(TrainingJobTest, FaultsAreReturned)
{
    MakeCluster(1, 2, 1);
    IterationProgram program = MakeProgram(2, {Compute(US)});
    program.communicators[0].algorithm = "Bush";
    Ptr<TrainingJob> job = CreateObject<TrainingJob>();
    EXPECT_EQ(job->Configure(m_environment.get(), 0, MakeSpec(1), Share(program), {0, 1}),
              std::vector<std::string>{"no collective algorithm is called Bush"});
    program.programs.clear();
    EXPECT_FALSE(
        job->Configure(m_environment.get(), 0, MakeSpec(1), Share(program), {0, 1}).empty());
}

TEST_F(TrainingJobTest, SameUnderBothEngines)
{
    const auto run = [this](const std::string& engine) {
        GlobalValue::Bind("SimulatorImplementationType", StringValue(engine));
        m_topology = ClusterTopology();
        m_network.lines.clear();
        m_spans.clear();
        MakeCluster(3, 4, 2);
        JobSpec spec = MakeSpec(4);
        spec.jitterCv = 0.01;
        Run(spec,
            MakeProgram(12,
                        {Compute(100 * US, {{1, true}, {3, true}}),
                         AllReduce(0, 123'457, {{0, false}}),
                         Compute(50 * US),
                         AllReduce(1, 765'432, {{2, false}})},
                        2));
        std::vector<std::tuple<uint32_t, uint8_t, int64_t, int64_t>> spans;
        for (const SpanRecord& span : m_spans)
        {
            spans.emplace_back(span.gpu, static_cast<uint8_t>(span.kind), span.startPs, span.endPs);
        }
        TearDown();
        return spans;
    };
    const auto plain = run("ns3::DefaultSimulatorImpl");
    const auto lane = run("ns3::FabricSimulatorImpl");
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DefaultSimulatorImpl"));
    EXPECT_GT(plain.size(), 100u);
    EXPECT_EQ(plain, lane);
}

TEST_F(TrainingJobTest, ExplicitMessagesAndExchanges)
{
    // Four ranks on hosts of their own: an all-to-all of 4 MB, 3 x 1 MB a rank one after the
    // other; then 1 MB from rank 1 to rank 3, while the others go on.
    MakeCluster(4, 1, 1);
    JobSpec spec = MakeSpec(1);
    spec.iteration = {{ProgramStepKind::COMPUTE, PicoSeconds(5 * US), ByteSize(0), {}},
                      {ProgramStepKind::ALL_TO_ALL, PicoSeconds(0), ByteSize(4 * MEGABYTE), {}},
                      {ProgramStepKind::SEND, PicoSeconds(0), ByteSize(MEGABYTE), {}, 1, 3},
                      {ProgramStepKind::COMPUTE, PicoSeconds(5 * US), ByteSize(0), {}}};
    std::vector<ProgramFault> faults;
    const auto program = TrainingProgramBuilder::Build(spec, 4, faults);
    ASSERT_TRUE(program);
    Run(spec, *program);
    // 80 us for 1 MB at 100 Gb/s.
    EXPECT_EQ(m_finishedPs, (5 + 3 * 80 + 80 + 5) * US);
    ExpectTiled(4, 0, m_finishedPs);
    EXPECT_EQ(Sum(1, GpuTimeKind::EXPOSED_COMMUNICATION), 4 * 80 * US);
    EXPECT_EQ(Sum(0, GpuTimeKind::EXPOSED_COMMUNICATION), 3 * 80 * US);
    EXPECT_EQ(Sum(0, GpuTimeKind::PEER_WAIT), 80 * US); // at the end, for the other two
}
