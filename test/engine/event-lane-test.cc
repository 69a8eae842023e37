/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/engine/event-lane.h"

#include "ns3/config.h"
#include "ns3/counter-random.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/simulator-impl.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Records the events that run, then acts as the test specifies.
class Log : public LaneHandler
{
  public:
    explicit Log(std::string name)
        : m_name(std::move(name))
    {
    }

    void HandleLaneEvent(int64_t now, uint32_t entity, uint32_t kind) override
    {
        EXPECT_EQ(Simulator::Now().GetTimeStep(), now);
        EXPECT_EQ(Simulator::GetContext(), GetLaneContext(entity, kind));
        m_lines->push_back(std::to_string(now) + " " + m_name + std::to_string(entity) + "." +
                           std::to_string(kind));
        if (m_then)
        {
            m_then(now, entity, kind);
        }
    }

    uint32_t GetLaneContext(uint32_t entity, uint32_t kind) const override
    {
        return 1000 + entity * 4 + kind;
    }

    std::vector<std::string>* m_lines{nullptr};
    std::function<void(int64_t, uint32_t, uint32_t)> m_then;

  private:
    std::string m_name;
};

/// Under each implementation: the lane of its own, and the pump.
class EventLaneTest : public testing::TestWithParam<std::string>
{
  protected:
    void SetUp() override
    {
        Begin(GetParam());
    }

    void TearDown() override
    {
        End();
    }

    void Begin(const std::string& implementation)
    {
        Simulator::Destroy();
        Simulator::SetImplementation(ObjectFactory(implementation).Create<SimulatorImpl>());
        m_lane = EventLane::Get();
        m_lines.clear();
        for (Log* log : {&m_a, &m_b})
        {
            log->m_lines = &m_lines;
            log->m_then = nullptr;
        }
        m_lane->SetHandler(1, &m_a, 100);
        m_lane->SetHandler(5, &m_b, 100);
    }

    void End()
    {
        m_lane = nullptr;
        Simulator::Destroy();
    }

    /// Schedules an event of class 1.
    void A(int64_t time, uint32_t entity, uint32_t kind = 0)
    {
        m_lane->Schedule(time, EventLane::Key(1, entity, kind));
    }

    /// Schedules an event of class 5.
    void B(int64_t time, uint32_t entity, uint32_t kind = 0)
    {
        m_lane->Schedule(time, EventLane::Key(5, entity, kind));
    }

    /// Schedules an ordinary event that writes its name, and then does what the test says.
    EventId Ordinary(int64_t delay, const std::string& name, std::function<void()> then = nullptr)
    {
        return Simulator::Schedule(PicoSeconds(delay), [this, name, then] {
            m_lines.push_back(std::to_string(Simulator::Now().GetTimeStep()) + " " + name);
            if (then)
            {
                then();
            }
        });
    }

    using Lines = std::vector<std::string>;
    Ptr<EventLane> m_lane;
    Lines m_lines;
    Log m_a{"a"};
    Log m_b{"b"};
};

INSTANTIATE_TEST_SUITE_P(Implementations,
                         EventLaneTest,
                         testing::Values("ns3::FabricSimulatorImpl", "ns3::DefaultSimulatorImpl"),
                         [](const auto& info) { return info.param.substr(5); });

} // namespace

TEST_P(EventLaneTest, KeysAreClassEntityKind)
{
    EXPECT_EQ(EventLane::Key(0, 0, 3), 3U);
    EXPECT_EQ(EventLane::Key(0, 5, 1), 21U); // 5 x 4 + 1
    EXPECT_EQ(EventLane::Key(63, (1U << 24) - 1, 3), 0xffffffffU);
}

TEST_P(EventLaneTest, OrderIsTimeThenClassEntityKind)
{
    B(500, 1);
    B(500, 0, 2);
    A(500, 9, 3);
    A(500, 9, 1);
    A(500, 10);
    A(499, 99);
    B(3000000000, 1, 1); // far
    Simulator::Run();
    EXPECT_EQ(m_lines,
              (Lines{"499 a99.0",
                     "500 a9.1",
                     "500 a9.3",
                     "500 a10.0",
                     "500 b0.2",
                     "500 b1.0",
                     "3000000000 b1.1"}));
    EXPECT_EQ(m_lane->GetEventCount(), 7U);
    EXPECT_EQ(m_lane->GetEventCount(1, 0), 2U);
    EXPECT_EQ(m_lane->GetEventCount(1, 1), 1U);
    EXPECT_EQ(m_lane->GetEventCount(1, 2), 0U);
    EXPECT_EQ(m_lane->GetEventCount(5, 1), 1U);
    EXPECT_EQ(Simulator::Now().GetTimeStep(), 3000000000);
}

