/* SPDX-License-Identifier: GPL-2.0-only */
#include "tensor-queue.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

void
TensorQueue::Configure(bool priority, uint64_t creditBytes)
{
    NS_ABORT_MSG_IF(creditBytes == 0, "a credit of 0 bytes");
    m_priority = priority;
    m_creditBytes = creditBytes;
}

void
TensorQueue::Push(const TensorPiece& piece)
{
    m_pieces.push({m_priority ? piece.layer : 0, m_pushed++, piece});
}

std::optional<TensorPiece>
TensorQueue::Pop()
{
    if (m_pieces.empty() || m_postedBytes >= m_creditBytes)
    {
        return std::nullopt;
    }
    const TensorPiece piece = m_pieces.top().piece;
    m_pieces.pop();
    m_postedBytes += piece.bytes;
    m_maxPostedBytes = std::max(m_maxPostedBytes, m_postedBytes);
    return piece;
}

void
TensorQueue::Return(uint64_t bytes)
{
    NS_ASSERT_MSG(bytes <= m_postedBytes, "more is returned than was posted");
    m_postedBytes -= bytes;
}

} // namespace ns3
