/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/engine/event-lane.h"
#include "../../model/engine/fabric-simulator-impl.h"

#include "ns3/counter-random.h"
#include "ns3/data-rate.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/on-off-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator-impl.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace ns3;

namespace
{

const char* const FABRIC = "ns3::FabricSimulatorImpl";
const char* const DEFAULT = "ns3::DefaultSimulatorImpl";

void
Begin(const std::string& implementation)
{
    Simulator::Destroy();
    Simulator::SetImplementation(ObjectFactory(implementation).Create<SimulatorImpl>());
}

class FabricSimulatorImplTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        Begin(FABRIC);
    }

    void TearDown() override
    {
        Simulator::Destroy();
    }
};

/// Events that post, withdraw and query others at random, and write down all that they see.
class RandomCalls
{
  public:
    void Start()
    {
        for (int i = 0; i < 50; i++)
        {
            Call();
        }
    }

    std::vector<int64_t> m_trace;

  private:
    static constexpr uint64_t CALLS = 30000;

    uint32_t Draw(uint32_t bound)
    {
        return CounterRandom(9, 0, m_draws++) % bound;
    }

    void Run(uint32_t id)
    {
        m_trace.push_back(Simulator::Now().GetTimeStep());
        m_trace.push_back(id);
        m_trace.push_back(Simulator::GetContext());
        m_trace.push_back(static_cast<int64_t>(Simulator::GetEventCount()));
        const uint32_t calls = Draw(7);
        for (uint32_t i = 0; i < calls; i++)
        {
            Call();
        }
    }

    /// One call of the simulator.
    void Call()
    {
        if (m_calls++ >= CALLS)
        {
            return;
        }
        // Few different delays: most events are tied.
        const Time delay = PicoSeconds(Draw(4) == 0 ? Draw(100000) : Draw(5) * 1000);
        switch (Draw(9))
        {
        case 0:
            Simulator::ScheduleWithContext(Draw(10), delay, &RandomCalls::Run, this, m_next++);
            break;
        case 1:
            m_ids.push_back(Simulator::ScheduleNow(&RandomCalls::Run, this, m_next++));
            break;
        case 2:
            Simulator::Cancel(Any());
            break;
        case 3:
            Simulator::Remove(Any());
            break;
        case 4:
            m_trace.push_back(Simulator::IsExpired(Any()));
            m_trace.push_back(Simulator::GetDelayLeft(Any()).GetTimeStep());
            break;
        case 5:
            m_ids.push_back(Simulator::ScheduleDestroy(&RandomCalls::RunAtDestroy, this, m_next++));
            break;
        default:
            m_ids.push_back(Simulator::Schedule(delay, &RandomCalls::Run, this, m_next++));
        }
    }

    void RunAtDestroy(uint32_t id)
    {
        m_trace.push_back(-1 - static_cast<int64_t>(id));
    }

    /// One of the last 40 ids, some of which have expired.
    EventId Any()
    {
        if (m_ids.empty())
        {
            return EventId();
        }
        const auto last = static_cast<uint32_t>(std::min<std::size_t>(m_ids.size(), 40));
        return m_ids[m_ids.size() - 1 - Draw(last)];
    }

    uint64_t m_draws{0};
    uint64_t m_calls{0};
    uint32_t m_next{0};
    std::vector<EventId> m_ids;
};

std::vector<int64_t>
TraceOfRandomCalls(const std::string& implementation)
{
    Begin(implementation);
    RandomCalls calls;
    calls.Start();
    // Stops on the way; what is pending stays.
    for (int i = 0; i < 100; i++)
    {
        Simulator::Stop(PicoSeconds(i * 777));
        Simulator::Run();
        calls.m_trace.push_back(Simulator::Now().GetTimeStep());
        calls.m_trace.push_back(Simulator::IsFinished());
    }
    Simulator::Run();
    calls.m_trace.push_back(Simulator::IsFinished());
    Simulator::Destroy();
    return calls.m_trace;
}

