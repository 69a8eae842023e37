/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/fabric/frame-pool.h"

#include "ns3/counter-random.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace ns3
{

TEST(FramePoolTest, TheLastFreedComesFirst)
{
    FramePool pool;
    EXPECT_EQ(pool.GetInUse(), 0u);
    EXPECT_EQ(pool.Allocate(), 0u);
    EXPECT_EQ(pool.Allocate(), 1u);
    EXPECT_EQ(pool.Allocate(), 2u);
    EXPECT_EQ(pool.GetInUse(), 3u);
    pool.Free(0);
    pool.Free(2);
    EXPECT_EQ(pool.GetInUse(), 1u);
    EXPECT_EQ(pool.Allocate(), 2u);
    EXPECT_EQ(pool.Allocate(), 0u);
    EXPECT_EQ(pool.Allocate(), 3u);
    EXPECT_EQ(pool.GetInUse(), 4u);
}

TEST(FramePoolTest, NoFrameHasTwoOwnersAndContentsStay)
{
    FramePool pool;
    std::vector<uint32_t> mine;
    std::set<uint32_t> distinct;
    uint64_t most = 0;
    for (uint64_t i = 0; i < 50'000; ++i)
    {
        if (mine.empty() || CounterRandom(1, 2, i) % 100 < 55)
        {
            uint32_t frame = pool.Allocate();
            ASSERT_TRUE(distinct.insert(frame).second);
            pool[frame].flowHash = frame * 3ull;
            mine.push_back(frame);
        }
        else
        {
            size_t k = CounterRandom(1, 3, i) % mine.size();
            const FramePool& constant = pool;
            ASSERT_EQ(constant[mine[k]].flowHash, mine[k] * 3ull);
            pool.Free(mine[k]);
            distinct.erase(mine[k]);
            mine[k] = mine.back();
            mine.pop_back();
        }
        most = std::max<uint64_t>(most, mine.size());
        ASSERT_EQ(pool.GetInUse(), mine.size());
    }
    // No more frames were ever made than were in use at once.
    for (uint32_t frame : mine)
    {
        EXPECT_LT(frame, most);
    }
}

} // namespace ns3
