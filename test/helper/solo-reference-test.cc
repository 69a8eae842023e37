/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/scenario-run-fixture.h"

using namespace ns3;

namespace
{

class HelperSoloReferenceTest : public SharedLinkFixture
{
  protected:
    static constexpr uint64_t BYTES = 5'000'000;

    double Solo(const std::string& job, uint32_t run = 1) const
    {
        return Real("SELECT solo_iteration_ps FROM job WHERE name = '" + job +
                    "' AND run = " + std::to_string(run));
    }
};

} // namespace

TEST_F(HelperSoloReferenceTest, IsTheIterationTimeOfTheJobAlone)
{
    const Pair a{"a", 5 * MS, BYTES, 1e9, 0, 12};
    const Pair b{"b", 3 * MS, 2 * BYTES, 1e9, 1 * MS, 12};
    Run(Network() + "jobs:\n" + Job(a));
    const double aloneA = Period("a", 0);
    // Two ranks exchange half of the buffer twice, one frame of a wire's worth of which is stored
    // at each of two switches, and back come the last acknowledgements; 1 us on each of 3 cables.
    const double wire = 2 * static_cast<double>(WireBytes(BYTES / 2)) * 8 / RATE * S;
    EXPECT_NEAR(aloneA, a.computePs + wire, 60 * US);
    Run(Network() + "jobs:\n" + Job(b));
    const double aloneB = Period("b", 0);

    Run(Network() + "jobs:\n" + Job(a) + Job(b) + "solo: true\n");
    // Periods alone are all the same: whichever are taken.
    EXPECT_NEAR(Solo("a"), aloneA, 1);
    EXPECT_NEAR(Solo("b"), aloneB, 1);
    EXPECT_GT(Real("SELECT slowdown FROM v_job WHERE job = 'a'"), 1.05);
    EXPECT_NEAR(Real("SELECT slowdown FROM v_job WHERE job = 'a'"),
                Real("SELECT iteration_ms FROM v_job WHERE job = 'a'") * MS / aloneA,
                1e-9);
}

TEST_F(HelperSoloReferenceTest, OnTheGpusThatThePlacementGave)
{
    // The second job gets the hosts with 40 Gb/s; alone, a placement would give it those with 10.
    const std::string network = R"(
topology:
  type: Explicit
  nodes: [{name: s0}, {name: s1}, {name: f0}, {name: f1}, {name: sw, kind: switch}]
  links:
    - {between: [s0, sw], rate: 10Gbps, delay: 1us}
    - {between: [s1, sw], rate: 10Gbps, delay: 1us}
    - {between: [f0, sw], rate: 40Gbps, delay: 1us}
    - {between: [f1, sw], rate: 40Gbps, delay: 1us}
defaults: {ns3::RoceNic::CongestionControl: ns3::FixedRate}
)";
    const std::string program =
        "gpus: 2, iterations: 5, iteration: [{compute: 1ms}, {all-reduce: {bytes: 5MB}}]}\n";
    Run(network + "solo: true\njobs:\n  - {name: first, " + program + "  - {name: second, " +
        program);
    const double wire = 2 * static_cast<double>(WireBytes(BYTES / 2)) * 8 * S;
    EXPECT_NEAR(Solo("first"), 1 * MS + wire / 10e9, 60 * US);
    EXPECT_NEAR(Solo("second"), 1 * MS + wire / 40e9, 60 * US);
    EXPECT_NEAR(Real("SELECT slowdown FROM v_job WHERE job = 'second'"), 1, 1e-6);
}

TEST_F(HelperSoloReferenceTest, UnderEcmpAJobMayMeetItself)
{
    // Two rings, two uplinks a leaf: with selected paths each ring has its own, whatever the seed;
    // ECMP puts both on one for some. An uplink then carries twice as much: of each channel's
    // 2.5 MB three halves (2 (4 - 1) / 4), 3 ms at 10 Gb/s, beside 1 ms of computation.
    const std::string scenario = R"(
topology: {type: LeafSpine, Leaves: 2, Spines: 2, HostsPerLeaf: 1, GpusPerHost: 2, NicsPerHost: 2,
           NicRate: 10Gbps, Uplinks: 2, UplinkRate: 10Gbps, LinkDelay: 1us}
defaults: {ns3::RoceNic::CongestionControl: ns3::FixedRate}
jobs: [{name: a, gpus: 4, channels: 2, iterations: 4,
        iteration: [{compute: 1ms}, {all-reduce: {bytes: 5MB}}]}]
)";
    bool met = false;
    double first = 0;
    for (const std::string seed : {"1", "2", "3", "4"})
    {
        Run(scenario + "seed: " + seed + "\nsolo: true\n");
        const double selected = Solo("a");
        first = first > 0 ? first : selected;
        EXPECT_NEAR(selected, first, 1 * US) << seed;
        Run(scenario + "seed: " + seed + "\nsolo: ecmp\n");
        const double ecmp = Solo("a");
        EXPECT_GT(ecmp, selected - 1 * US) << seed;
        met = met || ecmp > selected + 2 * MS;
        // It is alone in the scenario, too: the same from start to start, after two to warm up.
        EXPECT_EQ(
            ecmp,
            Real("SELECT MAX(start_ps) - (SELECT start_ps FROM iteration WHERE iteration = 2) "
                 "FROM iteration"))
            << seed;
    }
    // 1 ms and 3 ms of payload, and headers of 2 %.
    EXPECT_NEAR(first, 4 * MS, 0.15 * MS);
    EXPECT_TRUE(met);
}

TEST_F(HelperSoloReferenceTest, TheOtherRowsAreThoseWithoutIt)
{
    const std::string jobs = "jobs:\n" + Job({"a", 5 * MS, BYTES, 1e9, 0, 4}) +
                             Job({"b", 3 * MS, BYTES, 1e9, 0, 4}) +
                             "compare: [None, GpuIntensity]\n";
    const std::string sql = "SELECT run, job, start_ps, end_ps FROM iteration ORDER BY 1, 2, 3";
    Run(Network() + jobs);
    const std::vector<std::string> without = Rows(sql);
    EXPECT_EQ(Integer("SELECT COUNT(solo_iteration_ps) FROM job"), 0);
    Run(Network() + jobs + "solo: true\n");
    EXPECT_EQ(Rows(sql), without);
    EXPECT_EQ(without.size(), 16u); // 2 runs, 2 jobs, 4 iterations
    // The same reference for both schedulers.
    EXPECT_EQ(Integer("SELECT COUNT(DISTINCT solo_iteration_ps) FROM job WHERE name = 'a'"), 1);
    EXPECT_EQ(Integer("SELECT COUNT(solo_iteration_ps) FROM job"), 4);
}

TEST_F(HelperSoloReferenceTest, AJobThatNeverRanHasNone)
{
    Run(Network() + "jobs:\n" + Job({"a", 5 * MS, BYTES, 1e9, 0, 4}) +
        "  - {name: waits, gpus: 2, hosts: [a0, a1], iterations: 1, iteration: [{compute: 1ms}]}\n"
        "stop: {when: time, time: 5ms}\nsolo: true\n");
    EXPECT_EQ(Rows("SELECT solo_iteration_ps IS NULL FROM job ORDER BY job"),
              (std::vector<std::string>{"0", "1"}));
}
