/* SPDX-License-Identifier: GPL-2.0-only */

// Buckets of many events, which SlottedWheel sorts by merging sorted runs. The expected order is
// that of std::sort on the same events.

#include "../../model/engine/slotted-wheel.h"

#include "ns3/counter-random.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

using Event = std::pair<int64_t, uint32_t>; ///< (time [ps], key)
using Events = std::vector<Event>;

constexpr uint32_t WIDTH_SHIFT = 20;                 ///< a bucket is 1,048,576 ps wide
constexpr int64_t START = int64_t{5} << WIDTH_SHIFT; ///< of the bucket in use [ps]
constexpr uint32_t KEYS = 2048;

/// A wheel that reports how many events its buckets have had.
class SlottedWheelRunsTest : public ::testing::Test
{
  protected:
    SlottedWheelRunsTest()
    {
        m_wheel.Reserve(0, KEYS);
        m_wheel.SetNextCallback(
            [](void* test, const SlottedWheel::Entry* events, std::size_t count) {
                auto* self = static_cast<SlottedWheelRunsTest*>(test);
                self->m_bucketSizes.push_back(count);
                // The next one is the last.
                self->m_told.clear();
                for (std::size_t i = count; i > 0; i--)
                {
                    self->m_told.emplace_back(events[i - 1].time, events[i - 1].key);
                }
            },
            this);
    }

    Events Drain()
    {
        Events events;
        SlottedWheel::Entry entry;
        while (m_wheel.PopBefore(SlottedWheel::NEVER, entry))
        {
            events.emplace_back(entry.time, entry.key);
        }
        return events;
    }

    /// Schedules the events in their order, all in one bucket, and compares how they leave.
    void Check(const Events& events)
    {
        m_bucketSizes.clear();
        m_wheel.Clear();
        for (const auto& [time, key] : events)
        {
            m_wheel.Schedule(time, key);
        }
        Events sorted = events;
        std::sort(sorted.begin(), sorted.end());
        ASSERT_EQ(Drain(), sorted);
        ASSERT_EQ(m_bucketSizes, std::vector<std::size_t>{events.size()});
        ASSERT_EQ(m_told, sorted);
    }

    /// A number below a bound, another one with every call.
    uint32_t Draw(uint32_t bound)
    {
        return CounterRandom(1, 1, m_draws++) % bound;
    }

    SlottedWheel m_wheel{WIDTH_SHIFT};
    std::vector<std::size_t> m_bucketSizes;
    Events m_told;
    uint64_t m_draws{0};
};

} // namespace

// Runs by shape, by the number of events: below, at and above the sixteen that are sorted by
// insertion, powers of two and odd numbers. The time of event i of n is START + rank(i, n).
TEST_F(SlottedWheelRunsTest, Shapes)
{
    using Rank = std::function<uint32_t(uint32_t i, uint32_t n)>;
    std::vector<std::pair<std::string, Rank>> shapes{
        {"ascending", [](uint32_t i, uint32_t) { return i; }},
        {"descending", [](uint32_t i, uint32_t n) { return n - 1 - i; }},
        {"up and down", [](uint32_t i, uint32_t n) { return i < n / 2 ? 2 * i : 2 * (n - i) - 1; }},
        {"down and up",
         [](uint32_t i, uint32_t n) { return i < n / 2 ? n - 2 * i : 2 * i - n + 1; }},
        // 0, n, 1, n + 1, ...: no two neighbours of a run.
        {"two interleaved", [](uint32_t i, uint32_t n) { return i / 2 + i % 2 * n; }},
        {"one instant", [](uint32_t, uint32_t) { return 7; }},
        // Ties across runs.
        {"three instants", [](uint32_t i, uint32_t) { return i % 3; }},
        {"pairs of ties", [](uint32_t i, uint32_t n) { return (n - i) / 2; }}};
    for (uint32_t runs : {2, 3, 4, 5, 6, 7, 9, 16})
    {
        shapes.emplace_back(std::to_string(runs) + " interleaved in ascending runs",
                            [runs](uint32_t i, uint32_t n) {
                                const uint32_t length = (n + runs - 1) / runs;
                                return i % length * runs + i / length;
                            });
        shapes.emplace_back(std::to_string(runs) + " interleaved in descending runs",
                            [runs](uint32_t i, uint32_t n) {
                                const uint32_t length = (n + runs - 1) / runs;
                                return (length - 1 - i % length) * runs + i / length;
                            });
    }
    for (const auto& [name, rank] : shapes)
    {
        for (uint32_t n : {2, 15, 16, 17, 18, 31, 32, 33, 60, 64, 100, 1023, 2000})
        {
            // Keys that rise, fall, and do neither (77 and KEYS have no common factor).
            for (uint32_t factor : {1U, KEYS - 1, 77U})
            {
                SCOPED_TRACE(name + ", " + std::to_string(n) + " events, factor " +
                             std::to_string(factor));
                Events events;
                for (uint32_t i = 0; i < n; i++)
                {
                    events.emplace_back(START + rank(i, n), i * factor % KEYS);
                }
                ASSERT_NO_FATAL_FAILURE(Check(events));
            }
        }
    }
}

