/* SPDX-License-Identifier: GPL-2.0-only */
#include "imported-program.h"

#include "../models/gpu-roofline.h"

#include <algorithm>
#include <set>

namespace ns3
{

std::optional<IterationProgram>
ImportedProgram::Build(const JobSpec& job, std::string& error)
{
    const ImportedWorkload& workload = *job.workload;
    const GpuLimits& gpu = GpuRoofline::GetLimits(job.gpuType);
    const Ptr<GpuRoofline> roofline = CreateObject<GpuRoofline>();
    IterationProgram program;
    program.ranks = workload.ranks;
    program.rankProgram = workload.rankProgram;
    program.rankCommunicators = workload.rankGroups;
    for (std::size_t group = 0; group < workload.groups.size(); group++)
    {
        CommunicatorSpec communicator;
        communicator.ranks = workload.groups[group];
        communicator.depth = workload.depths.empty() ? 1 : workload.depths[group];
        communicator.channels = job.channels;
        if (!job.collective.typeName.empty())
        {
            communicator.SetAlgorithm(job.collective);
        }
        program.communicators.push_back(std::move(communicator));
    }
    std::vector<std::set<uint32_t>> slots; // by program: slots with an all-to-all
    for (const std::vector<ImportedStep>& steps : workload.programs)
    {
        RankProgram& own = program.programs.emplace_back();
        std::set<uint32_t>& exchanges = slots.emplace_back();
        for (const ImportedStep& imported : steps)
        {
            ProgramStep step;
            step.label = imported.label;
            const auto operation = FindOperation(imported.kind);
            step.compute = !operation;
            int64_t durationPs = imported.durationPs;
            if (imported.work)
            {
                if (GpuRoofline::GetPeak(gpu, job.precision) <= 0)
                {
                    error = "compute times cannot be estimated: GPU " +
                            std::string(ToName(job.gpuType)) + " does not support " +
                            ToName(job.precision);
                    return std::nullopt;
                }
                durationPs = roofline->GetKernelPs(gpu,
                                                   job.precision,
                                                   imported.work->operations,
                                                   imported.work->bytes);
            }
            step.durationPs = static_cast<int64_t>(job.scale.Of(static_cast<uint64_t>(durationPs)));
            if (!step.compute)
            {
                step.operation = *operation;
                step.communicator = imported.slot;
                if (*operation == CollectiveOperation::ALL_TO_ALL)
                {
                    exchanges.insert(imported.slot);
                }
                step.root = imported.root;
                // At least one byte: a message that others wait for must be sent.
                step.bytes = std::max<uint64_t>(1, job.scale.Of(imported.bytes));
            }
            for (const auto& [on, carry] : imported.dependencies)
            {
                step.dependencies.push_back({on, carry});
            }
            own.steps.push_back(std::move(step));
        }
    }
    TypedBlock exchange;
    exchange.typeName = "Auto";
    for (uint32_t rank = 0; rank < workload.ranks; rank++)
    {
        for (const uint32_t slot : slots[workload.rankProgram[rank]])
        {
            // Ring does not support all-to-all.
            program.communicators[workload.rankGroups[rank][slot]].SetAlgorithm(exchange);
        }
    }
    program.gradientBytes = job.scale.Of(workload.gradientBytes);
    program.flopPerIteration = job.scale.Of(job.flopPerIteration.value_or(0));
    const std::vector<std::string> faults = program.Validate();
    if (!faults.empty())
    {
        error = faults.front();
        return std::nullopt;
    }
    return program;
}

} // namespace ns3
