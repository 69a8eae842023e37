/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_CHECK_H
#define GPU_FABRIC_JOB_CHECK_H

#include "../workload/job-spec.h"
#include "job.h"
#include "until-jobs.h"

#include "ns3/placement-policy.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// Finds jobs that can never run on a cluster, and draws the arrival times of jobs.
class JobCheck
{
  public:
    /**
     * \param placement allocates GPUs on the empty cluster
     * \param seed of the run
     * \param jobs by id
     * \param untilJobs the jobs that they run until
     * \returns (job, one sentence) for each job that does not fit on the empty cluster, whose
     *          `until` names no job, or whose end depends on its own
     */
    static std::vector<std::pair<uint32_t, std::string>> Find(const ClusterTopology& topology,
                                                              const PlacementPolicy& placement,
                                                              uint64_t seed,
                                                              const std::vector<Ptr<Job>>& jobs,
                                                              const UntilJobs& untilJobs);

    /// Arrival [ps], a function of (seed, job name) within a range. Aborts if the range is invalid.
    static int64_t DrawArrival(uint64_t seed, const std::string& name, const TimeRange& range);
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_CHECK_H
