/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/rdma/psn.h"

#include "ns3/counter-random.h"

#include <gtest/gtest.h>

namespace ns3
{

TEST(ExpandPsnTest, Table)
{
    const uint64_t wrap = uint64_t{1} << 24;
    EXPECT_EQ(ExpandPsn(0, 0), 0u);
    EXPECT_EQ(ExpandPsn(5, 3), 5u);
    EXPECT_EQ(ExpandPsn(3, 5), 3u);
    // Across the wrap, both ways.
    EXPECT_EQ(ExpandPsn(0, wrap - 1), wrap);
    EXPECT_EQ(ExpandPsn(7, wrap - 1), wrap + 7);
    EXPECT_EQ(ExpandPsn(0xffffff, wrap), wrap - 1);
    EXPECT_EQ(ExpandPsn(0xfffffe, 3 * wrap + 2), 3 * wrap - 2);
    // Half the space is the limit.
    EXPECT_EQ(ExpandPsn(0x7fffff, wrap), wrap + 0x7fffff);
    EXPECT_EQ(ExpandPsn(0x800000, wrap), wrap - 0x800000);
    // Far beyond 32 bits.
    EXPECT_EQ(ExpandPsn(1, (uint64_t{1} << 40) - 1), (uint64_t{1} << 40) + 1);
}

TEST(ExpandPsnTest, FindsWhateverIsNear)
{
    for (uint64_t i = 0; i < 100'000; ++i)
    {
        uint64_t near = (CounterRandom(1, 1, i) >> 20) + (1 << 23);
        uint64_t number = near + CounterRandom(1, 2, i) % (1 << 24) - (1 << 23);
        ASSERT_EQ(ExpandPsn(number & PSN_MASK, near), number);
    }
}

} // namespace ns3
