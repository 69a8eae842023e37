/* SPDX-License-Identifier: GPL-2.0-only */

// Links inside hosts as an input to scheduling decisions, on the packet network.

#include "../fixture/scenario-run-fixture.h"

using namespace ns3;

namespace
{

class InsideLoadsInScenariosTest : public ScenarioRunFixture
{
  protected:
    /// Two hosts of the Crux testbed, whose PCIe is slower than their NICs.
    static std::string Testbed(const std::string& jobs)
    {
        return "topology: {type: LeafSpine, Leaves: 1, Spines: 1, HostsPerLeaf: 2, GpusPerHost: 8, "
               "NicsPerHost: 4, NicRate: 200Gbps, Uplinks: 1, UplinkRate: 200Gbps}\n"
               "host: {type: crux-testbed, PcieRate: 126030769kbps}\n"
               "defaults: {\"ns3::RoceNic::CongestionControl\": \"ns3::FixedRate\"}\njobs:\n" +
               jobs;
    }

    /// One host of 4 GPUs without NVLink, two on each of two PCIe switches.
    static std::string Bare(const std::string& jobs)
    {
        return "topology: {type: LeafSpine, Leaves: 1, Spines: 1, HostsPerLeaf: 1, GpusPerHost: 4, "
               "NicsPerHost: 2, NicRate: 100Gbps, Uplinks: 1, UplinkRate: 100Gbps}\n"
               "host: {type: custom, Gpus: 4, Nics: 2, PcieSwitches: 2, RootComplexes: 1, "
               "Nvswitches: 0, PcieRate: 40Gbps}\n"
               "jobs:\n" +
               jobs;
    }

    /// A figure of the last decision about the level of a job, in the last run.
    double Input(const std::string& job, const std::string& path) const
    {
        return Real("SELECT json_extract(inputs, '" + path +
                    "') FROM decision NATURAL JOIN job WHERE kind = 'priority' AND name = '" + job +
                    "' ORDER BY run DESC, decision DESC");
    }

    std::string Bottleneck(const std::string& job) const
    {
        return Rows("SELECT (SELECT key FROM json_each(inputs, '$.heaviest_links')) FROM decision "
                    "NATURAL JOIN job WHERE kind = 'priority' AND name = '" +
                    job + "' ORDER BY decision DESC")
            .at(0);
    }
};

} // namespace

