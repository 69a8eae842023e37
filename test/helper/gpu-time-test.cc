/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/scenario-run-fixture.h"

#include "ns3/counter-random.h"

using namespace ns3;

namespace
{

/// GPU time and conservation, however a run ends. Run() itself requires that all invariants hold;
/// the values of these rows are computed again here, from spans and allocations alone.
class HelperGpuTimeTest : public ScenarioRunFixture
{
  protected:
    using Strings = std::vector<std::string>;

    /// Four hosts of two GPUs under two leaves, two uplinks each.
    static std::string Network()
    {
        return R"(
topology:
  type: LeafSpine
  Leaves: 2
  Spines: 2
  HostsPerLeaf: 2
  GpusPerHost: 2
  NicsPerHost: 1
  NicRate: 100Gbps
  Uplinks: 2
  UplinkRate: 100Gbps
  LinkDelay: 1us
)";
    }

    /// For each GPU: its spans lie within its allocations, do not overlap, and fill them; no
    /// allocation overlaps another or lies outside the run.
    void CheckGpuTime()
    {
        EXPECT_EQ(Integer("SELECT COUNT(*) FROM span AS s WHERE NOT EXISTS (SELECT 1 FROM "
                          "gpu_allocation AS a WHERE a.run = s.run AND a.gpu = s.gpu AND a.job = "
                          "s.job AND a.start_ps <= s.start_ps AND a.end_ps >= s.end_ps)"),
                  0);
        for (const std::string table : {"span", "gpu_allocation"})
        {
            EXPECT_EQ(Integer("SELECT COUNT(*) FROM (SELECT start_ps, LAG(end_ps) OVER (PARTITION "
                              "BY run, gpu ORDER BY start_ps, end_ps) AS before FROM " +
                              table + ") WHERE start_ps < before"),
                      0)
                << table;
        }
        EXPECT_EQ(Rows("SELECT run, gpu, job, SUM(end_ps - start_ps) FROM span "
                       "GROUP BY run, gpu, job ORDER BY 1, 2, 3"),
                  Rows("SELECT run, gpu, job, SUM(end_ps - start_ps) FROM gpu_allocation "
                       "GROUP BY run, gpu, job ORDER BY 1, 2, 3"));
        EXPECT_EQ(Integer("SELECT COUNT(*) FROM gpu_allocation JOIN run USING (run) "
                          "WHERE gpu_allocation.end_ps > run.end_ps OR start_ps < 0"),
                  0);
        // The utilisation of jobs tiles the same time.
        EXPECT_EQ(Rows("SELECT run, job, SUM(compute_ps + exposed_ps + peer_wait_ps + shift_ps + "
                       "failed_ps) FROM job_utilization GROUP BY run, job ORDER BY 1, 2"),
                  Rows("SELECT run, job, SUM(end_ps - start_ps) FROM span "
                       "GROUP BY run, job ORDER BY 1, 2"));
        // The sum of the six kinds, unallocated from what is left.
        EXPECT_EQ(Rows("SELECT run, expected FROM invariant WHERE name = 'gpu_time_ps'"),
                  Rows("SELECT r.run, r.end_ps * (SELECT SUM(gpus) FROM node AS n WHERE n.run = "
                       "r.run) FROM run AS r"));
    }

    /// The pauses of a link, those cut off by the end included, are what it counts as paused.
    void CheckPauses()
    {
        cutPauses += Integer("SELECT COUNT(*) FROM pause JOIN run USING (run) "
                             "WHERE pause.end_ps = run.end_ps");
        if (Integer("SELECT COUNT(*) FROM link_window AS w JOIN run USING (run) "
                    "WHERE w.start_ps > 0 OR w.end_ps <> run.end_ps") == 0)
        {
            EXPECT_EQ(Rows("SELECT link, priority, SUM(end_ps - start_ps) FROM pause "
                           "GROUP BY link, priority ORDER BY 1, 2"),
                      Rows("SELECT link, priority, paused_ps FROM link_window WHERE paused_ps > 0 "
                           "ORDER BY link, priority"));
        }
    }

