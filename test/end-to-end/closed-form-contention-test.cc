/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/scenario-run-fixture.h"

#include <vector>

using namespace ns3;

namespace
{

/// Two jobs on one link against the fluid model (schedulers.md, section 8).
class ClosedFormContentionTest : public SharedLinkFixture
{
  protected:
    /// Mean period [ps] of so many iterations of a job.
    double MeanPeriod(const std::string& job, uint32_t first, uint32_t count) const
    {
        std::string start = "(SELECT i.start_ps FROM iteration AS i JOIN job USING (run, job) "
                            "WHERE name = '" +
                            job + "' AND iteration = ";
        return Real("SELECT (" + start + std::to_string(first + count) + ") - " + start +
                    std::to_string(first) + ")) * 1.0 / " + std::to_string(count));
    }

    double ClusterUtilization() const
    {
        return Real("SELECT gpu_utilization_all FROM v_cluster_utilization");
    }

    /// Theorem 1 (Crux, appendix A) for any time: |sum of W x iterations - sum of I x S| is at
    /// most the sum of W, where S is the time that a job holds the link and I = W / t.
    void CheckTheorem() const
    {
        double work = Real("SELECT SUM(flops) FROM job_utilization");
        double held = Real("SELECT SUM(intensity * busy_ps / 1e12) FROM job_link AS l "
                           "JOIN link USING (run, link) JOIN job AS j USING (run, job) "
                           "JOIN v_job AS v ON v.run = l.run AND v.job = j.name "
                           "WHERE link.name = 'left-right'");
        double bound = Real("SELECT SUM(w_flop) FROM job");
        EXPECT_GT(work, 5 * bound); // else it says nothing
        EXPECT_LE(std::abs(work - held), bound) << work << " " << held;
    }

    /// The link's share of the two jobs over the run [ps], data and acknowledgements.
    std::vector<double> LinkTimes() const
    {
        return Column("SELECT SUM(busy_ps) FROM job_link JOIN link USING (run, link) "
                      "WHERE name = 'left-right' GROUP BY job ORDER BY job");
    }
};

// Communication alone: S bytes each way in two messages and the ACKs of as many on the same link,
// at 10 Gb/s; the first frame, of 4194 B, is stored and forwarded twice on 3 links of 1 us, and the
// others follow it; at last an ACK.
//   2 x (wire + ACKs of 12.5 MB) x 8 / B = 20.4267 ms, + 2 x (3 us + 2 x 4194 B x 8 / B) + 3.2 us
TEST_F(ClosedFormContentionTest, SoloCommunication)
{
    double expected = 2 * (static_cast<double>(WireBytes(12'500'000) + AckBytes(12'500'000)) * 800 +
                           3 * US + 2 * 4194 * 800.) +
                      3 * (US + 86 * 800);
    EXPECT_NEAR(expected / MS, 20.4493, 0.0001);
    double measured = MeasureSolo({"a", 5 * MS, 25'000'000});
    EXPECT_NEAR(measured, expected, 0.0001 * expected);
    RecordProperty("measured_ms", std::to_string(measured / MS));
}

// C5: two equal jobs with C = D and fair sharing, one of them delta later. Both start to send when
// the other has D - delta left; both then have half the link: the period is C + 2 D - delta, and
// the offset stays. Alone, or at delta = D, it is C + D.
TEST_F(ClosedFormContentionTest, TwoEqualJobsShareFairly)
{
    constexpr uint64_t BYTES = 25'000'000;
    double d = MeasureSolo({"a", 5 * MS, BYTES});
    for (double delta : {0.0, 0.25, 0.5, 0.75, 1.0})
    {
        RunPair({"a", d, BYTES}, {"b", d, BYTES, 1e9, delta * d}, "None", 17 * d);
        double expected = 3 - delta;
        for (const char* job : {"a", "b"})
        {
            double period = MeanPeriod(job, 0, 4) / d;
            // 0.5 %: what the switch holds when one of them starts or ends is 0.25 % of D.
            EXPECT_NEAR(period, expected, 0.005 * expected) << job << " at offset " << delta;
            RecordProperty(std::string(job) + "_" + std::to_string(delta), std::to_string(period));
        }
        std::vector<double> times = LinkTimes();
        ASSERT_EQ(times.size(), 2u);
        if (delta == 0)
        {
            // Even on a FIFO link with PFC: after 5 x 3 D and a compute time each has had 5 D, and
            // then half of D.
            EXPECT_NEAR(times[0] / d, 5.5, 0.01);
            EXPECT_NEAR(times[1] / d, 5.5, 0.01);
            RecordProperty("link_time_a", std::to_string(times[0] / d));
            RecordProperty("link_time_b", std::to_string(times[1] / d));
        }
    }
}

// C7: the same pair under strict priority, starting together: the loser waits D once, thereafter
// both run at C + D. Iterations end at 2, 4, 6, ... and 3, 5, 7, ... D.
TEST_F(ClosedFormContentionTest, StrictPriorityDelaysTheLoserOnce)
{
    constexpr uint64_t BYTES = 25'000'000;
    double d = MeasureSolo({"a", 5 * MS, BYTES});
    RunPair({"a", d, BYTES, 1e9},
            {"b", d, BYTES, 2e9},
            "{type: GpuIntensity, Levels: 2}",
            10.5 * d);
    std::vector<double> winner = Column("SELECT end_ps FROM iteration WHERE job = 1");
    std::vector<double> loser = Column("SELECT end_ps FROM iteration WHERE job = 0");
    ASSERT_EQ(winner.size(), 5u);
    ASSERT_EQ(loser.size(), 4u);
    for (size_t i = 0; i < winner.size(); ++i)
    {
        EXPECT_NEAR(winner[i] / d, 2.0 + 2 * i, 0.01);
    }
    for (size_t i = 0; i < loser.size(); ++i)
    {
        EXPECT_NEAR(loser[i] / d, 3.0 + 2 * i, 0.01);
    }
    // The winner has level 0, priority 6; the loser level 1, priority 5.
    EXPECT_EQ(Rows("SELECT DISTINCT job, priority FROM queue_pair ORDER BY job"),
              (std::vector<std::string>{"0|5", "1|6"}));
    CheckTheorem();
}

/// C11: J1 (W = 10, C = 1, t = 1) and J2 (W = 10, C = 1, t = 2), two GPUs each. A unit is the time
/// that J1 communicates alone, 10 ms.
class ClosedFormIntensityOrderTest : public ClosedFormContentionTest
{
  protected:
    static constexpr uint64_t BYTES = 12'200'000;

