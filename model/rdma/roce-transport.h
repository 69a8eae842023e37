/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROCE_TRANSPORT_H
#define GPU_FABRIC_ROCE_TRANSPORT_H

#include "../engine/event-lane.h"
#include "../fabric/fabric-endpoint.h"
#include "nic-arbiter.h"
#include "queue-pair.h"
#include "roce-completions.h"
#include "roce-reader.h"
#include "roce-requester.h"
#include "roce-responder.h"

#include "ns3/fabric.h"
#include "ns3/object.h"
#include "ns3/rdma-client.h"
#include "ns3/rdma-records.h"
#include "ns3/roce-nic.h"
#include "ns3/traced-callback.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// What a new queue pair is.
struct QueuePairConfig
{
    uint32_t sourceNic{0};      ///< port id
    uint32_t destinationNic{0}; ///< port id
    uint32_t job{NO_ID};        ///< NO_ID for a plain flow
    uint32_t channel{0};
    uint16_t udpSourcePort{0}; ///< 0: a hash of seed and queue pair id in 49152 to 65535
    uint8_t priority{0};
    RdmaClient* client{nullptr};
};

/**
 * RoCEv2 reliable connections of all NICs of a cluster: WRITE, SEND and READ messages, cumulative
 * acknowledgements, go-back-N or selective repeat, retransmission timeout, pacing by congestion
 * control.
 *
 * A queue pair lives as long as its peers do; its congestion-control state outlives a message.
 * State is made when a queue pair is created and freed when it is destroyed; ids are not reused.
 */
class RoceTransport : public Object, public FabricEndpoint, public LaneHandler
{
  public:
    static TypeId GetTypeId();
    RoceTransport();

    /// Class of the transport's events in the lane; entities are queue pairs.
    static constexpr uint32_t LANE_CLASS = RoceResponder::LANE_CLASS;

    /**
     * Ties the transport to a fabric.
     * \param nics by port id; null for ports of switches
     */
    void Build(Ptr<Fabric> fabric, const std::vector<Ptr<RoceNic>>& nics, uint64_t seed);

    /// Makes a queue pair; returns its id.
    uint32_t CreateQueuePair(int64_t now, const QueuePairConfig& config);
    /// Frees a queue pair without messages outstanding (or a failed one); a client may do so when
    /// it is told of the last completion, or of the failure.
    void DestroyQueuePair(int64_t now, uint32_t queuePair);

    /// Makes a queue pair give up; its client, who asks for it, is not told.
    void Abort(uint32_t queuePair)
    {
        m_queuePairs[queuePair]->failed = true;
        m_queuePairs[queuePair]->life = QueuePairLife::FAILED;
    }

    /// Makes a queue pair give up and tells its client, as if its retries were over.
    void Fail(int64_t now, uint32_t queuePair)
    {
        Fail(now, queuePair, *m_queuePairs[queuePair]);
    }

    /**
     * Posts a message of bytes >= 1 [byte]; a READ has at most 2^31. A queue pair that has had a
     * READ takes nothing else, and the reverse.
     */
    void Post(int64_t now,
              uint32_t queuePair,
              uint64_t bytes,
              const MessageTag& tag,
              RdmaOperation operation = RdmaOperation::WRITE);
    /**
     * Gives a live queue pair another path and priority. They take effect at a message boundary:
     * with `drain` the next message waits until everything before it is acknowledged.
     */
    void Apply(int64_t now,
               uint32_t queuePair,
               uint16_t udpSourcePort,
               uint8_t priority,
               uint32_t decision);

    /// Framing of a NIC.
    RoceFraming GetFraming(uint32_t nic) const
    {
        return m_nics[nic]->GetFraming();
    }

    const RdmaTotals& GetTotals() const
    {
        return m_totals;
    }

    /// Counters of a job; all 0 for one without queue pairs.
    JobRdmaCounters GetJobCounters(uint32_t job) const
    {
        return job < m_jobs.size() ? m_jobs[job] : JobRdmaCounters();
    }

    uint32_t GetQueuePairCount() const
    {
        return m_queuePairs.GetCount();
    }

    /// A live queue pair, or null.
    const QueuePair* GetQueuePair(uint32_t id) const
    {
        return m_queuePairs.Find(id);
    }

