/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/engine/slotted-wheel.h"

#include "ns3/counter-random.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

using Event = std::pair<int64_t, uint32_t>; ///< (time [ps], key)

uint32_t
Key(uint32_t keyClass, uint32_t index)
{
    return keyClass << SlottedWheel::INDEX_BITS | index;
}

/// Pops all events before a limit.
std::vector<Event>
Drain(SlottedWheel& wheel, int64_t limit = SlottedWheel::NEVER)
{
    std::vector<Event> events;
    SlottedWheel::Entry entry;
    while (wheel.PopBefore(limit, entry))
    {
        events.emplace_back(entry.time, entry.key);
    }
    return events;
}

/// A wheel and a sorted set of (time, key), driven by the same random calls.
class Reference
{
  public:
    Reference(uint32_t widthShift, uint64_t stream)
        : m_wheel(widthShift),
          m_stream(stream)
    {
        for (uint32_t c = 0; c < SlottedWheel::CLASS_COUNT; c++)
        {
            m_wheel.Reserve(c, KEYS);
        }
        m_times.resize(SlottedWheel::CLASS_COUNT * KEYS, -1);
    }

    /// One random call; returns what was popped.
    void Step()
    {
        const uint32_t c = Draw(SlottedWheel::CLASS_COUNT);
        const uint32_t i = Draw(KEYS);
        const uint32_t key = Key(c, i);
        int64_t& time = m_times[c * KEYS + i];
        ASSERT_EQ(m_wheel.IsPending(key), time >= 0);
        if (time >= 0)
        {
            ASSERT_EQ(m_wheel.GetTime(key), time);
        }
        switch (Draw(10))
        {
        case 0:
            m_wheel.Cancel(key);
            m_events.erase({time, key});
            time = -1;
            break;
        case 1:
        case 2:
            m_events.erase({time, key});
            time = DrawTime();
            m_wheel.Reschedule(time, key);
            m_events.emplace(time, key);
            break;
        case 3:
        case 4:
        case 5:
        case 6:
            if (time < 0)
            {
                time = DrawTime();
                m_wheel.Schedule(time, key);
                m_events.emplace(time, key);
            }
            break;
        case 7:
            CheckPeek();
            break;
        default:
            Pop();
        }
    }

    /// Pops what is left and compares.
    void Finish()
    {
        const std::vector<Event> rest(m_events.begin(), m_events.end());
        EXPECT_EQ(Drain(m_wheel), rest);
        EXPECT_TRUE(m_wheel.IsEmpty());
        m_popped.insert(m_popped.end(), rest.begin(), rest.end());
    }

    SlottedWheel m_wheel;
    std::vector<Event> m_popped;

  private:
    static constexpr uint32_t KEYS = 200;

    uint32_t Draw(uint32_t bound)
    {
        return CounterRandom(1, m_stream, m_count++) % bound;
    }

    /// From now on: often tied, sometimes beyond the horizon, up to 100 ms.
    int64_t DrawTime()
    {
        switch (Draw(8))
        {
        case 0:
            return m_now;
        case 1:
            return m_now + Draw(300);
        case 2:
        case 3:
            return m_now + 84000;
        case 4:
            return (m_now / 1000000 + 1) * 1000000;
        case 5:
            return m_now + 1000000 + Draw(200000);
        case 6:
            return (m_now / 100000000000 + 1) * 100000000000;
        default:
            return m_now + Draw(2000000000) * int64_t{50};
        }
    }

    void CheckPeek()
    {
        const SlottedWheel::Entry first = m_wheel.Peek();
        ASSERT_EQ(m_wheel.IsEmpty(), m_events.empty());
        if (m_events.empty())
        {
            ASSERT_EQ(first.time, SlottedWheel::NEVER);
        }
        else
        {
            ASSERT_EQ(Event(first.time, first.key), *m_events.begin());
        }
    }

    void Pop()
    {
        const int64_t limit = Draw(4) == 0 ? DrawTime() : SlottedWheel::NEVER;
        SlottedWheel::Entry entry;
        const bool popped = m_wheel.PopBefore(limit, entry);
        ASSERT_EQ(popped, !m_events.empty() && m_events.begin()->first < limit);
        if (popped)
        {
            ASSERT_EQ(Event(entry.time, entry.key), *m_events.begin());
            m_events.erase(m_events.begin());
            m_times[(entry.key >> SlottedWheel::INDEX_BITS) * KEYS +
                    (entry.key & ((1U << SlottedWheel::INDEX_BITS) - 1))] = -1;
            m_now = entry.time;
            m_popped.emplace_back(entry.time, entry.key);
        }
        else if (limit != SlottedWheel::NEVER)
        {
            m_now = limit;
        }
    }

