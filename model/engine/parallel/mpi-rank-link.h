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
 * Ranks that are MPI processes. A buffer is one message, or several if it is longer than
 * PIECE_BYTES.
 *
 * MPI errors abort all processes, as is MPI's default.
 */
class MpiRankLink : public RankLink
{
  public:
    /// Maximum size of a message [byte]. Below the 4,096 bytes up to which Open MPI sends eagerly
    /// in shared memory; a longer message requires a handshake (rendezvous), which costs several
    /// times more and makes progress only while its sender polls.
    static constexpr std::size_t PIECE_BYTES = 4000;

    /// Links the ranks of a communicator, once MPI is initialized. Collective: all ranks construct
    /// links together, one at a time.
    explicit MpiRankLink(MPI_Comm communicator);
    /// Waits until everything has been sent.
    ~MpiRankLink() override;
    MpiRankLink(const MpiRankLink&) = delete;
    MpiRankLink& operator=(const MpiRankLink&) = delete;

    uint32_t GetRank() const override;
    uint32_t GetRankCount() const override;
    void Send(uint32_t to, RankBuffer& buffer) override;
    void Receive(uint32_t from, RankBuffer& buffer) override;

  private:
    /// A buffer that is being sent, preceded by its length.
    struct Sending
    {
        uint64_t size{0}; ///< [byte]
        RankBuffer buffer;
        std::vector<MPI_Request> requests;
    };

    /// Releases buffers that have been sent. \param wait wait for all of them
    void Complete(bool wait);
    void Transfer(bool send,
                  int rank,
                  uint8_t* bytes,
                  std::size_t count,
                  std::vector<MPI_Request>& requests);

    MPI_Comm m_communicator; ///< a private one, so that no foreign messages are received
    int m_rank{0};
    int m_count{1};
    std::deque<Sending> m_sending;
    std::vector<RankBuffer> m_spare; ///< empty buffers with their memory
    std::vector<MPI_Request> m_receiving;
};

} // namespace ns3

#endif // GPU_FABRIC_MPI_RANK_LINK_H
