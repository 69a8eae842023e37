/* SPDX-License-Identifier: GPL-2.0-only */
#include "network-fixture.h"

#include "ns3/topology-generator.h"

#include <filesystem>
#include <fstream>

namespace ns3
{

/// Exact results of peers.md: 48 bytes of header, ACKs of 60, no gap, an ACK a frame, no congestion
/// control. Times are those of the sender's last ACK.
class PeerAnchorsTest : public NetworkFixture
{
  protected:
    /// Host i sends to host i + step.
    std::vector<PlainFlow> Permutation(uint32_t hosts, uint32_t step, uint64_t bytes)
    {
        std::vector<PlainFlow> list;
        for (uint32_t i = 0; i < hosts; ++i)
        {
            list.push_back(Flow(i, (i + step) % hosts, bytes));
        }
        return list;
    }

    void CheckAll(double expectedUs)
    {
        for (const auto& transfer : transfers)
        {
            EXPECT_NEAR(transfer.completedPs / 1e6, expectedUs, 0.0005 * expectedUs)
                << transfer.queuePair;
        }
        CheckConservation();
        EXPECT_EQ(GetFabricTotals().dropped, 0u);
    }

    /// A graph as links, to compare.
    static std::vector<std::string> Describe(const ClusterTopology& graph)
    {
        std::vector<std::string> lines;
        for (const TopologyLink& link : graph.GetLinks())
        {
            lines.push_back(std::to_string(link.nodeA) + " " + std::to_string(link.nodeB) + " " +
                            std::to_string(link.rateBps) + " " + std::to_string(link.delayPs));
        }
        return lines;
    }
};

TEST_F(PeerAnchorsTest, Perm16OnT16)
{
    // 64,000 frames of 1048 B at 80 ps and the last one's way; ACKs of 60 B on the same links,
    // which data of the flow the other way delays by a frame at each of the four hops.
    SetPeerFraming(1000);
    Build(LeafSpine(4, 4, 1, 100 * G, 400 * G, US));
    Run(Permutation(16, 4, 64'000'000));
    ASSERT_EQ(transfers.size(), 16u);
    CheckAll(5'680.87);
}

TEST_F(PeerAnchorsTest, Perm16OnT16At400G)
{
    SetPeerFraming(1000);
    Build(LeafSpine(4, 4, 1, 400 * G, 1600 * G, US));
    Run(Permutation(16, 4, 64'000'000));
    ASSERT_EQ(transfers.size(), 16u);
    CheckAll(1'426.06);
}

TEST_F(PeerAnchorsTest, Perm16OnT16With9000Bytes)
{
    SetPeerFraming(9000);
    Build(LeafSpine(4, 4, 1, 100 * G, 400 * G, US));
    Run(Permutation(16, 4, 64'000'000));
    ASSERT_EQ(transfers.size(), 16u);
    CheckAll(5'191.15);
}

TEST_F(PeerAnchorsTest, Perm32OnT32)
{
    SetPeerFraming(1000);
    Build(LeafSpine(4, 8, 1, 100 * G, 800 * G, US));
    Run(Permutation(32, 8, 32'000'000));
    ASSERT_EQ(transfers.size(), 32u);
    CheckAll(2'844.37);
}

TEST_F(PeerAnchorsTest, TenMegabytesAlone)
{
    // 10,001 frames of 1048 B at 80 ps, four propagations, two ACKs of 60 B.
    SetPeerFraming(1000);
    Build(Star(2, 100 * G, US));
    Run({Flow(0, 1, 10'000'000)});
    ASSERT_EQ(transfers.size(), 1u);
    EXPECT_EQ(transfers[0].completedPs, 10'001 * 1048 * 80 + 4 * US + 2 * 60 * 80);
    CheckAll(842.49);
}

TEST_F(PeerAnchorsTest, TwoSendersToOne)
{
    // Floor 1.68 to 1.69 ms: 20,000 frames at the receiver's link.
    SetPeerFraming(1000);
    Set("ns3::FabricSwitch::LosslessMask", 1 << 4);
    Build(Star(3, 100 * G, US));
    Run({Flow(0, 2, 10'000'000), Flow(1, 2, 10'000'000)});
    ASSERT_EQ(transfers.size(), 2u);
    EXPECT_NEAR(GetLastDelivery(), 20'001 * 1048 * 80 + 2 * US, 1048 * 80);
    int64_t last = std::max(transfers[0].completedPs, transfers[1].completedPs);
    EXPECT_GT(last, 1.68 * MS);
    EXPECT_LT(last, 1.69 * MS);
    CheckConservation();
}

TEST_F(PeerAnchorsTest, SixteenToOneWithPfcOnly)
{
    SetPeerFraming(1000);
    Set("ns3::FabricSwitch::LosslessMask", 1 << 4);
    Build(Star(17, 100 * G, US));
    std::vector<PlainFlow> list;
    for (uint32_t i = 0; i < 16; ++i)
    {
        list.push_back(Flow(i, 16, 10'000'000));
    }
    Run(list);
    ASSERT_EQ(transfers.size(), 16u);
    // 160,000 frames of 1048 B at 80 ps are 13.414 ms.
    EXPECT_NEAR(GetLastDelivery() / 1e9, 13.414, 0.0005 * 13.414);
    EXPECT_NEAR(GetLastDelivery() / 1e9, 13.41, 0.0005 * 13.41);
    EXPECT_EQ(GetFabricTotals().dropped, 0u);
    CheckConservation();
}

TEST_F(PeerAnchorsTest, ContendedDcqcnIsNearTheMedianOfThePeer)
{
    // inc15 on T16 with run.py's DCQCN: the peer's flows end at 10.59 / 11.15 / 11.41 ms, by its
    // rounding to nanoseconds 1.9 % early.
    SetPeerFraming(1000);
    Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
    Set("ns3::Dcqcn::Preset", "hpcc");
    Build(LeafSpine(4, 4, 1, 100 * G, 400 * G, US));
    std::vector<PlainFlow> list;
    for (uint32_t i = 1; i < 16; ++i)
    {
        list.push_back(Flow(i, 0, 8'000'000));
    }
    Run(list);
    ASSERT_EQ(transfers.size(), 15u);
    std::vector<double> times;
    for (const auto& transfer : transfers)
    {
        times.push_back(transfer.completedPs / 1e9);
    }
    std::sort(times.begin(), times.end());
    std::cout << "    inc15: " << times.front() << " / " << times[7] << " / " << times.back()
              << " ms\n";
    EXPECT_NEAR(times[7], 11.147, 0.10 * 11.147);
    EXPECT_EQ(GetFabricTotals().dropped, 0u);
    CheckConservation();
}

TEST_F(PeerAnchorsTest, AllToAllOnT16)
{
    // The peer's 240 flows of 4 MB end at 5.22311 / 5.22775 / 5.22927 ms.
    SetPeerFraming(1000);
    Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
    Set("ns3::Dcqcn::Preset", "hpcc");
    Build(LeafSpine(4, 4, 1, 100 * G, 400 * G, US));
    std::vector<PlainFlow> list;
    for (uint32_t i = 0; i < 16; ++i)
    {
        for (uint32_t j = 0; j < 16; ++j)
        {
            if (i != j)
            {
                list.push_back(Flow(i, j, 4'000'000));
            }
        }
    }
    Run(list);
    ASSERT_EQ(transfers.size(), 240u);
    std::vector<double> times;
    for (const auto& transfer : transfers)
    {
        times.push_back(transfer.completedPs / 1e9);
    }
    std::sort(times.begin(), times.end());
    std::cout << "    a2a16: " << times.front() << " / " << times[120] << " / " << times.back()
              << " ms\n";
    EXPECT_NEAR(times[120], 5.228, 0.10 * 5.228);
    EXPECT_EQ(GetFabricTotals().dropped, 0u);
    CheckConservation();
}

TEST_F(PeerAnchorsTest, TheFilesGiveTheSameGraphsAndFlows)
{
    if (!std::filesystem::exists(GetPeerFile("T16.hpcc")))
    {
        GTEST_SKIP() << "the peers' workloads are not here";
    }
    const std::pair<const char*, ClusterTopology> graphs[] = {
        {"T16.hpcc", LeafSpine(4, 4, 1, 100 * G, 400 * G, US)},
        {"T16x400.hpcc", LeafSpine(4, 4, 1, 400 * G, 1600 * G, US)},
        {"T32.hpcc", LeafSpine(4, 8, 1, 100 * G, 800 * G, US)},
        {"T16E.hpcc", LeafSpine(4, 4, 4, 100 * G, 100 * G, US)},
        {"S2.hpcc", Star(2, 100 * G, US)},
        {"S17.hpcc", Star(17, 100 * G, US)}};
    for (const auto& graph : graphs)
    {
        ObjectFactory factory("ns3::HpccTopology");
        factory.Set("File", StringValue(GetPeerFile(graph.first)));
        std::vector<std::string> errors;
        ClusterTopology read = factory.Create<TopologyGenerator>()->Generate(errors);
        ASSERT_TRUE(errors.empty()) << errors[0];
        EXPECT_EQ(Describe(read), Describe(graph.second)) << graph.first;
    }
    const std::pair<const char*, std::pair<uint32_t, uint32_t>> permutations[] = {
        {"perm16.flow", {16, 4}},
        {"perm32.flow", {32, 8}}};
    for (const auto& permutation : permutations)
    {
        std::ifstream file(GetPeerFile(permutation.first));
        uint32_t count = 0;
        file >> count;
        EXPECT_EQ(count, permutation.second.first);
        for (uint32_t i = 0; i < count; ++i)
        {
            uint32_t from;
            uint32_t to;
            std::string rest;
            file >> from >> to;
            std::getline(file, rest);
            EXPECT_EQ(from, i);
            EXPECT_EQ(to, (i + permutation.second.second) % count);
        }
    }
}

} // namespace ns3
