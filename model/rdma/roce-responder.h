/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROCE_RESPONDER_H
#define GPU_FABRIC_ROCE_RESPONDER_H

#include "transport-context.h"

namespace ns3
{

/**
 * The receiving half of the queue pairs: ordering, acknowledgements, one NAK per gap, and CNPs. A
 * CNP is sent at once for the first CE frame, then at most one at the end of each interval if CE
 * was seen in it (DCQCN, Zhu et al., SIGCOMM 2015, section 3.1, "NP algorithm").
 */
class RoceResponder
{
  public:
    explicit RoceResponder(TransportContext& context);

    /// A data frame has arrived on a queue pair whose acknowledgements carry feedback: stores the
    /// frame's feedback for the next acknowledgement.
    void KeepFeedback(uint32_t frame);
    /// Acknowledges a response to a READ, purely for congestion control.
    void AcknowledgeResponse(int64_t now, uint32_t id, QueuePair& queuePair, uint8_t flags);
    /// A data frame has arrived; frees it.
    void Receive(int64_t now, uint32_t id, QueuePair& queuePair, uint32_t frame);
    /// A frame has arrived with CE; sends a CNP now or at the end of the interval.
    void OnCongestionExperienced(int64_t now, uint32_t id, QueuePair& queuePair);
    /// Notifies the client of the messages that are due (RoceNic::CompletionDelay).
    void HandleDeliveries(int64_t now, uint32_t id, QueuePair& queuePair);

    /// The event of TransportContext::CnpKey().
    void EndCnpInterval(int64_t now, uint32_t id, QueuePair& queuePair);

  private:
    void SendControl(int64_t now,
                     uint32_t id,
                     QueuePair& queuePair,
                     FrameKind kind,
                     uint64_t number,
                     uint64_t arrived = 0);
    /// Counts a control frame that is being sent and adds the feedback that it carries. Plain
    /// acknowledgements do not pass here.
    void CompleteControl(int64_t now, uint32_t id, QueuePair& queuePair, uint32_t frame);
    /// A data frame has arrived with CE, a side or on a queue pair with feedback: takes what they
    /// say and frees it.
    void TakeSignals(int64_t now, uint32_t id, QueuePair& queuePair, uint32_t frame);
    void ReceiveOutOfOrder(int64_t now, uint32_t id, QueuePair& queuePair, uint64_t number);
    /// The gap at `expected` has just been closed: advances over the frames that had arrived behind
    /// it.
    void CloseGap(QueuePair& queuePair);
    void Deliver(int64_t now, uint32_t id, QueuePair& queuePair);

    /// Copies the feedback into an acknowledgement.
    void ReturnFeedback(QueuePair& queuePair, uint32_t index);

    TransportContext& m_context;
    FrameSide m_kept; ///< feedback of the frame that arrived last
    bool m_hasKept{false};
};

} // namespace ns3

#endif // GPU_FABRIC_ROCE_RESPONDER_H
