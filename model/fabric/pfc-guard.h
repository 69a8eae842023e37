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
 * Looks after PFC in the large: the storm watchdog of each switch, and the search for deadlocks.
 *
 * One ordinary event looks at the paused queues of switches, at the latest when the first of them
 * will have been paused for as long as matters; where nothing is paused there is none. Of a split
 * fabric the logical process of the simulator looks at all.
 */
class PfcGuard : public PauseListener
{
  public:
    /// \param net and what follows outlive it
    PfcGuard(NetworkState& net, Pfc& pfc, NetworkFaults& faults, const FabricSettings& settings);

    /// Told of a deadlock, once, by the names of its cycle.
    using DeadlockCallback = std::function<void(int64_t now, const std::string& cycle)>;

    void SetDeadlockCallback(DeadlockCallback callback)
    {
        m_deadlockCallback = std::move(callback);
    }

    /**
     * When the logical process of a split fabric that is not the simulator's wants a check [ps];
     * once. INT64_MAX: not.
     */
    int64_t TakeRequestedCheck()
    {
        return std::exchange(m_requestedCheck, INT64_MAX);
    }

    bool HasRequestedCheck() const
    {
        return m_requestedCheck != INT64_MAX;
    }

    /// Has Check() run at an instant [ps], or before.
    void RequestCheck(int64_t now, int64_t at);
    /// The shortest time from a pause to a check that it may ask for [ps].
    int64_t GetLeastDetection() const;

    /// Reads the paused queues of this logical process.
    /// \param deadlock how long a queue has been paused when that counts as stuck [ps]; 0: never
    /// \param forStuck lists the stuck queues and what paused ones wait for, and does nothing else
    void TakeSnapshot(int64_t now, int64_t deadlock, bool forStuck, PauseSnapshot& snapshot);

    void PauseBegan(int64_t now, uint32_t portId) override;

  private:
    void Check();
    void TakeOver(int64_t now, uint32_t portId, uint32_t priority, PauseSnapshot& snapshot);
    void ReadTaken(int64_t now, int64_t& next);
    void FindDeadlock(int64_t now);
    void ReadPaused(int64_t now, int64_t deadlock, PauseSnapshot& snapshot);
    void ListStuck(int64_t now, int64_t deadlock, PauseSnapshot& snapshot) const;
    /// The queues of a switch that hold frames which came in by a port.
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
