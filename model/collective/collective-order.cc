/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/collective-order.h"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <numeric>
#include <tuple>

namespace ns3
{

namespace
{

/// Positions whose descendants are followed at once; bounds the memory of FindRaces().
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
    std::vector<std::pair<uint32_t, uint32_t>> edges; // event, what it waits for
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
        const auto stream = [&transfers](uint32_t t) {
            const ChunkTransfer& c = transfers[t];
            return std::make_tuple(c.source, c.destination, c.channel);
        };
        std::vector<uint32_t> order(count);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&stream](uint32_t a, uint32_t b) {
            return stream(a) < stream(b);
        });
        for (uint32_t i = 1; i < count; i++)
        {
            const uint32_t t = order[i];
            if (!transfers[t].IsLocal() && stream(order[i - 1]) == stream(t))
            {
                edges.emplace_back(GetPosted(t), GetPosted(order[i - 1]));
                edges.emplace_back(GetTaken(t), GetTaken(order[i - 1]));
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

    // Events that no chain of waits joins are unordered: only components matter.
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

std::vector<CollectiveOrder::Access>
CollectiveOrder::CollectAccesses() const
{
    const uint64_t places = m_schedule.GetPlaces();
    std::vector<Access> accesses;
    for (uint32_t position = 0; position < m_events; position++)
    {
        const uint32_t event = m_order[position];
        const ChunkTransfer& transfer = m_schedule.transfers[GetTransfer(event)];
        const uint8_t write = transfer.action == ChunkAction::REDUCE ? REDUCE_INTO : OVERWRITE;
        for (uint32_t i = 0; i < transfer.chunkCount; i++)
        {
            const uint64_t from =
                transfer.source * places + m_schedule.GetPlace(transfer.source,
                                                               transfer.sourceBuffer,
                                                               transfer.sourceChunk + i);
            const uint64_t to =
                transfer.destination * places + m_schedule.GetPlace(transfer.destination,
                                                                    transfer.destinationBuffer,
                                                                    transfer.destinationChunk + i);
            // What works on a chunk where it is, only writes it.
            if (Posts(event) && from != to)
            {
                accesses.push_back({from, position, READ});
            }
            if (Takes(event))
            {
                accesses.push_back({to, position, write});
            }
        }
    }
    std::stable_sort(accesses.begin(), accesses.end(), [](const Access& a, const Access& b) {
        return a.place < b.place;
    });
    return accesses;
}

std::vector<CollectiveOrder::Pair>
CollectiveOrder::CollectConflicts() const
{
    // Accesses of one kind that may come in any order form a group; each of a group must come
    // after all of the group before it. Then all groups are in order.
    const std::vector<Access> accesses = CollectAccesses();
    std::vector<Pair> pairs;
    std::vector<uint32_t> previous;
    std::vector<uint32_t> group;
    for (size_t i = 0; i < accesses.size(); i++)
    {
        const Access& access = accesses[i];
        const bool samePlace = i > 0 && accesses[i - 1].place == access.place;
        const bool sameGroup =
            samePlace && accesses[i - 1].kind == access.kind && access.kind != OVERWRITE;
        if (!samePlace)
        {
            previous.clear();
            group.clear();
        }
        else if (!sameGroup)
        {
            previous.swap(group);
            group.clear();
        }
        for (uint32_t before : previous)
        {
            pairs.push_back({before, access.position, access.place});
        }
        group.push_back(access.position);
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
    std::vector<size_t> open;
    // Positions are topological, so a path can only lead upwards.
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
            open.push_back(i);
        }
    }
    std::sort(open.begin(), open.end(), [&pairs](size_t a, size_t b) {
        return pairs[a].before < pairs[b].before;
    });
    CheckOpen(pairs, open, limit, races);
    return races;
}

void
CollectiveOrder::CheckOpen(const std::vector<Pair>& pairs,
                           const std::vector<size_t>& open,
                           size_t limit,
                           std::vector<Race>& races) const
{
    // reach[position - first] has a bit for each position of the block from which it is reached.
    std::vector<uint64_t> reach;
    for (size_t i = 0; i < open.size() && races.size() < limit;)
    {
        const uint32_t component = m_componentBegin[pairs[open[i]].before];
        const uint32_t first = pairs[open[i]].before;
        size_t end = i;
        uint32_t last = first;
        uint32_t blockEnd = first;
        while (end < open.size() && pairs[open[end]].before - first < BLOCK &&
               m_componentBegin[pairs[open[end]].before] == component)
        {
            blockEnd = pairs[open[end]].before + 1;
            last = std::max(last, pairs[open[end]].after);
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
            const Pair& pair = pairs[open[i]];
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
