/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_EVENT_LANE_H
#define GPU_FABRIC_EVENT_LANE_H

#include "lane-horizon.h"
#include "slotted-wheel.h"

#include "ns3/event-id.h"
#include "ns3/object.h"

#include <array>
#include <cstdint>
#include <limits>

namespace ns3
{

class SimulatorImpl;

/// Receives the lane events of one entity class.
class LaneHandler
{
  public:
    virtual ~LaneHandler() = default;
    /**
     * Runs one lane event. It touches only the node that owns the entity.
     * \param now [ps]
     * \param entity dense id within the class
     * \param kind 0 to 3
     */
    virtual void HandleLaneEvent(int64_t now, uint32_t entity, uint32_t kind) = 0;
    /**
     * Announces the events that will run next, the last one first, unless others come in between,
     * so that the handler can prefetch what they touch. Changes nothing. Only called after
     * EventLane::EnablePrefetching(), and not for every event.
     * \param count at most MAX_PREFETCHED
     */
    virtual void PrefetchLaneEvents(const SlottedWheel::Entry* events, std::size_t count) const;
    static constexpr std::size_t MAX_PREFETCHED = 16;
    /// The ns-3 node id that Simulator::GetContext reports while the event runs.
    virtual uint32_t GetLaneContext(uint32_t entity, uint32_t kind) const;
};

/**
 * The fast lane: plain typed events, each named by a 32-bit key, in a slotted timing wheel.
 *
 * A key is class (6 bits, most significant), entity (24 bits), kind (2 bits). Classes are allocated
 * (AllocateClass), one for each handler, so that several fabrics and transports can live in one
 * simulation. At most one event is pending for a key. Events run in the order of (time, key); at
 * equal times all ordinary ns-3 events run first. Scheduling allocates nothing and uses no ns-3
 * uid.
 *
 * Get() returns the lane of the running simulator: that of FabricSimulatorImpl itself or, under any
 * other implementation, one driven to the same results by a pump of ordinary events.
 */
class EventLane : public Object
{
  public:
    static TypeId GetTypeId();

    static constexpr uint32_t CLASS_COUNT = SlottedWheel::CLASS_COUNT;

    /// The lane of the current simulator implementation; created (with a pump) if it has none.
    static Ptr<EventLane> Get();

    /// Bits of a key below its class.
    static constexpr uint32_t CLASS_SHIFT = SlottedWheel::INDEX_BITS;

    /// Key of (class, entity, kind).
    static constexpr uint32_t Key(uint32_t entityClass, uint32_t entity, uint32_t kind)
    {
        return entityClass << CLASS_SHIFT | entity << 2 | kind;
    }

    /**
     * Gives a handler a class of its own. At equal times the events of the class allocated first
     * run first. Aborts if all CLASS_COUNT classes are taken.
     * \param count reserves room for entities 0 to count-1
     */
    uint32_t AllocateClass(LaneHandler* handler, uint32_t count = 0);
    /// Sets the handler of a class, and reserves room for entities 0 to count-1. For a lane beside
    /// that of the simulator, where the class was allocated.
    void SetHandler(uint32_t entityClass, LaneHandler* handler, uint32_t count);
    /// Reserves room for entities 0 to count-1 of a class; may grow at any time.
    void Reserve(uint32_t entityClass, uint32_t count);

    /// Lets handlers prefetch the state of events. Worthwhile if their state does not fit in the
    /// cache.
    void EnablePrefetching(bool enable);

    /// Brings the state of a key into the cache.
    void Prefetch(uint32_t key) const
    {
        m_wheel.Prefetch(key);
    }

    /// Entity of a key.
    static uint32_t GetEntity(uint32_t key)
    {
        return (key >> 2) & ENTITY_MASK;
    }

