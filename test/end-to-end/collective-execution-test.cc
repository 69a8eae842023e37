/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/scenario-run-fixture.h"

using namespace ns3;

namespace
{

/// What kernels and the threads that serve NICs take, in closed form.
class CollectiveExecutionTest : public ScenarioRunFixture
{
  protected:
    /// A ring under a protocol with a channel, on `hosts` hosts of two GPUs and two NICs.
    static std::string Ring(uint32_t hosts,
                            const std::string& attributes,
                            const std::string& steps,
                            const std::string& more = "")
    {
        return "topology: {type: RailOptimized, Groups: 1, HostsPerGroup: " +
               std::to_string(hosts) + R"(, GpusPerHost: 2, NicsPerHost: 2,
           NicRate: 100Gbps, Spines: 1, Uplinks: 1, LinkDelay: 1us}
defaults: {"ns3::RoceNic::CongestionControl": "ns3::FixedRate", "ns3::JobTransport::NvlinkRate": 800Gbps}
record: [jobs, collectives, transfers, events]
jobs:
  - name: job
    gpus: )" + std::to_string(2 * hosts) +
               "\n    iterations: 1\n    collective: {type: Nccl, Nvls: false, Algorithm: Ring, " +
               "Channels: 1, LocalChannels: 1" + attributes + "}\n    iteration: [" + steps +
               "]\n" + more;
    }

    double CollectivePs() const
    {
        return Real("SELECT end_ps - last_post_ps FROM collective WHERE collective = 0");
    }
};

/// Local numbers of the two NICs, messages between them, and their bytes.
const std::string NICS =
    "SELECT a.source_port, b.source_port, COUNT(*), SUM(t.bytes) FROM transfer t "
    "JOIN link a ON a.run = t.run AND a.link = t.source_nic "
    "JOIN link b ON b.run = t.run AND b.link = t.destination_nic "
    "GROUP BY a.source_port, b.source_port ORDER BY ";

constexpr const char* FREE = ", LocalRate: 100TB/s, SimpleLaunch: 0us, SimpleLocalHop: 0us, "
                             "SimpleNetworkHop: 0us, LlLaunch: 0us, LlLocalHop: 0us, "
                             "LlNetworkHop: 0us, Ll128Launch: 0us, Ll128LocalHop: 0us, "
                             "Ll128NetworkHop: 0us";

} // namespace

// Two GPUs, two steps of half the buffer each: 2 x 1 MB / 100 GB/s.
TEST_F(CollectiveExecutionTest, WithoutCostsOnlyTheBytesTakeTime)
{
    Run(Ring(1, std::string(FREE) + ", Protocol: Simple", "{all-reduce: {bytes: 2MB}}"));
    EXPECT_EQ(CollectivePs(), 20 * US);
    Run(Ring(1, std::string(FREE) + ", Protocol: LL", "{all-reduce: {bytes: 2MB}}"));
    EXPECT_EQ(CollectivePs(), 40 * US); // 2 B for 1
    Run(Ring(1, std::string(FREE) + ", Protocol: LL128", "{all-reduce: {bytes: 2250000B}}"));
    EXPECT_NEAR(CollectivePs(), 24 * US, 100'000); // 16 B for 15, rounded up for each message
    EXPECT_EQ(Rows("SELECT algorithm, protocol, channels FROM collective"),
              std::vector<std::string>{"Ring|LL128|1"});
}

TEST_F(CollectiveExecutionTest, EachCostTakesItsTime)
{
    const std::string step = "{all-reduce: {bytes: 2MB}}";
    const std::string simple = ", Protocol: Simple, LocalRate: 100TB/s";
    // One launch, two hops.
    Run(Ring(1, simple + ", SimpleLaunch: 5us, SimpleLocalHop: 3us, SimpleNetworkHop: 1s", step));
    EXPECT_EQ(CollectivePs(), (5 + 2 * 3 + 20) * US);
    // A channel that copies at half of NVLink's rate.
    Run(Ring(1,
             simple + ", SimpleLaunch: 5us, SimpleLocalHop: 3us, SimpleChannelRate: 50GB/s",
             step));
    EXPECT_EQ(CollectivePs(), (5 + 2 * 3 + 40) * US);
    // Two collectives one after the other are launched twice.
    Run(Ring(1, simple + ", SimpleLaunch: 5us, SimpleLocalHop: 3us", step + ", " + step));
    EXPECT_EQ(Real("SELECT MAX(end_ps) - MIN(first_post_ps) FROM collective"), 2 * 31 * US);
}

// A rank sends to the other host once it has copied a slice, half of the message, and the thread
// that serves the NIC has made its step.
TEST_F(CollectiveExecutionTest, AMessageToAnotherHostWaitsForASliceAndTheProxy)
{
    const std::string one =
        "topology: {type: Star, Hosts: 2, NicRate: 100Gbps, LinkDelay: 1us}\n"
        "defaults: {\"ns3::RoceNic::CongestionControl\": \"ns3::FixedRate\"}\n"
        "record: [jobs, collectives, transfers, events]\n"
        "jobs:\n  - name: job\n    gpus: 2\n    iterations: 1\n"
        "    collective: {type: Nccl, Nvls: false, Algorithm: Ring, Channels: 1,"
        " Protocol: Simple, LocalRate: 100TB/s, SimpleLaunch: ";
    const std::string rest = "}\n    iteration: [{all-reduce: {bytes: 2MB}}]\n";
    Run(one + "0us, SimpleNetworkHop: 0us" + rest);
    const double free = CollectivePs();
    Run(one + "7us, SimpleNetworkHop: 4us" + rest);
    EXPECT_NEAR(CollectivePs() - free, (7 + 2 * 4) * US, 20'000); // acknowledgements no longer meet
    // 500 kB at 25 GB/s before each of the two messages.
    Run(one + "7us, SimpleNetworkHop: 4us, SimpleChannelRate: 25GB/s" + rest);
    EXPECT_NEAR(CollectivePs() - free, (7 + 2 * 4 + 2 * 20) * US, 20'000);
}

// GPU 1 sends to GPU 2, on another rail of a rail-only network: it leaves by the NIC of its host
// that is on that rail.
TEST_F(CollectiveExecutionTest, OnRailsOnlyASendTakesTheNicOfThePeersRail)
{
    Run(R"(
topology: {type: RailOptimized, Groups: 1, HostsPerGroup: 2, GpusPerHost: 2, NicsPerHost: 2,
           NicRate: 100Gbps, RailOnly: true}
record: [jobs, transfers]
jobs: [{name: job, gpus: 4, iterations: 1, iteration: [{send: {from: 1, to: 2, bytes: 1MB}}]}]
)");
    EXPECT_EQ(Rows(NICS + "1, 2, 3, 4"), std::vector<std::string>{"0|0|1|1000000"});
}

// Every message of an all-to-all leaves by the NIC of the rank on whose rail its receiver is,
// whole.
TEST_F(CollectiveExecutionTest, AnAllToAllStaysOnItsRails)
{
    Run(R"(
topology: {type: RailOptimized, Groups: 1, HostsPerGroup: 2, GpusPerHost: 2, NicsPerHost: 2,
           NicRate: 100Gbps, RailOnly: true}
record: [jobs, collectives, transfers]
jobs: [{name: job, gpus: 4, iterations: 1, collective: Direct, iteration: [{all-to-all: {bytes: 4MB}}]}]
)");
    // From both hosts, two messages of 1 MB by each NIC.
    EXPECT_EQ(Rows(NICS + "1, 2, 3, 4"),
              (std::vector<std::string>{"0|0|4|4000000", "1|1|4|4000000"}));
}
