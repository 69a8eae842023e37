/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PAIRWISE_COLLECTIVE_H
#define GPU_FABRIC_PAIRWISE_COLLECTIVE_H

#include "ns3/collective-algorithm.h"

#include <vector>

namespace ns3
{

/**
 * All-to-all in n-1 steps: in step s rank r sends to rank r+s and receives from rank r-s, and
 * proceeds once it has received. Each message is divided over the channels. A rank sends (n-1)/n S
 * bytes.
 */
class PairwiseCollective : public CollectiveAlgorithm
{
  public:
    static TypeId GetTypeId();

  private:
    std::string DoGetUnsupportedReason(const CollectiveCall& call,
                                       const CollectiveLayout& layout) const override;
    CollectiveSchedule DoBuild(const CollectiveCall& call,
                               const CollectiveLayout& layout,
                               uint32_t channels) const override;

    bool m_pxn{true};
};

} // namespace ns3

#endif // GPU_FABRIC_PAIRWISE_COLLECTIVE_H
