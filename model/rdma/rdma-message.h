/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RDMA_MESSAGE_H
#define GPU_FABRIC_RDMA_MESSAGE_H

#include "wire/roce-framing.h"

#include "ns3/rdma-client.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>

namespace ns3
{

/// A posted message until it is acknowledged or, for a READ, answered. Frames have 64-bit numbers
/// within the queue pair; the 24-bit PSN on the wire consists of the lower bits.
struct RdmaMessage
{
    uint64_t number{0}; ///< running number within the queue pair
    uint64_t firstFrame{0};
    uint64_t endFrame{0}; ///< one past the last
    uint64_t bytes{0};    ///< [byte]
    int64_t startPs{0};   ///< posted
    int64_t deliveredPs{-1};
    uint64_t retransmittedBytes{0};
    MessageTag tag;
    RdmaOperation operation{RdmaOperation::WRITE};

    /// Payload of its frames below the given frame or the end of the message [byte].
    uint64_t GetBytesUpTo(uint64_t frame, uint32_t mtu) const
    {
        return std::min(bytes, (frame - firstFrame) * mtu);
    }
};

/// Messages in order; removing the front advances an index and moves nothing. One message is stored
/// in place.
class MessageQueue
{
  public:
    bool IsEmpty() const
    {
        return m_head == m_messages.size();
    }

    RdmaMessage& Front()
    {
        return m_messages[m_head];
    }

    RdmaMessage& Back()
    {
        return m_messages.back();
    }

    /// A message by its running number, which must still be queued.
    RdmaMessage& Get(uint64_t number)
    {
        return m_messages[m_head + (number - Front().number)];
    }

    /// Number of the message that a frame belongs to; one past the last if it is not yet posted.
    /// There must be a message, and the frame must not be older than the first.
    uint64_t Find(uint64_t frame) const
    {
        auto found = std::upper_bound(
            m_messages.begin() + static_cast<std::ptrdiff_t>(m_head),
            m_messages.end(),
            frame,
            [](uint64_t f, const RdmaMessage& message) { return f < message.endFrame; });
        return found != m_messages.end() ? found->number : m_messages.back().number + 1;
    }

    /// Calls f with each message, oldest first.
    template <typename F>
    void ForEach(F f) const
    {
        for (std::size_t i = m_head; i < m_messages.size(); ++i)
        {
            f(m_messages[i]);
        }
    }

    void Push(const RdmaMessage& message)
    {
        m_messages.push_back(message);
    }

    void Pop()
    {
        if (++m_head == m_messages.size())
        {
            m_messages.clear();
            m_head = 0;
        }
        else if (m_head >= 64 && 2 * m_head >= m_messages.size())
        {
            m_messages.erase(m_messages.begin(),
                             m_messages.begin() + static_cast<std::ptrdiff_t>(m_head));
            m_head = 0;
        }
    }

  private:
    boost::container::small_vector<RdmaMessage, 1> m_messages;
    std::size_t m_head{0};
};

} // namespace ns3

#endif // GPU_FABRIC_RDMA_MESSAGE_H
