/* SPDX-License-Identifier: GPL-2.0-only */

// The worked examples of the schedulers' papers, end to end in packets of 4096 bytes, within 3 %.
// The decisions alone are tested with each scheduler; contention of two jobs in
// closed-form-contention-test.cc, of three in closed-form-starvation-test.cc.

#include "../fixture/scenario-run-fixture.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

using namespace ns3;

namespace
{

constexpr double TOLERANCE = 0.03;

/// Two jobs on one link of 10 Gb/s. A unit is the time of 12.2 MB, about 10 ms.
class SchedulerExamplesTest : public SharedLinkFixture
{
  protected:
    static constexpr uint64_t BYTES = 12'200'000;

    double Utilization(const std::string& job) const
    {
        return Real("SELECT gpu_utilization FROM v_job WHERE job = '" + job + "'");
    }

    /// The last level that a job got.
    std::string Level(const std::string& job) const
    {
        const std::vector<std::string> rows =
            Rows("SELECT d.value FROM decision AS d JOIN job USING (run, job) "
                 "WHERE kind = 'priority' AND name = '" +
                 job + "' ORDER BY decision DESC");
        return rows.empty() ? "none" : rows[0];
    }

    void ExpectWithin(double measured, double expected, const std::string& what)
    {
        EXPECT_NEAR(measured, expected, TOLERANCE * expected) << what;
        RecordProperty(what, std::to_string(measured));
    }
};

/// C10, Example 1 of Crux: J1 (W = 10, C = 2, t = 2) and J2 (W = 5, C = 1, t = 1), both of
/// intensity 5, measured over twice 12 units.
class CruxExampleOneTest : public SchedulerExamplesTest
{
  protected:
    void RunOrder(double flop1, double flop2, const std::string& scheduler)
    {
        const double unit = MeasureSolo({"a", 5 * MS, BYTES});
        RunPair({"a", 2 * unit, 2 * BYTES, flop1},
                {"b", unit, BYTES, flop2},
                scheduler,
                36 * unit,
                12 * unit);
        busyA = LinkTime("a") / (36 * unit);
        busyB = LinkTime("b") / (36 * unit);
    }

    double LinkTime(const std::string& job) const
    {
        return Real("SELECT SUM(busy_ps) FROM job_link JOIN link USING (run, link) "
                    "JOIN job USING (run, job) WHERE link.name = 'left-right' AND job.name = '" +
                    job + "'");
    }

    double busyA{0}; ///< share of the link
    double busyB{0};
};

} // namespace

// J1 first: it never waits, 2 + 2. J2 has the link while J1 computes: an iteration in 4 units.
// Link: 6 and 3 of 12 units. (2/4 + 1/4) / 2 = 37.5 %.
TEST_F(CruxExampleOneTest, TheLongerJobFirst)
{
    RunOrder(10.1e9, 5e9, "{type: GpuIntensity, Levels: 2}");
    EXPECT_EQ(Level("a"), "level 0");
    ExpectWithin(Utilization("a"), 0.5, "utilization_a");
    ExpectWithin(Utilization("b"), 0.25, "utilization_b");
    ExpectWithin((Utilization("a") + Utilization("b")) / 2, 0.375, "utilization");
    ExpectWithin(busyA, 6.0 / 12, "link_a");
    ExpectWithin(busyB, 3.0 / 12, "link_b");
}

// J2 first: 1 + 1. J1 has the link while J2 computes: its two units take four, an iteration six.
// Link: 4 and 6 of 12. (2/6 + 1/2) / 2 = 41.7 %. Both have intensity 5, and Crux, whose correction
// k_2 = 1.49 tells them apart, finds this order by itself.
TEST_F(CruxExampleOneTest, TheShorterJobFirstAsCruxDecides)
{
    RunOrder(10e9, 5e9, "{type: Crux, Levels: 2}");
    EXPECT_EQ(Level("b"), "level 0");
    EXPECT_EQ(Level("a"), "level 1");
    ExpectWithin(Utilization("a"), 2.0 / 6, "utilization_a");
    ExpectWithin(Utilization("b"), 0.5, "utilization_b");
    ExpectWithin((Utilization("a") + Utilization("b")) / 2, 10.0 / 24, "utilization");
    // J1's first iteration starts with J2's: a transient of a unit.
    ExpectWithin(busyA, 4.0 / 12, "link_a");
    ExpectWithin(busyB, 6.0 / 12, "link_b");
}