    /// Runs a scenario to its end and stops it at random instants before that; all must hold.
    void StopAtRandom(const std::string& scenario, uint64_t count)
    {
        Run(scenario);
        CheckGpuTime();
        auto end = Real("SELECT end_ps FROM run");
        for (uint64_t i = 0; i < count; ++i)
        {
            auto stop = static_cast<int64_t>(CounterUniform(1, HashName("stop"), i) * end) + 1;
            SCOPED_TRACE("stop at " + std::to_string(stop) + " ps");
            Run(scenario + "stop: {time: " + std::to_string(stop) + "ps}\n");
            CheckGpuTime();
            CheckPauses();
            ASSERT_EQ(Integer("SELECT end_ps FROM run"), stop);
        }
    }

    int64_t cutPauses{0}; ///< pauses in force at the end of a run

    /// Total of a kind of GPU time of a job [ps].
    int64_t Spent(const std::string& job, const std::string& kind)
    {
        return Integer("SELECT COALESCE(SUM(s.end_ps - s.start_ps), 0) FROM span AS s "
                       "JOIN job USING (run, job) WHERE name = '" +
                       job + "' AND kind = '" + kind + "'");
    }
};

// Three jobs on all GPUs, one after the other: each is placed 1 us after the end of the one before,
// which is when the manager knows of it, and starts 1 us later.
TEST_F(HelperGpuTimeTest, JobsQueue)
{
    Run(Network() + R"(
jobs:
  - name: all
    count: 3
    gpus: 8
    iterations: 2
    iteration: [{compute: 100us}, {all-reduce: {bytes: 1MB}}]
)");
    CheckGpuTime();
    EXPECT_EQ(Rows("SELECT status, start_ps - arrival_ps > 0 FROM job"),
              (Strings{"finished|1", "finished|1", "finished|1"}));
    EXPECT_EQ(Rows("SELECT b.start_ps - a.end_ps FROM job AS a JOIN job AS b ON b.job = a.job + 1"),
              (Strings{"2000000", "2000000"}));
    // GPUs are held from the placement on: 1 us of peer wait each before the start.
    EXPECT_EQ(Rows("SELECT MIN(a.start_ps) - j.start_ps, COUNT(DISTINCT gpu), MAX(a.end_ps) - "
                   "j.end_ps FROM gpu_allocation AS a JOIN job AS j USING (run, job) GROUP BY job"),
              Strings(3, "-1000000|8|0"));
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM span JOIN gpu_allocation AS a USING (run, job, gpu, "
                      "start_ps) WHERE kind = 'peer_wait' AND span.end_ps - start_ps >= 1000000"),
              24);
    EXPECT_EQ(Spent("all-1", "compute"), 8 * 2 * 100'000'000);
}

// A job until another ends: one iteration more than it has begun when that is known.
TEST_F(HelperGpuTimeTest, UntilAnotherJobEnds)
{
    Run(Network() + R"(
jobs:
  - name: leader
    hosts: [host0, host2]
    iterations: 3
    iteration: [{compute: 100us}, {all-reduce: {bytes: 1MB}}]
  - name: background
    hosts: [host1, host3]
    until: leader
    iteration: [{compute: 30us}, {all-reduce: {bytes: 200kB}}]
  - name: late
    gpus: 8
    until: leader
    iteration: [{compute: 30us}]
)");
    CheckGpuTime();
    EXPECT_EQ(Rows("SELECT name, status, start_ps IS NULL FROM job"),
              (Strings{"leader|finished|0", "background|finished|0", "late|finished|1"}));
    // All rows of iterations that start before 1 us after the leader's end, and one more.
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM iteration WHERE job = 1"),
              1 + Integer("SELECT COUNT(*) FROM iteration AS i JOIN job AS l ON l.job = 0 "
                          "WHERE i.job = 1 AND i.start_ps <= l.end_ps + 1000000"));
    EXPECT_EQ(Rows("SELECT kind, detail FROM job_event WHERE job = 2"),
              (Strings{"arrived|", "finished|never started: leader has ended"}));
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM gpu_allocation WHERE job = 2"), 0);
}

