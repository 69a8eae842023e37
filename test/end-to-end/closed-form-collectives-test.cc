/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/collective/msccl/msccl-exporter.h"
#include "../fixture/scenario-run-fixture.h"

#include "ns3/collective-algorithm.h"

using namespace ns3;

namespace
{

/// Collectives other than rings on the packet network.
class ClosedFormCollectivesTest : public ScenarioRunFixture
{
  protected:
    /// Eight hosts with a GPU and a NIC each on one switch, 100 Gb/s, 1 us.
    static std::string Star(const std::string& collective, const std::string& steps)
    {
        return R"(
topology: {type: Star, Hosts: 8, NicRate: 100Gbps, LinkDelay: 1us}
defaults: {"ns3::RoceNic::CongestionControl": "ns3::FixedRate"}
record: [jobs, collectives, transfers, events]
jobs:
  - name: job
    gpus: 8
    iterations: 1
    collective: )" +
               collective + "\n    iteration: [" + steps + "]\n";
    }

    double CollectivePs() const
    {
        return Real("SELECT end_ps - last_post_ps FROM collective WHERE collective = 0");
    }
};

} // namespace

// 7 messages of 1 MB from each host to each other one, all at once: each link carries
// 7 x (wire(1 MB) + ACKs) = 7 x (1,020,106 + 16 x 86) B at 80 ps a byte = 572.03 us, and the first
// frame is stored and forwarded; 2 x 1 us there, and an ACK back. (n-1)/n S 8/B = 560 us.
TEST_F(ClosedFormCollectivesTest, DirectAllToAllFillsEveryLink)
{
    Run(Star("Direct", "{all-to-all: {bytes: 8MB}}"));
    const double link = 7.0 * (WireBytes(1'000'000) + AckBytes(1'000'000)) * 80;
    const double expected = link + 4194 * 80 + 2 * (2 * US) + 2 * 86 * 80;
    // Seven senders share a link frame by frame; they do not end at the same instant.
    EXPECT_NEAR(CollectivePs(), expected, 0.02 * expected);
    EXPECT_GE(CollectivePs(), link * 0.999);
    EXPECT_EQ(Integer("SELECT SUM(bytes) FROM transfer"), 8 * 7 * 1'000'000);
    EXPECT_EQ(Rows("SELECT op, algorithm FROM collective"),
              std::vector<std::string>{"all-to-all|Direct"});
}

// C3 with over-subscription o = 2: 4 hosts a leaf, whose uplink has the rate of 2 of them. The 16
// messages of 1 MB that leave a leaf need 16 x (wire + ACKs of as many that come) at 40 ps a byte =
// 653.7 us, more than the 572.0 us of a host's own link: g S (n - g)/n 8/(g B/o) = 640 us of
// payload.
TEST_F(ClosedFormCollectivesTest, OverSubscribedAllToAllFillsTheUplink)
{
    Run(R"(
topology: {type: LeafSpine, Leaves: 2, Spines: 1, HostsPerLeaf: 4, GpusPerHost: 1, NicsPerHost: 1,
           NicRate: 100Gbps, Uplinks: 1, UplinkRate: 200Gbps, LinkDelay: 1us}
defaults: {"ns3::RoceNic::CongestionControl": "ns3::FixedRate"}
jobs:
  - {name: job, gpus: 8, iterations: 1, collective: Direct, iteration: [{all-to-all: {bytes: 8MB}}]}
)");
    const double uplink = 16.0 * (WireBytes(1'000'000) + AckBytes(1'000'000)) * 40;
    EXPECT_GE(CollectivePs(), uplink);
    EXPECT_LE(CollectivePs(), 1.05 * uplink);
}

// 7 steps of 1 MB one after the other: as 7 steps of a ring (closed-form-ring-test.cc), 0.5904 ms.
TEST_F(ClosedFormCollectivesTest, PairwiseAllToAllTakesItsSteps)
{
    Run(Star("Pairwise", "{all-to-all: {bytes: 8MB}}"));
    const double step = (WireBytes(1'000'000) + AckBytes(1'000'000) + 4194) * 80.0 + 2 * US;
    const double expected = 7 * step + 2 * (US + 86 * 80);
    EXPECT_NEAR(CollectivePs(), expected, 0.0002 * expected);
    EXPECT_EQ(Integer("SELECT SUM(bytes) FROM transfer"), 8 * 7 * 1'000'000);
}

