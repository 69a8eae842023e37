/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/imported-program.h"

#include <algorithm>

namespace ns3
{

namespace
{

uint64_t
MulDiv(uint64_t value, uint64_t numerator, uint64_t denominator)
{
    __extension__ using Product = unsigned __int128;
    return static_cast<uint64_t>(static_cast<Product>(value) * numerator / denominator);
}

std::optional<CollectiveOperation>
FindOperation(const std::string& kind)
{
    for (const CollectiveOperation operation : GetCollectiveOperations())
    {
        if (kind == GetCollectiveOperationName(operation))
        {
            return operation;
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<IterationProgram>
ImportedProgram::Build(const JobSpec& job, std::string& error)
{
    const ImportedWorkload& workload = *job.workload;
    IterationProgram program;
    program.ranks = workload.ranks;
    program.rankProgram = workload.rankProgram;
    program.rankCommunicators = workload.rankGroups;
    for (const std::vector<uint32_t>& ranks : workload.groups)
    {
        CommunicatorSpec communicator;
        communicator.ranks = ranks;
        communicator.channels = job.channels;
        communicator.algorithm = "Auto";
        program.communicators.push_back(std::move(communicator));
    }
    for (const std::vector<ImportedStep>& steps : workload.programs)
    {
        RankProgram& own = program.programs.emplace_back();
        for (const ImportedStep& imported : steps)
        {
            ProgramStep step;
            step.label = imported.label;
            step.compute = imported.kind == "compute";
            step.durationPs =
                static_cast<int64_t>(MulDiv(static_cast<uint64_t>(imported.durationPs),
                                            job.scaleNumerator,
                                            job.scaleDenominator));
            if (!step.compute)
            {
                const auto operation = FindOperation(imported.kind);
                if (!operation)
                {
                    error = "the workload has a step '" + imported.kind + "', which is unknown";
                    return std::nullopt;
                }
                step.operation = *operation;
                step.communicator = imported.slot;
                step.root = imported.root;
                // Not less than a byte: a message that others wait for must be sent.
                step.bytes = std::max<uint64_t>(
                    1,
                    MulDiv(imported.bytes, job.scaleNumerator, job.scaleDenominator));
            }
            for (const auto& [on, carry] : imported.dependencies)
            {
                step.dependencies.push_back({on, carry});
            }
            own.steps.push_back(std::move(step));
        }
    }
    program.gradientBytes =
        MulDiv(workload.gradientBytes, job.scaleNumerator, job.scaleDenominator);
    program.flopPerIteration =
        job.flopPerIteration.value_or(0) * job.scaleNumerator / job.scaleDenominator;
    const std::vector<std::string> faults = program.Validate();
    if (!faults.empty())
    {
        error = faults.front();
        return std::nullopt;
    }
    return program;
}

} // namespace ns3
