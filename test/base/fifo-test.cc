/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/base/fifo.h"

#include "ns3/counter-random.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <gtest/gtest.h>

namespace ns3
{
namespace
{

TEST(FifoTest, IsAQueue)
{
    Fifo<uint64_t> fifo;
    std::deque<uint64_t> expected;
    size_t most = 0;
    for (uint64_t i = 0; i < 20'000; i++)
    {
        const uint64_t random = CounterRandom(1, 2, i);
        // It grows for a while, then shrinks, while its ends move round the memory.
        const bool push = expected.empty() || random % 8 < (i / 1000 % 2 == 0 ? 5 : 3);
        if (push)
        {
            fifo.Push(i);
            expected.push_back(i);
        }
        else
        {
            ASSERT_EQ(fifo.Front(), expected.front());
            ASSERT_EQ(fifo.Pop(), expected.front());
            expected.pop_front();
        }
        ASSERT_EQ(fifo.GetSize(), expected.size());
        ASSERT_EQ(fifo.IsEmpty(), expected.empty());
        most = std::max(most, expected.size());
    }
    EXPECT_GT(most, 100U);
    fifo.Push(1);
    fifo.Clear();
    EXPECT_TRUE(fifo.IsEmpty());
    fifo.Push(7);
    EXPECT_EQ(fifo.Pop(), 7U);
}

} // namespace
} // namespace ns3
