/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_GPU_INTENSITY_SCHEDULER_H
#define GPU_FABRIC_GPU_INTENSITY_SCHEDULER_H

#include "../profiling-scheduler.h"

namespace ns3
{

/**
 * Orders jobs by their GPU intensity (Crux, SIGCOMM 2024, section 3), and may choose their paths
 * in that order (section 4.1). It is the heart of Crux, not Crux (CruxScheduler): priorities are
 * the intensities themselves (k = 1 instead of section 4.2), and levels are not compressed over the
 * contention graph (section 4.3): the K - 1 most intense jobs get a level of their own, all others
 * share the lowest.
 *
 * Here the load of a flow in path selection is its mean rate, wire bytes of an iteration over the
 * shortest period that the job can have, max(compute time, t_j): exact where communication hides
 * behind compute or compute is nothing, at most twice the true rate where they do not overlap. With
 * `LoadByVolume` it is the wire bytes of an iteration.
 */
class GpuIntensityScheduler : public ProfilingScheduler
{
  public:
    static TypeId GetTypeId();

  protected:
    Parts GetParts() const override;

  private:
    bool m_selectPaths{false};
    bool m_loadByVolume{false};
};

} // namespace ns3

#endif // GPU_FABRIC_GPU_INTENSITY_SCHEDULER_H