/// Moves on by 84 ns as long as the test wants.
class Ticker : public LaneHandler
{
  public:
    explicit Ticker(std::function<bool()> goesOn)
        : m_lane(EventLane::Get()),
          m_goesOn(std::move(goesOn))
    {
        m_lane->SetHandler(0, this, 1);
        m_lane->Schedule(0, 0);
    }

    void HandleLaneEvent(int64_t now, uint32_t, uint32_t) override
    {
        if (m_goesOn())
        {
            m_lane->Schedule(now + 84000, 0);
        }
    }

  private:
    Ptr<EventLane> m_lane;
    std::function<bool()> m_goesOn;
};

} // namespace

TEST_F(FabricSimulatorImplTest, RandomCallsGiveTheTraceOfTheDefaultImplementation)
{
    const std::vector<int64_t> expected = TraceOfRandomCalls(DEFAULT);
    // 5 of 9 calls post an event, which writes four numbers if it is not withdrawn.
    EXPECT_GT(expected.size(), 30000U * 5 / 9 * 4 / 2);
    EXPECT_EQ(TraceOfRandomCalls(FABRIC), expected);
    EXPECT_EQ(TraceOfRandomCalls(FABRIC), expected); // a second run in one process
}

TEST_F(FabricSimulatorImplTest, IsBoundByItsName)
{
    EXPECT_NE(DynamicCast<FabricSimulatorImpl>(Simulator::GetImplementation()), nullptr);
    EXPECT_EQ(Simulator::GetImplementation()->GetObject<EventLane>(), EventLane::Get());
    EXPECT_EQ(Simulator::GetImplementation()->GetInstanceTypeId().GetName(), FABRIC);
    EXPECT_EQ(Simulator::GetSystemId(), 0U);
    EXPECT_EQ(Simulator::GetMaximumSimulationTime().GetTimeStep(), 0x7fffffffffffffff);
}

TEST_F(FabricSimulatorImplTest, IsFinishedLooksAtBothLanes)
{
    EXPECT_TRUE(Simulator::IsFinished());
    {
        int left = 3;
        Ticker ticker([&left] { return --left > 0; });
        EXPECT_FALSE(Simulator::IsFinished());
        Simulator::Run();
        EXPECT_TRUE(Simulator::IsFinished());
        EXPECT_EQ(Simulator::GetEventCount(), 3U);
        EXPECT_EQ(Simulator::Now().GetTimeStep(), 2 * 84000);
    }
    Simulator::Schedule(PicoSeconds(1), [] {});
    EXPECT_FALSE(Simulator::IsFinished());
    Simulator::Run();
    EXPECT_EQ(Simulator::GetEventCount(), 4U);
}

TEST_F(FabricSimulatorImplTest, ExpiryIsRightInsideLaneEvents)
{
    EventId before = Simulator::Schedule(PicoSeconds(84000), [] {});
    EventId after = Simulator::Schedule(PicoSeconds(84001), [] {});
    EventId removed = Simulator::Schedule(PicoSeconds(84001), [] {});
    EventId now;
    int calls = 0;
    Ticker ticker([&] {
        if (calls++ == 0)
        {
            EXPECT_FALSE(before.IsExpired()); // at 0 ps
            EXPECT_EQ(Simulator::GetDelayLeft(before).GetTimeStep(), 84000);
            return true;
        }
        EXPECT_TRUE(before.IsExpired()); // of this time, but ordinary events run first
        EXPECT_FALSE(after.IsExpired());
        EXPECT_EQ(Simulator::GetDelayLeft(after).GetTimeStep(), 1);
        now = Simulator::ScheduleNow([] {});
        EXPECT_FALSE(now.IsExpired());
        removed.Remove();
        EXPECT_TRUE(removed.IsExpired());
        return false;
    });
    Simulator::Run();
    EXPECT_EQ(calls, 2);
    EXPECT_TRUE(now.IsExpired());
    // 2 lane events, and before, now and after.
    EXPECT_EQ(Simulator::GetEventCount(), 5U);
}

