/* SPDX-License-Identifier: GPL-2.0-only */

// How EventLane announces upcoming events to handlers, so that they prefetch the data that these
// will access.

#include "../../model/engine/event-lane.h"

#include "ns3/counter-random.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/simulator-impl.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

using Event = std::pair<int64_t, uint32_t>; ///< (time [ps], key)
using Events = std::vector<Event>;

/// Handles the events of one class and records what is announced, the next event first.
class Listener : public LaneHandler
{
  public:
    void HandleLaneEvent(int64_t now, uint32_t entity, uint32_t kind) override
    {
        m_run(now, EventLane::Key(m_class, entity, kind));
    }

    void PrefetchLaneEvents(const SlottedWheel::Entry* events, std::size_t count) const override
    {
        Events chunk;
        for (std::size_t i = count; i > 0; i--)
        {
            chunk.emplace_back(events[i - 1].time, events[i - 1].key);
        }
        EXPECT_GE(chunk.size(), 1u);
        EXPECT_LE(chunk.size(), LaneHandler::MAX_PREFETCHED);
        for (const auto& [time, key] : chunk)
        {
            EXPECT_EQ(key >> EventLane::CLASS_SHIFT, m_class);
        }
        m_prefetch(chunk);
    }

    uint32_t m_class{0};
    std::function<void(int64_t, uint32_t)> m_run; ///< called with time and key
    std::function<void(const Events&)> m_prefetch;
};

/// Three classes of events on a lane with buckets of 4,096 ps.
class EventPrefetchTest : public testing::TestWithParam<std::string>
{
  protected:
    static constexpr uint32_t CLASSES = 3;
    static constexpr uint32_t ENTITIES = 400;

    void SetUp() override
    {
        Begin();
    }

    void TearDown() override
    {
        m_lane = nullptr;
        Simulator::Destroy();
    }

    void Begin()
    {
        m_lane = nullptr;
        Simulator::Destroy();
        Simulator::SetImplementation(ObjectFactory(GetParam()).Create<SimulatorImpl>());
        m_lane = EventLane::Get();
        m_lane->SetAttribute("BucketWidthShift", UintegerValue(12));
        m_chunks.clear();
        m_log.clear();
        for (uint32_t c = 0; c < CLASSES; c++)
        {
            m_listeners[c].m_class = c;
            m_listeners[c].m_run = [this](int64_t now, uint32_t key) {
                m_log.emplace_back(now, key);
            };
            m_listeners[c].m_prefetch = [this](const Events& chunk) { m_chunks.push_back(chunk); };
            m_lane->SetHandler(c, &m_listeners[c], ENTITIES);
        }
    }

    void Schedule(int64_t time, uint32_t entityClass, uint32_t entity)
    {
        m_lane->Schedule(time, EventLane::Key(entityClass, entity, 0));
    }

    /// What was prefetched, as one list.
    Events GetPrefetched() const
    {
        Events prefetched;
        for (const Events& chunk : m_chunks)
        {
            prefetched.insert(prefetched.end(), chunk.begin(), chunk.end());
        }
        return prefetched;
    }

    std::vector<std::size_t> GetSizes() const
    {
        std::vector<std::size_t> sizes;
        for (const Events& chunk : m_chunks)
        {
            sizes.push_back(chunk.size());
        }
        return sizes;
    }

    Ptr<EventLane> m_lane;
    Listener m_listeners[CLASSES];
    std::vector<Events> m_chunks;
    Events m_log;
};

INSTANTIATE_TEST_SUITE_P(Implementations,
                         EventPrefetchTest,
                         testing::Values("ns3::FabricSimulatorImpl", "ns3::DefaultSimulatorImpl"),
                         [](const auto& info) { return info.param.substr(5); });

} // namespace

