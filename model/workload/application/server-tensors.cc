/* SPDX-License-Identifier: GPL-2.0-only */
#include "server-tensors.h"

#include "job-traffic.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/log.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ServerTensors");

NS_OBJECT_ENSURE_REGISTERED(ServerTensors);

TypeId
ServerTensors::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ServerTensors")
                            .SetParent<TensorExchange>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<ServerTensors>();
    return tid;
}

bool
ServerTensors::Carries(const IterationProgram& program) const
{
    return program.HasTensors() &&
           program.HasOnly({CollectiveOperation::REDUCE, CollectiveOperation::BROADCAST});
}

void
ServerTensors::ConfigureTensors()
{
    NS_LOG_FUNCTION(this);
    const Setup& setup = GetSetup();
    m_serverOf.assign(setup.program->communicators.size(), UINT32_MAX);
    m_ready.resize(GetRanks());
    m_pushes.resize(GetRanks());
    m_pulls.resize(GetRanks());
    // In the order of their first steps.
    for (const ProgramStep& step : setup.program->GetRankProgram(0).steps)
    {
        if (step.compute)
        {
            continue;
        }
        const bool push = step.operation == CollectiveOperation::REDUCE;
        auto server = std::find_if(m_servers.begin(), m_servers.end(), [&](const Server& known) {
            return known.rank == step.root;
        });
        if (server == m_servers.end())
        {
            NS_ABORT_MSG_IF(!push, "a pull before the first push");
            server = m_servers.insert(m_servers.end(), Server());
            server->rank = step.root;
            server->pushCommunicator = UINT32_MAX;
            server->pullCommunicator = UINT32_MAX;
            server->pushIssued.resize(setup.program->ranks);
            server->pullIssued.resize(setup.program->ranks);
        }
        uint32_t& communicator = push ? server->pushCommunicator : server->pullCommunicator;
        NS_ABORT_MSG_IF(communicator != UINT32_MAX && communicator != step.communicator,
                        "a server with two communicators of one kind");
        communicator = step.communicator;
        server->tensorsPerIteration += push ? 1 : 0;
        m_shares[step.tensor] += push ? 1 : 0;
        m_serverOf[step.communicator] = static_cast<uint32_t>(server - m_servers.begin());
    }
}

uint64_t
ServerTensors::GetBytes(const Tensor& tensor, uint32_t piece) const
{
    return GetPieceBytes(tensor.bytes, tensor.partitionBytes, piece);
}

uint64_t
ServerTensors::GetMaxPostedBytes() const
{
    uint64_t bytes = 0;
    for (const std::vector<TensorQueue>* queues : {&m_pushes, &m_pulls})
    {
        for (const TensorQueue& queue : *queues)
        {
            bytes = std::max(bytes, queue.GetMaxPostedBytes());
        }
    }
    return bytes;
}

ServerTensors::Tensor&
ServerTensors::GetTensor(uint32_t server, uint64_t tensor)
{
    Server& state = m_servers[server];
    NS_ASSERT_MSG(tensor >= state.firstTensor && tensor - state.firstTensor < state.tensors.size(),
                  "tensor " << tensor << " is not known");
    return state.tensors[tensor - state.firstTensor];
}

int64_t
ServerTensors::GetLastPostPs(uint32_t /* rank */, uint32_t communicator, uint64_t number) const
{
    const Server& server = m_servers[m_serverOf[communicator]];
    if (number < server.firstTensor || number - server.firstTensor >= server.tensors.size())
    {
        return -1;
    }
    const Tensor& tensor = server.tensors[number - server.firstTensor];
    return tensor.issued == GetRanks() ? tensor.lastPostPs : -1;
}

ServerTensors::Tensor&
ServerTensors::MakeTensor(uint32_t server, uint64_t number, const ProgramStep& step)
{
    Server& state = m_servers[server];
    if (number - state.firstTensor < state.tensors.size())
    {
        return GetTensor(server, number);
    }
    const TensorSchedule& schedule = GetSchedule(number / state.tensorsPerIteration);
    Tensor& tensor = state.tensors.emplace_back();
    tensor.number = number;
    tensor.layer = step.tensor;
    tensor.bytes = step.bytes;
    tensor.partitionBytes = schedule.partitionBytes;
    const uint32_t pieces = GetPieceCount(step.bytes, schedule.partitionBytes);
    tensor.firstPiece = state.pieces;
    state.pieces += pieces;
    tensor.pieces.resize(pieces);
    tensor.ranks.assign(GetRanks(), {pieces, pieces, false});
    return tensor;
}

