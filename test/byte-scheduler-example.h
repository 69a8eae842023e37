/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_BYTE_SCHEDULER_EXAMPLE_H
#define GPU_FABRIC_BYTE_SCHEDULER_EXAMPLE_H

#include "ns3/iteration-program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * The example of ByteScheduler's documents (schedulers.md, section 5): three layers, gradients of
 * 3, 6 and 3 units for layers 2, 1 and 0, a worker (rank 0) and a server (rank 1), which computes
 * nothing. With passes of 2 units, from the start of the backward pass to the end of the next
 * forward pass: 26 units in order, 18 by layer in pieces of one unit.
 * \param unitBytes [byte] \param passPs a forward or backward pass of a layer [ps]
 */
inline IterationProgram
MakeByteSchedulerExample(uint64_t unitBytes, int64_t passPs)
{
    const auto compute = [](int64_t durationPs, std::vector<StepDependency> dependencies) {
        ProgramStep step;
        step.label = "compute";
        step.durationPs = durationPs;
        step.dependencies = std::move(dependencies);
        return step;
    };
    const auto addTensor = [unitBytes](RankProgram& program, uint32_t layer, uint32_t after) {
        ProgramStep step;
        step.compute = false;
        step.label = "push " + std::to_string(layer);
        step.operation = CollectiveOperation::REDUCE;
        step.communicator = 0;
        step.bytes = (layer == 1 ? 6 : 3) * unitBytes;
        step.root = 1;
        step.tensor = layer;
        step.dependencies = {{after, false}};
        program.steps.push_back(step);
        step.label = "pull " + std::to_string(layer);
        step.operation = CollectiveOperation::BROADCAST;
        step.communicator = 1;
        program.steps.push_back(step);
    };
    RankProgram worker;
    for (uint32_t layer = 0; layer < 3; layer++)
    {
        worker.steps.push_back(compute(passPs, {{3 + 3 * (2 - layer) + 2, true}}));
    }
    RankProgram server;
    server.steps.push_back(compute(0, {{2, true}, {4, true}, {6, true}}));
    for (uint32_t layer = 3; layer-- > 0;)
    {
        worker.steps.push_back(compute(passPs, {}));
        addTensor(worker, layer, static_cast<uint32_t>(worker.steps.size() - 1));
        addTensor(server, layer, 0);
    }
    IterationProgram program;
    program.ranks = 2;
    program.communicators = {{{0, 1}, 0, "Direct", {}}, {{0, 1}, 0, "Direct", {}}};
    program.programs = {worker, server};
    program.rankProgram = {0, 1};
    return program;
}

} // namespace ns3

#endif // GPU_FABRIC_BYTE_SCHEDULER_EXAMPLE_H
