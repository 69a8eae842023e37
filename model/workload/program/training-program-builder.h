/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TRAINING_PROGRAM_BUILDER_H
#define GPU_FABRIC_TRAINING_PROGRAM_BUILDER_H

#include "../job-spec.h"
#include "iteration-program.h"

#include "ns3/model-profile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// A fault of a job of a scenario.
struct ProgramFault
{
    std::string key;  ///< key of the job, for JobSpec::GetMark()
    std::string what; ///< one sentence without a full stop
};

/**
 * Builds the iteration program of a job.
 *
 * A model's job is data-parallel training: the forward pass takes a third of the compute time, the
 * backward pass two thirds, each divided among the layers by their MACs. Gradients are reduced in
 * buckets of whole layers, filled from the last layer on, as PyTorch's DistributedDataParallel does
 * (Li et al., VLDB 2020); a bucket is closed when it has reached its size and reduced when the
 * backward pass of its last layer has ended. `overlap: none`: a single all-reduce of everything
 * after the backward pass. The next forward pass waits for all reductions, or with `barrier: false`
 * the layers of a bucket for that bucket.
 *
 * For anything beyond data parallelism, ParallelProgramBuilder builds the program.
 *
 * The steps of an explicit `iteration:` run one after the other.
 *
 * `scale: n/d` multiplies compute, bytes and W alike by n/d. Sums are exact: the compute steps add
 * up to the compute time, the buckets to the gradients.
 */
class TrainingProgramBuilder
{
  public:
    /**
     * \param job the job of the scenario
     * \param gpus number of its ranks
     * \param faults what is wrong, if nothing is returned
     */
    static std::optional<IterationProgram> Build(const JobSpec& job,
                                                 uint32_t gpus,
                                                 std::vector<ProgramFault>& faults);

    /// A bucket of gradients: layers first to last, in forward order.
    struct Bucket
    {
        uint32_t firstLayer{0};
        uint32_t lastLayer{0};
        uint64_t bytes{0}; ///< [byte]; 0: layers without gradients that precede all others
    };

    /**
     * Fills the buckets, starting from the last layer.
     * \param layers in forward order
     * \param bytesPerParameter 4 or 2
     * \param firstBytes size that closes the first bucket [byte]
     * \param bucketBytes size that closes any other [byte]
     */
    static std::vector<Bucket> FillBuckets(const std::vector<ModelLayer>& layers,
                                           uint32_t bytesPerParameter,
                                           uint64_t firstBytes,
                                           uint64_t bucketBytes);
};

} // namespace ns3

#endif // GPU_FABRIC_TRAINING_PROGRAM_BUILDER_H
