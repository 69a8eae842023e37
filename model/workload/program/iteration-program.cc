/* SPDX-License-Identifier: GPL-2.0-only */
#include "iteration-program.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

namespace
{

constexpr size_t MAX_STEPS = size_t{1} << 20;

/// Checks one program in isolation.
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
        size_t slots = m_program.communicators.size();
        for (uint32_t rank = 0; rank < m_program.rankCommunicators.size(); rank++)
        {
            slots = m_program.rankProgram[rank] == index ? m_program.GetSlotCount(rank) : slots;
        }
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
            if (!step.compute && step.communicator >= slots)
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

/// A collective that a rank issues on a communicator in an iteration.
struct CollectiveKey
{
    CollectiveOperation operation;
    uint64_t bytes;
    uint32_t root;

    bool operator==(const CollectiveKey& other) const
    {
        return operation == other.operation && bytes == other.bytes && root == other.root;
    }
};

/**
 * The steps of an iteration as nodes of a graph: collectives once for all their ranks, then compute
 * steps by rank. Executes them; what is left over waits for itself. Uses flat arrays, because
 * programs of hundreds of ranks have millions of nodes.
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
        // Edges are counted first, then placed.
        m_begin.assign(m_waits.size() + 1, 0);
        ForEachEdge([this](uint32_t from, uint32_t to) {
            m_begin[from + 1]++;
            m_waits[to]++;
        });
        std::partial_sum(m_begin.begin(), m_begin.end(), m_begin.begin());
        m_next.resize(m_begin.back());
        std::vector<uint64_t> place(m_begin.begin(), m_begin.end() - 1);
        ForEachEdge([this, &place](uint32_t from, uint32_t to) { m_next[place[from]++] = to; });
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
            for (uint64_t e = m_begin[ready[i]]; e < m_begin[ready[i] + 1]; e++)
            {
                if (--m_waits[m_next[e]] == 0)
                {
                    ready.push_back(m_next[e]);
                }
            }
        }
        for (uint32_t rank = 0; rank < m_program.ranks; rank++)
        {
            const auto steps = static_cast<uint32_t>(m_program.GetRankProgram(rank).steps.size());
            for (uint32_t s = 0; s < steps; s++)
            {
                if (m_waits[m_nodes[m_firstNode[rank] + s]] > 0)
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
        // By communicator, using its first rank's program: all its ranks issue the same
        // collectives.
        std::vector<uint32_t> base(m_program.communicators.size());
        uint32_t nodes = 0;
        for (uint32_t c = 0; c < base.size(); c++)
        {
            base[c] = nodes;
            const uint32_t rank = m_program.communicators[c].ranks[0];
            const uint32_t slot = m_program.FindSlot(rank, c);
            for (const ProgramStep& step : m_program.GetRankProgram(rank).steps)
            {
                nodes += !step.compute && step.communicator == slot ? 1 : 0;
            }
        }
        for (uint32_t rank = 0; rank < m_program.ranks; rank++)
        {
            m_firstNode.push_back(m_nodes.size());
            std::vector<uint32_t> issued(m_program.GetSlotCount(rank));
            for (const ProgramStep& step : m_program.GetRankProgram(rank).steps)
            {
                m_nodes.push_back(step.compute
                                      ? nodes++
                                      : base[m_program.GetCommunicator(rank, step.communicator)] +
                                            issued[step.communicator]++);
            }
        }
        m_waits.assign(nodes, 0);
    }

    template <class Visitor>
    void ForEachEdge(Visitor visit)
    {
        for (uint32_t rank = 0; rank < m_program.ranks; rank++)
        {
            const std::vector<ProgramStep>& steps = m_program.GetRankProgram(rank).steps;
            const uint32_t* nodes = m_nodes.data() + m_firstNode[rank];
            // The previous step on the same stream: compute, or one of the communicators.
            std::vector<int64_t> last(m_program.GetSlotCount(rank) + 1, -1);
            for (uint32_t s = 0; s < steps.size(); s++)
            {
                int64_t& before = last[steps[s].compute ? 0 : steps[s].communicator + 1];
                if (before >= 0)
                {
                    visit(nodes[before], nodes[s]);
                }
                before = s;
                for (const StepDependency& dependency : steps[s].dependencies)
                {
                    if (!dependency.carry)
                    {
                        visit(nodes[dependency.step], nodes[s]);
                    }
                }
            }
        }
    }

    const IterationProgram& m_program;
    std::vector<uint32_t> m_nodes;   ///< by rank and step
    std::vector<size_t> m_firstNode; ///< by rank: into m_nodes
    std::vector<uint32_t> m_waits;   ///< by node
    std::vector<uint64_t> m_begin;   ///< by node: into m_next
    std::vector<uint32_t> m_next;
};

/// Checks that all members of a communicator, and no other ranks, issue the same collectives on it.
class CommunicatorChecker
{
  public:
    CommunicatorChecker(const IterationProgram& program, std::vector<std::string>& faults)
        : m_program(program),
          m_faults(faults),
          m_users(program.communicators.size())
    {
        m_collectives.resize(program.programs.size());
        for (uint32_t rank = 0; rank < program.ranks; rank++)
        {
            auto& own = m_collectives[program.rankProgram[rank]];
            if (own.empty())
            {
                own.resize(program.GetSlotCount(rank));
                for (const ProgramStep& step : program.GetRankProgram(rank).steps)
                {
                    if (!step.compute)
                    {
                        own[step.communicator].push_back({step.operation, step.bytes, step.root});
                    }
                }
            }
            for (uint32_t slot = 0; slot < own.size(); slot++)
            {
                if (!own[slot].empty())
                {
                    m_users[program.GetCommunicator(rank, slot)].push_back(rank);
                }
            }
        }
    }

    void Check(uint32_t index)
    {
        const std::string name = "communicator " + std::to_string(index);
        const std::vector<uint32_t>& ranks = m_program.communicators[index].ranks;
        std::vector<uint32_t> members = ranks;
        std::sort(members.begin(), members.end());
        for (size_t i = 0; i < members.size(); i++)
        {
            const bool exists = members[i] < m_program.ranks;
            if (!exists || (i > 0 && members[i] == members[i - 1]))
            {
                m_faults.push_back(name + " has rank " + std::to_string(members[i]) +
                                   (exists ? " twice" : ", which does not exist"));
                return;
            }
        }
        if (ranks.empty())
        {
            m_faults.push_back(name + " has no ranks");
            return;
        }
        for (uint32_t rank : m_users[index])
        {
            if (!std::binary_search(members.begin(), members.end(), rank))
            {
                m_faults.push_back("rank " + std::to_string(rank) + " uses " + name +
                                   " but is none of its ranks");
                return;
            }
        }
        const std::vector<CollectiveKey>& first = Get(ranks[0], index);
        for (const CollectiveKey& key : first)
        {
            if (key.root >= ranks.size())
            {
                m_faults.push_back(name + " has no rank " + std::to_string(key.root) +
                                   " to be a root");
                return;
            }
            if (key.operation == CollectiveOperation::SEND_RECEIVE && ranks.size() != 2)
            {
                m_faults.push_back(name + " has " + std::to_string(ranks.size()) +
                                   " ranks, a message goes from one to another");
                return;
            }
        }
        for (uint32_t rank : ranks)
        {
            const std::vector<CollectiveKey>& own = Get(rank, index);
            if (&own != &first && !(own == first))
            {
                m_faults.push_back("ranks " + std::to_string(ranks[0]) + " and " +
                                   std::to_string(rank) + " issue different collectives on " +
                                   name);
                return;
            }
        }
    }

  private:
    const std::vector<CollectiveKey>& Get(uint32_t rank, uint32_t index) const
    {
        const uint32_t slot = m_program.FindSlot(rank, index);
        return slot == UINT32_MAX ? m_none : m_collectives[m_program.rankProgram[rank]][slot];
    }

    const IterationProgram& m_program;
    std::vector<std::string>& m_faults;
    std::vector<std::vector<uint32_t>> m_users; ///< by communicator: ranks with steps on it
    /// By program and slot.
    std::vector<std::vector<std::vector<CollectiveKey>>> m_collectives;
    std::vector<CollectiveKey> m_none;
};

/// Checks the ranks' own lists of communicators.
void
CheckRankCommunicators(const IterationProgram& program, std::vector<std::string>& faults)
{
    if (!program.rankCommunicators.empty() && program.rankCommunicators.size() != program.ranks)
    {
        faults.emplace_back("not every rank has a list of communicators");
        return;
    }
    std::vector<size_t> slots(program.programs.size(), SIZE_MAX);
    for (uint32_t rank = 0; rank < program.rankCommunicators.size(); rank++)
    {
        std::vector<uint32_t> list = program.rankCommunicators[rank];
        std::sort(list.begin(), list.end());
        const bool twice = std::adjacent_find(list.begin(), list.end()) != list.end();
        if (twice || (!list.empty() && list.back() >= program.communicators.size()))
        {
            faults.push_back("rank " + std::to_string(rank) + " names a communicator " +
                             (twice ? "twice" : "that does not exist"));
            return;
        }
        size_t& count = slots[program.rankProgram[rank]];
        if (count != SIZE_MAX && count != list.size())
        {
            faults.push_back("rank " + std::to_string(rank) + " names " +
                             std::to_string(list.size()) + " communicators, another rank of its " +
                             "program " + std::to_string(count));
            return;
        }
        count = list.size();
    }
}

} // namespace

std::optional<CollectiveOperation>
FindOperation(ProgramStepKind kind)
{
    switch (kind)
    {
    case ProgramStepKind::COMPUTE:
        return std::nullopt;
    case ProgramStepKind::ALL_REDUCE:
        return CollectiveOperation::ALL_REDUCE;
    case ProgramStepKind::ALL_GATHER:
        return CollectiveOperation::ALL_GATHER;
    case ProgramStepKind::REDUCE_SCATTER:
        return CollectiveOperation::REDUCE_SCATTER;
    case ProgramStepKind::ALL_TO_ALL:
        return CollectiveOperation::ALL_TO_ALL;
    case ProgramStepKind::BROADCAST:
        return CollectiveOperation::BROADCAST;
    case ProgramStepKind::REDUCE:
        return CollectiveOperation::REDUCE;
    case ProgramStepKind::SEND:
        return CollectiveOperation::SEND_RECEIVE;
    }
    return std::nullopt;
}

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

void
CommunicatorSpec::SetAlgorithm(const TypedBlock& block)
{
    algorithm = block.typeName;
    algorithmAttributes.clear();
    for (const AttributeSetting& setting : block.attributes)
    {
        algorithmAttributes.emplace_back(setting.name, setting.value);
    }
}

uint32_t
IterationProgram::FindSlot(uint32_t rank, uint32_t communicator) const
{
    for (uint32_t slot = 0; slot < GetSlotCount(rank); slot++)
    {
        if (GetCommunicator(rank, slot) == communicator)
        {
            return slot;
        }
    }
    return UINT32_MAX;
}

bool
IterationProgram::HasTensors() const
{
    return std::any_of(programs.begin(), programs.end(), [](const RankProgram& rank) {
        return std::any_of(rank.steps.begin(), rank.steps.end(), [](const ProgramStep& step) {
            return step.tensor != ProgramStep::NO_TENSOR;
        });
    });
}

bool
IterationProgram::HasOnly(std::initializer_list<CollectiveOperation> operations) const
{
    const auto isOne = [&operations](const ProgramStep& step) {
        return step.compute ||
               std::find(operations.begin(), operations.end(), step.operation) != operations.end();
    };
    return std::all_of(programs.begin(), programs.end(), [&isOne](const RankProgram& rank) {
        return std::all_of(rank.steps.begin(), rank.steps.end(), isOne);
    });
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
    if (faults.empty())
    {
        CheckRankCommunicators(*this, faults);
    }
    if (!faults.empty())
    {
        return faults;
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
    CommunicatorChecker communicatorChecker(*this, faults);
    for (uint32_t index = 0; index < communicators.size(); index++)
    {
        communicatorChecker.Check(index);
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
