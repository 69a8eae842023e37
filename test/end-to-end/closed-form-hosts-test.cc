/* SPDX-License-Identifier: GPL-2.0-only */

// Jobs whose data cross the interior of hosts, on the packet network.

#include "../fixture/scenario-run-fixture.h"

#include <algorithm>

using namespace ns3;

namespace
{

class ClosedFormHostsTest : public ScenarioRunFixture
{
  protected:
    /// Two hosts of a kind on one switch.
    static std::string Pair(const std::string& host, uint32_t nics, const std::string& jobs)
    {
        return "topology: {type: LeafSpine, Leaves: 1, Spines: 1, HostsPerLeaf: 2, GpusPerHost: 8, "
               "NicsPerHost: " +
               std::to_string(nics) +
               ", NicRate: 100Gbps, Uplinks: 1, UplinkRate: 100Gbps, LinkDelay: 1us}\nhost: " +
               host + "\ndefaults: {\"ns3::RoceNic::CongestionControl\": \"ns3::FixedRate\"}\n" +
               "jobs:\n" + jobs;
    }

    uint64_t LinkBytes(const std::string& link) const
    {
        return static_cast<uint64_t>(Integer("SELECT SUM(bytes) FROM job_link NATURAL JOIN link "
                                             "WHERE name = '" +
                                             link + "'"));
    }
};

} // namespace

