/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DEADLOCK_DETECTOR_H
#define GPU_FABRIC_DEADLOCK_DETECTOR_H

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * Finds a cycle of egress queues that PFC has paused, each of which can only proceed when the next
 * one does (Guo et al., SIGCOMM 2016; Hu et al., HotNets 2016).
 *
 * A paused queue waits for the peer's ingress account, and thus for every queue there that holds
 * frames of it: the account drains as long as one of them can send. A queue is therefore stuck only
 * if there are such queues and all of them are stuck. The largest set with this property remains
 * after repeatedly removing queues that can proceed. From any of the remaining queues a walk never
 * ends, and therefore closes a cycle.
 */
class DeadlockDetector
{
  public:
    /// An egress queue: (directed link, priority).
    using Queue = std::pair<uint32_t, uint32_t>;

    /**
     * Adds a paused queue.
     * \param waitsFor the queues that hold frames of the account that paused it; those not added
     * can send
     */
    void Add(const Queue& queue, const std::vector<Queue>& waitsFor)
    {
        m_waits[queue] = waitsFor;
    }

    /// A cycle, starting with its smallest queue; empty: none.
    std::vector<Queue> FindCycle() const;

  private:
    std::map<Queue, std::vector<Queue>> m_waits;
};

} // namespace ns3

#endif // GPU_FABRIC_DEADLOCK_DETECTOR_H
