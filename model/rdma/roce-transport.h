/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROCE_TRANSPORT_H
#define GPU_FABRIC_ROCE_TRANSPORT_H

#include "ns3/fabric-records.h"
#include "ns3/object.h"
#include "ns3/rdma-records.h"
#include "ns3/rdma-verbs.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

class Fabric;
class FabricEndpoint;
struct QueuePair;
class RateController;
class RoceEndpoint;
class RoceNic;
struct RoceFraming;

/// When a new path or priority of a live queue pair takes effect.
enum class ApplyTiming : uint8_t
{
    DRAIN,        ///< at a message boundary, once everything before it is acknowledged
    NEXT_MESSAGE, ///< at a message boundary
    AT_ONCE       ///< with the next frame
};

/**
 * RoCEv2 reliable connections of all NICs of a cluster: WRITE, SEND and READ messages, cumulative
 * acknowledgements, go-back-N or selective repeat, retransmission timeouts, pacing by congestion
 * control.
 *
 * A queue pair lives as long as its peers do; its congestion-control state persists across
 * messages. State is allocated when a queue pair is created and freed when it is destroyed; ids are
 * not reused.
 */
class RoceTransport : public Object, public RdmaVerbs
{
  public:
    static TypeId GetTypeId();
    RoceTransport();
    ~RoceTransport() override;

    /**
     * Connects the transport to a fabric.
     * \param nics by port id; null for ports of switches
     */
    void Build(Ptr<Fabric> fabric, const std::vector<Ptr<RoceNic>>& nics, uint64_t seed);

    /// The endpoint through which the fabric delivers and fetches frames.
    FabricEndpoint& GetEndpoint();

    uint32_t CreateQueuePair(int64_t now, const QueuePairConfig& config) override;
    void DestroyQueuePair(int64_t now, uint32_t queuePair) override;
    void Abort(uint32_t queuePair) override;
    /// Makes a queue pair give up and notifies its client, as if its retries were exhausted.
    void Fail(int64_t now, uint32_t queuePair);
    void Post(int64_t now, uint32_t queuePair, uint64_t bytes, const MessageTag& tag) override;
    /**
     * Posts a message of bytes >= 1 [byte]; a READ has at most 2^31. READs do not share a queue
     * pair with other operations: the first message decides which it carries.
     */
    void Post(int64_t now,
              uint32_t queuePair,
              uint64_t bytes,
              const MessageTag& tag,
              RdmaOperation operation);
    /// The attribute ApplyDecision determines when they take effect.
    void Apply(int64_t now,
               uint32_t queuePair,
               uint16_t udpSourcePort,
               uint8_t priority,
               uint32_t decision) override;

    /// Framing of a NIC.
    RoceFraming GetFraming(uint32_t nic) const;
    const RdmaTotals& GetTotals() const;
    /// Counters of a job; all 0 if it has no queue pairs.
    JobRdmaCounters GetJobCounters(uint32_t job) const;
    /// Number of queue pairs ever created.
    uint32_t GetQueuePairCount() const;
    /// A live queue pair, or null.
    const QueuePair* GetQueuePair(uint32_t id) const;
    /// The UDP source port of a queue pair for which none was requested.
    uint16_t GetDefaultUdpSourcePort(uint32_t queuePair) const;
    /// The congestion control of a live queue pair, created if it does not exist yet.
    RateController& GetRateController(uint32_t queuePair);

    typedef void (*QueuePairCallback)(const QueuePairRecord& record);
    typedef void (*ChangeCallback)(const QueuePairChangeRecord& record);
    typedef void (*TransferCallback)(const TransferRecord& record);
    typedef void (*MessageCallback)(const MessageRecord& record);
    typedef void (*CongestionCallback)(const CongestionRecord& record);

  protected:
    void DoDispose() override;

  private:
    TracedCallback<const QueuePairRecord&> m_queuePairTrace;
    TracedCallback<const QueuePairChangeRecord&> m_changeTrace;
    TracedCallback<const TransferRecord&> m_transferTrace;
    TracedCallback<const FabricEventRecord&> m_eventTrace;
    TracedCallback<const MessageRecord&> m_postedTrace;
    TracedCallback<const MessageRecord&> m_deliveredTrace;
    TracedCallback<const CongestionRecord&> m_cnpTrace;
    TracedCallback<const CongestionRecord&> m_rateTrace;
    TracedCallback<const CongestionRecord&> m_rttTrace;
    ApplyTiming m_applyTiming;
    std::unique_ptr<RoceEndpoint> m_endpoint;
};

} // namespace ns3

#endif // GPU_FABRIC_ROCE_TRANSPORT_H
