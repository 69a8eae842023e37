/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_NO_ORDER_H
#define GPU_FABRIC_NO_ORDER_H

#include "ns3/job-order.h"

namespace ns3
{

/// All jobs are equal and share the best level.
class NoOrder : public JobOrder
{
  public:
    static TypeId GetTypeId();

    void Rank(const ClusterView& view, CandidatePaths& paths, JobRanking& ranking) const override;
};

} // namespace ns3

#endif // GPU_FABRIC_NO_ORDER_H
