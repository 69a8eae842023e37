/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-simulator-impl.h"

#include "ns3/assert.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricSimulatorImpl");

NS_OBJECT_ENSURE_REGISTERED(FabricSimulatorImpl);

namespace
{
/// A time stamp of an ordinary event as a limit for lane events; an overflowing sum is "never".
int64_t
ToLimit(uint64_t time)
{
    return static_cast<int64_t>(std::min<uint64_t>(time, SlottedWheel::NEVER));
}
} // namespace

TypeId
FabricSimulatorImpl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricSimulatorImpl")
                            .SetParent<SimulatorImpl>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<FabricSimulatorImpl>();
    return tid;
}

FabricSimulatorImpl::FabricSimulatorImpl()
    : m_uid(EventId::UID::VALID),
      m_currentUid(EventId::UID::INVALID),
      m_currentContext(Simulator::NO_CONTEXT),
      m_mainThreadId(std::this_thread::get_id())
{
}

FabricSimulatorImpl::~FabricSimulatorImpl() = default;

void
FabricSimulatorImpl::NotifyConstructionCompleted()
{
    SimulatorImpl::NotifyConstructionCompleted();
    // Aggregation keeps the lane alive; a Ptr to it from here would be a cycle.
    Ptr<EventLane> lane = CreateObject<EventLane>();
    AggregateObject(lane);
    m_lane = PeekPointer(lane);
}

void
FabricSimulatorImpl::DoDispose()
{
    TakeForeignEvents();
    while (m_events && !m_events->IsEmpty())
    {
        m_events->RemoveNext().impl->Unref();
    }
    m_events = nullptr;
    SimulatorImpl::DoDispose();
}

void
FabricSimulatorImpl::Destroy()
{
    NS_LOG_FUNCTION(this);
    while (!m_destroyEvents.empty())
    {
        Ptr<EventImpl> event = m_destroyEvents.front().PeekEventImpl();
        m_destroyEvents.pop_front();
        if (!event->IsCancelled())
        {
            event->Invoke();
        }
    }
    SetHorizon(nullptr);
    m_lane->Clear();
}

void
FabricSimulatorImpl::SetHorizon(LaneHorizon* horizon)
{
    m_horizon = horizon;
    m_reach = horizon ? std::max<int64_t>(m_lane->GetNow(), 0) : SlottedWheel::NEVER;
    m_limit = std::min(m_firstTime, m_reach);
}

bool
FabricSimulatorImpl::ExtendHorizon()
{
    const int64_t reach = m_horizon->Extend(m_firstTime);
    if (reach == SlottedWheel::NEVER)
    {
        // The last event may have run beside the simulator.
        m_lane->AdvanceTo(std::max(m_lane->GetNow(), m_horizon->GetLastTime()));
        m_reach = std::max(m_reach, m_lane->GetNow());
        return false;
    }
    m_reach = reach;
    m_limit = std::min(m_firstTime, m_reach);
    return true;
}

void
FabricSimulatorImpl::SetScheduler(ObjectFactory schedulerFactory)
{
    Ptr<Scheduler> scheduler = schedulerFactory.Create<Scheduler>();
    while (m_events && !m_events->IsEmpty())
    {
        scheduler->Insert(m_events->RemoveNext());
    }
    m_events = scheduler;
}

uint32_t
FabricSimulatorImpl::GetSystemId() const
{
    return 0;
}

uint32_t
FabricSimulatorImpl::Insert(uint64_t time, uint32_t context, EventImpl* event)
{
    Scheduler::Event entry;
    entry.impl = event;
    entry.key.m_ts = time;
    entry.key.m_context = context;
    entry.key.m_uid = m_uid++;
    m_events->Insert(entry);
    m_firstTime = std::min(m_firstTime, ToLimit(time));
    m_limit = std::min(m_limit, m_firstTime);
    return entry.key.m_uid;
}

void
FabricSimulatorImpl::UpdateFirstTime()
{
    m_firstTime =
        m_events->IsEmpty() ? SlottedWheel::NEVER : ToLimit(m_events->PeekNext().key.m_ts);
    m_limit = std::min(m_firstTime, m_reach);
}

void
FabricSimulatorImpl::RunOneOrdinaryEvent()
{
    const Scheduler::Event next = m_events->RemoveNext();
    PreEventHook(EventId(next.impl, next.key.m_ts, next.key.m_context, next.key.m_uid));

    NS_ASSERT(static_cast<int64_t>(next.key.m_ts) >= m_lane->GetNow());
    m_eventCount++;
    m_lane->AdvanceTo(static_cast<int64_t>(next.key.m_ts));
    m_currentContext = next.key.m_context;
    m_currentUid = next.key.m_uid;
    UpdateFirstTime();
    next.impl->Invoke();
    next.impl->Unref();
    if (m_hasForeignEvents.load(std::memory_order_relaxed))
    {
        TakeForeignEvents();
    }
}

void
FabricSimulatorImpl::TakeForeignEvents()
{
    std::vector<ForeignEvent> events;
    {
        std::lock_guard<std::mutex> lock(m_foreignMutex);
        events.swap(m_foreignEvents);
        m_hasForeignEvents.store(false, std::memory_order_relaxed);
    }
    for (const ForeignEvent& foreign : events)
    {
        Insert(static_cast<uint64_t>(m_lane->GetNow()) + foreign.delay,
               foreign.context,
               foreign.event);
    }
}

