/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_THREAD_RANK_LINK_H
#define GPU_FABRIC_THREAD_RANK_LINK_H

#include "rank-link.h"

#include <memory>
#include <vector>

namespace ns3
{

/// Ranks that are threads of one process.
class ThreadRankLink : public RankLink
{
  public:
    /// The links of all ranks, one per thread.
    static std::vector<std::unique_ptr<RankLink>> MakeAll(uint32_t count);

    uint32_t GetRank() const override;
    uint32_t GetRankCount() const override;
    void Send(uint32_t to, RankBuffer& buffer) override;
    void Receive(uint32_t from, RankBuffer& buffer) override;

  private:
    struct Boxes;

    ThreadRankLink(std::shared_ptr<Boxes> boxes, uint32_t rank);

    std::shared_ptr<Boxes> m_boxes;
    uint32_t m_rank;
};

} // namespace ns3

#endif // GPU_FABRIC_THREAD_RANK_LINK_H
