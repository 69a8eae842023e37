/* SPDX-License-Identifier: GPL-2.0-only */
#include "communication-start.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Compute time that must have passed in an iteration before each step of a rank can start [ps].
std::vector<int64_t>
GetReadyTimes(const RankProgram& program)
{
    const std::vector<ProgramStep>& steps = program.steps;
    std::vector<int64_t> ends(steps.size(), 0); // of compute steps, which run in issue order
    int64_t computed = 0;
    for (size_t s = 0; s < steps.size(); s++)
    {
        computed += steps[s].compute ? steps[s].durationPs : 0;
        ends[s] = steps[s].compute ? computed : 0;
    }
    // Steps may depend on later ones in the list: repeat until nothing changes.
    std::vector<int64_t> ready(steps.size(), 0);
    for (bool changed = true; changed;)
    {
        changed = false;
        for (size_t s = 0; s < steps.size(); s++)
        {
            int64_t latest = ready[s];
            for (const StepDependency& dependency : steps[s].dependencies)
            {
                if (!dependency.carry)
                {
                    latest = std::max({latest, ends[dependency.step], ready[dependency.step]});
                }
            }
            changed = changed || latest > ready[s];
            ready[s] = latest;
        }
    }
    return ready;
}

} // namespace

double
GetCommunicationStart(const IterationProgram& program, const std::vector<uint32_t>& hosts)
{
    NS_ABORT_MSG_IF(hosts.size() != program.ranks, "not every rank has a host");
    uint32_t slowest = 0;
    for (uint32_t rank = 1; rank < program.ranks; rank++)
    {
        slowest = program.GetComputePs(rank) > program.GetComputePs(slowest) ? rank : slowest;
    }
    const int64_t computePs = program.ranks > 0 ? program.GetComputePs(slowest) : 0;
    if (computePs == 0)
    {
        return 1;
    }
    const RankProgram& steps = program.GetRankProgram(slowest);
    const std::vector<int64_t> ready = GetReadyTimes(steps);
    int64_t first = computePs;
    for (size_t s = 0; s < steps.steps.size(); s++)
    {
        const ProgramStep& step = steps.steps[s];
        if (step.compute)
        {
            continue;
        }
        const std::vector<uint32_t>& ranks =
            program.communicators[program.GetCommunicator(slowest, step.communicator)].ranks;
        const bool leaves = std::any_of(ranks.begin(), ranks.end(), [&](uint32_t rank) {
            return hosts[rank] != hosts[ranks.front()];
        });
        first = leaves ? std::min(first, ready[s]) : first;
    }
    return static_cast<double>(first) / static_cast<double>(computePs);
}

} // namespace ns3