// Between placement, at the arrival, and the start, 1 us later: the GPUs wait, and nothing else.
TEST_F(HelperGpuTimeTest, StopBetweenPlacementAndStart)
{
    std::string jobs = Network() + R"(
jobs:
  - name: late
    gpus: 4
    arrival: 5us
    iterations: 2
    iteration: [{compute: 100us}, {all-reduce: {bytes: 1MB}}]
)";
    for (int64_t stop : {5'000'000, 5'000'001, 5'400'000, 5'999'999, 6'000'000, 6'000'001})
    {
        Run(jobs + "stop: {time: " + std::to_string(stop) + "ps}\n");
        CheckGpuTime();
        EXPECT_EQ(Integer("SELECT end_ps FROM run"), stop);
        EXPECT_EQ(Rows("SELECT status FROM run"), Strings{"stopped"});
        EXPECT_EQ(Spent("late", "peer_wait"), 4 * std::min<int64_t>(stop - 5'000'000, 1'000'000))
            << stop;
        EXPECT_EQ(Spent("late", "compute"), 4 * std::max<int64_t>(stop - 6'000'000, 0)) << stop;
    }
}

// Neither arrives; one waits for GPUs to the end.
TEST_F(HelperGpuTimeTest, JobsThatNeverStart)
{
    Run(Network() + R"(
stop: {time: 500us}
jobs:
  - name: first
    gpus: 6
    iterations: 100
    iteration: [{compute: 100us}, {all-reduce: {bytes: 1MB}}]
  - name: waits
    gpus: 4
    arrival: 10us
    iterations: 1
    iteration: [{compute: 10us}]
  - name: later
    gpus: 1
    arrival: 501us
    iterations: 1
    iteration: [{compute: 10us}]
)");
    CheckGpuTime();
    EXPECT_EQ(Rows("SELECT name, status, start_ps IS NULL, end_ps IS NULL FROM job"),
              (Strings{"first|running|0|1", "waits|waiting|1|1", "later|not arrived|1|1"}));
    // 6 of 8 GPUs from 0 to the stop.
    EXPECT_EQ(Integer("SELECT SUM(end_ps - start_ps) FROM gpu_allocation"), 6 * 500'000'000LL);
    EXPECT_EQ(Integer("SELECT measure_to_ps - measure_from_ps FROM run"), 500'000'000);
}

// No jobs, but flows; and nothing at all for a while.
TEST_F(HelperGpuTimeTest, NoJobs)
{
    Run(Network() + "flows: [{from: host0, to: host3, bytes: 1MB}]\n");
    CheckGpuTime();
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM transfer WHERE completed_ps IS NOT NULL"), 1);
    EXPECT_EQ(Rows("SELECT gpu_utilization, gpu_utilization_all FROM v_cluster_utilization"),
              Strings{"NULL|NULL"});
    EXPECT_EQ(Integer("SELECT actual FROM invariant WHERE name = 'gpu_time_ps'"),
              8 * Integer("SELECT end_ps FROM run"));

    // Only a recorder, which might send something.
    Run(Network() + "stop: {when: time, time: 3ms}\nrecord: [jobs, events, QueueLength]\n");
    CheckGpuTime();
    EXPECT_EQ(Integer("SELECT end_ps FROM run"), 3'000'000'000);
    EXPECT_EQ(Rows("SELECT status FROM run"), Strings{"finished"});
}

/*
 * A starved queue pair fails. The downlink of host3 is taken by a job of high intensity and, so
 * that it never drains, by a flow of the same priority; a message of 8 KB of a job below them waits
 * in the switch, too short to be paused, for longer than its RetryTimeout of 5 ms.
 */
class HelperStarvationTest : public HelperGpuTimeTest
{
  protected:
    static std::string Starving(const std::string& retry)
    {
        return R"(
topology: {type: Star, Hosts: 4, GpusPerHost: 2, NicRate: 10Gbps, LinkDelay: 1us}
defaults:
  ns3::RoceNic::CongestionControl: ns3::FixedRate
  ns3::RoceNic::RetransmissionTimeout: 1ms
  ns3::RoceNic::RetryTimeout: )" +
               retry + R"(
scheduler: {type: GpuIntensity, Levels: 2}
measure: {warmup: 0}
jobs:
  - name: starver
    hosts: [host1, host3]
    gpus-per-host: 1
    iterations: 1
    flop: 1e15
    iteration: [{compute: 10us}, {all-reduce: {bytes: 25MB}}]
  - name: starved
    hosts: [host0, host3]
    gpus-per-host: 1
    iterations: 3
    flop: 1e9
    arrival: 1ms
    iteration: [{compute: 1ms}, {all-reduce: {bytes: 16kB}}]
  - name: next
    hosts: [host0, host3]
    gpus-per-host: 2
    iterations: 1
    flop: 1e9
    arrival: 2ms
    iteration: [{compute: 100ms}, {all-reduce: {bytes: 16kB}}]
flows:
  - {from: host2, to: host3, bytes: 30MB, priority: 6}
)";
    }
};

