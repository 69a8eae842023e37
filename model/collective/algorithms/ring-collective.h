/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RING_COLLECTIVE_H
#define GPU_FABRIC_RING_COLLECTIVE_H

#include "ns3/collective-algorithm.h"

#include <vector>

namespace ns3
{

/**
 * Ring all-reduce, all-gather and reduce-scatter on k channels, each its own ring over a k-th of
 * the buffer; broadcast and reduce along the ring cut open at the root, in pieces (a chain).
 *
 * A ring goes host by host in rank order. On each host the GPUs are rotated so that the first and
 * the last of the chain are attached to the NIC of the channel (CollectiveLayout::GetChannelNic);
 * if that NIC serves a single GPU, the chain starts at that GPU. Every edge of a ring carries 2
 * (n-1)/n S/k bytes in an all-reduce of S bytes over n ranks, half of that in an all-gather or
 * reduce-scatter (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
 * workstations", JPDC 2009). Every edge of a chain carries S/k bytes once.
 */
class RingCollective : public CollectiveAlgorithm
{
  public:
    static TypeId GetTypeId();

    bool DependsOnBytes(CollectiveOperation operation) const override;

    /// The ranks of a channel's ring, in the order in which the data travel.
    static std::vector<uint32_t> GetRing(const CollectiveLayout& layout, uint32_t channel);

  private:
    std::string DoGetUnsupportedReason(const CollectiveCall& call,
                                       const CollectiveLayout& layout) const override;
    CollectiveSchedule DoBuild(const CollectiveCall& call,
                               const CollectiveLayout& layout,
                               uint32_t channels) const override;
    CollectiveSchedule BuildChain(const CollectiveCall& call,
                                  const CollectiveLayout& layout,
                                  uint32_t channels) const;

    /// Whether an operation goes along a chain, in pieces.
    static bool IsChain(CollectiveOperation operation);

    uint64_t m_chunkBytes{0};
    uint32_t m_maxTurns{16};
    uint64_t m_pieceBytes{524'288};
    uint32_t m_maxPieces{64};
};

} // namespace ns3

#endif // GPU_FABRIC_RING_COLLECTIVE_H
