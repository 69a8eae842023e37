/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/ring-collective.h"

#include "ns3/abort.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RingCollective);

TypeId
RingCollective::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RingCollective")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<RingCollective>();
    return tid;
}

bool
RingCollective::Supports(CollectiveOperation, uint32_t ranks) const
{
    return ranks >= 1;
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
RingCollective::Build(CollectiveOperation operation,
                      const CollectiveLayout& layout,
                      uint32_t channels) const
{
    const auto n = static_cast<uint32_t>(layout.ranks.size());
    NS_ABORT_MSG_IF(n == 0 || channels == 0, "a ring needs at least one rank and one channel");
    CollectiveSchedule schedule;
    schedule.operation = operation;
    schedule.algorithm = "Ring";
    schedule.ranks = n;
    schedule.channels = channels;
    schedule.chunks = n * channels;

    std::vector<std::vector<uint32_t>> rings;
    for (uint32_t channel = 0; channel < channels; channel++)
    {
        rings.push_back(GetRing(layout, channel));
    }
    const bool reduces = operation != CollectiveOperation::ALL_GATHER;
    const bool gathers = operation != CollectiveOperation::REDUCE_SCATTER;
    const uint32_t reduceSteps = reduces ? n - 1 : 0;
    const uint32_t steps = reduceSteps + (gathers ? n - 1 : 0);
    schedule.transfers.reserve(static_cast<size_t>(steps) * channels * n);
    for (uint32_t step = 0; step < steps; step++)
    {
        for (uint32_t channel = 0; channel < channels; channel++)
        {
            const std::vector<uint32_t>& ring = rings[channel];
            for (uint32_t position = 0; position < n; position++)
            {
                // A portion is reduced on its way from the successor of its owner round to its
                // owner, and copied on from there.
                const uint32_t hops = step < reduceSteps ? step + 1 : step - reduceSteps;
                const uint32_t portion = ring[(position + n - hops) % n];
                ChunkTransfer transfer;
                transfer.source = ring[position];
                transfer.destination = ring[(position + 1) % n];
                transfer.channel = channel;
                transfer.sourceChunk = portion * channels + channel;
                transfer.destinationChunk = transfer.sourceChunk;
                transfer.action = step < reduceSteps ? ChunkAction::REDUCE : ChunkAction::COPY;
                transfer.firstDependency = static_cast<uint32_t>(schedule.dependencies.size());
                if (step > 0)
                {
                    const uint32_t previous = (position + n - 1) % n;
                    schedule.dependencies.push_back(((step - 1) * channels + channel) * n +
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