    uint64_t m_stream;
    uint64_t m_count{0};
    int64_t m_now{0};
    std::set<Event> m_events;
    std::vector<int64_t> m_times; ///< -1 if not pending
};

} // namespace

TEST(SlottedWheelTest, RandomCallsAgreeWithASortedSetAtEveryWidth)
{
    std::vector<Event> order;
    for (uint32_t shift : {0U, 3U, 7U, 8U, 10U, 20U, 40U})
    {
        Reference reference(shift, 1);
        for (int i = 0; i < 150000 && !testing::Test::HasFatalFailure(); i++)
        {
            reference.Step();
        }
        reference.Finish();
        ASSERT_GT(reference.m_popped.size(), 20000U);
        if (order.empty())
        {
            order = reference.m_popped;
        }
        EXPECT_EQ(reference.m_popped, order) << "width shift " << shift;
    }
}

TEST(SlottedWheelTest, WidthMayChangeWhileEventsArePending)
{
    std::vector<Event> order;
    for (uint64_t every : {0, 1000, 7})
    {
        Reference reference(7, 2);
        for (uint64_t i = 0; i < 20000 && !testing::Test::HasFatalFailure(); i++)
        {
            if (every && i % every == 0)
            {
                reference.m_wheel.SetWidthShift(i / every % 15);
                EXPECT_EQ(reference.m_wheel.GetWidthShift(), i / every % 15);
            }
            reference.Step();
        }
        reference.Finish();
        if (order.empty())
        {
            order = reference.m_popped;
        }
        EXPECT_EQ(reference.m_popped, order);
    }
}

TEST(SlottedWheelTest, TiesLeaveByKey)
{
    // 3 ps is in bucket 0, 500000 ps in bucket 3906, 2000000 ps beyond the horizon of 1048576 ps.
    for (int64_t time : {3, 500000, 2000000})
    {
        SlottedWheel wheel(7);
        std::vector<Event> expected;
        for (uint32_t c : {0U, 3U, 7U})
        {
            wheel.Reserve(c, 100);
            for (uint32_t i = 0; i < 100; i++)
            {
                expected.emplace_back(time, Key(c, i));
            }
        }
        for (std::size_t i = 0; i < expected.size(); i++)
        {
            wheel.Schedule(time, expected[i * 77 % 300].second); // 77 and 300 have no common factor
        }
        EXPECT_EQ(Drain(wheel), expected);
    }
}

TEST(SlottedWheelTest, AnEventAtTheCurrentTimeIsNextEvenWithASmallerKey)
{
    SlottedWheel wheel(7);
    wheel.Reserve(0, 10);
    wheel.Schedule(1000, 5);
    wheel.Schedule(1000, 7);
    SlottedWheel::Entry entry;
    ASSERT_TRUE(wheel.PopBefore(SlottedWheel::NEVER, entry));
    EXPECT_EQ(entry.key, 5U);
    wheel.Schedule(1000, 2); // smaller than the one that was run
    wheel.Schedule(1000, 6);
    wheel.Schedule(1000, 5);
    EXPECT_EQ(Drain(wheel), (std::vector<Event>{{1000, 2}, {1000, 5}, {1000, 6}, {1000, 7}}));
}

TEST(SlottedWheelTest, TheLimitIsExclusive)
{
    SlottedWheel wheel(7);
    wheel.Reserve(0, 4);
    for (uint32_t i = 0; i < 4; i++)
    {
        wheel.Schedule(1000 + i, i); // 1000 to 1003 ps share the bucket of 896 to 1023 ps
    }
    EXPECT_TRUE(Drain(wheel, 1000).empty());
    EXPECT_EQ(Drain(wheel, 1002), (std::vector<Event>{{1000, 0}, {1001, 1}}));
    EXPECT_EQ(Drain(wheel, 1003), (std::vector<Event>{{1002, 2}}));
    EXPECT_EQ(Drain(wheel), (std::vector<Event>{{1003, 3}}));
}

