/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/collective/algorithms/ring-collective.h"

#include <gtest/gtest.h>
#include <map>
#include <tuple>

using namespace ns3;

namespace
{

/// Hosts with these numbers of GPUs, GPU g of G on NIC floor(g N / G).
CollectiveLayout
MakeLayout(const std::vector<uint32_t>& gpusOfHosts, uint32_t nics, uint32_t gpusPerHost)
{
    CollectiveLayout layout;
    for (uint32_t host = 0; host < gpusOfHosts.size(); host++)
    {
        for (uint32_t gpu = 0; gpu < gpusOfHosts[host]; gpu++)
        {
            layout.ranks.push_back({host, gpu, gpu * nics / gpusPerHost});
        }
    }
    return layout;
}

const CollectiveOperation OPERATIONS[] = {CollectiveOperation::ALL_REDUCE,
                                          CollectiveOperation::ALL_GATHER,
                                          CollectiveOperation::REDUCE_SCATTER};

} // namespace

TEST(RingCollectiveTest, ChannelEntersAndLeavesByItsNic)
{
    // 8 GPUs, 4 NICs: NIC c serves GPUs 2c and 2c+1, so its chain is 2c+1, 2c+2, ..., 2c.
    const CollectiveLayout layout = MakeLayout({8, 8}, 4, 8);
    EXPECT_EQ(layout.GetDefaultChannels(), 4u);
    EXPECT_EQ(RingCollective::GetRing(layout, 1),
              (std::vector<uint32_t>{3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10}));
    EXPECT_EQ(RingCollective::GetRing(layout, 3),
              (std::vector<uint32_t>{7, 0, 1, 2, 3, 4, 5, 6, 15, 8, 9, 10, 11, 12, 13, 14}));
    for (uint32_t channel = 0; channel < 4; channel++)
    {
        const std::vector<uint32_t> ring = RingCollective::GetRing(layout, channel);
        EXPECT_EQ(layout.ranks[ring[0]].nic, channel);
        EXPECT_EQ(layout.ranks[ring[7]].nic, channel);
    }
}

TEST(RingCollectiveTest, NicOfOneGpuStartsTheChainAtIt)
{
    // 4 GPUs, 4 NICs.
    const CollectiveLayout layout = MakeLayout({4, 4}, 4, 4);
    EXPECT_EQ(RingCollective::GetRing(layout, 2), (std::vector<uint32_t>{2, 3, 0, 1, 6, 7, 4, 5}));
    // One NIC for all: nothing to rotate.
    EXPECT_EQ(RingCollective::GetRing(MakeLayout({3, 2}, 1, 4), 0),
              (std::vector<uint32_t>{0, 1, 2, 3, 4}));
}

TEST(RingCollectiveTest, ChannelsAreOneANicOfTheHostWithFewest)
{
    // Host 0: GPUs 0 to 7 on NICs 0 to 3; host 1: GPUs 0 to 3 on NICs 0 and 1.
    const CollectiveLayout layout = MakeLayout({8, 4}, 4, 8);
    EXPECT_EQ(layout.GetHostCount(), 2u);
    EXPECT_EQ(layout.GetNics(0), (std::vector<uint32_t>{0, 1, 2, 3}));
    EXPECT_EQ(layout.GetNics(1), (std::vector<uint32_t>{0, 1}));
    EXPECT_EQ(layout.GetDefaultChannels(), 2u);
    EXPECT_EQ(layout.GetChannelNic(1, 3), 1u);
}

TEST(RingCollectiveTest, EveryScheduleIsProved)
{
    const Ptr<CollectiveAlgorithm> ring = CollectiveAlgorithm::Create("Ring");
    ASSERT_TRUE(ring);
    for (uint32_t ranks = 1; ranks <= 17; ranks++)
    {
        // Up to 4 GPUs a host on 2 NICs, the last host with what is left.
        std::vector<uint32_t> hosts(ranks / 4, 4);
        if (ranks % 4 > 0)
        {
            hosts.push_back(ranks % 4);
        }
        const CollectiveLayout layout = MakeLayout(hosts, 2, 4);
        for (uint32_t channels = 1; channels <= 4; channels++)
        {
            for (CollectiveOperation operation : OPERATIONS)
            {
                const CollectiveSchedule schedule = ring->Build(operation, layout, channels);
                EXPECT_EQ(ring->GetUnsupportedReason({operation, 1, 0, {}}, layout), "");
                const uint32_t rounds = operation == CollectiveOperation::ALL_REDUCE ? 2 : 1;
                EXPECT_EQ(schedule.transfers.size(), rounds * (ranks - 1) * ranks * channels);
                const std::vector<std::string> faults = schedule.Validate();
                EXPECT_TRUE(faults.empty())
                    << GetCollectiveOperationName(operation) << ", " << ranks << " ranks, "
                    << channels << " channels: " << faults.front();
            }
        }
    }
}

TEST(RingCollectiveTest, EveryEdgeCarriesItsShare)
{
    const uint32_t n = 16;
    const uint32_t channels = 4;
    const uint64_t bytes = n * channels * 1000;
    const CollectiveLayout layout = MakeLayout({8, 8}, 4, 8);
    RingCollective ring;
    for (CollectiveOperation operation : OPERATIONS)
    {
        const CollectiveSchedule schedule = ring.Build(operation, layout, channels);
        std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint64_t> edges;
        std::map<std::pair<uint32_t, uint32_t>, uint64_t> hostNics;
        for (const ChunkTransfer& transfer : schedule.transfers)
        {
            const uint64_t size = schedule.GetTransferBytes(transfer, bytes);
            edges[{transfer.channel, transfer.source, transfer.destination}] += size;
            const uint32_t host = layout.ranks[transfer.source].host;
            if (layout.ranks[transfer.destination].host != host)
            {
                hostNics[{host, layout.GetChannelNic(host, transfer.channel)}] += size;
            }
        }
        // rounds (n-1)/n S/channels = rounds * 15/16 * 16,000 B
        const uint64_t rounds = operation == CollectiveOperation::ALL_REDUCE ? 2 : 1;
        EXPECT_EQ(edges.size(), n * channels);
        for (const auto& [edge, size] : edges)
        {
            EXPECT_EQ(size, rounds * 15'000);
        }
        // A host sends as much on each of its NICs.
        EXPECT_EQ(hostNics.size(), 2u * 4u);
        for (const auto& [nic, size] : hostNics)
        {
            EXPECT_EQ(size, rounds * 15'000);
        }
    }
}

TEST(RingCollectiveTest, ChunksCoverTheBuffer)
{
    RingCollective ring;
    const CollectiveSchedule schedule =
        ring.Build(CollectiveOperation::ALL_REDUCE, MakeLayout({3}, 1, 3), 2);
    ASSERT_EQ(schedule.chunks, 6u);
    // floor(c * 100 / 6)
    const uint64_t offsets[] = {0, 16, 33, 50, 66, 83, 100};
    for (uint32_t chunk = 0; chunk <= 6; chunk++)
    {
        EXPECT_EQ(schedule.GetChunkOffset(chunk, 100), offsets[chunk]);
    }
    // No overflow at sizes beyond 2^64 / chunks.
    EXPECT_EQ(schedule.GetChunkOffset(3, uint64_t{1} << 63), uint64_t{1} << 62);
    EXPECT_EQ(schedule.GetChunkOffset(6, UINT64_MAX), UINT64_MAX);
}

TEST(RingCollectiveTest, UnknownAlgorithmIsNull)
{
    EXPECT_FALSE(CollectiveAlgorithm::Create("Rind"));
    EXPECT_FALSE(CollectiveAlgorithm::Create(""));
}
