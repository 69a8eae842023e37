/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-part-server.h"

#include "fabric-part-codec.h"

#include "ns3/abort.h"

#include <utility>

namespace ns3
{

FabricPartServer::FabricPartServer(RankLink& link, Builder build)
    : m_link(link),
      m_build(std::move(build))
{
}

void
FabricPartServer::Serve()
{
    while (true)
    {
        m_link.Receive(0, m_buffer);
        const auto request = m_buffer.Take<FabricPartRequest>();
        if (request.kind == FabricPartRequest::QUIT)
        {
            m_part = nullptr;
            return;
        }
        if (Do(request))
        {
            m_link.Send(0, m_buffer);
        }
    }
}

void
FabricPartServer::Build(uint32_t run)
{
    m_part = nullptr; // one at a time
    std::string fault;
    m_part = m_build(run, fault);
    m_buffer.Clear();
    m_buffer.PutText(fault);
}

bool
FabricPartServer::Do(const FabricPartRequest& request)
{
    if (request.kind == FabricPartRequest::BUILD)
    {
        Build(request.number);
        return true;
    }
    if (request.kind == FabricPartRequest::END)
    {
        m_part = nullptr;
        return false;
    }
    NS_ABORT_MSG_IF(!m_part, "a part that was not built is asked");
    FrameBatch arriving;
    FabricReadings readings;
    FabricAudit audit;
    FabricLook look;
    FabricFaultOrder order;
    std::vector<uint8_t> down;
    if (request.kind == FabricPartRequest::RUN)
    {
        FabricPartCodec::Take(m_buffer, arriving);
    }
    else if (request.kind == FabricPartRequest::OBEY)
    {
        order = m_buffer.Take<FabricFaultOrder>();
        m_buffer.TakeAll(down);
    }
    m_buffer.Clear();
    switch (request.kind)
    {
    case FabricPartRequest::RUN:
        m_part->Start(request.target, arriving, false);
        FabricPartCodec::Put(m_buffer, m_part->Wait());
        break;
    case FabricPartRequest::READ:
        m_part->Read(readings);
        FabricPartCodec::Put(m_buffer, readings);
        break;
    case FabricPartRequest::AUDIT:
        m_part->Audit(request.now, audit);
        FabricPartCodec::Put(m_buffer, audit);
        break;
    case FabricPartRequest::LOOK:
        m_part->LookAt(request.now, request.deadlock, request.number != 0, look);
        FabricPartCodec::Put(m_buffer, look);
        break;
    case FabricPartRequest::ACCOUNT:
        m_part->EnableAccounting(request.number != 0);
        break;
    case FabricPartRequest::FINISH:
        m_part->FinishPauses(request.now);
        break;
    case FabricPartRequest::OBEY:
        m_buffer.Put(m_part->Obey(order, down));
        break;
    default:
        NS_ABORT_MSG("a part is asked for " << request.kind);
    }
    return true;
}

} // namespace ns3
