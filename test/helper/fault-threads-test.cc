/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/scenario-run-fixture.h"

#include <fstream>
#include <iterator>

namespace ns3
{

/// Scenarios with faults, simulated by several threads.
class FaultThreadsTest : public ScenarioRunFixture
{
  protected:
    /// Runs a scenario. \returns the bytes of its database
    std::string RunIn(uint32_t count, const std::string& scenario)
    {
        threads = count;
        Run(scenario);
        EXPECT_EQ(messages.find("thread"), std::string::npos) << count << " threads: " << messages;
        const std::vector<std::string> file = Rows("SELECT file FROM pragma_database_list");
        EXPECT_EQ(file.size(), 1u);
        std::ifstream stream(file.at(0), std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
};

TEST_F(FaultThreadsTest, TheSameBytes)
{
    // Each kind of fault, while two jobs and a flow send over three leaves and two spines; samples
    // of the links, events and pauses are recorded.
    const std::string scenario = R"(
topology: {type: LeafSpine, Leaves: 3, Spines: 2, HostsPerLeaf: 2, GpusPerHost: 1, NicsPerHost: 1,
           NicRate: 100Gbps, Uplinks: 2, UplinkRate: 100Gbps, LinkDelay: 1us}
defaults:
  ns3::FabricSwitch::BufferSize: 4MB
  ns3::Fabric::ConvergenceTime: 200us
  ns3::Fabric::ReceiveBuffer: 100kB
  ns3::RoceNic::RetransmissionTimeout: 300us
placement: Spread
jobs:
  - {name: a, gpus: 3, iterations: 6, iteration: [{compute: 100us}, {all-reduce: {bytes: 4MB}}]}
  - {name: b, gpus: 2, iterations: 6, iteration: [{compute: 80us}, {all-to-all: {bytes: 3MB}}]}
flows: [{from: host0, to: host5, bytes: 20MB, at: 100us}]
faults:
  - {at: 500us, link: leaf0-spine1, action: down, for: 500us}
  - {at: 300us, link: leaf0-spine0, action: degraded, rate: 10Gbps, for: 400us}
  - {at: 1ms, link: leaf1-spine0, action: flapping, period: 200us, duty: 50%, for: 1ms}
  - {at: 1200us, switch: spine0, action: down, for: 300us}
  - {at: 600us, nic: host5.nic0, action: slow, rate: 10Gbps, for: 700us}
  - {from: 0ms, to: 1s, link: "*", action: lose, frames: [data, pause], probability: 0.1%}
record: [jobs, transfers, events, {links: {interval: 50us}}]
)";
    const std::string one = RunIn(1, scenario);
    EXPECT_GT(Integer("SELECT COUNT(*) FROM fabric_event WHERE detail = 'link down'"), 0);
    EXPECT_GT(Integer("SELECT COUNT(*) FROM fabric_event WHERE detail = 'lost on the wire'"), 0);
    EXPECT_GT(Integer("SELECT COUNT(*) FROM fabric_event WHERE event > 0"), 0);
    EXPECT_GT(Integer("SELECT COUNT(*) FROM pause"), 0);
    for (const uint32_t count : {2, 3, 5})
    {
        EXPECT_TRUE(RunIn(count, scenario) == one) << count << " threads";
    }
}

} // namespace ns3
