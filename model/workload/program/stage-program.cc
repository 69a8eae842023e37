/* SPDX-License-Identifier: GPL-2.0-only */
#include "stage-program.h"

#include "training-program-builder.h"

#include <algorithm>

namespace ns3
{

StageProgram::StageProgram(const ParallelTraining& training, uint32_t stage)
    : m_training(training),
      m_stage(stage)
{
}

uint64_t
StageProgram::Scale(uint64_t bytes) const
{
    return m_training.scale.Of(bytes);
}

uint32_t
StageProgram::GetSlot(ParallelStream stream, uint32_t server)
{
    const Stream wanted{stream, server};
    const auto found = std::find(m_streams.begin(), m_streams.end(), wanted);
    const auto slot = static_cast<uint32_t>(found - m_streams.begin());
    if (found == m_streams.end())
    {
        m_streams.push_back(wanted);
        m_closing.push_back(NONE);
    }
    return slot;
}

uint32_t
StageProgram::Issue(const std::string& label,
                    ParallelStream stream,
                    CollectiveOperation operation,
                    uint64_t bytes,
                    uint32_t root,
                    uint32_t server)
{
    return m_writer.Issue(label, GetSlot(stream, server), operation, bytes, root);
}

uint64_t
StageProgram::GetHiddenBytes() const
{
    return Scale(m_training.profile->layers.front().activation * m_training.microBatch *
                 m_training.elementBytes);
}

uint64_t
StageProgram::GetParameters(uint32_t layer, bool expert) const
{
    const ModelLayer& own = GetLayer(layer);
    const uint32_t tensor = m_training.layout.GetTensor();
    if (expert)
    {
        return own.expertParameters / m_training.layout.GetExpert() / tensor;
    }
    if (own.kind == LayerKind::TABLES)
    {
        return 0;
    }
    // If the embedding is not on the same rank, a tied head has a copy of its weights.
    const uint64_t copy = m_training.layout.GetPipeline() > 1 ? own.tiedParameters : 0;
    return (own.parameters - own.expertParameters + copy) / tensor;
}

void
StageProgram::MakeChunks()
{
    const std::vector<ModelLayer>& layers = m_training.profile->layers;
    const uint32_t stages = m_training.layout.GetPipeline();
    const uint32_t parts = stages * m_training.chunks;
    const uint32_t blocks = m_training.profile->blocks / parts;
    for (uint32_t c = 0; c < m_training.chunks; c++)
    {
        const uint32_t part = c * stages + m_stage;
        Chunk chunk;
        chunk.isFirst = part == 0;
        chunk.isLast = part + 1 == parts;
        chunk.first = 0;
        chunk.end = static_cast<uint32_t>(layers.size());
        const auto find = [&layers](uint32_t block) {
            return static_cast<uint32_t>(std::find_if(layers.begin(),
                                                      layers.end(),
                                                      [block](const ModelLayer& layer) {
                                                          return layer.block ==
                                                                 static_cast<int32_t>(block);
                                                      }) -
                                         layers.begin());
        };
        if (!chunk.isFirst)
        {
            chunk.first = find(part * blocks);
        }
        if (!chunk.isLast)
        {
            chunk.end = find((part + 1) * blocks);
        }
        MakeBuckets(chunk, false);
        MakeBuckets(chunk, true);
        if (m_training.zero == 3)
        {
            MakeUnits(chunk);
        }
        m_chunks.push_back(std::move(chunk));
    }
}

void
StageProgram::MakeBuckets(Chunk& chunk, bool expert)
{
    std::vector<ModelLayer> layers;
    for (uint32_t layer = chunk.first; layer < chunk.end; layer++)
    {
        layers.emplace_back();
        layers.back().parameters = GetParameters(layer, expert);
    }
    for (const TrainingProgramBuilder::Bucket& filled :
         TrainingProgramBuilder::FillBuckets(layers,
                                             m_training.gradientBytes,
                                             m_training.firstBucketBytes,
                                             m_training.bucketBytes))
    {
        if (filled.bytes > 0)
        {
            const uint64_t parameters = filled.bytes / m_training.gradientBytes;
            chunk.buckets.push_back({chunk.first + filled.firstLayer,
                                     chunk.first + filled.lastLayer,
                                     Scale(filled.bytes),
                                     Scale(parameters * m_training.elementBytes),
                                     expert});
            m_gradientBytes += chunk.buckets.back().bytes;
        }
    }
}

void
StageProgram::MakeUnits(Chunk& chunk)
{
    // A unit is a block, or the layers before the first or after the last one; without blocks,
    // units are buckets.
    if (m_training.profile->blocks == 0)
    {
        chunk.units.assign(chunk.buckets.rbegin(), chunk.buckets.rend());
        chunk.units.front().firstLayer = chunk.first;
    }
    else
    {
        for (uint32_t layer = chunk.first; layer < chunk.end; layer++)
        {
            if (layer == chunk.first || GetLayer(layer).block != GetLayer(layer - 1).block)
            {
                chunk.units.push_back({layer, layer, 0, 0, false});
            }
            const uint64_t parameters = GetParameters(layer, false);
            chunk.units.back().lastLayer = layer;
            chunk.units.back().bytes += parameters * m_training.gradientBytes;
            chunk.units.back().parameterBytes += parameters * m_training.elementBytes;
        }
        for (Bucket& unit : chunk.units)
        {
            unit.bytes = Scale(unit.bytes);
            unit.parameterBytes = Scale(unit.parameterBytes);
        }
    }
}

void
StageProgram::ReduceActivations()
{
    if (m_training.layout.GetTensor() > 1)
    {
        m_writer.Wait(Issue("all-reduce",
                            ParallelStream::TENSOR,
                            CollectiveOperation::ALL_REDUCE,
                            GetHiddenBytes()));
    }
}

uint32_t
StageProgram::Exchange(ParallelStream stream, const ModelLayer& layer)
{
    return Issue("all-to-all",
                 stream,
                 CollectiveOperation::ALL_TO_ALL,
                 Scale(layer.exchanged * m_training.microBatch * m_training.elementBytes /
                       m_training.layout.GetTensor()));
}

void
StageProgram::ExchangeTokens(const ModelLayer& layer)
{
    if (layer.kind == LayerKind::EXPERTS && m_training.layout.GetExpert() > 1)
    {
        m_writer.Wait(Exchange(ParallelStream::EXPERT, layer));
    }
}

void
StageProgram::RunLayerForward(uint32_t layer)
{
    const ModelLayer& own = GetLayer(layer);
    ExchangeTokens(own);
    if (own.kind == LayerKind::INTERACTION && m_tables != NONE)
    {
        m_writer.Wait(m_tables);
        m_tables = NONE;
    }
    m_writer.Compute(m_label, m_training.forwardPs[layer]);
    ExchangeTokens(own);
    if (own.kind == LayerKind::TABLES && m_training.layout.GetData() > 1)
    {
        m_tables = Exchange(ParallelStream::TABLES, own);
    }
    if (own.block >= 0 || own.kind == LayerKind::EMBEDDING)
    {
        ReduceActivations();
    }
}

void
StageProgram::RunLayerBackward(uint32_t layer)
{
    const ModelLayer& own = GetLayer(layer);
    ExchangeTokens(own);
    if (own.kind == LayerKind::TABLES && m_tables != NONE)
    {
        m_writer.Wait(m_tables);
        m_tables = NONE;
    }
    m_writer.Compute(m_label, m_training.backwardPs[layer]);
    ExchangeTokens(own);
    if (own.kind == LayerKind::INTERACTION && m_training.layout.GetData() > 1)
    {
        // The tables come first.
        m_tables = Exchange(ParallelStream::TABLES, m_training.profile->layers.front());
    }
    if (own.block >= 0 || own.kind == LayerKind::HEAD)
    {
        ReduceActivations();
    }
}

void
StageProgram::Receive(const PipelineTask& task)
{
    const Chunk& chunk = m_chunks[task.chunk];
    if (task.forward ? chunk.isFirst : chunk.isLast)
    {
        return;
    }
    const uint32_t tensor = m_training.layout.GetTensor();
    const bool parts = m_training.scatterGather && tensor > 1;
    m_writer.Wait(Issue("receive",
                        task.forward ? ParallelStream::FORWARD_IN : ParallelStream::BACKWARD_IN,
                        CollectiveOperation::SEND_RECEIVE,
                        parts ? GetHiddenBytes() / tensor : GetHiddenBytes()));
    if (parts)
    {
        m_writer.Wait(Issue("all-gather",
                            ParallelStream::TENSOR,
                            CollectiveOperation::ALL_GATHER,
                            GetHiddenBytes()));
    }
}

void
StageProgram::Send(const PipelineTask& task)
{
    const Chunk& chunk = m_chunks[task.chunk];
    if (task.forward ? chunk.isLast : chunk.isFirst)
    {
        return;
    }
    const uint32_t tensor = m_training.layout.GetTensor();
    Issue("send",
          task.forward ? ParallelStream::FORWARD_OUT : ParallelStream::BACKWARD_OUT,
          CollectiveOperation::SEND_RECEIVE,
          m_training.scatterGather ? GetHiddenBytes() / tensor : GetHiddenBytes());
}

void
StageProgram::GatherUnit(const Chunk& chunk, size_t unit, bool ascending)
{
    const auto gather = [this, &chunk](size_t index) {
        const uint32_t step = Issue("all-gather",
                                    ParallelStream::GATHER,
                                    CollectiveOperation::ALL_GATHER,
                                    chunk.units[index].parameterBytes);
        m_closing[GetSlot(ParallelStream::GATHER)] = step;
        return step;
    };
    const uint32_t own = m_gathered == NONE ? gather(unit) : m_gathered;
    const bool last = ascending ? unit + 1 == chunk.units.size() : unit == 0;
    m_gathered = last ? NONE : gather(ascending ? unit + 1 : unit - 1);
    m_writer.Wait(own);
}

void
StageProgram::RunForward(const PipelineTask& task)
{
    const Chunk& chunk = m_chunks[task.chunk];
    Receive(task);
    size_t unit = 0;
    for (uint32_t layer = chunk.first; layer < chunk.end; layer++)
    {
        if (unit < chunk.units.size() && chunk.units[unit].firstLayer == layer)
        {
            GatherUnit(chunk, unit++, true);
        }
        RunLayerForward(layer);
    }
    Send(task);
}

void
StageProgram::Recompute(const Chunk& chunk, uint32_t last)
{
    uint32_t first = last;
    while (first > chunk.first && GetLayer(first - 1).block == GetLayer(last).block)
    {
        first--;
    }
    for (uint32_t layer = first; layer <= last; layer++)
    {
        RunLayerForward(layer);
    }
}

void
StageProgram::RunBackward(const PipelineTask& task)
{
    const Chunk& chunk = m_chunks[task.chunk];
    const bool reduces = (m_training.overlap || m_training.zero > 1) &&
                         m_training.layout.GetData() > 1 &&
                         (m_training.zero > 1 || task.microbatch + 1 == m_training.microbatches);
    Receive(task);
    size_t unit = chunk.units.size();
    for (uint32_t layer = chunk.end; layer-- > chunk.first;)
    {
        if (unit > 0 && chunk.units[unit - 1].lastLayer == layer)
        {
            GatherUnit(chunk, --unit, false);
        }
        const int32_t block = GetLayer(layer).block;
        if (m_training.recompute && block >= 0 &&
            (layer + 1 == chunk.end || GetLayer(layer + 1).block != block))
        {
            Recompute(chunk, layer);
        }
        RunLayerBackward(layer);
        for (const Bucket& bucket : chunk.units.empty() ? chunk.buckets : chunk.units)
        {
            if (reduces && bucket.firstLayer == layer)
            {
                ReduceBucket(bucket);
            }
        }
    }
    Send(task);
}

void
StageProgram::ReduceBucket(const Bucket& bucket)
{
    const ParallelStream data = bucket.expert ? ParallelStream::EXPERT_DATA : ParallelStream::DATA;
    const ParallelLayout& layout = m_training.layout;
    if (bucket.bytes == 0 || layout.GetData() / (bucket.expert ? layout.GetExpert() : 1) == 1)
    {
        return;
    }
    if (m_training.parameterServers > 0)
    {
        ReduceByServers(bucket);
        return;
    }
    if (m_training.zero == 0)
    {
        m_closing[GetSlot(data)] =
            Issue("all-reduce", data, CollectiveOperation::ALL_REDUCE, bucket.bytes);
        return;
    }
    const uint32_t scatter =
        Issue("reduce-scatter", data, CollectiveOperation::REDUCE_SCATTER, bucket.bytes);
    m_closing[GetSlot(data)] = scatter;
}

void
StageProgram::ReduceByServers(const Bucket& bucket)
{
    const uint32_t servers = m_training.parameterServers;
    const uint32_t ranks = m_training.layout.GetData();
    for (uint32_t server = 0; server < servers; server++)
    {
        const auto root = static_cast<uint32_t>(uint64_t{server} * ranks / servers);
        const uint64_t share =
            bucket.bytes * (server + 1) / servers - bucket.bytes * server / servers;
        if (share == 0)
        {
            continue;
        }
        const uint32_t push =
            Issue("push", ParallelStream::PUSH, CollectiveOperation::REDUCE, share, root, server);
        const uint32_t pull = Issue("pull",
                                    ParallelStream::PULL,
                                    CollectiveOperation::BROADCAST,
                                    share,
                                    root,
                                    server);
        m_writer.AddDependency(pull, push);
        m_closing[GetSlot(ParallelStream::PULL, server)] = pull;
    }
}

void
StageProgram::ReduceAtEnd()
{
    const ParallelLayout& layout = m_training.layout;
    if (!m_training.overlap && m_training.zero < 2 && layout.GetData() > 1)
    {
        Bucket all;
        Bucket experts;
        experts.expert = true;
        for (const Chunk& chunk : m_chunks)
        {
            for (const Bucket& bucket : chunk.buckets)
            {
                (bucket.expert ? experts : all).bytes += bucket.bytes;
            }
        }
        ReduceBucket(all);
        ReduceBucket(experts);
    }
    if (m_training.zero != 1 && m_training.zero != 2)
    {
        return;
    }
    // The optimizer step is done once all gradients are there.
    for (const bool expert : {false, true})
    {
        const ParallelStream data = expert ? ParallelStream::EXPERT_DATA : ParallelStream::DATA;
        const ParallelStream gather =
            expert ? ParallelStream::EXPERT_GATHER : ParallelStream::GATHER;
        if (std::find(m_streams.begin(), m_streams.end(), Stream{data, 0}) == m_streams.end())
        {
            continue;
        }
        const uint32_t scatter = m_closing[GetSlot(data)];
        for (const Chunk& chunk : m_chunks)
        {
            for (const Bucket& bucket : chunk.buckets)
            {
                if (bucket.expert == expert && bucket.parameterBytes > 0)
                {
                    const uint32_t step = Issue("all-gather",
                                                gather,
                                                CollectiveOperation::ALL_GATHER,
                                                bucket.parameterBytes);
                    m_writer.AddDependency(step, scatter);
                    m_closing[GetSlot(gather)] = step;
                }
            }
        }
    }
}

void
StageProgram::ReduceEmbedding()
{
    const uint32_t stages = m_training.layout.GetPipeline();
    const uint64_t tied = m_training.profile->layers.back().tiedParameters;
    if (stages > 1 && tied > 0 && (m_stage == 0 || m_stage + 1 == stages))
    {
        m_closing[GetSlot(ParallelStream::EMBEDDING)] =
            Issue("all-reduce",
                  ParallelStream::EMBEDDING,
                  CollectiveOperation::ALL_REDUCE,
                  Scale(tied / m_training.layout.GetTensor() * m_training.gradientBytes));
    }
}

RankProgram
StageProgram::Make()
{
    MakeChunks();
    for (const PipelineTask& task : MakePipelineSchedule(m_training.layout.GetPipeline(),
                                                         m_stage,
                                                         m_training.microbatches,
                                                         m_training.chunks))
    {
        m_label = task.forward ? "forward" : "backward";
        if (m_training.microbatches > 1)
        {
            m_label += " " + std::to_string(task.microbatch);
        }
        if (m_training.chunks > 1)
        {
            m_label += "." + std::to_string(task.chunk);
        }
        m_writer.Cut();
        task.forward ? RunForward(task) : RunBackward(task);
    }
    ReduceAtEnd();
    ReduceEmbedding();
    for (uint32_t step : m_closing)
    {
        if (step != NONE)
        {
            m_writer.Close(step);
        }
    }
    return m_writer.Take();
}

} // namespace ns3
