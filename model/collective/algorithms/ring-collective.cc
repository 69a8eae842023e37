/* SPDX-License-Identifier: GPL-2.0-only */
#include "ring-collective.h"

#include "../collective-builder.h"

#include "ns3/log.h"
#include "ns3/quantity-value.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RingCollective");

NS_OBJECT_ENSURE_REGISTERED(RingCollective);

TypeId
RingCollective::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RingCollective")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<RingCollective>()
                            .AddAttribute("ChunkBytes",
                                          "Most that a channel moves along an edge in one step "
                                          "of an all-reduce, all-gather or reduce-scatter; a "
                                          "larger buffer goes round in several turns, as NCCL's "
                                          "loops do. 0: everything in one turn.",
                                          ByteSizeValue(0),
                                          MakeByteSizeAccessor(&RingCollective::m_chunkBytes),
                                          MakeByteSizeChecker())
                            .AddAttribute("MaxTurns",
                                          "Turns at most, with larger chunks if need be.",
                                          UintegerValue(16),
                                          MakeUintegerAccessor(&RingCollective::m_maxTurns),
                                          MakeUintegerChecker<uint32_t>(1, 1024))
                            .AddAttribute("PieceBytes",
                                          "Piece of a broadcast or reduce that moves along the "
                                          "chain; default: a slot of NCCL's buffer, "
                                          "NCCL_BUFFSIZE / NCCL_STEPS.",
                                          ByteSizeValue(524'288),
                                          MakeByteSizeAccessor(&RingCollective::m_pieceBytes),
                                          MakeByteSizeChecker(1))
                            .AddAttribute("MaxPieces",
                                          "Pieces of a channel's share at most, larger if need "
                                          "be.",
                                          UintegerValue(64),
                                          MakeUintegerAccessor(&RingCollective::m_maxPieces),
                                          MakeUintegerChecker<uint32_t>(1, 4096));
    return tid;
}

bool
RingCollective::DependsOnBytes(CollectiveOperation operation) const
{
    return IsChain(operation) ||
           (m_chunkBytes > 0 && operation != CollectiveOperation::SEND_RECEIVE);
}

bool
RingCollective::IsChain(CollectiveOperation operation)
{
    return operation == CollectiveOperation::BROADCAST || operation == CollectiveOperation::REDUCE;
}

std::string
RingCollective::DoGetUnsupportedReason(const CollectiveCall& call, const CollectiveLayout&) const
{
    return call.operation == CollectiveOperation::ALL_TO_ALL ? CannotDo(call.operation) : "";
}

std::vector<uint32_t>
RingCollective::GetRing(const CollectiveLayout& layout, uint32_t channel)
{
    const auto ranks = static_cast<uint32_t>(layout.ranks.size());
    std::vector<uint32_t> ring;
    ring.reserve(ranks);
    for (uint32_t begin = 0; begin < ranks;)
    {
        const uint32_t host = layout.ranks[begin].host;
        const uint32_t nic = layout.GetChannelNic(host, channel);
        uint32_t end = begin;
        uint32_t first = begin;
        uint32_t attached = 0;
        // The last attached GPU goes first, so that the one before it, attached too, goes last.
        for (; end < ranks && layout.ranks[end].host == host; end++)
        {
            if (layout.ranks[end].nic == nic)
            {
                first = end;
                attached++;
            }
        }
        if (attached == end - begin)
        {
            first = begin;
        }
        for (uint32_t i = 0; i < end - begin; i++)
        {
            ring.push_back(begin + (first - begin + i) % (end - begin));
        }
        begin = end;
    }
    return ring;
}

