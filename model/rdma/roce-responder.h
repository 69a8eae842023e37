/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROCE_RESPONDER_H
#define GPU_FABRIC_ROCE_RESPONDER_H

#include "../engine/event-lane.h"
#include "queue-pair.h"

#include "ns3/fabric.h"
#include "ns3/roce-nic.h"

namespace ns3
{

/// Counters of the transport, for conservation checks and figures.
struct RdmaTotals
{
    uint64_t postedMessages{0};
    uint64_t completedMessages{0};
    uint64_t postedBytes{0};        ///< payload [byte]
    uint64_t deliveredBytes{0};     ///< payload delivered in order, each byte once [byte]
    uint64_t completedBytes{0};     ///< payload acknowledged [byte]
    uint64_t undeliveredBytes{0};   ///< payload that destroyed queue pairs leave undelivered [byte]
    uint64_t unackedBytes{0};       ///< payload of messages that they leave unacknowledged [byte]
    uint64_t sentBytes{0};          ///< payload put on the wire, retransmissions included [byte]
    uint64_t retransmittedBytes{0}; ///< of these, sent before [byte]
    uint64_t duplicateFrames{0};    ///< received although already delivered (spurious)
    uint64_t discardedFrames{0};    ///< received behind a gap, or on a failed queue pair
    uint64_t outOfOrderFrames{0};   ///< received behind a gap and kept (selective repeat)
    uint64_t acks{0};
    uint64_t naks{0};
    uint64_t cnps{0};
    uint64_t timeouts{0};
    uint64_t failures{0};
    uint64_t reorderings{0};   ///< queue pairs whose frames have overtaken each other
    uint64_t readRequests{0};  ///< sent, repeated ones included
    uint64_t controlFrames{0}; ///< ACK, NAK and CNP received
};

/// Counters of one job.
struct JobRdmaCounters
{
    uint64_t markedFrames{0};       ///< data frames that arrived with CE
    uint64_t retransmittedBytes{0}; ///< payload sent again [byte]
};

/// The PSN of a frame number: 24 bits (InfiniBand Architecture Specification 1.2.1, 9.2).
constexpr uint32_t PSN_MASK = 0xffffff;

/// The 64-bit frame number that a PSN means, the one nearest to a known number.
constexpr uint64_t
ExpandPsn(uint32_t psn, uint64_t near)
{
    // The difference as a signed 24-bit number.
    auto difference = static_cast<int32_t>((psn - static_cast<uint32_t>(near)) << 8) >> 8;
    return near + static_cast<uint64_t>(static_cast<int64_t>(difference));
}

/**
 * The receiving half of the queue pairs: order, acknowledgements, one NAK a gap, and CNPs. A CNP is
 * sent at once for the first CE frame, then at most one an interval, at its end, if CE was seen
 * in it (DCQCN, Zhu et al., SIGCOMM 2015, section 3.1, "NP algorithm").
 */
class RoceResponder
{
  public:
    static constexpr uint32_t LANE_CLASS = 1;
    static constexpr uint32_t CNP_KIND = 1;
    static constexpr uint32_t DELIVERY_KIND = 3;

    /// Key of the next delivery that a receiver is to be told of.
    static uint32_t DeliveryKey(uint32_t queuePair)
    {
        return EventLane::Key(LANE_CLASS, queuePair, DELIVERY_KIND);
    }

    /// Key of the end of a queue pair's CNP interval.
    static uint32_t CnpKey(uint32_t queuePair)
    {
        return EventLane::Key(LANE_CLASS, queuePair, CNP_KIND);
    }

    void Build(Fabric* fabric,
               EventLane* lane,
               RdmaTotals* totals,
               std::vector<JobRdmaCounters>* jobs,
               const std::vector<Ptr<RoceNic>>* nics);
    /// A data frame has arrived; frees it.
    void Receive(int64_t now, uint32_t id, QueuePair& queuePair, uint32_t frame);
    /// A frame has arrived with CE; sends a CNP now or at the end of the interval.
    void SeeCongestion(int64_t now, uint32_t id, QueuePair& queuePair);
    /// Tells the client of the messages whose time has come (RoceNic::CompletionDelay).
    void HandleDeliveries(int64_t now, uint32_t id, QueuePair& queuePair);

    /// The event of CnpKey().
    void EndCnpInterval(int64_t now, uint32_t id, QueuePair& queuePair);

  private:
    void SendControl(int64_t now,
                     uint32_t id,
                     QueuePair& queuePair,
                     FrameKind kind,
                     uint64_t number,
                     uint64_t arrived = 0);
    void ReceiveOutOfOrder(int64_t now, uint32_t id, QueuePair& queuePair, uint64_t number);
    /// The gap at `expected` has just been closed by one frame: takes what had arrived behind it.
    void CloseGap(QueuePair& queuePair);
    void Deliver(int64_t now, uint32_t id, QueuePair& queuePair);

    Fabric* m_fabric{nullptr};
    EventLane* m_lane{nullptr};
    FramePool* m_frames{nullptr};
    RdmaTotals* m_totals{nullptr};
    std::vector<JobRdmaCounters>* m_jobs{nullptr};
    const std::vector<Ptr<RoceNic>>* m_nics{nullptr};
};

} // namespace ns3

#endif // GPU_FABRIC_ROCE_RESPONDER_H
