/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/scenario-run-fixture.h"

using namespace ns3;

namespace
{

/*
 * Two jobs under two leaves with two spines. `early` first runs alone, on spine 0 (the first of two
 * equally good paths). At 3 ms `late` arrives with a higher intensity: it gets spine 0, and `early`
 * moves to spine 1 and down a level. After `late` has left, `early` moves back.
 */
class HelperDecisionTest : public ScenarioRunFixture
{
  protected:
    using Strings = std::vector<std::string>;

    static std::string Scenario(const std::string& more = "")
    {
        return R"(
topology:
  type: LeafSpine
  Leaves: 2
  Spines: 2
  HostsPerLeaf: 2
  GpusPerHost: 1
  NicRate: 10Gbps
  Uplinks: 2
  UplinkRate: 10Gbps
  LinkDelay: 1us
scheduler: {type: GpuIntensity, SelectPaths: true, Levels: 3}
measure: {from: 0us, to: 1s}
record: [jobs, collectives, transfers, events]
jobs:
  - name: early
    hosts: [host0, host2]
    iterations: 20
    flop: 1e9
    iteration: [{compute: 100us}, {all-reduce: {bytes: 1MB}}]
  - name: late
    hosts: [host1, host3]
    iterations: 6
    flop: 1e12
    arrival: 3ms
    iteration: [{compute: 900us}, {all-reduce: {bytes: 1MB}}]
defaults:
  ns3::RoceNic::CongestionControl: ns3::FixedRate
)" + more;
    }

    /// Wire bytes of the data of a job on a directed link [byte].
    uint64_t SentOn(const std::string& job, const std::string& link)
    {
        return static_cast<uint64_t>(
            Integer("SELECT COALESCE(SUM(bytes), 0) FROM job_link JOIN job USING (run, job) JOIN "
                    "link USING (run, link) WHERE priority <> 7 AND job.name = '" +
                    job + "' AND link.name = '" + link + "'"));
    }

    /// Wire bytes of the messages of a queue pair that are acknowledged in (from, to] [ps].
    uint64_t CompletedBetween(uint32_t queuePair, int64_t from, int64_t to)
    {
        uint64_t bytes = 0;
        for (double payload :
             Column("SELECT bytes FROM transfer WHERE queue_pair = " + std::to_string(queuePair) +
                    " AND completed_ps > " + std::to_string(from) +
                    " AND completed_ps <= " + std::to_string(to)))
        {
            bytes += WireBytes(static_cast<uint64_t>(payload));
        }
        return bytes;
    }
};

// I = W / t, t = the largest of bytes x 8 / rate over the links; level = rank by I, if there are so
// many levels. Written down for each decision, so that a query can say the same.
TEST_F(HelperDecisionTest, PrioritiesFollowFromTheirInputs)
{
    Run(Scenario());
    EXPECT_EQ(Rows("SELECT time_ps / 1000000 % 11000, trigger, job, value FROM decision "
                   "WHERE kind = 'priority' AND time_ps < 10000000000"),
              (Strings{"0|arrival|0|level 0", "3000|arrival|0|level 1", "3000|arrival|1|level 0"}));
    EXPECT_EQ(Rows("SELECT trigger, job, value, time_ps = (SELECT end_ps + 1000000 FROM job WHERE "
                   "name = 'late') FROM decision WHERE kind = 'priority' "
                   "AND time_ps > 3000000000"),
              Strings{"departure|0|level 0|1"});
    std::string inputs = "FROM decision AS d WHERE kind = 'priority'";
    EXPECT_EQ(Integer("SELECT COUNT(*) " + inputs +
                      " AND ABS(json_extract(inputs, '$.W') / json_extract(inputs, '$.t_s') / "
                      "json_extract(inputs, '$.I') - 1) > 1e-9"),
              0);
    EXPECT_EQ(Integer("SELECT COUNT(*) " + inputs +
                      " AND ABS((SELECT MAX(8.0 * json_extract(value, '$.bytes') / "
                      "json_extract(value, '$.bps')) FROM json_each(d.inputs, "
                      "'$.heaviest_links')) / json_extract(inputs, '$.t_s') - 1) > 1e-9"),
              0);
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM (SELECT value, json_extract(inputs, '$.levels') AS "
                      "levels, RANK() OVER (PARTITION BY time_ps ORDER BY json_extract(inputs, "
                      "'$.I') DESC) - 1 AS place " +
                      inputs + ") WHERE value <> 'level ' || MIN(place, levels - 1)"),
              0);
    // W is the scenario's, t the data and ACKs of 2 messages of 500 kB at 10 Gb/s.
    EXPECT_EQ(Rows("SELECT DISTINCT job, json_extract(inputs, '$.W') " + inputs + " ORDER BY 1"),
              (Strings{"0|1000000000.0", "1|1000000000000.0"}));
    double link = 2 * static_cast<double>(WireBytes(500'000) + AckBytes(500'000)) * 8 / 10e9;
    EXPECT_NEAR(Real("SELECT json_extract(inputs, '$.t_s') " + inputs), link, 1e-12);
}

