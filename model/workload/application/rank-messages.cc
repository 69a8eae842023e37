/* SPDX-License-Identifier: GPL-2.0-only */
#include "rank-messages.h"

#include "ns3/assert.h"

#include <utility>

namespace ns3
{

RankMessages::RankMessages(GpuLane* lane, std::vector<uint32_t> gpus, Handler handler)
    : m_lane(lane),
      m_gpus(std::move(gpus)),
      m_handler(std::move(handler)),
      m_pending(m_gpus.size())
{
}

void
RankMessages::Open()
{
    m_open = true;
    for (uint32_t rank = 0; rank < m_gpus.size(); rank++)
    {
        m_lane->Attach(m_gpus[rank], this, rank);
    }
}

void
RankMessages::Close()
{
    if (!m_open)
    {
        return;
    }
    m_open = false;
    for (uint32_t rank = 0; rank < m_gpus.size(); rank++)
    {
        m_lane->Detach(m_gpus[rank]);
        m_pending[rank].clear();
    }
}

void
RankMessages::Send(int64_t now, int64_t latencyPs, uint32_t rank, const RankMessage& message)
{
    if (!m_open)
    {
        return;
    }
    std::deque<Pending>& pending = m_pending[rank];
    if (latencyPs == 0 && pending.empty())
    {
        m_handler(now, rank, message);
        return;
    }
    NS_ASSERT_MSG(pending.empty() || pending.back().timePs <= now + latencyPs,
                  "messages to a rank overtake each other");
    pending.push_back({now + latencyPs, message});
    if (pending.size() == 1)
    {
        m_lane->Schedule(pending.front().timePs, m_gpus[rank], 0);
    }
}

void
RankMessages::HandleLaneEvent(int64_t now, uint32_t rank, uint32_t)
{
    const RankMessage message = m_pending[rank].front().message;
    m_pending[rank].pop_front();
    if (!m_pending[rank].empty())
    {
        m_lane->Schedule(m_pending[rank].front().timePs, m_gpus[rank], 0);
    }
    m_handler(now, rank, message);
}

} // namespace ns3