ServerTensors::Place
ServerTensors::Find(const ChunkMessage& message) const
{
    const uint32_t index = m_serverOf.at(message.communicator);
    const Server& server = m_servers[index];
    const auto after = std::upper_bound(
        server.tensors.begin(),
        server.tensors.end(),
        message.collective,
        [](uint32_t piece, const Tensor& tensor) { return piece < tensor.firstPiece; });
    const Tensor& tensor = *std::prev(after);
    return {index,
            tensor.number,
            message.collective - tensor.firstPiece,
            message.communicator == server.pushCommunicator};
}

void
ServerTensors::Issue(int64_t now, uint32_t rank, const ProgramStep& step)
{
    const uint32_t server = m_serverOf[step.communicator];
    if (step.operation == CollectiveOperation::REDUCE)
    {
        IssuePush(now, rank, server, step);
        return;
    }
    const uint64_t number = m_servers[server].pullIssued[rank]++;
    GetTensor(server, number).ranks[rank].pullIssued = true;
    CheckPulled(now, rank, server, number);
}

void
ServerTensors::IssuePush(int64_t now, uint32_t rank, uint32_t server, const ProgramStep& step)
{
    Server& state = m_servers[server];
    const uint64_t number = state.pushIssued[rank]++;
    Tensor& tensor = MakeTensor(server, number, step);
    tensor.issued++;
    tensor.lastPostPs = now;
    if (rank != state.rank)
    {
        const TensorSchedule& schedule = GetSchedule(number / state.tensorsPerIteration);
        m_pushes[rank].Configure(schedule.priority, schedule.creditBytes);
        m_pulls[rank].Configure(schedule.priority, schedule.creditBytes);
    }
    NS_LOG_LOGIC(now << " ps: rank " << rank << " has gradient " << number
                     << " for the server on rank " << state.rank);
    const auto ready = m_ready[rank].try_emplace(step.tensor).first;
    ready->second.emplace_back(server, number);
    if (ready->second.size() == m_shares.at(step.tensor))
    {
        EnqueuePushes(rank, std::move(ready->second));
        m_ready[rank].erase(ready);
        PostPushes(now, rank);
    }
    const auto pieces = static_cast<uint32_t>(tensor.pieces.size());
    for (uint32_t p = 0; rank == state.rank && p < pieces; p++)
    {
        PushArrived(now, server, number, p);
    }
}

void
ServerTensors::EnqueuePushes(uint32_t rank, Shares shares)
{
    const auto servers = static_cast<uint32_t>(m_servers.size());
    std::sort(shares.begin(), shares.end(), [=](const auto& a, const auto& b) {
        const auto turn = [=](uint32_t server) {
            return (server + servers - rank % servers) % servers;
        };
        return turn(a.first) < turn(b.first);
    });
    bool more = true;
    for (uint32_t p = 0; more; p++)
    {
        more = false;
        for (const auto& [server, number] : shares)
        {
            const Tensor& tensor = GetTensor(server, number);
            if (m_servers[server].rank != rank && p < tensor.pieces.size())
            {
                m_pushes[rank].Push({tensor.layer, server, number, p, GetBytes(tensor, p)});
                more = true;
            }
        }
    }
}

uint32_t
ServerTensors::GetRoute(uint32_t communicator,
                        uint32_t source,
                        uint32_t destination,
                        uint32_t channel)
{
    const auto [entry, isNew] = m_routes.try_emplace({communicator, source, destination, channel});
    if (isNew)
    {
        entry->second =
            GetSetup().transport->FindRoute(communicator, source, destination, channel, {});
    }
    return entry->second;
}

void
ServerTensors::SendPiece(int64_t now, uint32_t rank, bool push, const TensorPiece& piece)
{
    const Server& server = m_servers[piece.server];
    Tensor& tensor = GetTensor(piece.server, piece.tensor);
    Copies& copies = push ? tensor.pieces[piece.piece].pushes : tensor.pieces[piece.piece].pulls;
    copies.Post(now);
    const uint32_t communicator = push ? server.pushCommunicator : server.pullCommunicator;
    const uint32_t number = tensor.firstPiece + piece.piece;
    const uint32_t route =
        GetRoute(communicator,
                 push ? rank : server.rank,
                 push ? server.rank : rank,
                 number % GetSetup().traffic->communicators[communicator].channels);
    GetSetup().transport->Send(now, route, piece.bytes, {communicator, number, rank});
}

void
ServerTensors::PostPushes(int64_t now, uint32_t rank)
{
    while (const auto piece = m_pushes[rank].Pop())
    {
        SendPiece(now, rank, true, *piece);
    }
}

void
ServerTensors::PostPulls(int64_t now, uint32_t rank)
{
    while (const auto piece = m_pulls[rank].Pop())
    {
        Send(now,
             m_servers[piece->server].rank,
             {REQUEST, rank, piece->server, piece->tensor, piece->piece});
    }
}

