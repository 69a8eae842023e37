/* SPDX-License-Identifier: GPL-2.0-only */
#include "job-programs.h"

#include "../../model/workload/program/tensor-program-builder.h"

#include "ns3/abort.h"

namespace ns3
{

bool
JobPrograms::Check(const JobSpec& spec, Diagnostics& diagnostics)
{
    if (m_figures.find(spec.program) != m_figures.end())
    {
        return true;
    }
    std::vector<ProgramFault> faults;
    const auto program = TrainingProgramBuilder::Build(spec, spec.gpus, faults);
    for (const ProgramFault& fault : faults)
    {
        diagnostics.Error(spec.GetMark(fault.key), spec.name + "." + fault.key, fault.what);
    }
    if (program)
    {
        m_figures[spec.program] = {program->flopPerIteration, program->gradientBytes};
    }
    return program.has_value();
}

const JobPrograms::Figures&
JobPrograms::Get(const JobSpec& spec) const
{
    const auto found = m_figures.find(spec.program);
    NS_ABORT_MSG_IF(found == m_figures.end(), "job " << spec.name << " was not checked");
    return found->second;
}

std::function<IterationProgram(const JobSpec&)>
JobPrograms::GetMaker(const std::optional<TensorProgramOptions>& options)
{
    return [options](const JobSpec& spec) { return Make(spec, options); };
}

IterationProgram
JobPrograms::Make(const JobSpec& spec, const std::optional<TensorProgramOptions>& options)
{
    std::vector<ProgramFault> faults;
    auto program = options && TensorProgramBuilder::GetUnsupportedReason(spec).empty()
                       ? TensorProgramBuilder::Build(spec, spec.gpus, *options, faults)
                       : TrainingProgramBuilder::Build(spec, spec.gpus, faults);
    NS_ABORT_MSG_IF(!program, "job " << spec.name << ": " << faults.front().what);
    return std::move(*program);
}

} // namespace ns3
