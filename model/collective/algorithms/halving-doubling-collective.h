/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_HALVING_DOUBLING_COLLECTIVE_H
#define GPU_FABRIC_HALVING_DOUBLING_COLLECTIVE_H

#include "ns3/collective-algorithm.h"

#include <vector>

namespace ns3
{

/**
 * Recursive halving and doubling: all-reduce, reduce-scatter and all-gather in log2(p) steps each
 * way, where p is the largest power of two not above the number of ranks n.
 *
 * An all-reduce first exchanges halves with the nearest rank, then quarters with a rank two away,
 * and so on, so that the largest messages stay within hosts; a rank sends 2 (p-1)/p S bytes. If n >
 * p, the first n - p even ranks send their data to the next rank and receive the result from it
 * (Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH",
 * IJHPCA 2005, section 4.5). Each message is divided over the channels.
 */
class HalvingDoublingCollective : public CollectiveAlgorithm
{
  public:
    static TypeId GetTypeId();

    double EstimateMessages(const CollectiveCall& call,
                            const CollectiveLayout& layout,
                            uint32_t channels) const override;

  private:
    std::string DoGetUnsupportedReason(const CollectiveCall& call,
                                       const CollectiveLayout& layout) const override;
    CollectiveSchedule DoBuild(const CollectiveCall& call,
                               const CollectiveLayout& layout,
                               uint32_t channels) const override;
};

} // namespace ns3

#endif // GPU_FABRIC_HALVING_DOUBLING_COLLECTIVE_H
