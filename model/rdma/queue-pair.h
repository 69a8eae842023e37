/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_QUEUE_PAIR_H
#define GPU_FABRIC_QUEUE_PAIR_H

#include "frame-bitmap.h"
#include "rdma-client.h"
#include "rdma-congestion-control.h"
#include "rdma-delays.h"
#include "read-state.h"
#include "reorder-guard.h"
#include "roce-framing.h"
#include "selective-repeat.h"

#include "ns3/path-selector.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace ns3
{

/// A posted message until it is acknowledged, or a READ until it is answered. Frames have 64-bit
/// numbers within the queue pair; the 24-bit PSN on the wire is their lower part.
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

    /// Payload of its frames below one of them, or below the end [byte].
    uint64_t GetBytesUpTo(uint64_t frame, uint32_t mtu) const
    {
        return std::min(bytes, (frame - firstFrame) * mtu);
    }
};

/// Messages in order; taking from the front moves an index, not the rest.
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

    /// A message by its running number, which must not be gone.
    RdmaMessage& Get(uint64_t number)
    {
        return m_messages[m_head + (number - Front().number)];
    }

    /// Number of the message that a frame belongs to; one past the last where it is not posted.
    /// There must be a message, and the frame not be older than it.
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
    std::vector<RdmaMessage> m_messages;
    std::size_t m_head{0};
};

/// Where a queue pair stands in its NIC's arbitration.
enum class ArbiterPlace : uint8_t
{
    IDLE,  ///< nothing to send
    READY, ///< in the ring of its priority
    PACED  ///< in the pacing heap
};

/**
 * One direction of a reliable connection: data flow from the source NIC to the destination NIC. For
 * WRITE and SEND the requester is at the source and the responder at the destination; for READ it
 * is the reverse, and a queue pair has either READs or the others. The two halves are touched only
 * by handlers of their own node, save that the receiver of data reads the messages it completes.
 */
struct QueuePair
{
    /// Frames sent and not acknowledged: half the PSN space, beyond which a PSN is ambiguous
    /// (InfiniBand Architecture Specification 1.2.1, 9.7.2).
    static constexpr uint64_t MAX_OUTSTANDING = 1 << 23;

    // --- requester ---
    uint64_t unacked{0};              ///< oldest frame not acknowledged
    uint64_t next{0};                 ///< next frame to send
    uint64_t end{0};                  ///< one past the last frame posted
    uint64_t limit{UINT64_MAX};       ///< frames from here on wait for a change of path or priority
    uint64_t sent{0};                 ///< one past the highest frame ever sent
    uint64_t window{MAX_OUTSTANDING}; ///< most frames in flight
    uint64_t currentMessage{0};       ///< number of the message that `next` belongs to
    uint64_t posted{0};               ///< messages posted
    MessageQueue messages;            ///< not yet acknowledged
    int64_t nextTime{0};              ///< pacing: `next` may not start before [ps]
    std::unique_ptr<RateController> rate;
    RoceFraming framing;
    uint64_t flowHash{0};
    uint32_t sourceNic{0};
    uint32_t destinationNic{0};
    uint32_t job{NO_ID};
    uint32_t channel{0};
    uint32_t ringNext{0};
    uint16_t udpSourcePort{0};
    uint8_t priority{0};
    ArbiterPlace place{ArbiterPlace::IDLE};
    bool failed{false};
    bool timerArmed{false};
    bool attention{false};   ///< `selectiveRepeat` or `reorderGuard` is to know of frames sent
    bool selective{false};   ///< loss is recovered by selective repeat, at both ends
    int64_t baseTimeout{0};  ///< RTO while there is progress [ps]
    int64_t timeout{0};      ///< current RTO [ps]
    int64_t deadline{0};     ///< RTO expires [ps]
    int64_t extended{-1};    ///< the deadline that is one of many frames in flight [ps]
    int64_t lastProgress{0}; ///< put off by the time for which the RTO is held [ps]
    int64_t waitingSince{0}; ///< the oldest frame waits in the NIC to be sent again [ps]
    RdmaClient* client{nullptr};
    std::unique_ptr<SelectiveRepeat> selectiveRepeat; ///< made when first needed
    std::unique_ptr<ReorderGuard> reorderGuard;       ///< made by the first NAK of go-back-N
    std::unique_ptr<RdmaDelays> delays;               ///< null where NICs take no time
    std::unique_ptr<ReadState> read;                  ///< of a queue pair of READs

    // A change that waits for a message boundary.
    bool changePending{false};
    uint16_t newUdpSourcePort{0};
    uint8_t newPriority{0};
    uint32_t newDecision{NO_ID};

    // --- responder ---
    uint64_t expected{0};  ///< next frame in order
    uint64_t delivered{0}; ///< messages delivered
    uint64_t reverseHash{0};
    int64_t cnpInterval{-1};
    int64_t nextCnp{std::numeric_limits<int64_t>::min()}; ///< no CNP before [ps]
    uint32_t ackInterval{1};
    uint32_t sinceAck{0};                 ///< frames in order since the last ACK
    bool nakSent{false};                  ///< for the gap at `expected`
    std::unique_ptr<FrameBitmap> arrived; ///< out of order, by selective repeat
    bool congestionSeen{false};           ///< CE within the present CNP interval

    /// Payload posted and not delivered in order [byte].
    uint64_t GetUndeliveredBytes() const
    {
        uint64_t bytes = 0;
        messages.ForEach([&](const RdmaMessage& message) {
            if (message.endFrame > expected)
            {
                uint64_t there = expected > message.firstFrame ? expected - message.firstFrame : 0;
                bytes += message.bytes - there * framing.mtu;
            }
        });
        return bytes;
    }

    /// Payload of the messages not acknowledged [byte].
    uint64_t GetUnacknowledgedBytes() const
    {
        uint64_t bytes = 0;
        messages.ForEach([&](const RdmaMessage& message) { bytes += message.bytes; });
        return bytes;
    }

    /// Sets the hashes of the five-tuple, of both directions.
    void SetHashes()
    {
        flowHash = HashFiveTuple(sourceNic, destinationNic, udpSourcePort);
        reverseHash = HashFiveTuple(destinationNic, sourceNic, udpSourcePort);
    }

    /// The record of a message that is acknowledged now.
    TransferRecord Describe(uint32_t id, const RdmaMessage& message, int64_t now) const
    {
        TransferRecord record;
        record.queuePair = id;
        record.message = message.number;
        record.job = job;
        record.collective = message.tag.collective;
        record.communicator = message.tag.communicator;
        record.step = message.tag.step;
        record.channel = channel;
        record.sourceNic = sourceNic;
        record.destinationNic = destinationNic;
        record.bytes = message.bytes;
        record.priority = priority;
        record.startPs = message.startPs;
        record.deliveredPs = message.deliveredPs;
        record.completedPs = now;
        record.retransmittedBytes = message.retransmittedBytes;
        return record;
    }

    /// Frames that may be sent now.
    bool HasFrames() const
    {
        return !failed && next < end && next < limit && next - unacked < window;
    }
};

} // namespace ns3

#endif // GPU_FABRIC_QUEUE_PAIR_H
