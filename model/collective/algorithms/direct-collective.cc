/* SPDX-License-Identifier: GPL-2.0-only */
#include "direct-collective.h"

#include "../collective-builder.h"
#include "peer-exchange.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/quantity-value.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("DirectCollective");

NS_OBJECT_ENSURE_REGISTERED(DirectCollective);

TypeId
DirectCollective::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::DirectCollective")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("GpuFabric")
            .AddConstructor<DirectCollective>()
            .AddAttribute("OneStepMaxBytes",
                          "Largest buffer that an all-reduce sends whole to every rank; "
                          "default: where msccl-scheduler's one-pass program ends "
                          "(ndv4/ap-1pass, maxBytes).",
                          ByteSizeValue(32'768),
                          MakeByteSizeAccessor(&DirectCollective::m_oneStepMaxBytes),
                          MakeByteSizeChecker())
            .AddAttribute("Pxn",
                          "Whether an all-to-all relays messages to a NIC at another switch by "
                          "the GPU of the sender's host whose NIC is there (NCCL's PXN).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&DirectCollective::m_pxn),
                          MakeBooleanChecker());
    return tid;
}

bool
DirectCollective::DependsOnBytes(CollectiveOperation operation) const
{
    return operation == CollectiveOperation::ALL_REDUCE;
}

std::string
DirectCollective::DoGetUnsupportedReason(const CollectiveCall&, const CollectiveLayout&) const
{
    return "";
}

CollectiveSchedule
DirectCollective::BuildOneStep(const CollectiveCall& call, uint32_t ranks, uint32_t channels) const
{
    CollectiveBuilder builder("Direct", call, ranks, channels);
    builder.SetChunks(channels, true, ranks * channels);
    for (uint32_t step = 1; step < ranks; step++)
    {
        for (uint32_t rank = 0; rank < ranks; rank++)
        {
            for (uint32_t channel = 0; channel < channels; channel++)
            {
                builder.Move(
                    {rank, ChunkBuffer::OUTPUT, channel},
                    {(rank + step) % ranks, ChunkBuffer::SCRATCH, rank * channels + channel},
                    1,
                    channel,
                    ChunkAction::COPY);
            }
        }
    }
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        for (uint32_t step = 1; step < ranks; step++)
        {
            const uint32_t peer = (rank + ranks - step) % ranks;
            for (uint32_t channel = 0; channel < channels; channel++)
            {
                builder.Move({rank, ChunkBuffer::SCRATCH, peer * channels + channel},
                             {rank, ChunkBuffer::OUTPUT, channel},
                             1,
                             0,
                             ChunkAction::REDUCE);
            }
        }
    }
    return builder.Finish();
}

CollectiveSchedule
DirectCollective::BuildExchange(const CollectiveCall& call,
                                const CollectiveLayout& layout,
                                uint32_t channels) const
{
    const auto n = static_cast<uint32_t>(layout.ranks.size());
    PeerExchange exchange("Direct", call, layout, channels, m_pxn);
    for (uint32_t step = 0; step < n; step++)
    {
        for (uint32_t rank = 0; rank < n; rank++)
        {
            for (uint32_t channel = 0; channel < channels; channel++)
            {
                // Each rank starts with the next one, so that not all send to the same rank.
                exchange.AddMessage(rank, (rank + step) % n, channel);
            }
        }
    }
    return exchange.Finish();
}

CollectiveSchedule
DirectCollective::DoBuild(const CollectiveCall& call,
                          const CollectiveLayout& layout,
                          uint32_t channels) const
{
    NS_LOG_FUNCTION(this << GetCollectiveOperationName(call.operation) << call.bytes << channels);
    const auto n = static_cast<uint32_t>(layout.ranks.size());
    const CollectiveOperation operation = call.operation;
    if (operation == CollectiveOperation::ALL_REDUCE && call.bytes <= m_oneStepMaxBytes)
    {
        return BuildOneStep(call, n, channels);
    }
    if (operation == CollectiveOperation::ALL_TO_ALL)
    {
        return BuildExchange(call, layout, channels);
    }
    const bool rooted =
        operation == CollectiveOperation::BROADCAST || operation == CollectiveOperation::REDUCE;
    CollectiveBuilder builder("Direct", call, n, channels);
    builder.SetChunks((rooted ? 1 : n) * channels, true);
    // Portion `from` of the sender's buffer to portion `to` of the receiver's, on all channels.
    const auto move = [&](uint32_t source,
                          uint32_t destination,
                          ChunkBuffer input,
                          uint32_t from,
                          ChunkBuffer output,
                          uint32_t to,
                          ChunkAction action) {
        for (uint32_t c = 0; c < channels; c++)
        {
            builder.Move({source, input, from * channels + c},
                         {destination, output, to * channels + c},
                         1,
                         c,
                         action);
        }
    };
    constexpr ChunkBuffer IN = ChunkBuffer::INPUT;
    constexpr ChunkBuffer OUT = ChunkBuffer::OUTPUT;
    constexpr ChunkAction COPY = ChunkAction::COPY;
    constexpr ChunkAction REDUCE = ChunkAction::REDUCE;
    const bool reduces = operation == CollectiveOperation::ALL_REDUCE ||
                         operation == CollectiveOperation::REDUCE_SCATTER;
    const bool gathers = operation == CollectiveOperation::ALL_REDUCE ||
                         operation == CollectiveOperation::ALL_GATHER;
    for (uint32_t step = 0; step < n; step++)
    {
        for (uint32_t rank = 0; rank < n; rank++)
        {
            // Each rank starts with the next one, so that not all send to the same rank.
            const uint32_t peer = (rank + step) % n;
            if (reduces && step > 0)
            {
                move(rank, peer, IN, peer, IN, peer, REDUCE);
            }
            else if (operation == CollectiveOperation::BROADCAST && step > 0 && rank == call.root)
            {
                move(rank, peer, OUT, 0, OUT, 0, COPY);
            }
            else if (operation == CollectiveOperation::REDUCE && step > 0 && peer == call.root)
            {
                move(rank, peer, OUT, 0, OUT, 0, REDUCE);
            }
        }
    }
    for (uint32_t step = 1; step < n && gathers; step++)
    {
        for (uint32_t rank = 0; rank < n; rank++)
        {
            move(rank, (rank + step) % n, OUT, rank, OUT, rank, COPY);
        }
    }
    return builder.Finish();
}

} // namespace ns3
