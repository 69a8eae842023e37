/* SPDX-License-Identifier: GPL-2.0-only */
#include "thread-rank-link.h"

#include <atomic>
#include <thread>
#include <utility>

namespace ns3
{

struct ThreadRankLink::Meeting
{
    explicit Meeting(uint32_t ranks)
        : count(ranks),
          boxes(2 * ranks * ranks)
    {
    }

    RankBuffer& GetBox(uint32_t side, uint32_t from, uint32_t to)
    {
        return boxes[(side * count + from) * count + to];
    }

    /// Returns once all ranks have called it. What they wrote before is seen after.
    void Wait()
    {
        constexpr uint32_t BUSY_ROUNDS = 2000;
        const uint64_t before = round.load(std::memory_order_acquire);
        if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == count)
        {
            arrived.store(0, std::memory_order_relaxed);
            round.store(before + 1, std::memory_order_release);
            return;
        }
        for (uint32_t i = 0; round.load(std::memory_order_acquire) == before; ++i)
        {
            if (i >= BUSY_ROUNDS)
            {
                std::this_thread::yield();
            }
        }
    }

    const uint32_t count;
    // Two for each pair of ranks: who has left one meeting may fill a box for the next while
    // another still empties those of this one. A third cannot be needed, for the next but one
    // begins when all have come to the next.
    std::vector<RankBuffer> boxes;
    std::atomic<uint32_t> arrived{0};
    std::atomic<uint64_t> round{0};
};

ThreadRankLink::ThreadRankLink(std::shared_ptr<Meeting> meeting, uint32_t rank)
    : m_meeting(std::move(meeting)),
      m_rank(rank)
{
}

std::vector<std::unique_ptr<RankLink>>
ThreadRankLink::MakeAll(uint32_t count)
{
    NS_ABORT_MSG_IF(count == 0, "there is at least one rank");
    auto meeting = std::make_shared<Meeting>(count);
    std::vector<std::unique_ptr<RankLink>> links;
    for (uint32_t rank = 0; rank < count; ++rank)
    {
        links.emplace_back(new ThreadRankLink(meeting, rank));
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
    return m_meeting->count;
}

void
ThreadRankLink::Swap(std::vector<RankBuffer>& out, std::vector<RankBuffer>& in)
{
    const uint32_t side = m_side;
    m_side = 1 - m_side;
    for (uint32_t to = 0; to < m_meeting->count; ++to)
    {
        std::swap(m_meeting->GetBox(side, m_rank, to), out[to]);
    }
    m_meeting->Wait();
    for (uint32_t from = 0; from < m_meeting->count; ++from)
    {
        std::swap(m_meeting->GetBox(side, from, m_rank), in[from]);
        in[from].SetByteCount(in[from].GetByteCount());
    }
}

} // namespace ns3
