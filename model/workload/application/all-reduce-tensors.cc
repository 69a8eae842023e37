/* SPDX-License-Identifier: GPL-2.0-only */
#include "all-reduce-tensors.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(AllReduceTensors);

TypeId
AllReduceTensors::GetTypeId()
{
    static TypeId tid = TypeId("ns3::AllReduceTensors")
                            .SetParent<TensorExchange>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<AllReduceTensors>();
    return tid;
}

bool
AllReduceTensors::Carries(const IterationProgram& program) const
{
    return program.HasTensors() && program.HasOnly({CollectiveOperation::ALL_REDUCE});
}

void
AllReduceTensors::ConfigureTensors()
{
    const size_t communicators = GetSetup().program->communicators.size();
    NS_ABORT_MSG_IF(communicators != 1, "tensors on " << communicators << " communicators");
    MakeCommunicators();
    m_communicator = &GetCommunicator(0);
    m_tensorsPerIteration = GetStepsPerIteration(0);
    m_ranks.resize(GetRanks());
}

AllReduceTensors::Tensor&
AllReduceTensors::GetTensor(uint64_t tensor)
{
    NS_ASSERT_MSG(tensor >= m_firstTensor && tensor - m_firstTensor < m_tensors.size(),
                  "tensor " << tensor << " is not known");
    return m_tensors[tensor - m_firstTensor];
}

int64_t
AllReduceTensors::GetLastPostPs(uint32_t /* rank */,
                                uint32_t /* communicator */,
                                uint64_t number) const
{
    if (number < m_firstTensor || number - m_firstTensor >= m_tensors.size())
    {
        return -1;
    }
    const Tensor& tensor = m_tensors[number - m_firstTensor];
    return tensor.issued == m_ranks.size() ? tensor.lastPostPs : -1;
}

uint64_t
AllReduceTensors::GetIteration(uint32_t /* communicator */, uint32_t collective) const
{
    return m_pieces.at(collective - m_firstPiece).tensor / m_tensorsPerIteration;
}

uint64_t
AllReduceTensors::GetMaxPostedBytes() const
{
    uint64_t bytes = 0;
    for (const RankState& rank : m_ranks)
    {
        bytes = std::max(bytes, rank.queue.GetMaxPostedBytes());
    }
    return bytes;
}

void
AllReduceTensors::Issue(int64_t now, uint32_t rank, const ProgramStep& step)
{
    const uint64_t number = m_ranks[rank].tensors++;
    const TensorSchedule& schedule = GetSchedule(number / m_tensorsPerIteration);
    if (number - m_firstTensor == m_tensors.size())
    {
        Tensor& made = m_tensors.emplace_back();
        made.layer = step.tensor;
        made.bytes = step.bytes;
        made.partitionBytes = schedule.partitionBytes;
        made.left.assign(m_ranks.size(), GetPieceCount(step.bytes, schedule.partitionBytes));
    }
    Tensor& tensor = GetTensor(number);
    NS_ASSERT_MSG(tensor.layer == step.tensor && tensor.bytes == step.bytes,
                  "ranks issue different tensors");
    tensor.issued++;
    tensor.lastPostPs = now;
    if (!schedule.priority)
    {
        Enqueue(now, rank, number);
    }
    else if (rank == 0)
    {
        Report(now, number);
    }
    else
    {
        Send(now, 0, {READY, rank, 0, number, 0});
    }
}

void
AllReduceTensors::MessageArrived(int64_t now, uint32_t rank, const RankMessage& message)
{
    if (message.kind == READY)
    {
        Report(now, message.tensor);
    }
    else
    {
        IssuePiece(now, rank, message.tensor, message.piece);
    }
}

void
AllReduceTensors::Report(int64_t now, uint64_t tensor)
{
    if (++GetTensor(tensor).reported == m_ranks.size())
    {
        Enqueue(now, 0, tensor);
    }
}

void
AllReduceTensors::Enqueue(int64_t now, uint32_t rank, uint64_t number)
{
    const Tensor& tensor = GetTensor(number);
    const TensorSchedule& schedule = GetSchedule(number / m_tensorsPerIteration);
    TensorQueue& queue = m_ranks[rank].queue;
    queue.Configure(schedule.priority, schedule.creditBytes);
    m_communicator->SetDepth(schedule.streams);
    const uint32_t pieces = GetPieceCount(tensor.bytes, tensor.partitionBytes);
    for (uint32_t p = 0; p < pieces; p++)
    {
        queue.Push(
            {tensor.layer, 0, number, p, GetPieceBytes(tensor.bytes, tensor.partitionBytes, p)});
    }
    Post(now, rank);
}

void
AllReduceTensors::Post(int64_t now, uint32_t rank)
{
    const bool decides = GetSchedule(0).priority;
    while (const auto piece = m_ranks[rank].queue.Pop())
    {
        for (uint32_t other = 1; decides && other < m_ranks.size(); other++)
        {
            Send(now, other, {POST, rank, 0, piece->tensor, piece->piece});
        }
        IssuePiece(now, rank, piece->tensor, piece->piece);
    }
}

void
AllReduceTensors::IssuePiece(int64_t now, uint32_t rank, uint64_t number, uint32_t piece)
{
    const uint32_t collective = m_ranks[rank].pieces++;
    if (collective - m_firstPiece == m_pieces.size())
    {
        m_pieces.push_back({number, piece, 0});
    }
    NS_ASSERT_MSG(m_pieces[collective - m_firstPiece].tensor == number &&
                      m_pieces[collective - m_firstPiece].piece == piece,
                  "ranks post pieces in different orders");
    const Tensor& tensor = GetTensor(number);
    m_communicator->Issue(now,
                          rank,
                          CollectiveOperation::ALL_REDUCE,
                          GetPieceBytes(tensor.bytes, tensor.partitionBytes, piece));
}

void
AllReduceTensors::RankFinished(int64_t now,
                               uint32_t /* communicator */,
                               uint32_t rank,
                               uint32_t collective,
                               int64_t /* lastPostPs */)
{
    Piece& piece = m_pieces.at(collective - m_firstPiece);
    const uint64_t number = piece.tensor;
    Tensor& tensor = GetTensor(number);
    const uint64_t bytes = GetPieceBytes(tensor.bytes, tensor.partitionBytes, piece.piece);
    piece.ended++;
    while (!m_pieces.empty() && m_pieces.front().ended == m_ranks.size())
    {
        m_pieces.pop_front();
        m_firstPiece++;
    }
    const bool ended = --tensor.left[rank] == 0;
    const int64_t lastPostPs = tensor.issued == m_ranks.size() ? tensor.lastPostPs : now;
    tensor.ended += ended ? 1 : 0;
    while (!m_tensors.empty() && m_tensors.front().ended == m_ranks.size())
    {
        m_tensors.pop_front();
        m_firstTensor++;
    }
    if (rank == 0 || !GetSchedule(0).priority)
    {
        m_ranks[rank].queue.Return(bytes);
        Post(now, rank);
    }
    if (ended)
    {
        GetSetup().listener->StepEnded(now, rank, 0, number, lastPostPs);
    }
}

} // namespace ns3
