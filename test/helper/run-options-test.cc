/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/scenario-run-fixture.h"

using namespace ns3;

namespace
{

/// Keys of a scenario, from the text to the rows of the result.
class HelperRunOptionsTest : public ScenarioRunFixture
{
  protected:
    using Strings = std::vector<std::string>;

    static std::string Network()
    {
        return "topology: {type: Star, Hosts: 4, GpusPerHost: 2, NicRate: 100Gbps, LinkDelay: "
               "1us}\n";
    }
};

// bert-0, bert-1 and bert-2 in a cluster of 8 GPUs, with hosts of their own; one until the last of
// them ends.
TEST_F(HelperRunOptionsTest, CountAndUntil)
{
    Run(Network() + R"(
jobs:
  - name: bert
    count: 3
    hosts: [[host0, host1], [host1, host0], [host2, host3]]
    gpus-per-host: 1
    iterations: 3
    compute-jitter: {cv: 20%, scope: job}
    iteration: [{compute: 100us}, {all-reduce: {bytes: 1MB}}]
  - name: background
    hosts: [host2, host3]
    gpus-per-host: 1
    until: bert
    iteration: [{compute: 10us}, {all-reduce: {bytes: 100kB}}]
)");
    EXPECT_EQ(
        Rows("SELECT name, status FROM job"),
        (Strings{"bert-0|finished", "bert-1|finished", "bert-2|finished", "background|finished"}));
    EXPECT_EQ(Rows("SELECT job, GROUP_CONCAT(gpu) FROM (SELECT job, gpu FROM gpu_allocation ORDER "
                   "BY job, gpu) GROUP BY job"),
              (Strings{"0|0,2", "1|1,3", "2|4,6", "3|5,7"}));
    // Each with its own compute times, as its name is part of the key.
    EXPECT_EQ(Integer("SELECT COUNT(DISTINCT compute_ps) FROM iteration WHERE job < 3"), 9);
    // The last of the three is known to have ended 1 us later; an iteration is under way then, and
    // one more follows.
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM iteration WHERE job = 3 AND start_ps > 1000000 + "
                      "(SELECT MAX(end_ps) FROM job WHERE job < 3)"),
              1);
}

// Lognormal factors with a mean of 1 and the given coefficient of variation; the same under every
// scheduler, although iterations take place at other times.
TEST_F(HelperRunOptionsTest, JitterIsPairedOverSchedulers)
{
    Run(Network() + R"(
compare: [None, {type: GpuIntensity, Levels: 2}]
jobs:
  - name: rank
    hosts: [host0, host1]
    gpus-per-host: 1
    iterations: 40
    flop: 1e9
    compute-jitter: {cv: 10%}
    iteration: [{compute: 40us}, {all-reduce: {bytes: 400kB}}, {compute: 10us}]
  - name: job
    hosts: [host0, host1]
    gpus-per-host: 1
    iterations: 40
    flop: 1e12
    compute-jitter: {cv: 10%, scope: job}
    iteration: [{compute: 30us}, {all-reduce: {bytes: 400kB}}]
)");
    std::string computes = "(SELECT run, job, gpu, end_ps - start_ps AS ps, ROW_NUMBER() OVER "
                           "(PARTITION BY run, job, gpu ORDER BY start_ps) AS number "
                           "FROM span WHERE kind = 'compute')";
    std::string paired = " FROM " + computes + " AS a JOIN " + computes +
                         " AS b USING (job, gpu, number) WHERE a.run = 1 AND b.run = 2";
    EXPECT_EQ(Integer("SELECT COUNT(*)" + paired), 2 * 80 + 2 * 40);
    EXPECT_EQ(Integer("SELECT COUNT(*)" + paired + " AND a.ps <> b.ps"), 0);
    // Not because the runs are the same.
    EXPECT_NE(Rows("SELECT job, end_ps FROM job WHERE run = 1"),
              Rows("SELECT job, end_ps FROM job WHERE run = 2"));
    // Ranks differ unless the scope is the job.
    std::string ranks = " FROM " + computes + " AS a JOIN " + computes +
                        " AS b USING (run, job, number) WHERE a.gpu < b.gpu AND a.ps ";
    EXPECT_EQ(Integer("SELECT COUNT(*)" + ranks + "= b.ps AND job = 0"), 0);
    EXPECT_EQ(Integer("SELECT COUNT(*)" + ranks + "<> b.ps AND job = 1"), 0);
    EXPECT_EQ(Integer("SELECT COUNT(*)" + ranks + "= b.ps AND job = 1"), 80);
    // 80 draws of 40 us: a mean of 40 us +- 10 % / sqrt(80), three times that; all of them differ.
    std::string first = " FROM " + computes + " WHERE run = 1 AND job = 0 AND number % 2 = 1";
    EXPECT_EQ(Integer("SELECT COUNT(DISTINCT ps)" + first), 80);
    EXPECT_NEAR(Real("SELECT AVG(ps)" + first) / (40 * US), 1, 3 * 0.1 / std::sqrt(80));
    EXPECT_NEAR(Real("SELECT SQRT(AVG(ps * ps * 1.0) - AVG(ps) * AVG(ps))" + first) / (40 * US),
                0.1,
                0.03);
}

