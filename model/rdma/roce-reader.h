/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROCE_READER_H
#define GPU_FABRIC_ROCE_READER_H

#include "roce-completions.h"
#include "roce-path-change.h"
#include "roce-responder.h"
#include "transport-context.h"

namespace ns3
{

/**
 * RDMA READ, both ends (InfiniBand Architecture Specification 1.2.1, 9.4.4 and 9.7.5). The
 * requester, at the destination of the data, sends a request in the traffic class of the queue
 * pair; the responder streams the responses, paced by congestion control; they are not
 * acknowledged. Whatever is missing, behind a gap or after the RTO, is requested again from its
 * first frame; the responder then restarts from there. A request that arrives after a lost one is
 * answered by a NAK.
 *
 * If congestion control needs feedback in acknowledgements, the requester acknowledges responses as
 * well (the standard has no such acknowledgements for READ; IRN does, Mittal et al., SIGCOMM 2018).
 * Loss recovery ignores them.
 *
 * A resumed response is a "first" again, because its request is new to the responder. Requests are
 * not ECN-capable, as nothing would pace them.
 */
class RoceReader
{
  public:
    /// Largest READ [byte] (9.7.7: 2^31).
    static constexpr uint64_t MAX_BYTES = uint64_t{1} << 31;

    RoceReader(TransportContext& context,
               RoceCompletions& completions,
               RocePathChange& pathChange,
               RoceResponder& responder);

    // --- requester ---
    /// Requests the READs that may start.
    void Request(int64_t now, uint32_t id, QueuePair& queuePair);
    void ReceiveResponse(int64_t now, uint32_t id, QueuePair& queuePair, uint32_t frame);
    /// A request did not reach the responder.
    void ReceiveNak(int64_t now, uint32_t id, QueuePair& queuePair, uint32_t psn);
    void HandleTimeout(int64_t now, uint32_t id, QueuePair& queuePair);

    // --- responder ---
    void ReceiveRequest(int64_t now, uint32_t id, QueuePair& queuePair, uint32_t frame);
    void BuildResponse(int64_t now, uint32_t id, QueuePair& queuePair, uint32_t frame);
    /// Responses have been acknowledged, for congestion control. \param side of the
    /// acknowledgement, or null
    void ReceiveAck(int64_t now,
                    uint32_t id,
                    QueuePair& queuePair,
                    const Frame& frame,
                    const FrameSide* side);

  private:
    void RequestAgain(int64_t now, uint32_t id, QueuePair& queuePair);
    void SendRequest(int64_t now, uint32_t id, QueuePair& queuePair, const RdmaMessage& message);
    /// Drops what is queued for sending from a frame on.
    static void Withdraw(QueuePair& queuePair, uint64_t first);
    void SendNak(int64_t now, uint32_t id, QueuePair& queuePair);
    void FindGap(int64_t now, uint32_t id, QueuePair& queuePair);

    TransportContext& m_context;
    RoceCompletions& m_completions;
    RocePathChange& m_pathChange;
    RoceResponder& m_responder; ///< sends the CNPs
};

} // namespace ns3

#endif // GPU_FABRIC_ROCE_READER_H
