/* SPDX-License-Identifier: GPL-2.0-only */

// Jobs that are profiled before they are ranked, on the packet network.

#include "../fixture/scenario-run-fixture.h"

#include <map>

using namespace ns3;

namespace
{

class ProfilingInScenariosTest : public ScenarioRunFixture
{
  protected:
    /// Four hosts on one switch, so that a flow has one path.
    static std::string Star(const std::string& jobs)
    {
        return "topology: {type: LeafSpine, Leaves: 1, Spines: 1, HostsPerLeaf: 4, GpusPerHost: 2, "
               "NicsPerHost: 1, NicRate: 100Gbps, Uplinks: 1, UplinkRate: 100Gbps}\njobs:\n" +
               jobs;
    }

    /// A job of two GPUs, one on each of two hosts, that reduces 8 MB.
    static std::string Job(const std::string& name, const std::string& rest)
    {
        return "  - {name: " + name +
               ", gpus: 2, gpus-per-host: 1, channels: 1, iteration: [{compute: 2ms}, {all-reduce: "
               "{bytes: 8MB}}], " +
               rest + "}\n";
    }

    std::vector<std::string> GetEvents(const std::string& kind) const
    {
        return Rows("SELECT name FROM job_event NATURAL JOIN job WHERE kind = '" + kind +
                    "' ORDER BY time_ps, job");
    }
};

} // namespace

// Bytes from counters against those of the program (messages, headers, acknowledgements), and the
// period against the iterations of a job alone.
TEST_F(ProfilingInScenariosTest, MeasuredFiguresAreTheDeclaredOnes)
{
    Run(Star(Job("a", "flop: 1e12, iterations: 6")) +
        "compare: [GpuIntensity, {type: GpuIntensity, Profile: measured}]\n");
    const std::string last = "(SELECT inputs FROM decision WHERE run = %d AND kind = 'priority' "
                             "ORDER BY decision DESC LIMIT 1)";
    const std::string declared = std::string(last).replace(last.find("%d"), 2, "1");
    const std::string measured = std::string(last).replace(last.find("%d"), 2, "2");
    // By link: the NICs of both hosts, both ways.
    const std::vector<double> ratios =
        Column("SELECT json_extract(m.value, '$.bytes') / json_extract(d.value, '$.bytes') FROM "
               "json_each(" +
               declared + ", '$.heaviest_links') d JOIN json_each(" + measured +
               ", '$.heaviest_links') m ON d.key = m.key");
    ASSERT_EQ(ratios.size(), 4U);
    for (const double ratio : ratios)
    {
        EXPECT_NEAR(ratio, 1, 0.01);
    }
    const auto get = [this](const std::string& inputs, const std::string& name) {
        return Real("SELECT json_extract(" + inputs + ", '$." + name + "')");
    };
    EXPECT_NEAR(get(measured, "I") / get(declared, "I"), 1, 0.01);
    EXPECT_EQ(get(measured, "measured_iterations"), 2);
    EXPECT_NEAR(get(measured, "measured_compute_s"), 2e-3, 1e-9);
    const double iteration = Real("SELECT iteration_ms FROM v_job WHERE run = 2") * 1e-3;
    EXPECT_NEAR(get(measured, "measured_period_s"), iteration, 0.02 * iteration);
    // Three iterations in the top level, then a decision.
    EXPECT_EQ(
        Rows("SELECT trigger, value, reason FROM decision WHERE run = 2 AND kind = 'priority' "
             "ORDER BY decision"),
        (std::vector<std::string>{
            "arrival|level 0|is measured: the top level, alone",
            "profiled|level 0|rank 1 of 1 by GPU intensity: a level of its own"}));
    EXPECT_NEAR(Real("SELECT time_ps / 1e9 FROM job_event WHERE kind = 'profiled'"),
                3 * iteration * 1e3,
                0.05 * 3 * iteration * 1e3);
}