CollectiveSchedule
RingCollective::BuildChain(const CollectiveCall& call,
                           const CollectiveLayout& layout,
                           uint32_t channels) const
{
    const auto n = static_cast<uint32_t>(layout.ranks.size());
    const uint32_t pieces = CountPieces(call.bytes / channels, m_pieceBytes, m_maxPieces);
    CollectiveBuilder builder("Ring", call, n, channels);
    builder.SetChunks(channels * pieces, true);
    std::vector<std::vector<uint32_t>> chains;
    for (uint32_t channel = 0; channel < channels; channel++)
    {
        std::vector<uint32_t> chain = GetRing(layout, channel);
        std::rotate(chain.begin(), std::find(chain.begin(), chain.end(), call.root), chain.end());
        if (call.operation == CollectiveOperation::REDUCE)
        {
            std::rotate(chain.begin(), chain.begin() + 1, chain.end());
        }
        chains.push_back(std::move(chain));
    }
    const bool reduces = call.operation == CollectiveOperation::REDUCE;
    for (uint32_t piece = 0; piece < pieces; piece++)
    {
        for (uint32_t hop = 0; hop + 1 < n; hop++)
        {
            for (uint32_t channel = 0; channel < channels; channel++)
            {
                const uint32_t chunk = channel * pieces + piece;
                builder.Move({chains[channel][hop], ChunkBuffer::OUTPUT, chunk},
                             {chains[channel][hop + 1], ChunkBuffer::OUTPUT, chunk},
                             1,
                             channel,
                             reduces ? ChunkAction::REDUCE : ChunkAction::COPY);
            }
        }
    }
    return builder.Finish();
}

CollectiveSchedule
RingCollective::DoBuild(const CollectiveCall& call,
                        const CollectiveLayout& layout,
                        uint32_t channels) const
{
    NS_LOG_FUNCTION(this << GetCollectiveOperationName(call.operation) << call.bytes << channels);
    const CollectiveOperation operation = call.operation;
    const auto n = static_cast<uint32_t>(layout.ranks.size());
    if (IsChain(operation))
    {
        return BuildChain(call, layout, channels);
    }
    CollectiveSchedule schedule;
    schedule.operation = operation;
    schedule.algorithm = "Ring";
    schedule.ranks = n;
    schedule.channels = channels;
    const uint32_t turns =
        m_chunkBytes > 0 ? CountPieces(call.bytes / n / channels, m_chunkBytes, m_maxTurns) : 1;
    schedule.chunks = n * channels * turns;

    std::vector<std::vector<uint32_t>> rings;
    for (uint32_t channel = 0; channel < channels; channel++)
    {
        rings.push_back(GetRing(layout, channel));
    }
    const bool reduces = operation != CollectiveOperation::ALL_GATHER;
    const bool gathers = operation != CollectiveOperation::REDUCE_SCATTER;
    const uint32_t reduceSteps = reduces ? n - 1 : 0;
    const uint32_t turnSteps = reduceSteps + (gathers ? n - 1 : 0);
    schedule.transfers.reserve(static_cast<size_t>(turns) * turnSteps * channels * n);
    for (uint32_t number = 0; number < turns * turnSteps; number++)
    {
        const uint32_t turn = number / turnSteps;
        const uint32_t step = number % turnSteps;
        for (uint32_t channel = 0; channel < channels; channel++)
        {
            const std::vector<uint32_t>& ring = rings[channel];
            for (uint32_t position = 0; position < n; position++)
            {
                // A portion is reduced on its way round from the successor of its owner to its
                // owner, then copied onward from there.
                const uint32_t hops = step < reduceSteps ? step + 1 : step - reduceSteps;
                const uint32_t portion = ring[(position + n - hops) % n];
                ChunkTransfer transfer;
                transfer.source = ring[position];
                transfer.destination = ring[(position + 1) % n];
                transfer.channel = channel;
                transfer.sourceChunk = (portion * channels + channel) * turns + turn;
                transfer.destinationChunk = transfer.sourceChunk;
                // Whichever of the two buffers is the larger one.
                transfer.sourceBuffer = gathers ? ChunkBuffer::OUTPUT : ChunkBuffer::INPUT;
                transfer.destinationBuffer = transfer.sourceBuffer;
                transfer.action = step < reduceSteps ? ChunkAction::REDUCE : ChunkAction::COPY;
                transfer.firstDependency = static_cast<uint32_t>(schedule.dependencies.size());
                if (number > 0)
                {
                    // In a later turn, too, a rank does one step after the other.
                    const uint32_t previous = (position + n - 1) % n;
                    schedule.dependencies.push_back(((number - 1) * channels + channel) * n +
                                                    previous);
                    transfer.dependencyCount = 1;
                }
                schedule.transfers.push_back(transfer);
            }
        }
    }
    return schedule;
}

} // namespace ns3
