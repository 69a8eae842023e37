/* SPDX-License-Identifier: GPL-2.0-only */
#include "program-cache.h"

#include "tensor-program-builder.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ProgramCache");

void
ProgramCache::SetTensorOptions(const std::optional<TensorProgramOptions>& options)
{
    m_tensors = options;
    m_programs.clear();
    m_recent.clear();
}

std::shared_ptr<const IterationProgram>
ProgramCache::Find(const JobSpec& spec, bool tensors, std::vector<ProgramFault>& faults)
{
    std::weak_ptr<const IterationProgram>& known = m_programs[{spec.program, tensors}];
    std::shared_ptr<const IterationProgram> program = known.lock();
    if (!program)
    {
        std::optional<IterationProgram> built =
            tensors ? TensorProgramBuilder::Build(spec, spec.gpus, *m_tensors, faults)
                    : TrainingProgramBuilder::Build(spec, spec.gpus, faults);
        if (!built)
        {
            return nullptr;
        }
        m_builds++;
        NS_LOG_INFO("program " << spec.program << " of job " << spec.name << ": " << built->ranks
                               << " ranks, " << built->programs.size() << " different, "
                               << built->communicators.size() << " communicators");
        program = std::make_shared<const IterationProgram>(std::move(*built));
        known = program;
    }
    m_recent.erase(std::remove(m_recent.begin(), m_recent.end(), program), m_recent.end());
    m_recent.push_back(program);
    if (m_recent.size() > MAX_UNUSED)
    {
        m_recent.pop_front();
    }
    return program;
}

bool
ProgramCache::Check(const JobSpec& spec, std::vector<ProgramFault>& faults)
{
    if (m_figures.find(spec.program) != m_figures.end())
    {
        return true;
    }
    const std::shared_ptr<const IterationProgram> program = Find(spec, false, faults);
    if (program)
    {
        m_figures[spec.program] = {program->flopPerIteration, program->gradientBytes};
    }
    return program != nullptr;
}

const ProgramCache::Figures&
ProgramCache::GetFigures(const JobSpec& spec) const
{
    const auto found = m_figures.find(spec.program);
    NS_ABORT_MSG_IF(found == m_figures.end(), "job " << spec.name << " was not checked");
    return found->second;
}

std::shared_ptr<const IterationProgram>
ProgramCache::Get(const JobSpec& spec)
{
    std::vector<ProgramFault> faults;
    const bool tensors = m_tensors && TensorProgramBuilder::GetUnsupportedReason(spec).empty();
    std::shared_ptr<const IterationProgram> program = Find(spec, tensors, faults);
    NS_ABORT_MSG_IF(!program, "job " << spec.name << ": " << faults.front().what);
    return program;
}

} // namespace ns3