// PCIe links count, too: the hosts of the Crux testbed with slow ones.
TEST_F(ProfilingInScenariosTest, LinksInsideHostsAreMeasured)
{
    Run("topology: {type: LeafSpine, Leaves: 1, Spines: 1, HostsPerLeaf: 2, GpusPerHost: 8, "
        "NicsPerHost: 4, NicRate: 200Gbps, Uplinks: 1, UplinkRate: 200Gbps}\n"
        "host: {type: crux-testbed, PcieRate: 126030769kbps}\njobs:\n" +
        Job("a", "flop: 1e12, iterations: 6") +
        "compare: [Crux, {type: Crux, Profile: measured}]\n");
    const std::vector<double> times = Column(
        "SELECT json_extract(inputs, '$.t_s') FROM decision WHERE kind = 'priority' AND trigger IN "
        "('arrival', 'profiled') AND json_extract(inputs, '$.t_s') NOT NULL ORDER BY run");
    ASSERT_EQ(times.size(), 2U);
    EXPECT_NEAR(times[1], times[0], 0.01 * times[0]);
    EXPECT_NE(Rows("SELECT (SELECT key FROM json_each(inputs, '$.heaviest_links')) FROM decision "
                   "WHERE trigger = 'profiled' AND kind = 'priority'")
                  .at(0)
                  .find("pcie"),
              std::string::npos);
}

// The jobs of scenarios/quickstart.yaml at a sixty-fourth of their size. Crux prefers either of
// the two equal BERT jobs by the acknowledgements that its paths happen to carry.
TEST_F(ProfilingInScenariosTest, BothModesOrderTheQuickstartAlike)
{
    Run("topology: {type: LeafSpine, Leaves: 2, Spines: 8, HostsPerLeaf: 6, GpusPerHost: 8, "
        "NicsPerHost: 4, NicRate: 200Gbps, Uplinks: 8, UplinkRate: 200Gbps, LinkDelay: 1us}\n"
        "jobs:\n"
        "  - {name: gpt, model: gpt3-24l-1024h, gpus: 32, hosts: [host0, host1, host6, host7], "
        "batch-per-gpu: 2, compute: 127ms, gradients: fp32, overlap: none, channels: 4, "
        "iterations: "
        "10, scale: 1/64}\n"
        "  - {name: bert, count: 2, model: bert-large, sequence: 512, batch-per-gpu: 32, compute: "
        "152ms, gradients: fp16, bucket: 25MB, gpus: 8, gpus-per-host: 4, hosts: [[host2, host8], "
        "[host3, host9]], iterations: 10, scale: 1/64}\n"
        "compare: [{type: GpuIntensity, SelectPaths: true}, {type: GpuIntensity, SelectPaths: "
        "true, Profile: measured}, Crux, {type: Crux, Profile: measured}]\n");
    std::map<int, std::vector<std::string>> orders;
    std::map<int, std::vector<double>> priorities;
    for (int run = 1; run <= 4; run++)
    {
        // The decision before the first one leaves.
        const std::string query =
            " FROM decision NATURAL JOIN job WHERE kind = 'priority' AND run = " +
            std::to_string(run) +
            " AND time_ps = (SELECT MAX(d.time_ps) FROM decision d WHERE d.run = " +
            std::to_string(run) +
            " AND d.trigger IN ('arrival', 'profiled')) ORDER BY json_extract(inputs, '$.rank')";
        orders[run] = Rows("SELECT name" + query);
        priorities[run] = Column("SELECT json_extract(inputs, '$.I')" + query);
        ASSERT_EQ(orders[run].size(), 3U);
    }
    EXPECT_EQ(GetEvents("profiled").size(), 6U);
    EXPECT_EQ(orders[1], orders[2]);
    EXPECT_EQ(orders[3][0], orders[4][0]);
    EXPECT_EQ(orders[4][0], "gpt");
    for (int i = 0; i < 3; i++)
    {
        EXPECT_NEAR(priorities[2][i] / priorities[1][i], 1, 0.01) << i;
        EXPECT_NEAR(priorities[4][i] / priorities[3][i], 1, 0.01) << i;
    }
}