// A path is the least (utilisation with the flow, sum of the loads before, index).
TEST_F(HelperDecisionTest, PathsFollowFromTheirInputs)
{
    Run(Scenario());
    std::string inputs = "FROM decision AS d WHERE kind = 'path'";
    ASSERT_EQ(Integer("SELECT COUNT(*) " + inputs), 8); // 2 flows: early, both, early again
    const auto get = [](const std::string& key) {
        return "json_extract(d.inputs, '$." + key + "')";
    };
    EXPECT_EQ(Integer("SELECT COUNT(*) " + inputs + " AND NOT (" + get("max") + ", " + get("sum") +
                      ", " + get("index") + ") < (" + get("next_max") + ", " + get("next_sum") +
                      ", " + get("next_index") + ")"),
              0);
    EXPECT_EQ(Integer("SELECT COUNT(*) " + inputs + " AND ABS((SELECT MAX((each.value + " +
                      get("load") +
                      ") * 1.0 / rate_bps) FROM json_each(d.inputs, '$.load_before') AS each JOIN "
                      "link ON link.name = each.key) - " +
                      get("max") + ") > 1e-9"),
              0);
    EXPECT_EQ(Integer("SELECT COUNT(*) " + inputs +
                      " AND ABS((SELECT SUM(each.value * 1.0 / rate_bps) FROM json_each(d.inputs, "
                      "'$.load_before') AS each JOIN link ON link.name = each.key) - " +
                      get("sum") + ") > 1e-9"),
              0);
    // What was there before is what decisions of jobs of higher intensity at that time have put
    // there: of the links that are used up, none.
    EXPECT_EQ(Integer("SELECT MAX(each.value) FROM decision AS d, json_each(d.inputs, "
                      "'$.load_before') AS each WHERE kind = 'path'"),
              0);
    // The load of a flow: its bits of an iteration over the larger of compute and link time.
    double link = 2 * static_cast<double>(WireBytes(500'000) + AckBytes(500'000)) * 8 / 10e9;
    double bits = 2 * static_cast<double>(WireBytes(500'000)) * 8;
    EXPECT_EQ(Rows("SELECT DISTINCT job, " + get("load") + " " + inputs + " ORDER BY 1"),
              (Strings{"0|" + std::to_string(std::llround(bits / link)),
                       "1|" + std::to_string(std::llround(bits / 900e-6))}));
    EXPECT_EQ(Rows("SELECT job, value " + inputs + " AND " + get("flow") +
                   " = 0 "
                   "ORDER BY decision"),
              (Strings{"0|leaf0-spine0 spine0-leaf1",
                       "0|leaf0-spine1 spine1-leaf1",
                       "1|leaf0-spine0 spine0-leaf1",
                       "0|leaf0-spine0 spine0-leaf1"}));
}

// Every change of a queue pair names its decision, and takes effect a control latency after it at
// the next message boundary.
TEST_F(HelperDecisionTest, ChangesPointToTheirDecisions)
{
    Run(Scenario());
    ASSERT_EQ(Rows("SELECT queue_pair, change, old_priority, new_priority FROM queue_pair_change"),
              (Strings{"0|0|6|5", "0|1|5|6", "1|0|6|5", "1|1|5|6"}));
    EXPECT_EQ(Rows("SELECT COUNT(*), COUNT(d.decision), MIN(q.job = d.job), MIN(d.kind), "
                   "MIN(json_extract(inputs, '$.udp_source_port') = c.new), "
                   "MIN(json_extract(inputs, '$.flow') = c.queue_pair), "
                   "MIN(c.time_ps >= d.time_ps + 1000000) "
                   "FROM queue_pair_change AS c JOIN queue_pair AS q USING (run, queue_pair) "
                   "LEFT JOIN decision AS d USING (run, decision)"),
              Strings{"4|4|1|path|1|1|1"});
    // What the queue pair had when it was created is the decision of the start.
    EXPECT_EQ(Rows("SELECT q.queue_pair, q.udp_source_port = json_extract(d.inputs, "
                   "'$.udp_source_port') FROM queue_pair AS q JOIN decision AS d ON d.job = q.job "
                   "AND d.kind = 'path' AND d.time_ps + 1000000 = q.created_ps AND "
                   "json_extract(d.inputs, '$.flow') = q.queue_pair % 2"),
              (Strings{"0|1", "1|1", "2|1", "3|1"}));
    EXPECT_EQ(Rows("SELECT q.udp_source_port = c.old, q.priority = c.old_priority FROM queue_pair "
                   "AS q JOIN queue_pair_change AS c USING (run, queue_pair) WHERE change = 0"),
              (Strings{"1|1", "1|1"}));
}

// Each message is on the path it was given, to the byte: acknowledged before the first change or
// after the second one, on spine 0; between them, on spine 1.
TEST_F(HelperDecisionTest, TransfersUseTheNewPath)
{
    Run(Scenario());
    for (uint32_t queuePair : {0, 1})
    {
        std::string times = "SELECT time_ps FROM queue_pair_change WHERE queue_pair = " +
                            std::to_string(queuePair) + " AND change = ";
        int64_t there = Integer(times + "0");
        int64_t back = Integer(times + "1");
        std::string from = queuePair == 0 ? "leaf0" : "leaf1";
        std::string to = queuePair == 0 ? "leaf1" : "leaf0";
        uint64_t between = CompletedBetween(queuePair, there, back);
        uint64_t outside = CompletedBetween(queuePair, 0, INT64_MAX) - between;
        EXPECT_GT(between, 10 * WireBytes(500'000));
        EXPECT_EQ(between + outside, 40 * WireBytes(500'000));
        EXPECT_EQ(SentOn("early", from + "-spine1"), between);
        EXPECT_EQ(SentOn("early", "spine1-" + to), between);
        EXPECT_EQ(SentOn("early", from + "-spine0"), outside);
        EXPECT_EQ(SentOn("early", "spine0-" + to), outside);
        EXPECT_EQ(SentOn("late", from + "-spine0"), 12 * WireBytes(500'000));
        EXPECT_EQ(SentOn("late", from + "-spine1"), 0u);
        // The priority of a message, too.
        std::string priority =
            " FROM transfer WHERE queue_pair = " + std::to_string(queuePair) +
            " AND priority <> CASE WHEN completed_ps > " + std::to_string(there) +
            " AND completed_ps <= " + std::to_string(back) + " THEN 5 ELSE 6 END";
        EXPECT_EQ(Integer("SELECT COUNT(*)" + priority), 0);
    }
}

// With `drain`, the default, a change of path reorders nothing.
TEST_F(HelperDecisionTest, DrainKeepsOrder)
{
    Run(Scenario());
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM fabric_event"), 0);
    EXPECT_EQ(Integer("SELECT SUM(retransmitted_bytes) FROM transfer"), 0);
    // At the moment of a change nothing is under way: what was posted later is sent later.
    EXPECT_EQ(
        Integer("SELECT COUNT(*) FROM queue_pair_change AS c JOIN transfer AS t USING (run, "
                "queue_pair) WHERE t.delivered_ps < c.time_ps AND t.completed_ps > c.time_ps"),
        0);
}

// All decisions of a run under None are placements and the one level; ports and priorities stay.
TEST_F(HelperDecisionTest, NoneChangesNothing)
{
    std::string scenario = Scenario();
    scenario.replace(scenario.find("{type: GpuIntensity"),
                     std::string("{type: GpuIntensity, SelectPaths: true, Levels: 3}").size(),
                     "None");
    Run(scenario);
    EXPECT_EQ(Rows("SELECT DISTINCT kind, CASE kind WHEN 'placement' THEN '' ELSE value END "
                   "FROM decision ORDER BY 1"),
              (Strings{"placement|", "priority|level 0"}));
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM queue_pair_change"), 0);
    EXPECT_EQ(Rows("SELECT DISTINCT priority FROM transfer"), Strings{"6"});
}

} // namespace
