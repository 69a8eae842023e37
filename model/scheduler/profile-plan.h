/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PROFILE_PLAN_H
#define GPU_FABRIC_PROFILE_PLAN_H

#include <cstdint>

namespace ns3
{

/// How new jobs are measured for a scheduler.
struct ProfilePlan
{
    uint32_t iterations{0}; ///< in the top level, the first of which is dropped; 0: no job is
                            ///< measured
    int64_t intervalPs{0};  ///< between two readings of what a job has sent [ps]
};

} // namespace ns3

#endif // GPU_FABRIC_PROFILE_PLAN_H