void
FabricSimulatorImpl::Run()
{
    NS_LOG_FUNCTION(this);
    m_mainThreadId = std::this_thread::get_id();
    TakeForeignEvents();
    m_stop = false;
    EventLane& lane = *m_lane;
    while (!m_stop)
    {
        while (lane.RunNext(m_limit))
        {
            if (m_stop)
            {
                if (m_horizon)
                {
                    m_horizon->CatchUp();
                }
                break;
            }
            if (m_hasForeignEvents.load(std::memory_order_relaxed))
            {
                TakeForeignEvents();
            }
        }
        lane.EndLaneEvents();
        if (m_stop)
        {
            break;
        }
        if (m_horizon && m_firstTime >= m_reach)
        {
            if (!ExtendHorizon())
            {
                break;
            }
            continue;
        }
        if (m_events->IsEmpty())
        {
            break;
        }
        RunOneOrdinaryEvent();
        if (m_stop && m_horizon)
        {
            m_horizon->CatchUp();
        }
    }
}

bool
FabricSimulatorImpl::IsFinished() const
{
    return m_stop ||
           (m_events->IsEmpty() && m_lane->IsEmpty() && (!m_horizon || m_horizon->IsIdle()));
}

void
FabricSimulatorImpl::Stop()
{
    NS_LOG_FUNCTION(this);
    m_stop = true;
}

FabricSimulatorImpl::StopResult
FabricSimulatorImpl::Stop(const Time& delay)
{
    NS_LOG_FUNCTION(this << delay.GetTimeStep());
    return StopResult(Simulator::Schedule(delay, static_cast<void (*)()>(&Simulator::Stop)));
}

EventId
FabricSimulatorImpl::Schedule(const Time& delay, EventImpl* event)
{
    NS_ASSERT_MSG(m_mainThreadId == std::this_thread::get_id(),
                  "Schedule from another thread: only ScheduleWithContext may be");
    NS_ASSERT_MSG(!delay.IsStrictlyNegative(), "negative delay " << delay.GetTimeStep());
    const uint64_t time = static_cast<uint64_t>(m_lane->GetNow() + delay.GetTimeStep());
    const uint32_t context = GetContext();
    const uint32_t uid = Insert(time, context, event);
    return EventId(event, time, context, uid);
}

void
FabricSimulatorImpl::ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event)
{
    NS_ASSERT_MSG(!delay.IsStrictlyNegative(), "negative delay " << delay.GetTimeStep());
    if (m_mainThreadId == std::this_thread::get_id())
    {
        Insert(static_cast<uint64_t>(m_lane->GetNow() + delay.GetTimeStep()), context, event);
        return;
    }
    std::lock_guard<std::mutex> lock(m_foreignMutex);
    m_foreignEvents.push_back({context, static_cast<uint64_t>(delay.GetTimeStep()), event});
    m_hasForeignEvents.store(true, std::memory_order_relaxed);
}

EventId
FabricSimulatorImpl::ScheduleNow(EventImpl* event)
{
    return Schedule(TimeStep(0), event);
}

EventId
FabricSimulatorImpl::ScheduleDestroy(EventImpl* event)
{
    NS_ASSERT_MSG(m_mainThreadId == std::this_thread::get_id(),
                  "ScheduleDestroy from another thread");
    EventId id(Ptr<EventImpl>(event, false),
               static_cast<uint64_t>(m_lane->GetNow()),
               Simulator::NO_CONTEXT,
               EventId::UID::DESTROY);
    m_destroyEvents.push_back(id);
    m_uid++;
    return id;
}

Time
FabricSimulatorImpl::Now() const
{
    return TimeStep(m_lane->GetNow());
}

Time
FabricSimulatorImpl::GetDelayLeft(const EventId& id) const
{
    return IsExpired(id) ? TimeStep(0) : TimeStep(id.GetTs() - m_lane->GetNow());
}

void
FabricSimulatorImpl::Remove(const EventId& id)
{
    if (id.GetUid() == EventId::UID::DESTROY)
    {
        auto it = std::find(m_destroyEvents.begin(), m_destroyEvents.end(), id);
        if (it != m_destroyEvents.end())
        {
            m_destroyEvents.erase(it);
        }
        return;
    }
    if (IsExpired(id))
    {
        return;
    }
    Scheduler::Event event;
    event.impl = id.PeekEventImpl();
    event.key.m_ts = id.GetTs();
    event.key.m_context = id.GetContext();
    event.key.m_uid = id.GetUid();
    m_events->Remove(event);
    event.impl->Cancel();
    event.impl->Unref();
    UpdateFirstTime();
}

void
FabricSimulatorImpl::Cancel(const EventId& id)
{
    if (!IsExpired(id))
    {
        id.PeekEventImpl()->Cancel();
    }
}

bool
FabricSimulatorImpl::IsExpired(const EventId& id) const
{
    EventImpl* event = id.PeekEventImpl();
    if (event == nullptr || event->IsCancelled())
    {
        return true;
    }
    if (id.GetUid() == EventId::UID::DESTROY)
    {
        return std::find(m_destroyEvents.begin(), m_destroyEvents.end(), id) ==
               m_destroyEvents.end();
    }
    const auto now = static_cast<uint64_t>(m_lane->GetNow());
    return id.GetTs() < now || (id.GetTs() == now && id.GetUid() <= m_currentUid);
}

Time
FabricSimulatorImpl::GetMaximumSimulationTime() const
{
    return TimeStep(SlottedWheel::NEVER);
}

uint32_t
FabricSimulatorImpl::GetContext() const
{
    return !m_lane->IsRunning() ? m_currentContext : m_lane->GetRunningContext();
}

uint64_t
FabricSimulatorImpl::GetEventCount() const
{
    return m_eventCount + m_lane->GetEventCount();
}

} // namespace ns3
