/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_SIMULATOR_IMPL_H
#define GPU_FABRIC_FABRIC_SIMULATOR_IMPL_H

#include "event-lane.h"
#include "lane-horizon.h"

#include "ns3/scheduler.h"
#include "ns3/simulator-impl.h"

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * A sequential simulator with two lanes: ordinary ns-3 events, and the typed events of EventLane.
 *
 * Lane events run while they are earlier than the first ordinary event. At equal times the ordinary
 * events run first, including those scheduled with zero delay in the meantime. Ordinary events
 * behave as under DefaultSimulatorImpl: same order, same expiry, same contexts. Lane events use no
 * ns-3 uid.
 *
 * To select it, bind the global value SimulatorImplementationType to "ns3::FabricSimulatorImpl"
 * before anything else touches the simulator.
 */
class FabricSimulatorImpl : public SimulatorImpl
{
  public:
    /// Return type of SimulatorImpl::Stop(delay): EventId from ns-3 3.48 on, void before.
    using StopResult = decltype(std::declval<SimulatorImpl&>().Stop(std::declval<const Time&>()));

    static TypeId GetTypeId();

    FabricSimulatorImpl();
    ~FabricSimulatorImpl() override;

    void Destroy() override;
    /// True if no event is left in either lane, or after Stop.
    bool IsFinished() const override;
    void Stop() override;
    StopResult Stop(const Time& delay) override;
    EventId Schedule(const Time& delay, EventImpl* event) override;
    /// May be called from any thread; from another thread, the delay counts from the next event.
    void ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event) override;
    EventId ScheduleNow(EventImpl* event) override;
    EventId ScheduleDestroy(EventImpl* event) override;
    void Remove(const EventId& id) override;
    void Cancel(const EventId& id) override;
    bool IsExpired(const EventId& id) const override;
    void Run() override;
    Time Now() const override;
    Time GetDelayLeft(const EventId& id) const override;
    Time GetMaximumSimulationTime() const override;
    void SetScheduler(ObjectFactory schedulerFactory) override;
    uint32_t GetSystemId() const override;
    /// During a lane event, the context that its handler reports for the entity.
    uint32_t GetContext() const override;
    /// Sets an object that bounds how far events may run; null: none. Valid until Destroy().
    void SetHorizon(LaneHorizon* horizon);

    /// Events run in both lanes; EventLane::GetEventCount() counts those of the fast lane.
    uint64_t GetEventCount() const override;

  protected:
    void NotifyConstructionCompleted() override;
    void DoDispose() override;

  private:
    /// An event from another thread.
    struct ForeignEvent
    {
        uint32_t context;
        uint64_t delay; ///< [time step]
        EventImpl* event;
    };

    /// Inserts an ordinary event into the list and returns its uid.
    uint32_t Insert(uint64_t time, uint32_t context, EventImpl* event);
    /// Takes over the events scheduled by other threads.
    void TakeForeignEvents();
    void RunOneOrdinaryEvent();
    /// Determines when the first ordinary event is due.
    void UpdateFirstTime();
    /// Called when all events before the horizon have run. \returns false if none is left anywhere
    bool ExtendHorizon();

    EventLane* m_lane{nullptr};               ///< aggregated to this object; holds the current time
    int64_t m_firstTime{SlottedWheel::NEVER}; ///< [time step] of the first ordinary event
    int64_t m_reach{SlottedWheel::NEVER}; ///< [time step] horizon: only events before it may run
    int64_t m_limit{SlottedWheel::NEVER}; ///< the earlier of the two
    LaneHorizon* m_horizon{nullptr};
    bool m_stop{false};
    std::atomic<bool> m_hasForeignEvents{false};
    Ptr<Scheduler> m_events;
    uint32_t m_uid;            ///< of the next ordinary event
    uint32_t m_currentUid;     ///< of the last ordinary event
    uint32_t m_currentContext; ///< of the last ordinary event
    uint64_t m_eventCount{0};  ///< ordinary events run
    std::list<EventId> m_destroyEvents;
    std::mutex m_foreignMutex;
    std::vector<ForeignEvent> m_foreignEvents; ///< guarded by m_foreignMutex
    std::thread::id m_mainThreadId;
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_SIMULATOR_IMPL_H
