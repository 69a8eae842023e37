/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RUN_FIGURES_H
#define GPU_FABRIC_RUN_FIGURES_H

#include "measuring-window.h"
#include "result-database.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * Figures computed from a run's rows at its end.
 *
 * The FLOP of an interval are W x (compute time in it) / (mean compute time of the job's finished
 * iterations): exact without jitter, and over all iterations with it.
 */
class RunFigures
{
  public:
    /// Rows of `job_utilization`, from `span`, `iteration`, `gpu_allocation` and `job`.
    static void WriteJobUtilization(ResultDatabase& database, uint32_t run);

    /**
     * Rows of `invariant`: "gpu_time_ps" (the sum of all kinds of GPU time, including unallocated
     * time, against gpus x endPs), and "gpu_time_ps gpu<g>" for each GPU whose time is not covered
     * exactly once (expected: endPs; actual: GpuTimeAudit::oncePs).
     */
    static void WriteGpuTimeInvariant(ResultDatabase& database,
                                      uint32_t run,
                                      uint32_t gpus,
                                      int64_t endPs);

    /// Rows of `job_window`; replaces existing ones.
    static void WriteJobWindows(ResultDatabase& database,
                                uint32_t run,
                                int64_t fromPs,
                                int64_t toPs);

    /**
     * Gives compared runs the same measuring window of simulated time: from the latest of their
     * starts to the earliest of their ends; rewrites `run` and `job_window`. If that window is
     * empty, all stay unchanged, and their notes say so. `link_window` and `job_link` keep the
     * window of their run.
     */
    static void UnifyMeasuringWindows(ResultDatabase& database, const std::vector<uint32_t>& runs);
};

} // namespace ns3

#endif // GPU_FABRIC_RUN_FIGURES_H
