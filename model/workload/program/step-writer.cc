/* SPDX-License-Identifier: GPL-2.0-only */
#include "step-writer.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

void
StepWriter::Compute(const std::string& label, uint64_t durationPs)
{
    if (m_open && m_waits.empty())
    {
        m_program.steps[m_compute].durationPs += static_cast<int64_t>(durationPs);
        return;
    }
    ProgramStep step;
    step.label = label;
    step.durationPs = static_cast<int64_t>(durationPs);
    for (uint32_t wait : m_waits)
    {
        step.dependencies.push_back({wait, false});
    }
    m_waits.clear();
    m_compute = static_cast<uint32_t>(m_program.steps.size());
    m_open = true;
    m_program.steps.push_back(std::move(step));
}

uint32_t
StepWriter::Issue(const std::string& label,
                  uint32_t slot,
                  CollectiveOperation operation,
                  uint64_t bytes,
                  uint32_t root)
{
    ProgramStep step;
    step.compute = false;
    step.label = label;
    step.communicator = slot;
    step.operation = operation;
    step.bytes = bytes;
    step.root = root;
    const auto index = static_cast<uint32_t>(m_program.steps.size());
    if (m_compute != NONE)
    {
        step.dependencies.push_back({m_compute, false});
    }
    for (uint32_t wait : m_waits)
    {
        step.dependencies.push_back({wait, false});
    }
    if (step.dependencies.empty())
    {
        m_early.push_back(index);
    }
    m_open = false;
    m_program.steps.push_back(std::move(step));
    return index;
}

void
StepWriter::Wait(uint32_t step)
{
    if (std::find(m_waits.begin(), m_waits.end(), step) == m_waits.end())
    {
        m_waits.push_back(step);
    }
}

void
StepWriter::AddDependency(uint32_t step, uint32_t on)
{
    m_program.steps[step].dependencies.push_back({on, false});
}

void
StepWriter::Cut()
{
    m_open = false;
}

void
StepWriter::Close(uint32_t step)
{
    m_closing.push_back(step);
}

RankProgram
StepWriter::Take()
{
    NS_ABORT_MSG_IF(m_compute == NONE, "a program without a compute step");
    // Steps waited for at the end belong to the end of the iteration.
    m_closing.insert(m_closing.end(), m_waits.begin(), m_waits.end());
    std::sort(m_closing.begin(), m_closing.end());
    m_closing.erase(std::unique(m_closing.begin(), m_closing.end()), m_closing.end());
    std::vector<uint32_t> first = m_early;
    first.push_back(
        static_cast<uint32_t>(std::find_if(m_program.steps.begin(),
                                           m_program.steps.end(),
                                           [](const ProgramStep& step) { return step.compute; }) -
                              m_program.steps.begin()));
    for (uint32_t step : first)
    {
        std::vector<StepDependency>& dependencies = m_program.steps[step].dependencies;
        for (uint32_t closing : m_closing)
        {
            dependencies.push_back({closing, true});
        }
        if (!m_program.steps[step].compute)
        {
            dependencies.push_back({m_compute, true});
        }
    }
    m_program.steps.shrink_to_fit();
    return std::move(m_program);
}

} // namespace ns3
