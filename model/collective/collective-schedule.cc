/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/collective-schedule.h"

#include "algorithms/collective-order.h"
#include "collective-validator.h"
#include "counting-sort.h"

#include "ns3/abort.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace ns3
{

const char*
GetCollectiveOperationName(CollectiveOperation operation)
{
    switch (operation)
    {
    case CollectiveOperation::ALL_REDUCE:
        return "all-reduce";
    case CollectiveOperation::ALL_GATHER:
        return "all-gather";
    case CollectiveOperation::REDUCE_SCATTER:
        return "reduce-scatter";
    case CollectiveOperation::BROADCAST:
        return "broadcast";
    case CollectiveOperation::REDUCE:
        return "reduce";
    case CollectiveOperation::ALL_TO_ALL:
        return "all-to-all";
    case CollectiveOperation::SEND_RECEIVE:
        return "send-receive";
    }
    return "unknown";
}

const std::vector<CollectiveOperation>&
GetCollectiveOperations()
{
    static const std::vector<CollectiveOperation> operations{CollectiveOperation::ALL_REDUCE,
                                                             CollectiveOperation::ALL_GATHER,
                                                             CollectiveOperation::REDUCE_SCATTER,
                                                             CollectiveOperation::BROADCAST,
                                                             CollectiveOperation::REDUCE,
                                                             CollectiveOperation::ALL_TO_ALL,
                                                             CollectiveOperation::SEND_RECEIVE};
    return operations;
}

bool
CollectiveCall::operator==(const CollectiveCall& other) const
{
    return operation == other.operation && bytes == other.bytes && root == other.root &&
           destinations == other.destinations;
}

bool
CollectiveCall::operator<(const CollectiveCall& other) const
{
    return std::tie(operation, bytes, root, destinations) <
           std::tie(other.operation, other.bytes, other.root, other.destinations);
}

std::vector<uint32_t>
CollectiveLayout::GetNics(uint32_t host) const
{
    std::vector<uint32_t> nics;
    for (const Rank& rank : ranks)
    {
        if (rank.host == host)
        {
            nics.push_back(rank.nic);
        }
    }
    std::sort(nics.begin(), nics.end());
    nics.erase(std::unique(nics.begin(), nics.end()), nics.end());
    return nics;
}

uint32_t
CollectiveLayout::GetChannelNic(uint32_t host, uint32_t channel) const
{
    const std::vector<uint32_t> nics = GetNics(host);
    NS_ABORT_MSG_IF(nics.empty(), "host " << host << " has no rank of the communicator");
    return nics[channel % nics.size()];
}

uint32_t
CollectiveLayout::GetDefaultChannels() const
{
    // In one pass, as ranks are host-major: a cluster has many hosts.
    size_t channels = SIZE_MAX;
    for (size_t begin = 0; begin < ranks.size();)
    {
        std::vector<uint32_t> nics;
        size_t end = begin;
        for (; end < ranks.size() && ranks[end].host == ranks[begin].host; end++)
        {
            nics.push_back(ranks[end].nic);
        }
        std::sort(nics.begin(), nics.end());
        nics.erase(std::unique(nics.begin(), nics.end()), nics.end());
        channels = std::min(channels, nics.size());
        begin = end;
    }
    return channels == SIZE_MAX ? 1 : std::max(static_cast<uint32_t>(channels), 1U);
}

uint32_t
CollectiveLayout::GetRail(uint32_t rank) const
{
    const std::vector<uint32_t> nics = GetNics(ranks[rank].host);
    const auto rail =
        static_cast<uint32_t>(std::find(nics.begin(), nics.end(), ranks[rank].nic) - nics.begin());
    return rail < GetDefaultChannels() ? rail : 0;
}

uint32_t
CollectiveLayout::GetRelay(uint32_t source, uint32_t destination) const
{
    const Rank& from = ranks[source];
    const uint32_t leaf = ranks[destination].leaf;
    if (from.host == ranks[destination].host || from.leaf == leaf)
    {
        return source;
    }
    // Ranks of a host are adjacent. The nearest one after the source, so that sources with the same
    // destination do not all take the same.
    uint32_t begin = source;
    uint32_t end = source + 1;
    for (; begin > 0 && ranks[begin - 1].host == from.host; begin--)
    {
    }
    for (; end < ranks.size() && ranks[end].host == from.host; end++)
    {
    }
    for (uint32_t step = 1; step < end - begin; step++)
    {
        const uint32_t relay = begin + (source - begin + step) % (end - begin);
        if (ranks[relay].leaf == leaf)
        {
            return relay;
        }
    }
    return source;
}

uint32_t
CollectiveLayout::GetHostCount() const
{
    uint32_t count = 0;
    for (const Rank& rank : ranks)
    {
        count = std::max(count, rank.host + 1);
    }
    return count;
}

void
CollectiveSchedule::SetProtocol(CollectiveProtocol value)
{
    protocol = value;
    // A line of LL is 8 bytes, 4 of them data; one of LL128 is 128 bytes, 120 of them data.
    wireNumerator = value == CollectiveProtocol::LL      ? 2
                    : value == CollectiveProtocol::LL128 ? 16
                                                         : 1;
    wireDenominator = value == CollectiveProtocol::LL128 ? 15 : 1;
}

uint64_t
CollectiveSchedule::GetChunkOffset(uint32_t chunk, uint64_t bytes) const
{
    __extension__ using Product = unsigned __int128;
    return static_cast<uint64_t>(static_cast<Product>(bytes) * chunk / chunks);
}

uint64_t
CollectiveSchedule::GetTransferBytes(const ChunkTransfer& transfer, uint64_t bytes) const
{
    // The size of the sender's chunks; at a different place at the receiver it may differ by a
    // byte.
    const uint64_t size = GetChunkOffset(transfer.sourceChunk + transfer.chunkCount, bytes) -
                          GetChunkOffset(transfer.sourceChunk, bytes);
    return wireNumerator == wireDenominator ? size
                                            : GetWireBytes(size, wireNumerator, wireDenominator);
}

uint64_t
CollectiveSchedule::GetWireBytes(uint64_t bytes, uint32_t numerator, uint32_t denominator)
{
    __extension__ using Product = unsigned __int128;
    const Product wire = static_cast<Product>(bytes) * numerator;
    return static_cast<uint64_t>((wire + denominator - 1) / denominator);
}

uint32_t
CollectiveSchedule::GetChunks(ChunkBuffer buffer) const
{
    switch (buffer)
    {
    case ChunkBuffer::INPUT:
        return operation == CollectiveOperation::ALL_GATHER ? chunks / ranks : chunks;
    case ChunkBuffer::OUTPUT:
        return operation == CollectiveOperation::REDUCE_SCATTER ? chunks / ranks : chunks;
    case ChunkBuffer::SCRATCH:
        break;
    }
    return scratchChunks;
}

uint64_t
CollectiveSchedule::GetPlaces() const
{
    const uint64_t data = inPlace ? chunks
                                  : static_cast<uint64_t>(GetChunks(ChunkBuffer::INPUT)) +
                                        GetChunks(ChunkBuffer::OUTPUT);
    return data + scratchChunks;
}

uint64_t
CollectiveSchedule::GetPlace(uint32_t rank, ChunkBuffer buffer, uint32_t chunk) const
{
    const uint32_t size = GetChunks(buffer);
    if (buffer == ChunkBuffer::SCRATCH)
    {
        return GetPlaces() - scratchChunks + chunk;
    }
    if (inPlace)
    {
        return size < chunks ? static_cast<uint64_t>(rank) * size + chunk : chunk;
    }
    return buffer == ChunkBuffer::INPUT
               ? chunk
               : static_cast<uint64_t>(GetChunks(ChunkBuffer::INPUT)) + chunk;
}

std::vector<uint32_t>
CollectiveSchedule::GetPredecessors() const
{
    std::vector<uint32_t> predecessors(transfers.size(), NONE);
    // By destination and channel: the last transfer, from any source.
    std::vector<uint32_t> last(static_cast<size_t>(ranks) * channels, NONE);
    const auto getSource = [this](uint32_t t) { return transfers[t].source; };
    for (uint32_t t : CountingSort(static_cast<uint32_t>(transfers.size()), ranks, getSource))
    {
        const ChunkTransfer& transfer = transfers[t];
        NS_ABORT_MSG_IF(transfer.channel >= channels || transfer.destination >= ranks,
                        "transfer " << t << " goes to no rank, or by no channel");
        if (!transfer.IsLocal())
        {
            uint32_t& before =
                last[static_cast<size_t>(transfer.destination) * channels + transfer.channel];
            if (before != NONE && transfers[before].source == transfer.source)
            {
                predecessors[t] = before;
            }
            before = t;
        }
    }
    return predecessors;
}

bool
CollectiveSchedule::IsStaged() const
{
    return std::any_of(transfers.begin(), transfers.end(), [this](const ChunkTransfer& transfer) {
        const auto* first = dependencies.data() + transfer.firstDependency;
        return transfer.gateCount > 0 ||
               std::any_of(first, first + transfer.dependencyCount, [&](uint32_t dependency) {
                   return transfers[dependency].destination != transfer.source;
               });
    });
}

CollectiveSchedule
CollectiveSchedule::GetCanonical() const
{
    const auto count = static_cast<uint32_t>(transfers.size());
    const auto stream = [this](uint32_t t) {
        return std::make_tuple(transfers[t].source, transfers[t].destination, transfers[t].channel);
    };
    const auto sameStream = [&](uint32_t a, uint32_t b) {
        return !transfers[a].IsLocal() && stream(a) == stream(b);
    };
    const auto getWaits = [this](uint32_t t, bool gates) {
        const ChunkTransfer& transfer = transfers[t];
        const auto first =
            dependencies.begin() + (gates ? transfer.firstGate : transfer.firstDependency);
        return std::vector<uint32_t>(first,
                                     first +
                                         (gates ? transfer.gateCount : transfer.dependencyCount));
    };
    CollectiveOrder events(*this, true);
    if (events.Sort() >= 0)
    {
        return *this; // a cycle, which Validate() will report
    }
    const std::vector<uint32_t> levels = events.GetLevels();
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](uint32_t t) {
        const ChunkTransfer& c = transfers[t];
        return std::make_tuple(levels[events.GetPosted(t)],
                               c.source,
                               c.destination,
                               c.channel,
                               c.destinationBuffer,
                               c.destinationChunk,
                               c.sourceBuffer,
                               c.sourceChunk,
                               c.chunkCount,
                               c.action);
    };
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return std::make_tuple(key(a), a) < std::make_tuple(key(b), b);
    });
    std::vector<uint32_t> place(count);
    for (uint32_t i = 0; i < count; i++)
    {
        place[order[i]] = i;
    }

    CollectiveSchedule canonical = *this;
    canonical.transfers.clear();
    canonical.dependencies.clear();
    for (uint32_t t : order)
    {
        ChunkTransfer transfer = transfers[t];
        for (bool gates : {false, true})
        {
            std::vector<uint32_t> waits;
            for (uint32_t wait : getWaits(t, gates))
            {
                if (!sameStream(wait, t))
                {
                    waits.push_back(place[wait]);
                }
            }
            std::sort(waits.begin(), waits.end());
            waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
            (gates ? transfer.firstGate : transfer.firstDependency) =
                static_cast<uint32_t>(canonical.dependencies.size());
            (gates ? transfer.gateCount : transfer.dependencyCount) =
                static_cast<uint32_t>(waits.size());
            canonical.dependencies.insert(canonical.dependencies.end(), waits.begin(), waits.end());
        }
        canonical.transfers.push_back(transfer);
    }
    return canonical;
}

