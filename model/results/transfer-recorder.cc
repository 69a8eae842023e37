/* SPDX-License-Identifier: GPL-2.0-only */
#include "transfer-recorder.h"

#include "result-tables.h"

#include "ns3/boolean.h"
#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TransferRecorder");

NS_OBJECT_ENSURE_REGISTERED(TransferRecorder);

TypeId
TransferRecorder::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TransferRecorder")
            .SetParent<Recorder>()
            .SetGroupName("GpuFabric")
            .AddConstructor<TransferRecorder>()
            .AddAttribute("Jobs",
                          "Write transfers of jobs, too (record: [transfers]); those of plain "
                          "flows are always written.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&TransferRecorder::m_jobs),
                          MakeBooleanChecker());
    return tid;
}

std::vector<const TableSpec*>
TransferRecorder::Tables() const
{
    return {&GetResultTable<QueuePairRow>().GetSpec(),
            &GetResultTable<QueuePairChangeRow>().GetSpec(),
            &GetResultTable<TransferRow>().GetSpec()};
}

void
TransferRecorder::Connect(const RunContext& context)
{
    NS_LOG_FUNCTION(this << context.run << m_jobs);
    m_results = context.results;
    m_run = context.run;
    m_topology = context.topology;
    if (!context.transport)
    {
        return;
    }
    context.transport->TraceConnectWithoutContext(
        "QueuePair",
        MakeCallback(&TransferRecorder::OnQueuePair, this));
    context.transport->TraceConnectWithoutContext(
        "QueuePairChange",
        MakeCallback(&TransferRecorder::OnQueuePairChange, this));
    context.transport->TraceConnectWithoutContext(
        "Transfer",
        MakeCallback(&TransferRecorder::OnTransfer, this));
    context.transport->TraceConnectWithoutContext(
        "Unfinished",
        MakeCallback(&TransferRecorder::OnTransfer, this));
}

void
TransferRecorder::OnQueuePair(const QueuePairRecord& record)
{
    m_results->Insert(GetResultTable<QueuePairRow>(),
                      m_run,
                      QueuePairRow{record,
                                   m_topology->GetPortNode(record.sourceNic),
                                   m_topology->GetPortNode(record.destinationNic)});
}

void
TransferRecorder::OnQueuePairChange(const QueuePairChangeRecord& record)
{
    m_results->Insert(GetResultTable<QueuePairChangeRow>(),
                      m_run,
                      QueuePairChangeRow{record, m_changes[record.queuePair]++});
}

void
TransferRecorder::OnTransfer(const TransferRecord& record)
{
    if (record.job == NO_ID || m_jobs)
    {
        m_results->Insert(GetResultTable<TransferRow>(),
                          m_run,
                          TransferRow{record,
                                      m_topology->GetPortNode(record.sourceNic),
                                      m_topology->GetPortNode(record.destinationNic)});
    }
}

} // namespace ns3