TEST(SlottedWheelTest, EventsBeforeAFarOneMayComeLater)
{
    // An idle wheel that knows only a timer 67 ms ahead, looked at again and again.
    SlottedWheel wheel(7);
    wheel.Reserve(0, 2);
    wheel.Schedule(67108864000, 0);
    std::vector<Event> expected;
    std::vector<Event> seen;
    for (int64_t now = 0; now < 67000000000; now += 12345678)
    {
        EXPECT_TRUE(Drain(wheel, now).empty());
        wheel.Schedule(now, 1);
        expected.emplace_back(now, 1);
        const auto popped = Drain(wheel, now + 1);
        seen.insert(seen.end(), popped.begin(), popped.end());
    }
    EXPECT_EQ(seen, expected);
    EXPECT_EQ(Drain(wheel), (std::vector<Event>{{67108864000, 0}}));
}

TEST(SlottedWheelTest, CancelFindsAnEventWhereverItIs)
{
    SlottedWheel wheel(7);
    wheel.Reserve(0, 100);
    for (uint32_t i = 0; i < 10; i++)
    {
        wheel.Schedule(50 + i, i);            // the first bucket
        wheel.Schedule(10000, 10 + i);        // a bucket of ties
        wheel.Schedule(5000000 + i, 20 + i);  // the heap
        wheel.Schedule(100000000000, 30 + i); // ties in the heap
    }
    SlottedWheel::Entry entry;
    ASSERT_TRUE(wheel.PopBefore(SlottedWheel::NEVER, entry)); // the first bucket is sorted now
    EXPECT_EQ(entry.key, 0U);
    for (uint32_t i = 0; i < 40; i++)
    {
        if (i % 10 != 4)
        {
            wheel.Cancel(i);
            EXPECT_FALSE(wheel.IsPending(i));
            wheel.Cancel(i); // no effect
        }
    }
    EXPECT_EQ(Drain(wheel),
              (std::vector<Event>{{54, 4}, {10000, 14}, {5000004, 24}, {100000000000, 34}}));
    EXPECT_TRUE(wheel.IsEmpty());
    EXPECT_EQ(wheel.Peek().time, SlottedWheel::NEVER);
}

TEST(SlottedWheelTest, ClearForgetsEventsAndKeepsRoom)
{
    SlottedWheel wheel(7);
    wheel.Reserve(2, 10);
    wheel.Schedule(5, Key(2, 1));
    wheel.Schedule(6, Key(2, 2));
    SlottedWheel::Entry entry;
    ASSERT_TRUE(wheel.PopBefore(SlottedWheel::NEVER, entry));
    wheel.Schedule(100000, Key(2, 3));
    wheel.Schedule(100000000, Key(2, 4));
    wheel.Clear();
    EXPECT_TRUE(wheel.IsEmpty());
    for (uint32_t i = 0; i < 10; i++)
    {
        EXPECT_FALSE(wheel.IsPending(Key(2, i)));
    }
    wheel.Schedule(3, Key(2, 9));
    EXPECT_EQ(Drain(wheel), (std::vector<Event>{{3, Key(2, 9)}}));
}

TEST(SlottedWheelTest, RoomMayGrowWhileEventsArePending)
{
    SlottedWheel wheel(7);
    std::vector<Event> expected;
    for (uint32_t i = 0; i < 5000; i++)
    {
        wheel.Reserve(1, i + 1);
        wheel.Reserve(1, i / 2); // never shrinks
        const int64_t time = i * 7919 % 5000 * 1000;
        wheel.Schedule(time, Key(1, i));
        expected.emplace_back(time, Key(1, i));
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(Drain(wheel), expected);
}

TEST(SlottedWheelTest, TheWheelTurnsManyTimes)
{
    // One event that moves on by 8191 buckets of 128 ps, the last that is not far, and one that
    // moves by 8192, the first that is; both for 1000 turns, in the order of (time, key).
    SlottedWheel wheel(7);
    wheel.Reserve(0, 2);
    const int64_t step[] = {8191 * 128, 8192 * 128};
    wheel.Schedule(0, 0);
    wheel.Schedule(0, 1);
    Event last{-1, 0};
    int64_t time[2] = {0, 0};
    for (int i = 0; i < 2000; i++)
    {
        SlottedWheel::Entry entry;
        ASSERT_TRUE(wheel.PopBefore(SlottedWheel::NEVER, entry));
        ASSERT_LT(last, Event(entry.time, entry.key));
        ASSERT_EQ(entry.time, time[entry.key]);
        last = {entry.time, entry.key};
        time[entry.key] += step[entry.key];
        wheel.Schedule(time[entry.key], entry.key);
    }
    EXPECT_GT(last.first, 990 * step[0]);
}
