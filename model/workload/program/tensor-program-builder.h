/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TENSOR_PROGRAM_BUILDER_H
#define GPU_FABRIC_TENSOR_PROGRAM_BUILDER_H

#include "training-program-builder.h"

#include "ns3/iteration-program.h"
#include "ns3/tensor-schedule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Makes the program of a model's job whose gradients are tensors, one a layer, as ByteScheduler
 * sees them: no buckets, and the forward pass of a layer waits for its own tensor only, whatever
 * the job's `bucket` and `barrier` say (it crosses the barrier; Peng et al., SOSP 2019). Layers
 * without parameters go with the one before them.
 *
 * Compute times, gradients and scale are those of TrainingProgramBuilder. With parameter servers
 * each tensor is a reduction to, and a broadcast from, those that have it, both issued when its
 * gradient is ready: servers stand beside ranks spread over the job, as ParallelProgramBuilder has
 * them.
 */
class TensorProgramBuilder
{
  public:
    /// Why gradients of a job cannot be sent as tensors; empty: they can. The job is one that
    /// TrainingProgramBuilder takes.
    static std::string GetUnsupportedReason(const JobSpec& job);
    /**
     * \param job one for which there is no such reason
     * \param gpus number of its ranks
     * \param options how tensors go to servers
     * \param faults what is wrong, if nothing is returned
     */
    static std::optional<IterationProgram> Build(const JobSpec& job,
                                                 uint32_t gpus,
                                                 const TensorProgramOptions& options,
                                                 std::vector<ProgramFault>& faults);
    /**
     * Turns all-reduces that are tensors into pushes and pulls.
     * \param program of one communicator of all ranks, one program for all of them
     * \param servers number of them, at most the ranks
     */
    static IterationProgram UseServers(const IterationProgram& program,
                                       uint32_t servers,
                                       const TensorProgramOptions& options);
};

} // namespace ns3

#endif // GPU_FABRIC_TENSOR_PROGRAM_BUILDER_H