TEST_P(EventLaneTest, OrdinaryEventsOfATimeRunFirst)
{
    A(700, 0);
    A(700, 1);
    Ordinary(700, "x", [this] { Ordinary(0, "y", [this] { Ordinary(0, "z"); }); });
    Ordinary(701, "later");
    Ordinary(699, "earlier", [this] { Ordinary(1, "w"); });
    m_a.m_then = [this](int64_t, uint32_t entity, uint32_t) {
        if (entity == 0)
        {
            Ordinary(0, "from a0", [this] { Ordinary(0, "again"); });
        }
    };
    Simulator::Run();
    EXPECT_EQ(m_lines,
              (Lines{"699 earlier",
                     "700 x",
                     "700 w",
                     "700 y",
                     "700 z",
                     "700 a0.0",
                     "700 from a0",
                     "700 again",
                     "700 a1.0",
                     "701 later"}));
}

TEST_P(EventLaneTest, AHandlerSchedulesAtTheCurrentTime)
{
    A(100, 5);
    A(100, 7);
    m_a.m_then = [this](int64_t now, uint32_t entity, uint32_t kind) {
        if (entity == 5 && kind == 0)
        {
            A(now, 2);    // smaller than the one that runs: next
            A(now, 6);    // before 7
            B(now, 0);    // after all of class 1
            A(now, 5, 1); // between 2 and 6
        }
        if (entity == 2)
        {
            m_lane->Reschedule(now, EventLane::Key(1, 7, 0)); // where it was
            m_lane->Reschedule(now + 1, EventLane::Key(1, 6, 0));
            A(now, 1);
        }
    };
    Simulator::Run();
    EXPECT_EQ(m_lines,
              (Lines{"100 a5.0",
                     "100 a2.0",
                     "100 a1.0",
                     "100 a5.1",
                     "100 a7.0",
                     "100 b0.0",
                     "101 a6.0"}));
}

TEST_P(EventLaneTest, AnEarlierEventMayComeAtAnyTime)
{
    A(1000000, 0);
    Ordinary(10, "o", [this] { A(20, 1); });
    m_a.m_then = [this](int64_t, uint32_t entity, uint32_t) {
        if (entity == 1)
        {
            m_lane->Reschedule(30, EventLane::Key(1, 0, 0));
            A(25, 2);
        }
    };
    Simulator::Run();
    EXPECT_EQ(m_lines, (Lines{"10 o", "20 a1.0", "25 a2.0", "30 a0.0"}));
}

TEST_P(EventLaneTest, CancelledEventsLeaveNoTrace)
{
    const uint32_t key = EventLane::Key(1, 0, 0);
    EXPECT_FALSE(m_lane->IsPending(key));
    A(100000000000, 0);
    EXPECT_TRUE(m_lane->IsPending(key));
    EXPECT_EQ(m_lane->GetTime(key), 100000000000);
    B(40, 0);
    m_b.m_then = [this](int64_t, uint32_t, uint32_t) {
        EXPECT_FALSE(m_lane->IsPending(EventLane::Key(5, 0, 0))); // the one that runs
        m_lane->Cancel(key);
        m_lane->Cancel(key);
        EXPECT_FALSE(m_lane->IsPending(key));
    };
    Simulator::Run();
    EXPECT_EQ(m_lines, (Lines{"40 b0.0"}));
    // The clock has not gone on to what was cancelled.
    EXPECT_EQ(Simulator::Now().GetTimeStep(), 40);
    A(50, 1);
    m_lane->Cancel(EventLane::Key(1, 1, 0));
    Ordinary(5, "o");
    Simulator::Run();
    EXPECT_EQ(m_lines, (Lines{"40 b0.0", "45 o"}));
    EXPECT_EQ(Simulator::Now().GetTimeStep(), 45);
}

