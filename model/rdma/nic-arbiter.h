/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_NIC_ARBITER_H
#define GPU_FABRIC_NIC_ARBITER_H

#include "../fabric/fabric-port.h"
#include "queue-pair-table.h"

#include <vector>

namespace ns3
{

/**
 * The arbitration of one NIC port: strict priority among the queue pairs that may send, round robin
 * within a priority, and a heap of those held back by pacing. Queue pairs with nothing to send cost
 * nothing.
 */
class NicArbiter
{
  public:
    using QueuePairs = QueuePairTable;

    /// Puts an idle queue pair with frames to send at the end of its ring, or in the heap.
    void Add(int64_t now, uint32_t id, QueuePairs& queuePairs);
    /// Priorities (bit p) that have a queue pair ready to send.
    uint32_t GetReady(int64_t now, QueuePairs& queuePairs);
    /// Takes the next queue pair of the highest allowed priority; UINT32_MAX: none is ready.
    uint32_t Take(int64_t now, uint32_t allowed, QueuePairs& queuePairs);
    /// Removes a queue pair from its ring or from the heap.
    void Remove(uint32_t id, QueuePairs& queuePairs);

    /// Bit p: queue pairs of priority p are in a ring.
    uint32_t GetReadyMask() const
    {
        return m_readyMask;
    }

    /// The last queue pair of a non-empty ring.
    uint32_t GetLast(uint32_t priority) const
    {
        return m_tail[priority];
    }

    /// The queue pair that Take() may examine first; UINT32_MAX: none.
    uint32_t GetFirst() const
    {
        if (m_readyMask != 0)
        {
            return m_head[31 - __builtin_clz(m_readyMask)];
        }
        return m_heap.empty() ? UINT32_MAX : m_heap.front().id;
    }

    /// When the first paced queue pair may send [ps]; INT64_MAX: none is paced.
    int64_t GetNextTime() const;

  private:
    struct Paced
    {
        int64_t time;
        uint32_t id;

        bool operator>(const Paced& other) const
        {
            return time != other.time ? time > other.time : id > other.id;
        }
    };

    void PushReady(uint32_t id, QueuePair& queuePair, QueuePairs& queuePairs);

    uint32_t m_readyMask{0};
    uint32_t m_head[MAX_QUEUES]; ///< oldest of each ring whose bit is set in m_readyMask
    uint32_t m_tail[MAX_QUEUES];
    std::vector<Paced> m_heap;
};

} // namespace ns3

#endif // GPU_FABRIC_NIC_ARBITER_H
