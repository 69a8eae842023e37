/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/path-selector.h"

#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace ns3
{

class FlowletPathSelectorTest : public ::testing::Test
{
  protected:
    static constexpr int64_t US = 1'000'000; ///< [ps]
    static constexpr uint32_t PATHS = 4;

    static Ptr<PathSelector> MakeSelector(const std::string& gap)
    {
        ObjectFactory factory("ns3::FlowletPathSelector");
        factory.Set("Gap", TimeValue(Time(gap)));
        return factory.Create<PathSelector>();
    }

    static uint32_t Choose(PathSelector& selector,
                           uint64_t hash,
                           int64_t now,
                           uint32_t paths = PATHS)
    {
        return selector.Select(PathCandidates(0, 77, paths), {1, 2, hash}, now);
    }
};

TEST_F(FlowletPathSelectorTest, FramesWithinTheGapKeepTheirPath)
{
    Ptr<PathSelector> selector = MakeSelector("50us");
    EXPECT_TRUE(selector->IsPerFrame());
    for (uint64_t hash = 1; hash <= 100; ++hash)
    {
        const uint32_t first = Choose(*selector, hash, 0);
        // Just the gap is not more than the gap; it counts from the last frame, not from the first.
        for (int64_t frame = 1; frame <= 20; ++frame)
        {
            ASSERT_EQ(Choose(*selector, hash, frame * 50 * US), first);
        }
    }
}

TEST_F(FlowletPathSelectorTest, AfterAGapThePathIsDrawnAnewAndEvenly)
{
    Ptr<PathSelector> selector = MakeSelector("50us");
    constexpr uint32_t FLOWLETS = 40'000;
    std::vector<uint32_t> counts(PATHS, 0);
    uint32_t kept = 0;
    uint32_t last = Choose(*selector, 5, 0);
    for (int64_t i = 1; i <= FLOWLETS; ++i)
    {
        const uint32_t choice = Choose(*selector, 5, i * (50 * US + 1));
        ++counts[choice];
        kept += choice == last;
        last = choice;
    }
    // Each of 4 paths with probability 1/4, whatever the last one was: mean 10,000, standard
    // deviation sqrt(40,000 x 1/4 x 3/4) = 87; 5 of them.
    for (const uint32_t count : counts)
    {
        EXPECT_NEAR(count, FLOWLETS / PATHS, 5 * 87);
    }
    EXPECT_NEAR(kept, FLOWLETS / PATHS, 5 * 87);
}

TEST_F(FlowletPathSelectorTest, ALongerGapMakesFewerFlowlets)
{
    // Frames 60 us apart: each a flowlet at a gap of 50 us, all of them one at 70 us.
    for (const std::string gap : {"50us", "70us"})
    {
        Ptr<PathSelector> selector = MakeSelector(gap);
        std::map<uint32_t, uint32_t> paths;
        for (int64_t i = 0; i < 1'000; ++i)
        {
            ++paths[Choose(*selector, 9, i * 60 * US)];
        }
        EXPECT_EQ(paths.size(), gap == "50us" ? PATHS : 1U) << gap;
    }
}

TEST_F(FlowletPathSelectorTest, FlowsDoNotDisturbEachOther)
{
    Ptr<PathSelector> alone = MakeSelector("50us");
    Ptr<PathSelector> shared = MakeSelector("50us");
    for (int64_t i = 0; i < 1'000; ++i)
    {
        const int64_t now = i * 60 * US;
        Choose(*shared, 1'000 + i % 7, now);
        ASSERT_EQ(Choose(*shared, 5, now), Choose(*alone, 5, now));
    }
}

TEST_F(FlowletPathSelectorTest, ASmallerSetOfPathsIsChosenFromAnew)
{
    Ptr<PathSelector> selector = MakeSelector("50us");
    for (uint64_t hash = 1; hash <= 100; ++hash)
    {
        Choose(*selector, hash, 0, 4);
        EXPECT_LT(Choose(*selector, hash, 1, 2), 2u);
    }
}

} // namespace ns3
