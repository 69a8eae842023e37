/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROCE_JOB_NETWORK_H
#define GPU_FABRIC_ROCE_JOB_NETWORK_H

#include "job-network.h"

#include "ns3/roce-transport.h"

#include <cstdint>

namespace ns3
{

/// The queue pairs of jobs on a RoceTransport.
class RoceJobNetwork : public JobNetwork
{
  public:
    /**
     * \param transport the queue pairs of the cluster
     * \param defaultPriority priority of a flow for which none was set
     */
    RoceJobNetwork(Ptr<RoceTransport> transport, uint8_t defaultPriority);

    uint8_t GetDefaultPriority() const override
    {
        return m_defaultPriority;
    }

    uint32_t CreateQueuePair(int64_t now,
                             uint32_t job,
                             const JobFlow& flow,
                             const FlowSetting& setting,
                             RdmaClient* client) override;
    void DestroyQueuePair(int64_t now, uint32_t queuePair) override;
    bool AbortQueuePair(uint32_t queuePair) override;
    void Post(int64_t now, uint32_t queuePair, uint64_t bytes, const MessageTag& tag) override;
    void Apply(int64_t now,
               uint32_t queuePair,
               const FlowSetting& setting,
               uint32_t decision) override;

  private:
    uint8_t GetPriority(const FlowSetting& setting) const;

    Ptr<RoceTransport> m_transport;
    uint8_t m_defaultPriority;
};

} // namespace ns3

#endif // GPU_FABRIC_ROCE_JOB_NETWORK_H
