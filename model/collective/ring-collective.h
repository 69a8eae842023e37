/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RING_COLLECTIVE_H
#define GPU_FABRIC_RING_COLLECTIVE_H

#include "ns3/collective-algorithm.h"

#include <vector>

namespace ns3
{

/**
 * Ring all-reduce, all-gather and reduce-scatter on k channels, each its own ring over a k-th of
 * the buffer.
 *
 * A ring goes host by host in rank order. On each host the GPUs are rotated so that the first and
 * the last of the chain are attached to the NIC of the channel (CollectiveLayout::GetChannelNic);
 * where that NIC serves one GPU the chain starts at it. Every edge of a ring carries
 * 2 (n-1)/n S/k bytes in an all-reduce of S bytes over n ranks, half of that in the two others
 * (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations",
 * JPDC 2009).
 */
class RingCollective : public CollectiveAlgorithm
{
  public:
    static TypeId GetTypeId();

    bool Supports(CollectiveOperation operation, uint32_t ranks) const override;
    CollectiveSchedule Build(CollectiveOperation operation,
                             const CollectiveLayout& layout,
                             uint32_t channels) const override;

    /// The ranks of a channel's ring, in the order in which the data go round.
    static std::vector<uint32_t> GetRing(const CollectiveLayout& layout, uint32_t channel);
};

} // namespace ns3

#endif // GPU_FABRIC_RING_COLLECTIVE_H
