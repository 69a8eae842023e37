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

} // namespace

void
RoceTransport::PrepareQueuePair(uint32_t id, uint32_t stage) const
{
    if (stage == 0)
    {
        __builtin_prefetch(&m_queuePairs[id]);
    }
    else if (const QueuePair* queuePair = m_queuePairs[id].get())
    {
        if (stage == 1)
        {
            Fetch(queuePair, sizeof(QueuePair));
        }
        else if (queuePair->rate)
        {
            // The size of a controller is its own matter; DCQCN's has four lines.
            Fetch(queuePair->rate.get(), 256);
        }
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
RoceTransport::GetNextQueuePair(uint32_t port) const
{
    return port < m_arbiters.size() && m_arbiters[port] ? m_arbiters[port]->GetFirst() : UINT32_MAX;
}

} // namespace ns3
