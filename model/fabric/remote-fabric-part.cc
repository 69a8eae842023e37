/* SPDX-License-Identifier: GPL-2.0-only */
#include "remote-fabric-part.h"

#include "fabric-part-codec.h"

namespace ns3
{

RemoteFabricPart::RemoteFabricPart(RankLink& link, uint32_t rank, std::size_t parts)
    : m_link(link),
      m_rank(rank)
{
    m_report.sent.resize(parts);
}

RemoteFabricPart::~RemoteFabricPart()
{
    FabricPartRequest request;
    request.kind = FabricPartRequest::END;
    Send(request);
}

void
RemoteFabricPart::Build(RankLink& link, uint32_t rank, uint32_t run)
{
    FabricPartRequest request;
    request.kind = FabricPartRequest::BUILD;
    request.number = run;
    RankBuffer buffer;
    buffer.Put(request);
    link.Send(rank, buffer);
}

std::string
RemoteFabricPart::GetBuildFault(RankLink& link, uint32_t rank)
{
    RankBuffer buffer;
    link.Receive(rank, buffer);
    return buffer.TakeText();
}

void
RemoteFabricPart::Quit(RankLink& link, uint32_t rank)
{
    FabricPartRequest request;
    request.kind = FabricPartRequest::QUIT;
    RankBuffer buffer;
    buffer.Put(request);
    link.Send(rank, buffer);
}

void
RemoteFabricPart::Send(const FabricPartRequest& request)
{
    m_buffer.Clear();
    m_buffer.Put(request);
    m_link.Send(m_rank, m_buffer);
}

RankBuffer&
RemoteFabricPart::Ask(const FabricPartRequest& request)
{
    Send(request);
    m_link.Receive(m_rank, m_buffer);
    return m_buffer;
}

void
RemoteFabricPart::Start(const EventLane::Position& target, FrameBatch& arriving, bool)
{
    FabricPartRequest request;
    request.kind = FabricPartRequest::RUN;
    request.target = target;
    m_buffer.Clear();
    m_buffer.Put(request);
    FabricPartCodec::Put(m_buffer, arriving);
    m_link.Send(m_rank, m_buffer);
    arriving.Clear();
}

FabricPartReport&
RemoteFabricPart::Wait()
{
    m_link.Receive(m_rank, m_buffer);
    FabricPartCodec::Take(m_buffer, m_report);
    return m_report;
}

void
RemoteFabricPart::Read(FabricReadings& sum)
{
    FabricPartRequest request;
    request.kind = FabricPartRequest::READ;
    sum += FabricPartCodec::TakeReadings(Ask(request));
}

void
RemoteFabricPart::Audit(int64_t now, FabricAudit& sum)
{
    FabricPartRequest request;
    request.kind = FabricPartRequest::AUDIT;
    request.now = now;
    sum += FabricPartCodec::TakeAudit(Ask(request));
}

void
RemoteFabricPart::LookAt(int64_t now, int64_t deadlock, bool forStuck, FabricLook& look)
{
    FabricPartRequest request;
    request.kind = FabricPartRequest::LOOK;
    request.number = forStuck ? 1 : 0;
    request.now = now;
    request.deadlock = deadlock;
    FabricPartCodec::Take(Ask(request), look);
}

void
RemoteFabricPart::EnableAccounting(bool enable)
{
    FabricPartRequest request;
    request.kind = FabricPartRequest::ACCOUNT;
    request.number = enable ? 1 : 0;
    Ask(request);
}

void
RemoteFabricPart::FinishPauses(int64_t now)
{
    FabricPartRequest request;
    request.kind = FabricPartRequest::FINISH;
    request.now = now;
    Ask(request);
}

uint64_t
RemoteFabricPart::Obey(const FabricFaultOrder& order, const std::vector<uint8_t>& down)
{
    FabricPartRequest request;
    request.kind = FabricPartRequest::OBEY;
    m_buffer.Clear();
    m_buffer.Put(request);
    m_buffer.Put(order);
    m_buffer.PutAll(down);
    m_link.Send(m_rank, m_buffer);
    m_link.Receive(m_rank, m_buffer);
    return m_buffer.Take<uint64_t>();
}

} // namespace ns3
