/* SPDX-License-Identifier: GPL-2.0-only */
#include "collective-validator.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr size_t MAX_FAULTS = 20;

std::string
Number(uint32_t transfer)
{
    return "transfer " + std::to_string(transfer);
}

} // namespace

CollectiveValidator::CollectiveValidator(const CollectiveSchedule& schedule)
    : m_schedule(schedule),
      m_words((schedule.ranks + 63) / 64),
      m_allRanks(m_words, ~uint64_t{0})
{
    if (schedule.ranks % 64 > 0)
    {
        m_allRanks.back() = (uint64_t{1} << (schedule.ranks % 64)) - 1;
    }
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
    if (chunk.IsLocal())
    {
        return Number(transfer) + " (within rank " + std::to_string(chunk.source) + ")";
    }
    return Number(transfer) + " (rank " + std::to_string(chunk.source) + " to rank " +
           std::to_string(chunk.destination) + ")";
}

std::string
CollectiveValidator::DescribePlace(uint32_t rank, uint64_t place) const
{
    const uint64_t data = m_places - m_schedule.scratchChunks;
    const uint32_t input = m_schedule.GetChunks(ChunkBuffer::INPUT);
    if (place >= data)
    {
        return "scratch chunk " + std::to_string(place - data) + " of rank " + std::to_string(rank);
    }
    std::string name = "chunk " + std::to_string(place);
    if (!m_schedule.inPlace)
    {
        name = place < input ? "input " + name : "output chunk " + std::to_string(place - input);
    }
    return name + " of rank " + std::to_string(rank);
}

std::vector<std::string>
CollectiveValidator::Run()
{
    // Each step relies on the results of the previous ones.
    if (CheckShape() && CheckIndices() && (m_schedule.IsStaged() || !CheckOrder(false)) &&
        m_faults.empty())
    {
        CheckOrder(true);
    }
    return m_faults;
}

bool
CollectiveValidator::CheckOrder(bool staged)
{
    m_staged = staged;
    CollectiveOrder order(m_schedule, staged);
    const int64_t circular = order.Sort();
    if (circular >= 0)
    {
        Fault(Describe(static_cast<uint32_t>(circular)) +
              " waits for itself, directly or through others");
        return true;
    }
    const std::vector<CollectiveOrder::Race> races = order.FindRaces(staged ? MAX_FAULTS + 1 : 1);
    if (!races.empty() && !staged)
    {
        return false;
    }
    for (const CollectiveOrder::Race& race : races)
    {
        Fault(Describe(race.before) + " and " + Describe(race.after) + " race for " +
              DescribePlace(static_cast<uint32_t>(race.place % m_schedule.ranks),
                            race.place / m_schedule.ranks));
    }
    if (m_faults.empty())
    {
        FillInputs();
        RunOnContributors(order);
    }
    if (m_faults.empty())
    {
        CheckPostCondition();
    }
    return true;
}

bool
CollectiveValidator::CheckShape()
{
    const uint32_t ranks = m_schedule.ranks;
    if (ranks == 0 || m_schedule.channels == 0)
    {
        Fault("a collective needs at least one rank and one channel");
        return false;
    }
    if (m_schedule.chunks == 0)
    {
        Fault("the buffer has no chunks");
    }
    const CollectiveOperation operation = m_schedule.operation;
    if ((operation == CollectiveOperation::ALL_GATHER ||
         operation == CollectiveOperation::REDUCE_SCATTER ||
         operation == CollectiveOperation::ALL_TO_ALL) &&
        m_schedule.chunks % ranks != 0)
    {
        Fault("the buffer has " + std::to_string(m_schedule.chunks) +
              " chunks, not a multiple of the " + std::to_string(ranks) + " ranks");
    }
    if ((operation == CollectiveOperation::BROADCAST || operation == CollectiveOperation::REDUCE) &&
        m_schedule.root >= ranks)
    {
        Fault("the root is rank " + std::to_string(m_schedule.root) + " of " +
              std::to_string(ranks));
    }
    if (operation == CollectiveOperation::SEND_RECEIVE)
    {
        std::vector<uint8_t> taken(ranks);
        bool good = m_schedule.destinations.size() == ranks;
        for (uint32_t destination : m_schedule.destinations)
        {
            const bool nobody = destination == CollectiveCall::NOBODY;
            good = good && (nobody || (destination < ranks && !taken[destination]++));
        }
        if (!good)
        {
            Fault("not every rank has one destination that is no other's, or nobody");
        }
    }
    m_places = m_schedule.GetPlaces();
    return m_faults.empty();
}