    /// Schedules key at time [ps] >= now. The key must not be pending.
    void Schedule(int64_t time, uint32_t key);
    /// Moves a pending event, or schedules one that is not pending.
    void Reschedule(int64_t time, uint32_t key);
    /// Removes a pending event; no effect on one that is not.
    void Cancel(uint32_t key);
    bool IsPending(uint32_t key) const;
    /// Time [ps] of a pending event.
    int64_t GetTime(uint32_t key) const;
    /// Lane events run so far, in this lane and those beside it.
    uint64_t GetEventCount() const;
    /// Lane events run so far of one class and kind.
    uint64_t GetEventCount(uint32_t entityClass, uint32_t kind) const;

    /// The position of a lane in the order of all events: those before (time, key) have run.
    struct Position
    {
        int64_t time; ///< [ps]
        uint32_t key; ///< in an ordinary event, the key of the last lane event before it at that
                      ///< time, or 0
    };

    /// Sets an object that bounds how far events may run, under an implementation that drives this
    /// lane by a pump; null: none. Under FabricSimulatorImpl use FabricSimulatorImpl::SetHorizon().
    void SetHorizon(LaneHorizon* horizon);
    /// Reports that something is pending beside the simulator again. Under a pump, schedules an
    /// extension of the horizon after a time [ps], unless one is already scheduled.
    void WakeHorizon(int64_t after);

    /// Position of the simulator.
    Position GetPosition() const;

    /// \name A lane that runs beside that of the simulator
    /// It does not belong to a simulator and has no pump: its creator runs it.
    /// @{
    /// Time of the first pending event [ps]; SlottedWheel::NEVER: none.
    int64_t GetFirstTime() const
    {
        return m_wheel.Peek().time;
    }

    /// Runs the events before a position. \returns their number
    uint64_t RunBefore(const Position& position);

    /// Time of the last event [ps].
    int64_t GetLastTime() const
    {
        return m_now;
    }

    /// @}

    /// \name For the simulator that runs the lane
    /// @{
    /// The simulated time [ps]: of the last lane event, or that of AdvanceTo().
    int64_t GetNow() const
    {
        return m_now;
    }

    /// Sets the time [ps] to that of an ordinary event.
    void AdvanceTo(int64_t time)
    {
        m_now = time;
    }

    bool IsEmpty() const
    {
        return m_wheel.IsEmpty();
    }

    /// Whether one of the lane's events is running.
    bool IsRunning() const
    {
        return m_runningKey != NO_KEY;
    }

    /// Runs the first event if it is earlier than limit [ps]; returns false otherwise.
    bool RunNext(int64_t limit);
    /// Marks the end of a run of lane events; ordinary events follow.
    void EndLaneEvents();
    /// The context of the event that is running.
    uint32_t GetRunningContext() const;
    /// Removes pending events and handlers when the simulator is destroyed.
    void Clear();
    /// @}

    using KindCounts = std::array<uint64_t, 4>; ///< of a class, by kind

    /// Counts of a class in this lane alone.
    KindCounts GetCounts(uint32_t entityClass) const;
    /// Adds to GetEventCount() the events of a class that lanes beside this one have run so far.
    void SetOtherCounts(uint32_t entityClass, const KindCounts& counts);

    EventLane();
    ~EventLane() override;

  protected:
    void DoDispose() override;

  private:
    /// No event has this key: Reserve stops one entity short of it.
    static constexpr uint32_t NO_KEY = 0xffffffff;
    static constexpr uint32_t ENTITY_MASK = (1U << (CLASS_SHIFT - 2)) - 1;
    /// Value of m_pumpTime when no earlier event needs to be reported [ps].
    static constexpr int64_t PUMP_OFF = std::numeric_limits<int64_t>::min();

    /// Lets the handlers of the next events prefetch.
    void Prefetch(const SlottedWheel::Entry* events, std::size_t count) const;

    void SetBucketWidthShift(uint32_t shift);
    uint32_t GetBucketWidthShift() const;