// 3 steps each way of 4, 2, 1 and 1, 2, 4 MB: 2 x 7/8 x 8 MB a host, without the 14 latencies of a
// ring.
TEST_F(ClosedFormCollectivesTest, HalvingDoublingTakesItsSteps)
{
    Run(Star("HalvingDoubling", "{all-reduce: {bytes: 8MB}}"));
    double expected = 2 * (US + 86 * 80);
    for (uint64_t size : {4'000'000, 2'000'000, 1'000'000, 1'000'000, 2'000'000, 4'000'000})
    {
        expected += (WireBytes(size) + AckBytes(size) + 4194) * 80.0 + 2 * US;
    }
    EXPECT_NEAR(CollectivePs(), expected, 0.0002 * expected);
}

// What all ranks send: all-reduce over trees 2 (n-1) S, over a direct exchange 8 x 2 (n-1)/n S,
// broadcast and reduce (n-1) S.
TEST_F(ClosedFormCollectivesTest, AllRanksTogetherSendWhatTheyMust)
{
    const std::vector<std::tuple<std::string, std::string, int64_t>> cases{
        {"Tree", "all-reduce: {bytes: 8MB}", 112'000'000},
        {"{type: Tree, PieceBytes: 100kB}", "all-reduce: {bytes: 8MB}", 112'000'000},
        {"Tree", "broadcast: {bytes: 8MB, root: 3}", 56'000'000},
        {"Tree", "reduce: {bytes: 8MB, root: 7}", 56'000'000},
        {"Ring", "broadcast: {bytes: 8MB, root: 3}", 56'000'000},
        {"Direct", "all-reduce: {bytes: 8MB}", 112'000'000},
        {"Direct", "all-reduce: {bytes: 32kB}", 8 * 7 * 32'000},
        {"Hierarchical", "all-gather: {bytes: 8MB}", 56'000'000}};
    for (const auto& [algorithm, step, bytes] : cases)
    {
        Run(Star(algorithm, "{" + step + "}"));
        EXPECT_EQ(Integer("SELECT SUM(bytes) FROM transfer"), bytes) << algorithm << " " << step;
        EXPECT_EQ(Integer("SELECT bytes FROM iteration"), bytes) << algorithm << " " << step;
    }
}

// A tree in 16 pieces of 500 kB a half ends long before one that sends its halves whole.
TEST_F(ClosedFormCollectivesTest, PiecesOverlap)
{
    Run(Star("{type: Tree, MaxPieces: 1}", "{broadcast: {bytes: 16MB}}"));
    const double whole = CollectivePs();
    Run(Star("{type: Tree, PieceBytes: 500kB}", "{broadcast: {bytes: 16MB}}"));
    const double pieces = CollectivePs();
    // The root sends 16 MB in any case: 1.28 ms and headers.
    EXPECT_GE(pieces, 1.28 * MS);
    EXPECT_LT(pieces, 0.75 * whole);
}

TEST_F(ClosedFormCollectivesTest, AutoTakesTreesForSmallAndRingsForLarge)
{
    Run(Star("Auto",
             "{all-reduce: {bytes: 1kB}}, {all-reduce: {bytes: 64MB}}, {all-to-all: {bytes: 8kB}}, "
             "{all-gather: {bytes: 8kB}}"));
    EXPECT_EQ(Rows("SELECT op, algorithm, bytes FROM collective ORDER BY collective"),
              (std::vector<std::string>{"all-reduce|Tree|1000",
                                        "all-reduce|Ring|64000000",
                                        "all-to-all|Direct|8000",
                                        "all-gather|Ring|8000"}));
}

TEST_F(ClosedFormCollectivesTest, AFileIsAnAlgorithm)
{
    CollectiveLayout layout;
    layout.ranks.resize(8);
    const CollectiveSchedule schedule =
        CollectiveAlgorithm::Create("Direct")->Build({CollectiveOperation::ALL_REDUCE, 8, 0, {}},
                                                     layout,
                                                     2);
    MscclProgram program = MscclExporter(schedule).Export();
    program.name = "one step";
    program.maxBytes = 1'000'000;
    program.protocol = CollectiveProtocol::LL;
    WriteFile("one.xml", program.ToXml());
    // Every rank sends 7 buffers, and LL a flag with each 4 B.
    Run(Star("{type: Msccl, File: one.xml}", "{all-reduce: {bytes: 100kB}}"));
    EXPECT_EQ(Integer("SELECT SUM(bytes) FROM transfer"), 2 * 8 * 7 * 100'000);
    EXPECT_EQ(Rows("SELECT op, algorithm, channels FROM collective"),
              std::vector<std::string>{"all-reduce|one step|2"});
    Run(Star("{type: Msccl, File: one.xml, WireOverhead: false, Fallback: Ring}",
             "{all-reduce: {bytes: 100kB}}, {all-reduce: {bytes: 2MB}}"));
    EXPECT_EQ(Rows("SELECT algorithm FROM collective ORDER BY collective"),
              (std::vector<std::string>{"one step", "Ring"}));
    // The one step's 7 buffers and the ring's 14/8.
    EXPECT_EQ(Integer("SELECT SUM(bytes) FROM transfer"), 8 * 7 * 100'000 + 14 * 2'000'000);
    EXPECT_EQ(Try(Star("{type: Msccl, File: one.xml}", "{all-reduce: {bytes: 2MB}}")), 2);
    EXPECT_NE(messages.find("one.xml is for 0 to 1000000 B, not 2000000"), std::string::npos)
        << messages;
}

// What an algorithm cannot do is an error of the scenario, at the job.
TEST_F(ClosedFormCollectivesTest, WhatCannotBeDoneIsSaid)
{
    const auto getMessage = [this](const std::string& scenario) {
        EXPECT_EQ(Try(scenario), 2) << scenario;
        return messages.substr(0, messages.find('\n'));
    };
    const auto expect = [](const std::string& message, const std::string& end) {
        EXPECT_TRUE(message.size() >= end.size() &&
                    message.compare(message.size() - end.size(), end.size(), end) == 0)
            << message << "\n"
            << end;
    };
    expect(getMessage(Star("Ring", "{all-to-all: {bytes: 1MB}}")),
           ":8:5: job: Ring cannot do all-to-all; for this all-to-all there are: Auto Direct "
           "Nccl Pairwise");
    expect(getMessage(Star("Tree", "{all-gather: {bytes: 1MB}}")),
           ":8:5: job: Tree cannot do all-gather; for this all-gather there are: Auto Direct "
           "HalvingDoubling Hierarchical Nccl Ring");
    expect(getMessage(Star("Ring", "{broadcast: {bytes: 1MB, root: 8}}")),
           ":12:17: jobs[0].iteration[0]: there is no rank 8: the job has ranks 0 to 7");
    expect(
        getMessage("topology: {type: Star, Hosts: 4, GpusPerHost: 8}\n"
                   "jobs: [{name: job, gpus: 12, iterations: 1, collective: Hierarchical, "
                   "iteration: [{all-reduce: {bytes: 1MB}}]}]\n"),
        ":4:8: job: Hierarchical needs as many GPUs on every host, not 8 on the first and 4 on "
        "host 2 of 2; for this all-reduce there are: Auto Direct HalvingDoubling Nccl Ring Tree");
    // What would not fit into memory, or into a number, is refused before it is built.
    expect(getMessage("topology: {type: Star, Hosts: 6000}\n"
                      "jobs: [{name: job, gpus: 6000, iterations: 1, channels: 2, iteration: "
                      "[{all-reduce: {bytes: 1MB}}]}]\n"),
           "all-reduce among 6000 GPUs on 2 channels has about 1.44e+08 messages with this "
           "collective algorithm: at most 6.4e+07 are supported; fewer channels, Tree, "
           "HalvingDoubling or Hierarchical need fewer");
    expect(getMessage(Star("Ring", "{all-reduce: {bytes: 15TB}}")),
           "host0.nic0 sends more than 1 TiB an iteration, which is not supported");
    // A faulty file, with the place in it.
    WriteFile("broken.xml", "<algo name=\"broken\">\n</algo>\n");
    const std::string broken =
        getMessage(Star("{type: Msccl, File: broken.xml}", "{all-reduce: {bytes: 1MB}}"));
    EXPECT_NE(broken.find("broken.xml:1:1: <algo> lacks the attribute \"proto\""),
              std::string::npos)
        << broken;
}
