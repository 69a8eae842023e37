/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PFC_WATCHDOG_H
#define GPU_FABRIC_PFC_WATCHDOG_H

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace ns3
{

/**
 * The egress queues that the PFC watchdog has taken over (after SONiC's "PFC Watchdog" design
 * document): from when a queue has been paused for the detection time until the pause has been
 * absent for the restoration time. Pure bookkeeping of times; no packets, no events.
 */
class PfcWatchdog
{
  public:
    /// Takes a queue over. \param pausedUntilPs when the pause in force would expire [ps]
    void Trigger(uint32_t port, uint32_t priority, int64_t pausedUntilPs, bool drop)
    {
        m_queues[{port, priority}] = {pausedUntilPs, drop};
    }

    bool IsTriggered(uint32_t port, uint32_t priority) const
    {
        return m_queues.count({port, priority}) > 0;
    }

    /// Whether the frames of a queue are dropped.
    bool IsDropping(uint32_t port, uint32_t priority) const
    {
        const auto queue = m_queues.find({port, priority});
        return queue != m_queues.end() && queue->second.drop;
    }

    /// Notes until when a queue that is taken over would be paused; now or earlier: it has resumed.
    void NotePause(uint32_t port, uint32_t priority, int64_t pausedUntilPs, int64_t now)
    {
        State& queue = m_queues.at({port, priority});
        queue.absentSincePs =
            pausedUntilPs > now ? pausedUntilPs : std::min(queue.absentSincePs, now);
    }

    /// When the pause of a queue will have been absent for a time [ps].
    int64_t GetRestoration(uint32_t port, uint32_t priority, int64_t restorationPs) const
    {
        return m_queues.at({port, priority}).absentSincePs + restorationPs;
    }

    void Restore(uint32_t port, uint32_t priority)
    {
        m_queues.erase({port, priority});
    }

    /// Calls f(port, priority) for each queue that is taken over, in order.
    template <typename F>
    void ForEach(F f) const
    {
        const auto copy = m_queues; // f may restore
        for (const auto& entry : copy)
        {
            f(entry.first.first, entry.first.second);
        }
    }

  private:
    struct State
    {
        int64_t absentSincePs; ///< end of the last pause, possibly in the future [ps]
        bool drop;
    };

    std::map<std::pair<uint32_t, uint32_t>, State> m_queues;
};

} // namespace ns3

#endif // GPU_FABRIC_PFC_WATCHDOG_H
