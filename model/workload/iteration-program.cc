/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/iteration-program.h"

#include <algorithm>
#include <map>

namespace ns3
{

namespace
{

constexpr size_t MAX_STEPS = size_t{1} << 20;

/// Checks one program apart from the others.
class ProgramChecker
{
  public:
    ProgramChecker(const IterationProgram& program, std::vector<std::string>& faults)
        : m_program(program),
          m_faults(faults)
    {
    }

    void CheckSteps(uint32_t index)
    {
        const std::vector<ProgramStep>& steps = m_program.programs[index].steps;
        const std::string where = "program " + std::to_string(index) + ", step ";
        bool computes = false;
        if (steps.size() >= MAX_STEPS)
        {
            m_faults.push_back("program " + std::to_string(index) + " has too many steps");
        }
        for (size_t s = 0; s < steps.size(); s++)
        {
            const ProgramStep& step = steps[s];
            const std::string name = where + std::to_string(s) + " (" + step.label + ")";
            computes = computes || step.compute;
            if (step.compute && step.durationPs < 0)
            {
                m_faults.push_back(name + " has a negative duration");
            }
            if (!step.compute && step.communicator >= m_program.communicators.size())
            {
                m_faults.push_back(name + " uses communicator " +
                                   std::to_string(step.communicator) + ", which does not exist");
            }
            std::vector<std::pair<uint32_t, bool>> seen;
            for (const StepDependency& dependency : step.dependencies)
            {
                if (dependency.step >= steps.size())
                {
                    m_faults.push_back(name + " depends on step " +
                                       std::to_string(dependency.step) + ", which does not exist");
                }
                seen.emplace_back(dependency.step, dependency.carry);
            }
            std::sort(seen.begin(), seen.end());
            if (std::adjacent_find(seen.begin(), seen.end()) != seen.end())
            {
                m_faults.push_back(name + " names a dependency twice");
            }
        }
        if (!computes)
        {
            m_faults.push_back("program " + std::to_string(index) +
                               " has no compute step, so that its iterations have no start");
        }
    }

    /// A collective that waits for no compute step would be issued for all iterations at once.
    void CheckPaced(uint32_t index)
    {
        const std::vector<ProgramStep>& steps = m_program.programs[index].steps;
        std::vector<uint8_t> paced(steps.size());
        for (bool changed = true; changed;)
        {
            changed = false;
            for (size_t s = 0; s < steps.size(); s++)
            {
                const bool now = steps[s].compute || std::any_of(steps[s].dependencies.begin(),
                                                                 steps[s].dependencies.end(),
                                                                 [&paced](const StepDependency& d) {
                                                                     return paced[d.step] != 0;
                                                                 });
                if (now && !paced[s])
                {
                    paced[s] = 1;
                    changed = true;
                }
            }
        }
        for (size_t s = 0; s < steps.size(); s++)
        {
            if (!paced[s])
            {
                m_faults.push_back("program " + std::to_string(index) + ", step " +
                                   std::to_string(s) + " (" + steps[s].label +
                                   ") waits for no compute step, directly or through others");
            }
        }
    }

  private:
    const IterationProgram& m_program;
    std::vector<std::string>& m_faults;
};

/**
 * Steps of an iteration as nodes of a graph: compute steps by rank, collectives once for all
 * their ranks. Runs them; what is left over waits for itself.
 */
class DeadlockFinder
{
  public:
    explicit DeadlockFinder(const IterationProgram& program)
        : m_program(program)
    {
    }

    /// A step that never runs: (rank, step); (UINT32_MAX, 0): none.
    std::pair<uint32_t, uint32_t> Find()
    {
        AddNodes();
        for (uint32_t rank = 0; rank < m_program.ranks; rank++)
        {
            AddEdges(rank);
        }
        std::vector<uint32_t> ready;
        for (uint32_t node = 0; node < m_waits.size(); node++)
        {
            if (m_waits[node] == 0)
            {
                ready.push_back(node);
            }
        }
        for (size_t i = 0; i < ready.size(); i++)
        {
            for (uint32_t next : m_next[ready[i]])
            {
                if (--m_waits[next] == 0)
                {
                    ready.push_back(next);
                }
            }
        }
        for (uint32_t rank = 0; rank < m_program.ranks; rank++)
        {
            for (uint32_t s = 0; s < m_nodes[rank].size(); s++)
            {
                if (m_waits[m_nodes[rank][s]] > 0)
                {
                    return {rank, s};
                }
            }
        }
        return {UINT32_MAX, 0};
    }

  private:
    void AddNodes()
    {
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> collectives;
        m_nodes.resize(m_program.ranks);
        for (uint32_t rank = 0; rank < m_program.ranks; rank++)
        {
            std::vector<uint32_t> issued(m_program.communicators.size());
            for (const ProgramStep& step : m_program.GetRankProgram(rank).steps)
            {
                uint32_t node = static_cast<uint32_t>(m_waits.size());
                if (!step.compute)
                {
                    const auto key = std::make_pair(step.communicator, issued[step.communicator]++);
                    node = collectives.emplace(key, node).first->second;
                }
                if (node == m_waits.size())
                {
                    m_waits.push_back(0);
                    m_next.emplace_back();
                }
                m_nodes[rank].push_back(node);
            }
        }
    }

    void AddEdge(uint32_t from, uint32_t to)
    {
        m_next[from].push_back(to);
        m_waits[to]++;
    }