TEST_F(FabricSimulatorImplTest, TheSchedulerMayBeExchangedAtAnyTime)
{
    std::vector<int64_t> times;
    int64_t expected = 0;
    for (const char* name : {"ns3::HeapScheduler",
                             "ns3::ListScheduler",
                             "ns3::CalendarScheduler",
                             "ns3::PriorityQueueScheduler",
                             "ns3::MapScheduler"})
    {
        for (int i = 0; i < 20; i++)
        {
            Simulator::Schedule(PicoSeconds(i * 7 % 20 * 1000),
                                [&times] { times.push_back(Simulator::Now().GetTimeStep()); });
        }
        Simulator::Schedule(PicoSeconds(9500),
                            [name] { Simulator::SetScheduler(ObjectFactory(name)); });
        Simulator::Run();
        ASSERT_EQ(times.size(), 20U) << name;
        for (int i = 0; i < 20; i++)
        {
            EXPECT_EQ(times[i], expected + i * 1000) << name;
        }
        expected = times.back();
        times.clear();
    }
}

TEST_F(FabricSimulatorImplTest, DestroyEventsRunOnce)
{
    std::vector<int> ran;
    Simulator::ScheduleDestroy([&ran] { ran.push_back(1); });
    EventId cancelled = Simulator::ScheduleDestroy([&ran] { ran.push_back(2); });
    EventId removed = Simulator::ScheduleDestroy([&ran] { ran.push_back(3); });
    Simulator::ScheduleDestroy([&ran] { ran.push_back(4); });
    Simulator::Schedule(PicoSeconds(5), [] {});
    Simulator::Run();
    EXPECT_FALSE(cancelled.IsExpired());
    Simulator::Cancel(cancelled);
    EXPECT_TRUE(cancelled.IsExpired());
    Simulator::Remove(removed);
    EXPECT_TRUE(removed.IsExpired());
    EXPECT_TRUE(ran.empty());
    Simulator::Destroy();
    EXPECT_EQ(ran, (std::vector<int>{1, 4}));
}

TEST_F(FabricSimulatorImplTest, OtherThreadsScheduleWithContext)
{
    // Under lane events, under ordinary ones, and after the last of both.
    for (const bool lane : {true, false})
    {
        Begin(FABRIC);
        constexpr int THREADS = 4;
        constexpr int CALLS = 500;
        std::vector<std::vector<int>> seen(THREADS);
        int received = 0;
        std::vector<std::thread> threads;
        auto goesOn = [&received] { return received < THREADS * CALLS; };
        std::atomic<bool> running{false};
        for (int t = 0; t < THREADS; t++)
        {
            threads.emplace_back([t, &seen, &received, &running] {
                while (!running)
                {
                    std::this_thread::yield();
                }
                for (int i = 0; i < CALLS; i++)
                {
                    Simulator::ScheduleWithContext(t, PicoSeconds(0), [t, i, &seen, &received] {
                        EXPECT_EQ(Simulator::GetContext(), static_cast<uint32_t>(t));
                        seen[t].push_back(i);
                        received++;
                    });
                }
            });
        }
        Simulator::Schedule(PicoSeconds(0), [&running] { running = true; });
        std::function<void()> tick = [&goesOn, &tick] {
            if (goesOn())
            {
                Simulator::Schedule(PicoSeconds(84000), tick);
            }
        };
        Ticker ticker([&goesOn, lane] { return lane && goesOn(); });
        if (!lane)
        {
            tick();
        }
        Simulator::Run();
        for (std::thread& thread : threads)
        {
            thread.join();
        }
        EXPECT_EQ(received, THREADS * CALLS);
        for (const std::vector<int>& calls : seen)
        {
            // Those of one thread in its order.
            ASSERT_EQ(calls.size(), static_cast<std::size_t>(CALLS));
            for (int i = 0; i < CALLS; i++)
            {
                EXPECT_EQ(calls[i], i);
            }
        }
        std::thread([&received] {
            Simulator::ScheduleWithContext(0, PicoSeconds(3), [&received] { received++; });
        }).join();
        const int64_t end = Simulator::Now().GetTimeStep();
        Simulator::Run();
        EXPECT_EQ(received, THREADS * CALLS + 1);
        EXPECT_EQ(Simulator::Now().GetTimeStep(), end + 3);
    }
}

