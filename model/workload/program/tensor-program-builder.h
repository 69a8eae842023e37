/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TENSOR_PROGRAM_BUILDER_H
#define GPU_FABRIC_TENSOR_PROGRAM_BUILDER_H

#include "iteration-program.h"
#include "training-program-builder.h"

#include "ns3/tensor-schedule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Builds the program of a model's job whose gradients are tensors, one per layer, as in
 * ByteScheduler: there are no buckets, and the forward pass of a layer waits only for its own
 * tensor, whatever the job's `bucket` and `barrier` are (it crosses the barrier; Peng et al., SOSP
 * 2019). Layers without parameters are merged with the previous one.
 *
 * Compute times, gradients and scale are those of TrainingProgramBuilder. With parameter servers,
 * each tensor is a reduction to and a broadcast from the servers that hold it, both issued when its
 * gradient is ready; servers are colocated with ranks spread over the job, as in
 * ParallelProgramBuilder.
 */
class TensorProgramBuilder
{
  public:
    /// Why gradients of a job cannot be sent as tensors; empty if they can. The job must be valid
    /// for TrainingProgramBuilder.
    static std::string GetUnsupportedReason(const JobSpec& job);
    /**
     * \param job a job without such a reason
     * \param gpus number of its ranks
     * \param options how tensors are distributed over servers
     * \param faults what is wrong, if nothing is returned
     */
    static std::optional<IterationProgram> Build(const JobSpec& job,
                                                 uint32_t gpus,
                                                 const TensorProgramOptions& options,
                                                 std::vector<ProgramFault>& faults);
    /**
     * Replaces all-reduces that are tensors by pushes and pulls.
     * \param program with one communicator of all ranks and one program for all of them
     * \param servers number of servers, at most the number of ranks
     */
    static IterationProgram UseServers(const IterationProgram& program,
                                       uint32_t servers,
                                       const TensorProgramOptions& options);
};

} // namespace ns3

#endif // GPU_FABRIC_TENSOR_PROGRAM_BUILDER_H
