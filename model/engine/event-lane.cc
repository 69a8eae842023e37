/* SPDX-License-Identifier: GPL-2.0-only */
#include "event-lane.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/make-event.h"
#include "ns3/nstime.h"
#include "ns3/simulator-impl.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("EventLane");

NS_OBJECT_ENSURE_REGISTERED(EventLane);

void
LaneHandler::PrefetchLaneEvents(const SlottedWheel::Entry*, std::size_t) const
{
}

uint32_t
LaneHandler::GetLaneContext(uint32_t, uint32_t) const
{
    return Simulator::NO_CONTEXT;
}

TypeId
EventLane::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::EventLane")
            .SetParent<Object>()
            .SetGroupName("GpuFabric")
            .AddConstructor<EventLane>()
            .AddAttribute(
                "BucketWidthShift",
                "A bucket of the timing wheel is 2^BucketWidthShift ps wide; 8192 of them "
                "are the horizon of cheap events. Changes speed, never the order: best "
                "where most steps lie within the horizon and a bucket holds at most "
                "about one event.",
                UintegerValue(DEFAULT_WIDTH_SHIFT),
                MakeUintegerAccessor(&EventLane::SetBucketWidthShift,
                                     &EventLane::GetBucketWidthShift),
                MakeUintegerChecker<uint32_t>(0, 40));
    return tid;
}

EventLane::EventLane() = default;

EventLane::~EventLane() = default;

void
EventLane::DoDispose()
{
    Clear();
    m_impl = nullptr;
    m_pumpEvent = EventId();
    Object::DoDispose();
}

Ptr<EventLane>
EventLane::Get()
{
    Ptr<SimulatorImpl> impl = Simulator::GetImplementation();
    Ptr<EventLane> lane = impl->GetObject<EventLane>();
    if (!lane)
    {
        lane = CreateObject<EventLane>();
        lane->StartPump(PeekPointer(impl));
        impl->AggregateObject(lane);
    }
    return lane;
}

uint32_t
EventLane::AllocateClass(LaneHandler* handler, uint32_t count)
{
    while (m_classes < CLASS_COUNT && m_handlers[m_classes])
    {
        ++m_classes; // was set explicitly
    }
    NS_ABORT_MSG_IF(m_classes == CLASS_COUNT,
                    "more than " << CLASS_COUNT
                                 << " handlers of lane events: there are too many networks and "
                                    "clusters in one simulation");
    SetHandler(m_classes, handler, count);
    NS_LOG_LOGIC("class " << m_classes << " of lane events allocated");
    return m_classes++;
}

void
EventLane::SetHandler(uint32_t entityClass, LaneHandler* handler, uint32_t count)
{
    NS_ABORT_MSG_IF(Time::GetResolution() != Time::PS,
                    "lane events count picoseconds: call Time::SetResolution(Time::PS) first");
    Reserve(entityClass, count);
    m_handlers[entityClass] = handler;
}

void
EventLane::Reserve(uint32_t entityClass, uint32_t count)
{
    NS_ABORT_MSG_IF(entityClass >= CLASS_COUNT,
                    "entity class " << entityClass << ": there are " << CLASS_COUNT);
    NS_ABORT_MSG_IF(count > ENTITY_MASK, "too many entities in a class: " << count);
    m_wheel.Reserve(entityClass, count * 4);
}

uint64_t
EventLane::GetEventCount() const
{
    return std::accumulate(m_eventCounts.begin(), m_eventCounts.end(), uint64_t{0}) +
           std::accumulate(m_otherCounts.begin(), m_otherCounts.end(), uint64_t{0});
}

uint64_t
EventLane::GetEventCount(uint32_t entityClass, uint32_t kind) const
{
    NS_ABORT_MSG_IF(entityClass >= CLASS_COUNT || kind > 3,
                    "class " << entityClass << ", kind " << kind << ": there are " << CLASS_COUNT
                             << " and 4");
    return m_eventCounts[entityClass * 4 + kind] + m_otherCounts[entityClass * 4 + kind];
}

EventLane::KindCounts
EventLane::GetCounts(uint32_t entityClass) const
{
    const uint64_t* first = &m_eventCounts[entityClass * 4];
    return {first[0], first[1], first[2], first[3]};
}

void
EventLane::SetOtherCounts(uint32_t entityClass, const KindCounts& counts)
{
    std::copy(counts.begin(), counts.end(), &m_otherCounts[entityClass * 4]);
}

EventLane::Position
EventLane::GetPosition() const
{
    const int64_t now = m_impl ? m_impl->Now().GetTimeStep() : m_now;
    if (m_runningKey != NO_KEY)
    {
        return {now, m_runningKey};
    }
    return {now, m_lastTime == now ? m_lastKey : 0};
}

uint64_t
EventLane::RunBefore(const Position& position)
{
    uint64_t events = 0;
    while (RunNext(position.time))
    {
        ++events;
    }
    if (position.key != 0)
    {
        for (SlottedWheel::Entry first = m_wheel.Peek();
             first.time == position.time && first.key < position.key;
             first = m_wheel.Peek())
        {
            RunNext(position.time + 1);
            ++events;
        }
    }
    m_runningKey = NO_KEY;
    return events;
}

