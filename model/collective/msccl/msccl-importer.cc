/* SPDX-License-Identifier: GPL-2.0-only */
#include "msccl-importer.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MscclImporter");

MscclImporter::MscclImporter(const MscclProgram& program, Diagnostics& diagnostics)
    : m_program(program),
      m_diagnostics(diagnostics)
{
}

void
MscclImporter::Error(const SourceMark& mark, const std::string& what)
{
    m_good = false;
    m_diagnostics.Error(mark, "", what);
}

template <class Function>
void
MscclImporter::ForEachStep(Function function)
{
    for (uint32_t gpu = 0; gpu < m_program.gpus.size(); gpu++)
    {
        for (uint32_t block = 0; block < m_program.gpus[gpu].blocks.size(); block++)
        {
            const auto steps =
                static_cast<uint32_t>(m_program.gpus[gpu].blocks[block].steps.size());
            for (uint32_t step = 0; step < steps; step++)
            {
                function(StepId{gpu, block, step});
            }
        }
    }
}

std::optional<CollectiveSchedule>
MscclImporter::Import(bool wireOverhead)
{
    m_good = true;
    m_schedule = CollectiveSchedule();
    m_schedule.operation = m_program.operation;
    m_schedule.algorithm = m_program.name;
    m_schedule.ranks = static_cast<uint32_t>(m_program.gpus.size());
    m_schedule.channels = m_program.channels;
    m_schedule.chunks = m_program.chunks;
    m_schedule.inPlace = m_program.inPlace;
    m_schedule.root = m_program.root;
    m_schedule.destinations = m_program.destinations;
    m_schedule.protocol = m_program.protocol;
    if (wireOverhead)
    {
        m_schedule.SetProtocol(m_program.protocol);
    }
    m_steps.clear();
    for (const MscclGpu& gpu : m_program.gpus)
    {
        m_steps.emplace_back();
        for (const MscclThreadBlock& block : gpu.blocks)
        {
            m_steps.back().emplace_back(block.steps.size());
        }
    }
    if (!CheckBlocks() || !MatchMessages())
    {
        return std::nullopt;
    }
    GiveScratch();
    MakeTransfers();
    if (!MakeWaits())
    {
        return std::nullopt;
    }
    FillDependencies();
    m_schedule = m_schedule.GetCanonical();
    NS_LOG_LOGIC(m_program.name << ": " << m_schedule.transfers.size() << " transfers among "
                                << m_schedule.ranks << " ranks");
    for (const std::string& fault : m_schedule.Validate())
    {
        Error(m_program.mark, fault);
    }
    return m_good ? std::optional<CollectiveSchedule>(std::move(m_schedule)) : std::nullopt;
}

bool
MscclImporter::CheckBlocks()
{
    for (uint32_t g = 0; g < m_program.gpus.size(); g++)
    {
        const MscclGpu& gpu = m_program.gpus[g];
        std::map<std::pair<int32_t, uint32_t>, uint32_t> senders;
        std::map<std::pair<int32_t, uint32_t>, uint32_t> receivers;
        for (uint32_t b = 0; b < gpu.blocks.size(); b++)
        {
            const MscclThreadBlock& block = gpu.blocks[b];
            const auto check = [&](int32_t peer, auto& blocks, const std::string& what) {
                const auto [first, isNew] = blocks.emplace(std::make_pair(peer, block.channel), b);
                if (peer >= 0 && !isNew)
                {
                    Error(block.mark,
                          "tb " + std::to_string(b) + " of gpu " + std::to_string(g) + " " + what +
                              " gpu " + std::to_string(peer) + " on channel " +
                              std::to_string(block.channel) + ", and so does tb " +
                              std::to_string(first->second));
                }
            };
            check(block.send, senders, "sends to");
            check(block.receive, receivers, "receives from");
        }
    }
    ForEachStep([this](const StepId& id) { CheckWait(id); });
    return m_good;
}

