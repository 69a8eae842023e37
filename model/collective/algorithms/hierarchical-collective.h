/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_HIERARCHICAL_COLLECTIVE_H
#define GPU_FABRIC_HIERARCHICAL_COLLECTIVE_H

#include "ns3/collective-algorithm.h"

#include <vector>

namespace ns3
{

/**
 * All-reduce, reduce-scatter and all-gather in two levels: a ring inside each host, and a ring over
 * the hosts for each local GPU, which uses the NIC of that GPU (a rail).
 *
 * With h hosts of g GPUs each, a GPU sends 2 (g-1)/g S bytes inside its host and 2 (h-1)/h S/g
 * bytes between hosts in an all-reduce of S bytes. Every host must have the same number of GPUs.
 * The channels are the rails, regardless of the number requested.
 */
class HierarchicalCollective : public CollectiveAlgorithm
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

#endif // GPU_FABRIC_HIERARCHICAL_COLLECTIVE_H
