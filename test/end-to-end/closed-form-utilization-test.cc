/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/workload/program/training-program-builder.h"
#include "../fixture/scenario-run-fixture.h"

#include <algorithm>

using namespace ns3;

namespace
{

/// C27: the GPU utilisation of a lone job is C / (C + exposed), where exposed = max(0, t - (1 -
/// phi) C), if it communicates for a time t starting at phi C.
class ClosedFormUtilizationTest : public SharedLinkFixture
{
  protected:
    /// ResNet-50 on two hosts, an eighth of its gradients (102.2 MB / 8) and of this compute time.
    void RunJob(const std::string& compute, const std::string& overlap)
    {
        Run(Network() + R"(
jobs:
  - name: lone
    model: resnet-50
    hosts: [a0, a1]
    scale: 1/8
    iterations: 5
    compute: )" +
            compute + "\n    overlap: " + overlap + "\n");
    }

    /// The program of that job, for what its buckets are.
    static RankProgram GetProgram(int64_t computePs)
    {
        JobSpec spec;
        spec.model = "resnet-50";
        spec.scale.denominator = 8;
        spec.compute = PicoSeconds(computePs);
        std::vector<ProgramFault> faults;
        return TrainingProgramBuilder::Build(spec, 2, faults)->programs[0];
    }

    /// An all-reduce of two ranks: two messages there and their ACKs back at 10 Gb/s, stored and
    /// forwarded twice on 3 links of 1 us, and the last ACK [ps].
    static double CommunicationPs(uint64_t bytes)
    {
        return 2 * (static_cast<double>(WireBytes(bytes / 2) + AckBytes(bytes / 2)) * 800 + 3 * US +
                    2 * 4194 * 800.) +
               3 * (US + 86 * 800);
    }

    /// What the steps of a program come to, without any contention [ps].
    struct Iteration
    {
        double compute{0};       ///< C
        double communication{0}; ///< t
        double first{-1};        ///< phi C: the first bucket is ready
        double end{0};           ///< of the last bucket, buckets one after the other
    };

    static Iteration Walk(const RankProgram& program)
    {
        Iteration iteration;
        for (const ProgramStep& step : program.steps)
        {
            if (step.compute)
            {
                iteration.compute += static_cast<double>(step.durationPs);
                continue;
            }
            iteration.first = iteration.first < 0 ? iteration.compute : iteration.first;
            iteration.communication += CommunicationPs(step.bytes);
            iteration.end =
                std::max(iteration.end, iteration.compute) + CommunicationPs(step.bytes);
        }
        return iteration;
    }

    void Check(double compute, double exposed)
    {
        double utilization = compute / (compute + exposed);
        double measured = Real("SELECT gpu_utilization FROM v_job");
        RecordProperty("expected", std::to_string(utilization));
        RecordProperty("measured", std::to_string(measured));
        // 0.2 %: a bucket may end with a short frame, which is forwarded sooner than a full one.
        EXPECT_NEAR(measured, utilization, 0.002 * utilization);
        // An iteration takes C + exposed, and each of the two GPUs waits for exposed.
        EXPECT_NEAR(Real("SELECT iteration_ms FROM v_job") * MS,
                    compute + exposed,
                    0.002 * (compute + exposed));
        EXPECT_NEAR(Real("SELECT exposed_ps + peer_wait_ps FROM iteration WHERE iteration = 2"),
                    2 * exposed,
                    0.005 * 2 * exposed);
        EXPECT_EQ(Integer("SELECT DISTINCT compute_ps FROM iteration"), 2 * compute);
        // Both GPUs that are allocated count in the cluster, and the two that are not.
        EXPECT_NEAR(Real("SELECT gpu_utilization FROM v_cluster_utilization"), measured, 1e-9);
        EXPECT_NEAR(Real("SELECT gpu_utilization_all FROM v_cluster_utilization"),
                    measured / 2,
                    1e-9);
    }
};

