/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpi-rank-link.h"

#include <algorithm>

namespace ns3
{

namespace
{

// Messages of one sender and tag arrive in order, so that exchanges need no number.
constexpr int FIRST_TAG = 0; ///< the header and what fits
constexpr int REST_TAG = 1;

} // namespace

MpiRankLink::MpiRankLink(MPI_Comm communicator)
{
    MPI_Comm_dup(communicator, &m_communicator);
    MPI_Comm_rank(m_communicator, &m_rank);
    MPI_Comm_size(m_communicator, &m_count);
}

MpiRankLink::~MpiRankLink()
{
    MPI_Comm_free(&m_communicator);
}

uint32_t
MpiRankLink::GetRank() const
{
    return static_cast<uint32_t>(m_rank);
}

uint32_t
MpiRankLink::GetRankCount() const
{
    return static_cast<uint32_t>(m_count);
}

void
MpiRankLink::Complete()
{
    MPI_Waitall(static_cast<int>(m_requests.size()), m_requests.data(), MPI_STATUSES_IGNORE);
    m_requests.clear();
}

void
MpiRankLink::Swap(std::vector<RankBuffer>& out, std::vector<RankBuffer>& in)
{
    const auto send = [this](int rank, uint8_t* bytes, std::size_t count, int tag) {
        m_requests.emplace_back();
        MPI_Isend(bytes,
                  static_cast<int>(count),
                  MPI_BYTE,
                  rank,
                  tag,
                  m_communicator,
                  &m_requests.back());
    };
    const auto receive = [this](int rank, uint8_t* bytes, std::size_t count, int tag) {
        m_requests.emplace_back();
        MPI_Irecv(bytes,
                  static_cast<int>(count),
                  MPI_BYTE,
                  rank,
                  tag,
                  m_communicator,
                  &m_requests.back());
    };
    for (int rank = 0; rank < m_count; ++rank)
    {
        if (rank != m_rank)
        {
            in[rank].SetByteCount(PIECE_BYTES);
            receive(rank, in[rank].GetBytes(), PIECE_BYTES, FIRST_TAG);
        }
    }
    for (int rank = 0; rank < m_count; ++rank)
    {
        if (rank != m_rank)
        {
            send(rank,
                 out[rank].GetBytes(),
                 std::min(out[rank].GetByteCount(), PIECE_BYTES),
                 FIRST_TAG);
        }
    }
    Complete();
    for (int rank = 0; rank < m_count; ++rank)
    {
        if (rank == m_rank)
        {
            continue;
        }
        RankBuffer::Header header;
        std::memcpy(&header, in[rank].GetBytes(), sizeof(header));
        NS_ABORT_MSG_IF(std::max(header.size, out[rank].GetByteCount()) > MAX_BYTES,
                        "more than " << MAX_BYTES << " bytes in one exchange");
        in[rank].SetByteCount(header.size);
        for (std::size_t at = PIECE_BYTES; at < header.size; at += PIECE_BYTES)
        {
            receive(rank,
                    in[rank].GetBytes() + at,
                    std::min(header.size - at, PIECE_BYTES),
                    REST_TAG);
        }
        for (std::size_t at = PIECE_BYTES; at < out[rank].GetByteCount(); at += PIECE_BYTES)
        {
            send(rank,
                 out[rank].GetBytes() + at,
                 std::min(out[rank].GetByteCount() - at, PIECE_BYTES),
                 REST_TAG);
        }
    }
    if (!m_requests.empty())
    {
        Complete();
    }
}

} // namespace ns3
