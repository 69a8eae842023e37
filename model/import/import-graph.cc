/* SPDX-License-Identifier: GPL-2.0-only */
#include "import-graph.h"

#include <algorithm>
#include <array>
#include <queue>
#include <set>
#include <tuple>

namespace ns3
{

using Kind = ImportOperation::Kind;

ImportGraph::ImportGraph(uint32_t count, ErrorSink error)
    : ranks(count),
      m_error(std::move(error))
{
}

void
ImportGraph::Error(const Place& place, const std::string& what)
{
    m_failed = true;
    m_error(place.first, place.second, what);
}

std::optional<ImportedWorkload>
ImportGraph::Build()
{
    m_nodes.clear();
    m_groups.clear();
    m_groupsOfRank.assign(ranks.size(), {});
    m_slots.assign(ranks.size(), {});
    m_chains.clear();
    m_depths.clear();
    m_failed = false;
    Number();
    FreeSenders();
    if (m_failed)
    {
        return std::nullopt;
    }
    JoinAll();
    if (m_failed)
    {
        return std::nullopt;
    }
    const std::vector<uint32_t> order = Sort();
    if (m_failed)
    {
        return std::nullopt;
    }
    ImportedWorkload workload;
    Write(order, workload);
    return workload;
}

void
ImportGraph::Number()
{
    m_order.assign(ranks.size(), {});
    for (uint32_t rank = 0; rank < ranks.size(); rank++)
    {
        const std::vector<ImportOperation>& operations = ranks[rank];
        std::vector<std::vector<uint32_t>> next(operations.size());
        std::vector<std::size_t> waits;
        std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
        for (uint32_t i = 0; i < operations.size(); i++)
        {
            waits.push_back(operations[i].dependencies.size());
            for (const uint32_t on : operations[i].dependencies)
            {
                next[on].push_back(i);
            }
            if (waits[i] == 0)
            {
                ready.push(i);
            }
        }
        while (!ready.empty())
        {
            const uint32_t operation = ready.top();
            ready.pop();
            m_order[rank].push_back(operation);
            for (const uint32_t other : next[operation])
            {
                if (--waits[other] == 0)
                {
                    ready.push(other);
                }
            }
        }
        // Sort() reports a circle.
        for (uint32_t i = 0; i < operations.size(); i++)
        {
            if (waits[i] > 0)
            {
                m_order[rank].push_back(i);
            }
        }
    }
}

void
ImportGraph::FreeSenders()
{
    std::size_t sum = 0;
    m_dependencies.clear();
    for (uint32_t rank = 0; rank < ranks.size(); rank++)
    {
        std::vector<std::vector<uint32_t>>& own = m_dependencies.emplace_back(ranks[rank].size());
        for (const uint32_t i : m_order[rank])
        {
            std::set<uint32_t> dependencies;
            for (const uint32_t on : ranks[rank][i].dependencies)
            {
                if (ranks[rank][on].kind == Kind::SEND && IsEager(ranks[rank][on]))
                {
                    dependencies.insert(own[on].begin(), own[on].end());
                }
                else
                {
                    dependencies.insert(on);
                }
            }
            own[i].assign(dependencies.begin(), dependencies.end());
            sum += own[i].size();
            if (sum > MAX_DEPENDENCIES)
            {
                Error({rank, i},
                      "here the dependencies through eager messages exceed " +
                          std::to_string(MAX_DEPENDENCIES) + ": lower eager-limit");
                return;
            }
        }
    }
}

void
ImportGraph::JoinAll()
{
    m_nodeOf.clear();
    for (uint32_t rank = 0; rank < ranks.size(); rank++)
    {
        m_nodeOf.emplace_back(ranks[rank].size());
        for (uint32_t operation = 0; operation < ranks[rank].size(); operation++)
        {
            if (ranks[rank][operation].kind == Kind::COMPUTE)
            {
                m_nodeOf[rank][operation] = static_cast<uint32_t>(m_nodes.size());
                m_nodes.emplace_back().members = {{rank, operation}};
            }
        }
    }
    JoinMessages();
    JoinCollectives();
}

void
ImportGraph::Join(std::vector<Place> members, std::vector<uint32_t> group)
{
    Node& node = m_nodes.emplace_back();
    for (const auto& [rank, operation] : members)
    {
        m_nodeOf[rank][operation] = static_cast<uint32_t>(m_nodes.size() - 1);
    }
    node.members = std::move(members);
    if (m_groups.empty() || m_groups.back() != group)
    {
        const auto index = static_cast<uint32_t>(m_groups.size());
        for (const uint32_t rank : group)
        {
            m_slots[rank][index] = static_cast<uint32_t>(m_groupsOfRank[rank].size());
            m_groupsOfRank[rank].push_back(index);
        }
        m_groups.push_back(std::move(group));
    }
    node.group = static_cast<uint32_t>(m_groups.size() - 1);
}

void
ImportGraph::JoinMessages()
{
    // By sender, receiver and tag: both ends in order.
    std::map<std::tuple<uint32_t, uint32_t, uint64_t>, std::array<std::vector<Place>, 2>> ends;
    for (uint32_t rank = 0; rank < ranks.size(); rank++)
    {
        for (const uint32_t i : m_order[rank])
        {
            const ImportOperation& operation = ranks[rank][i];
            const bool sends = operation.kind == Kind::SEND;
            if (!sends && operation.kind != Kind::RECEIVE)
            {
                continue;
            }
            if (operation.peer >= ranks.size() || operation.peer == rank)
            {
                Error({rank, i},
                      operation.peer == rank
                          ? "a message from rank " + std::to_string(rank) + " to itself"
                          : "there is no rank " + std::to_string(operation.peer) +
                                ": ranks are 0 to " + std::to_string(ranks.size() - 1));
                continue;
            }
            const auto key = sends ? std::make_tuple(rank, operation.peer, operation.tag)
                                   : std::make_tuple(operation.peer, rank, operation.tag);
            ends[key][sends ? 0 : 1].push_back({rank, i});
        }
    }
    for (const auto& [key, both] : ends)
    {
        const auto& [source, destination, tag] = key;
        const std::size_t count = std::min(both[0].size(), both[1].size());
        if (both[0].size() != both[1].size())
        {
            const bool sends = both[0].size() > count;
            Error(both[sends ? 0 : 1][count],
                  std::string(sends ? "nothing receives this" : "nothing sends this") +
                      ": of messages from rank " + std::to_string(source) + " to rank " +
                      std::to_string(destination) + " with tag " + std::to_string(tag) + ", " +
                      std::to_string(both[0].size()) + " are sent and " +
                      std::to_string(both[1].size()) + " received");
        }
        m_groups.emplace_back(); // messages with another tag have their own group
        const bool eager = std::any_of(both[0].begin(), both[0].end(), [this](const Place& place) {
            return IsEager(Get(place));
        });
        for (std::size_t i = 0; i < count; i++)
        {
            const ImportOperation& send = Get(both[0][i]);
            const ImportOperation& receive = Get(both[1][i]);
            if (send.bytes != receive.bytes)
            {
                Error(both[1][i],
                      "receives " + std::to_string(receive.bytes) + " bytes, rank " +
                          std::to_string(source) + " sends " + std::to_string(send.bytes));
            }
            Join({both[0][i], both[1][i]},
                 {std::min(source, destination), std::max(source, destination)});
            if (eager)
            {
                const auto node = static_cast<uint32_t>(m_nodes.size() - 1);
                m_depths.resize(m_groups.size(), 1);
                m_depths[m_nodes[node].group] = UINT32_MAX;
                if (i > 0)
                {
                    m_chains.emplace_back(node - 1, node);
                }
            }
        }
    }
}

void
ImportGraph::JoinCollectives()
{
    // By group: the operations of each of its ranks, in order.
    std::map<uint32_t, std::map<uint32_t, std::vector<Place>>> parts;
    for (uint32_t rank = 0; rank < ranks.size(); rank++)
    {
        for (uint32_t i = 0; i < ranks[rank].size(); i++)
        {
            if (ranks[rank][i].kind == Kind::COLLECTIVE)
            {
                parts[ranks[rank][i].group][rank].push_back({rank, i});
            }
        }
    }
    for (const auto& [index, byRank] : parts)
    {
        const std::vector<uint32_t>& group = groups.at(index);
        const std::vector<Place>& first = byRank.begin()->second;
        for (const auto& [rank, places] : byRank)
        {
            if (!std::binary_search(group.begin(), group.end(), rank))
            {
                Error(places[0], "rank " + std::to_string(rank) + " is not of the group");
                return;
            }
        }
        for (const uint32_t rank : group)
        {
            const auto places = byRank.find(rank);
            const std::size_t count = places == byRank.end() ? 0 : places->second.size();
            if (count != first.size())
            {
                Error(first.back(),
                      "rank " + std::to_string(first[0].first) + " takes part in " +
                          std::to_string(first.size()) + " collectives of the group, rank " +
                          std::to_string(rank) + " in " + std::to_string(count));
                return;
            }
        }
        m_groups.emplace_back();
        for (std::size_t i = 0; i < first.size(); i++)
        {
            std::vector<Place> members;
            const ImportOperation& own = Get(first[i]);
            for (const uint32_t rank : group)
            {
                const Place place = byRank.at(rank)[i];
                const ImportOperation& other = Get(place);
                if (own.collective != other.collective || own.bytes != other.bytes ||
                    own.root != other.root)
                {
                    Error(place,
                          std::string(ToName(other.collective)) + " of " +
                              std::to_string(other.bytes) + " bytes meets " +
                              ToName(own.collective) + " of " + std::to_string(own.bytes) +
                              " bytes of rank " + std::to_string(first[i].first));
                }
                members.push_back(place);
            }
            Join(std::move(members), group);
        }
    }
}

std::vector<uint32_t>
ImportGraph::Sort()
{
    for (uint32_t node = 0; node < m_nodes.size(); node++)
    {
        for (const Place& place : m_nodes[node].members)
        {
            for (const uint32_t on : m_dependencies[place.first][place.second])
            {
                m_nodes[m_nodeOf[place.first][on]].next.push_back(node);
                m_nodes[node].waits++;
            }
        }
    }
    for (const auto& [first, second] : m_chains)
    {
        m_nodes[first].next.push_back(second);
        m_nodes[second].waits++;
    }
    using Entry = std::pair<int64_t, uint32_t>; // ready time [ps], node
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    for (uint32_t node = 0; node < m_nodes.size(); node++)
    {
        if (m_nodes[node].waits == 0)
        {
            ready.push({0, node});
        }
    }
    std::vector<uint32_t> order;
    while (!ready.empty())
    {
        const auto [timePs, index] = ready.top();
        ready.pop();
        order.push_back(index);
        const ImportOperation& operation = Get(m_nodes[index].members[0]);
        const int64_t endPs = timePs + (operation.kind == Kind::COMPUTE ? operation.durationPs : 0);
        for (const uint32_t next : m_nodes[index].next)
        {
            m_nodes[next].readyPs = std::max(m_nodes[next].readyPs, endPs);
            if (--m_nodes[next].waits == 0)
            {
                ready.push({m_nodes[next].readyPs, next});
            }
        }
    }
    if (order.size() < m_nodes.size())
    {
        Error(
            m_nodes[FindCircle()].members[0],
            "waits for itself, directly or through others (a receive waits for its sender; a send "
            "above the eager-limit also for its receiver)");
    }
    return order;
}

uint32_t
ImportGraph::FindCircle()
{
    // Follow dependencies backwards from a waiting node until one repeats.
    uint32_t node = 0;
    while (m_nodes[node].waits == 0)
    {
        node++;
    }
    std::vector<bool> seen(m_nodes.size());
    while (!seen[node])
    {
        seen[node] = true;
        uint32_t before = node;
        for (const Place& place : m_nodes[node].members)
        {
            for (const uint32_t on : m_dependencies[place.first][place.second])
            {
                const uint32_t other = m_nodeOf[place.first][on];
                before = m_nodes[other].waits > 0 ? other : before;
            }
        }
        node = before;
    }
    return node;
}

void
ImportGraph::Write(const std::vector<uint32_t>& order, ImportedWorkload& workload)
{
    const auto count = static_cast<uint32_t>(ranks.size());
    workload.ranks = count;
    workload.programs.resize(count);
    std::vector<std::vector<uint32_t>> stepOf(count);
    std::vector<std::set<uint32_t>> last(count); // steps that no other step waits for
    for (uint32_t rank = 0; rank < count; rank++)
    {
        workload.rankProgram.push_back(rank);
        stepOf[rank].resize(ranks[rank].size());
        ImportedStep& start = workload.programs[rank].emplace_back();
        start.kind = ProgramStepKind::COMPUTE;
        start.label = "start";
    }
    for (const uint32_t index : order)
    {
        const Node& node = m_nodes[index];
        for (const auto& [rank, i] : node.members)
        {
            const ImportOperation& operation = ranks[rank][i];
            ImportedStep step;
            step.kind = operation.kind == Kind::COMPUTE      ? ProgramStepKind::COMPUTE
                        : operation.kind == Kind::COLLECTIVE ? operation.collective
                                                             : ProgramStepKind::SEND;
            step.label = operation.label;
            step.durationPs = operation.durationPs;
            step.work = operation.work;
            step.bytes = operation.bytes;
            if (operation.kind != Kind::COMPUTE)
            {
                step.slot = m_slots[rank].at(node.group);
                step.root = operation.root;
            }
            if (operation.kind == Kind::SEND || operation.kind == Kind::RECEIVE)
            {
                const uint32_t sender = operation.kind == Kind::SEND ? rank : operation.peer;
                step.root = sender == m_groups[node.group][0] ? 0 : 1;
            }
            std::set<uint32_t> dependencies;
            for (const uint32_t on : m_dependencies[rank][i])
            {
                dependencies.insert(stepOf[rank][on]);
                last[rank].erase(stepOf[rank][on]);
            }
            if (dependencies.empty())
            {
                dependencies.insert(0);
            }
            for (const uint32_t on : dependencies)
            {
                step.dependencies.emplace_back(on, false);
            }
            const auto place = static_cast<uint32_t>(workload.programs[rank].size());
            stepOf[rank][i] = place;
            last[rank].insert(place);
            workload.programs[rank].push_back(std::move(step));
        }
    }
    for (uint32_t rank = 0; rank < count; rank++)
    {
        for (const uint32_t step : last[rank])
        {
            workload.programs[rank][0].dependencies.emplace_back(step, true);
        }
    }
    // Empty entries served only to separate groups while they were built.
    const bool overlapping = !m_depths.empty();
    m_depths.resize(m_groups.size(), 1);
    std::vector<uint32_t> place(m_groups.size());
    for (std::size_t group = 0; group < m_groups.size(); group++)
    {
        place[group] = static_cast<uint32_t>(workload.groups.size());
        if (!m_groups[group].empty())
        {
            workload.groups.push_back(std::move(m_groups[group]));
            if (overlapping)
            {
                workload.depths.push_back(m_depths[group]);
            }
        }
    }
    workload.rankGroups = std::move(m_groupsOfRank);
    for (std::vector<uint32_t>& list : workload.rankGroups)
    {
        for (uint32_t& group : list)
        {
            group = place[group];
        }
    }
}

} // namespace ns3
