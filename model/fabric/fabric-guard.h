/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_GUARD_H
#define GPU_FABRIC_FABRIC_GUARD_H

#include "deadlock-detector.h"
#include "fabric-faults.h"
#include "pfc-watchdog.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace ns3
{

/**
 * Looks after PFC in the large: the storm watchdog of each switch, and the search for deadlocks.
 *
 * One ordinary event looks at the paused queues of switches, at the latest when the first of them
 * will have been paused for as long as matters; where nothing is paused there is none. Of a split
 * fabric the part of the simulator looks at all parts.
 */
class FabricGuard : public FabricFaults
{
  public:
    static TypeId GetTypeId();

    /// Told of a deadlock, once, by the names of its cycle.
    using DeadlockCallback = std::function<void(int64_t now, const std::string& cycle)>;

    void SetDeadlockCallback(DeadlockCallback callback)
    {
        m_deadlockCallback = std::move(callback);
    }

    /**
     * When the part of a split fabric that is not the simulator's wants to be looked at [ps]; once.
     * INT64_MAX: not.
     */
    int64_t TakeRequestedLook()
    {
        return std::exchange(m_requestedLook, INT64_MAX);
    }

    bool HasRequestedLook() const
    {
        return m_requestedLook != INT64_MAX;
    }

    /// Has Look() run at an instant [ps], or before.
    void RequestLook(int64_t now, int64_t at);
    /// The shortest time from a pause to a look that it may ask for [ps].
    int64_t GetLeastDetection() const;

    /// Looks at the queues of this part.
    /// \param deadlock how long a queue has been paused when that counts as stuck [ps]; 0: never
    /// \param forStuck lists the stuck queues and what paused ones wait for, and does nothing else
    void LookAt(int64_t now, int64_t deadlock, bool forStuck, FabricLook& look);

  protected:
    void PauseBegan(int64_t now, uint32_t portId, uint32_t priority) override;
    uint32_t IgnorePauses(int64_t now, uint32_t portId, const Frame& frame) override;

    bool IsDropping(uint32_t portId, uint32_t priority) const override
    {
        return m_watchdog.IsDropping(portId, priority);
    }

  private:
    void Look();
    void TakeOver(int64_t now, uint32_t portId, uint32_t priority, FabricLook& look);
    void LookAtTaken(int64_t now, int64_t& next);
    void FindDeadlock(int64_t now);
    void LookAtPaused(int64_t now, int64_t deadlock, FabricLook& look);
    void ListStuck(int64_t now, int64_t deadlock, FabricLook& look) const;
    /// The queues of a switch that hold frames which came in by a port.
    std::vector<DeadlockDetector::Queue> FindHolders(uint32_t inId, uint32_t priority) const;

    Time m_deadlockDetection;
    DeadlockCallback m_deadlockCallback;
    PfcWatchdog m_watchdog;
    EventId m_look;
    int64_t m_lookAt{0};
    int64_t m_requestedLook{INT64_MAX}; ///< [ps]
    bool m_deadlock{false};
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_GUARD_H
