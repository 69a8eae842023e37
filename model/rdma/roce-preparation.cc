/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/roce-transport.h"

namespace ns3
{

namespace
{

/// Brings an object into the cache.
void
Fetch(const void* object, std::size_t bytes)
{
    for (std::size_t offset = 0; offset < bytes; offset += 64)
    {
        __builtin_prefetch(static_cast<const char*>(object) + offset, 1);
    }
}

/// From QueuePair::messages on: what the beginning and the end of a message touch.
constexpr std::size_t MESSAGE_BYTES = sizeof(QueuePair) - QueuePair::HOT_BYTES;

} // namespace

// Each kind of frame has its own lines. Measured on a busy machine, CPU time of 8.4 million
// packet-hops of 1,024 hosts, each to 32 others: 2.26 s with the whole queue pair (seven lines),
// its message and its controller (four lines) fetched for every frame, 1.82 s so. An all-to-all
// with one frame a queue pair went from 1.94 to 2.57 million packet-hops in a CPU second.
void
RoceTransport::PrepareQueuePair(uint32_t id, QueuePairUse use, uint32_t stage) const
{
    const QueuePair* queuePair = m_queuePairs.GetPlace(id);
    if (!queuePair)
    {
        return;
    }
    if (stage == 0)
    {
        if (use == QueuePairUse::SEND)
        {
            Fetch(queuePair, 128);
        }
        else if (use == QueuePairUse::CONTROL)
        {
            Fetch(queuePair, 64);
            Fetch(&queuePair->timeout, 64);
        }
        else
        {
            Fetch(&queuePair->expected, 64);
            if (use == QueuePairUse::FINISH)
            {
                Fetch(&queuePair->messages, MESSAGE_BYTES);
            }
        }
        return;
    }
    // The beginning or end of a message.
    if (use == QueuePairUse::SEND
            ? queuePair->next >= queuePair->messageEnd
            : use == QueuePairUse::CONTROL && queuePair->oldestEnd <= queuePair->next)
    {
        Fetch(&queuePair->messages, MESSAGE_BYTES);
    }
    if (queuePair->rate && use == QueuePairUse::SEND)
    {
        // The size of a controller is its own matter; DCQCN's has two lines.
        Fetch(queuePair->rate.get(), 128);
    }
}

void
RoceTransport::PreparePort(uint32_t port, uint32_t stage) const
{
    if (port < m_arbiters.size())
    {
        if (stage == 0)
        {
            __builtin_prefetch(&m_arbiters[port]);
        }
        else if (m_arbiters[port])
        {
            Fetch(m_arbiters[port].get(), sizeof(NicArbiter));
        }
    }
}

uint32_t
RoceTransport::GetNextQueuePair(uint32_t port, uint32_t& priority) const
{
    if (port >= m_arbiters.size() || !m_arbiters[port])
    {
        return UINT32_MAX;
    }
    const NicArbiter& arbiter = *m_arbiters[port];
    if (const uint32_t ready = arbiter.GetReadyMask())
    {
        // After its frame it is linked to the last one.
        priority = 31 - __builtin_clz(ready);
        __builtin_prefetch(m_queuePairs.GetPlace(arbiter.GetLast(priority)), 1);
    }
    return arbiter.GetFirst();
}

} // namespace ns3