/// C10, Example 2 of Crux: J1 (W = 10, C = 4, t = 1) and J2 (W = 30, C = 2, t = 3), both of
/// intensity 10; communication starts at half of the compute time. Measured over the first 13
/// units.
class CruxExampleTwoTest : public SchedulerExamplesTest
{
  protected:
    /// Two ranks that compute for c units and, from half of that on, send t units to each other.
    std::string WriteJob(const std::string& name, double c, double t, double flop)
    {
        const auto half = std::to_string(std::llround(c / 2 * unit / 1000)); // [ns]
        const auto bytes = std::to_string(std::llround(t * BYTES));
        std::string text = "num_ranks 2\n";
        for (const char* rank : {"0", "1"})
        {
            const std::string peer = rank[0] == '0' ? "1" : "0";
            text += std::string("rank ") + rank + " {\n  f: calc " + half + "\n  b: calc " + half +
                    "\n  s: send " + bytes + "b to " + peer + " tag 1\n  r: recv " + bytes +
                    "b from " + peer + " tag 1\n  b requires f\n  s requires f\n}\n";
        }
        WriteFile(name + ".goal", text);
        return "  - {name: " + name + ", hosts: [" + name + "0, " + name +
               "1], iterations: 1000, flop: " + std::to_string(flop) +
               ", workload: {file: " + name + ".goal, format: Goal}}\n";
    }

    void RunOrder(double flop1, double flop2, const std::string& scheduler)
    {
        unit = 0.9977 * MeasureSolo({"a", 5 * MS, BYTES});
        const std::string jobs = WriteJob("a", 4, 1, flop1) + WriteJob("b", 2, 3, flop2);
        Run(Network() + "jobs:\n" + jobs + "scheduler: " + scheduler +
            "\nstop: {when: time, time: " + Ps(13 * unit) +
            "}\nmeasure: {from: 0ps, to: " + Ps(13 * unit) + "}\n");
    }

    double unit{0}; ///< [ps]
};

// J1 first: J2's GPUs are idle for 7 of 13 units.
TEST_F(CruxExampleTwoTest, TheSmallerJobFirst)
{
    RunOrder(10.5e9, 30e9, "{type: GpuIntensity, Levels: 2}");
    EXPECT_EQ(Level("a"), "level 0");
    ExpectWithin(13 * (1 - Utilization("b")), 7, "idle_b");
}

// J2 first: 6. Crux decides so: k_1 = 0.46.
TEST_F(CruxExampleTwoTest, TheLargerJobFirstAsCruxDecides)
{
    RunOrder(10e9, 30e9, "{type: Crux, Levels: 2}");
    EXPECT_EQ(Level("b"), "level 0");
    EXPECT_EQ(Level("a"), "level 1");
    ExpectWithin(13 * (1 - Utilization("b")), 6, "idle_b");
}

// C6: two equal jobs with C = D that start together and share the link 2:1. When the first has sent
// D, in 1.5 D, the other has D / 2 left and the link alone: it is D / 2 later. What they still
// overlap, D - delta, halves with every iteration: 1, 1/2, 1/4, 1/8 of D.
TEST_F(SchedulerExamplesTest, UnequalSharesInterleaveJobsByThemselves)
{
    constexpr uint64_t LARGE = 25'000'000;
    const double d = MeasureSolo({"a", 5 * MS, LARGE});
    std::string network = Network();
    network += "  ns3::Fabric::EgressScheduler: ns3::DwrrEgress\n"
               "  ns3::DwrrEgress::Weights: \"6:2,5:1\"\n";
    Run(network + "jobs:\n" + Job({"a", d, LARGE, 2e9}) + Job({"b", d, LARGE, 1e9}) +
        "scheduler: {type: GpuIntensity, Levels: 2}\nstop: {when: time, time: " + Ps(16 * d) +
        "}\n");
    const std::vector<double> lag =
        Column("SELECT (b.start_ps - a.start_ps) FROM iteration AS a JOIN iteration AS b "
               "ON b.run = a.run AND b.iteration = a.iteration WHERE a.job = 0 AND b.job = 1 "
               "ORDER BY a.iteration");
    ASSERT_GE(lag.size(), 5U);
    for (size_t n = 0; n < 5; ++n)
    {
        const double overlap = 1 - lag[n] / d;
        EXPECT_NEAR(overlap, std::pow(0.5, n), TOLERANCE) << n;
        RecordProperty("overlap_" + std::to_string(n), std::to_string(overlap));
    }
}