// 20 events of class 0, then 3 of class 2, 2 of class 0 and 17 of class 1: a chunk ends with the
// class, or after 16.
TEST_P(EventPrefetchTest, ChunksOfOneClassInTheOrderOfTheRun)
{
    m_lane->EnablePrefetching(true);
    uint32_t number = 0;
    for (const auto& [entityClass, count] : {std::make_pair(0u, 20u), {2, 3}, {0, 2}, {1, 17}})
    {
        for (uint32_t i = 0; i < count; i++, number++)
        {
            Schedule(5000 + number, entityClass, number); // the bucket of 4,096 to 8,191 ps
        }
    }
    Simulator::Run();
    EXPECT_EQ(GetSizes(), (std::vector<std::size_t>{16, 4, 3, 2, 16, 1}));
    EXPECT_EQ(m_log.size(), 42u);
    EXPECT_EQ(GetPrefetched(), m_log);
}

// Ties of an instant run by key, and are prefetched so.
TEST_P(EventPrefetchTest, TiesArePrefetchedByKey)
{
    m_lane->EnablePrefetching(true);
    for (uint32_t i = 0; i < 60; i++)
    {
        Schedule(5000, i * 7 % CLASSES, i * 7 % 60); // 7 and 60 have no common factor
    }
    Simulator::Run();
    // 20 of each class.
    EXPECT_EQ(GetSizes(), (std::vector<std::size_t>{16, 4, 16, 4, 16, 4}));
    EXPECT_TRUE(std::is_sorted(m_log.begin(), m_log.end()));
    EXPECT_EQ(GetPrefetched(), m_log);
}

// It is not worth it for one or two events.
TEST_P(EventPrefetchTest, FewEventsAreNotPrefetched)
{
    m_lane->EnablePrefetching(true);
    Schedule(1000, 0, 0);
    Schedule(5000, 0, 1);
    Schedule(5001, 0, 2);
    Simulator::Run();
    EXPECT_EQ(GetSizes(), std::vector<std::size_t>{});
    Schedule(9000, 0, 0);
    Schedule(9001, 0, 1);
    Schedule(9002, 0, 2);
    Simulator::Run();
    EXPECT_EQ(GetSizes(), std::vector<std::size_t>{3});
    EXPECT_EQ(m_log.size(), 6u);
}

// What 256 events touch fits in a cache; of 300 the first 256 are prefetched.
TEST_P(EventPrefetchTest, OfManyEventsTheFirstArePrefetched)
{
    m_lane->EnablePrefetching(true);
    for (uint32_t i = 0; i < 300; i++)
    {
        Schedule(5000 + i * 77 % 300, 1, i); // 77 and 300 have no common factor
    }
    Simulator::Run();
    EXPECT_EQ(GetSizes(), std::vector<std::size_t>(16, 16));
    ASSERT_EQ(m_log.size(), 300u);
    EXPECT_EQ(GetPrefetched(), Events(m_log.begin(), m_log.begin() + 256));
}

// Nobody is prefetched who has not asked, or no longer does; a new simulation has not asked.
TEST_P(EventPrefetchTest, OffUnlessEnabled)
{
    int64_t time = 5000;
    const auto run = [this, &time] {
        const std::size_t before = m_chunks.size();
        for (uint32_t i = 0; i < 10; i++)
        {
            Schedule(time + i, 0, i);
        }
        Simulator::Run();
        time += 1000000;
        return m_chunks.size() - before;
    };
    EXPECT_EQ(run(), 0u);
    m_lane->EnablePrefetching(true);
    EXPECT_EQ(run(), 1u);
    m_lane->EnablePrefetching(false);
    EXPECT_EQ(run(), 0u);
    m_lane->EnablePrefetching(true);
    Begin();
    EXPECT_EQ(run(), 0u);
    EXPECT_EQ(m_log.size(), 10u);
}

namespace
{

/**
 * A random load, which schedules, moves and withdraws events, most of them of the bucket that is
 * being run or of the next. Where it is prefetched of events, it checks that they run in the order
 * prefetched, with nothing in between but what has come since.
 */
class EventPrefetchLoadTest : public EventPrefetchTest
{
  protected:
    Events RunLoad(bool enable)
    {
        Begin();
        m_draws = 0;
        m_queue.clear();
        m_touched.clear();
        m_prefetchCount = 0;
        m_isNew = true;
        for (Listener& listener : m_listeners)
        {
            listener.m_run = [this](int64_t now, uint32_t key) { Step(now, key); };
            listener.m_prefetch = [this](const Events& chunk) { Prefetch(chunk); };
        }
        m_lane->EnablePrefetching(enable);
        for (uint32_t i = 0; i < CLASSES * 100; i++)
        {
            Schedule(Draw(9000), i % CLASSES, i / CLASSES);
        }
        Simulator::Run();
        return m_log;
    }

