/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic-arbiter.h"

#include <algorithm>
#include <functional>

namespace ns3
{

void
NicArbiter::PushReady(uint32_t id, QueuePair& queuePair, QueuePairs& queuePairs)
{
    uint32_t priority = queuePair.priority;
    queuePair.place = ArbiterPlace::READY;
    queuePair.ringNext = UINT32_MAX;
    if (m_readyMask >> priority & 1)
    {
        queuePairs[m_tail[priority]]->ringNext = id;
    }
    else
    {
        m_head[priority] = id;
        m_readyMask |= 1u << priority;
    }
    m_tail[priority] = id;
}

void
NicArbiter::Add(int64_t now, uint32_t id, QueuePairs& queuePairs)
{
    QueuePair& queuePair = *queuePairs[id];
    if (queuePair.nextTime <= now)
    {
        PushReady(id, queuePair, queuePairs);
        return;
    }
    queuePair.place = ArbiterPlace::PACED;
    m_heap.push_back({queuePair.nextTime, id});
    std::push_heap(m_heap.begin(), m_heap.end(), std::greater<>());
}

uint32_t
NicArbiter::GetReady(int64_t now, QueuePairs& queuePairs)
{
    while (!m_heap.empty() && m_heap.front().time <= now)
    {
        uint32_t id = m_heap.front().id;
        std::pop_heap(m_heap.begin(), m_heap.end(), std::greater<>());
        m_heap.pop_back();
        PushReady(id, *queuePairs[id], queuePairs);
    }
    return m_readyMask;
}

uint32_t
NicArbiter::Take(int64_t now, uint32_t allowed, QueuePairs& queuePairs)
{
    uint32_t mask = GetReady(now, queuePairs) & allowed;
    if (mask == 0)
    {
        return UINT32_MAX;
    }
    uint32_t priority = 31 - __builtin_clz(mask);
    uint32_t id = m_head[priority];
    m_head[priority] = queuePairs[id]->ringNext;
    if (m_head[priority] == UINT32_MAX)
    {
        m_readyMask &= ~(1u << priority);
    }
    queuePairs[id]->place = ArbiterPlace::IDLE;
    return id;
}

void
NicArbiter::Remove(uint32_t id, QueuePairs& queuePairs)
{
    QueuePair& queuePair = *queuePairs[id];
    if (queuePair.place == ArbiterPlace::PACED)
    {
        m_heap.erase(std::find_if(m_heap.begin(), m_heap.end(), [id](const Paced& paced) {
            return paced.id == id;
        }));
        std::make_heap(m_heap.begin(), m_heap.end(), std::greater<>());
    }
    else if (queuePair.place == ArbiterPlace::READY)
    {
        uint32_t priority = queuePair.priority;
        uint32_t before = UINT32_MAX;
        for (uint32_t i = m_head[priority]; i != id; i = queuePairs[i]->ringNext)
        {
            before = i;
        }
        (before == UINT32_MAX ? m_head[priority] : queuePairs[before]->ringNext) =
            queuePair.ringNext;
        if (m_tail[priority] == id)
        {
            m_tail[priority] = before;
        }
        if (m_head[priority] == UINT32_MAX)
        {
            m_readyMask &= ~(1u << priority);
        }
    }
    queuePair.place = ArbiterPlace::IDLE;
}

int64_t
NicArbiter::GetNextTime() const
{
    return m_heap.empty() ? INT64_MAX : m_heap.front().time;
}

} // namespace ns3
