/* SPDX-License-Identifier: GPL-2.0-only */
#include "msccl-exporter.h"

#include <algorithm>
#include <map>

namespace ns3
{

MscclExporter::MscclExporter(const CollectiveSchedule& schedule)
    : m_schedule(schedule.GetCanonical())
{
}

MscclProgram
MscclExporter::Export()
{
    MscclProgram program;
    program.name = m_schedule.algorithm;
    program.protocol = m_schedule.protocol;
    program.operation = m_schedule.operation;
    program.channels = m_schedule.channels;
    program.chunks = m_schedule.chunks;
    program.inPlace = m_schedule.inPlace;
    program.outOfPlace = !m_schedule.inPlace;
    program.root = m_schedule.root;
    program.destinations = m_schedule.destinations;
    program.gpus.resize(m_schedule.ranks);
    const auto count = static_cast<uint32_t>(m_schedule.transfers.size());
    m_transfers.assign(m_schedule.ranks, {});
    m_sent.assign(count, {-1, -1});
    m_received.assign(count, {-1, -1});
    for (uint32_t t = 0; t < count; t++)
    {
        const ChunkTransfer& transfer = m_schedule.transfers[t];
        m_transfers[transfer.source].push_back(t);
        if (!transfer.IsLocal())
        {
            m_transfers[transfer.destination].push_back(t);
        }
    }
    for (uint32_t rank = 0; rank < m_schedule.ranks; rank++)
    {
        std::vector<Block> blocks;
        CollectBlocks(rank, blocks);
        FillGpu(rank, blocks, program.gpus[rank]);
    }
    return program;
}

std::vector<uint32_t>
MscclExporter::GetWaits(uint32_t transfer, bool gates) const
{
    const ChunkTransfer& chunk = m_schedule.transfers[transfer];
    const auto first =
        m_schedule.dependencies.begin() + (gates ? chunk.firstGate : chunk.firstDependency);
    return std::vector<uint32_t>(first, first + (gates ? chunk.gateCount : chunk.dependencyCount));
}

void
MscclExporter::AddLocal(uint32_t transfer, std::vector<Block>& blocks)
{
    std::vector<uint32_t> waits = GetWaits(transfer, false);
    for (Block& block : blocks)
    {
        if (block.header.send >= 0 || block.header.receive >= 0)
        {
            continue;
        }
        // The end of a chain that this step continues.
        const auto end = std::find(waits.begin(), waits.end(), block.items.back().transfer);
        if (end != waits.end())
        {
            waits.erase(end);
            block.items.push_back({transfer, false, waits});
            return;
        }
    }
    Block block;
    block.items.push_back({transfer, false, waits});
    blocks.push_back(std::move(block));
}

void
MscclExporter::CollectBlocks(uint32_t rank, std::vector<Block>& blocks)
{
    // Key: whether it sends, peer, channel.
    std::map<std::tuple<bool, uint32_t, uint32_t>, std::vector<Item>> streams;
    for (uint32_t t : m_transfers[rank])
    {
        const ChunkTransfer& transfer = m_schedule.transfers[t];
        if (!transfer.IsLocal())
        {
            const bool receives = transfer.destination == rank;
            const uint32_t peer = receives ? transfer.source : transfer.destination;
            streams[{receives, peer, transfer.channel}].push_back(
                {t, receives, GetWaits(t, receives)});
        }
    }
    for (auto& [stream, items] : streams)
    {
        Block block;
        const auto& [receives, peer, channel] = stream;
        (receives ? block.header.receive : block.header.send) = static_cast<int32_t>(peer);
        block.header.channel = channel;
        block.items = std::move(items);
        blocks.push_back(std::move(block));
    }
    for (uint32_t t : m_transfers[rank])
    {
        if (m_schedule.transfers[t].IsLocal())
        {
            AddLocal(t, blocks);
        }
    }
}

MscclExporter::Place
MscclExporter::GetPlace(uint32_t rank, uint32_t transfer) const
{
    return m_schedule.transfers[transfer].destination == rank ? m_received[transfer]
                                                              : m_sent[transfer];
}

MscclStep
MscclExporter::MakeStep(const Item& item) const
{
    const ChunkTransfer& transfer = m_schedule.transfers[item.transfer];
    const bool reduces = transfer.action == ChunkAction::REDUCE;
    MscclStep step;
    step.sourceBuffer = transfer.sourceBuffer;
    step.sourceChunk = transfer.sourceChunk;
    step.destinationBuffer = transfer.destinationBuffer;
    step.destinationChunk = transfer.destinationChunk;
    step.chunkCount = transfer.chunkCount;
    if (transfer.IsLocal())
    {
        const bool stays = transfer.sourceBuffer == transfer.destinationBuffer &&
                           transfer.sourceChunk == transfer.destinationChunk;
        step.type = reduces ? MscclStepType::LOCAL_REDUCE
                    : stays ? MscclStepType::RESIDUAL_ADD
                            : MscclStepType::LOCAL_COPY;
    }
    else if (!item.receives)
    {
        step.type = MscclStepType::SEND;
    }
    else if (reduces)
    {
        step.type = MscclStepType::RECEIVE_REDUCE_COPY;
        step.sourceBuffer = step.destinationBuffer;
        step.sourceChunk = step.destinationChunk;
    }
    else
    {
        step.type = MscclStepType::RECEIVE;
    }
    return step;
}

void
MscclExporter::FillGpu(uint32_t rank, const std::vector<Block>& blocks, MscclGpu& gpu)
{
    gpu.inputChunks = m_schedule.GetChunks(ChunkBuffer::INPUT);
    gpu.outputChunks = m_schedule.GetChunks(ChunkBuffer::OUTPUT);
    gpu.scratchChunks = m_schedule.scratchChunks;
    // Places are assigned first, so that steps can refer to later blocks.
    for (size_t b = 0; b < blocks.size(); b++)
    {
        int32_t next = 0;
        for (const Item& item : blocks[b].items)
        {
            next += std::max(static_cast<int32_t>(item.waits.size()) - 1, 0);
            const Place place{static_cast<int32_t>(b), next++};
            const bool here = m_schedule.transfers[item.transfer].destination == rank;
            (here ? m_received : m_sent)[item.transfer] = place;
        }
    }
    for (const Block& block : blocks)
    {
        gpu.blocks.push_back(block.header);
        std::vector<MscclStep>& steps = gpu.blocks.back().steps;
        for (const Item& item : block.items)
        {
            for (size_t w = 0; w < item.waits.size(); w++)
            {
                const Place place = GetPlace(rank, item.waits[w]);
                MscclStep step;
                if (w + 1 == item.waits.size())
                {
                    step = MakeStep(item);
                }
                step.dependencyBlock = place.first;
                step.dependencyStep = place.second;
                steps.push_back(step);
            }
            if (item.waits.empty())
            {
                steps.push_back(MakeStep(item));
            }
        }
    }
    for (MscclThreadBlock& block : gpu.blocks)
    {
        for (const MscclStep& step : block.steps)
        {
            if (step.dependencyBlock >= 0)
            {
                gpu.blocks[step.dependencyBlock].steps[step.dependencyStep].hasDependents = true;
            }
        }
    }
}

} // namespace ns3