    void AddEdges(uint32_t rank)
    {
        const std::vector<ProgramStep>& steps = m_program.GetRankProgram(rank).steps;
        // The step before on the same stream: compute, or one of the communicators.
        std::vector<int64_t> last(m_program.communicators.size() + 1, -1);
        for (uint32_t s = 0; s < steps.size(); s++)
        {
            int64_t& before = last[steps[s].compute ? 0 : steps[s].communicator + 1];
            if (before >= 0)
            {
                AddEdge(m_nodes[rank][before], m_nodes[rank][s]);
            }
            before = s;
            for (const StepDependency& dependency : steps[s].dependencies)
            {
                if (!dependency.carry)
                {
                    AddEdge(m_nodes[rank][dependency.step], m_nodes[rank][s]);
                }
            }
        }
    }

    const IterationProgram& m_program;
    std::vector<std::vector<uint32_t>> m_nodes; ///< by rank and step
    std::vector<uint32_t> m_waits;
    std::vector<std::vector<uint32_t>> m_next;
};

/// What a rank does on a communicator in an iteration.
std::vector<CollectiveCall>
GetCollectives(const RankProgram& program, uint32_t communicator)
{
    std::vector<CollectiveCall> collectives;
    for (const ProgramStep& step : program.steps)
    {
        if (!step.compute && step.communicator == communicator)
        {
            collectives.push_back({step.operation, step.bytes, step.root, {}});
        }
    }
    return collectives;
}

/// Checks that the members of a communicator, and no others, issue the same collectives on it.
void
CheckCommunicator(const IterationProgram& program, uint32_t index, std::vector<std::string>& faults)
{
    const std::string name = "communicator " + std::to_string(index);
    std::vector<uint8_t> member(program.ranks);
    for (uint32_t rank : program.communicators[index].ranks)
    {
        if (rank >= program.ranks || member[rank])
        {
            faults.push_back(name + " has rank " + std::to_string(rank) +
                             (rank < program.ranks ? " twice" : ", which does not exist"));
            return;
        }
        member[rank] = 1;
    }
    if (program.communicators[index].ranks.empty())
    {
        faults.push_back(name + " has no ranks");
        return;
    }
    std::vector<std::vector<CollectiveCall>> collectives;
    for (const RankProgram& rankProgram : program.programs)
    {
        collectives.push_back(GetCollectives(rankProgram, index));
    }
    const uint32_t first = program.communicators[index].ranks[0];
    const size_t ranks = program.communicators[index].ranks.size();
    for (const CollectiveCall& call : collectives[program.rankProgram[first]])
    {
        if (call.root >= ranks)
        {
            faults.push_back(name + " has no rank " + std::to_string(call.root) + " to be a root");
            return;
        }
        if (call.operation == CollectiveOperation::SEND_RECEIVE && ranks != 2)
        {
            faults.push_back(name + " has " + std::to_string(ranks) +
                             " ranks, a message goes from one to another");
            return;
        }
    }
    for (uint32_t rank = 0; rank < program.ranks; rank++)
    {
        const auto& own = collectives[program.rankProgram[rank]];
        if (!member[rank] && !own.empty())
        {
            faults.push_back("rank " + std::to_string(rank) + " uses " + name +
                             " but is none of its ranks");
            return;
        }
        if (member[rank] && own != collectives[program.rankProgram[first]])
        {
            faults.push_back("ranks " + std::to_string(first) + " and " + std::to_string(rank) +
                             " issue different collectives on " + name);
            return;
        }
    }
}

} // namespace

CollectiveCall
ProgramStep::GetCall(uint32_t ranks) const
{
    CollectiveCall call{operation, bytes, root, {}};
    if (operation == CollectiveOperation::SEND_RECEIVE)
    {
        call.root = 0;
        call.destinations.assign(ranks, CollectiveCall::NOBODY);
        call.destinations[root] = 1 - root;
    }
    return call;
}

int64_t
IterationProgram::GetComputePs(uint32_t rank) const
{
    int64_t sum = 0;
    for (const ProgramStep& step : GetRankProgram(rank).steps)
    {
        sum += step.compute ? step.durationPs : 0;
    }
    return sum;
}

std::vector<std::string>
IterationProgram::Validate() const
{
    std::vector<std::string> faults;
    if (ranks == 0)
    {
        faults.emplace_back("a job needs at least one rank");
    }
    if (rankProgram.size() != ranks ||
        std::any_of(rankProgram.begin(), rankProgram.end(), [this](uint32_t index) {
            return index >= programs.size();
        }))
    {
        faults.emplace_back("not every rank has a program");
    }
    ProgramChecker checker(*this, faults);
    for (uint32_t index = 0; index < programs.size(); index++)
    {
        checker.CheckSteps(index);
    }
    if (!faults.empty())
    {
        return faults;
    }
    for (uint32_t index = 0; index < programs.size(); index++)
    {
        checker.CheckPaced(index);
    }
    for (uint32_t index = 0; index < communicators.size(); index++)
    {
        CheckCommunicator(*this, index, faults);
    }
    if (faults.empty())
    {
        const auto [rank, step] = DeadlockFinder(*this).Find();
        if (rank != UINT32_MAX)
        {
            faults.push_back("rank " + std::to_string(rank) + ", step " + std::to_string(step) +
                             " (" + GetRankProgram(rank).steps[step].label +
                             ") waits for itself, directly or through others");
        }
    }
    return faults;
}

} // namespace ns3
