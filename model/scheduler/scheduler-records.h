/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCHEDULER_RECORDS_H
#define GPU_FABRIC_SCHEDULER_RECORDS_H

#include "ns3/fabric-records.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// An event in the life of a job.
struct JobEventRecord
{
    uint32_t job{0};
    int64_t timePs{0};
    std::string kind; ///< arrived, placed, profiled, started, interrupted, restarted, failed,
                      ///< finished
    std::string detail;
};

/// A GPU allocated to a job; emitted when it is released (or the run ends).
struct GpuAllocationRecord
{
    uint32_t gpu{0};
    uint32_t job{0};
    int64_t startPs{0};
    int64_t endPs{0};
};

/// A GPU whose host was down; emitted when the host is back (or the run ends).
struct GpuFailureRecord
{
    uint32_t gpu{0};
    int64_t startPs{0};
    int64_t endPs{0};
};

/// One decision about one job (or one queue pair of it) with what it was based on.
struct DecisionRecord
{
    uint32_t decision{0}; ///< running number
    int64_t timePs{0};
    std::string scheduler; ///< TypeId of the scheduler, placement or collective algorithm
    std::string trigger;   ///< "arrival", "departure", "profiled", "period"
    uint32_t job{NO_ID};
    std::string kind;   ///< "placement", "priority", "path", "shift", "partition", "fallback"
    std::string value;  ///< what was decided, e.g. "level 0" or "leaf0-spine0#3"
    std::string inputs; ///< JSON object: everything a query needs to recompute it
    std::string reason; ///< one sentence
};

} // namespace ns3

#endif // GPU_FABRIC_SCHEDULER_RECORDS_H
