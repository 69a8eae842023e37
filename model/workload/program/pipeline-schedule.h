/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PIPELINE_SCHEDULE_H
#define GPU_FABRIC_PIPELINE_SCHEDULE_H

#include <cstdint>
#include <vector>

namespace ns3
{

/// A forward or backward pass of a microbatch through a chunk of a stage.
struct PipelineTask
{
    bool forward{true};
    uint32_t microbatch{0};
    uint32_t chunk{0};
};

/**
 * The passes of a stage in order: one forward, one backward (1F1B) after a warm-up, or, with
 * several chunks per stage, interleaved 1F1B, whose bubble is smaller by a factor of the number of
 * chunks (Narayanan et al., "Efficient large-scale language model training on GPU clusters", SC
 * 2021, section 2.2; megatron/core/pipeline_parallel/schedules.py).
 * \param stages stages of the pipeline
 * \param stage the stage, from 0
 * \param microbatches per iteration; a multiple of stages if there are several chunks
 * \param chunks parts of the model that a stage holds
 */
std::vector<PipelineTask> MakePipelineSchedule(uint32_t stages,
                                               uint32_t stage,
                                               uint32_t microbatches,
                                               uint32_t chunks);

} // namespace ns3

#endif // GPU_FABRIC_PIPELINE_SCHEDULE_H
