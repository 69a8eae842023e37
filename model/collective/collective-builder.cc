/* SPDX-License-Identifier: GPL-2.0-only */
#include "collective-builder.h"

#include <algorithm>

namespace ns3
{

CollectiveBuilder::CollectiveBuilder(const std::string& algorithm,
                                     const CollectiveCall& call,
                                     uint32_t ranks,
                                     uint32_t channels)
{
    m_schedule.operation = call.operation;
    m_schedule.algorithm = algorithm;
    m_schedule.ranks = ranks;
    m_schedule.channels = channels;
    m_schedule.root = call.root;
    m_schedule.destinations = call.destinations;
}

void
CollectiveBuilder::SetChunks(uint32_t chunks, bool inPlace, uint32_t scratchChunks)
{
    m_schedule.chunks = chunks;
    m_schedule.inPlace = inPlace;
    m_schedule.scratchChunks = scratchChunks;
    m_touches.resize(m_schedule.ranks * m_schedule.GetPlaces());
}

CollectiveBuilder::Touches&
CollectiveBuilder::Get(const ChunkPlace& place, uint32_t offset)
{
    return m_touches[place.rank * m_schedule.GetPlaces() +
                     m_schedule.GetPlace(place.rank, place.buffer, place.chunk + offset)];
}

uint32_t
CollectiveBuilder::Move(const ChunkPlace& from,
                        const ChunkPlace& to,
                        uint32_t count,
                        uint32_t channel,
                        ChunkAction action,
                        const std::vector<uint32_t>& after)
{
    const auto index = static_cast<uint32_t>(m_schedule.transfers.size());
    ChunkTransfer transfer;
    transfer.source = from.rank;
    transfer.destination = to.rank;
    transfer.channel = transfer.IsLocal() ? 0 : channel;
    transfer.sourceChunk = from.chunk;
    transfer.destinationChunk = to.chunk;
    transfer.chunkCount = count;
    transfer.action = action;
    transfer.sourceBuffer = from.buffer;
    transfer.destinationBuffer = to.buffer;
    std::vector<uint32_t> waits = after;
    for (uint32_t i = 0; i < count; i++)
    {
        Touches& read = Get(from, i);
        waits.insert(waits.end(), read.writers.begin(), read.writers.end());
        if (transfer.IsLocal())
        {
            const Touches& written = Get(to, i);
            waits.insert(waits.end(), written.posts.begin(), written.posts.end());
        }
        read.posts.push_back(index);
    }
    for (uint32_t i = 0; i < count; i++)
    {
        Touches& written = Get(to, i);
        if (action == ChunkAction::COPY)
        {
            written = Touches();
        }
        written.writers.push_back(index);
    }
    std::sort(waits.begin(), waits.end());
    waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
    transfer.firstDependency = static_cast<uint32_t>(m_schedule.dependencies.size());
    transfer.dependencyCount = static_cast<uint32_t>(waits.size());
    m_schedule.dependencies.insert(m_schedule.dependencies.end(), waits.begin(), waits.end());
    m_schedule.transfers.push_back(transfer);
    return index;
}

CollectiveSchedule
CollectiveBuilder::Finish()
{
    m_touches.clear();
    return std::move(m_schedule);
}

} // namespace ns3
