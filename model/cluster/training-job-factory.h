/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TRAINING_JOB_FACTORY_H
#define GPU_FABRIC_TRAINING_JOB_FACTORY_H

#include "../workload/application/training-job.h"
#include "job-factory.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// Makes the training jobs of a run, each on the GPUs that it gets, and computes their demand in
/// bytes on the wire.
class TrainingJobFactory : public JobFactory
{
  public:
    /// Returns the wire bytes of a message with the given number of payload bytes [byte].
    using WireBytes = std::function<uint64_t(uint64_t bytes)>;

    struct Setup
    {
        JobEnvironment* environment{nullptr}; ///< must outlive the jobs
        /// Returns the program of a job, the same one each time (ProgramCache).
        std::function<std::shared_ptr<const IterationProgram>(const JobSpec& spec)> getProgram;
        WireBytes dataWireBytes; ///< of the frames of a message (RoceTransport)
        WireBytes ackWireBytes;  ///< of the ACK frames sent in response
    };

    explicit TrainingJobFactory(Setup setup);

    /// Aborts if the program cannot run on that number of GPUs (TrainingJob::Configure).
    std::string GetFault(const JobSpec& spec, const std::vector<uint32_t>& gpus) const override;
    JobView Estimate(const JobSpec& spec, const std::vector<uint32_t>& gpus) const override;
    /// Aborts if the program cannot run on these GPUs.
    PlacedJob Make(uint32_t id,
                   const JobSpec& spec,
                   const std::vector<uint32_t>& gpus,
                   const JobResumption& from) const override;

  private:
    /// The demand of a program on given GPUs.
    JobView GetDemand(const IterationProgram& program,
                      const std::vector<uint32_t>& gpus,
                      const JobTraffic& traffic) const;

    Setup m_setup;
};

} // namespace ns3

#endif // GPU_FABRIC_TRAINING_JOB_FACTORY_H
