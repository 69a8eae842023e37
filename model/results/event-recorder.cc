/* SPDX-License-Identifier: GPL-2.0-only */
#include "event-recorder.h"

#include "result-tables.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("EventRecorder");

NS_OBJECT_ENSURE_REGISTERED(EventRecorder);

TypeId
EventRecorder::GetTypeId()
{
    static TypeId tid = TypeId("ns3::EventRecorder")
                            .SetParent<Recorder>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<EventRecorder>();
    return tid;
}

std::vector<const TableSpec*>
EventRecorder::Tables() const
{
    return {&GetResultTable<PauseRecord>().GetSpec(), &GetResultTable<FabricEventRow>().GetSpec()};
}

void
EventRecorder::Connect(const RunContext& context)
{
    NS_LOG_FUNCTION(this << context.run);
    m_results = context.results;
    m_run = context.run;
    if (context.transport)
    {
        context.transport->TraceConnectWithoutContext("Event",
                                                      MakeCallback(&EventRecorder::OnEvent, this));
    }
    if (context.fabric)
    {
        context.fabric->TraceConnectWithoutContext("Event",
                                                   MakeCallback(&EventRecorder::OnEvent, this));
        context.fabric->TraceConnectWithoutContext("Pause",
                                                   MakeCallback(&EventRecorder::OnPause, this));
    }
}

void
EventRecorder::OnPause(const PauseRecord& record)
{
    m_results->Insert(GetResultTable<PauseRecord>(), m_run, record);
}

void
EventRecorder::OnEvent(const FabricEventRecord& record)
{
    LastEvent& last = m_lastEvents[record.node];
    last.events = last.timePs == record.timePs ? last.events + 1 : 0;
    last.timePs = record.timePs;
    m_results->Insert(GetResultTable<FabricEventRow>(), m_run, FabricEventRow{record, last.events});
}

} // namespace ns3