bool
CollectiveSchedule::operator==(const CollectiveSchedule& other) const
{
    const auto key = [](const CollectiveSchedule& s) {
        return std::tie(s.operation,
                        s.ranks,
                        s.channels,
                        s.chunks,
                        s.scratchChunks,
                        s.inPlace,
                        s.root,
                        s.destinations,
                        s.wireNumerator,
                        s.wireDenominator);
    };
    const auto same = [this, &other](const ChunkTransfer& a, const ChunkTransfer& b) {
        const auto fields = [](const ChunkTransfer& c) {
            return std::tie(c.source,
                            c.destination,
                            c.channel,
                            c.sourceChunk,
                            c.destinationChunk,
                            c.chunkCount,
                            c.action,
                            c.sourceBuffer,
                            c.destinationBuffer,
                            c.dependencyCount,
                            c.gateCount);
        };
        const auto* own = dependencies.data();
        const auto* others = other.dependencies.data();
        return fields(a) == fields(b) &&
               std::equal(own + a.firstDependency,
                          own + a.firstDependency + a.dependencyCount,
                          others + b.firstDependency) &&
               std::equal(own + a.firstGate, own + a.firstGate + a.gateCount, others + b.firstGate);
    };
    return key(*this) == key(other) && std::equal(transfers.begin(),
                                                  transfers.end(),
                                                  other.transfers.begin(),
                                                  other.transfers.end(),
                                                  same);
}

std::vector<std::string>
CollectiveSchedule::Validate() const
{
    return CollectiveValidator(*this).Run();
}

} // namespace ns3