// 16 ranks, 4 channels, 64 MiB: chunks of 1 MiB, 16 segments of 65,536 B. Every edge of a ring
// carries 2 (n - 1) = 30 of them: 2 (n - 1)/n S/channels. On PCIe a segment has 256 packets of 24 B
// of header.
TEST_F(ClosedFormHostsTest, ARingEdgeCarriesItsShareOnEachLinkOfAHost)
{
    Run(Pair("crux-testbed",
             4,
             "  - {name: a, gpus: 16, iterations: 1, channels: 4, iteration: "
             "[{all-reduce: {bytes: 64MiB}}]}\n"));
    const uint64_t chunks = 30 * 16;
    const uint64_t onPcie = chunks * (65'536 + 256 * 24);
    for (const std::string host : {"host0", "host1"})
    {
        for (uint32_t nic = 0; nic < 4; nic++)
        {
            const std::string end = host + ".nic" + std::to_string(nic);
            const std::string pcie = host + ".pcie" + std::to_string(nic);
            EXPECT_EQ(LinkBytes(pcie + "-" + end), onPcie) << end;
            EXPECT_EQ(LinkBytes(end + "-" + pcie), onPcie) << end;
        }
        // 7 edges a channel inside the host, from any GPU, over all planes; header 16 B of 272.
        EXPECT_EQ(static_cast<uint64_t>(Integer(
                      "SELECT SUM(bytes) FROM job_link NATURAL JOIN link WHERE name LIKE '" + host +
                      ".gpu%-" + host + ".nvswitch%'")),
                  4 * 7 * chunks * (65'536 + 256 * 16));
    }
}

// A job alone, then two whose GPUs share a PCIe switch and NIC: at 40 Gb/s the link between switch
// and NIC, not the network, is what both share, half each.
TEST_F(ClosedFormHostsTest, TwoJobsShareThePcieLinkOfTheirNic)
{
    const std::string host = "{type: crux-testbed, PcieRate: 40Gbps}";
    const std::string a = "  - {name: a, gpus: 2, gpus-per-host: 1, channels: 1, iterations: 20, "
                          "hosts: [host0, host1], iteration: [{all-reduce: {bytes: 16MiB}}]}\n";
    const std::string b = "  - {name: b, gpus: 2, gpus-per-host: 1, channels: 1, iterations: 20, "
                          "hosts: [host0, host1], iteration: [{all-reduce: {bytes: 16MiB}}]}\n";
    Run(Pair(host, 4, a));
    const double alone = Real("SELECT iteration_ms FROM v_job");
    // Two steps of 8 MiB, 128 segments of 71,680 B at 200 ps a byte: 2 x 1.835 ms, and the way.
    EXPECT_NEAR(alone, 2 * 128 * 71'680 * 200e-9, 0.05 * alone);
    Run(Pair(host, 4, a + b));
    for (const char* job : {"a", "b"})
    {
        const double both =
            Real(std::string("SELECT iteration_ms FROM v_job WHERE job = '") + job + "'");
        EXPECT_NEAR(both, 2 * 2 * 128 * 71'680 * 200e-9, 0.03 * both) << job;
    }
    EXPECT_GT(Real("SELECT utilization FROM v_link_utilization WHERE name = "
                   "'host0.pcie0-host0.nic0'"),
              0.97);
}

// The priority of the network holds inside the host: the first takes its time alone.
TEST_F(ClosedFormHostsTest, AHigherPriorityTakesThePcieLink)
{
    const std::string jobs =
        "  - {name: a, gpus: 2, gpus-per-host: 1, channels: 1, iterations: 20, flop: 2e15, "
        "hosts: [host0, host1], iteration: [{compute: 4ms}, {all-reduce: {bytes: 16MiB}}]}\n"
        "  - {name: b, gpus: 2, gpus-per-host: 1, channels: 1, until: a, flop: 1e14, "
        "hosts: [host0, host1], iteration: [{all-reduce: {bytes: 16MiB}}]}\n";
    Run(Pair("{type: crux-testbed, PcieRate: 40Gbps}", 4, jobs) +
        "compare: [None, GpuIntensity]\n");
    const double alone = 4 + 2 * 128 * 71'680 * 200e-9;
    const double fair = Real("SELECT iteration_ms FROM v_job WHERE job = 'a' AND run = 1");
    const double first = Real("SELECT iteration_ms FROM v_job WHERE job = 'a' AND run = 2");
    EXPECT_GT(fair, 1.3 * alone);
    EXPECT_NEAR(first, alone, 0.04 * alone);
}

// All-gather over two NDv2: the 8 chunks of a host cross its one NIC of 12.5 GB/s, then the last
// one goes the cheapest way to the farthest GPU: 8 C / 12.5 + C (1/50 + 1/25) with C = S/16
// (TE-CCL: 43.75 ms for 1 GB). Nothing can be faster.
TEST_F(ClosedFormHostsTest, NothingBeatsTheBoundOfTwoNdv2)
{
    const double chunk = 64e6 / 16;
    const double bound = (8 * chunk / 12.5 + chunk / 50 + chunk / 25) * 1e-6; // [ms]
    for (const char* algorithm : {"Ring", "Direct", "Auto"})
    {
        SCOPED_TRACE(algorithm);
        Run(Pair("ndv2",
                 1,
                 std::string("  - {name: a, gpus: 16, iterations: 1, collective: ") + algorithm +
                     ", iteration: [{all-gather: {bytes: 64MB}}]}\n"));
        const double time = Real("SELECT (end_ps - first_post_ps) / 1e9 FROM collective");
        EXPECT_GE(time, bound);
    }
    // Its ring crosses each NIC once: 15 chunks there, after NVLink, PCIe and network.
    Run(Pair("ndv2",
             1,
             "  - {name: a, gpus: 16, iterations: 1, iteration: [{all-gather: {bytes: 64MB}}]}\n"));
    EXPECT_LE(Real("SELECT (end_ps - first_post_ps) / 1e9 FROM collective"), 3 * bound);
}

// What is inside changes nothing where it is wide and near: a ring of two hosts is bound by the
// network.
TEST_F(ClosedFormHostsTest, AWideInsideIsAsNone)
{
    const std::string jobs = "  - {name: a, gpus: 16, iterations: 4, channels: 4, iteration: "
                             "[{compute: 1ms}, {all-reduce: {bytes: 256MiB}}]}\n";
    Run(Pair("{type: crux-testbed, PcieDelay: 0ns, NvlinkDelay: 0ns}", 4, jobs));
    const double inside = Real("SELECT iteration_ms FROM v_job");
    std::string without = Pair("x", 4, jobs);
    without.erase(without.find("host: x\n"), 8);
    Run(without);
    const double plain = Real("SELECT iteration_ms FROM v_job");
    // Store and forward of segments: up to 4 PCIe links of 71,680 B at 31.7 ps and two NVLinks a
    // step, of 30 steps of 4 MiB at 80 ps a byte.
    EXPECT_GE(inside, plain);
    EXPECT_LE(inside, 1.05 * plain);
}
