/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_THREAD_RANK_LINK_H
#define GPU_FABRIC_THREAD_RANK_LINK_H

#include "ns3/rank-link.h"

#include <memory>

namespace ns3
{

/**
 * Ranks that are threads of one process, or the only rank that there is. A buffer changes hands
 * and is not copied. A rank that waits for the others is busy for some microseconds and then lets
 * other threads run.
 */
class ThreadRankLink : public RankLink
{
  public:
    /// The links of count ranks, by rank; each is used by one thread.
    static std::vector<std::unique_ptr<RankLink>> MakeAll(uint32_t count);

    uint32_t GetRank() const override;
    uint32_t GetRankCount() const override;

  protected:
    void Swap(std::vector<RankBuffer>& out, std::vector<RankBuffer>& in) override;

  private:
    /// Where the ranks meet.
    struct Meeting;

    ThreadRankLink(std::shared_ptr<Meeting> meeting, uint32_t rank);

    std::shared_ptr<Meeting> m_meeting;
    uint32_t m_rank;
    uint32_t m_side{0}; ///< which half of the meeting's boxes is next
};

} // namespace ns3

#endif // GPU_FABRIC_THREAD_RANK_LINK_H
