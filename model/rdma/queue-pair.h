/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_QUEUE_PAIR_H
#define GPU_FABRIC_QUEUE_PAIR_H

#include "frame-bitmap.h"
#include "rdma-delays.h"
#include "rdma-message.h"
#include "read-state.h"
#include "reorder-guard.h"
#include "selective-repeat.h"
#include "wire/roce-framing.h"

#include "ns3/path-selector.h"
#include "ns3/rdma-client.h"
#include "ns3/rdma-congestion-control.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

namespace ns3
{

/// The state of a queue pair in its NIC's arbitration.
enum class ArbiterPlace : uint8_t
{
    IDLE,  ///< nothing to send
    READY, ///< in the ring of its priority
    PACED  ///< in the pacing heap
};

/// Whether a queue pair takes part in the traffic.
enum class QueuePairLife : uint8_t
{
    NONE,  ///< not created, or destroyed
    OPEN,  ///< created
    FAILED ///< has given up and waits to be destroyed
};

/// Bits of QueuePair::marks.
enum MarkFlag : uint8_t
{
    MARK_SEEN = 1,    ///< CE seen in the present CNP interval
    MARK_UNECHOED = 2 ///< CE not yet echoed in an acknowledgement
};

/**
 * One direction of a reliable connection: data flow from the source NIC to the destination NIC. For
 * WRITE and SEND the requester is at the source and the responder at the destination; for READ it
 * is the reverse, and a queue pair has either READs or the others. Each half is touched only by
 * handlers of its own node, except that the receiver of data reads the messages it completes.
 *
 * Fields are grouped into cache lines by when they are used, because with many queue pairs none is
 * cached: sending a data frame touches two lines, receiving one in order touches one, an
 * acknowledgement two. The start and the end of a message touch the fields behind these. What the
 * responder needs for a reply is duplicated in its own line.
 */
struct alignas(64) QueuePair
{
    /// Most frames sent and not acknowledged: half the PSN space, beyond which a PSN is ambiguous
    /// (InfiniBand Architecture Specification 1.2.1, 9.7.2).
    static constexpr uint64_t MAX_OUTSTANDING = 1 << 23;

    /// The first four cache lines, used by frames of all kinds.
    static constexpr std::size_t HOT_BYTES = 4 * 64;

    // --- requester: first line, for every frame sent and every acknowledgement ---
    uint64_t unacked{0};              ///< oldest frame not acknowledged
    uint64_t next{0};                 ///< next frame to send
    uint64_t end{0};                  ///< one past the last frame posted
    uint64_t limit{UINT64_MAX};       ///< frames from here on await a change of path or priority
    uint64_t window{MAX_OUTSTANDING}; ///< maximum frames in flight
    std::unique_ptr<RateController> rate; ///< created when first needed
    uint32_t sourceNic{0};
    uint32_t ringNext{0};
    uint8_t priority{0};
    ArbiterPlace place{ArbiterPlace::IDLE};
    bool failed{false}; ///< or destroyed
    bool timerArmed{false};
    bool tracksSends{false};   ///< loss recovery or congestion control must see frames sent
    bool changePending{false}; ///< a change of path or priority waits for a message boundary
    bool isRead{false};        ///< `read` is set
    bool rateAtCnp{false};     ///< `rate` is not needed before the first CNP

    // --- second line, for every frame sent ---
    uint64_t messageFirst{0}; ///< first frame of the message sent last
    uint64_t messageEnd{0};   ///< one past its last frame
    int64_t nextTime{0};      ///< pacing: earliest start of `next` [ps]
    uint64_t sent{0};         ///< one past the highest frame ever sent
    uint64_t flowHash{0};
    const RoceFraming* framing{nullptr}; ///< of the source NIC; many queue pairs share it
    uint32_t destinationNic{0};
    uint32_t lastPayload{0}; ///< of the last frame of that message [byte]
    uint16_t udpSourcePort{0};
    uint16_t frameJob{0};      ///< the job as frames encode it: job + 1, 0 for none
    bool messageIsSend{false}; ///< that message is a SEND

    // --- third line, for every acknowledgement ---
    alignas(64) int64_t timeout{0}; ///< current RTO [ps]
    int64_t baseTimeout{0};         ///< RTO while there is progress [ps]
    int64_t deadline{0};            ///< time at which the RTO expires [ps]
    int64_t lastProgress{0};        ///< postponed by the time for which the RTO is suspended [ps]
    uint64_t oldestEnd{UINT64_MAX}; ///< endFrame of the oldest message, of WRITE and SEND
    std::unique_ptr<SelectiveRepeat> selectiveRepeat; ///< created when first needed
    std::unique_ptr<ReorderGuard> reorderGuard;       ///< created by the first NAK of go-back-N
    uint32_t job{NO_ID};
    uint32_t channel{0};