/// C8: jobs of 40 and 60 ms, each with a burst of 10 ms at full rate. They fit beside each other if
/// one is 10 ms modulo 20 later.
class CassiniPeriodsTest : public SchedulerExamplesTest
{
  protected:
    void RunPeriods(const std::string& scheduler)
    {
        unit = MeasureSolo({"a", 5 * MS, BYTES});
        RunPair({"a", 3 * unit, BYTES}, {"b", 5 * unit, BYTES}, scheduler, 80 * unit);
    }

    double unit{0}; ///< [ps]
};

// Both start together. The fluid model settles in a cycle of 13 units with three iterations of J1
// and two of J2, in which they meet once: 43.3 and 65 ms.
TEST_F(CassiniPeriodsTest, FairSharingOfDifferentPeriods)
{
    RunPeriods("None");
    ExpectWithin(Period("a", 0) / unit, 4.33, "period_a");
    ExpectWithin(Period("b", 0) / unit, 6.50, "period_b");
}

TEST_F(CassiniPeriodsTest, ShiftedJobsRunAsIfAlone)
{
    RunPeriods("{type: Cassini, Period: 0s}");
    ExpectWithin(Period("a", 12 * unit) / unit, 4, "period_a");
    ExpectWithin(Period("b", 12 * unit) / unit, 6, "period_b");
}

/// C16: three coflows on a switch of two inputs and two outputs, in strict priority by their order.
class CoflowOrderExampleTest : public SchedulerExamplesTest
{
  protected:
    static constexpr uint64_t UNIT = 12'500'000; ///< [byte]; 10 ms at 10 Gb/s

    struct Flow
    {
        char coflow;
        const char* from;
        const char* to;
        uint32_t units;
    };

    /// Runs them in an order. \returns completion times in units by coflow A, B, C
    std::array<double, 3> Complete(const std::string& order)
    {
        constexpr std::array<Flow, 4> FLOWS{Flow{'A', "in0", "out0", 2},
                                            Flow{'B', "in0", "out1", 1},
                                            Flow{'B', "in1", "out0", 1},
                                            Flow{'C', "in1", "out1", 3}};
        std::string scenario = "topology:\n  type: Explicit\n  nodes: [{name: in0}, {name: in1}, "
                               "{name: out0}, {name: out1}, {name: s, kind: switch}]\n  links:\n";
        for (const char* host : {"in0", "in1", "out0", "out1"})
        {
            scenario +=
                std::string("    - {between: [") + host + ", s], rate: 10Gbps, delay: 1us}\n";
        }
        scenario += "defaults:\n  ns3::RoceNic::CongestionControl: ns3::FixedRate\n"
                    "  ns3::DynamicThresholdBuffer::Alpha: 0.002\nflows:\n";
        for (const Flow& flow : FLOWS)
        {
            scenario += std::string("  - {from: ") + flow.from + ", to: " + flow.to +
                        ", bytes: " + std::to_string(flow.units * UNIT) +
                        "B, priority: " + std::to_string(6 - order.find(flow.coflow)) + "}\n";
        }
        Run(scenario);
        // A unit in wire time.
        const double unit = static_cast<double>(WireBytes(UNIT)) * 800;
        const std::vector<double> ends =
            Column("SELECT completed_us * 1e6 FROM v_transfer ORDER BY transfer");
        std::array<double, 3> times{};
        for (size_t i = 0; i < FLOWS.size(); ++i)
        {
            double& time = times.at(FLOWS[i].coflow - 'A');
            time = std::max(time, ends.at(i) / unit);
        }
        return times;
    }
};

// BSSI orders them B, A, C: B takes 1, A has its input from then on, to 3, C the other one, to 4.
// On average 2.667, the best of all orders; every order that does not start with B gives 3.
TEST_F(CoflowOrderExampleTest, BssiOrderIsTheBest)
{
    const std::array<double, 3> best = Complete("BAC");
    ExpectWithin(best[0], 3, "A");
    ExpectWithin(best[1], 1, "B");
    ExpectWithin(best[2], 4, "C");
    for (const char* order : {"ABC", "ACB", "CAB", "CBA"})
    {
        const std::array<double, 3> times = Complete(order);
        ExpectWithin((times[0] + times[1] + times[2]) / 3, 3, order);
    }
    const std::array<double, 3> other = Complete("BCA");
    ExpectWithin((other[0] + other[1] + other[2]) / 3, 8.0 / 3, "BCA");
}

