/* SPDX-License-Identifier: GPL-2.0-only */

// What has not ended when a run does is in its database, and so are the series of queue pairs.

#include "../fixture/scenario-run-fixture.h"

namespace ns3
{

class HelperUnfinishedTest : public ScenarioRunFixture
{
  protected:
    using Strings = std::vector<std::string>;

    static constexpr const char* STAR =
        "topology: {type: Star, Hosts: 3, Rate: 100Gbps, LinkDelay: 1us}\n"
        "defaults: {ns3::RoceNic::CongestionControl: ns3::FixedRate}\n";
};

// 1 GB takes 80 ms and more. Frames of 4178 B take 334.24 ns a hop; frame k (from 0) is sent from
// 334.24 k ns on, and is at the receiver two hops of 1 us and two transmissions later, the first
// 1.28 ns after that, as it is 16 B longer: 2.66848 + 0.00128 + 0.33424 k <= 100 us for k <= 291,
// so 292 frames of 4096 B by then.
TEST_F(HelperUnfinishedTest, APostedMessageIsARow)
{
    Run(std::string(STAR) + "stop: {time: 100us}\nflows:\n"
                            "  - {from: host1, to: host0, bytes: 1GB, at: 0us}\n"
                            "  - {from: host2, to: host1, bytes: 4096B, at: 10us}\n"
                            "  - {from: host2, to: host0, bytes: 4096B, at: 200us}\n");
    EXPECT_EQ(Rows("SELECT bytes, delivered_bytes, delivered_ps IS NULL, completed_ps IS NULL "
                   "FROM transfer ORDER BY queue_pair"),
              (Strings{"1000000000|" + std::to_string(292 * 4096) + "|1|1", "4096|4096|0|0"}));
    EXPECT_EQ(Rows("SELECT figure, value FROM v_run_figure WHERE figure IN ('unfinished_flows', "
                   "'fct_p99_us') ORDER BY figure"),
              Strings{"unfinished_flows|1"});
    EXPECT_EQ(Rows("SELECT fraction, censored FROM v_transfer_cdf"), Strings{"0.5|1"});
    EXPECT_NE(messages.find("1 of 3 flows had not started when the run ended"), std::string::npos)
        << messages;
}

// The host at the other end fails: the queue pair gives up with what it had not delivered.
TEST_F(HelperUnfinishedTest, AFailedMessageIsARow)
{
    Run(std::string(STAR) + "stop: {time: 1ms}\nflows:\n"
                            "  - {from: host1, to: host0, bytes: 1GB, at: 0us}\n"
                            "faults: [{at: 100us, host: host0, action: down}]\n");
    EXPECT_EQ(Rows("SELECT COUNT(*), SUM(delivered_bytes < bytes AND delivered_bytes > 0), "
                   "COUNT(completed_ps) FROM transfer"),
              Strings{"1|1|0"});
}

// A job that fails frees its queue pairs at once, long before the end: its last all-reduce, two
// messages of half its bytes at a time, is cut short in both directions.
TEST_F(HelperUnfinishedTest, MessagesOfAFailedJobAreRows)
{
    Run(std::string(STAR) +
        "stop: {time: 10ms}\nrecord: [jobs, transfers]\njobs:\n"
        "  - {name: a, hosts: [host0, host1], iterations: 9, iteration: [{compute: 10us}, "
        "{all-reduce: {bytes: 20MB}}]}\n"
        "faults: [{at: 400us, host: host0, action: down}]\n");
    EXPECT_EQ(Rows("SELECT status FROM job"), Strings{"failed"});
    EXPECT_EQ(Rows("SELECT COUNT(*), SUM(bytes), SUM(delivered_bytes > 0 AND delivered_bytes < "
                   "bytes) FROM transfer WHERE completed_ps IS NULL"),
              Strings{"2|20000000|2"});
}

// Job a ends; b is cut by the end in its second iteration; c has not arrived, d waits for GPUs.
TEST_F(HelperUnfinishedTest, JobsSayWhereTheyAre)
{
    Run(std::string("topology: {type: Star, Hosts: 4, Rate: 100Gbps, LinkDelay: 1us, "
                    "GpusPerHost: 1}\n"
                    "stop: {when: time, time: 1500us}\nrecord: [jobs, collectives, transfers]\n"
                    "jobs:\n"
                    "  - {name: a, hosts: [host0, host1], iterations: 2, iteration: [{compute: "
                    "100us}, {all-reduce: {bytes: 200kB}}]}\n"
                    "  - {name: b, hosts: [host2, host3], iterations: 2, iteration: [{compute: "
                    "600us}, {all-reduce: {bytes: 20MB}}]}\n"
                    "  - {name: c, gpus: 1, iterations: 2, arrival: 3ms, iteration: [{compute: "
                    "100us}]}\n"
                    "  - {name: d, gpus: 4, iterations: 2, arrival: 1us, iteration: [{compute: "
                    "100us}]}\n"));
    EXPECT_EQ(Rows("SELECT name, status, open_iteration_ps IS NULL FROM job ORDER BY job"),
              (Strings{"a|finished|1", "b|running|0", "c|not arrived|1", "d|waiting|1"}));
    // It began its first iteration, whose 20 MB take 1.6 ms and more, a microsecond after it came.
    EXPECT_EQ(Rows("SELECT open_iteration_ps FROM job WHERE name = 'b'"), Strings{"1000000"});
    EXPECT_EQ(Rows("SELECT name, COUNT(*), COUNT(collective.end_ps) FROM collective JOIN job USING "
                   "(run, job) "
                   "GROUP BY name ORDER BY name"),
              (Strings{"a|2|2", "b|1|0"}));
    // Both ranks of b have sent half of the buffer in the first step or are at it.
    EXPECT_EQ(Rows("SELECT COUNT(*) > 0, SUM(delivered_bytes > 0) > 0 FROM v_transfer WHERE "
                   "job = 'b' AND completed_us IS NULL"),
              Strings{"1|1"});
    EXPECT_EQ(Rows("SELECT value FROM v_run_figure WHERE figure = 'unfinished_jobs'"),
              Strings{"2"});
}

TEST_F(HelperUnfinishedTest, ThereMustBeSomethingToRun)
{
    EXPECT_EQ(Try("topology: {type: Star, Hosts: 3}\nstop: {time: 1ms}\n"),
              ScenarioRunner::BAD_INPUT);
    EXPECT_NE(messages.find("there is nothing to run: no jobs and no flows"), std::string::npos)
        << messages;
    // A recorder may send something of its own.
    Run("topology: {type: Star, Hosts: 3}\nstop: {time: 1ms}\nrecord: [QueueLength]\n");
}

// At 100 Gb/s; 40 frames of 4096 B are there after 2.66976 + 0.33424 x 39 = 15.705 us. After 10 us
// those up to k = 21, 22 frames; after 20 us all, and nothing changes any more.
TEST_F(HelperUnfinishedTest, QueuePairsAreSampled)
{
    Run(std::string(STAR) + "stop: {when: time, time: 100us}\nflows:\n"
                            "  - {from: host1, to: host0, bytes: 163840B, at: 0us}\n"
                            "record: [{queue-pairs: {interval: 10us}}]\n");
    EXPECT_EQ(Rows("SELECT queue_pair, time_ps/1000000, rate_bps, window_bytes, delivered_bytes, "
                   "pending_bytes, rtt_ps FROM queue_pair_sample"),
              (Strings{"0|10|100000000000.0|NULL|90112|73728|NULL",
                       "0|20|100000000000.0|NULL|163840|0|NULL"}));
}

// TIMELY measures round-trip times; samples change nothing in the run.
TEST_F(HelperUnfinishedTest, SamplesHaveRoundTripTimes)
{
    const std::string scenario = "topology: {type: Star, Hosts: 3, Rate: 10Gbps, LinkDelay: 1us}\n"
                                 "defaults: {ns3::RoceNic::CongestionControl: ns3::Timely}\n"
                                 "flows:\n"
                                 "  - {from: host1, to: host0, bytes: 2MB, at: 0us}\n"
                                 "  - {from: host2, to: host0, bytes: 2MB, at: 0us}\n";
    Run(scenario + "record: [events]\n");
    const Strings without = Rows("SELECT completed_ps FROM transfer ORDER BY queue_pair");
    Run(scenario + "record: [{queue-pairs: {interval: 50us}}]\n");
    EXPECT_EQ(Rows("SELECT completed_ps FROM transfer ORDER BY queue_pair"), without);
    EXPECT_GT(Integer("SELECT COUNT(DISTINCT rate_bps) FROM queue_pair_sample"), 5);
    // Two hops there and back take at least 4 us.
    EXPECT_GT(Integer("SELECT MIN(rtt_ps) FROM queue_pair_sample"), 4'000'000);
    EXPECT_EQ(Rows("SELECT queue_pair, MAX(delivered_bytes) FROM queue_pair_sample GROUP BY 1"),
              (Strings{"0|2000000", "1|2000000"}));
}

} // namespace ns3