    // --- responder: fourth line, for every data frame received ---
    alignas(64) uint64_t expected{0};                     ///< next frame in order
    int64_t nextCnp{std::numeric_limits<int64_t>::min()}; ///< no CNP before this time [ps]
    int64_t cnpInterval{-1};
    uint64_t reverseHash{0};
    const RoceFraming* reverseFraming{nullptr}; ///< that of the source NIC
    uint32_t sinceAck{0};                       ///< frames in order since the last ACK
    uint32_t ackInterval{1};
    uint32_t reverseSource{0};      ///< destinationNic
    uint32_t reverseDestination{0}; ///< sourceNic
    uint16_t reverseJob{0};         ///< frameJob
    uint16_t reverseUdpPort{0};     ///< udpSourcePort
    QueuePairLife life{QueuePairLife::NONE};
    uint8_t feedback{0}; ///< in acknowledgements: FeedbackKind, of CongestionFeedback::IN_ACKS
    bool nakSent{false}; ///< a NAK for the gap at `expected` has been sent
    uint8_t marks{0};    ///< CE seen: MarkFlag

    // --- the rest: fields for the start and end of messages, and rarely used ones ---
    alignas(64) MessageQueue messages; ///< not yet acknowledged
    uint64_t currentMessage{0};        ///< number of the message that `next` belongs to
    uint64_t posted{0};                ///< messages posted
    uint64_t delivered{0};             ///< messages delivered
    RdmaClient* client{nullptr};
    std::unique_ptr<RdmaDelays> delays;   ///< null if NICs add no delay
    std::unique_ptr<ReadState> read;      ///< for a queue pair of READs
    std::unique_ptr<FrameBitmap> arrived; ///< frames received out of order, with selective repeat
    int64_t extended{-1};        ///< the deadline, if it is that of many frames in flight [ps]
    int64_t waitingSince{0};     ///< since when the oldest frame waits in the NIC for a resend [ps]
    uint32_t newDecision{NO_ID}; ///< of the pending change, as are the next two
    uint16_t newUdpSourcePort{0};
    uint8_t newPriority{0};
    bool selective{false}; ///< both ends recover losses by selective repeat

    /// Payload posted and not delivered in order [byte].
    uint64_t GetUndeliveredBytes() const
    {
        uint64_t bytes = 0;
        messages.ForEach([&](const RdmaMessage& message) {
            if (message.endFrame > expected)
            {
                uint64_t there = expected > message.firstFrame ? expected - message.firstFrame : 0;
                bytes += message.bytes - there * framing->mtu;
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

    /// Sets the fields derived from NICs, job and UDP source port, for both directions.
    void SetPath()
    {
        frameJob = static_cast<uint16_t>(job + 1);
        reverseFraming = framing;
        reverseSource = destinationNic;
        reverseDestination = sourceNic;
        reverseJob = frameJob;
        reverseUdpPort = udpSourcePort;
        flowHash = HashFiveTuple(sourceNic, destinationNic, udpSourcePort);
        reverseHash = HashFiveTuple(destinationNic, sourceNic, udpSourcePort);
    }

    /// The record of a message acknowledged now.
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
        record.deliveredBytes = message.bytes;
        return record;
    }

    /// The record of a message that is not acknowledged by now.
    TransferRecord DescribeUnfinished(uint32_t id, const RdmaMessage& message, int64_t now) const
    {
        TransferRecord record = Describe(id, message, 0);
        // Its receiver may be told later than now (RoceNic::CompletionDelay).
        const bool delivered = message.deliveredPs >= 0 && message.deliveredPs <= now;
        record.deliveredPs = delivered ? message.deliveredPs : 0;
        record.deliveredBytes =
            message.GetBytesUpTo(std::max(expected, message.firstFrame), framing->mtu);
        return record;
    }

    /// The record of a message posted or delivered now.
    MessageRecord DescribeMessage(uint32_t id, const RdmaMessage& message, int64_t now) const
    {
        return {id, message.number, job, sourceNic, destinationNic, message.bytes, now};
    }

    /// Makes the message of frame `next` the current one.
    void EnterMessage()
    {
        const RdmaMessage& message = messages.Get(currentMessage);
        messageFirst = message.firstFrame;
        messageEnd = message.endFrame;
        lastPayload = static_cast<uint32_t>(
            message.bytes - (message.endFrame - 1 - message.firstFrame) * framing->mtu);
        messageIsSend = message.operation == RdmaOperation::SEND;
    }

    /// Whether there are frames that may be sent now.
    bool HasFrames() const
    {
        return !failed && next < end && next < limit && next - unacked < window;
    }
};

static_assert(sizeof(QueuePair) == QueuePair::HOT_BYTES + 3 * 64, "each part is one cache line");

} // namespace ns3

#endif // GPU_FABRIC_QUEUE_PAIR_H