    /// Runs for 33 units, measured from 9 to 33: 3 cycles of 8, 6 of 4, 8 of 3 units.
    void RunOrder(double flop1, double flop2, const std::string& scheduler)
    {
        unit = MeasureSolo({"a", 5 * MS, BYTES});
        RunPair({"a", unit, BYTES, flop1},
                {"b", unit, 2 * BYTES, flop2},
                scheduler,
                33 * unit,
                9 * unit);
    }

    /// 1 %: a communication of J2 takes 0.1 % less than two units, and what the switch holds at
    /// the start or end of a contention is 0.5 % of a unit.
    void Check(double period1, double period2, double utilization)
    {
        double measured1 = MeanPeriod("a", 3, 6) / unit;
        double measured2 = MeanPeriod("b", 2, 4) / unit;
        double measured = ClusterUtilization();
        EXPECT_NEAR(measured1, period1, 0.01 * period1);
        EXPECT_NEAR(measured2, period2, 0.01 * period2);
        EXPECT_NEAR(measured, utilization, 0.01 * utilization);
        RecordProperty("period_1", std::to_string(measured1));
        RecordProperty("period_2", std::to_string(measured2));
        RecordProperty("utilization", std::to_string(measured));
        CheckTheorem();
    }

    double unit{0}; ///< [ps]
};

// I1 = 10 / 1, I2 = 10 / 2. J1 never waits: 2. J2 gets the link in J1's compute times, 1 of every 2
// units: its 2 units of communication take 3, + 1 = 4. (1/2 + 1/4) / 2 = 37.5 %.
TEST_F(ClosedFormIntensityOrderTest, HigherIntensityFirst)
{
    RunOrder(10e9, 10e9, "{type: GpuIntensity, Levels: 2}");
    EXPECT_EQ(Rows("SELECT value FROM decision WHERE kind = 'priority' AND job = 0 ORDER BY "
                   "decision DESC LIMIT 1"),
              std::vector<std::string>{"level 0"});
    Check(2, 4, 0.375);
}

// J1's W is too small to come first. J2 never waits: 3. J1 gets the link while J2 computes, 1 of
// every 3 units, just what it needs: 3. (1/3 + 1/3) / 2 = 33.3 %.
TEST_F(ClosedFormIntensityOrderTest, LowerIntensityFirst)
{
    RunOrder(1e9, 10e9, "{type: GpuIntensity, Levels: 2}");
    Check(3, 3, 1.0 / 3);
}

// Fair: a cycle of 8 units in which J1 has three iterations (3, 3 and 2 units) and J2 two of 4.
// (3/8 + 2/8) / 2 = 31.25 %.
TEST_F(ClosedFormIntensityOrderTest, FairSharing)
{
    RunOrder(10e9, 10e9, "None");
    Check(8.0 / 3, 4, 0.3125);
}

/// C12: J1 (C = 1, t = 0.5) and J2 (C = 0.5, t = 0.5). A unit is 20 ms.
class ClosedFormPathSharingTest : public ClosedFormContentionTest
{
  protected:
    static constexpr uint64_t BYTES = 12'200'000;