    /// UDP source port that a queue pair gets where none is asked for.
    uint16_t GetDefaultUdpSourcePort(uint32_t queuePair) const;

    /// The congestion control of a live queue pair, which is made if there is none yet.
    RateController& GetRateController(uint32_t queuePair)
    {
        return GetRate(*m_queuePairs[queuePair]);
    }

    void PrepareQueuePair(uint32_t queuePair, QueuePairUse use, uint32_t stage) const override;
    void PreparePort(uint32_t port, uint32_t stage) const override;
    uint32_t GetNextQueuePair(uint32_t port, uint32_t& priority) const override;

    void ReceiveFrame(int64_t now, uint32_t port, uint32_t frame) override;
    uint32_t NextFrame(int64_t now, uint32_t port, uint32_t allowed, int64_t& retryAt) override;
    uint32_t GetReadyPriorities(int64_t now, uint32_t port) override;

    /// Does nothing: the RTO looks at the pause when it expires; the port asks for frames when it
    /// resumes.
    void PauseChanged(int64_t /* now */, uint32_t /* port */, uint32_t /* pausedMask */) override
    {
    }

    /// Does nothing: the fabric reports it; the transport finds out as a real one does.
    void FrameDropped(int64_t /* now */, uint32_t /* frame */) override
    {
    }

    void HandleLaneEvent(int64_t now, uint32_t entity, uint32_t kind) override;
    uint32_t GetLaneContext(uint32_t entity, uint32_t kind) const override;

    typedef void (*QueuePairCallback)(const QueuePairRecord& record);
    typedef void (*ChangeCallback)(const QueuePairChangeRecord& record);
    typedef void (*TransferCallback)(const TransferRecord& record);

  protected:
    void DoDispose() override;

  private:
    friend class RoceCompletions;
    friend class RoceReader;
    friend class RoceRequester;

    static constexpr uint32_t TIMEOUT_KIND = 0;
    static constexpr uint32_t DELAY_KIND = 2;

    /// Key of a queue pair's retransmission timer.
    static uint32_t TimeoutKey(uint32_t queuePair)
    {
        return EventLane::Key(LANE_CLASS, queuePair, TIMEOUT_KIND);
    }

    /// Key of the next start or completion of a message that takes time.
    static uint32_t DelayKey(uint32_t queuePair)
    {
        return EventLane::Key(LANE_CLASS, queuePair, DELAY_KIND);
    }

    RateController& GetRate(QueuePair& queuePair) const;
    /// A frame has arrived for a queue pair that has failed or is gone.
    void Discard(const QueuePair* queuePair, uint32_t frame);
    void Activate(int64_t now, uint32_t id, QueuePair& queuePair);
    void BuildData(int64_t now, uint32_t id, QueuePair& queuePair, Frame& frame);
    /// The frames of a message may be sent.
    void Start(int64_t now, uint32_t id, QueuePair& queuePair, const RdmaMessage& message);
    void Fail(int64_t now, uint32_t id, QueuePair& queuePair);
    void ApplyChange(int64_t now, uint32_t id, QueuePair& queuePair);
    void EmitEvent(int64_t now,
                   const char* kind,
                   uint32_t id,
                   const QueuePair& queuePair,
                   const char* detail = nullptr);

    Ptr<Fabric> m_fabric;
    Ptr<EventLane> m_lane;
    FramePool* m_frames{nullptr};
    uint64_t m_seed{1};
    std::vector<Ptr<RoceNic>> m_nics;
    std::vector<std::unique_ptr<NicArbiter>> m_arbiters; ///< by port, made when first used
    QueuePairTable m_queuePairs;
    std::deque<RoceFraming> m_framings; ///< of the NICs, each once
    RdmaTotals m_totals;
    std::vector<JobRdmaCounters> m_jobs; ///< by job
    RoceResponder m_responder;
    RoceRequester m_requester{*this};
    RoceReader m_reader{*this};
    RoceCompletions m_completions{*this};

    std::string m_applyDecision;

    TracedCallback<const QueuePairRecord&> m_queuePairTrace;
    TracedCallback<const QueuePairChangeRecord&> m_changeTrace;
    TracedCallback<const TransferRecord&> m_transferTrace;
    TracedCallback<const FabricEventRecord&> m_eventTrace;
};

} // namespace ns3

#endif // GPU_FABRIC_ROCE_TRANSPORT_H