bool
MscclImporter::CheckWait(const StepId& id)
{
    const MscclStep& step = GetStep(id);
    const std::vector<MscclThreadBlock>& blocks = m_program.gpus[id.gpu].blocks;
    if (step.dependencyBlock < 0)
    {
        return true;
    }
    const std::string block = "tb " + std::to_string(step.dependencyBlock);
    if (static_cast<size_t>(step.dependencyBlock) >= blocks.size())
    {
        Error(step.mark,
              "depid names " + block + ", gpu " + std::to_string(id.gpu) + " has " +
                  std::to_string(blocks.size()));
        return false;
    }
    if (static_cast<uint32_t>(step.dependencyBlock) == id.block &&
        static_cast<uint32_t>(step.dependencyStep) >= id.step)
    {
        Error(step.mark, "waits for itself or a later step of its thread block");
        return false;
    }
    const size_t steps = blocks[step.dependencyBlock].steps.size();
    if (static_cast<size_t>(step.dependencyStep) >= steps)
    {
        Error(step.mark,
              "deps names step " + std::to_string(step.dependencyStep) + " of " + block +
                  ", which has " + std::to_string(steps));
        return false;
    }
    return true;
}

bool
MscclImporter::MatchMessages()
{
    m_sends.clear();
    m_receives.clear();
    ForEachStep([this](const StepId& id) {
        const MscclThreadBlock& block = m_program.gpus[id.gpu].blocks[id.block];
        const MscclStepType type = GetStep(id).type;
        if (MscclProgram::Sends(type))
        {
            m_sends[{id.gpu, block.send, block.channel}].push_back(id);
        }
        if (MscclProgram::Receives(type))
        {
            m_receives[{block.receive, id.gpu, block.channel}].push_back(id);
        }
    });
    const auto describe = [](const Stream& stream) {
        return "gpu " + std::to_string(std::get<0>(stream)) + " to gpu " +
               std::to_string(std::get<1>(stream)) + " on channel " +
               std::to_string(std::get<2>(stream));
    };
    for (const auto& [stream, sends] : m_sends)
    {
        const std::vector<StepId>& receives = m_receives[stream];
        const size_t matched = std::min(sends.size(), receives.size());
        for (size_t i = 0; i < matched; i++)
        {
            const uint32_t sent = GetStep(sends[i]).chunkCount;
            const uint32_t received = GetStep(receives[i]).chunkCount;
            if (sent != received)
            {
                Error(GetStep(receives[i]).mark,
                      "receives " + std::to_string(received) + " chunks, message " +
                          std::to_string(i) + " from " + describe(stream) + " has " +
                          std::to_string(sent));
            }
        }
        if (sends.size() > matched)
        {
            Error(GetStep(sends[matched]).mark,
                  "message " + std::to_string(matched) + " from " + describe(stream) +
                      " is never received");
        }
    }
    for (const auto& [stream, receives] : m_receives)
    {
        const size_t sent = m_sends.count(stream) > 0 ? m_sends[stream].size() : 0;
        if (receives.size() > sent)
        {
            Error(GetStep(receives[sent]).mark,
                  "message " + std::to_string(sent) + " from " + describe(stream) +
                      " is never sent");
        }
    }
    return m_good;
}

void
MscclImporter::GiveScratch()
{
    uint32_t declared = 0;
    for (const MscclGpu& gpu : m_program.gpus)
    {
        declared = std::max(declared, gpu.scratchChunks);
    }
    // The steps of one thread block run in sequence, so they share a scratch place.
    uint32_t most = declared;
    for (uint32_t g = 0; g < m_program.gpus.size(); g++)
    {
        uint32_t next = declared;
        for (uint32_t b = 0; b < m_program.gpus[g].blocks.size(); b++)
        {
            uint32_t size = 0;
            const std::vector<MscclStep>& steps = m_program.gpus[g].blocks[b].steps;
            for (uint32_t s = 0; s < steps.size(); s++)
            {
                if (steps[s].type == MscclStepType::RECEIVE_REDUCE_SEND)
                {
                    GetTransfers({g, b, s}).scratch = next;
                    size = std::max(size, steps[s].chunkCount);
                }
            }
            next += size;
        }
        most = std::max(most, next);
    }
    m_schedule.scratchChunks = most;
}

uint32_t
MscclImporter::AddTransfer(const ChunkTransfer& transfer)
{
    m_schedule.transfers.push_back(transfer);
    return static_cast<uint32_t>(m_schedule.transfers.size() - 1);
}

