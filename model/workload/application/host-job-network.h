/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_HOST_JOB_NETWORK_H
#define GPU_FABRIC_HOST_JOB_NETWORK_H

#include "../../fabric/host-interconnect.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/rdma-verbs.h"

#include <cstdint>
#include <deque>
#include <map>

namespace ns3
{

/**
 * The queue pairs of jobs whose data also cross the hosts: GPU to NIC, network, NIC to GPU.
 *
 * A message moves in segments of HostInterconnect, each an RDMA message of its own, so that the
 * three stages overlap, like the slices of NCCL. At most BufferBytes of a queue pair are between
 * the two GPUs; a segment that has reached the GPU returns its credit CreditDelay later, as NCCL's
 * receiver does with a small message (whose bytes are not simulated). A congested PCIe link at the
 * receiver therefore throttles the sender, and the backlog in a NIC is bounded. Each row of table
 * `transfer` is a segment.
 *
 * A message is delivered when its last segment is in the memory of the GPU, and completed when the
 * receiving NIC has acknowledged the last one.
 */
class HostJobNetwork : public Object, public RdmaVerbs, RdmaClient, HostChannelClient
{
  public:
    static TypeId GetTypeId();

    /// Sets the layers below; all must outlive this object.
    void Build(RdmaVerbs* network, Ptr<HostInterconnect> interconnect, Ptr<Fabric> fabric);

    /// The configuration names the GPUs at both ends.
    uint32_t CreateQueuePair(int64_t now, const QueuePairConfig& config) override;
    void DestroyQueuePair(int64_t now, uint32_t queuePair) override;
    void Abort(uint32_t queuePair) override;
    void Post(int64_t now, uint32_t queuePair, uint64_t bytes, const MessageTag& tag) override;
    void Apply(int64_t now,
               uint32_t queuePair,
               uint16_t udpSourcePort,
               uint8_t priority,
               uint32_t decision) override;

  protected:
    void DoDispose() override;

  private:
    /// A segment of a message.
    struct Segment
    {
        MessageTag tag;
        uint32_t bytes{0};
        bool last{false};
    };

    /// The stages of a queue pair and the segments in each, oldest first.
    struct Pipe
    {
        RdmaClient* client{nullptr};
        uint64_t serial{0}; ///< unlike ids, serial numbers are never reused
        uint32_t sourceNic{0};
        uint32_t toNic{0}; ///< channel
        uint32_t toGpu{0}; ///< channel
        std::deque<MessageTag> fetched;
        std::deque<Segment> inNetwork;
        std::deque<Segment> unacknowledged;
        std::deque<Segment> stored;
    };

    void MessageDelivered(int64_t now, uint32_t queuePair, const MessageTag& tag) override;
    void MessageCompleted(int64_t now, uint32_t queuePair, const MessageTag& tag) override;
    void QueuePairFailed(int64_t now, uint32_t queuePair) override;
    void SegmentArrived(int64_t now, uint32_t channel, const HostSegment& segment) override;
    void ReturnCredit(uint32_t queuePair, uint64_t serial);

    uint64_t m_bufferBytes{0};
    Time m_creditDelay;
    RdmaVerbs* m_network{nullptr};
    Ptr<HostInterconnect> m_interconnect;
    Ptr<Fabric> m_fabric;
    uint64_t m_serial{0};
    std::map<uint32_t, Pipe> m_pipes;             ///< by queue pair
    std::map<uint32_t, uint32_t> m_pairOfChannel; ///< queue pair by channel
};

} // namespace ns3

#endif // GPU_FABRIC_HOST_JOB_NETWORK_H
