/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../helper/app/bottleneck-check.h"
#include "../fixture/results-fixture.h"
#include "../fixture/scenario-run-fixture.h"

#include <random>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Theorem 1 of Crux on the link between the two switches.
class BottleneckCheckTest : public SharedLinkFixture
{
  protected:
    using Strings = std::vector<std::string>;

    /// U and F in units of 10^9 FLOP, by job; the time carried [ps].
    struct Sums
    {
        double done{0};
        double carried{0};
        std::vector<double> iterations; ///< S / t by job
    };

    /// Runs the pair to an instant [ps].
    Sums RunTo(const Pair& a, const Pair& b, const std::string& scheduler, double timePs)
    {
        Run("bottleneck: left-right\n" + Network() + "jobs:\n" + Job(a) + Job(b) +
            "scheduler: " + scheduler + "\nstop: {when: time, time: " + Ps(timePs) + "}\n");
        CheckBound();
        return {Real("SELECT done_flop / 1e9 FROM v_bottleneck"),
                Real("SELECT carried_flop / 1e9 FROM v_bottleneck"),
                Column("SELECT carried_ps * 1.0 / iteration_ps FROM bottleneck ORDER BY job")};
    }

    /// What the run did in the units from `from` to `to`.
    Sums RunBetween(const Pair& a,
                    const Pair& b,
                    const std::string& scheduler,
                    double from,
                    double to)
    {
        Sums before = RunTo(a, b, scheduler, from * unit);
        Sums sums = RunTo(a, b, scheduler, to * unit);
        sums.done -= before.done;
        sums.carried -= before.carried;
        for (size_t job = 0; job < sums.iterations.size(); ++job)
        {
            sums.iterations[job] -= before.iterations[job];
        }
        return sums;
    }

    void CheckBound() const
    {
        EXPECT_EQ(Rows("SELECT expected, actual FROM invariant "
                       "WHERE name = 'theorem_1_excess_ppm'"),
                  Strings{"0|0"});
        EXPECT_EQ(Integer("SELECT COUNT(*) FROM v_bottleneck "
                          "WHERE abs(done_flop - carried_flop) <= bound_flop"),
                  1);
    }

    static constexpr uint64_t BYTES = 6'100'000; ///< takes a unit
    double unit{0};                              ///< of Crux's examples, about 5 ms [ps]
};

// Crux, section 3, example 1: J1 W = 10, C = 2, t = 2; J2 W = 5, C = 1, t = 1, both I = 5; here J1
// or J2 has 0.1 % more, which puts it first. In a steady window of 12 units J1 first holds the link
// for 6 and leaves 3 to J2: F = U = 5 x 9 = 45. J2 first takes 6 and leaves 4: 5 x 10 = 50.
// 3 %: an all-reduce is 0.5 % longer than its wire time, for its latency.
TEST_F(BottleneckCheckTest, Example1OfCrux)
{
    unit = MeasureSolo({"a", 5 * MS, BYTES});
    const std::string scheduler = "{type: GpuIntensity, Levels: 2}";
    Sums first = RunBetween({"a", 2 * unit, 2 * BYTES, 10.01e9},
                            {"b", unit, BYTES, 5e9},
                            scheduler,
                            11.5,
                            23.5);
    EXPECT_NEAR(first.done, 45, 0.03 * 45);
    EXPECT_NEAR(first.carried, 45, 0.03 * 45);
    EXPECT_NEAR(first.iterations[0], 3, 0.09); // 6 units of t = 2
    EXPECT_NEAR(first.iterations[1], 3, 0.09);
    Sums second = RunBetween({"a", 2 * unit, 2 * BYTES, 10e9},
                             {"b", unit, BYTES, 5.01e9},
                             scheduler,
                             11.5,
                             23.5);
    EXPECT_NEAR(second.done, 50, 0.03 * 50);
    EXPECT_NEAR(second.carried, 50, 0.03 * 50);
    EXPECT_NEAR(second.iterations[0], 2, 0.06); // 4 units of t = 2
    EXPECT_NEAR(second.iterations[1], 6, 0.18);
    RecordProperty("first", std::to_string(first.done) + " " + std::to_string(first.carried));
    RecordProperty("second", std::to_string(second.done) + " " + std::to_string(second.carried));
}