// C = 6 ms and t = 10.5 ms, from phi C = 2.2 ms on without a gap: t - (1 - phi) C is exposed.
TEST_F(ClosedFormUtilizationTest, OverlappedAndBoundByCommunication)
{
    RunJob("48ms", "backward");
    Iteration iteration = Walk(GetProgram(48'000'000'000));
    EXPECT_EQ(iteration.compute, 6 * MS);
    double phi = iteration.first / iteration.compute;
    double exposed = iteration.communication - (1 - phi) * iteration.compute;
    EXPECT_NEAR(iteration.end - iteration.compute, exposed, 1); // without a gap
    RecordProperty("phi", std::to_string(phi));
    RecordProperty("t_ms", std::to_string(iteration.communication / MS));
    RecordProperty("exposed_ms", std::to_string(exposed / MS));
    Check(iteration.compute, exposed);
}

// C = 60 ms: the buckets are hidden, all but the last, which is ready at the end of the backward
// pass (the closed form, in which communication may start long before its end, gives 0).
TEST_F(ClosedFormUtilizationTest, OverlappedAndBoundByCompute)
{
    RunJob("480ms", "backward");
    RankProgram program = GetProgram(480'000'000'000);
    Iteration iteration = Walk(program);
    double last = CommunicationPs(program.steps.back().bytes);
    EXPECT_FALSE(program.steps.back().compute);
    EXPECT_NEAR(iteration.end - iteration.compute, last, 1);
    Check(iteration.compute, last);
}

// All of it after the backward pass, phi = 1: C / (C + t).
TEST_F(ClosedFormUtilizationTest, NotOverlapped)
{
    RunJob("48ms", "none");
    uint64_t gradients = 25'557'032 * 4 / 8;
    EXPECT_EQ(static_cast<uint64_t>(Integer("SELECT gradient_bytes FROM job")), gradients);
    Check(6 * MS, CommunicationPs(gradients));
}

// t_j of the job table: the data and the ACKs of an iteration on the busiest link; W is 6 x MACs.
// 4.09 GMAC an image, one image a GPU, an eighth: 6 x 4.09e9 x 2 / 8 = 6.13 GFLOP.
TEST_F(ClosedFormUtilizationTest, IntensityIsWorkOverLinkTime)
{
    RunJob("48ms", "none");
    uint64_t half = 25'557'032 * 4 / 8 / 2;
    double linkPs = 2 * static_cast<double>(WireBytes(half) + AckBytes(half)) * 800;
    EXPECT_NEAR(Real("SELECT comm_ps FROM job"), linkPs, 1);
    EXPECT_NEAR(Real("SELECT w_flop FROM job"), 6 * 4.09e9 * 2 / 8, 0.01 * 6.13e9);
    EXPECT_NEAR(Real("SELECT intensity FROM v_job"),
                Real("SELECT w_flop FROM job") / (linkPs / S),
                1e6);
    // The link was really busy for so long, in each of 5 iterations.
    EXPECT_EQ(Real("SELECT SUM(busy_ps) FROM job_link JOIN link USING (run, link) "
                   "WHERE name = 'left-right'"),
              5 * linkPs);
}

/// C21: N senders of S bytes to one receiver.
class ClosedFormIncastTest : public ScenarioRunFixture
{
  protected:
    /// Eight senders of 2 MB each; priorities of the flows, the first one again after the last.
    void RunIncast(const std::vector<uint32_t>& priorities)
    {
        std::string flows;
        for (uint32_t i = 0; i < 8; ++i)
        {
            flows += "  - {from: host" + std::to_string(i) + ", to: host8, bytes: 2MB, priority: " +
                     std::to_string(priorities[i % priorities.size()]) + "}\n";
        }
        Run("topology: {type: Star, Hosts: 9, NicRate: 100Gbps, LinkDelay: 1us}\n"
            "defaults: {\"ns3::RoceNic::CongestionControl\": \"ns3::FixedRate\"}\n"
            "flows:\n" +
            flows);
    }

    /// All have arrived: N wire(S) x 8 / B, and the first frame's way to the switch.
    static double LastPs()
    {
        return 8 * static_cast<double>(WireBytes(2'000'000)) * 80 + 4194 * 80 + 2 * US;
    }
};

// 8 x 2.04006 MB at 100 Gb/s: 1.3056 ms. The senders end together.
TEST_F(ClosedFormIncastTest, SendersShareFairly)
{
    RunIncast({3});
    EXPECT_NEAR(LastPs() / MS, 1.3080, 0.0001);
    // The receiver's link is busy from the first frame on; the short last frames of the senders
    // may stand anywhere.
    EXPECT_NEAR(Real("SELECT MAX(delivered_ps) FROM transfer"), LastPs(), 4178 * 80);
    // What the switch holds for each sender at the end leaves in the order of its arrival.
    EXPECT_GT(Real("SELECT MIN(delivered_ps) FROM transfer"), 0.97 * LastPs());
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM fabric_event"), 0);
    EXPECT_EQ(Integer("SELECT SUM(retransmitted_bytes) FROM transfer"), 0);
}

// The sum does not depend on priorities; the higher half is done in half the time.
TEST_F(ClosedFormIncastTest, PrioritiesDoNotChangeTheSum)
{
    RunIncast({6, 2});
    EXPECT_NEAR(Real("SELECT MAX(delivered_ps) FROM transfer"), LastPs(), 4178 * 80);
    double half = 4 * static_cast<double>(WireBytes(2'000'000)) * 80 + 2 * US;
    EXPECT_NEAR(Real("SELECT MAX(delivered_ps) FROM transfer WHERE priority = 6"),
                half,
                0.005 * half);
    EXPECT_GT(Real("SELECT MIN(delivered_ps) FROM transfer WHERE priority = 2"), 1.9 * half);
}

} // namespace
