/* SPDX-License-Identifier: GPL-2.0-only */

// Jobs on a rail-only network: those that stay on their rails run, others fail with a reason.

#include "../fixture/scenario-run-fixture.h"

namespace ns3
{

/// Hosts of 8 GPUs and two NICs, one for GPUs 0 to 3 and one for GPUs 4 to 7.
class RailsInScenariosTest : public ScenarioRunFixture
{
  protected:
    static std::string Cluster(const std::string& more)
    {
        return "topology: {type: RailOptimized, HostsPerGroup: 4, NicsPerHost: 2, " + more + "}\n";
    }

    static std::string Job(const std::string& name, const std::string& more)
    {
        return "  - {name: " + name + ", " + more +
               ", iterations: 3, iteration: [{compute: 200us}, {all-reduce: {bytes: 2MB}}]}\n";
    }

    std::vector<std::string> GetStatus() const
    {
        return Rows("SELECT name, status FROM job ORDER BY job");
    }
};

TEST_F(RailsInScenariosTest, AJobThatWouldCrossRailsFails)
{
    // a takes GPUs 0 to 3 of host0; b the other four, on NIC 1, and GPUs 0 to 3 of host1, on NIC 0.
    const std::string jobs = "jobs:\n" + Job("a", "gpus: 4, hosts: [host0]") +
                             Job("b", "gpus: 8, hosts: [host0, host1]") +
                             Job("c", "gpus: 16, hosts: [host2, host3]");
    for (const char* scheduler : {"None", "{type: GpuIntensity, SelectPaths: true}"})
    {
        Run(Cluster("Spines: 0, RailOnly: true") + jobs + "scheduler: " + scheduler + "\n");
        EXPECT_EQ(GetStatus(), (std::vector<std::string>{"a|finished", "b|failed", "c|finished"}));
        EXPECT_EQ(
            Rows("SELECT detail FROM job_event WHERE kind = 'failed'"),
            std::vector<std::string>{"channel 0: no path leads from host0.nic1 to host1.nic0: "
                                     "host0.nic1 reaches host1.nic1"});
        EXPECT_NE(messages.find("job b has failed"), std::string::npos) << messages;
        // GPU times, frames and bytes add up all the same.
        EXPECT_EQ(Integer("SELECT COUNT(*) FROM invariant WHERE expected <> actual"), 0);
    }
    // Where spines join the rails it runs.
    Run(Cluster("Spines: 2") + jobs);
    EXPECT_EQ(GetStatus(), (std::vector<std::string>{"a|finished", "b|finished", "c|finished"}));
}

TEST_F(RailsInScenariosTest, RingsKeepToTheirRails)
{
    // Two channels, one on each rail. Of n = 32 ranks and S = 4 MB, a ring edge between hosts
    // carries 2 (n - 1) = 62 messages of S / 2 / n = 62,500 B an iteration.
    Run(Cluster("Spines: 0, RailOnly: true") +
        "jobs:\n  - {name: a, gpus: 32, iterations: 2, iteration: [{compute: 100us}, {all-reduce: "
        "{bytes: 4MB}}]}\n");
    EXPECT_EQ(GetStatus(), std::vector<std::string>{"a|finished"});
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM queue_pair"), 2 * 4);
    for (const char* link : {"host0-rail0", "host0-rail1", "host3-rail1"})
    {
        EXPECT_EQ(Integer(std::string("SELECT SUM(bytes) FROM job_link JOIN link USING (run, link) "
                                      "WHERE priority < 7 AND name = '") +
                          link + "'"),
                  static_cast<int64_t>(2 * 62 * WireBytes(62'500)))
            << link;
    }
}

TEST_F(RailsInScenariosTest, AFlowThatWouldCrossRailsIsAnError)
{
    EXPECT_EQ(Try(Cluster("Spines: 0, RailOnly: true") +
                  "flows: [{from: host0.nic1, to: host2.nic0, bytes: 1MB}]\n"),
              ScenarioRunner::BAD_INPUT);
    EXPECT_NE(messages.find("no path leads from host0.nic1 to host2.nic0: host0.nic1 reaches "
                            "host2.nic1"),
              std::string::npos)
        << messages;
}

} // namespace ns3
