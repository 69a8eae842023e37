/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TRANSPORT_CONTEXT_H
#define GPU_FABRIC_TRANSPORT_CONTEXT_H

#include "../engine/event-lane.h"
#include "../fabric/frame-pool.h"
#include "nic-arbiter.h"
#include "queue-pair-table.h"

#include "ns3/fabric.h"
#include "ns3/rdma-records.h"
#include "ns3/roce-nic.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/// The trace sources of a transport, which are those of RoceTransport.
struct RdmaTraces
{
    TracedCallback<const QueuePairRecord&>& queuePair;
    TracedCallback<const QueuePairChangeRecord&>& change;
    TracedCallback<const TransferRecord&>& transfer;
    TracedCallback<const FabricEventRecord&>& event;
    TracedCallback<const MessageRecord&>& posted;
    TracedCallback<const MessageRecord&>& delivered;
    TracedCallback<const CongestionRecord&>& cnp;
    TracedCallback<const CongestionRecord&>& rate;
    TracedCallback<const CongestionRecord&>& rtt;
    TracedCallback<const TransferRecord&>& unfinished;
};

/**
 * The state shared by the components of a transport (requester, responder, reader, completions,
 * path change): the queue pairs, the fabric and lane as far as needed, the counters, and a few
 * calls that more than one of them makes. Each component holds a reference to it and has no other
 * access to the state of the others.
 */
struct TransportContext
{
    explicit TransportContext(const RdmaTraces& traces);

    /// \name Keys of a queue pair's events in the lane
    /// @{
    static constexpr uint32_t TIMEOUT_KIND = 0;
    static constexpr uint32_t CNP_KIND = 1;
    static constexpr uint32_t DELAY_KIND = 2;
    static constexpr uint32_t DELIVERY_KIND = 3;

    /// The retransmission timer.
    uint32_t TimeoutKey(uint32_t queuePair) const
    {
        return EventLane::Key(laneClass, queuePair, TIMEOUT_KIND);
    }

    /// The end of the CNP interval.
    uint32_t CnpKey(uint32_t queuePair) const
    {
        return EventLane::Key(laneClass, queuePair, CNP_KIND);
    }

    /// The next start or completion of a message that is subject to a delay.
    uint32_t DelayKey(uint32_t queuePair) const
    {
        return EventLane::Key(laneClass, queuePair, DELAY_KIND);
    }

    /// The next delivery to report to a receiver.
    uint32_t DeliveryKey(uint32_t queuePair) const
    {
        return EventLane::Key(laneClass, queuePair, DELIVERY_KIND);
    }

    uint32_t laneClass{0}; ///< allocated when the transport is built
    /// @}

    /// Adds a queue pair to the arbitration of its NIC if it has frames to send.
    void Activate(int64_t now, uint32_t id, QueuePair& queuePair);
    /// A queue pair gives up; its client is notified.
    void Fail(int64_t now, uint32_t id, QueuePair& queuePair);

    /// The congestion control of a queue pair, created if it does not exist yet.
    RateController& GetRate(QueuePair& queuePair) const
    {
        return queuePair.rate ? *queuePair.rate : MakeRate(queuePair);
    }

    /// Notifies congestion control of acknowledged frames. \param frame the acknowledgement
    /// \param side of it, or null
    void NotifyAck(int64_t now,
                   uint32_t id,
                   QueuePair& queuePair,
                   uint64_t acked,
                   const Frame& frame,
                   const FrameSide* side) const;
    /// Notifies congestion control of a loss.
    void NotifyLoss(int64_t now, uint32_t id, QueuePair& queuePair) const;
    /// Adds to a data frame being sent the fields that the feedback needs.
    void AddFeedback(int64_t now, const QueuePair& queuePair, uint32_t frame) const;
    /// Sets the number of frames that may be in flight, as loss recovery and congestion control
    /// allow.
    void UpdateWindow(int64_t now, QueuePair& queuePair) const;
    /// Least time from the start of a frame to its acknowledgement on an idle path [ps]; 0: no path
    /// at present. \param wireBytes of the frame [byte]
    int64_t GetRoundTrip(const QueuePair& queuePair, uint32_t wireBytes) const;

    /// \param detail null: the oldest frame
    void EmitEvent(int64_t now,
                   const char* kind,
                   uint32_t id,
                   const QueuePair& queuePair,
                   const char* detail = nullptr) const;
    /// Reports that frames of a queue pair with go-back-N, or responses to its READs, are
    /// reordered.
    void ReportReordering(int64_t now, uint32_t id, const QueuePair& queuePair);
    /// Emits the limits that the congestion control of a queue pair has set.
    void EmitCongestion(int64_t now,
                        uint32_t id,
                        const QueuePair& queuePair,
                        const TracedCallback<const CongestionRecord&>& trace) const;

    const RdmaTraces traces;
    Ptr<Fabric> fabric;
    Ptr<EventLane> lane;
    FramePool* frames{nullptr};
    std::vector<Ptr<RoceNic>> nics;                    ///< by port; null for ports of switches
    std::vector<std::unique_ptr<NicArbiter>> arbiters; ///< by port, created when first used
    QueuePairTable queuePairs;
    RdmaTotals totals;
    std::vector<JobRdmaCounters> jobs; ///< by job

  private:
    RateController& MakeRate(QueuePair& queuePair) const;
};

} // namespace ns3

#endif // GPU_FABRIC_TRANSPORT_CONTEXT_H
