/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DIRECT_COLLECTIVE_H
#define GPU_FABRIC_DIRECT_COLLECTIVE_H

#include "ns3/collective-algorithm.h"

#include <vector>

namespace ns3
{

/**
 * Every rank sends to all others at once; each message is divided over the channels.
 *
 * All-gather, reduce-scatter, all-to-all: one step, (n-1)/n S bytes per rank. All-reduce of small
 * buffers: one step, in which every rank sends its whole buffer to all others, which add up by
 * themselves, (n-1) S bytes per rank. All-reduce of larger buffers: a direct reduce-scatter
 * followed by a direct all-gather, 2 (n-1)/n S. Broadcast and reduce: one step from or to the root.
 */
class DirectCollective : public CollectiveAlgorithm
{
  public:
    static TypeId GetTypeId();

    bool DependsOnBytes(CollectiveOperation operation) const override;

  private:
    std::string DoGetUnsupportedReason(const CollectiveCall& call,
                                       const CollectiveLayout& layout) const override;
    CollectiveSchedule DoBuild(const CollectiveCall& call,
                               const CollectiveLayout& layout,
                               uint32_t channels) const override;
    CollectiveSchedule BuildExchange(const CollectiveCall& call,
                                     const CollectiveLayout& layout,
                                     uint32_t channels) const;
    CollectiveSchedule BuildOneStep(const CollectiveCall& call,
                                    uint32_t ranks,
                                    uint32_t channels) const;

    uint64_t m_oneStepMaxBytes{32'768};
    bool m_pxn{true};
};

} // namespace ns3

#endif // GPU_FABRIC_DIRECT_COLLECTIVE_H
