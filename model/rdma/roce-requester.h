/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROCE_REQUESTER_H
#define GPU_FABRIC_ROCE_REQUESTER_H

#include "roce-completions.h"
#include "roce-path-change.h"
#include "transport-context.h"

namespace ns3
{

/**
 * The requester of WRITE and SEND: handles acknowledgements, and retransmits after a NAK or the RTO
 * by go-back-N or selective repeat.
 */
class RoceRequester
{
  public:
    RoceRequester(TransportContext& context,
                  RoceCompletions& completions,
                  RocePathChange& pathChange);

    /// Builds the next data frame.
    void BuildData(int64_t now, uint32_t id, QueuePair& queuePair, uint32_t frame);
    void ReceiveCnp(int64_t now, uint32_t id, QueuePair& queuePair);
    /// \param side of the acknowledgement, or null
    void ReceiveAck(int64_t now,
                    uint32_t id,
                    QueuePair& queuePair,
                    const Frame& frame,
                    const FrameSide* side);
    /// The event of TransportContext::TimeoutKey().
    void HandleTimeout(int64_t now, uint32_t id, QueuePair& queuePair);

  private:
    /// A queue pair whose loss recovery or congestion control tracks sends is sending a frame.
    /// \param fresh not sent before
    void TrackSend(int64_t now, QueuePair& queuePair, uint32_t frame, uint64_t number, bool fresh);
    /// \returns false if the client has destroyed the queue pair
    bool Progress(int64_t now,
                  uint32_t id,
                  QueuePair& queuePair,
                  uint64_t acked,
                  const Frame& frame,
                  const FrameSide* side);
    void ReceiveSelectiveNak(int64_t now, uint32_t id, QueuePair& queuePair, uint64_t arrived);
    void ReceiveNak(int64_t now, uint32_t id, QueuePair& queuePair);
    void GoBack(int64_t now, uint32_t id, QueuePair& queuePair);
    void Rewind(int64_t now, uint32_t id, QueuePair& queuePair);
    void RepeatOldest(int64_t now, uint32_t id, QueuePair& queuePair);
    /// Creates the state of selective repeat if there is none.
    void EnsureSelectiveRepeat(QueuePair& queuePair);
    /// Advances to the frame that selective repeat sends next.
    static void SetNextFrame(QueuePair& queuePair);
    /// RTO with many frames in flight, backed off like the one with few [ps].
    int64_t GetHighTimeout(const QueuePair& queuePair) const;
    /// Extends a deadline that was set for few frames in flight when there are many. \returns
    /// whether it was moved
    bool ExtendTimeout(int64_t now, QueuePair& queuePair) const;

    TransportContext& m_context;
    RoceCompletions& m_completions;
    RocePathChange& m_pathChange;
};

} // namespace ns3

#endif // GPU_FABRIC_ROCE_REQUESTER_H