// Eight ranks, four channels, 64 MiB: chunks of 2 MiB, 32 segments of 65,536 B, each with 256 PCIe
// packets of 24 B of header. An edge of the ring carries 2 (n - 1) = 14 chunks: 448 segments on the
// PCIe links of a NIC, by hand t = 448 x 71,680 B / 15.75 GB/s, above what its NIC needs:
// 448 x 66,928 B / 25 GB/s.
TEST_F(InsideLoadsInScenariosTest, TheSlowestLinkOfAHostGivesTheTime)
{
    Run(Testbed("  - {name: bert, gpus: 8, gpus-per-host: 4, local-gpus: [0, 2, 4, 6], flop: 8e13, "
                "channels: 4, iterations: 3, iteration: [{compute: 1ms}, {all-reduce: "
                "{bytes: 64MiB}}]}\n"
                "  - {name: resnet, gpus: 8, gpus-per-host: 4, local-gpus: [1, 3, 5, 7], flop: "
                "4e13, channels: 4, iterations: 3, iteration: [{compute: 1ms}, {all-reduce: "
                "{bytes: 16MiB}}]}\n") +
        "compare: [Crux]\n");
    const double segment = 65'536 + 256 * 24;
    EXPECT_NEAR(Input("bert", "$.t_s"), 448 * segment * 8 / 126'030'769'000.0, 1e-12);
    EXPECT_NEAR(Input("resnet", "$.t_s"), 112 * segment * 8 / 126'030'769'000.0, 1e-12);
    EXPECT_EQ(Bottleneck("bert"), "host0.gpu0-host0.pcie0");
    EXPECT_EQ(Bottleneck("resnet"), "host0.gpu1-host0.pcie0");
    // Intensities, by which levels follow: 8e13 / t and 4e13 / (t / 4).
    EXPECT_NEAR(Input("resnet", "$.I") / Input("bert", "$.I"), 2, 1e-9);
    EXPECT_EQ(Rows("SELECT name, value FROM decision NATURAL JOIN job WHERE kind = 'priority' AND "
                   "trigger = 'arrival' ORDER BY job"),
              (std::vector<std::string>{"bert|level 1", "resnet|level 0"}));
    // The compared pair has that link time: a job that ends its iteration when both have ended.
    EXPECT_GT(Input("bert", "$.k"), 0);
}

// What is said of the links inside hosts before a run is what the fabric counts in it.
TEST_F(InsideLoadsInScenariosTest, DeclaredLoadsAreWhatIsCounted)
{
    Run(Testbed("  - {name: bert, model: bert-base, sequence: 128, batch-per-gpu: 4, gpus: 8, "
                "gpus-per-host: 4, local-gpus: [0, 2, 4, 6], iterations: 2, scale: 1/16}\n"
                "  - {name: resnet, model: resnet-50, batch-per-gpu: 8, gpus: 8, gpus-per-host: 4, "
                "local-gpus: [1, 3, 5, 7], iterations: 2, scale: 1/16}\n") +
        "compare: [GpuIntensity]\n");
    for (const std::string job : {"bert", "resnet"})
    {
        const double counted =
            Real("SELECT MAX(8.0 * bytes / 2 / rate_bps) FROM (SELECT link, SUM(bytes) bytes FROM "
                 "job_link NATURAL JOIN job WHERE name = '" +
                 job + "' GROUP BY link) NATURAL JOIN link");
        EXPECT_NEAR(Input(job, "$.t_s"), counted, 1e-4 * counted) << job;
        EXPECT_NE(Bottleneck(job).find("pcie"), std::string::npos) << job;
    }
}

// Two jobs of one host, GPUs 0 and 2 and GPUs 1 and 3: no flow, but both cross the links between
// PCIe switches and root complex. Each all-reduce sends 8 MiB, 128 segments of 71,680 B at 200 ps a
// byte, in two steps of half of it.
TEST_F(InsideLoadsInScenariosTest, JobsThatMeetOnPcieOnlyGetLevels)
{
    const std::string first =
        "  - {name: a, gpus: 2, hosts: [host0], local-gpus: [0, 2], channels: "
        "1, iterations: 10, flop: 1e15, iteration: [{compute: 1ms}, "
        "{all-reduce: {bytes: 8MiB}}]}\n";
    const std::string second = "  - {name: b, gpus: 2, hosts: [host0], local-gpus: [1, 3], "
                               "channels: 1, until: a, flop: 1e13, iteration: [{all-reduce: "
                               "{bytes: 8MiB}}]}\n";
    const double alone = 1 + 128 * 71'680 * 200e-9; // [ms]
    for (const char* scheduler : {"GpuIntensity", "Crux"})
    {
        SCOPED_TRACE(scheduler);
        Run(Bare(first + second) + "compare: [None, " + scheduler + "]\n");
        EXPECT_EQ(Rows("SELECT name, value FROM decision NATURAL JOIN job WHERE run = 2 AND kind = "
                       "'priority' AND trigger = 'arrival' ORDER BY job"),
                  (std::vector<std::string>{"a|level 0", "b|level 1"}));
        EXPECT_NEAR(Input("b", "$.t_s"), 128 * 71'680 * 200e-12, 1e-12);
        // Priorities 6 and 5 on the link that both use.
        EXPECT_EQ(
            Rows("SELECT job.name, priority FROM job_link JOIN link USING (run, link) JOIN job "
                 "USING (run, job) WHERE run = 2 AND link.name = 'host0.pcie0-host0.root0' "
                 "ORDER BY job.name"),
            (std::vector<std::string>{"a|6", "b|5"}));
        const double fair = Real("SELECT iteration_ms FROM v_job WHERE run = 1 AND job = 'a'");
        const double ahead = Real("SELECT iteration_ms FROM v_job WHERE run = 2 AND job = 'a'");
        EXPECT_GT(fair, 1.2 * alone);
        EXPECT_NEAR(ahead, alone, 0.05 * alone); // a segment of the other one, and the ways
    }
}

// NVLink of its own GPUs is no link that a job could meet another one on: no level is spent on it.
TEST_F(InsideLoadsInScenariosTest, AJobOnItsOwnNvlinkNeedsNoLevel)
{
    Run(Testbed("  - {name: a, gpus: 4, hosts: [host0], local-gpus: [0, 1, 2, 3], iterations: 2, "
                "flop: 1e15, iteration: [{all-reduce: {bytes: 8MiB}}]}\n"
                "  - {name: b, gpus: 2, gpus-per-host: 1, iterations: 2, flop: 1e12, iteration: "
                "[{all-reduce: {bytes: 8MiB}}]}\n") +
        "compare: [GpuIntensity]\n");
    EXPECT_EQ(Rows("SELECT name, value, reason FROM decision NATURAL JOIN job WHERE kind = "
                   "'priority' AND trigger = 'arrival' ORDER BY job"),
              (std::vector<std::string>{"a|level 5|without traffic that others can meet a job "
                                        "needs no priority: the lowest level",
                                        "b|level 0|rank 1 of 2 by GPU intensity: a level of its "
                                        "own"}));
    // Its t is that of NVLink all the same.
    EXPECT_GT(Input("a", "$.t_s"), 0);
}
