/* SPDX-License-Identifier: GPL-2.0-only */
#include "explicit-program-builder.h"

#include "../../base/share-divider.h"
#include "training-program-builder.h"

#include "ns3/log.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ExplicitProgramBuilder");

ExplicitProgramBuilder::ExplicitProgramBuilder(const JobSpec& job, uint32_t gpus)
    : m_job(job),
      m_gpus(gpus),
      m_all(gpus)
{
    std::iota(m_all.begin(), m_all.end(), 0);
    m_program.ranks = gpus;
    FindCommunicator(m_all, "Ring");
}

uint32_t
ExplicitProgramBuilder::FindCommunicator(const std::vector<uint32_t>& ranks,
                                         const std::string& algorithm)
{
    std::vector<CommunicatorSpec>& communicators = m_program.communicators;
    const bool chosen = !m_job.collective.typeName.empty();
    for (uint32_t c = 0; c < communicators.size(); c++)
    {
        if (communicators[c].ranks == ranks && (chosen || communicators[c].algorithm == algorithm))
        {
            return c;
        }
    }
    CommunicatorSpec communicator;
    communicator.ranks = ranks;
    communicator.channels = m_job.channels;
    communicator.algorithm = algorithm;
    if (!m_job.collective.typeName.empty())
    {
        communicator.SetAlgorithm(m_job.collective);
    }
    communicators.push_back(std::move(communicator));
    return static_cast<uint32_t>(communicators.size() - 1);
}

bool
ExplicitProgramBuilder::IsMember(uint32_t rank, uint32_t communicator) const
{
    const std::vector<uint32_t>& ranks = m_program.communicators[communicator].ranks;
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

bool
ExplicitProgramBuilder::CheckRanks(const ProgramStepSpec& spec,
                                   size_t index,
                                   std::vector<ProgramFault>& faults)
{
    const uint32_t last =
        spec.kind == ProgramStepKind::SEND ? std::max(spec.root, spec.to) : spec.root;
    std::string what;
    if (last >= m_gpus)
    {
        what = "there is no rank " + std::to_string(last) + ": the job has ranks 0 to " +
               std::to_string(m_gpus - 1);
    }
    else if (spec.kind == ProgramStepKind::SEND && spec.root == spec.to)
    {
        what = "rank " + std::to_string(spec.to) + " cannot send to itself";
    }
    if (!what.empty())
    {
        faults.push_back({"iteration[" + std::to_string(index) + "]", what});
    }
    return what.empty();
}

bool
ExplicitProgramBuilder::ReadSteps(std::vector<ProgramFault>& faults)
{
    const bool computes =
        std::any_of(m_job.iteration.begin(), m_job.iteration.end(), [](const auto& spec) {
            return spec.kind == ProgramStepKind::COMPUTE;
        });
    if (!computes)
    {
        // An iteration starts with a compute step, so one of zero duration is added.
        m_steps.emplace_back();
        m_steps.back().label = "start";
    }
    ShareDivider times = m_job.scale.GetShares();
    ShareDivider sizes = m_job.scale.GetShares();
    for (size_t i = 0; i < m_job.iteration.size(); i++)
    {
        const ProgramStepSpec& spec = m_job.iteration[i];
        const std::optional<CollectiveOperation> operation = FindOperation(spec.kind);
        ProgramStep step;
        step.label = std::string(ToName(spec.kind)) + " " + std::to_string(m_steps.size());
        if (!operation)
        {
            step.durationPs = static_cast<int64_t>(
                times.Take(static_cast<uint64_t>(spec.duration.GetPicoSeconds())));
            m_computePs += static_cast<uint64_t>(step.durationPs);
        }
        else if (!CheckRanks(spec, i, faults))
        {
            return false;
        }
        else
        {
            step.compute = false;
            step.operation = *operation;
            step.bytes = sizes.Take(spec.bytes.Get());
            step.root = spec.root;
            m_bytes += step.bytes;
            if (*operation == CollectiveOperation::SEND_RECEIVE)
            {
                step.root = 0;
                step.communicator = FindCommunicator({spec.root, spec.to}, "Ring");
                m_messages = true;
            }
            else if (*operation == CollectiveOperation::ALL_TO_ALL)
            {
                step.communicator = FindCommunicator(m_all, "Pairwise");
            }
            else if (*operation == CollectiveOperation::ALL_REDUCE)
            {
                m_program.gradientBytes += step.bytes;
            }
        }
        m_steps.push_back(std::move(step));
    }
    return true;
}

RankProgram
ExplicitProgramBuilder::MakeProgram(uint32_t rank) const
{
    RankProgram program;
    for (const ProgramStep& step : m_steps)
    {
        if (step.compute || IsMember(rank, step.communicator))
        {
            program.steps.push_back(step);
            if (!step.compute && m_messages)
            {
                program.steps.back().communicator = m_program.FindSlot(rank, step.communicator);
            }
        }
    }
    const auto count = static_cast<uint32_t>(program.steps.size());
    for (uint32_t s = 0; s < count; s++)
    {
        program.steps[s].dependencies.push_back({s > 0 ? s - 1 : count - 1, s == 0});
    }
    return program;
}

std::optional<IterationProgram>
ExplicitProgramBuilder::Build(const JobSpec& job, uint32_t gpus, std::vector<ProgramFault>& faults)
{
    ExplicitProgramBuilder builder(job, gpus);
    if (!builder.ReadSteps(faults))
    {
        return std::nullopt;
    }
    if (builder.m_computePs == 0 && (gpus == 1 || builder.m_bytes == 0))
    {
        faults.push_back({"iteration", "an iteration takes no time"});
        return std::nullopt;
    }
    IterationProgram& program = builder.m_program;
    if (builder.m_messages)
    {
        program.rankCommunicators.resize(gpus);
        for (uint32_t c = 0; c < program.communicators.size(); c++)
        {
            for (uint32_t rank : program.communicators[c].ranks)
            {
                program.rankCommunicators[rank].push_back(c);
            }
        }
    }
    uint32_t common = UINT32_MAX; // program of the ranks without messages
    for (uint32_t rank = 0; rank < gpus; rank++)
    {
        const bool alone =
            std::any_of(builder.m_steps.begin(),
                        builder.m_steps.end(),
                        [rank, &builder](const ProgramStep& step) {
                            return step.operation == CollectiveOperation::SEND_RECEIVE &&
                                   builder.IsMember(rank, step.communicator);
                        });
        if (alone || common == UINT32_MAX)
        {
            program.programs.push_back(builder.MakeProgram(rank));
        }
        const auto last = static_cast<uint32_t>(program.programs.size() - 1);
        common = !alone && common == UINT32_MAX ? last : common;
        program.rankProgram.push_back(alone ? last : common);
    }
    program.flopPerIteration = job.scale.Of(job.flopPerIteration.value_or(0));
    NS_LOG_LOGIC(job.name << ": " << builder.m_steps.size() << " steps, " << program.programs.size()
                          << " different programs for " << gpus << " ranks");
    return std::move(program);
}

} // namespace ns3
