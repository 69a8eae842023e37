/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_FACTORY_H
#define GPU_FABRIC_JOB_FACTORY_H

#include "../workload/application/job-ranks.h"

#include "ns3/cluster-view.h"
#include "ns3/job-spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// The ranks of a job on its GPUs, and what they demand of the network.
struct PlacedJob
{
    Ptr<JobRanks> ranks;
    /// W, compute time, start of communication, loads inside hosts, and flow i at index i without
    /// port and path.
    JobView demand;
};

/// Makes the ranks of jobs: a TrainingJobFactory, or a stand-in that needs no network. GPUs are ids
/// in rank order.
class JobFactory
{
  public:
    virtual ~JobFactory() = default;

    /// Why a job cannot run on some GPUs; empty if it can. The default: it can.
    virtual std::string GetFault(const JobSpec& /* spec */,
                                 const std::vector<uint32_t>& /* gpus */) const
    {
        return "";
    }

    /// The demand of a job if it had some GPUs, as in PlacedJob.
    virtual JobView Estimate(const JobSpec& spec, const std::vector<uint32_t>& gpus) const = 0;
    /**
     * Makes the ranks of a job on the GPUs that it gets.
     * \param id number of the job in the run
     * \param spec the job
     * \param from where it resumes after a failure
     */
    virtual PlacedJob Make(uint32_t id,
                           const JobSpec& spec,
                           const std::vector<uint32_t>& gpus,
                           const JobResumption& from) const = 0;
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_FACTORY_H
