/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/scenario/scenario-reader.h"
#include "../fixture/scenario-fixture.h"

namespace ns3
{

/// Reads `faults:` of a leaf-spine cluster: cables host0-leaf0, host1-leaf0, host2-leaf1,
/// host3-leaf1 (0 to 3), leaf0-spine0, leaf0-spine1, leaf1-spine0, leaf1-spine1 (4 to 7).
std::vector<FaultSpec>
ReadFaults(const std::string& faults)
{
    ScenarioFolder folder;
    Diagnostics diagnostics;
    const auto scenario = ScenarioReader::Read(
        folder.Write("s.yaml",
                     "schema: gpu-fabric/1\n"
                     "topology: {type: LeafSpine, Leaves: 2, Spines: 2, HostsPerLeaf: 2, "
                     "GpusPerHost: 1, NicsPerHost: 1, NicRate: 100Gbps, Uplinks: 2, "
                     "UplinkRate: 100Gbps}\n"
                     "flows: [{from: host0, to: host3, bytes: 1MB}]\nfaults:\n" +
                         faults),
        diagnostics);
    std::ostringstream messages;
    diagnostics.Print(messages);
    EXPECT_EQ(messages.str(), "");
    return scenario ? scenario->faults : std::vector<FaultSpec>(10);
}

TEST(ScenarioFaultReaderTest, ALinkIsACableByEitherName)
{
    const auto faults = ReadFaults("  - {at: 1ms, link: leaf0-spine1, action: down, for: 2ms}\n"
                                   "  - {at: 3ms, link: spine1-leaf0, action: down}\n"
                                   "  - {at: 7ms, link: leaf0-spine1, action: up}\n");
    ASSERT_EQ(faults.size(), 3u);
    EXPECT_EQ(faults[0].links, std::vector<uint32_t>{5});
    EXPECT_EQ(faults[0].at, PicoSeconds(1'000'000'000));
    EXPECT_EQ(faults[0].end, PicoSeconds(3'000'000'000));
    // The third ends the second.
    EXPECT_EQ(faults[1].links, std::vector<uint32_t>{5});
    EXPECT_EQ(faults[1].end, PicoSeconds(7'000'000'000));
}

TEST(ScenarioFaultReaderTest, LossConcernsDirectedLinks)
{
    const auto faults = ReadFaults(
        "  - {link: \"*\", action: lose, probability: 0.1%}\n"
        "  - {link: spine1-leaf0, action: lose, probability: 1%, frames: [ack, data]}\n"
        "  - {link: spine1->leaf0, action: lose, probability: 100%, from: 1ms, to: 2ms}\n");
    ASSERT_EQ(faults.size(), 3u);
    EXPECT_EQ(faults[0].ports.size(), 16u);
    EXPECT_TRUE(faults[0].frames.empty()); // all
    EXPECT_DOUBLE_EQ(faults[0].probability, 0.001);
    EXPECT_FALSE(faults[0].end);
    EXPECT_EQ(faults[1].ports, (std::vector<uint32_t>{11, 10}));
    EXPECT_EQ(faults[1].frames, (std::vector<LostFrames>{LostFrames::ACK, LostFrames::DATA}));
    EXPECT_EQ(faults[2].ports, std::vector<uint32_t>{11});
    EXPECT_EQ(faults[2].end, PicoSeconds(2'000'000'000));
}

TEST(ScenarioFaultReaderTest, OtherTargets)
{
    const auto faults =
        ReadFaults("  - {at: 1ms, switch: spine0, action: down, for: 2ms}\n"
                   "  - {at: 1ms, nic: host3.nic0, action: slow, rate: 10Gbps, for: 2ms}\n"
                   "  - {at: 1ms, host: host2, action: down}\n"
                   "  - {at: 1ms, link: host0-leaf0, action: flapping, period: 1ms, for: 4ms}\n"
                   "  - {at: 9ms, link: host0-leaf0, action: flapping, period: 1ms, duty: 25%, "
                   "for: 4ms}\n");
    ASSERT_EQ(faults.size(), 5u);
    EXPECT_EQ(faults[0].kind, FaultTarget::SWITCH);
    EXPECT_EQ(faults[1].ports, std::vector<uint32_t>{6}); // host3's end of cable 3
    EXPECT_EQ(faults[1].rate, BitRate(10'000'000'000));
    EXPECT_EQ(faults[2].kind, FaultTarget::HOST);
    EXPECT_EQ(faults[3].down, PicoSeconds(500'000'000));
    EXPECT_EQ(faults[4].down, PicoSeconds(250'000'000));
}

} // namespace ns3