bool
CollectiveValidator::CheckIndices()
{
    for (uint32_t t = 0; t < m_schedule.transfers.size(); t++)
    {
        const ChunkTransfer& transfer = m_schedule.transfers[t];
        if (transfer.source >= m_schedule.ranks || transfer.destination >= m_schedule.ranks)
        {
            Fault(Number(t) + " does not go from one rank to another");
            continue;
        }
        if (transfer.channel >= m_schedule.channels)
        {
            Fault(Number(t) + " uses channel " + std::to_string(transfer.channel) + " of " +
                  std::to_string(m_schedule.channels));
        }
        CheckChunks(t);
        CheckWaits(t, false);
        CheckWaits(t, true);
    }
    return m_faults.empty();
}

void
CollectiveValidator::CheckChunks(uint32_t index)
{
    const ChunkTransfer& transfer = m_schedule.transfers[index];
    const auto inside = [this, &transfer](ChunkBuffer buffer, uint32_t chunk) {
        const uint32_t chunks = m_schedule.GetChunks(buffer);
        return chunk < chunks && transfer.chunkCount <= chunks - chunk;
    };
    if (transfer.chunkCount == 0 || !inside(transfer.sourceBuffer, transfer.sourceChunk) ||
        !inside(transfer.destinationBuffer, transfer.destinationChunk))
    {
        Fault(Number(index) + " moves chunks that the buffer does not have");
    }
    else if (transfer.IsLocal())
    {
        const uint64_t from =
            m_schedule.GetPlace(transfer.source, transfer.sourceBuffer, transfer.sourceChunk);
        const uint64_t to = m_schedule.GetPlace(transfer.source,
                                                transfer.destinationBuffer,
                                                transfer.destinationChunk);
        const bool overlap = std::max(from, to) - std::min(from, to) < transfer.chunkCount;
        if (overlap && (from != to || transfer.action == ChunkAction::REDUCE))
        {
            Fault(Number(index) + " overlaps itself within rank " +
                  std::to_string(transfer.source));
        }
        if (transfer.gateCount > 0)
        {
            Fault(Number(index) + " has gates, but is within one rank");
        }
    }
}

void
CollectiveValidator::CheckWaits(uint32_t index, bool gates)
{
    const ChunkTransfer& transfer = m_schedule.transfers[index];
    const uint64_t first = gates ? transfer.firstGate : transfer.firstDependency;
    const uint64_t end = first + (gates ? transfer.gateCount : transfer.dependencyCount);
    const uint32_t rank = gates ? transfer.destination : transfer.source;
    if (end > m_schedule.dependencies.size())
    {
        Fault(Number(index) + " has dependencies beyond the end of the list");
        return;
    }
    for (uint64_t d = first; d < end; d++)
    {
        const uint32_t dependency = m_schedule.dependencies[d];
        if (dependency >= m_schedule.transfers.size())
        {
            Fault(Number(index) + " depends on transfer " + std::to_string(dependency) +
                  ", which does not exist");
        }
        else if (m_schedule.transfers[dependency].destination != rank &&
                 m_schedule.transfers[dependency].source != rank)
        {
            Fault(Number(index) + " depends on transfer " + std::to_string(dependency) +
                  ", which is neither delivered to nor sent by its " +
                  (gates ? "receiver" : "sender") + ", rank " + std::to_string(rank));
        }
    }
}

void
CollectiveValidator::FillInputs()
{
    m_sets.assign(m_schedule.ranks * m_places * m_words, 0);
    m_origins.assign(m_schedule.ranks * m_places, 0);
    const uint32_t chunks = m_schedule.GetChunks(ChunkBuffer::INPUT);
    for (uint32_t rank = 0; rank < m_schedule.ranks; rank++)
    {
        const bool gives =
            m_schedule.operation == CollectiveOperation::SEND_RECEIVE
                ? m_schedule.destinations[rank] != CollectiveCall::NOBODY
                : m_schedule.operation != CollectiveOperation::BROADCAST || m_schedule.root == rank;
        for (uint32_t chunk = 0; chunk < chunks && gives; chunk++)
        {
            const uint64_t place = GetPlace(rank, ChunkBuffer::INPUT, chunk);
            // A gathered chunk is identified by its place in the output.
            m_origins[place] = m_schedule.operation == CollectiveOperation::ALL_GATHER
                                   ? rank * chunks + chunk
                                   : chunk;
            GetSet(place)[rank / 64] |= uint64_t{1} << (rank % 64);
        }
    }
}

void
CollectiveValidator::RunOnContributors(const CollectiveOrder& order)
{
    // If transfers are posted and taken at once, one payload serves all.
    std::vector<Payload> payloads(m_staged ? m_schedule.transfers.size() : 1);
    for (uint32_t event : order.GetEvents())
    {
        const uint32_t transfer = order.GetTransfer(event);
        Payload& payload = payloads[m_staged ? transfer : 0];
        if (order.Posts(event))
        {
            Post(transfer, payload);
        }
        if (order.Takes(event))
        {
            if (!Take(transfer, payload))
            {
                return;
            }
            if (m_staged)
            {
                payload = Payload();
            }
        }
    }
}