TEST_P(EventLaneTest, RemovedOrdinaryEventsHoldNothingUp)
{
    EventId removed = Ordinary(100, "removed");
    EventId cancelled = Ordinary(400, "cancelled");
    Ordinary(5, "o", [&removed, &cancelled] {
        Simulator::Remove(removed);
        Simulator::Cancel(cancelled);
    });
    Ordinary(300, "last");
    A(50, 0);
    A(200, 1);
    Simulator::Run();
    EXPECT_EQ(m_lines, (Lines{"5 o", "50 a0.0", "200 a1.0", "300 last"}));
}

TEST_P(EventLaneTest, EventsOfTheCurrentTimeMayBeWithdrawnAndPostedAgain)
{
    A(100, 0);
    Ordinary(100, "o", [this] {
        m_lane->Cancel(EventLane::Key(1, 0, 0)); // the lane is empty for a moment
        A(100, 3);
        Ordinary(0, "p", [this] {
            m_lane->Cancel(EventLane::Key(1, 3, 0));
            B(100, 1);
            Ordinary(0, "q");
        });
    });
    Simulator::Run();
    EXPECT_EQ(m_lines, (Lines{"100 o", "100 p", "100 q", "100 b1.0"}));
    EXPECT_EQ(m_lane->GetEventCount(), 1U);
}

TEST_P(EventLaneTest, TheContextIsThatOfTheEntity)
{
    std::vector<uint32_t> contexts;
    auto note = [&contexts] { contexts.push_back(Simulator::GetContext()); };
    A(10, 3, 1);
    m_a.m_then = [&](int64_t, uint32_t, uint32_t) {
        Simulator::Schedule(PicoSeconds(5), note);
        Simulator::ScheduleWithContext(7, PicoSeconds(6), note);
    };
    Simulator::Run();
    // 1000 + 3 x 4 + 1, inherited by what the handler scheduled.
    EXPECT_EQ(contexts, (std::vector<uint32_t>{1013, 7}));

    class Plain : public LaneHandler
    {
        void HandleLaneEvent(int64_t, uint32_t, uint32_t) override
        {
        }
    } plain;

    EXPECT_EQ(plain.GetLaneContext(0, 0), Simulator::NO_CONTEXT);
}

TEST_P(EventLaneTest, StopInAHandlerEndsTheRunAtOnce)
{
    A(10, 0);
    A(10, 1);
    A(20, 2);
    m_a.m_then = [](int64_t, uint32_t entity, uint32_t) {
        if (entity == 0)
        {
            Simulator::Stop();
        }
    };
    Simulator::Run();
    EXPECT_EQ(m_lines, (Lines{"10 a0.0"}));
    EXPECT_TRUE(Simulator::IsFinished());
    // Ordinary events first, also those posted between two runs.
    Ordinary(0, "between");
    Simulator::Run();
    EXPECT_EQ(m_lines, (Lines{"10 a0.0", "10 between", "10 a1.0", "20 a2.0"}));
}

TEST_P(EventLaneTest, StopInAnOrdinaryEventKeepsLaneEvents)
{
    A(10, 0);
    A(11, 1);
    Ordinary(10, "stop", [] { Simulator::Stop(); });
    Simulator::Run();
    EXPECT_EQ(m_lines, (Lines{"10 stop"}));
    EXPECT_EQ(m_lane->GetEventCount(), 0U);
    Simulator::Stop(PicoSeconds(1)); // before lane events of 11 ps
    Simulator::Run();
    EXPECT_EQ(m_lines, (Lines{"10 stop", "10 a0.0"}));
    EXPECT_EQ(Simulator::Now().GetTimeStep(), 11);
    Simulator::Run();
    EXPECT_EQ(m_lines, (Lines{"10 stop", "10 a0.0", "11 a1.0"}));
}

