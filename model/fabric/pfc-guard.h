/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PFC_GUARD_H
#define GPU_FABRIC_PFC_GUARD_H

#include "deadlock-detector.h"
#include "network-faults.h"
#include "pfc.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace ns3
{

/**
 * Supervises PFC: the storm watchdog of each switch, and the search for deadlocks.
 *
 * One ordinary event checks the paused queues of switches, at the latest when the first of them
 * will have been paused for the relevant time; if no queue is paused, none is scheduled. For a
 * split fabric the logical process of the simulator checks all queues.
 */
class PfcGuard : public PauseListener
{
  public:
    /// \param net outlives it, as do the other arguments
    PfcGuard(NetworkState& net, Pfc& pfc, NetworkFaults& faults, const FabricSettings& settings);

    /// Called once, when a deadlock is found, with the names of its cycle.
    using DeadlockCallback = std::function<void(int64_t now, const std::string& cycle)>;

    void SetDeadlockCallback(DeadlockCallback callback)
    {
        m_deadlockCallback = std::move(callback);
    }

    /// When a logical process of a split fabric other than the simulator's wants a check [ps];
    /// reset by the call. INT64_MAX: no request.
    int64_t TakeRequestedCheck()
    {
        return std::exchange(m_requestedCheck, INT64_MAX);
    }

    bool HasRequestedCheck() const
    {
        return m_requestedCheck != INT64_MAX;
    }

    /// Ensures that Check() runs at an instant [ps], or before.
    void RequestCheck(int64_t now, int64_t at);
    /// The shortest time from a pause to a check that it may request [ps].
    int64_t GetLeastDetection() const;

    /**
     * Reads the paused queues of this logical process.
     * \param deadlock time after which a paused queue counts as stuck [ps]; 0: never
     * \param forStuck only list the stuck queues and those that paused ones wait for
     */
    void TakeSnapshot(int64_t now, int64_t deadlock, bool forStuck, PauseSnapshot& snapshot);

    void PauseBegan(int64_t now, uint32_t portId) override;

  private:
    void Check();
    void TakeOver(int64_t now, uint32_t portId, uint32_t priority, PauseSnapshot& snapshot);
    void ReadTaken(int64_t now, int64_t& next);
    void FindDeadlock(int64_t now);
    void ReadPaused(int64_t now, int64_t deadlock, PauseSnapshot& snapshot);
    void ListStuck(int64_t now, int64_t deadlock, PauseSnapshot& snapshot) const;
    /// The queues of a switch that hold frames received through a port.
    std::vector<DeadlockDetector::Queue> FindHolders(uint32_t inId, uint32_t priority) const;

    NetworkState& m_net;
    Pfc& m_pfc;
    NetworkFaults& m_faults;
    const FabricSettings& m_settings;
    DeadlockCallback m_deadlockCallback;
    EventId m_check;
    int64_t m_checkAt{0};
    int64_t m_requestedCheck{INT64_MAX}; ///< [ps]
    bool m_deadlock{false};
};

} // namespace ns3

#endif // GPU_FABRIC_PFC_GUARD_H
