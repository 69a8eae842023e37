/* SPDX-License-Identifier: GPL-2.0-only */
#include "remote-logical-process.h"

#include "logical-process-codec.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RemoteLogicalProcess");

RemoteLogicalProcess::RemoteLogicalProcess(RankLink& link, uint32_t rank, std::size_t processes)
    : m_link(link),
      m_rank(rank)
{
    m_report.sent.resize(processes);
}

RemoteLogicalProcess::~RemoteLogicalProcess()
{
    LogicalProcessRequest request;
    request.kind = LogicalProcessRequest::END;
    Send(request);
}

void
RemoteLogicalProcess::Build(RankLink& link, uint32_t rank, uint32_t run)
{
    NS_LOG_LOGIC("rank " << rank << " builds run " << run);
    LogicalProcessRequest request;
    request.kind = LogicalProcessRequest::BUILD;
    request.number = run;
    RankBuffer buffer;
    buffer.Put(request);
    link.Send(rank, buffer);
}

std::string
RemoteLogicalProcess::GetBuildFault(RankLink& link, uint32_t rank)
{
    RankBuffer buffer;
    link.Receive(rank, buffer);
    return buffer.TakeText();
}

void
RemoteLogicalProcess::Quit(RankLink& link, uint32_t rank)
{
    LogicalProcessRequest request;
    request.kind = LogicalProcessRequest::QUIT;
    RankBuffer buffer;
    buffer.Put(request);
    link.Send(rank, buffer);
}

void
RemoteLogicalProcess::Send(const LogicalProcessRequest& request)
{
    m_buffer.Clear();
    m_buffer.Put(request);
    m_link.Send(m_rank, m_buffer);
}

RankBuffer&
RemoteLogicalProcess::Ask(const LogicalProcessRequest& request)
{
    Send(request);
    m_link.Receive(m_rank, m_buffer);
    return m_buffer;
}

void
RemoteLogicalProcess::Start(const EventLane::Position& target, FrameBatch& arriving, bool)
{
    LogicalProcessRequest request;
    request.kind = LogicalProcessRequest::RUN;
    request.target = target;
    m_buffer.Clear();
    m_buffer.Put(request);
    LogicalProcessCodec::Put(m_buffer, arriving);
    m_link.Send(m_rank, m_buffer);
    arriving.Clear();
}

LogicalProcessReport&
RemoteLogicalProcess::Wait()
{
    m_link.Receive(m_rank, m_buffer);
    LogicalProcessCodec::Take(m_buffer, m_report);
    return m_report;
}

void
RemoteLogicalProcess::Read(FabricReadings& sum)
{
    LogicalProcessRequest request;
    request.kind = LogicalProcessRequest::READ;
    sum += LogicalProcessCodec::TakeReadings(Ask(request));
}

void
RemoteLogicalProcess::Audit(int64_t now, FabricAudit& sum)
{
    LogicalProcessRequest request;
    request.kind = LogicalProcessRequest::AUDIT;
    request.now = now;
    sum += LogicalProcessCodec::TakeAudit(Ask(request));
}

void
RemoteLogicalProcess::TakeSnapshot(int64_t now,
                                   int64_t deadlock,
                                   bool forStuck,
                                   PauseSnapshot& snapshot)
{
    LogicalProcessRequest request;
    request.kind = LogicalProcessRequest::SNAPSHOT;
    request.number = forStuck ? 1 : 0;
    request.now = now;
    request.deadlock = deadlock;
    LogicalProcessCodec::Take(Ask(request), snapshot);
}

void
RemoteLogicalProcess::EnableAccounting(bool enable)
{
    LogicalProcessRequest request;
    request.kind = LogicalProcessRequest::ACCOUNT;
    request.number = enable ? 1 : 0;
    Ask(request);
}

void
RemoteLogicalProcess::FinishPauses(int64_t now)
{
    LogicalProcessRequest request;
    request.kind = LogicalProcessRequest::FINISH;
    request.now = now;
    Ask(request);
}

uint64_t
RemoteLogicalProcess::Apply(const FabricFaultOrder& order, const std::vector<uint8_t>& down)
{
    LogicalProcessRequest request;
    request.kind = LogicalProcessRequest::APPLY;
    m_buffer.Clear();
    m_buffer.Put(request);
    m_buffer.Put(order);
    m_buffer.PutAll(down);
    m_link.Send(m_rank, m_buffer);
    m_link.Receive(m_rank, m_buffer);
    return m_buffer.Take<uint64_t>();
}

} // namespace ns3
