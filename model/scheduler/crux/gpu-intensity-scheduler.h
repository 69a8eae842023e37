/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_GPU_INTENSITY_SCHEDULER_H
#define GPU_FABRIC_GPU_INTENSITY_SCHEDULER_H

#include "../profiling-scheduler.h"

namespace ns3
{

/**
 * Orders jobs by their GPU intensity (Crux, SIGCOMM 2024, section 3), and optionally chooses their
 * paths in that order (section 4.1). It is the core of Crux, not all of it (CruxScheduler):
 * priorities are the intensities themselves (k = 1 instead of section 4.2), and levels are not
 * compressed over the contention graph (section 4.3): the K - 1 most intense jobs get a level of
 * their own, all others share the lowest.
 *
 * In path selection, the load of a flow is its mean rate: wire bytes of an iteration divided by the
 * shortest possible period of the job, max(compute time, t_j). This is exact if communication hides
 * behind compute or there is no compute, and at most twice the true rate if they do not overlap.
 * With `LoadByVolume`, the load is the wire bytes of an iteration.
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
