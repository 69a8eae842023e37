/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PARALLEL_PROGRAM_BUILDER_H
#define GPU_FABRIC_PARALLEL_PROGRAM_BUILDER_H

#include "../job-spec.h"
#include "iteration-program.h"
#include "stage-program.h"

#include "ns3/model-profile.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

struct ProgramFault;

/**
 * Builds the iteration program of a model that is partitioned across its GPUs (`parallelism:`),
 * trains with parameter servers, recomputes activations, or has embedding tables: a program for
 * each stage, shared by its ranks (StageProgram), and their communicators (ParallelLayout).
 *
 * The times of layers, for a microbatch on one GPU, come from the first of these that applies:
 * `compute:`, the average over the stages of what a GPU computes in an iteration, divided by MACs;
 * a measured time of the model on that GPU and precision, divided by MACs and by the GPUs that
 * share a layer; GpuRoofline.
 */
class ParallelProgramBuilder
{
  public:
    /// Whether a job goes beyond data-parallel training with all-reduces.
    static bool IsNeeded(const JobSpec& job, const ModelProfile& profile);
    /**
     * \param job with keys that TrainingProgramBuilder has checked
     * \param gpus number of its ranks
     * \param profile its model
     * \param faults what is wrong, if nothing is returned
     */
    static std::optional<IterationProgram> Build(const JobSpec& job,
                                                 uint32_t gpus,
                                                 const ModelProfile& profile,
                                                 std::vector<ProgramFault>& faults);
    /**
     * The program of a training whose parts are consistent.
     * \param channels of collectives; 0: default
     * \param collective algorithm of all-reduces, all-gathers and reduce-scatters, and of
     * all-to-alls if it supports them; none: Ring, and Pairwise for all-to-alls
     */
    static IterationProgram Assemble(const ParallelTraining& training,
                                     uint32_t channels,
                                     const TypedBlock& collective = {});
    /**
     * Compute time of an iteration of the whole model on one GPU [ps]: from `compute:`, or else
     * measured, or else by the roofline.
     * \param samples in the iteration
     * \param faults what is wrong, if nothing is returned
     */
    static std::optional<int64_t> GetComputePs(const JobSpec& job,
                                               const ModelProfile& profile,
                                               uint32_t samples,
                                               std::vector<ProgramFault>& faults);
};

} // namespace ns3

#endif // GPU_FABRIC_PARALLEL_PROGRAM_BUILDER_H
