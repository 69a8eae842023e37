/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/rdma/frame-bitmap.h"

#include "ns3/path-selector.h"

#include <gtest/gtest.h>
#include <set>

namespace ns3
{

TEST(FrameBitmapTest, EmptyAtFirst)
{
    FrameBitmap bitmap;
    EXPECT_TRUE(bitmap.IsEmpty());
    EXPECT_EQ(bitmap.GetEnd(), 0u);
    EXPECT_FALSE(bitmap.Test(0));
    EXPECT_EQ(bitmap.FindClear(0), 0u);
    bitmap.Advance(1'000'000);
    EXPECT_TRUE(bitmap.IsEmpty());
    EXPECT_EQ(bitmap.FindClear(1'000'000), 1'000'000u);
}

TEST(FrameBitmapTest, SetOnceAndForgotten)
{
    FrameBitmap bitmap;
    EXPECT_TRUE(bitmap.Set(5));
    EXPECT_FALSE(bitmap.Set(5));
    EXPECT_TRUE(bitmap.Test(5));
    EXPECT_FALSE(bitmap.Test(4));
    EXPECT_EQ(bitmap.GetEnd(), 6u);
    bitmap.Advance(6);
    EXPECT_FALSE(bitmap.Test(5));
    EXPECT_TRUE(bitmap.IsEmpty());
    // The bit of frame 5 is that of frame 133 in a ring of two words: it must be clear again.
    EXPECT_TRUE(bitmap.Set(133));
    bitmap.Advance(3);
    EXPECT_TRUE(bitmap.Test(133));
}

TEST(FrameBitmapTest, RunsAcrossWords)
{
    FrameBitmap bitmap;
    bitmap.Advance(60);
    for (uint64_t frame = 61; frame < 400; ++frame)
    {
        bitmap.Set(frame);
    }
    EXPECT_EQ(bitmap.FindClear(60), 60u);
    for (uint64_t frame = 61; frame < 400; ++frame)
    {
        ASSERT_EQ(bitmap.FindClear(frame), 400u);
    }
}

TEST(FrameBitmapTest, AsASetWouldDo)
{
    // Random sets and advances, windows of up to 3,000 frames, numbers beyond 32 bits.
    for (uint64_t seed = 0; seed < 50; ++seed)
    {
        FrameBitmap bitmap;
        std::set<uint64_t> reference;
        uint64_t base = seed % 2 ? (uint64_t{1} << 32) - 500 : 0;
        bitmap.Advance(base);
        for (uint64_t i = 0; i < 3'000; ++i)
        {
            uint64_t draw = MixBits(seed << 32 | i);
            if (draw % 8 == 0)
            {
                base += (draw >> 8) % (draw % 64 == 0 ? 5'000 : 70);
                bitmap.Advance(base);
                reference.erase(reference.begin(), reference.lower_bound(base));
            }
            else
            {
                uint64_t frame = base + (draw >> 8) % (draw % 16 == 1 ? 3'000 : 100);
                ASSERT_EQ(bitmap.Set(frame), reference.insert(frame).second);
            }
            ASSERT_EQ(bitmap.IsEmpty(), reference.empty());
            ASSERT_EQ(bitmap.GetEnd(), reference.empty() ? base : *reference.rbegin() + 1);
            uint64_t probe = base + (draw >> 40) % 200;
            ASSERT_EQ(bitmap.Test(probe), reference.count(probe) == 1);
            uint64_t clear = probe;
            while (reference.count(clear))
            {
                ++clear;
            }
            ASSERT_EQ(bitmap.FindClear(probe), clear);
        }
    }
}

} // namespace ns3
