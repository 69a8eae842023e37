/* SPDX-License-Identifier: GPL-2.0-only */
#include "thread-rank-link.h"

#include "ns3/log.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ThreadRankLink");

/// Buffers sent and not yet received.
struct ThreadRankLink::Boxes
{
    uint32_t ranks;
    std::mutex mutex;
    std::condition_variable arrived;
    std::map<std::pair<uint32_t, uint32_t>, std::deque<RankBuffer>> boxes; ///< by (from, to)
};

ThreadRankLink::ThreadRankLink(std::shared_ptr<Boxes> boxes, uint32_t rank)
    : m_boxes(std::move(boxes)),
      m_rank(rank)
{
}

std::vector<std::unique_ptr<RankLink>>
ThreadRankLink::MakeAll(uint32_t count)
{
    NS_LOG_FUNCTION(count);
    NS_ABORT_MSG_IF(count == 0, "there is at least one rank");
    auto boxes = std::make_shared<Boxes>();
    boxes->ranks = count;
    std::vector<std::unique_ptr<RankLink>> links;
    for (uint32_t rank = 0; rank < count; ++rank)
    {
        links.emplace_back(new ThreadRankLink(boxes, rank));
    }
    return links;
}

uint32_t
ThreadRankLink::GetRank() const
{
    return m_rank;
}

uint32_t
ThreadRankLink::GetRankCount() const
{
    return m_boxes->ranks;
}

void
ThreadRankLink::Send(uint32_t to, RankBuffer& buffer)
{
    NS_ABORT_MSG_IF(to >= m_boxes->ranks, "there is no rank " << to);
    {
        std::lock_guard<std::mutex> lock(m_boxes->mutex);
        m_boxes->boxes[{m_rank, to}].push_back(std::move(buffer));
    }
    m_boxes->arrived.notify_all();
    buffer = RankBuffer();
}

void
ThreadRankLink::Receive(uint32_t from, RankBuffer& buffer)
{
    std::unique_lock<std::mutex> lock(m_boxes->mutex);
    std::deque<RankBuffer>& box = m_boxes->boxes[{from, m_rank}];
    m_boxes->arrived.wait(lock, [&box]() { return !box.empty(); });
    buffer = std::move(box.front());
    box.pop_front();
    buffer.SetByteCount(buffer.GetByteCount());
}

} // namespace ns3
