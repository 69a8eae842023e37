/* SPDX-License-Identifier: GPL-2.0-only */
#include "logical-process-server.h"

#include "logical-process-codec.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("LogicalProcessServer");

LogicalProcessServer::LogicalProcessServer(RankLink& link, Builder build)
    : m_link(link),
      m_build(std::move(build))
{
}

void
LogicalProcessServer::Serve()
{
    while (true)
    {
        m_link.Receive(0, m_buffer);
        const auto request = m_buffer.Take<LogicalProcessRequest>();
        if (request.kind == LogicalProcessRequest::QUIT)
        {
            m_process = nullptr;
            return;
        }
        if (Do(request))
        {
            m_link.Send(0, m_buffer);
        }
    }
}

void
LogicalProcessServer::Build(uint32_t run)
{
    NS_LOG_FUNCTION(this << run);
    m_process = nullptr; // one at a time
    std::string fault;
    m_process = m_build(run, fault);
    m_buffer.Clear();
    m_buffer.PutText(fault);
}

bool
LogicalProcessServer::Do(const LogicalProcessRequest& request)
{
    if (request.kind == LogicalProcessRequest::BUILD)
    {
        Build(request.number);
        return true;
    }
    if (request.kind == LogicalProcessRequest::END)
    {
        m_process = nullptr;
        return false;
    }
    NS_ABORT_MSG_IF(!m_process, "a logical process that was not built is asked");
    FrameBatch arriving;
    FabricReadings readings;
    FabricAudit audit;
    PauseSnapshot snapshot;
    FabricFaultOrder order;
    std::vector<uint8_t> down;
    if (request.kind == LogicalProcessRequest::RUN)
    {
        LogicalProcessCodec::Take(m_buffer, arriving);
    }
    else if (request.kind == LogicalProcessRequest::APPLY)
    {
        order = m_buffer.Take<FabricFaultOrder>();
        m_buffer.TakeAll(down);
    }
    m_buffer.Clear();
    switch (request.kind)
    {
    case LogicalProcessRequest::RUN:
        m_process->Start(request.target, arriving, false);
        LogicalProcessCodec::Put(m_buffer, m_process->Wait());
        break;
    case LogicalProcessRequest::READ:
        m_process->Read(readings);
        LogicalProcessCodec::Put(m_buffer, readings);
        break;
    case LogicalProcessRequest::AUDIT:
        m_process->Audit(request.now, audit);
        LogicalProcessCodec::Put(m_buffer, audit);
        break;
    case LogicalProcessRequest::SNAPSHOT:
        m_process->TakeSnapshot(request.now, request.deadlock, request.number != 0, snapshot);
        LogicalProcessCodec::Put(m_buffer, snapshot);
        break;
    case LogicalProcessRequest::ACCOUNT:
        m_process->EnableAccounting(request.number != 0);
        break;
    case LogicalProcessRequest::FINISH:
        m_process->FinishPauses(request.now);
        break;
    case LogicalProcessRequest::APPLY:
        m_buffer.Put(m_process->Apply(order, down));
        break;
    default:
        NS_ABORT_MSG("a logical process is asked for " << request.kind);
    }
    return true;
}

} // namespace ns3