/*
 * Compute only, so that all can be said by hand. Cluster of 8 GPUs. `one`: 1 GPU, arrives at 1 ms,
 * starts at 1.001 ms, 3 iterations of 3 ms: ends at 10.001 ms. `two`: 2 GPUs, arrives at 4 ms,
 * starts at 4.001 ms, 5 iterations of 2 ms: ends at 14.001 ms.
 */
class HelperMeasureTest : public HelperRunOptionsTest
{
  protected:
    void RunMeasured(const std::string& measure)
    {
        Run(Network() + "measure: " + measure + R"(
jobs:
  - name: one
    gpus: 1
    arrival: 1ms
    iterations: 3
    flop: 6e12
    iteration: [{compute: 3ms}]
  - name: two
    gpus: 2
    arrival: 4ms
    iterations: 5
    flop: 2e12
    iteration: [{compute: 2ms}]
)");
    }

    /// \param window [from, to) [us]
    /// \param compute,allocated GPU time in it [us]
    /// \param flop work done in it [FLOP]
    void Check(double from, double to, double compute, double allocated, double flop)
    {
        EXPECT_EQ(Real("SELECT measure_from_ps FROM run"), from * US);
        EXPECT_EQ(Real("SELECT measure_to_ps FROM run"), to * US);
        std::string view = " FROM v_cluster_utilization";
        EXPECT_NEAR(Real("SELECT gpu_utilization" + view), compute / allocated, 1e-9);
        EXPECT_NEAR(Real("SELECT gpu_utilization_all" + view), compute / (8 * (to - from)), 1e-9);
        // 312 TFLOP/s a GPU.
        EXPECT_NEAR(Real("SELECT flop_utilization" + view),
                    flop / (312e12 * 8 * (to - from) / 1e6),
                    1e-9);
    }
};

// one: 4 of 4 ms; two: from 4.001 to 6 ms on two GPUs that it has from 4 ms on. W: 6 TFLOP in 3 ms,
// 2 TFLOP in 2 ms.
TEST_F(HelperMeasureTest, GivenWindow)
{
    RunMeasured("{from: 2ms, to: 6ms}");
    Check(2000, 6000, 4000 + 2 * 1999, 4000 + 2 * 2000, 6e12 * 4 / 3 + 2e12 * 1.999 / 2);
    EXPECT_EQ(Rows("SELECT allocated_ps, compute_ps, peer_wait_ps, exposed_ps FROM job_window"),
              (Strings{"4000000000|4000000000|0|0", "4000000000|3998000000|2000000|0"}));
}