/// Figure 13 of Crux: jobs 1 and 2 share a link, jobs 3 and 4 another one; two levels. All have
/// C = D and start together, so that two of one level take 3 D, and two of different levels, after
/// the first, 2 D each (C5, C7).
class CompressionExampleTest : public SchedulerExamplesTest
{
  protected:
    /// Periods of the four jobs in units of D, and their levels.
    void RunCompression(const std::string& compression)
    {
        constexpr uint64_t LARGE = 25'000'000;
        const double d = MeasureSolo({"a", 5 * MS, LARGE});
        std::string nodes;
        std::string links;
        for (const char* side : {"0", "1"})
        {
            for (const char* pair : {"ab", "ce"})
            {
                const std::string at = std::string("s") + pair + side;
                nodes += "    - {name: " + at + ", kind: switch}\n";
                for (const char job : std::string(pair))
                {
                    const std::string host = job + std::string(side);
                    nodes += "    - {name: " + host + "}\n";
                    links +=
                        "    - {between: [" + host + ", " + at + "], rate: 10Gbps, delay: 1us}\n";
                }
            }
        }
        for (const char* pair : {"ab", "ce"})
        {
            links += std::string("    - {between: [s") + pair + "0, s" + pair +
                     "1], rate: 10Gbps, delay: 1us}\n";
        }
        // One graph: the pairs' switches meet, by links that no shortest path uses.
        links += "    - {between: [sab0, sce0], rate: 10Gbps, delay: 1us}\n";
        std::string jobs;
        const std::map<std::string, double> flop{{"a", 4e9}, {"b", 3e9}, {"c", 2e9}, {"e", 1e9}};
        for (const auto& [name, work] : flop)
        {
            jobs += Job({name, d, LARGE, work});
        }
        Run("topology:\n  type: Explicit\n  nodes:\n" + nodes + "  links:\n" + links +
            "defaults:\n  ns3::RoceNic::CongestionControl: ns3::FixedRate\n"
            "  ns3::DynamicThresholdBuffer::Alpha: 0.002\njobs:\n" +
            jobs + "scheduler: {type: Composed, Order: IntensityOrder, Compression: " +
            compression + ", Levels: 2}\nstop: {when: time, time: " + Ps(17 * d) + "}\n");
        for (const auto& [name, work] : flop)
        {
            periods[name] = Period(name, 4 * d) / d;
            levels[name] = Level(name);
        }
    }

    void Check(const std::map<std::string, double>& expected)
    {
        for (const auto& [name, period] : expected)
        {
            ExpectWithin(periods[name], period, name);
        }
    }

    std::map<std::string, double> periods;
    std::map<std::string, std::string> levels;
};

// {1, 3} | {2, 4}: both pairs interleave.
TEST_F(CompressionExampleTest, MaxCutSeparatesBothPairs)
{
    RunCompression("MaxCutCompression");
    EXPECT_EQ(levels["a"], "level 0");
    EXPECT_EQ(levels["b"], "level 1");
    EXPECT_EQ(levels["c"], "level 0");
    EXPECT_EQ(levels["e"], "level 1");
    Check({{"a", 2}, {"b", 2}, {"c", 2}, {"e", 2}});
}

// Sincronia: {1} | {2, 3, 4}: jobs 3 and 4 stay together.
TEST_F(CompressionExampleTest, TopLevelsSeparateTheFirstPair)
{
    RunCompression("TopCompression");
    Check({{"a", 2}, {"b", 2}, {"c", 3}, {"e", 3}});
}

// Varys: {1, 2} | {3, 4}: both stay together.
TEST_F(CompressionExampleTest, EqualGroupsSeparateNone)
{
    RunCompression("BalancedCompression");
    Check({{"a", 3}, {"b", 3}, {"c", 3}, {"e", 3}});
}

// What a scheduler cannot have is a row of each decision, and a line for the user.
TEST_F(SchedulerExamplesTest, MoreLevelsThanQueuesIsSaid)
{
    RunPair({"a", 5 * MS, BYTES, 2e9, 0, 2},
            {"b", 5 * MS, BYTES, 1e9, 0, 2},
            "{type: GpuIntensity, Levels: 9}",
            100 * MS);
    const std::string reason = "Levels is 9, but the fabric has 6 data priorities: these are used";
    EXPECT_EQ(Rows("SELECT DISTINCT reason FROM decision WHERE kind = 'fallback'"),
              std::vector<std::string>{reason});
    const size_t first = messages.find("job a: " + reason);
    ASSERT_NE(first, std::string::npos) << messages;
    EXPECT_EQ(messages.find("job a: " + reason, first + 1), std::string::npos) << messages;
}
