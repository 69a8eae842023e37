/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RDMA_DELAYS_H
#define GPU_FABRIC_RDMA_DELAYS_H

#include "ns3/rdma-client.h"
#include "ns3/rdma-records.h"

#include <cstdint>
#include <deque>

namespace ns3
{

/// State of a queue pair whose NICs take time to start a message or to report its completion
/// (RoceNic::PostDelay, RoceNic::CompletionDelay).
struct RdmaDelays
{
    /// A message that is acknowledged but not yet reported to the requester.
    struct Completion
    {
        TransferRecord record; ///< completedPs: when it is reported
        MessageTag tag;
    };

    /// A message that has arrived but is not yet reported to the receiver.
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
