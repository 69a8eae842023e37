/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_MPI_RANK_LINK_H
#define GPU_FABRIC_MPI_RANK_LINK_H

#include "rank-link.h"

#include <deque>
#include <mpi.h>
#include <vector>

namespace ns3
{

/**
 * Ranks that are processes, by MPI. A buffer is one message, or more where it is longer than
 * PIECE_BYTES.
 *
 * What MPI finds wrong ends all processes, as is its default.
 */
class MpiRankLink : public RankLink
{
  public:
    /// What a message holds at most [byte]. Within the 4,096 up to which Open MPI sends at once in
    /// shared memory; a longer one first asks whether it may come, which costs several times more,
    /// and goes on only while its sender looks after it.
    static constexpr std::size_t PIECE_BYTES = 4000;

    /// Between the ranks of a communicator; MPI was started. All of them make one at a time.
    explicit MpiRankLink(MPI_Comm communicator);
    /// Waits until all has been sent.
    ~MpiRankLink() override;
    MpiRankLink(const MpiRankLink&) = delete;
    MpiRankLink& operator=(const MpiRankLink&) = delete;

    uint32_t GetRank() const override;
    uint32_t GetRankCount() const override;
    void Send(uint32_t to, RankBuffer& buffer) override;
    void Receive(uint32_t from, RankBuffer& buffer) override;

  private:
    /// A buffer that is being sent, behind its length.
    struct Sending
    {
        uint64_t size{0}; ///< [byte]
        RankBuffer buffer;
        std::vector<MPI_Request> requests;
    };

    /// Forgets what has been sent. \param wait for all
    void Complete(bool wait);
    void Transfer(bool send,
                  int rank,
                  uint8_t* bytes,
                  std::size_t count,
                  std::vector<MPI_Request>& requests);

    MPI_Comm m_communicator; ///< of its own, so that nobody else's messages are taken
    int m_rank{0};
    int m_count{1};
    std::deque<Sending> m_sending;
    std::vector<RankBuffer> m_spare; ///< with their memory
    std::vector<MPI_Request> m_receiving;
};

} // namespace ns3

#endif // GPU_FABRIC_MPI_RANK_LINK_H
