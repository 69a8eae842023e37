/* SPDX-License-Identifier: GPL-2.0-only */
#include "program-index.h"

namespace ns3
{

ProgramIndex::ProgramIndex(const RankProgram& rankProgram, uint32_t communicators)
    : program(rankProgram),
      collectiveSteps(communicators),
      dependents(program.steps.size()),
      waits(program.steps.size()),
      firstWaits(program.steps.size())
{
    for (uint32_t s = 0; s < program.steps.size(); s++)
    {
        const ProgramStep& step = program.steps[s];
        (step.compute ? computeSteps : collectiveSteps[step.communicator]).push_back(s);
        for (const StepDependency& dependency : step.dependencies)
        {
            dependents[dependency.step].push_back({s, dependency.carry});
            waits[s]++;
            firstWaits[s] += dependency.carry ? 0 : 1;
        }
    }
}

} // namespace ns3
