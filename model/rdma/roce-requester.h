/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROCE_REQUESTER_H
#define GPU_FABRIC_ROCE_REQUESTER_H

#include "../fabric/fabric-frame.h"
#include "queue-pair.h"

namespace ns3
{

class RoceTransport;

/**
 * The requester of WRITE and SEND: acknowledgements, and what is sent again after a NAK or the RTO,
 * by go-back-N or by selective repeat.
 */
class RoceRequester
{
  public:
    explicit RoceRequester(RoceTransport& transport);

    /// A frame is being sent by a queue pair whose recovery is to know. \param fresh not sent
    /// before
    void Attend(QueuePair& queuePair, Frame& frame, uint64_t number, bool fresh);
    void ReceiveAck(int64_t now, uint32_t id, QueuePair& queuePair, const Frame& frame);
    /// The event of RoceTransport::TimeoutKey().
    void HandleTimeout(int64_t now, uint32_t id, QueuePair& queuePair);
    /// Least time from a frame's start to its acknowledgement on an idle path [ps].
    int64_t GetRoundTrip(const QueuePair& queuePair) const;
    void ReportReordering(int64_t now, uint32_t id, const QueuePair& queuePair);

  private:
    /// \returns false if the client has destroyed the queue pair
    bool Progress(int64_t now, uint32_t id, QueuePair& queuePair, uint64_t acked);
    static void TellLoss(int64_t now, QueuePair& queuePair);
    void ReceiveSelectiveNak(int64_t now, uint32_t id, QueuePair& queuePair, uint64_t arrived);
    void ReceiveNak(int64_t now, uint32_t id, QueuePair& queuePair);
    void GoBack(int64_t now, uint32_t id, QueuePair& queuePair);
    void Rewind(int64_t now, uint32_t id, QueuePair& queuePair);
    void RepeatOldest(int64_t now, uint32_t id, QueuePair& queuePair);
    /// Makes the state of selective repeat if there is none.
    void Select(QueuePair& queuePair);
    /// Goes to the frame that selective repeat sends next.
    static void Seek(QueuePair& queuePair);
    /// RTO of many frames in flight, doubled as often as that of few [ps].
    int64_t GetHighTimeout(const QueuePair& queuePair) const;
    /// Where the deadline is that of few frames in flight and many are. \returns whether it is
    /// moved
    bool ExtendTimeout(int64_t now, QueuePair& queuePair) const;

    RoceTransport& m_transport;
};

} // namespace ns3

#endif // GPU_FABRIC_ROCE_REQUESTER_H
