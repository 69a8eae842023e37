/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/scenario-run-fixture.h"

#include <map>

using namespace ns3;

namespace
{

/// Ring collectives on the packet network against their closed form.
class ClosedFormRingTest : public ScenarioRunFixture
{
  protected:
    /// Eight hosts with a GPU and a NIC each on one switch, 100 Gb/s, 1 us.
    static std::string Star(const std::string& steps, const std::string& more = "")
    {
        return R"(
topology: {type: Star, Hosts: 8, NicRate: 100Gbps, LinkDelay: 1us}
defaults: {"ns3::RoceNic::CongestionControl": "ns3::FixedRate"}
record: [jobs, collectives, transfers, events]
jobs:
  - name: ring
    gpus: 8
    iterations: 1
    iteration: [)" +
               steps + "]\n" + more;
    }

    /**
     * Time [ps] of so many steps of a ring in which every host sends, receives and acknowledges at
     * once.
     *
     * The uplink of a host carries its data and its acknowledgements of what it receives; the
     * first frame, of 4194 B, is stored and forwarded, and the others follow it without a gap;
     * two links of 1 us. A rank is done when its last message is acknowledged, one way of an ACK
     * of 86 B later.
     *   steps x ((wire(chunk) + ACKs + 4194 B) x 8 / B + 2 x 1 us) + 2 x (1 us + 86 B x 8 / B)
     */
    static double RingPs(uint32_t steps, uint64_t chunk)
    {
        double bytes = static_cast<double>(WireBytes(chunk) + AckBytes(chunk) + 4194);
        return steps * (bytes * 80 + 2 * US) + 2 * (US + 86 * 80);
    }