// By default from the second iteration of both, at 8.001 ms, to the first end, at 10.001 ms.
TEST_F(HelperMeasureTest, DefaultWindow)
{
    RunMeasured("{warmup: 2}");
    Check(8001, 10'001, 2000 + 2 * 2000, 6000, 6e12 * 2 / 3 + 2e12);
    EXPECT_EQ(Rows("SELECT iterations, iteration_ms, gpu_utilization FROM v_job"),
              (Strings{"3|3.0|1.0", "5|2.0|1.0"}));
}

// Only `two` counts for the window: from the first iteration's end, at 6.001 ms, to 14.001 ms.
TEST_F(HelperMeasureTest, WindowOfAJob)
{
    RunMeasured("{warmup: 1, jobs: [two]}");
    Check(6001, 14'001, 4000 + 2 * 8000, 20'000, 6e12 * 4 / 3 + 2e12 * 4);
}

// `one` has three iterations, so four of all jobs never are; then it is the whole run, and it says
// so. It ends a control latency after the last job.
TEST_F(HelperMeasureTest, EmptyWindowIsTheWholeRun)
{
    RunMeasured("{warmup: 4}");
    Check(0, 14'002, 9000 + 2 * 10'000, 9001 + 2 * 10'001, 18e12 + 10e12);
    EXPECT_EQ(Rows("SELECT measure_note FROM run"),
              Strings{"the whole run: not all measured jobs finished 4 iterations"});
}

// Both runs of a comparison are measured over the window that they have in common.
TEST_F(HelperMeasureTest, WindowIsCommonToSchedulersCompared)
{
    Run(Network() + R"(
compare: [None, {type: GpuIntensity, Levels: 2}]
defaults: {"ns3::RoceNic::CongestionControl": "ns3::FixedRate"}
jobs:
  - name: a
    hosts: [host0, host1]
    gpus-per-host: 1
    iterations: 12
    flop: 1e9
    iteration: [{compute: 100us}, {all-reduce: {bytes: 1MB}}]
  - name: b
    hosts: [host0, host1]
    gpus-per-host: 1
    iterations: 12
    flop: 1e12
    iteration: [{compute: 80us}, {all-reduce: {bytes: 1MB}}]
)");
    std::string second = "(SELECT MAX(end_ps) FROM iteration WHERE iteration = 1 AND run = ";
    std::string end = "(SELECT MIN(end_ps) FROM job WHERE run = ";
    EXPECT_EQ(
        Rows("SELECT DISTINCT measure_from_ps, measure_to_ps FROM run"),
        Rows("SELECT MAX(" + second + "1), " + second + "2)), MIN(" + end + "1), " + end + "2))"));
    EXPECT_NE(Rows("SELECT " + end + "1)"), Rows("SELECT " + end + "2)"));
    // The figures, from spans.
    for (const std::string run : {"1", "2"})
    {
        EXPECT_NEAR(Real("SELECT gpu_utilization FROM v_cluster_utilization WHERE run = " + run),
                    Real("SELECT SUM(MAX(0, MIN(s.end_ps, measure_to_ps) - MAX(start_ps, "
                         "measure_from_ps))) / 4.0 / (measure_to_ps - measure_from_ps) "
                         "FROM span AS s JOIN run USING (run) WHERE kind = 'compute' AND run = " +
                         run),
                    1e-9);
    }
}

// Counters of the links every 100 us: multiples of it, never falling, and the last not above the
// total; two samples of a link that is busy throughout are 100 us x 100 Gb/s apart.
TEST_F(HelperRunOptionsTest, LinkSamples)
{
    Run(Network() + R"(
defaults: {"ns3::RoceNic::CongestionControl": "ns3::FixedRate"}
record: [events, {links: {interval: 100us}}]
flows: [{from: host0, to: host1, bytes: 10MB, at: 50us}]
)");
    // 10 MB and 2,442 frames of 82 B and 16 B: 816.0 us on each of two links, from 50 us on.
    EXPECT_EQ(Rows("SELECT DISTINCT time_ps FROM link_sample ORDER BY 1"),
              (Strings{"100000000",
                       "200000000",
                       "300000000",
                       "400000000",
                       "500000000",
                       "600000000",
                       "700000000",
                       "800000000"}));
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM (SELECT bytes - LAG(bytes) OVER (PARTITION BY link, "
                      "priority ORDER BY time_ps) AS more FROM link_sample) WHERE more < 0"),
              0);
    // 1.25 MB, to the frame.
    for (double bytes : Column("SELECT bytes - before FROM (SELECT bytes, LAG(bytes) OVER "
                               "(PARTITION BY link ORDER BY time_ps) AS before FROM link_sample "
                               "WHERE priority <> 7) WHERE before IS NOT NULL"))
    {
        EXPECT_NEAR(bytes, 1.25e6, 4178);
    }
    EXPECT_EQ(Rows("SELECT name, SUM(w.bytes) FROM link_window AS w JOIN link USING (run, link) "
                   "WHERE priority <> 7 GROUP BY name"),
              (Strings{"host0-switch0|" + std::to_string(WireBytes(10'000'000)),
                       "switch0-host1|" + std::to_string(WireBytes(10'000'000))}));
}

// What is not asked for is not written.
TEST_F(HelperRunOptionsTest, RecordOnlyWhatIsAskedFor)
{
    std::string scenario = Network() + R"(
jobs:
  - name: job
    hosts: [host0, host1]
    iterations: 3
    iteration: [{compute: 10us}, {all-reduce: {bytes: 1MB}}]
measure: {from: 0us, to: 1s}
flows:
  - {from: host2, to: host1, bytes: 1MB}
  - {from: host3, to: host1, bytes: 1MB}
record: )";
    Run(scenario + "[events]\n");
    for (const std::string table : {"span",
                                    "iteration",
                                    "job_utilization",
                                    "job_link",
                                    "collective",
                                    "gpu_allocation",
                                    "link_sample"})
    {
        EXPECT_EQ(Integer("SELECT COUNT(*) FROM " + table), 0) << table;
    }
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM transfer"), 2); // flows always
    EXPECT_EQ(Rows("SELECT status FROM job"), Strings{"finished"});
    Run(scenario + "[jobs, collectives, transfers]\n");
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM collective"), 3);
    EXPECT_GT(Integer("SELECT COUNT(*) FROM transfer WHERE job = 0"), 0);
    // Flows are job -1 there.
    EXPECT_EQ(Rows("SELECT SUM(bytes) FROM job_link JOIN link USING (run, link) "
                   "WHERE job = -1 AND priority <> 7 GROUP BY name"),
              (Strings{std::to_string(WireBytes(1'000'000)),
                       std::to_string(WireBytes(1'000'000)),
                       std::to_string(2 * WireBytes(1'000'000))}));
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM fabric_event"), 0);
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM pause"), 0);
}

} // namespace
