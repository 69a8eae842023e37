/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_GPU_INTENSITY_SCHEDULER_H
#define GPU_FABRIC_GPU_INTENSITY_SCHEDULER_H

#include "communication-scheduler.h"
#include "gpu-intensity.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * Orders jobs by their GPU intensity (Crux, SIGCOMM 2024, section 3), and may choose their paths
 * in that order (section 4.1). It is the heart of Crux, not Crux: priorities are the intensities
 * themselves (k = 1 instead of section 4.2), and levels are not compressed over the contention
 * graph (section 4.3): the K - 1 most intense jobs get a level of their own, all others share the
 * lowest.
 *
 * Paths: jobs by intensity, the flows of a job from the largest; each takes, of its equal-cost
 * paths, the one with the smallest (largest utilisation of a link with the flow added, sum of the
 * utilisations of the links without it, index). The paper leaves the measure of congestion open.
 * Here the load of a flow is its mean rate, wire bytes of an iteration over the shortest period
 * that the job can have, max(compute time, t_j): exact where communication hides behind compute or
 * compute is nothing, at most twice the true rate where they do not overlap. With `LoadByVolume`
 * it is the wire bytes of an iteration.
 */
class GpuIntensityScheduler : public CommunicationScheduler
{
  public:
    static TypeId GetTypeId();

    ScheduleDecision Decide(const ClusterView& view) const override;

  private:
    /// A job of the view with its intensity.
    struct RankedJob
    {
        const JobView* job;
        GpuIntensity intensity;
        JobDecision* decision;
    };

    /// Chooses the paths of a job and adds its flows to the loads of the links [bit/s or bit].
    void ChoosePaths(const ClusterTopology& topology,
                     const RankedJob& ranked,
                     CandidatePaths& paths,
                     std::vector<uint64_t>& loads) const;

    uint32_t m_levels{0};
    bool m_selectPaths{false};
    bool m_loadByVolume{false};
};

} // namespace ns3

#endif // GPU_FABRIC_GPU_INTENSITY_SCHEDULER_H
