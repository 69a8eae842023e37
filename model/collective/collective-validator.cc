/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/collective-validator.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

namespace
{

constexpr size_t MAX_FAULTS = 20;
/// Positions whose descendants are followed at once; bounds the memory of CheckOrdered().
constexpr uint32_t BLOCK = 4096;

/// Representative of a transfer's component.
uint32_t
FindRoot(std::vector<uint32_t>& parent, uint32_t node)
{
    while (parent[node] != node)
    {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

} // namespace

CollectiveValidator::CollectiveValidator(const CollectiveSchedule& schedule)
    : m_schedule(schedule),
      m_words((schedule.ranks + 63) / 64)
{
}

bool
CollectiveValidator::Fault(const std::string& what)
{
    if (m_faults.size() < MAX_FAULTS)
    {
        m_faults.push_back(what);
    }
    else if (m_faults.size() == MAX_FAULTS)
    {
        m_faults.emplace_back("there are more faults");
    }
    return m_faults.size() <= MAX_FAULTS;
}

std::string
CollectiveValidator::Describe(uint32_t transfer) const
{
    const ChunkTransfer& chunk = m_schedule.transfers[transfer];
    return "transfer " + std::to_string(transfer) + " (rank " + std::to_string(chunk.source) +
           " to rank " + std::to_string(chunk.destination) + ")";
}

std::vector<std::string>
CollectiveValidator::Run()
{
    // Each step relies on what the ones before have shown.
    if (CheckIndices() && SortTransfers())
    {
        CheckOrdered(CollectConflicts());
        if (m_faults.empty())
        {
            RunOnContributors();
        }
        if (m_faults.empty())
        {
            CheckPostCondition();
        }
    }
    return m_faults;
}

bool
CollectiveValidator::CheckIndices()
{
    const uint32_t ranks = m_schedule.ranks;
    if (ranks == 0 || m_schedule.channels == 0)
    {
        Fault("a collective needs at least one rank and one channel");
        return false;
    }
    if (m_schedule.operation == CollectiveOperation::ALL_REDUCE)
    {
        if (m_schedule.chunks == 0)
        {
            Fault("the buffer has no chunks");
        }
    }
    else if (m_schedule.chunks != static_cast<uint64_t>(ranks) * m_schedule.channels)
    {
        Fault("the buffer has " + std::to_string(m_schedule.chunks) + " chunks, not ranks times " +
              "channels");
    }
    for (uint32_t t = 0; t < m_schedule.transfers.size(); t++)
    {
        const ChunkTransfer& transfer = m_schedule.transfers[t];
        const std::string name = "transfer " + std::to_string(t);
        const auto inside = [this, &transfer](uint32_t chunk) {
            return chunk < m_schedule.chunks && transfer.chunkCount <= m_schedule.chunks - chunk;
        };
        if (transfer.source >= ranks || transfer.destination >= ranks ||
            transfer.source == transfer.destination)
        {
            Fault(name + " does not go from one rank to another");
            continue;
        }
        if (transfer.channel >= m_schedule.channels)
        {
            Fault(name + " uses channel " + std::to_string(transfer.channel) + " of " +
                  std::to_string(m_schedule.channels));
        }
        if (transfer.chunkCount == 0 || !inside(transfer.sourceChunk) ||
            !inside(transfer.destinationChunk))
        {
            Fault(name + " moves chunks that the buffer does not have");
        }
        const uint64_t end =
            static_cast<uint64_t>(transfer.firstDependency) + transfer.dependencyCount;
        if (end > m_schedule.dependencies.size())
        {
            Fault(name + " has dependencies beyond the end of the list");
            continue;
        }
        for (uint64_t d = transfer.firstDependency; d < end; d++)
        {
            const uint32_t dependency = m_schedule.dependencies[d];
            if (dependency >= m_schedule.transfers.size())
            {
                Fault(name + " depends on transfer " + std::to_string(dependency) +
                      ", which does not exist");
            }
            else if (m_schedule.transfers[dependency].destination != transfer.source)
            {
                Fault(name + " depends on transfer " + std::to_string(dependency) +
                      ", which is not delivered to its sender, rank " +
                      std::to_string(transfer.source));
            }
        }
    }
    return m_faults.empty();
}

bool
CollectiveValidator::SortTransfers()
{
    const std::vector<ChunkTransfer>& transfers = m_schedule.transfers;
    const auto count = static_cast<uint32_t>(transfers.size());
    std::vector<uint32_t> parent(count);
    std::iota(parent.begin(), parent.end(), 0);
    std::vector<uint32_t> waits(count);
    std::vector<uint32_t> dependentBegin(count + 1);
    for (uint32_t t = 0; t < count; t++)
    {
        waits[t] = transfers[t].dependencyCount;
        for (uint32_t d = 0; d < waits[t]; d++)
        {
            const uint32_t other = m_schedule.dependencies[transfers[t].firstDependency + d];
            dependentBegin[other + 1]++;
            parent[FindRoot(parent, other)] = FindRoot(parent, t);
        }
    }
    std::partial_sum(dependentBegin.begin(), dependentBegin.end(), dependentBegin.begin());
    std::vector<uint32_t> dependents(dependentBegin[count]);
    std::vector<uint32_t> next(dependentBegin.begin(), dependentBegin.end() - 1);
    for (uint32_t t = 0; t < count; t++)
    {
        for (uint32_t d = 0; d < transfers[t].dependencyCount; d++)
        {
            dependents[next[m_schedule.dependencies[transfers[t].firstDependency + d]]++] = t;
        }
    }

    std::vector<uint32_t> sorted;
    sorted.reserve(count);
    for (uint32_t t = 0; t < count; t++)
    {
        if (waits[t] == 0)
        {
            sorted.push_back(t);
        }
    }
    for (size_t i = 0; i < sorted.size(); i++)
    {
        for (uint32_t d = dependentBegin[sorted[i]]; d < dependentBegin[sorted[i] + 1]; d++)
        {
            if (--waits[dependents[d]] == 0)
            {
                sorted.push_back(dependents[d]);
            }
        }
    }
    if (sorted.size() < count)
    {
        for (uint32_t t = 0; t < count; t++)
        {
            if (waits[t] > 0)
            {
                Fault(Describe(t) + " waits for itself, directly or through others");
                return false;
            }
        }
    }

    // Transfers that no chain of dependencies joins are unordered: only components matter.
    std::vector<uint32_t> root(count);
    for (uint32_t t = 0; t < count; t++)
    {
        root[t] = FindRoot(parent, t);
    }
    std::vector<uint32_t> componentBegin(count + 1);
    for (uint32_t t = 0; t < count; t++)
    {
        componentBegin[root[t] + 1]++;
    }
    std::partial_sum(componentBegin.begin(), componentBegin.end(), componentBegin.begin());
    std::vector<uint32_t> place(componentBegin.begin(), componentBegin.end() - 1);
    m_order.resize(count);
    m_position.resize(count);
    m_componentBegin.resize(count);
    for (uint32_t t : sorted)
    {
        const uint32_t position = place[root[t]]++;
        m_order[position] = t;
        m_position[t] = position;
        m_componentBegin[position] = componentBegin[root[t]];
    }
    return true;
}

std::vector<CollectiveValidator::Pair>
CollectiveValidator::CollectConflicts() const
{
    std::vector<Access> accesses;
    for (uint32_t position = 0; position < m_order.size(); position++)
    {
        const ChunkTransfer& transfer = m_schedule.transfers[m_order[position]];
        const uint8_t write = transfer.action == ChunkAction::REDUCE ? REDUCE_INTO : OVERWRITE;
        for (uint32_t i = 0; i < transfer.chunkCount; i++)
        {
            accesses.push_back(
                {GetPlace(transfer.source, transfer.sourceChunk + i), position, READ});
            accesses.push_back(
                {GetPlace(transfer.destination, transfer.destinationChunk + i), position, write});
        }
    }
    std::stable_sort(accesses.begin(), accesses.end(), [](const Access& a, const Access& b) {
        return a.place < b.place;
    });

    // Accesses of one kind that may come in any order form a group; each of a group must come
    // after all of the group before it. Then all groups are in order.
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

void
CollectiveValidator::CheckOrdered(std::vector<Pair> pairs)
{
    std::vector<size_t> open;
    const auto isParent = [this](uint32_t before, uint32_t after) {
        const ChunkTransfer& transfer = m_schedule.transfers[m_order[after]];
        for (uint32_t d = 0; d < transfer.dependencyCount; d++)
        {
            if (m_schedule.dependencies[transfer.firstDependency + d] == m_order[before])
            {
                return true;
            }
        }
        return false;
    };
    const auto fault = [this](const Pair& pair) {
        return Fault(Describe(m_order[pair.before]) + " and " + Describe(m_order[pair.after]) +
                     " race for chunk " + std::to_string(pair.place % m_schedule.chunks) +
                     " of rank " + std::to_string(pair.place / m_schedule.chunks));
    };
    // Positions are topological, so a path can only lead upwards.
    for (size_t i = 0; i < pairs.size(); i++)
    {
        const Pair& pair = pairs[i];
        if (pair.before >= pair.after ||
            m_componentBegin[pair.before] != m_componentBegin[pair.after])
        {
            if (!fault(pair))
            {
                return;
            }
        }
        else if (!isParent(pair.before, pair.after))
        {
            open.push_back(i);
        }
    }
    std::sort(open.begin(), open.end(), [&pairs](size_t a, size_t b) {
        return pairs[a].before < pairs[b].before;
    });

    // reach[position - first] has a bit for each position of the block from which it is reached.
    std::vector<uint64_t> reach;
    for (size_t i = 0; i < open.size();)
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
            const ChunkTransfer& transfer = m_schedule.transfers[m_order[position]];
            for (uint32_t d = 0; d < transfer.dependencyCount; d++)
            {
                const uint32_t parent =
                    m_position[m_schedule.dependencies[transfer.firstDependency + d]];
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
        for (; i < end; i++)
        {
            const Pair& pair = pairs[open[i]];
            const uint64_t* row = reach.data() + words * (pair.after - first);
            const uint32_t bit = pair.before - first;
            if (!(row[bit / 64] >> (bit % 64) & 1) && !fault(pair))
            {
                return;
            }
        }
    }
}

void
CollectiveValidator::RunOnContributors()
{
    const uint32_t chunks = m_schedule.chunks;
    m_sets.assign(static_cast<size_t>(m_schedule.ranks) * chunks * m_words, 0);
    m_origins.resize(static_cast<size_t>(m_schedule.ranks) * chunks);
    for (uint32_t rank = 0; rank < m_schedule.ranks; rank++)
    {
        for (uint32_t chunk = 0; chunk < chunks; chunk++)
        {
            const uint64_t place = GetPlace(rank, chunk);
            m_origins[place] = chunk;
            if (m_schedule.operation != CollectiveOperation::ALL_GATHER ||
                chunk / m_schedule.channels == rank)
            {
                GetSet(place)[rank / 64] |= uint64_t{1} << (rank % 64);
            }
        }
    }
    for (uint32_t position = 0; position < m_order.size(); position++)
    {
        const uint32_t index = m_order[position];
        const ChunkTransfer& transfer = m_schedule.transfers[index];
        for (uint32_t i = 0; i < transfer.chunkCount; i++)
        {
            const uint64_t from = GetPlace(transfer.source, transfer.sourceChunk + i);
            const uint64_t to = GetPlace(transfer.destination, transfer.destinationChunk + i);
            const uint64_t* source = GetSet(from);
            uint64_t* destination = GetSet(to);
            const bool defined =
                std::any_of(source, source + m_words, [](uint64_t word) { return word != 0; });
            bool fits = true;
            bool disjoint = true;
            if (transfer.action == ChunkAction::REDUCE)
            {
                const bool target = std::any_of(destination,
                                                destination + m_words,
                                                [](uint64_t word) { return word != 0; });
                fits = target && m_origins[from] == m_origins[to];
                for (size_t w = 0; w < m_words; w++)
                {
                    disjoint = disjoint && (source[w] & destination[w]) == 0;
                    destination[w] |= source[w];
                }
            }
            else
            {
                std::copy(source, source + m_words, destination);
                m_origins[to] = m_origins[from];
            }
            std::string what;
            if (!defined)
            {
                what = " sends a chunk that its rank does not have";
            }
            else if (!fits)
            {
                what = " reduces into a chunk of something else";
            }
            else if (!disjoint)
            {
                what = " adds a contribution that is already there";
            }
            if (!what.empty() && !Fault(Describe(index) + what))
            {
                return;
            }
        }
    }
}

bool
CollectiveValidator::IsFull(uint64_t place) const
{
    uint32_t count = 0;
    for (size_t w = 0; w < m_words; w++)
    {
        for (uint64_t word = m_sets[place * m_words + w]; word != 0; word &= word - 1)
        {
            count++;
        }
    }
    return count == m_schedule.ranks;
}

void
CollectiveValidator::CheckPostCondition()
{
    for (uint32_t rank = 0; rank < m_schedule.ranks; rank++)
    {
        for (uint32_t chunk = 0; chunk < m_schedule.chunks; chunk++)
        {
            const uint64_t place = GetPlace(rank, chunk);
            const uint32_t owner = chunk / m_schedule.channels;
            bool good = m_origins[place] == chunk;
            switch (m_schedule.operation)
            {
            case CollectiveOperation::ALL_REDUCE:
                good = good && IsFull(place);
                break;
            case CollectiveOperation::REDUCE_SCATTER:
                good = rank != owner || (good && IsFull(place));
                break;
            case CollectiveOperation::ALL_GATHER:
                // Nothing is reduced into a set here that RunOnContributors() lets pass but one
                // contribution each, so the owner's bit alone tells whose data these are.
                good = good && (GetSet(place)[owner / 64] >> (owner % 64) & 1);
                break;
            }
            if (!good && !Fault("rank " + std::to_string(rank) + " ends without the result in " +
                                "chunk " + std::to_string(chunk)))
            {
                return;
            }
        }
    }
}

} // namespace ns3
