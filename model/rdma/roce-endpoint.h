/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROCE_ENDPOINT_H
#define GPU_FABRIC_ROCE_ENDPOINT_H

#include "../fabric/fabric-endpoint.h"
#include "roce-completions.h"
#include "roce-path-change.h"
#include "roce-reader.h"
#include "roce-requester.h"
#include "roce-responder.h"
#include "transport-context.h"

#include "ns3/roce-transport.h"

#include <deque>
#include <vector>

namespace ns3
{

/**
 * The implementation of RoceTransport: creates and frees queue pairs, accepts messages, and
 * dispatches the frames and events of a queue pair to the component responsible.
 */
class RoceEndpoint : public FabricEndpoint, public LaneHandler
{
  public:
    explicit RoceEndpoint(const RdmaTraces& traces);

    /// \name As in RoceTransport
    /// @{
    void Build(Ptr<Fabric> fabric,
               const std::vector<Ptr<RoceNic>>& nics,
               uint64_t seed,
               ApplyTiming timing);
    uint32_t CreateQueuePair(int64_t now, const QueuePairConfig& config);
    void DestroyQueuePair(int64_t now, uint32_t id);
    void Post(int64_t now,
              uint32_t id,
              uint64_t bytes,
              const MessageTag& tag,
              RdmaOperation operation);
    void Apply(int64_t now,
               uint32_t id,
               uint16_t udpSourcePort,
               uint8_t priority,
               uint32_t decision);
    uint16_t GetDefaultUdpSourcePort(uint32_t queuePair) const;
    /// @}

    /// Drops queue pairs, NICs and fabric.
    void Clear();

    TransportContext& GetContext()
    {
        return m_context;
    }

    void PrefetchQueuePair(uint32_t queuePair, QueuePairUse use, uint32_t stage) const override;
    void PrefetchPort(uint32_t port, uint32_t stage) const override;
    uint32_t GetNextQueuePair(uint32_t port, uint32_t& priority) const override;

    void ReceiveFrame(int64_t now, uint32_t port, uint32_t frame) override;
    uint32_t NextFrame(int64_t now, uint32_t port, uint32_t allowed, int64_t& retryAt) override;
    uint32_t GetReadyPriorities(int64_t now, uint32_t port) override;

    /// Does nothing: the RTO checks for a pause when it expires; the port requests frames when it
    /// resumes.
    void PauseChanged(int64_t /* now */, uint32_t /* port */, uint32_t /* pausedMask */) override
    {
    }

    /// Does nothing: the fabric reports the drop; the transport detects it as a real one does.
    void FrameDropped(int64_t /* now */, uint32_t /* frame */) override
    {
    }

    void HandleLaneEvent(int64_t now, uint32_t entity, uint32_t kind) override;
    uint32_t GetLaneContext(uint32_t entity, uint32_t kind) const override;

  private:
    /// A frame has arrived for a queue pair that has failed or no longer exists.
    void Discard(const QueuePair* queuePair, uint32_t frame);
    /// An ACK or NAK has arrived. \param side null if it has none
    void ReceiveAck(int64_t now,
                    uint32_t id,
                    QueuePair& queuePair,
                    const Frame& frame,
                    const FrameSide* side);
    /// The frames of a message may be sent.
    void Start(int64_t now, uint32_t id, QueuePair& queuePair, const RdmaMessage& message);
    /// A pending change of path or priority takes effect; what it held back resumes.
    void TakeChange(int64_t now, uint32_t id, QueuePair& queuePair);
    void HandleDelays(int64_t now, uint32_t id, QueuePair& queuePair);

    TransportContext m_context;
    RocePathChange m_pathChange{m_context};
    RoceCompletions m_completions{m_context};
    RoceResponder m_responder{m_context};
    RoceRequester m_requester{m_context, m_completions, m_pathChange};
    RoceReader m_reader{m_context, m_completions, m_pathChange, m_responder};
    std::deque<RoceFraming> m_framings; ///< those of the NICs, without duplicates
    uint64_t m_seed{1};
};

} // namespace ns3

#endif // GPU_FABRIC_ROCE_ENDPOINT_H