// All 2^16 ways to cut 17 events, the fewest that are merged, into runs: an odd run is left over at
// every level of merging. Times are drawn from 12, so that most have ties.
TEST_F(SlottedWheelRunsTest, EveryCutIntoRuns)
{
    constexpr uint32_t COUNT = 17;
    for (uint32_t cuts = 0; cuts < 1U << (COUNT - 1); cuts++)
    {
        Events events;
        for (uint32_t i = 0; i < COUNT; i++)
        {
            events.emplace_back(START + Draw(12), i);
        }
        auto begin = events.begin();
        for (uint32_t i = 1; i <= COUNT; i++)
        {
            if (i == COUNT || (cuts >> (i - 1) & 1))
            {
                std::sort(begin, events.begin() + i);
                begin = events.begin() + i;
            }
        }
        ASSERT_NO_FATAL_FAILURE(Check(events)) << "cuts " << cuts;
    }
}

TEST_F(SlottedWheelRunsTest, RandomOrders)
{
    std::vector<uint32_t> keys(KEYS);
    std::iota(keys.begin(), keys.end(), 0);
    for (uint32_t round = 0; round < 500; round++)
    {
        const uint32_t instants = 1U << Draw(12);
        Events events;
        for (uint32_t i = 0, n = 2 + Draw(300); i < n; i++)
        {
            std::swap(keys[i], keys[i + Draw(KEYS - i)]);
            events.emplace_back(START + Draw(instants), keys[i]);
        }
        ASSERT_NO_FATAL_FAILURE(Check(events)) << "round " << round;
    }
}

// A bucket that was beyond the horizon when half of its events were scheduled: these come from the
// heap, in order, behind those of the bucket.
TEST_F(SlottedWheelRunsTest, EventsOfTheHeapJoinTheBucket)
{
    const int64_t bucket = START + (int64_t{SlottedWheel::BUCKET_COUNT} << WIDTH_SHIFT);
    Events events;
    const auto schedule = [this, &events, bucket](uint32_t first) {
        for (uint32_t i = 0; i < 50; i++)
        {
            events.emplace_back(bucket + Draw(40), first + i);
            m_wheel.Schedule(events.back().first, events.back().second);
        }
    };
    schedule(0);
    m_wheel.Schedule(START, KEYS - 1);
    SlottedWheel::Entry entry;
    ASSERT_TRUE(m_wheel.PopBefore(START + 1, entry));
    // One bucket short of the horizon now: 8191 after the one that is being run.
    ASSERT_FALSE(m_wheel.PopBefore(START + (int64_t{3} << WIDTH_SHIFT), entry));
    schedule(50);
    std::sort(events.begin(), events.end());
    EXPECT_EQ(Drain(), events);
    EXPECT_EQ(m_bucketSizes, std::vector<std::size_t>{100});
}

// Once a bucket has been sorted, what comes into it or leaves it keeps the order.
TEST_F(SlottedWheelRunsTest, ABucketThatIsBeingRunMayChange)
{
    Events expected;
    for (uint32_t i = 0; i < 100; i++)
    {
        expected.emplace_back(START + i * 37 % 100, i); // each of 100 instants once
        m_wheel.Schedule(expected.back().first, i);
    }
    std::sort(expected.begin(), expected.end());
    SlottedWheel::Entry entry;
    for (uint32_t i = 0; i < 10; i++)
    {
        ASSERT_TRUE(m_wheel.PopBefore(SlottedWheel::NEVER, entry));
        ASSERT_EQ(Event(entry.time, entry.key), expected[i]);
    }
    expected.erase(expected.begin(), expected.begin() + 10);
    for (uint32_t i = 0; i < 40; i++)
    {
        m_wheel.Cancel(expected[i].second);
        // Back at another time of the same bucket; every other one under another key.
        const uint32_t key = i % 2 ? expected[i].second : 1000 + i;
        expected[i] = {START + 10 + Draw(90), key};
        m_wheel.Schedule(expected[i].first, key);
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(Drain(), expected);
    EXPECT_EQ(m_bucketSizes, std::vector<std::size_t>{100});
}
