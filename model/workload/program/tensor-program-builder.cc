/* SPDX-License-Identifier: GPL-2.0-only */
#include "tensor-program-builder.h"

#include "../../base/share-divider.h"
#include "parallel-program-builder.h"

#include "ns3/abort.h"
#include "ns3/collective-algorithm.h"
#include "ns3/log.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TensorProgramBuilder");

namespace
{

/// The job without buckets and barrier.
JobSpec
MakePlain(const JobSpec& job)
{
    JobSpec plain = job;
    plain.bucket = ByteSize(1);
    plain.firstBucket = ByteSize(1);
    plain.barrier = false;
    plain.parameterServers = 0;
    plain.parallelism = ParallelismSpec();
    return plain;
}

} // namespace

std::string
TensorProgramBuilder::GetUnsupportedReason(const JobSpec& job)
{
    if (job.workload)
    {
        return "its iteration is imported from " + job.workload->file;
    }
    if (job.model.empty())
    {
        return "its iteration is given step by step";
    }
    if (job.overlap != GradientOverlap::BACKWARD)
    {
        return "it reduces its gradients after the backward pass (overlap: none)";
    }
    const ParallelismSpec& spec = job.parallelism;
    if (spec.tensor > 1 || spec.pipeline > 1 || spec.expert > 1 || spec.zero > 0 ||
        spec.microbatches > 1 || spec.microBatch > 0)
    {
        return "it is not plain data parallelism";
    }
    if (job.recompute != Recompute::NONE)
    {
        return "its backward pass repeats the forward pass";
    }
    std::string error;
    const std::optional<ModelProfile> profile =
        job.modelType ? ModelProfile::Make(*job.modelType, job.sequence, error)
                      : ModelProfile::Make(job.model, job.sequence, error);
    if (profile && ParallelProgramBuilder::IsNeeded(MakePlain(job), *profile))
    {
        return "its tables are spread over the GPUs";
    }
    const std::string name = job.collective.typeName;
    const Ptr<CollectiveAlgorithm> algorithm =
        CollectiveAlgorithm::Create(name.empty() ? "Ring" : name);
    if (job.parameterServers == 0 && algorithm &&
        algorithm->DependsOnBytes(CollectiveOperation::ALL_REDUCE))
    {
        return "the algorithm " + name + " has another schedule for each size";
    }
    return "";
}

std::optional<IterationProgram>
TensorProgramBuilder::Build(const JobSpec& job,
                            uint32_t gpus,
                            const TensorProgramOptions& options,
                            std::vector<ProgramFault>& faults)
{
    std::optional<IterationProgram> program =
        TrainingProgramBuilder::Build(MakePlain(job), gpus, faults);
    if (!program)
    {
        return program;
    }
    // Gradients become ready starting from the output.
    uint32_t layer = 0;
    std::vector<ProgramStep>& steps = program->programs.front().steps;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
    {
        if (!step->compute)
        {
            step->tensor = layer++;
        }
    }
    NS_LOG_LOGIC(job.name << ": " << layer << " tensors, " << job.parameterServers << " servers");
    if (job.parameterServers > 0)
    {
        IterationProgram served = UseServers(*program, job.parameterServers, options);
        for (CommunicatorSpec& communicator : served.communicators)
        {
            communicator.channels = job.channels;
        }
        return served;
    }
    return program;
}

IterationProgram
TensorProgramBuilder::UseServers(const IterationProgram& program,
                                 uint32_t servers,
                                 const TensorProgramOptions& options)
{
    NS_ABORT_MSG_IF(servers == 0 || servers > program.ranks || program.programs.size() != 1,
                    servers << " servers for " << program.ranks << " ranks");
    IterationProgram served = program;
    CommunicatorSpec communicator;
    communicator.ranks = program.communicators.front().ranks;
    communicator.algorithm = "Direct";
    served.communicators.assign(2 * size_t{servers}, communicator);
    std::vector<ProgramStep>& steps = served.programs.front().steps;
    steps.clear();
    // By step: the steps that replace it. All steps are appended, so that both lists stay in order.
    std::vector<std::vector<uint32_t>> ends(program.programs.front().steps.size());
    uint32_t tensors = 0;
    for (size_t s = 0; s < ends.size(); s++)
    {
        const ProgramStep& step = program.programs.front().steps[s];
        if (step.compute)
        {
            ends[s].push_back(static_cast<uint32_t>(steps.size()));
            steps.push_back(step);
            continue;
        }
        const uint32_t only = tensors++ % servers;
        for (uint32_t server = 0; server < servers; server++)
        {
            const uint64_t whole = server == only ? step.bytes : 0;
            const uint64_t share = ShareDivider::MulDiv(step.bytes, server + 1, servers) -
                                   ShareDivider::MulDiv(step.bytes, server, servers);
            ProgramStep push = step;
            push.bytes = options.spreads ? share : whole;
            if (push.bytes == 0)
            {
                continue;
            }
            push.label = "push " + std::to_string(step.tensor);
            push.operation = CollectiveOperation::REDUCE;
            push.communicator = 2 * server;
            push.root = static_cast<uint32_t>(uint64_t{server} * program.ranks / servers);
            ProgramStep pull = push;
            pull.label = "pull " + std::to_string(step.tensor);
            pull.operation = CollectiveOperation::BROADCAST;
            pull.communicator = 2 * server + 1;
            steps.push_back(push);
            ends[s].push_back(static_cast<uint32_t>(steps.size()));
            steps.push_back(pull);
        }
    }
    for (ProgramStep& step : steps)
    {
        const std::vector<StepDependency> before = std::exchange(step.dependencies, {});
        for (const StepDependency& dependency : before)
        {
            for (const uint32_t end : ends[dependency.step])
            {
                step.dependencies.push_back({end, dependency.carry});
            }
        }
    }
    return served;
}

} // namespace ns3
