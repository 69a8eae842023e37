/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpi-rank-link.h"

#include "ns3/log.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MpiRankLink");

namespace
{

// Messages of one sender and tag arrive in order, so they need no number.
constexpr int TAG = 0;

} // namespace

MpiRankLink::MpiRankLink(MPI_Comm communicator)
{
    MPI_Comm_dup(communicator, &m_communicator);
    MPI_Comm_rank(m_communicator, &m_rank);
    MPI_Comm_size(m_communicator, &m_count);
    NS_LOG_LOGIC("rank " << m_rank << " of " << m_count);
}

MpiRankLink::~MpiRankLink()
{
    Complete(true);
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
MpiRankLink::Complete(bool wait)
{
    while (!m_sending.empty())
    {
        Sending& first = m_sending.front();
        int done = 1;
        const auto count = static_cast<int>(first.requests.size());
        if (wait)
        {
            MPI_Waitall(count, first.requests.data(), MPI_STATUSES_IGNORE);
        }
        else
        {
            MPI_Testall(count, first.requests.data(), &done, MPI_STATUSES_IGNORE);
        }
        if (!done)
        {
            return;
        }
        m_spare.push_back(std::move(first.buffer));
        m_sending.pop_front();
    }
}

void
MpiRankLink::Transfer(bool send,
                      int rank,
                      uint8_t* bytes,
                      std::size_t count,
                      std::vector<MPI_Request>& requests)
{
    for (std::size_t at = 0; at < count; at += PIECE_BYTES)
    {
        const auto size = static_cast<int>(std::min(count - at, PIECE_BYTES));
        requests.emplace_back();
        if (send)
        {
            MPI_Isend(bytes + at, size, MPI_BYTE, rank, TAG, m_communicator, &requests.back());
        }
        else
        {
            MPI_Irecv(bytes + at, size, MPI_BYTE, rank, TAG, m_communicator, &requests.back());
        }
    }
}

void
MpiRankLink::Send(uint32_t to, RankBuffer& buffer)
{
    Complete(false);
    const auto rank = static_cast<int>(to);
    // The first message starts with the total length, so that the receiver, which has room for a
    // whole piece, knows how many follow.
    const std::size_t size = buffer.GetByteCount();
    const std::size_t first = std::min(size, PIECE_BYTES - sizeof(uint64_t));
    m_sending.emplace_back();
    Sending& sending = m_sending.back();
    if (!m_spare.empty())
    {
        sending.buffer = std::move(m_spare.back());
        m_spare.pop_back();
    }
    sending.size = size;
    sending.buffer.SetByteCount(size + sizeof(uint64_t));
    uint8_t* bytes = sending.buffer.GetBytes();
    std::memcpy(bytes, &sending.size, sizeof(uint64_t));
    std::memcpy(bytes + sizeof(uint64_t), buffer.GetBytes(), size);
    Transfer(true, rank, bytes, first + sizeof(uint64_t), sending.requests);
    Transfer(true, rank, bytes + PIECE_BYTES, size - first, sending.requests);
    buffer.Clear();
}

void
MpiRankLink::Receive(uint32_t from, RankBuffer& buffer)
{
    const auto rank = static_cast<int>(from);
    uint8_t piece[PIECE_BYTES];
    MPI_Recv(piece, PIECE_BYTES, MPI_BYTE, rank, TAG, m_communicator, MPI_STATUS_IGNORE);
    uint64_t size = 0;
    std::memcpy(&size, piece, sizeof(size));
    const std::size_t first = std::min<std::size_t>(size, PIECE_BYTES - sizeof(size));
    buffer.SetByteCount(size);
    std::memcpy(buffer.GetBytes(), piece + sizeof(size), first);
    m_receiving.clear();
    Transfer(false, rank, buffer.GetBytes() + first, size - first, m_receiving);
    MPI_Waitall(static_cast<int>(m_receiving.size()), m_receiving.data(), MPI_STATUSES_IGNORE);
    Complete(false);
}

} // namespace ns3