TEST_P(EventLaneTest, BelongsToOneRunOfTheSimulator)
{
    EXPECT_EQ(EventLane::Get(), m_lane);
    A(10, 0);
    A(50, 1);
    Simulator::Stop(PicoSeconds(20));
    Simulator::Run();
    Ptr<EventLane> old = m_lane;
    Begin(GetParam());
    // The old one has forgotten everything, the new one starts from nothing.
    EXPECT_NE(old, m_lane);
    EXPECT_FALSE(old->IsPending(EventLane::Key(1, 1, 0)));
    EXPECT_EQ(m_lane->GetEventCount(), 0U);
    A(10, 0);
    Simulator::Run();
    EXPECT_EQ(m_lines, (Lines{"10 a0.0"}));
    EXPECT_EQ(m_lane->GetEventCount(), 1U);
    EXPECT_EQ(old->GetEventCount(), 1U);
}

TEST_P(EventLaneTest, MisuseAborts)
{
    EXPECT_DEATH(m_lane->Reserve(64, 1), "entity class 64");
    EXPECT_DEATH(m_lane->Reserve(0, 1U << 24), "too many entities");
}

namespace
{

/// What ran, in a hash (FNV-1a over 64-bit words).
struct Trace
{
    uint64_t hash{0xcbf29ce484222325};
    uint64_t laneEvents{0};
    uint64_t ordinaryEvents{0};

    void Add(uint64_t word)
    {
        hash = (hash ^ word) * 0x100000001b3;
        hash ^= hash >> 32;
    }

    bool operator==(const Trace& other) const
    {
        return hash == other.hash && laneEvents == other.laneEvents &&
               ordinaryEvents == other.ordinaryEvents;
    }
};

/**
 * Entities that move on by few different steps, so that nearly all events are tied, with kinds
 * that are moved and cancelled, and ordinary events on the same grid of times.
 */
class TiedLoad : public LaneHandler
{
  public:
    TiedLoad(uint32_t entities, uint64_t laneEvents)
        : m_lane(EventLane::Get()),
          m_limit(laneEvents),
          m_draws(entities, 0)
    {
        m_lane->SetHandler(2, this, entities);
        // Reverse order: it must not matter.
        for (uint32_t e = entities; e-- > 0;)
        {
            m_lane->Schedule(0, EventLane::Key(2, e, 0));
        }
        for (uint32_t o = 0; o < 20; o++)
        {
            Simulator::ScheduleWithContext(o, PicoSeconds(0), &TiedLoad::RunOrdinary, this, o);
        }
    }

    void HandleLaneEvent(int64_t now, uint32_t entity, uint32_t kind) override
    {
        m_trace.laneEvents++;
        m_trace.Add(now);
        m_trace.Add(entity * 4 + kind);
        m_trace.Add(Simulator::GetContext());
        if (m_trace.laneEvents >= m_limit)
        {
            return;
        }
        const uint64_t draw = CounterRandom(3, entity, m_draws[entity]++);
        const uint32_t other = EventLane::Key(2, entity, 1 + draw % 3);
        static constexpr int64_t STEPS[] = {1000, 2000, 2000, 84000, 1000000, 1100000};
        switch (draw >> 8 & 7)
        {
        case 0:
            m_lane->Reschedule(now, other);
            break;
        case 1:
        case 2:
            m_lane->Reschedule(now + STEPS[draw >> 16 & 3], other);
            break;
        case 3:
            m_lane->Cancel(other);
            break;
        case 4:
            if ((draw >> 16 & 7) == 0)
            {
                Simulator::ScheduleNow(&TiedLoad::RunOrdinary, this, 100);
            }
            break;
        default:
            break;
        }
        if (kind == 0)
        {
            m_lane->Schedule(now + STEPS[(draw >> 24) % 6], EventLane::Key(2, entity, 0));
        }
    }

    uint32_t GetLaneContext(uint32_t entity, uint32_t kind) const override
    {
        return 500 + entity + kind;
    }

    Trace m_trace;

  private:
    void RunOrdinary(uint32_t id)
    {
        const int64_t now = Simulator::Now().GetTimeStep();
        m_trace.ordinaryEvents++;
        m_trace.Add(now);
        m_trace.Add(id | 1U << 31);
        m_trace.Add(Simulator::GetContext());
        if (id == 100 || m_trace.laneEvents >= m_limit)
        {
            return;
        }
        const uint32_t entity = (id * 7 + m_trace.ordinaryEvents) % m_draws.size();
        m_lane->Reschedule(now + id % 3 * 1000, EventLane::Key(2, entity, 3));
        // 10 or 11 ns: on the grid of the lane.
        Simulator::Schedule(PicoSeconds(10000 + id % 2 * 1000), &TiedLoad::RunOrdinary, this, id);
    }