    void RunOrder(double flop1, double flop2, const std::string& scheduler)
    {
        unit = 2 * MeasureSolo({"a", 5 * MS, BYTES});
        RunPair({"a", unit, BYTES, flop1},
                {"b", unit / 2, BYTES, flop2},
                scheduler,
                19 * unit,
                3 * unit);
    }

    void Check(double period1, double period2, uint32_t count1, uint32_t count2)
    {
        double measured1 = MeanPeriod("a", 2, count1) / unit;
        double measured2 = MeanPeriod("b", 3, count2) / unit;
        EXPECT_NEAR(measured1, period1, 0.01 * period1);
        EXPECT_NEAR(measured2, period2, 0.01 * period2);
        RecordProperty("period_1", std::to_string(measured1));
        RecordProperty("period_2", std::to_string(measured2));
    }

    double unit{0}; ///< [ps]
};

// J1 never waits: 1.5. J2 would be ready again after 1, and has to wait for J1's end: 1.5.
TEST_F(ClosedFormPathSharingTest, LongerJobFirst)
{
    RunOrder(10e9, 1e9, "{type: GpuIntensity, Levels: 2}");
    Check(1.5, 1.5, 6, 6);
    CheckTheorem();
}

// J2 never waits: 1. J1 computes for 1 and then finds J2 at work for 0.5: 2.
TEST_F(ClosedFormPathSharingTest, ShorterJobFirst)
{
    RunOrder(1e9, 10e9, "{type: GpuIntensity, Levels: 2}");
    Check(2, 1, 6, 12);
    CheckTheorem();
}

// Fair: a cycle of 3.5 units with two iterations of J1 and three of J2: 1.75 and 1.167 (the fluid
// model gives 1.749 and 1.167 over a long time).
TEST_F(ClosedFormPathSharingTest, FairSharing)
{
    RunOrder(10e9, 10e9, "None");
    Check(1.75, 3.5 / 3, 6, 9);
    CheckTheorem();
}

// Two links between the switches, and SelectPaths puts the jobs on different ones: 1.5 and 1.
TEST_F(ClosedFormPathSharingTest, DisjointPaths)
{
    unit = 2 * MeasureSolo({"a", 5 * MS, BYTES});
    std::string network = Network();
    std::string link = "between: [left, right], rate: 10Gbps, delay: 1us";
    network.insert(network.find(link) + link.size(), ", count: 2");
    Run(network + "jobs:\n" + Job({"a", unit, BYTES}) + Job({"b", unit / 2, BYTES}) +
        "scheduler: {type: GpuIntensity, SelectPaths: true}\nstop: {when: time, time: " +
        Ps(15 * unit) + "}\n");
    Check(1.5, 1, 6, 9);
    // Each direction of each link carries the data of one job only.
    EXPECT_EQ(Integer("SELECT MAX(jobs) FROM (SELECT COUNT(*) AS jobs FROM job_link JOIN link "
                      "USING (run, link) WHERE name LIKE 'left-right%' AND priority <> 7 "
                      "GROUP BY link)"),
              1);
}

} // namespace