// C11: J1 W = 10, C = 1, t = 1 and J2 W = 10, C = 1, t = 2. In 24 units J1 first does 12 and 6
// iterations: F = 10 x 18 / 24 = 7.5 a unit; J2 first 8 and 8: 6.67; fair 9 and 6: 6.25. What puts
// J2 first is that J1 is given less W; F is that of W = 10.
TEST_F(BottleneckCheckTest, IntensityOrderMatters)
{
    unit = MeasureSolo({"a", 5 * MS, BYTES});

    struct Case
    {
        double flop1;
        const char* scheduler;
        double rate;
    };

    for (const Case& c : {Case{10e9, "{type: GpuIntensity, Levels: 2}", 7.5},
                          Case{1e9, "{type: GpuIntensity, Levels: 2}", 20.0 / 3},
                          Case{10e9, "None", 6.25}})
    {
        Sums sums = RunBetween({"a", unit, BYTES, c.flop1},
                               {"b", unit, 2 * BYTES, 10e9},
                               c.scheduler,
                               8.5,
                               32.5);
        double rate = 10 * (sums.iterations[0] + sums.iterations[1]) / 24;
        EXPECT_NEAR(rate, c.rate, 0.03 * c.rate) << c.scheduler;
        RecordProperty("rate_" + std::to_string(c.rate), std::to_string(rate));
    }
}

// All W of an iteration is done and nothing of it has been sent: the bound is reached, not passed.
TEST_F(BottleneckCheckTest, TheBoundIsReached)
{
    Run("bottleneck: left-right\n" + Network() + "jobs:\n" + Job({"a", 5 * MS, BYTES, 7e9}) +
        "stop: {when: time, time: 5001us}\n"); // it starts at 1 us
    EXPECT_EQ(Rows("SELECT link, jobs, done_flop, carried_flop, bound_flop, jobs_outside, "
                   "busy_fraction FROM v_bottleneck"),
              Strings{"left-right|1|7000000000.0|0.0|7000000000.0|0|0.0"});
    CheckBound();
}

