/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/collective/algorithms/ring-collective.h"
#include "../../model/collective/algorithms/tree-collective.h"
#include "../../model/collective/chunk-sizes.h"
#include "../../model/collective/collective-plan.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace ns3
{
namespace
{

CollectiveLayout
MakeHosts(uint32_t hosts)
{
    CollectiveLayout layout;
    for (uint32_t host = 0; host < hosts; host++)
    {
        layout.ranks.push_back({host, 0, 0});
    }
    return layout;
}

std::vector<CollectiveSchedule>
MakeSchedules()
{
    std::vector<CollectiveSchedule> schedules;
    for (const uint32_t ranks : {2U, 3U, 7U})
    {
        for (const uint32_t channels : {1U, 3U})
        {
            const CollectiveCall call{CollectiveOperation::ALL_REDUCE, 100'000, 0, {}};
            schedules.push_back(
                CreateObject<RingCollective>()->Build(call, MakeHosts(ranks), channels));
            schedules.push_back(
                CreateObject<TreeCollective>()->Build(call, MakeHosts(ranks), channels));
        }
    }
    return schedules;
}

TEST(CollectivePlanTest, SizesAreThoseOfTheSchedule)
{
    for (CollectiveSchedule& schedule : MakeSchedules())
    {
        for (const uint32_t numerator : {1U, 16U})
        {
            schedule.wireNumerator = numerator; // 16 B on the wire for 15 B of data
            schedule.wireDenominator = numerator == 1 ? 1 : 15;
            const CollectivePlan plan(schedule);
            ChunkSizes sizes;
            // None, fewer than chunks, with and without remainder, and far beyond 32 bits.
            for (const uint64_t bytes :
                 {uint64_t{0}, uint64_t{5}, uint64_t{42'000}, uint64_t{99'991}, uint64_t{1} << 50})
            {
                sizes.Prepare(plan, bytes);
                for (size_t t = 0; t < schedule.transfers.size(); t++)
                {
                    ASSERT_EQ(sizes.Get(plan.GetTransfers()[t]),
                              schedule.GetTransferBytes(schedule.transfers[t], bytes))
                        << schedule.algorithm << " of " << schedule.ranks << " ranks, transfer "
                        << t << " of " << bytes << " B";
                }
            }
        }
    }
}

TEST(CollectivePlanTest, AStreamIsTheTransfersOfAPairOnAChannelInTheirOrder)
{
    for (const CollectiveSchedule& schedule : MakeSchedules())
    {
        const CollectivePlan plan(schedule);
        std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::vector<uint32_t>> expected;
        for (uint32_t t = 0; t < schedule.transfers.size(); t++)
        {
            const ChunkTransfer& transfer = schedule.transfers[t];
            if (transfer.IsLocal())
            {
                EXPECT_EQ(plan.GetTransfers()[t].stream, CollectivePlan::NONE);
                continue;
            }
            expected[{transfer.source, transfer.destination, transfer.channel}].push_back(t);
        }
        EXPECT_EQ(plan.GetStreams().size(), expected.size());
        for (const auto& [key, transfers] : expected)
        {
            const uint32_t stream = plan.GetTransfers()[transfers.front()].stream;
            ASSERT_LT(stream, plan.GetStreams().size());
            const ChunkStream& found = plan.GetStreams()[stream];
            EXPECT_EQ(std::make_tuple(found.source, found.destination, found.channel), key);
            for (size_t i = 0; i < transfers.size(); i++)
            {
                EXPECT_EQ(plan.GetTransfers()[transfers[i]].stream, stream);
                EXPECT_EQ(plan.GetSuccessor(transfers[i]),
                          i + 1 < transfers.size() ? transfers[i + 1] : CollectivePlan::NONE);
            }
        }
    }
}

TEST(CollectivePlanTest, DependentsAreTheInverseOfDependencies)
{
    size_t several = 0;
    for (const CollectiveSchedule& schedule : MakeSchedules())
    {
        const CollectivePlan plan(schedule);
        std::map<uint32_t, std::multiset<uint32_t>> expected;
        for (uint32_t t = 0; t < schedule.transfers.size(); t++)
        {
            const ChunkTransfer& transfer = schedule.transfers[t];
            for (uint32_t d = 0; d < transfer.dependencyCount; d++)
            {
                const uint32_t other = schedule.dependencies[transfer.firstDependency + d];
                if (schedule.transfers[other].destination == transfer.source)
                {
                    expected[other].insert(t);
                }
            }
        }
        for (uint32_t t = 0; t < schedule.transfers.size(); t++)
        {
            const IndexRange range = plan.GetDependents(t);
            EXPECT_EQ(std::multiset<uint32_t>(range.begin(), range.end()), expected[t]);
            several += expected[t].size() > 1 ? 1 : 0;
        }
    }
    EXPECT_GT(several, 0U);
}

} // namespace
} // namespace ns3
