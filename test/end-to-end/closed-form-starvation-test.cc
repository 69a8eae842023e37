/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/scenario-run-fixture.h"

#include <vector>

using namespace ns3;

namespace
{

/**
 * C9 (schedulers.md, section 8): three equal jobs with C = D on one link of 10 Gb/s, hosts left and
 * right of it. D is about 100 ms, so that the frames that slip through while a job's ring turns
 * around (three of 12,000 in two seconds) are negligible.
 */
class ClosedFormStarvationTest : public SharedLinkFixture
{
  protected:
    static constexpr uint64_t BYTES = 123'000'000;

    /// Three jobs, the first two with so many iterations; a has the most FLOPs, c the fewest.
    void RunThree(const std::string& scheduler,
                  double compute,
                  uint64_t iterations,
                  uint64_t thirdIterations,
                  const std::string& stop)
    {
        std::string network = Network();
        network.insert(network.find("    - {name: left"), "    - {name: c0}\n    - {name: c1}\n");
        network.insert(network.find("    - {between: [left"),
                       "    - {between: [c0, left], rate: 10Gbps, delay: 1us}\n"
                       "    - {between: [c1, right], rate: 10Gbps, delay: 1us}\n");
        Run(network + "jobs:\n" + Job({"a", compute, BYTES, 3e9, 0, iterations}) +
            Job({"b", compute, BYTES, 2e9, 0, iterations}) +
            Job({"c", compute, BYTES, 1e9, 0, thirdIterations}) + "scheduler: " + scheduler + "\n" +
            stop);
    }

    std::vector<double> Ends(const std::string& job) const
    {
        return Column(
            "SELECT i.end_ps FROM iteration AS i JOIN job USING (run, job) WHERE name = '" + job +
            "' ORDER BY iteration");
    }
};

// a never waits: it ends at 2, 4, 6, ... b waits once for a: 3, 5, 7, ... From D to the end of the
// last iteration of b, the link belongs to them alone. c then sends what it has left: its first
// all-reduce, from 21 D to 22 D. It has waited for two seconds, and sent nothing twice.
TEST_F(ClosedFormStarvationTest, StrictPriorityStarvesTheThirdUntilTheOthersLeave)
{
    double d = MeasureSolo({"a", 5 * MS, BYTES});
    EXPECT_GT(20 * d, 2 * S);
    RunThree("{type: GpuIntensity, Levels: 3}",
             d,
             10,
             2,
             "record: [jobs, collectives, transfers, events]\n");
    std::vector<double> first = Ends("a");
    std::vector<double> second = Ends("b");
    std::vector<double> third = Ends("c");
    ASSERT_EQ(first.size(), 10u);
    ASSERT_EQ(second.size(), 10u);
    ASSERT_EQ(third.size(), 2u);
    for (size_t i = 0; i < 10; ++i)
    {
        EXPECT_NEAR(first[i] / d, 2.0 + 2 * i, 0.01);
        EXPECT_NEAR(second[i] / d, 3.0 + 2 * i, 0.01);
    }
    EXPECT_NEAR(third[0] / d, 22, 0.05);
    EXPECT_NEAR(third[1] / d, 24, 0.05);
    RecordProperty("third", std::to_string(third[0] / d));
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM job WHERE status = 'finished'"), 3);
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM fabric_event WHERE kind = 'failed'"), 0);
    EXPECT_EQ(Integer("SELECT SUM(retransmitted_bytes) FROM transfer"), 0);
    // All of the link, from D on.
    double busy = Real("SELECT SUM(busy_ps) FROM job_link JOIN link USING (run, link) "
                       "WHERE link.name = 'left-right' AND job < 3");
    EXPECT_NEAR(busy / d, 22, 0.1);
}

// "Never": as long as the others stay, no iteration of c ends.
TEST_F(ClosedFormStarvationTest, PeriodsTwoTwoNever)
{
    double d = MeasureSolo({"a", 5 * MS, BYTES});
    RunThree("{type: GpuIntensity, Levels: 3}",
             d,
             1'000'000,
             1'000'000,
             "stop: {when: time, time: " + Ps(15.5 * d) + "}\n");
    EXPECT_NEAR(Period("a", 0) / d, 2, 0.01);
    EXPECT_NEAR(Period("b", 2 * d) / d, 2, 0.01);
    EXPECT_EQ(Ends("c").size(), 0u);
    RecordProperty("period_a", std::to_string(Period("a", 0) / d));
    RecordProperty("period_b", std::to_string(Period("b", 2 * d) / d));
    // The link is busy all the time from D on, and c has no part in it.
    double busy = Real("SELECT SUM(busy_ps) FROM job_link JOIN link USING (run, link) "
                       "WHERE link.name = 'left-right'");
    EXPECT_NEAR(busy / d, 14.5, 0.05);
    double third = Real("SELECT SUM(busy_ps) FROM job_link JOIN link USING (run, link) "
                        "JOIN job USING (run, job) "
                        "WHERE link.name = 'left-right' AND job.name = 'c'");
    EXPECT_LT(third / d, 0.05);
    RecordProperty("link", std::to_string(busy / d / 14.5));
    RecordProperty("link_c", std::to_string(third / d));
}

// Fair and synchronous: all compute for D, then share the link for 3 D. It is busy for 3/4.
TEST_F(ClosedFormStarvationTest, FairSharingFourFourFour)
{
    double d = MeasureSolo({"a", 5 * MS, BYTES});
    RunThree("None", d, 1'000'000, 1'000'000, "stop: {when: time, time: " + Ps(12.05 * d) + "}\n");
    for (const char* job : {"a", "b", "c"})
    {
        EXPECT_NEAR(Period(job, 0) / d, 4, 0.02) << job;
        RecordProperty(std::string("period_") + job, std::to_string(Period(job, 0) / d));
    }
    double busy = Real("SELECT SUM(busy_ps) FROM job_link JOIN link USING (run, link) "
                       "WHERE link.name = 'left-right'");
    EXPECT_NEAR(busy / (12 * d), 0.75, 0.005);
    RecordProperty("link", std::to_string(busy / (12 * d)));
}

} // namespace