void
EventLane::EnablePrefetching(bool enable)
{
    m_wheel.SetNextCallback(
        enable ? [](void* lane,
                    const SlottedWheel::Entry* events,
                    std::size_t
                        count) { static_cast<const EventLane*>(lane)->Prefetch(events, count); }
               : SlottedWheel::NextCallback(nullptr),
        this);
}

void
EventLane::Prefetch(const SlottedWheel::Entry* events, std::size_t count) const
{
    // In chunks of one class, the next events first. The data they touch must stay in the cache
    // until then: a quarter of 1 MB.
    constexpr std::size_t MOST = 256;
    constexpr std::size_t LEAST = 3;
    if (count < LEAST)
    {
        return;
    }
    const std::size_t last = count > MOST ? count - MOST : 0;
    for (std::size_t end = count; end > last;)
    {
        const uint32_t entityClass = events[end - 1].key >> CLASS_SHIFT;
        std::size_t begin = end;
        while (begin > last && events[begin - 1].key >> CLASS_SHIFT == entityClass &&
               end - begin < LaneHandler::MAX_PREFETCHED)
        {
            --begin;
            m_wheel.Prefetch(events[begin].key);
        }
        m_handlers[entityClass]->PrefetchLaneEvents(events + begin, end - begin);
        end = begin;
    }
}

uint32_t
EventLane::GetRunningContext() const
{
    return m_handlers[m_runningKey >> CLASS_SHIFT]->GetLaneContext((m_runningKey >> 2) &
                                                                       ENTITY_MASK,
                                                                   m_runningKey & 3);
}

void
EventLane::Clear()
{
    m_wheel.Clear();
    m_handlers.fill(nullptr);
    m_classes = 0;
    EnablePrefetching(false);
    m_horizon = nullptr;
    m_horizonPosted = false;
    m_lastTime = -1;
    m_pumpTime = PUMP_OFF;
    m_generation++;
}

void
EventLane::SetBucketWidthShift(uint32_t shift)
{
    m_wheel.SetWidthShift(shift);
}

uint32_t
EventLane::GetBucketWidthShift() const
{
    return m_wheel.GetWidthShift();
}

void
EventLane::StartPump(SimulatorImpl* impl)
{
    m_impl = impl;
    m_pumpTime = SlottedWheel::NEVER;
    // The lane is part of the implementation, which runs this before it is destroyed.
    m_impl->ScheduleDestroy(MakeEvent(&EventLane::Clear, this));
}

void
EventLane::ArmPump()
{
    m_generation++;
    m_impl->Remove(m_pumpEvent);
    m_expectedCount = 0;
    m_pumpTime = m_wheel.Peek().time;
    if (m_pumpTime != SlottedWheel::NEVER)
    {
        m_pumpEvent = m_impl->Schedule(TimeStep(m_pumpTime) - m_impl->Now(),
                                       MakeEvent(&EventLane::FirePump, this, m_generation));
    }
}

void
EventLane::RepostPump(uint32_t key)
{
    m_generation++;
    m_expectedCount = m_impl->GetEventCount() + 1;
    const uint32_t context =
        m_handlers[key >> CLASS_SHIFT]->GetLaneContext((key >> 2) & ENTITY_MASK, key & 3);
    m_impl->ScheduleWithContext(context,
                                TimeStep(0),
                                MakeEvent(&EventLane::FirePump, this, m_generation));
}

void
EventLane::FirePump(uint64_t generation)
{
    if (generation != m_generation)
    {
        return;
    }
    const int64_t now = m_impl->Now().GetTimeStep();
    SlottedWheel::Entry first = m_wheel.Peek();
    if (first.time != now)
    {
        ArmPump();
        return;
    }
    if (m_impl->GetEventCount() != m_expectedCount)
    {
        // Ordinary events ran since this was scheduled and may have scheduled others: run after
        // them.
        RepostPump(first.key);
        return;
    }
    m_pumpTime = PUMP_OFF;
    RunNext(now + 1);
    EndLaneEvents();
    m_pumpTime = now;
    first = m_wheel.Peek();
    if (first.time != now)
    {
        ArmPump();
        return;
    }
    RepostPump(first.key);
    if (m_impl->IsFinished())
    {
        // Stopped: before the next run, ordinary events may be scheduled behind the pump.
        m_expectedCount = 0;
    }
}

void
EventLane::SetHorizon(LaneHorizon* horizon)
{
    m_horizon = horizon;
    m_horizonPosted = false;
    if (horizon)
    {
        WakeHorizon(0);
    }
}

void
EventLane::WakeHorizon(int64_t after)
{
    if (m_horizon && !m_horizonPosted)
    {
        m_horizonPosted = true;
        m_impl->Schedule(TimeStep(after), MakeEvent(&EventLane::FireHorizon, this, m_horizon));
    }
}

void
EventLane::FireHorizon(LaneHorizon* horizon)
{
    if (horizon != m_horizon)
    {
        return;
    }
    m_horizonPosted = false;
    // The time of the next ordinary event is unknown: it may be now.
    const int64_t now = m_impl->Now().GetTimeStep();
    const int64_t reach = horizon->Extend(now);
    // If nothing is pending there, nothing comes from there until something is sent there.
    if (!horizon->IsIdle())
    {
        WakeHorizon(reach - now);
    }
}

} // namespace ns3
