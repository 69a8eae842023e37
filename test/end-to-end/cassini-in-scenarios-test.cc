/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/scenario-run-fixture.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// CASSINI's shifts on the packet network.
class CassiniInScenariosTest : public SharedLinkFixture
{
  protected:
    /// GPU time of a job that is a shift, for one of its GPUs [ps].
    double ShiftOf(const std::string& job) const
    {
        return Real(
            "SELECT SUM(s.end_ps - s.start_ps) / 2.0 FROM span AS s JOIN job USING (run, job) "
            "WHERE kind = 'shift' AND name = '" +
            job + "'");
    }
};

// C5: two equal jobs with C = D. Started together they run at 1.5 times their solo period, C + D,
// under fair sharing; one of them shifted by D at their solo speed.
TEST_F(CassiniInScenariosTest, TwoEqualJobsRunAsIfAlone)
{
    constexpr uint64_t BYTES = 25'000'000;
    const double d = MeasureSolo({"a", 5 * MS, BYTES});
    RunPair({"a", d, BYTES}, {"b", d, BYTES}, "None", 15 * d);
    for (const char* job : {"a", "b"})
    {
        EXPECT_NEAR(Period(job, 3 * d) / (2 * d), 1.5, 0.03 * 1.5) << job;
    }
    RunPair({"a", d, BYTES}, {"b", d, BYTES}, "{type: Cassini, Period: 0s}", 15 * d);
    for (const char* job : {"a", "b"})
    {
        const double slowdown = Period(job, 3 * d) / (2 * d);
        EXPECT_NEAR(slowdown, 1, 0.03) << job;
        RecordProperty(std::string(job) + "_slowdown", std::to_string(slowdown));
    }
    EXPECT_EQ(Rows("SELECT DISTINCT name FROM span JOIN job USING (run, job) WHERE kind = 'shift'"),
              (std::vector<std::string>{"b"}));
    EXPECT_NEAR(ShiftOf("b") / d, 1, 0.03);
    EXPECT_EQ(Rows("SELECT job.name FROM decision JOIN job USING (run, job) WHERE kind = 'shift'"),
              (std::vector<std::string>{"b"}));
}

// The second job arrives when the first is at a quarter of its communication.
TEST_F(CassiniInScenariosTest, AJobThatArrivesIsShiftedAgainstTheOneThatRuns)
{
    constexpr uint64_t BYTES = 25'000'000;
    const double d = MeasureSolo({"a", 5 * MS, BYTES});
    const Pair late{"b", d, BYTES, 1e9, 3.25 * d};
    RunPair({"a", d, BYTES}, late, "{type: Cassini, Period: 0s}", 20 * d);
    for (const char* job : {"a", "b"})
    {
        EXPECT_NEAR(Period(job, 7 * d) / (2 * d), 1, 0.03) << job;
    }
    // a's iterations start at 0, 2, 4 d: b's at 5 d.
    EXPECT_NEAR(ShiftOf("b") / d, 1.75, 0.05);
}

// Jobs of different length drift apart; with a period they are put back.
TEST_F(CassiniInScenariosTest, DriftIsCorrected)
{
    constexpr uint64_t BYTES = 25'000'000;
    const double d = MeasureSolo({"a", 5 * MS, BYTES});
    // 2.5 d and 2.6 d: in rounded angles (72 and 75 cells) a common circle of 1800 cells.
    const std::string period = "{type: Cassini, Period: " + Ps(5 * d) + "}";
    RunPair({"a", 1.5 * d, BYTES}, {"b", 1.6 * d, BYTES}, period, 60 * d);
    EXPECT_GT(Integer("SELECT COUNT(*) FROM decision WHERE kind = 'shift' AND trigger = 'period'"),
              0);
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM decision AS x JOIN job USING (run, job) "
                      "WHERE kind = 'shift' AND name = 'a'"),
              0);
}

TEST_F(CassiniInScenariosTest, JobsOnEvenAndOddGpus)
{
    const std::string text = R"(
topology: {type: LeafSpine, Leaves: 1, Spines: 1, HostsPerLeaf: 2, GpusPerHost: 4, NicsPerHost: 2,
           NicRate: 100Gbps, Uplinks: 1, UplinkRate: 100Gbps}
jobs:
  - {name: odd, hosts: [host0, host1], local-gpus: [3, 1], iterations: 2,
     iteration: [{compute: 1ms}, {all-reduce: {bytes: 1MB}}]}
  - {name: even, gpus: 4, local-gpus: [0, 2], iterations: 2,
     iteration: [{compute: 1ms}, {all-reduce: {bytes: 1MB}}]}
placement: )";
    for (const char* placement :
         {"Consolidate", "BestFit", "FirstFit", "Spread", "Random", "Tiresias", "Cassini", "Crop"})
    {
        SCOPED_TRACE(placement);
        Run(text + placement + "\n");
        EXPECT_EQ(Rows("SELECT value FROM decision WHERE kind = 'placement' ORDER BY job"),
                  (std::vector<std::string>{"host0:1,3 host1:1,3", "host0:0,2 host1:0,2"}));
    }
}

TEST_F(CassiniInScenariosTest, CassiniPlacementAvoidsTheContendedUplink)
{
    // Jobs on 2 GPUs under two leaves each; first fit would put c where a's uplink is, though d's
    // leaves are free. Named hosts keep a in its place.
    const std::string text = R"(
topology: {type: LeafSpine, Leaves: 4, Spines: 1, HostsPerLeaf: 2, GpusPerHost: 1, NicsPerHost: 1,
           NicRate: 10Gbps, Uplinks: 1, UplinkRate: 10Gbps}
jobs:
  - {name: a, hosts: [host0, host2], iterations: 4,
     iteration: [{compute: 10ms}, {all-reduce: {bytes: 25MB}}]}
  - {name: full, hosts: [host1], iterations: 20, iteration: [{compute: 10ms}]}
  - {name: c, gpus: 2, iterations: 4, arrival: 1ms,
     iteration: [{compute: 10ms}, {all-reduce: {bytes: 25MB}}]}
placement: )";
    const std::string query = "SELECT value FROM decision JOIN job USING (run, job) "
                              "WHERE kind = 'placement' AND name = 'c'";
    Run(text + "FirstFit\n");
    EXPECT_EQ(Rows(query), (std::vector<std::string>{"host3:0 host4:0"}));
    const double contended = Period("c", 0);
    Run(text + "{type: Cassini, Base: FirstFit}\n");
    EXPECT_EQ(Rows(query), (std::vector<std::string>{"host4:0 host5:0"}));
    EXPECT_LT(Period("c", 0), 0.9 * contended);
}

} // namespace