bool
MscclImporter::CopiesFirst(const StepId& id) const
{
    const MscclStep& step = GetStep(id);
    switch (step.type)
    {
    case MscclStepType::RECEIVE_REDUCE_SEND:
        return true;
    case MscclStepType::RECEIVE_REDUCE_COPY:
    case MscclStepType::RECEIVE_REDUCE_COPY_SEND:
        return m_schedule.GetPlace(id.gpu, step.sourceBuffer, step.sourceChunk) !=
               m_schedule.GetPlace(id.gpu, step.destinationBuffer, step.destinationChunk);
    default:
        return false;
    }
}

void
MscclImporter::MakeMessage(const StepId& sender, const StepId& receiver)
{
    const MscclStep& send = GetStep(sender);
    const MscclStep& receive = GetStep(receiver);
    ChunkTransfer message;
    message.source = sender.gpu;
    message.destination = receiver.gpu;
    message.channel = m_program.gpus[sender.gpu].blocks[sender.block].channel;
    message.chunkCount = send.chunkCount;
    switch (send.type)
    {
    case MscclStepType::SEND:
        message.sourceBuffer = send.sourceBuffer;
        message.sourceChunk = send.sourceChunk;
        break;
    case MscclStepType::RECEIVE_REDUCE_SEND:
        message.sourceBuffer = ChunkBuffer::SCRATCH;
        message.sourceChunk = GetTransfers(sender).scratch;
        break;
    default:
        // What has just been stored there.
        message.sourceBuffer = send.destinationBuffer;
        message.sourceChunk = send.destinationChunk;
    }
    const bool stores = receive.type != MscclStepType::RECEIVE_REDUCE_SEND;
    message.destinationBuffer = stores ? receive.destinationBuffer : ChunkBuffer::SCRATCH;
    message.destinationChunk = stores ? receive.destinationChunk : GetTransfers(receiver).scratch;
    message.action =
        receive.type == MscclStepType::RECEIVE || receive.type == MscclStepType::RECEIVE_COPY_SEND
            ? ChunkAction::COPY
            : ChunkAction::REDUCE;
    const uint32_t index = AddTransfer(message);
    GetTransfers(sender).sent = index;
    GetTransfers(receiver).received = index;
}

void
MscclImporter::MakeTransfers()
{
    for (const auto& [stream, sends] : m_sends)
    {
        for (size_t i = 0; i < sends.size(); i++)
        {
            MakeMessage(sends[i], m_receives[stream][i]);
        }
    }
    ForEachStep([this](const StepId& id) {
        const MscclStep& step = GetStep(id);
        const bool local = step.type == MscclStepType::LOCAL_COPY ||
                           step.type == MscclStepType::LOCAL_REDUCE ||
                           step.type == MscclStepType::RESIDUAL_ADD;
        if (!local && !CopiesFirst(id))
        {
            return;
        }
        const bool residual = step.type == MscclStepType::RESIDUAL_ADD;
        const bool stores = step.type != MscclStepType::RECEIVE_REDUCE_SEND;
        ChunkTransfer move;
        move.source = id.gpu;
        move.destination = id.gpu;
        move.chunkCount = step.chunkCount;
        move.destinationBuffer = stores ? step.destinationBuffer : ChunkBuffer::SCRATCH;
        move.destinationChunk = stores ? step.destinationChunk : GetTransfers(id).scratch;
        move.sourceBuffer = residual ? step.destinationBuffer : step.sourceBuffer;
        move.sourceChunk = residual ? step.destinationChunk : step.sourceChunk;
        move.action =
            step.type == MscclStepType::LOCAL_REDUCE ? ChunkAction::REDUCE : ChunkAction::COPY;
        GetTransfers(id).local = AddTransfer(move);
    });
}

