/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_GPU_TIME_AUDIT_H
#define GPU_FABRIC_GPU_TIME_AUDIT_H

#include "ns3/job-records.h"
#include "ns3/scheduler-records.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// Whether the spans of a GPU partition its time exactly (semantics.md, "GPU time and
/// utilisation").
struct GpuTimeAudit
{
    int64_t totalPs{0}; ///< sum of all spans and of the time no job holds the GPU [ps]
    int64_t oncePs{0};  ///< time within [0, end) that is covered by exactly one of these, less the
                        ///< time of spans beyond [0, end) [ps]

    /**
     * Sums up one GPU. Both sums are endPs if and only if the spans are correct: a gap and an
     * overlap that cancel in the total show in oncePs, and so does a span outside its job's
     * allocations.
     * \param spans of the GPU, in any order
     * \param allocations of the GPU, in any order
     * \param endPs end of the run [ps]
     */
    static GpuTimeAudit Make(const std::vector<SpanRecord>& spans,
                             const std::vector<GpuAllocationRecord>& allocations,
                             int64_t endPs);
};

} // namespace ns3

#endif // GPU_FABRIC_GPU_TIME_AUDIT_H