TEST_F(HelperStarvationTest, FailedJobGivesItsGpusBack)
{
    Run(Starving("5ms"));
    CheckGpuTime();
    EXPECT_EQ(Rows("SELECT name, status FROM job"),
              (Strings{"starver|finished", "starved|failed", "next|finished"}));
    EXPECT_EQ(Rows("SELECT kind FROM job_event WHERE job = 1"),
              (Strings{"arrived", "placed", "started", "failed"}));
    EXPECT_GE(Integer("SELECT COUNT(*) FROM fabric_event WHERE kind = 'timeout'"), 2);
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM fabric_event WHERE kind = 'failed'"), 1);
    // Started at 1.001 ms, posted at 2.001 ms; RTO 1, 2, 4 ms: failed when the third expires, 7 ms
    // after the last send of the oldest frame.
    int64_t failed = Integer("SELECT time_ps FROM job_event WHERE job = 1 AND kind = 'failed'");
    EXPECT_NEAR(static_cast<double>(failed), 9.001 * MS, 0.02 * MS);
    EXPECT_EQ(Rows("SELECT DISTINCT end_ps FROM gpu_allocation WHERE job = 1"),
              Strings{std::to_string(failed)});
    EXPECT_EQ(Spent("starved", "compute"), 2 * 1'000'000'000);
    EXPECT_EQ(Spent("starved", "exposed_communication") + Spent("starved", "peer_wait"),
              2 * (failed - 2'000'000'000));
    // What waits for all GPUs of its hosts also waits for the starver.
    EXPECT_EQ(Integer("SELECT start_ps FROM job WHERE job = 2"),
              Integer("SELECT end_ps + 2000000 FROM job WHERE job = 0"));
    // The window of the measurement ends with the first job that ends, and so with the failure.
    EXPECT_EQ(Integer("SELECT measure_to_ps FROM run"), failed);
}

// Three queue pairs starve; the first that fails takes the job with it, the others go on trying.
TEST_F(HelperStarvationTest, StopAtRandomInstants)
{
    std::string scenario = Starving("5ms");
    std::string starved = "    arrival: 1ms\n";
    scenario.insert(scenario.find(starved), "    channels: 3\n");
    Run(scenario);
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM queue_pair WHERE job = 1"), 6);
    EXPECT_EQ(Rows("SELECT status FROM job WHERE job = 1"), Strings{"failed"});
    StopAtRandom(scenario, 10);
}

// With the default RetryTimeout, 30 s, it only waits.
TEST_F(HelperStarvationTest, StarvationIsNotLoss)
{
    Run(Starving("30s"));
    CheckGpuTime();
    EXPECT_EQ(Rows("SELECT DISTINCT status FROM job"), Strings{"finished"});
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM fabric_event WHERE kind = 'failed'"), 0);
    // Until the starver's 25 MB and the flow's share of 25 MB are through.
    EXPECT_GT(Real("SELECT end_ps - start_ps FROM iteration WHERE job = 1 AND iteration = 0"),
              35 * MS);
}

// All invariants hold at 50 random instants of a run with everything in it: queues, pauses, marks,
// path changes, queueing jobs, a starting and an ending job.
TEST_F(HelperGpuTimeTest, StopAtRandomInstants)
{
    std::string scenario = Network() + R"(
defaults:
  ns3::FabricSwitch::BufferSize: 4MB
  ns3::Dcqcn::Preset: paper
  ns3::RedEcnMarker::Kmin: 20kB
  ns3::RedEcnMarker::Kmax: 100kB
  ns3::RedEcnMarker::Pmax: 0.2
scheduler: {type: GpuIntensity, SelectPaths: true}
measure: {from: 0us, to: 1s}
jobs:
  - name: wide
    gpus-per-host: 1
    hosts: [host0, host1, host2, host3]
    iterations: 3
    flop: 1e12
    compute-jitter: {cv: 5%}
    iteration: [{compute: 60us}, {all-reduce: {bytes: 1MB}}, {compute: 7us}, {all-gather: {bytes: 200kB}}]
  - name: narrow
    count: 4
    gpus: 2
    gpus-per-host: 1
    iterations: 2
    flop: 1e10
    arrival: {uniform: [0us, 300us]}
    iteration: [{compute: 40us}, {reduce-scatter: {bytes: 800kB}}]
  - name: background
    gpus: 2
    gpus-per-host: 1
    until: wide
    iteration: [{compute: 20us}, {all-reduce: {bytes: 100kB}}]
flows:
  - {from: host0, to: host3, bytes: 1MB, at: 50us}
  - {from: host1, to: host3, bytes: 1MB, at: 60us, priority: 5}
  - {from: host2, to: host3, bytes: 1MB, at: 60us, priority: 5}
)";
    Run(scenario);
    // The run has all of it.
    EXPECT_GT(Integer("SELECT COUNT(*) FROM pause"), 0);
    EXPECT_GT(Integer("SELECT SUM(marked_frames) FROM job_link"), 0);
    EXPECT_GT(Integer("SELECT COUNT(*) FROM queue_pair_change"), 0);
    EXPECT_GT(Integer("SELECT COUNT(*) FROM job WHERE start_ps - arrival_ps > 10000000"), 0);
    StopAtRandom(scenario, 50);
    EXPECT_GT(cutPauses, 0); // some stops fell into a pause
}

// The same without PFC: drops, NAKs, timeouts and retransmissions, and all of it arrives.
TEST_F(HelperGpuTimeTest, StopAtRandomInstantsWithLoss)
{
    std::string scenario = Network() + R"(
defaults:
  ns3::RoceNic::CongestionControl: ns3::FixedRate
  ns3::RoceNic::RetransmissionTimeout: 100us
  ns3::FabricSwitch::Pfc: "false"
  ns3::FabricSwitch::BufferSize: 60kB
record: [jobs, collectives, transfers, events]
jobs:
  - name: job
    gpus-per-host: 1
    hosts: [host0, host1, host2, host3]
    iterations: 2
    iteration: [{compute: 30us}, {all-reduce: {bytes: 1MB}}]
flows:
  - {from: host0, to: host3, bytes: 300kB, at: 50us}
  - {from: host1, to: host3, bytes: 300kB, at: 50us}
  - {from: host2, to: host3, bytes: 300kB, at: 50us}
)";
    Run(scenario);
    EXPECT_GT(Integer("SELECT COUNT(*) FROM fabric_event WHERE kind = 'drop'"), 0);
    EXPECT_GT(Integer("SELECT COUNT(*) FROM fabric_event WHERE kind = 'nak'"), 0);
    EXPECT_GT(Integer("SELECT SUM(retransmitted_bytes) FROM transfer"), 0);
    EXPECT_EQ(Integer("SELECT SUM(bytes) FROM transfer"), 3 * 300'000 + 2 * 6 * 1'000'000);
    StopAtRandom(scenario, 20);
}

} // namespace
