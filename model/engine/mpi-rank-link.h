/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_MPI_RANK_LINK_H
#define GPU_FABRIC_MPI_RANK_LINK_H

#include "ns3/rank-link.h"

#include <mpi.h>

namespace ns3
{

/**
 * Ranks that are processes, by MPI. An exchange is one message each way between any two ranks, and
 * a second one only where more than FIRST_BYTES are sent.
 *
 * What MPI finds wrong ends all processes, as is its default.
 */
class MpiRankLink : public RankLink
{
  public:
    /// What the first message of an exchange holds at most [byte].
    static constexpr std::size_t FIRST_BYTES = 32768;
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