void
ServerTensors::MessageArrived(int64_t now, uint32_t rank, const RankMessage& message)
{
    const Tensor& tensor = GetTensor(message.server, message.tensor);
    const TensorPiece piece{tensor.layer,
                            message.server,
                            message.tensor,
                            message.piece,
                            GetBytes(tensor, message.piece)};
    if (message.kind == REQUEST)
    {
        SendPiece(now, message.sender, false, piece);
        return;
    }
    m_pulls[rank].Push(piece);
    PostPulls(now, rank);
}

void
ServerTensors::ChunkDelivered(int64_t now, const ChunkMessage& message)
{
    const Place place = Find(message);
    if (place.push)
    {
        PushArrived(now, place.server, place.tensor, place.piece);
        return;
    }
    const uint32_t rank = message.transfer;
    Tensor& tensor = GetTensor(place.server, place.tensor);
    if (++tensor.pieces[place.piece].pulls.arrived == GetRanks() - 1)
    {
        Record(now, place.server, tensor, place.piece, false);
    }
    m_pulls[rank].Return(GetBytes(tensor, place.piece));
    tensor.ranks[rank].pulls--;
    PostPulls(now, rank);
    CheckPulled(now, rank, place.server, place.tensor);
}

void
ServerTensors::ChunkCompleted(int64_t now, const ChunkMessage& message)
{
    if (message.communicator != m_servers[m_serverOf[message.communicator]].pushCommunicator)
    {
        return;
    }
    const Place place = Find(message);
    const uint32_t rank = message.transfer;
    m_pushes[rank].Return(GetBytes(GetTensor(place.server, place.tensor), place.piece));
    PostPushes(now, rank);
    EndPush(now, rank, place.server, place.tensor);
}

void
ServerTensors::PushArrived(int64_t now, uint32_t server, uint64_t number, uint32_t piece)
{
    Tensor& tensor = GetTensor(server, number);
    if (++tensor.pieces[piece].pushes.arrived < GetRanks())
    {
        return;
    }
    if (GetRanks() > 1)
    {
        Record(now, server, tensor, piece, true);
    }
    const uint32_t own = m_servers[server].rank;
    for (uint32_t rank = 0; rank < GetRanks(); rank++)
    {
        if (rank != own)
        {
            Send(now, rank, {AGGREGATED, own, server, number, piece});
        }
    }
    // The server's own steps, with that of the push last: the tensor may be freed with it.
    tensor.ranks[own].pulls--;
    CheckPulled(now, own, server, number);
    EndPush(now, own, server, number);
}

void
ServerTensors::EndPush(int64_t now, uint32_t rank, uint32_t server, uint64_t number)
{
    if (--GetTensor(server, number).ranks[rank].pushes == 0)
    {
        EndStep(now, rank, server, m_servers[server].pushCommunicator, number);
    }
}

void
ServerTensors::CheckPulled(int64_t now, uint32_t rank, uint32_t server, uint64_t number)
{
    const RankProgress& progress = GetTensor(server, number).ranks[rank];
    if (progress.pullIssued && progress.pulls == 0)
    {
        EndStep(now, rank, server, m_servers[server].pullCommunicator, number);
    }
}

void
ServerTensors::EndStep(int64_t now,
                       uint32_t rank,
                       uint32_t server,
                       uint32_t communicator,
                       uint64_t number)
{
    Server& state = m_servers[server];
    Tensor& tensor = GetTensor(server, number);
    const int64_t lastPostPs = tensor.issued == GetRanks() ? tensor.lastPostPs : now;
    tensor.ended++;
    while (!state.tensors.empty() && state.tensors.front().ended == 2 * GetRanks())
    {
        state.tensors.pop_front();
        state.firstTensor++;
    }
    GetSetup().listener->StepEnded(now, rank, communicator, number, lastPostPs);
}

void
ServerTensors::Record(int64_t now, uint32_t server, const Tensor& tensor, uint32_t piece, bool push)
{
    const Copies& copies = push ? tensor.pieces[piece].pushes : tensor.pieces[piece].pulls;
    const Server& state = m_servers[server];
    CollectiveOutcome outcome;
    outcome.communicator = push ? state.pushCommunicator : state.pullCommunicator;
    outcome.collective = tensor.firstPiece + piece;
    outcome.operation = push ? CollectiveOperation::REDUCE : CollectiveOperation::BROADCAST;
    outcome.bytes = GetBytes(tensor, piece);
    outcome.algorithm = "ParameterServer";
    outcome.channels = 1;
    outcome.firstPostPs = copies.firstPostPs;
    outcome.lastPostPs = copies.lastPostPs;
    outcome.endPs = now;
    GetSetup().listener->PieceFinished(outcome, tensor.number / state.tensorsPerIteration);
}

} // namespace ns3
