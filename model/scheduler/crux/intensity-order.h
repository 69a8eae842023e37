/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_INTENSITY_ORDER_H
#define GPU_FABRIC_INTENSITY_ORDER_H

#include "ns3/job-order.h"

namespace ns3
{

/// Greater GPU intensity I = W / t first (Crux, SIGCOMM 2024, section 3, Definition 2).
class IntensityOrder : public JobOrder
{
  public:
    static TypeId GetTypeId();

    void Rank(const ClusterView& view, CandidatePaths& paths, JobRanking& ranking) const override;

    /// Sets inputs (W, t_s, I, bytes) and details (links, heaviest_links) of a job.
    static void Describe(const ClusterTopology& topology, RankedJob& ranked);
};

} // namespace ns3

#endif // GPU_FABRIC_INTENSITY_ORDER_H