    std::size_t m_prefetchCount{0}; ///< events prefetched of

  private:
    static constexpr std::size_t LIMIT = 40000; ///< events of a run

    uint32_t Draw(uint32_t bound)
    {
        return CounterRandom(1, 1, m_draws++) % bound;
    }

    void Prefetch(const Events& chunk)
    {
        if (m_isNew)
        {
            // The wheel has turned: nothing is left of what was prefetched before.
            DropGone();
            EXPECT_TRUE(m_queue.empty());
            m_touched.clear();
            m_isNew = false;
        }
        for (const Event& event : chunk)
        {
            EXPECT_TRUE(m_queue.empty() || m_queue.back() < event);
            m_queue.push_back(event);
        }
        m_prefetchCount += chunk.size();
    }

    /// Leaves out what was prefetched and has been moved or withdrawn since.
    void DropGone()
    {
        while (!m_queue.empty() && m_touched.count(m_queue.front().second) > 0)
        {
            m_queue.pop_front();
        }
    }

    void Step(int64_t now, uint32_t key)
    {
        const Event event(now, key);
        m_isNew = true;
        m_log.push_back(event);
        DropGone();
        if (!m_queue.empty())
        {
            if (m_queue.front() == event)
            {
                m_queue.pop_front();
            }
            else
            {
                EXPECT_LT(event, m_queue.front());
                EXPECT_EQ(m_touched.count(key), 1u) << "was there, but has not been prefetched";
            }
        }
        if (m_log.size() >= LIMIT)
        {
            return;
        }
        // On average one event each, so that the load neither dies nor grows.
        for (uint32_t i = Draw(3); i > 0; i--)
        {
            const uint32_t other = EventLane::Key(Draw(CLASSES), Draw(ENTITIES), 0);
            // A bucket is 4,096 ps wide.
            m_lane->Reschedule(now + Draw(Draw(4) > 0 ? 5000 : 400), other);
            m_touched.insert(other);
        }
        if (Draw(20) == 0)
        {
            const uint32_t other = EventLane::Key(Draw(CLASSES), Draw(ENTITIES), 0);
            m_lane->Cancel(other);
            m_touched.insert(other);
        }
        if (m_log.size() % 100 == 0)
        {
            for (uint32_t i = 0; i < 100; i++)
            {
                const uint32_t other = EventLane::Key(i % CLASSES, i, 0);
                if (!m_lane->IsPending(other))
                {
                    m_lane->Schedule(now + 4096 + Draw(4096), other);
                    m_touched.insert(other);
                }
            }
        }
    }

    uint64_t m_draws{0};
    bool m_isNew{true};
    std::deque<Event> m_queue;    ///< prefetched and not yet run
    std::set<uint32_t> m_touched; ///< keys scheduled, moved or withdrawn since
};

INSTANTIATE_TEST_SUITE_P(Implementations,
                         EventPrefetchLoadTest,
                         testing::Values("ns3::FabricSimulatorImpl", "ns3::DefaultSimulatorImpl"),
                         [](const auto& info) { return info.param.substr(5); });

} // namespace

TEST_P(EventPrefetchLoadTest, ChangesNoEventAndPrefetchedIsWhatRuns)
{
    const Events without = RunLoad(false);
    EXPECT_EQ(m_prefetchCount, 0u);
    EXPECT_GE(without.size(), 40000u);
    const Events with = RunLoad(true);
    EXPECT_TRUE(with == without);
    // A good part of the events, or the test has not tested much.
    EXPECT_GT(m_prefetchCount, with.size() / 4);
}