void
CollectiveValidator::Post(uint32_t index, Payload& payload)
{
    const ChunkTransfer& transfer = m_schedule.transfers[index];
    payload.sets.clear();
    payload.origins.clear();
    for (uint32_t i = 0; i < transfer.chunkCount; i++)
    {
        const uint64_t place =
            GetPlace(transfer.source, transfer.sourceBuffer, transfer.sourceChunk + i);
        payload.sets.insert(payload.sets.end(), GetSet(place), GetSet(place) + m_words);
        payload.origins.push_back(m_origins[place]);
    }
}

bool
CollectiveValidator::Take(uint32_t index, const Payload& payload)
{
    const ChunkTransfer& transfer = m_schedule.transfers[index];
    const auto any = [this](const uint64_t* set) {
        return std::any_of(set, set + m_words, [](uint64_t word) { return word != 0; });
    };
    for (uint32_t i = 0; i < transfer.chunkCount; i++)
    {
        const uint64_t to = GetPlace(transfer.destination,
                                     transfer.destinationBuffer,
                                     transfer.destinationChunk + i);
        const uint64_t* source = payload.sets.data() + i * m_words;
        uint64_t* destination = GetSet(to);
        const auto isSame = [&] { return payload.origins[i] == m_origins[to] && any(destination); };
        std::string what;
        if (!any(source))
        {
            what = " sends a chunk that its rank does not have";
        }
        else if (transfer.action == ChunkAction::REDUCE)
        {
            const bool same = isSame();
            bool disjoint = true;
            for (size_t w = 0; w < m_words; w++)
            {
                disjoint = disjoint && (source[w] & destination[w]) == 0;
                destination[w] |= source[w];
            }
            what = !same       ? " reduces into a chunk of something else"
                   : !disjoint ? " adds a contribution that is already there"
                               : "";
        }
        else
        {
            // A message sent twice is a race in the plain order, but not in the staged one.
            if (m_staged && !transfer.IsLocal() && isSame() &&
                std::equal(source, source + m_words, destination))
            {
                what = " brings what is already there";
            }
            std::copy(source, source + m_words, destination);
            m_origins[to] = payload.origins[i];
        }
        if (!what.empty() && !Fault(Describe(index) + what))
        {
            return false;
        }
    }
    return true;
}

bool
CollectiveValidator::HoldsAll(uint64_t place, uint32_t origin) const
{
    const uint64_t* set = m_sets.data() + place * m_words;
    return m_origins[place] == origin && std::equal(set, set + m_words, m_allRanks.begin());
}

bool
CollectiveValidator::HoldsOne(uint64_t place, uint32_t origin, uint32_t rank) const
{
    for (size_t w = 0; w < m_words; w++)
    {
        const uint64_t expected = w == rank / 64 ? uint64_t{1} << (rank % 64) : 0;
        if (m_sets[place * m_words + w] != expected)
        {
            return false;
        }
    }
    return m_origins[place] == origin;
}

bool
CollectiveValidator::HasResult(uint32_t rank, uint32_t chunk)
{
    const uint64_t place = GetPlace(rank, ChunkBuffer::OUTPUT, chunk);
    const uint32_t portion = m_schedule.chunks / m_schedule.ranks;
    switch (m_schedule.operation)
    {
    case CollectiveOperation::ALL_REDUCE:
        return HoldsAll(place, chunk);
    case CollectiveOperation::REDUCE_SCATTER:
        return HoldsAll(place, rank * portion + chunk);
    case CollectiveOperation::ALL_GATHER:
        return HoldsOne(place, chunk, chunk / portion);
    case CollectiveOperation::BROADCAST:
        return HoldsOne(place, chunk, m_schedule.root);
    case CollectiveOperation::REDUCE:
        return rank != m_schedule.root || HoldsAll(place, chunk);
    case CollectiveOperation::ALL_TO_ALL:
        return HoldsOne(place, rank * portion + chunk % portion, chunk / portion);
    case CollectiveOperation::SEND_RECEIVE: {
        const auto source =
            std::find(m_schedule.destinations.begin(), m_schedule.destinations.end(), rank);
        return source == m_schedule.destinations.end() ||
               HoldsOne(place,
                        chunk,
                        static_cast<uint32_t>(source - m_schedule.destinations.begin()));
    }
    }
    return false;
}

void
CollectiveValidator::CheckPostCondition()
{
    for (uint32_t chunk = 0; chunk < m_schedule.GetChunks(ChunkBuffer::OUTPUT); chunk++)
    {
        for (uint32_t rank = 0; rank < m_schedule.ranks; rank++)
        {
            if (!HasResult(rank, chunk) &&
                !Fault("rank " + std::to_string(rank) + " ends without the result in chunk " +
                       std::to_string(chunk)))
            {
                return;
            }
        }
    }
}

} // namespace ns3
