/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_NETWORK_H
#define GPU_FABRIC_JOB_NETWORK_H

#include "job-traffic.h"

#include "ns3/rdma-client.h"

#include <cstdint>

namespace ns3
{

/// Path and priority of a flow.
struct FlowSetting
{
    /// "The network's default".
    static constexpr uint8_t DEFAULT_PRIORITY = UINT8_MAX;

    uint16_t udpSourcePort{0}; ///< 0: chosen by the network
    uint8_t priority{DEFAULT_PRIORITY};
};

/// The setting of a flow from its next message on.
struct FlowUpdate
{
    uint32_t flow{0}; ///< index into JobTraffic::flows
    uint16_t udpSourcePort{0};
    uint8_t priority{0};
    uint32_t decision{UINT32_MAX}; ///< number of the decision record behind it, or none
};

/// The queue pairs that jobs use: RoceTransport through RoceJobNetwork, or a stand-in in tests.
class JobNetwork
{
  public:
    virtual ~JobNetwork() = default;

    /// Priority of a flow for which none was set.
    virtual uint8_t GetDefaultPriority() const
    {
        return 0;
    }

    /// Opens a queue pair. \returns a dense id
    virtual uint32_t CreateQueuePair(int64_t now,
                                     uint32_t job,
                                     const JobFlow& flow,
                                     const FlowSetting& setting,
                                     RdmaClient* client) = 0;
    /// Closes a queue pair without outstanding messages.
    virtual void DestroyQueuePair(int64_t now, uint32_t queuePair) = 0;

    /// Aborts the outstanding messages of a queue pair. \returns false if they cannot be aborted
    virtual bool AbortQueuePair(uint32_t /* queuePair */)
    {
        return false;
    }

    /// Sends a message of bytes >= 1; makes no callback before it returns.
    virtual void Post(int64_t now, uint32_t queuePair, uint64_t bytes, const MessageTag& tag) = 0;
    /// Changes path and priority. \param decision row of `decision`
    virtual void Apply(int64_t now,
                       uint32_t queuePair,
                       const FlowSetting& setting,
                       uint32_t decision) = 0;
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_NETWORK_H