    /// From the last post to the end of collective 0 [ps].
    double CollectivePs() const
    {
        return Real("SELECT end_ps - last_post_ps FROM collective WHERE collective = 0");
    }
};

// 14 steps of 12.5 MB: 3052 frames, wire 12,500,000 + 3052 x 82 + 16 = 12,750,280 B, 191 ACKs of
// 86 B = 16,426 B; (12,766,706 + 4,194) x 80 ps = 1,021.672 us, + 2 us = 1,023.672 us a step,
// 14.3314 ms, + 2 us (without any overhead 2 x 7 x 12.5 MB at 100 Gb/s: 14.0 ms).
TEST_F(ClosedFormRingTest, AllReduceOf100Megabytes)
{
    Run(Star("{all-reduce: {bytes: 100MB}}"));
    double expected = RingPs(14, 12'500'000);
    EXPECT_NEAR(expected / MS, 14.3334, 0.0001);
    // 0.02 %: the ACK of a message's end is sent in the next step, the last one not at all.
    EXPECT_NEAR(CollectivePs(), expected, 0.0002 * expected);
    RecordProperty("measured_ms", std::to_string(CollectivePs() / MS));
}

// 14 steps of 1 MB: 245 frames, wire 1,000,000 + 245 x 82 + 16 = 1,020,106 B, 16 ACKs of 86 B:
// (1,021,482 + 4,194) x 80 ps + 2 us = 84.054 us a step, 1.1767 ms, + 2 us.
TEST_F(ClosedFormRingTest, AllReduceOf8Megabytes)
{
    Run(Star("{all-reduce: {bytes: 8MB}}"));
    double expected = RingPs(14, 1'000'000);
    EXPECT_NEAR(expected / MS, 1.1788, 0.0001);
    EXPECT_NEAR(CollectivePs(), expected, 0.0002 * expected);
    RecordProperty("measured_ms", std::to_string(CollectivePs() / MS));
}

// Half the steps each, of the same chunks.
TEST_F(ClosedFormRingTest, AllGatherAndReduceScatterTakeHalf)
{
    for (const std::string operation : {"all-gather", "reduce-scatter"})
    {
        Run(Star("{" + operation + ": {bytes: 8MB}}"));
        EXPECT_NEAR(CollectivePs(), RingPs(7, 1'000'000), 0.0002 * RingPs(7, 1'000'000));
        EXPECT_EQ(Rows("SELECT op, algorithm, ranks, channels, bytes FROM collective"),
                  std::vector<std::string>{operation + "|Ring|8|1|8000000"});
        // 7 messages of 1 MB from each of 8 ranks.
        EXPECT_EQ(Integer("SELECT SUM(bytes) FROM transfer"), 7 * 8 * 1'000'000);
    }
}

// Every byte of the buffer crosses 2 (n - 1) edges, whether or not it divides by n.
TEST_F(ClosedFormRingTest, UnevenBuffersAreCarriedExactly)
{
    for (uint64_t bytes : {uint64_t{999'983}, uint64_t{9}})
    {
        Run(Star("{all-reduce: {bytes: " + std::to_string(bytes) + "B}}"));
        EXPECT_EQ(Integer("SELECT SUM(bytes) FROM transfer"), 14 * bytes);
        EXPECT_EQ(Integer("SELECT bytes FROM iteration"), 14 * bytes);
    }
}

// nccl-tests: S / time x 2 (n - 1) / n for an all-reduce, x (n - 1) / n for the others.
TEST_F(ClosedFormRingTest, BusBandwidth)
{
    Run(Star("{all-reduce: {bytes: 8MB}}, {all-gather: {bytes: 8MB}}, {reduce-scatter: {bytes: "
             "8MB}}"));
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM collective WHERE bus_bandwidth_bps <> CAST(bytes * 8 * "
                      "CASE op WHEN 'all-reduce' THEN 2 ELSE 1 END * 7 / 8.0 "
                      "/ ((end_ps - last_post_ps) / 1e12) AS INTEGER)"),
              0);
    // 14 MB in 1.1788 ms, 7 MB in 0.5904 ms: 95.0 and 94.9 Gb/s.
    std::vector<double> bandwidths = Column("SELECT bus_bandwidth_bps FROM collective");
    ASSERT_EQ(bandwidths.size(), 3u);
    EXPECT_NEAR(bandwidths[0], 95.02e9, 0.03e9);
    EXPECT_NEAR(bandwidths[1], 94.86e9, 0.03e9);
    EXPECT_NEAR(bandwidths[2], 94.86e9, 0.03e9);
}

// Four hosts of two GPUs and two NICs, so two channels: 8 ranks, chunks of 16 MB / 16 = 1 MB. An
// edge between hosts carries 2 x 7 chunks = 2 x 7/8 x 16 MB / 2 = 14 MB; each host has one such
// edge on each of its NICs.
TEST_F(ClosedFormRingTest, ChannelsSpreadOverNics)
{
    Run(R"(
topology:
  type: LeafSpine
  Leaves: 1
  Spines: 1
  Uplinks: 1
  HostsPerLeaf: 4
  GpusPerHost: 2
  NicsPerHost: 2
  NicRate: 100Gbps
  LinkDelay: 1us
defaults: {"ns3::RoceNic::CongestionControl": "ns3::FixedRate"}
record: [jobs, collectives, transfers, events]
jobs:
  - name: ring
    gpus: 8
    iterations: 2
    iteration: [{compute: 1us}, {all-reduce: {bytes: 16MB}}]
)");
    EXPECT_EQ(Integer("SELECT channels FROM collective"), 2);
    // One queue pair an edge, over all iterations.
    EXPECT_EQ(Rows("SELECT DISTINCT COUNT(*), SUM(bytes), MIN(bytes), MAX(bytes), MIN(channel) = "
                   "MAX(channel) FROM transfer GROUP BY queue_pair"),
              std::vector<std::string>{"28|28000000|1000000|1000000|1"});
    EXPECT_EQ(Rows("SELECT COUNT(*), SUM(bytes) FROM transfer GROUP BY source_nic, channel"),
              std::vector<std::string>(8, "28|28000000"));
    EXPECT_EQ(Rows("SELECT COUNT(*) FROM transfer GROUP BY destination_nic"),
              std::vector<std::string>(8, "28"));
    // Channel c leaves and enters by NIC c.
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM transfer AS t JOIN link AS s ON s.link = source_nic "
                      "JOIN link AS d ON d.link = destination_nic "
                      "WHERE s.source_port <> channel OR d.source_port <> channel"),
              0);
    // On the wire of each host link, either direction: 28 messages and the ACKs of 28.
    EXPECT_EQ(Rows("SELECT DISTINCT bytes, frames FROM job_link WHERE priority <> 7"),
              std::vector<std::string>{std::to_string(28 * WireBytes(1'000'000)) + "|" +
                                       std::to_string(28 * 245)});
    EXPECT_EQ(Rows("SELECT DISTINCT bytes, frames FROM job_link WHERE priority = 7"),
              std::vector<std::string>{std::to_string(28 * AckBytes(1'000'000)) + "|" +
                                       std::to_string(28 * 16)});
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM job_link WHERE priority <> 7"), 16);
    // The NICs work side by side. Half of the edges are NVLink (300 GB/s: 3.3 us a chunk), so that
    // two chunks are under way for every edge of the network, which therefore never waits: 14
    // chunks and their ACKs one after the other, then a path, an ACK and an NVLink.
    double busy = 14 * static_cast<double>(WireBytes(1'000'000) + AckBytes(1'000'000)) * 80;
    EXPECT_GE(CollectivePs(), busy);
    EXPECT_LE(CollectivePs(), busy + 4 * US + 2 * 4194 * 80 + 3.4 * US);
}

// As many messages of S / n / channels, whatever the number of channels on one NIC; they share it.
TEST_F(ClosedFormRingTest, ChannelsOfOneNicShareIt)
{
    Run(Star("{all-reduce: {bytes: 8MB}}", "    channels: 4\n"));
    EXPECT_EQ(Rows("SELECT DISTINCT COUNT(*), SUM(bytes) FROM transfer GROUP BY queue_pair"),
              std::vector<std::string>{"14|3500000"}); // 2 x 7/8 x 8 MB / 4
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM queue_pair"), 32);
    // A step of one channel hides the latency of another: 14 x 4 x wire(250 kB) and ACKs at line
    // rate is a lower bound, 14 steps one after the other with their latency an upper one.
    double busy = 14 * 4 * static_cast<double>(WireBytes(250'000) + AckBytes(250'000)) * 80;
    EXPECT_GE(CollectivePs(), busy);
    EXPECT_LE(CollectivePs(), busy + 14 * (2 * US + 4194 * 80));
}

} // namespace
