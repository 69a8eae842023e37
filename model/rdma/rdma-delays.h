/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RDMA_DELAYS_H
#define GPU_FABRIC_RDMA_DELAYS_H

#include "ns3/rdma-client.h"
#include "ns3/rdma-records.h"

#include <cstdint>
#include <deque>

namespace ns3
{

/// What a queue pair keeps where NICs take time to begin a message or to report its end
/// (RoceNic::PostDelay, RoceNic::CompletionDelay).
struct RdmaDelays
{
    /// A message that is acknowledged, and of which the requester has yet to be told.
    struct Completion
    {
        TransferRecord record; ///< completedPs: when it is told
        MessageTag tag;
    };

    /// A message that has arrived, and of which the receiver has yet to be told.
    struct Delivery
    {
        int64_t timePs;
        MessageTag tag;
    };

    uint64_t started{0}; ///< messages whose frames may be sent
    std::deque<Completion> completions;
    std::deque<Delivery> deliveries;
};

} // namespace ns3

#endif // GPU_FABRIC_RDMA_DELAYS_H