    Ptr<EventLane> m_lane;
    uint64_t m_limit;
    std::vector<uint64_t> m_draws;
};

Trace
RunTiedLoad(const std::string& implementation, uint32_t widthShift)
{
    Simulator::Destroy();
    Config::SetDefault("ns3::EventLane::BucketWidthShift", UintegerValue(widthShift));
    Simulator::SetImplementation(ObjectFactory(implementation).Create<SimulatorImpl>());
    Trace trace;
    {
        TiedLoad load(60, 200000);
        EXPECT_EQ(EventLane::Get()->GetEventCount(), 0U);
        Simulator::Run();
        trace = load.m_trace;
        EXPECT_EQ(EventLane::Get()->GetEventCount(), trace.laneEvents);
        if (implementation == "ns3::FabricSimulatorImpl")
        {
            EXPECT_EQ(Simulator::GetEventCount(), trace.laneEvents + trace.ordinaryEvents);
        }
    }
    Simulator::Destroy();
    Config::SetDefault("ns3::EventLane::BucketWidthShift", UintegerValue(8));
    return trace;
}

} // namespace

TEST(EventLanePumpTest, TiedEventsRunInTheSameOrderUnderEveryImplementationAndWidth)
{
    const Trace fabric = RunTiedLoad("ns3::FabricSimulatorImpl", 7);
    EXPECT_GE(fabric.laneEvents, 200000U);
    EXPECT_GT(fabric.ordinaryEvents, 1000U);
    EXPECT_EQ(RunTiedLoad("ns3::FabricSimulatorImpl", 7), fabric);
    EXPECT_EQ(RunTiedLoad("ns3::FabricSimulatorImpl", 0), fabric);
    EXPECT_EQ(RunTiedLoad("ns3::FabricSimulatorImpl", 12), fabric);
    const Trace pump = RunTiedLoad("ns3::DefaultSimulatorImpl", 7);
    EXPECT_EQ(pump.hash, fabric.hash);
    EXPECT_EQ(pump.laneEvents, fabric.laneEvents);
    EXPECT_EQ(pump.ordinaryEvents, fabric.ordinaryEvents);
    EXPECT_EQ(RunTiedLoad("ns3::DefaultSimulatorImpl", 10), fabric);
}

namespace
{

/// Writes down the position of a lane in each of its events.
class PositionLog : public LaneHandler
{
  public:
    void HandleLaneEvent(int64_t now, uint32_t, uint32_t) override
    {
        const EventLane::Position position = m_lane->GetPosition();
        EXPECT_EQ(position.time, now);
        m_keys.push_back(position.key);
    }

    Ptr<EventLane> m_lane{CreateObject<EventLane>()};
    std::vector<uint32_t> m_keys;
};

} // namespace

TEST(EventLaneBesideTest, RunsUpToAPosition)
{
    PositionLog log;
    log.m_lane->SetHandler(0, &log, 8);
    for (const uint32_t entity : {5, 1, 3})
    {
        log.m_lane->Schedule(100, EventLane::Key(0, entity, 2));
    }
    log.m_lane->Schedule(90, EventLane::Key(0, 7, 0));
    const auto key = [](uint32_t entity) { return EventLane::Key(0, entity, 2); };
    EXPECT_EQ(log.m_lane->RunBefore({100, 0}), 1U);
    EXPECT_EQ(log.m_lane->RunBefore({100, key(3)}), 1U);
    EXPECT_EQ(log.m_keys, (std::vector<uint32_t>{EventLane::Key(0, 7, 0), key(1)}));
    // Nothing is running, whatever has run.
    EXPECT_EQ(log.m_lane->GetPosition().time, 100);
    EXPECT_EQ(log.m_lane->GetPosition().key, 0U);
    EXPECT_EQ(log.m_lane->RunBefore({101, 0}), 2U);
    EXPECT_EQ(log.m_keys.back(), key(5));
    log.m_lane->Dispose();
}