// One after the other in the order of arrival, though the second is the shorter one; the window
// waits for both.
TEST_F(ProfilingInScenariosTest, JobsThatArriveTogetherTakeTurns)
{
    Run(Star(Job("a", "flop: 1e12, iterations: 12, hosts: [host0, host1]") +
             Job("b", "flop: 2e12, until: a, hosts: [host0, host1]")) +
        "compare: [{type: GpuIntensity, Profile: measured, ProfileIterations: 4}]\n");
    EXPECT_EQ(GetEvents("profiled"), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(Rows("SELECT trigger, name, value FROM decision NATURAL JOIN job WHERE kind = "
                   "'priority' AND trigger IN ('arrival', 'profiled') ORDER BY decision"),
              (std::vector<std::string>{"arrival|a|level 0",
                                        "arrival|b|level 5",
                                        "profiled|a|level 1",
                                        "profiled|b|level 0",
                                        "profiled|a|level 1",
                                        "profiled|b|level 0"}));
    EXPECT_EQ(Integer("SELECT measure_from_ps FROM run"),
              Integer("SELECT MAX(time_ps) FROM job_event WHERE kind = 'profiled'"));
    // It counts in the time to completion.
    EXPECT_EQ(Integer("SELECT end_ps - arrival_ps FROM job WHERE name = 'a'"),
              Integer("SELECT MAX(iteration.end_ps) FROM iteration JOIN job USING (run, job) WHERE "
                      "name = 'a'"));
}

// Neither stalls the others: a job that ends in the second of three iterations, and one whose host
// fails.
TEST_F(ProfilingInScenariosTest, AJobThatLeavesWhileItIsMeasuredStallsNobody)
{
    Run(Star(Job("a", "flop: 1e12, iterations: 2, hosts: [host0, host1]") +
             Job("b", "flop: 2e12, iterations: 8, hosts: [host0, host1]") +
             Job("c", "flop: 2e12, iterations: 12, hosts: [host2, host3]")) +
        "compare: [{type: Crux, Profile: measured}]\n");
    EXPECT_EQ(GetEvents("profiled"), (std::vector<std::string>{"b", "c"}));
    EXPECT_EQ(GetEvents("finished").size(), 3U);

    Run(Star(Job("a", "flop: 1e12, iterations: 9, hosts: [host0, host1]") +
             Job("b", "flop: 2e12, iterations: 9, hosts: [host2, host3]")) +
        "faults:\n  - {at: 5ms, host: host0, action: down}\n"
        "compare: [{type: Crux, Profile: measured}]\n");
    EXPECT_EQ(GetEvents("failed"), std::vector<std::string>{"a"});
    EXPECT_EQ(GetEvents("profiled"), std::vector<std::string>{"b"});
    EXPECT_EQ(GetEvents("finished"), std::vector<std::string>{"b"});
}

// A job that starts again has its turn again, behind those that wait.
TEST_F(ProfilingInScenariosTest, AJobThatStartsAgainIsMeasuredAgain)
{
    Run(Star(Job("a", "flop: 1e12, iterations: 9, restart: true, hosts: [host0, host1]") +
             Job("b", "flop: 2e12, iterations: 15, hosts: [host2, host3]")) +
        "faults:\n  - {at: 15ms, host: host0, action: down, for: 1ms}\n"
        "compare: [{type: Crux, Profile: measured}]\n");
    EXPECT_EQ(GetEvents("profiled"), (std::vector<std::string>{"a", "b", "a"}));
    EXPECT_EQ(GetEvents("finished").size(), 2U);
}

TEST_F(ProfilingInScenariosTest, WrongValuesAreRefused)
{
    const std::string start = Star(Job("a", "flop: 1e12, iterations: 4"));
    EXPECT_EQ(Try(start + "compare: [{type: Crux, Profile: mesured}]\n"),
              ScenarioRunner::BAD_INPUT);
    EXPECT_NE(messages.find("did you mean \"measured\""), std::string::npos) << messages;
    EXPECT_EQ(Try(start + "compare: [{type: CruxPa, ProfileIterations: 2}]\n"),
              ScenarioRunner::BAD_INPUT);
    EXPECT_EQ(Try(start + "compare: [{type: GpuIntensity, ProfileInterval: 0us}]\n"),
              ScenarioRunner::BAD_INPUT);
    EXPECT_EQ(Try(start + "compare: [{type: Varys, Profile: measured}]\n"),
              ScenarioRunner::BAD_INPUT);
}
