/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RDMA_CLIENT_H
#define GPU_FABRIC_RDMA_CLIENT_H

#include "ns3/rdma-records.h"

#include <cstdint>

namespace ns3
{

/// The operation of a message.
enum class RdmaOperation : uint8_t
{
    WRITE, ///< RDMA WRITE, posted at the NIC that has the data
    SEND,  ///< SEND, posted at the NIC that has the data
    READ   ///< RDMA READ, posted at the NIC that wants the data
};

/// Identifies a message to its client; copied to TransferRecord.
struct MessageTag
{
    uint32_t communicator{NO_ID};
    uint32_t collective{NO_ID};
    uint32_t step{NO_ID};
};

/// The user of a queue pair, notified of its completions and failures. Callbacks come from event
/// handlers, never from inside RoceTransport::Post().
class RdmaClient
{
  public:
    virtual ~RdmaClient() = default;
    /// The last frame of a message has arrived at the receiver; messages come in order.
    virtual void MessageDelivered(int64_t now, uint32_t queuePair, const MessageTag& tag) = 0;
    /// A message is acknowledged at the sender.
    virtual void MessageCompleted(int64_t now, uint32_t queuePair, const MessageTag& tag) = 0;
    /// The queue pair made no progress for RetryTimeout; it sends no more.
    virtual void QueuePairFailed(int64_t now, uint32_t queuePair) = 0;
};

} // namespace ns3

#endif // GPU_FABRIC_RDMA_CLIENT_H
