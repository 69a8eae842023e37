/* SPDX-License-Identifier: GPL-2.0-only */
#include "taccl-schedule-writer.h"

#include <algorithm>

namespace ns3
{

TacclScheduleWriter::TacclScheduleWriter(CollectiveOperation operation,
                                         uint32_t ranks,
                                         const std::vector<TacclChunk>& chunks,
                                         uint32_t chunksOfRank,
                                         std::vector<uint32_t> nicOfRank)
    : m_operation(operation),
      m_ranks(ranks),
      m_chunks(chunks),
      m_chunksOfRank(chunksOfRank),
      m_nicOfRank(std::move(nicOfRank))
{
}

ChunkPlace
TacclScheduleWriter::TakeScratch(uint32_t rank, uint32_t count)
{
    const uint32_t first = m_scratch[rank];
    m_scratch[rank] += count;
    return {rank, ChunkBuffer::SCRATCH, first};
}

ChunkPlace
TacclScheduleWriter::GetPlace(uint32_t chunk, uint32_t rank)
{
    if (m_operation != CollectiveOperation::ALL_TO_ALL)
    {
        const bool scatters = m_operation == CollectiveOperation::REDUCE_SCATTER;
        return {rank, scatters ? ChunkBuffer::INPUT : ChunkBuffer::OUTPUT, chunk};
    }
    const uint32_t part = chunk % m_chunksOfRank;
    const uint32_t source = m_chunks[chunk].source;
    const uint32_t destination = chunk / m_chunksOfRank % m_ranks;
    if (rank == source)
    {
        return {rank, ChunkBuffer::INPUT, destination * m_chunksOfRank + part};
    }
    if (rank == destination)
    {
        return {rank, ChunkBuffer::OUTPUT, source * m_chunksOfRank + part};
    }
    const auto found = m_relayed.find({chunk, rank});
    return found != m_relayed.end() ? found->second
                                    : m_relayed[{chunk, rank}] = TakeScratch(rank, 1);
}

void
TacclScheduleWriter::WriteMessage(const TacclMessage& message, ChunkAction action)
{
    const uint32_t channel = message.remote ? m_nicOfRank[message.source] : 0;
    std::vector<std::pair<ChunkPlace, ChunkPlace>> ways;
    for (uint32_t chunk : message.chunks)
    {
        ways.emplace_back(GetPlace(chunk, message.source), GetPlace(chunk, message.destination));
    }
    std::sort(ways.begin(), ways.end(), [](const auto& a, const auto& b) {
        return a.first.chunk < b.first.chunk;
    });
    const auto count = static_cast<uint32_t>(ways.size());
    bool together = true;
    for (uint32_t i = 1; i < count; i++)
    {
        for (const auto& [place, before] : {std::make_pair(&ways[i].first, &ways[i - 1].first),
                                            std::make_pair(&ways[i].second, &ways[i - 1].second)})
        {
            together =
                together && place->buffer == before->buffer && place->chunk == before->chunk + 1;
        }
    }
    if (together)
    {
        m_moves.push_back({ways[0].first, ways[0].second, count, channel, action});
        return;
    }
    ChunkPlace from = TakeScratch(message.source, count);
    ChunkPlace to = TakeScratch(message.destination, count);
    const ChunkPlace sent = from;
    const ChunkPlace received = to;
    for (const auto& [place, there] : ways)
    {
        m_moves.push_back({place, from, 1, 0, ChunkAction::COPY});
        from.chunk++;
    }
    m_moves.push_back({sent, received, count, channel, ChunkAction::COPY});
    for (const auto& [place, there] : ways)
    {
        m_moves.push_back({to, there, 1, 0, action});
        to.chunk++;
    }
}

CollectiveSchedule
TacclScheduleWriter::Write(const std::string& algorithm,
                           const std::vector<TacclMessage>& reductions,
                           const std::vector<TacclMessage>& copies)
{
    m_scratch.assign(m_ranks, 0);
    m_relayed.clear();
    m_moves.clear();
    const bool exchanges = m_operation == CollectiveOperation::ALL_TO_ALL;
    for (uint32_t chunk = 0; chunk < m_chunks.size() && exchanges; chunk++)
    {
        // Chunks that stay at their rank.
        const uint32_t source = m_chunks[chunk].source;
        const uint32_t place = source * m_chunksOfRank + chunk % m_chunksOfRank;
        if (m_chunks[chunk].destinations.empty())
        {
            m_moves.push_back({{source, ChunkBuffer::INPUT, place},
                               {source, ChunkBuffer::OUTPUT, place},
                               1,
                               0,
                               ChunkAction::COPY});
        }
    }
    for (const TacclMessage& message : reductions)
    {
        WriteMessage(message, ChunkAction::REDUCE);
    }
    for (const TacclMessage& message : copies)
    {
        WriteMessage(message, ChunkAction::COPY);
    }
    const uint32_t channels = *std::max_element(m_nicOfRank.begin(), m_nicOfRank.end()) + 1;
    CollectiveBuilder builder(algorithm, {m_operation, 1, 0, {}}, m_ranks, channels);
    builder.SetChunks(m_ranks * m_chunksOfRank,
                      !exchanges,
                      *std::max_element(m_scratch.begin(), m_scratch.end()));
    for (const Move& move : m_moves)
    {
        builder.Move(move.from, move.to, move.count, move.channel, move.action);
    }
    return builder.Finish();
}

} // namespace ns3