TEST_F(FabricSimulatorImplTest, EventsOfOtherThreadsThatNeverRunAreFreed)
{
    auto token = std::make_shared<int>(1);
    std::thread([&token] {
        Simulator::ScheduleWithContext(0, PicoSeconds(3), [token] { FAIL(); });
    }).join();
    Simulator::Schedule(PicoSeconds(3), [token] { FAIL(); });
    EXPECT_EQ(token.use_count(), 3);
    Simulator::Destroy();
    EXPECT_EQ(token.use_count(), 1);
}

namespace
{

/// A hash over every reception of UDP and TCP flows across two links, with lane events beside.
struct NetworkTrace
{
    uint64_t hash{0xcbf29ce484222325};
    uint64_t receptions{0};
    uint64_t laneEvents{0};
    int64_t end{0}; ///< [ps]

    void Receive(std::string path, Ptr<const Packet> packet)
    {
        receptions++;
        for (uint64_t word : {HashName(path),
                              static_cast<uint64_t>(Simulator::Now().GetTimeStep()),
                              uint64_t{packet->GetSize()},
                              uint64_t{Simulator::GetContext()}})
        {
            hash = (hash ^ word) * 0x100000001b3;
            hash ^= hash >> 32;
        }
    }

    bool operator==(const NetworkTrace& other) const
    {
        return hash == other.hash && receptions == other.receptions &&
               laneEvents == other.laneEvents && end == other.end;
    }
};

NetworkTrace
TraceOfNetwork(const std::string& implementation)
{
    Begin(implementation);
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(1);
    NetworkTrace trace;
    {
        NodeContainer nodes;
        nodes.Create(3);
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue("10Mbps"));
        link.SetChannelAttribute("Delay", StringValue("100us"));
        InternetStackHelper stack;
        stack.SetIpv6StackInstall(false);
        stack.Install(nodes);
        stack.AssignStreams(nodes, 100);
        Ipv4AddressHelper addresses("10.1.1.0", "255.255.255.0");
        NetDeviceContainer devices = link.Install(nodes.Get(0), nodes.Get(1));
        addresses.Assign(devices);
        addresses.NewNetwork();
        NetDeviceContainer others = link.Install(nodes.Get(1), nodes.Get(2));
        const Ipv4InterfaceContainer interfaces = addresses.Assign(others);
        devices.Add(others);
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        for (const char* protocol : {"ns3::UdpSocketFactory", "ns3::TcpSocketFactory"})
        {
            const InetSocketAddress sink(interfaces.GetAddress(1), 9);
            OnOffHelper source(protocol, sink);
            source.SetConstantRate(DataRate("6Mbps"), 700);
            source.Install(nodes.Get(0)).Start(MicroSeconds(10));
            PacketSinkHelper(protocol, sink).Install(nodes.Get(2)).Start(Seconds(0));
        }
        for (uint32_t i = 0; i < devices.GetN(); i++)
        {
            devices.Get(i)->TraceConnect("MacRx",
                                         std::to_string(i),
                                         MakeCallback(&NetworkTrace::Receive, &trace));
        }
        int left = 100000; // 8.4 ms
        Ticker ticker([&left] { return --left > 0; });
        Simulator::Stop(MilliSeconds(500));
        Simulator::Run();
        trace.laneEvents = EventLane::Get()->GetEventCount();
        trace.end = Simulator::Now().GetTimeStep();
        Simulator::Destroy();
    }
    return trace;
}

} // namespace

TEST_F(FabricSimulatorImplTest, OrdinaryModelsRunAsUnderTheDefaultImplementation)
{
    const NetworkTrace expected = TraceOfNetwork(DEFAULT);
    // 500 ms x 10 Mbit/s / (730 byte x 8) on two links are 1712 data frames if always busy.
    EXPECT_GT(expected.receptions, 1500U);
    EXPECT_EQ(expected.laneEvents, 100000U);
    const NetworkTrace fabric = TraceOfNetwork(FABRIC);
    EXPECT_EQ(fabric.hash, expected.hash);
    EXPECT_EQ(fabric.receptions, expected.receptions);
    EXPECT_TRUE(fabric == expected);
    EXPECT_TRUE(TraceOfNetwork(FABRIC) == expected);
}