    /// Starts to drive this lane by ordinary events of an implementation without a lane.
    void StartPump(SimulatorImpl* impl);
    /// Schedules the pump for the time of the first event, or cancels it if there is none.
    void ArmPump();
    /// Reschedules the pump for the current time, behind all ordinary events known so far.
    void RepostPump(uint32_t key);
    /// The pump; does nothing if a later one has superseded it.
    void FirePump(uint64_t generation);
    /// Called when all events before the horizon have run; does nothing if the horizon was
    /// replaced.
    void FireHorizon(LaneHorizon* horizon);

    /// 2^8 ps x 8192: a horizon of 2.1 us, for links of 1 us and the frame that goes ahead.
    static constexpr uint32_t DEFAULT_WIDTH_SHIFT = 8;

    SlottedWheel m_wheel{DEFAULT_WIDTH_SHIFT};
    int64_t m_now{0};              ///< [ps] of the last lane event, or ordinary event if known
    int64_t m_pumpTime{PUMP_OFF};  ///< [ps] the pump is scheduled for
    uint32_t m_runningKey{NO_KEY}; ///< the event that is running
    uint32_t m_lastKey{0};         ///< the last one, between lane events
    int64_t m_lastTime{-1};        ///< time of the last one [ps]
    std::array<LaneHandler*, CLASS_COUNT> m_handlers{};
    using EventCounts = std::array<uint64_t, CLASS_COUNT * 4>; ///< by class and kind

    EventCounts m_eventCounts{};
    EventCounts m_otherCounts{}; ///< of lanes beside this one
    uint32_t m_classes{0};       ///< allocated

    SimulatorImpl* m_impl{nullptr}; ///< whose ordinary events are the pump
    uint64_t m_generation{0};       ///< of the pump
    uint64_t m_expectedCount{0}; ///< event count at the pump if nothing ran since it was scheduled
    EventId m_pumpEvent;         ///< the pump, if scheduled for later
    LaneHorizon* m_horizon{nullptr};
    bool m_horizonPosted{false};
};

inline void
EventLane::Schedule(int64_t time, uint32_t key)
{
    NS_ASSERT_MSG(time >= m_now, "lane event at " << time << " ps, now is " << m_now << " ps");
    m_wheel.Schedule(time, key);
    if (time < m_pumpTime)
    {
        ArmPump();
    }
}

inline void
EventLane::Reschedule(int64_t time, uint32_t key)
{
    m_wheel.Cancel(key);
    Schedule(time, key);
}

inline void
EventLane::Cancel(uint32_t key)
{
    m_wheel.Cancel(key);
    if (m_pumpTime != PUMP_OFF && m_wheel.IsEmpty())
    {
        ArmPump();
    }
}

inline bool
EventLane::IsPending(uint32_t key) const
{
    return m_wheel.IsPending(key);
}

inline int64_t
EventLane::GetTime(uint32_t key) const
{
    return m_wheel.GetTime(key);
}

inline void
EventLane::EndLaneEvents()
{
    if (m_runningKey != NO_KEY)
    {
        m_lastKey = m_runningKey;
        m_lastTime = m_now;
        m_runningKey = NO_KEY;
    }
}

inline bool
EventLane::RunNext(int64_t limit)
{
    SlottedWheel::Entry entry;
    if (!m_wheel.PopBefore(limit, entry))
    {
        return false;
    }
    const uint32_t key = entry.key;
    m_now = entry.time;
    m_runningKey = key;
    m_eventCounts[(key >> CLASS_SHIFT) * 4 + (key & 3)]++;
    NS_ASSERT_MSG(m_handlers[key >> CLASS_SHIFT],
                  "no handler for events of class " << (key >> CLASS_SHIFT));
    m_handlers[key >> CLASS_SHIFT]->HandleLaneEvent(entry.time, (key >> 2) & ENTITY_MASK, key & 3);
    return true;
}

} // namespace ns3

#endif // GPU_FABRIC_EVENT_LANE_H
