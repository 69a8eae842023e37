/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RDMA_VERBS_H
#define GPU_FABRIC_RDMA_VERBS_H

#include "ns3/rdma-client.h"

#include <cstdint>

namespace ns3
{

/// The configuration of a new queue pair.
struct QueuePairConfig
{
    uint32_t sourceNic{0};      ///< port id
    uint32_t destinationNic{0}; ///< port id
    uint32_t job{NO_ID};        ///< NO_ID for a plain flow
    uint32_t channel{0};
    uint16_t udpSourcePort{0}; ///< 0: a hash of seed and queue pair id in 49152 to 65535
    uint8_t priority{0};
    RdmaClient* client{nullptr};
    uint32_t sourceGpu{NO_ID};      ///< that holds the data; NO_ID: the memory of the host
    uint32_t destinationGpu{NO_ID}; ///< that receives the data; NO_ID: the memory of the host
};

/**
 * What a user does with queue pairs: create and destroy them, post messages, change path and
 * priority. RoceTransport carries messages from NIC to NIC; a layer above may add the way between
 * NIC and GPU.
 */
class RdmaVerbs
{
  public:
    virtual ~RdmaVerbs() = default;
    /// Creates a queue pair. \param now [ps] \returns its id
    virtual uint32_t CreateQueuePair(int64_t now, const QueuePairConfig& config) = 0;
    /// Frees a queue pair that has failed or has no outstanding messages. A client may do so when
    /// notified of the last completion or of the failure. \param now [ps]
    virtual void DestroyQueuePair(int64_t now, uint32_t queuePair) = 0;
    /// Makes a queue pair give up without notifying its client, which is the caller.
    virtual void Abort(uint32_t queuePair) = 0;
    /// Posts a WRITE of bytes >= 1 [byte]; makes no callback before it returns. \param now [ps]
    virtual void Post(int64_t now, uint32_t queuePair, uint64_t bytes, const MessageTag& tag) = 0;
    /**
     * Gives a live queue pair another path and priority.
     * \param now [ps]
     * \param udpSourcePort selects the path; 0: the default of the queue pair
     * \param decision number of the decision record behind it; UINT32_MAX: none
     */
    virtual void Apply(int64_t now,
                       uint32_t queuePair,
                       uint16_t udpSourcePort,
                       uint8_t priority,
                       uint32_t decision) = 0;
};

} // namespace ns3

#endif // GPU_FABRIC_RDMA_VERBS_H
