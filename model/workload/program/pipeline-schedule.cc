/* SPDX-License-Identifier: GPL-2.0-only */
#include "pipeline-schedule.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

std::vector<PipelineTask>
MakePipelineSchedule(uint32_t stages, uint32_t stage, uint32_t microbatches, uint32_t chunks)
{
    NS_ABORT_MSG_IF(stage >= stages || chunks == 0, "no stage " << stage << " of " << stages);
    NS_ABORT_MSG_IF(chunks > 1 && microbatches % stages != 0,
                    microbatches << " microbatches cannot be interleaved on " << stages
                                 << " stages");
    const uint32_t total = microbatches * chunks;
    // With several chunks, microbatches pass through each chunk in groups of the number of stages.
    const auto getTask = [=](bool forward, uint32_t number) {
        if (chunks == 1)
        {
            return PipelineTask{forward, number, 0};
        }
        const uint32_t group = stages * chunks;
        const uint32_t chunk = number % group / stages;
        return PipelineTask{forward,
                            number / group * stages + number % stages,
                            forward ? chunk : chunks - 1 - chunk};
    };
    uint32_t warmup = stages - stage - 1;
    if (chunks > 1)
    {
        warmup = microbatches == stages ? total : 2 * warmup + (chunks - 1) * stages;
    }
    warmup = std::min(warmup, total);
    std::vector<PipelineTask> tasks;
    tasks.reserve(2 * static_cast<size_t>(total));
    for (uint32_t number = 0; number < total + warmup; number++)
    {
        if (number < total)
        {
            tasks.push_back(getTask(true, number));
        }
        if (number >= warmup)
        {
            tasks.push_back(getTask(false, number - warmup));
        }
    }
    return tasks;
}

} // namespace ns3
