/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_MPI_RANK_LINK_H
#define GPU_FABRIC_MPI_RANK_LINK_H

#include "ns3/rank-link.h"

#include <mpi.h>

namespace ns3
{

/**
 * Ranks that are processes, by MPI. Between any two ranks an exchange is one message each way, and
 * more of them only where more than PIECE_BYTES are sent.
 *
 * What MPI finds wrong ends all processes, as is its default.
 */
class MpiRankLink : public RankLink
{
  public:
    /// What a message holds at most [byte]. Within the 4,096 up to which Open MPI sends at once in
    /// shared memory; a longer one first asks whether it may come, which costs several times more.
    static constexpr std::size_t PIECE_BYTES = 4000;
    /// What one rank sends to another in an exchange at most [byte]; MPI counts in int.
    static constexpr std::size_t MAX_BYTES = std::size_t{1} << 30;

    /// Between the ranks of a communicator; MPI was started. All of them make one at a time.
    explicit MpiRankLink(MPI_Comm communicator);
    ~MpiRankLink() override;
    MpiRankLink(const MpiRankLink&) = delete;
    MpiRankLink& operator=(const MpiRankLink&) = delete;

    uint32_t GetRank() const override;
    uint32_t GetRankCount() const override;

  protected:
    void Swap(std::vector<RankBuffer>& out, std::vector<RankBuffer>& in) override;

  private:
    /// Waits for all messages that were begun.
    void Complete();

    MPI_Comm m_communicator; ///< of its own, so that nobody else's messages are taken
    int m_rank{0};
    int m_count{1};
    std::vector<MPI_Request> m_requests;
};

} // namespace ns3

#endif // GPU_FABRIC_MPI_RANK_LINK_H