const std::vector<uint32_t>*
MscclImporter::FindEnded(const StepId& id)
{
    // Only "nop" steps pass on the effects of others. Depth-first without recursion, because chains
    // of them may be long.
    std::vector<StepId> path{id};
    while (!path.empty())
    {
        const StepId current = path.back();
        StepTransfers& transfers = GetTransfers(current);
        const MscclStep& step = GetStep(current);
        if (transfers.state == DONE)
        {
            path.pop_back();
            continue;
        }
        if (step.type != MscclStepType::NOTHING)
        {
            transfers.state = DONE;
            // A message that is forwarded has been received.
            const int64_t last = transfers.sent >= 0       ? transfers.sent
                                 : transfers.received >= 0 ? transfers.received
                                                           : transfers.local;
            transfers.ended = {static_cast<uint32_t>(last)};
            path.pop_back();
            continue;
        }
        std::vector<StepId> before;
        if (current.step > 0)
        {
            before.push_back({current.gpu, current.block, current.step - 1});
        }
        if (step.dependencyBlock >= 0)
        {
            before.push_back({current.gpu,
                              static_cast<uint32_t>(step.dependencyBlock),
                              static_cast<uint32_t>(step.dependencyStep)});
        }
        const bool again = transfers.state == SEARCHED;
        transfers.state = SEARCHED;
        bool complete = true;
        for (const StepId& other : before)
        {
            const uint8_t state = GetTransfers(other).state;
            if (state == DONE)
            {
                continue;
            }
            if (state == SEARCHED || again)
            {
                Error(step.mark, "waits for itself, directly or through others");
                return nullptr;
            }
            complete = false;
            path.push_back(other);
        }
        if (complete)
        {
            for (const StepId& other : before)
            {
                const std::vector<uint32_t>& ended = GetTransfers(other).ended;
                transfers.ended.insert(transfers.ended.end(), ended.begin(), ended.end());
            }
            std::sort(transfers.ended.begin(), transfers.ended.end());
            transfers.ended.erase(std::unique(transfers.ended.begin(), transfers.ended.end()),
                                  transfers.ended.end());
            transfers.state = DONE;
            path.pop_back();
        }
    }
    return &GetTransfers(id).ended;
}

bool
MscclImporter::CollectStart(const StepId& id, std::vector<uint32_t>& start)
{
    const MscclStep& step = GetStep(id);
    std::vector<StepId> before;
    if (id.step > 0)
    {
        before.push_back({id.gpu, id.block, id.step - 1});
    }
    if (step.dependencyBlock >= 0)
    {
        before.push_back({id.gpu,
                          static_cast<uint32_t>(step.dependencyBlock),
                          static_cast<uint32_t>(step.dependencyStep)});
    }
    for (const StepId& other : before)
    {
        const std::vector<uint32_t>* ended = FindEnded(other);
        if (ended == nullptr)
        {
            return false;
        }
        start.insert(start.end(), ended->begin(), ended->end());
    }
    return true;
}

bool
MscclImporter::MakeWaits()
{
    m_waits.assign(m_schedule.transfers.size(), Waits());
    ForEachStep([this](const StepId& id) {
        std::vector<uint32_t> start;
        const MscclStep& step = GetStep(id);
        if (!m_good || step.type == MscclStepType::NOTHING || !CollectStart(id, start))
        {
            return;
        }
        const StepTransfers& transfers = GetTransfers(id);
        if (transfers.local >= 0)
        {
            m_waits[transfers.local].dependencies = start;
            start = {static_cast<uint32_t>(transfers.local)};
        }
        if (transfers.received >= 0)
        {
            m_waits[transfers.received].gates = start;
            start = {static_cast<uint32_t>(transfers.received)};
        }
        if (transfers.sent >= 0)
        {
            m_waits[transfers.sent].dependencies = start;
        }
    });
    return m_good;
}

void
MscclImporter::FillDependencies()
{
    for (uint32_t t = 0; t < m_schedule.transfers.size(); t++)
    {
        ChunkTransfer& transfer = m_schedule.transfers[t];
        std::vector<uint32_t>& list = m_schedule.dependencies;
        const Waits& waits = m_waits[t];
        transfer.firstDependency = static_cast<uint32_t>(list.size());
        transfer.dependencyCount = static_cast<uint32_t>(waits.dependencies.size());
        list.insert(list.end(), waits.dependencies.begin(), waits.dependencies.end());
        transfer.firstGate = static_cast<uint32_t>(list.size());
        transfer.gateCount = static_cast<uint32_t>(waits.gates.size());
        list.insert(list.end(), waits.gates.begin(), waits.gates.end());
    }
}

} // namespace ns3
