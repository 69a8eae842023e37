/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/rdma/queue-pair-table.h"

#include "ns3/counter-random.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace ns3
{

namespace
{

std::ptrdiff_t
Distance(const void* from, const void* to)
{
    return static_cast<const char*>(to) - static_cast<const char*>(from);
}

} // namespace

// The data that a frame of each kind accesses are in the lines that
// RoceTransport::PrefetchQueuePair() fetches.
TEST(QueuePairTableTest, EachPartIsACacheLine)
{
    QueuePairTable table;
    const QueuePair* queuePair = table[table.Create()];
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(queuePair) % 64, 0u);
    EXPECT_EQ(Distance(queuePair, &queuePair->unacked), 0);
    EXPECT_LT(Distance(queuePair, &queuePair->rateAtCnp), 64);
    EXPECT_EQ(Distance(queuePair, &queuePair->messageFirst), 64);
    EXPECT_LT(Distance(queuePair, &queuePair->messageIsSend), 128);
    EXPECT_EQ(Distance(queuePair, &queuePair->timeout), 128);
    EXPECT_LT(Distance(queuePair, &queuePair->channel), 192);
    EXPECT_EQ(Distance(queuePair, &queuePair->expected), 192);
    EXPECT_LT(Distance(queuePair, &queuePair->marks), 256);
    EXPECT_EQ(Distance(queuePair, &queuePair->messages), 256);
}

TEST(QueuePairTableTest, QueuePairsStayWhereTheyAre)
{
    QueuePairTable table;
    std::vector<QueuePair*> places;
    for (uint32_t id = 0; id < 1'000; ++id)
    {
        ASSERT_EQ(table.Create(), id);
        places.push_back(table[id]);
        table[id]->channel = id;
        EXPECT_EQ(table[id]->life, QueuePairLife::OPEN);
    }
    EXPECT_EQ(table.GetCount(), 1'000u);
    for (uint32_t id = 0; id < 1'000; ++id)
    {
        EXPECT_EQ(table.Find(id), places[id]);
        EXPECT_EQ(table[id]->channel, id);
    }
}

// A block has 32: it is there until the last of them is destroyed, the last block in any case.
TEST(QueuePairTableTest, DestroyedOnesAreNotFoundAndIdsGoOn)
{
    QueuePairTable table;
    for (uint32_t id = 0; id < 40; ++id)
    {
        table.Create();
    }
    for (uint32_t id = 0; id < 40; ++id)
    {
        if (id == 31)
        {
            ASSERT_NE(table.GetPlace(30), nullptr);
            EXPECT_TRUE(table.GetPlace(30)->failed);
            EXPECT_EQ(table.GetPlace(30)->life, QueuePairLife::NONE);
        }
        table.Destroy(id);
        EXPECT_EQ(table.Find(id), nullptr);
    }
    EXPECT_EQ(table.GetPlace(30), nullptr);
    ASSERT_NE(table.GetPlace(35), nullptr);
    EXPECT_EQ(table.Create(), 40u);
    EXPECT_NE(table.Find(40), nullptr);
    EXPECT_FALSE(table[40]->failed);
}

TEST(QueuePairTableTest, AgreesWithAMapUnderRandomCalls)
{
    QueuePairTable table;
    std::map<uint32_t, uint32_t> alive; // channel by id
    for (uint32_t i = 0; i < 5'000; ++i)
    {
        if (alive.empty() || CounterRandom(5, 1, i) % 100 < 52)
        {
            const uint32_t id = table.Create();
            table[id]->channel = i;
            ASSERT_TRUE(alive.emplace(id, i).second);
        }
        else
        {
            auto victim =
                alive.lower_bound(static_cast<uint32_t>(CounterRandom(5, 2, i) % table.GetCount()));
            victim = victim == alive.end() ? alive.begin() : victim;
            table.Destroy(victim->first);
            alive.erase(victim);
        }
    }
    for (uint32_t id = 0; id < table.GetCount(); ++id)
    {
        const auto known = alive.find(id);
        ASSERT_EQ(table.Find(id) != nullptr, known != alive.end()) << id;
        if (known != alive.end())
        {
            EXPECT_EQ(table[id]->channel, known->second);
        }
    }
}

} // namespace ns3