// S is what the link counted of frames with data: those of priority 6. t is an iteration of it.
TEST_F(BottleneckCheckTest, CarriedIsWhatTheLinkCounted)
{
    Run("bottleneck: left-right\n" + Network() + "jobs:\n" +
        Job({"a", 1 * MS, 1'000'000, 1e9, 0, 3}) + Job({"b", 1 * MS, 500'000, 1e9, 0, 5}));
    EXPECT_EQ(Rows("SELECT job, iteration_ps, carried_ps, note FROM bottleneck"),
              (Strings{"0|" + std::to_string(2 * WireBytes(500'000) * 800) + "|" +
                           std::to_string(3 * 2 * WireBytes(500'000) * 800) + "|",
                       "1|" + std::to_string(2 * WireBytes(250'000) * 800) + "|" +
                           std::to_string(5 * 2 * WireBytes(250'000) * 800) + "|"}));
    // Both are over: U = F to the last FLOP.
    EXPECT_EQ(Rows("SELECT done_flop, carried_flop, bound_flop FROM v_bottleneck"),
              Strings{"8000000000.0|8000000000.0|2000000000.0"});
}

// What sends frames again carries more iterations than it computes: no part of the theorem. The
// other job is.
TEST_F(BottleneckCheckTest, WhereFramesAreSentAgainItSaysNothing)
{
    Run("bottleneck: left-right\n" + Network() + "jobs:\n" +
        Job({"a", 1 * MS, 1'000'000, 1e9, 0, 5}) + Job({"b", 1 * MS, 1'000'000, 1e9, 0, 5}) +
        "faults: [{from: 0ms, to: 1s, link: right-a1, action: lose, probability: 1%}]\n");
    EXPECT_EQ(Rows("SELECT job, note, carried_flop > done_flop FROM bottleneck"),
              (Strings{"0|frames were sent again|1", "1||0"}));
    CheckBound();
    EXPECT_EQ(Integer("SELECT jobs_outside FROM v_bottleneck"), 1);
}

// Job b, of more intensity, comes at 5 ms and takes the first of two links, on which a has sent: a
// is led to the second. It has computed five iterations, and that link carried half of them.
TEST_F(BottleneckCheckTest, WhereAPathChangesItSaysNothing)
{
    std::string network = Network();
    const std::string link = "between: [left, right], rate: 10Gbps, delay: 1us";
    network.insert(network.find(link) + link.size(), ", count: 2");
    for (const std::string name : {"left-right", "left-right#2"})
    {
        Run("bottleneck: '" + name + "'\n" + network +
            "scheduler: {type: GpuIntensity, SelectPaths: true}\njobs:\n" +
            Job({"a", 1 * MS, 1'000'000, 1e9, 0, 5}) +
            Job({"b", 1 * MS, 1'000'000, 9e9, 5 * MS, 3}));
        EXPECT_EQ(Rows("SELECT job, note, carried_flop < done_flop FROM bottleneck"),
                  name == "left-right" ? Strings{"1||0"} : Strings{"0|its paths changed|1"});
        EXPECT_EQ(Integer("SELECT COUNT(*) FROM invariant WHERE name = 'theorem_1_excess_ppm'"),
                  name == "left-right" ? 1 : 0);
    }
}

// Nor where the routes or the frames themselves may choose another way.
TEST_F(BottleneckCheckTest, WherePathsAreNotFixedItSaysNothing)
{
    const std::string job = "jobs:\n" + Job({"a", 1 * MS, 1'000'000, 1e9, 0, 2});
    Run("bottleneck: left-right\n" + Network() + job +
        "faults: [{at: 1ms, link: b0-left, action: down, for: 1ms}]\n");
    EXPECT_EQ(Rows("SELECT note FROM bottleneck"), Strings{"links went down"});
    Run("bottleneck: left-right\n" + Network() +
        "  ns3::FabricSwitch::PathSelector: ns3::SprayPathSelector\n" + job);
    EXPECT_EQ(Rows("SELECT note FROM bottleneck"), Strings{"frames choose their paths"});
    EXPECT_EQ(Rows("SELECT * FROM invariant WHERE name LIKE 'theorem%'"), Strings{});
}

TEST_F(BottleneckCheckTest, WithoutABottleneckThereIsNoRow)
{
    Run(Network() + "jobs:\n" + Job({"a", 1 * MS, 1'000'000, 1e9, 0, 2}));
    EXPECT_EQ(Rows("SELECT * FROM bottleneck"), Strings{});
    EXPECT_EQ(Rows("SELECT * FROM invariant WHERE name LIKE 'theorem%'"), Strings{});
}

/// Hosts l0 to l3 on the switch left, r0 to r3 on right, and one link between these.
class RandomBottleneckTest : public BottleneckCheckTest
{
  protected:
    static std::string Hosts()
    {
        std::string nodes = "    - {name: left, kind: switch}\n    - {name: right, kind: switch}\n";
        std::string links = "    - {between: [left, right], rate: 10Gbps, delay: 1us}\n";
        for (const std::string side : {"left", "right"})
        {
            for (int i = 0; i < 4; ++i)
            {
                const std::string host = side.substr(0, 1) + std::to_string(i);
                nodes += "    - {name: " + host + "}\n";
                links +=
                    "    - {between: [" + host + ", " + side + "], rate: 10Gbps, delay: 1us}\n";
            }
        }
        return "topology:\n  type: Explicit\n  nodes:\n" + nodes + "  links:\n" + links +
               "defaults: {\"ns3::RoceNic::CongestionControl\": \"ns3::FixedRate\"}\n";
    }

    /// A job of two or four ranks, the last of which is on the other side.
    std::string MakeJob(int number, int ranks)
    {
        const auto draw = [this](int from, int to) {
            return std::to_string(std::uniform_int_distribution<int>(from, to)(m_random));
        };
        std::string hosts;
        for (int rank = 0; rank < ranks; ++rank)
        {
            hosts += std::string(rank > 0 ? ", " : "") + (rank + 1 < ranks ? "l" : "r") +
                     std::to_string(number + (rank + 1 < ranks ? rank : 0));
        }
        const std::string op = number == 2 ? "all-to-all" : "all-reduce";
        return "  - name: job" + std::to_string(number) + "\n    hosts: [" + hosts +
               "]\n    iterations: " + draw(5, 40) + "\n    flop: " + draw(1, 20) +
               "e9\n    arrival: " + draw(0, 900) + "us\n    compute-jitter: {cv: " + draw(0, 30) +
               "%}\n    iteration: [{compute: " + draw(100, 1500) + "us}, {" + op +
               ": {bytes: " + draw(100, 2000) + "kB}}, {compute: " + draw(1, 500) + "us}, {" + op +
               ": {bytes: " + draw(10, 1000) + "kB}}]\n";
    }

    std::mt19937 m_random{7};
};

// Jobs of two or three ranks, with jitter, that come and go; a run stops in the middle of it all.
TEST_F(RandomBottleneckTest, TwoAndThreeJobsStayWithinTheBound)
{
    for (int round = 0; round < 8; ++round)
    {
        std::string jobs = MakeJob(0, 2) + MakeJob(1, 2);
        jobs += round % 2 == 1 ? MakeJob(2, 3) : "";
        const int stop = std::uniform_int_distribution<int>(8'000, 25'000)(m_random);
        SCOPED_TRACE(jobs + std::to_string(stop));
        Run("seed: " + std::to_string(round + 1) + "\nbottleneck: left-right\n" + Hosts() +
            "jobs:\n" + jobs +
            "scheduler: " + (round < 4 ? "None" : "{type: GpuIntensity, Levels: 3}") +
            "\nstop: {when: all-jobs-done, time: " + std::to_string(stop) + "us}\n");
        CheckBound();
        EXPECT_EQ(Integer("SELECT COUNT(*) FROM bottleneck WHERE note = '' AND "
                          "abs(done_flop - carried_flop) <= bound_flop"),
                  2 + round % 2);
        EXPECT_GT(Real("SELECT done_flop FROM v_bottleneck"),
                  Real("SELECT bound_flop FROM v_bottleneck")); // else it says little
    }
}

/// The check alone, on rows made by hand: nothing was ever sent.
class BottleneckRowsTest : public tests::ResultsFixture
{
  protected:
    using Strings = std::vector<std::string>;

    void SetUp() override
    {
        tests::ResultsFixture::SetUp();
        ScenarioFolder folder;
        folder.Write("s.yaml",
                     "schema: gpu-fabric/1\nbottleneck: host0-switch0\n"
                     "topology: {type: Star, Hosts: 2}\n"
                     "flows: [{from: host0, to: host1, bytes: 1B, at: 0us}]\n");
        m_scenario = ReadScenario(folder, "s.yaml").scenario;
        ASSERT_TRUE(m_scenario.has_value());
        m_database = std::make_unique<ResultDatabase>(Path("out.db"));
        ASSERT_TRUE(m_network.Build(m_scenario->graph, 1).empty());
        m_check = std::make_unique<BottleneckCheck>(*m_scenario, m_network);
    }

    void TearDown() override
    {
        m_check.reset();
        m_database.reset();
        m_network.Dispose();
        Simulator::Destroy();
        tests::ResultsFixture::TearDown();
    }

    /// A job with W = 8 that has computed so many iterations of 100 us of GPU time, and then 50 us,
    /// while one of its ranks is `ahead` iterations before the last.
    void AddJob(uint32_t job, uint64_t iterations, uint64_t ahead)
    {
        for (uint64_t i = 0; i < iterations; ++i)
        {
            IterationRow row;
            row.job = job;
            row.iteration = i;
            row.computePs = 100'000'000;
            m_database->Insert(row);
        }
        JobUtilizationRow all;
        all.job = job;
        all.computePs = static_cast<int64_t>(iterations) * 100'000'000 + 50'000'000;
        m_database->Insert(all);
        JobView view;
        view.job = job;
        view.flop = 8;
        view.gpus = 2;
        view.computePs = 50'000'000;
        FlowView flow;
        flow.wireBytes = 1000;
        flow.path = {static_cast<uint32_t>(m_scenario->graph.FindDirectedLink("host0-switch0"))};
        view.flows = {flow};
        m_check->AddJob(view, iterations, iterations + ahead);
    }

    std::optional<Scenario> m_scenario;
    FabricHelper m_network;
    std::unique_ptr<ResultDatabase> m_database;
    std::unique_ptr<BottleneckCheck> m_check;
};

// U = 8 x 0.5 and F = 0, within W = 8. The first iteration is measured by what was declared.
TEST_F(BottleneckRowsTest, HalfAnIterationIsWithinTheBound)
{
    AddJob(0, 0, 0);
    m_check->Write(*m_database, 1);
    EXPECT_EQ(Query(m_database->GetHandle(),
                    "SELECT done_flop, carried_flop, bound_flop FROM bottleneck"),
              Strings{"4.0|0.0|8.0"});
    EXPECT_EQ(m_database->Finish().size(), 0u);
}

// Two jobs of W = 8: U = 8 x (2.5 + 3.5) = 48, F = 0: 48 / 16 = 3 times the bound.
TEST_F(BottleneckRowsTest, IterationsThatTheLinkHasNotCarriedViolateIt)
{
    AddJob(0, 2, 0);
    AddJob(1, 3, 0);
    m_check->Write(*m_database, 1);
    const std::vector<InvariantRow> violated = m_database->Finish();
    ASSERT_EQ(violated.size(), 1u);
    EXPECT_EQ(violated[0].name, "theorem_1_excess_ppm");
    EXPECT_EQ(violated[0].expected, 0);
    EXPECT_EQ(violated[0].actual, 2'000'000);
}

// A rank has started the iteration after that in which the others are: the job spans two. U = 12 is
// within 16, but not within 8.
TEST_F(BottleneckRowsTest, ARankAheadWidensTheBound)
{
    AddJob(0, 1, 1);
    m_check->Write(*m_database, 1);
    EXPECT_EQ(Query(m_database->GetHandle(), "SELECT done_flop, bound_flop FROM bottleneck"),
              Strings{"12.0|16.0"});
    EXPECT_EQ(m_database->Finish().size(), 0u);
}

} // namespace
