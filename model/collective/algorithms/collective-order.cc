/* SPDX-License-Identifier: GPL-2.0-only */
#include "collective-order.h"

#include "../counting-sort.h"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <numeric>

namespace ns3
{

namespace
{

/// Number of positions whose descendants are followed at once; bounds the memory of FindRaces().
constexpr uint32_t BLOCK = 4096;

} // namespace

CollectiveOrder::CollectiveOrder(const CollectiveSchedule& schedule, bool staged)
    : m_schedule(schedule),
      m_staged(staged),
      m_events(static_cast<uint32_t>(schedule.transfers.size()) * (staged ? 2 : 1))
{
    CollectParents();
}

void
CollectiveOrder::CollectParents()
{
    const std::vector<ChunkTransfer>& transfers = m_schedule.transfers;
    const auto count = static_cast<uint32_t>(transfers.size());
    std::vector<std::pair<uint32_t, uint32_t>> edges; // (event, what it waits for)
    edges.reserve(m_schedule.dependencies.size() + (m_staged ? 3 * count : 0));
    for (uint32_t t = 0; t < count; t++)
    {
        const ChunkTransfer& transfer = transfers[t];
        for (uint32_t d = 0; d < transfer.dependencyCount; d++)
        {
            const uint32_t other = m_schedule.dependencies[transfer.firstDependency + d];
            edges.emplace_back(GetPosted(t), GetEvent(other, transfer.source));
        }
        if (m_staged && !transfer.IsLocal())
        {
            edges.emplace_back(GetTaken(t), GetPosted(t));
        }
        for (uint32_t d = 0; d < transfer.gateCount; d++)
        {
            const uint32_t other = m_schedule.dependencies[transfer.firstGate + d];
            edges.emplace_back(GetTaken(t), GetEvent(other, transfer.destination));
        }
    }
    if (m_staged)
    {
        const std::vector<uint32_t> predecessors = m_schedule.GetPredecessors();
        for (uint32_t t = 0; t < count; t++)
        {
            if (predecessors[t] != CollectiveSchedule::NONE)
            {
                edges.emplace_back(GetPosted(t), GetPosted(predecessors[t]));
                edges.emplace_back(GetTaken(t), GetTaken(predecessors[t]));
            }
        }
    }
    m_parentBegin.assign(m_events + 1, 0);
    for (const auto& [event, parent] : edges)
    {
        m_parentBegin[event + 1]++;
    }
    std::partial_sum(m_parentBegin.begin(), m_parentBegin.end(), m_parentBegin.begin());
    m_parents.resize(edges.size());
    std::vector<uint32_t> next(m_parentBegin.begin(), m_parentBegin.end() - 1);
    for (const auto& [event, parent] : edges)
    {
        m_parents[next[event]++] = parent;
    }
}

int64_t
CollectiveOrder::Sort()
{
    boost::disjoint_sets_with_storage<> components(m_events);
    std::vector<uint32_t> waits(m_events);
    std::vector<uint32_t> childBegin(m_events + 1);
    for (uint32_t event = 0; event < m_events; event++)
    {
        waits[event] = m_parentBegin[event + 1] - m_parentBegin[event];
        for (uint32_t p = m_parentBegin[event]; p < m_parentBegin[event + 1]; p++)
        {
            childBegin[m_parents[p] + 1]++;
            components.union_set(m_parents[p], event);
        }
    }
    std::partial_sum(childBegin.begin(), childBegin.end(), childBegin.begin());
    std::vector<uint32_t> children(m_parents.size());
    std::vector<uint32_t> next(childBegin.begin(), childBegin.end() - 1);
    for (uint32_t event = 0; event < m_events; event++)
    {
        for (uint32_t p = m_parentBegin[event]; p < m_parentBegin[event + 1]; p++)
        {
            children[next[m_parents[p]]++] = event;
        }
    }

    std::vector<uint32_t> sorted;
    sorted.reserve(m_events);
    for (uint32_t event = 0; event < m_events; event++)
    {
        if (waits[event] == 0)
        {
            sorted.push_back(event);
        }
    }
    for (size_t i = 0; i < sorted.size(); i++)
    {
        for (uint32_t c = childBegin[sorted[i]]; c < childBegin[sorted[i] + 1]; c++)
        {
            if (--waits[children[c]] == 0)
            {
                sorted.push_back(children[c]);
            }
        }
    }
    if (sorted.size() < m_events)
    {
        const auto waiting =
            std::find_if(waits.begin(), waits.end(), [](uint32_t w) { return w > 0; });
        return GetTransfer(static_cast<uint32_t>(waiting - waits.begin()));
    }

    // Events not connected by any chain of waits are unordered: only components matter.
    std::vector<uint32_t> component(m_events);
    std::vector<uint32_t> componentBegin(m_events + 1);
    for (uint32_t event = 0; event < m_events; event++)
    {
        component[event] = static_cast<uint32_t>(components.find_set(event));
        componentBegin[component[event] + 1]++;
    }
    std::partial_sum(componentBegin.begin(), componentBegin.end(), componentBegin.begin());
    std::vector<uint32_t> place(componentBegin.begin(), componentBegin.end() - 1);
    m_order.resize(m_events);
    m_position.resize(m_events);
    m_componentBegin.resize(m_events);
    for (uint32_t event : sorted)
    {
        const uint32_t position = place[component[event]]++;
        m_order[position] = event;
        m_position[event] = position;
        m_componentBegin[position] = componentBegin[component[event]];
    }
    return -1;
}

std::vector<uint32_t>
CollectiveOrder::GetLevels() const
{
    std::vector<uint32_t> levels(m_events);
    for (uint32_t event : m_order)
    {
        for (uint32_t p = m_parentBegin[event]; p < m_parentBegin[event + 1]; p++)
        {
            levels[event] = std::max(levels[event], levels[m_parents[p]] + 1);
        }
    }
    return levels;
}

template <typename Visitor>
void
CollectiveOrder::VisitAccesses(const Visitor& visit) const
{
    // The places of one chunk are adjacent, since chains of transfers move one chunk.
    const uint64_t ranks = m_schedule.ranks;
    for (uint32_t position = 0; position < m_events; position++)
    {
        const uint32_t event = m_order[position];
        const ChunkTransfer& transfer = m_schedule.transfers[GetTransfer(event)];
        const uint8_t write = transfer.action == ChunkAction::REDUCE ? REDUCE_INTO : OVERWRITE;
        const uint64_t from = transfer.source + ranks * m_schedule.GetPlace(transfer.source,
                                                                            transfer.sourceBuffer,
                                                                            transfer.sourceChunk);
        const uint64_t to =
            transfer.destination + ranks * m_schedule.GetPlace(transfer.destination,
                                                               transfer.destinationBuffer,
                                                               transfer.destinationChunk);
        for (uint32_t i = 0; i < transfer.chunkCount; i++)
        {
            // An operation in place only writes.
            if (Posts(event) && from != to)
            {
                visit(from + i * ranks, Access{position, READ});
            }
            if (Takes(event))
            {
                visit(to + i * ranks, Access{position, write});
            }
        }
    }
}

std::vector<CollectiveOrder::Pair>
CollectiveOrder::CollectConflicts() const
{
    // The accesses of a place are adjacent, in order of their positions.
    const uint64_t places = m_schedule.ranks * m_schedule.GetPlaces();
    std::vector<uint32_t> begin(places + 1);
    VisitAccesses([&begin](uint64_t place, const Access&) { begin[place + 1]++; });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<Access> accesses(begin.back());
    std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
    VisitAccesses([&accesses, &next](uint64_t place, const Access& access) {
        accesses[next[place]++] = access;
    });

    // Accesses of the same kind that may come in any order form a group; each member of a group
    // must come after all members of the previous group. This orders all groups.
    std::vector<Pair> pairs;
    pairs.reserve(accesses.size());
    std::vector<uint32_t> previous;
    std::vector<uint32_t> group;
    for (uint64_t place = 0; place < places; place++)
    {
        previous.clear();
        group.clear();
        for (uint32_t i = begin[place]; i < begin[place + 1]; i++)
        {
            const Access& access = accesses[i];
            const bool sameGroup =
                i > begin[place] && accesses[i - 1].kind == access.kind && access.kind != OVERWRITE;
            if (!sameGroup)
            {
                previous.swap(group);
                group.clear();
            }
            for (uint32_t before : previous)
            {
                pairs.push_back({before, access.position, place});
            }
            group.push_back(access.position);
        }
    }
    return pairs;
}

bool
CollectiveOrder::IsParent(uint32_t before, uint32_t after) const
{
    const uint32_t event = m_order[after];
    const auto begin = m_parents.begin() + m_parentBegin[event];
    const auto end = m_parents.begin() + m_parentBegin[event + 1];
    return std::find(begin, end, m_order[before]) != end;
}

std::vector<CollectiveOrder::Race>
CollectiveOrder::FindRaces(size_t limit) const
{
    std::vector<Race> races;
    const std::vector<Pair> pairs = CollectConflicts();
    std::vector<Pair> open;
    // Positions are topological, so a path always leads upward.
    for (size_t i = 0; i < pairs.size() && races.size() < limit; i++)
    {
        const Pair& pair = pairs[i];
        if (pair.before >= pair.after ||
            m_componentBegin[pair.before] != m_componentBegin[pair.after])
        {
            races.push_back(MakeRace(pair));
        }
        else if (!IsParent(pair.before, pair.after))
        {
            open.push_back(pair);
        }
    }
    std::vector<Pair> sorted;
    sorted.reserve(open.size());
    const auto getBefore = [&open](uint32_t i) { return open[i].before; };
    for (uint32_t i : CountingSort(static_cast<uint32_t>(open.size()), m_events, getBefore))
    {
        sorted.push_back(open[i]);
    }
    CheckOpen(sorted, limit, races);
    return races;
}

void
CollectiveOrder::CheckOpen(const std::vector<Pair>& open,
                           size_t limit,
                           std::vector<Race>& races) const
{
    // reach[position - first] has one bit for each position of the block from which it can be
    // reached.
    std::vector<uint64_t> reach;
    for (size_t i = 0; i < open.size() && races.size() < limit;)
    {
        const uint32_t component = m_componentBegin[open[i].before];
        const uint32_t first = open[i].before;
        size_t end = i;
        uint32_t last = first;
        uint32_t blockEnd = first;
        while (end < open.size() && open[end].before - first < BLOCK &&
               m_componentBegin[open[end].before] == component)
        {
            blockEnd = open[end].before + 1;
            last = std::max(last, open[end].after);
            end++;
        }
        const size_t words = (blockEnd - first + 63) / 64;
        reach.assign(words * (last - first + 1), 0);
        for (uint32_t position = first; position <= last; position++)
        {
            uint64_t* row = reach.data() + words * (position - first);
            if (position < blockEnd)
            {
                row[(position - first) / 64] |= uint64_t{1} << ((position - first) % 64);
            }
            const uint32_t event = m_order[position];
            for (uint32_t p = m_parentBegin[event]; p < m_parentBegin[event + 1]; p++)
            {
                const uint32_t parent = m_position[m_parents[p]];
                if (parent >= first)
                {
                    const uint64_t* other = reach.data() + words * (parent - first);
                    for (size_t w = 0; w < words; w++)
                    {
                        row[w] |= other[w];
                    }
                }
            }
        }
        for (; i < end && races.size() < limit; i++)
        {
            const Pair& pair = open[i];
            const uint64_t* row = reach.data() + words * (pair.after - first);
            const uint32_t bit = pair.before - first;
            if (!(row[bit / 64] >> (bit % 64) & 1))
            {
                races.push_back(MakeRace(pair));
            }
        }
    }
}

} // namespace ns3
