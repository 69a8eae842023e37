/* SPDX-License-Identifier: GPL-2.0-only */
#include "run-recorders.h"

#include "run-figures.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RunRecorders");

RunRecorders::RunRecorders(ResultDatabase& database,
                           uint32_t run,
                           uint32_t gpus,
                           const MeasureSpec& measure,
                           const RecordSpec& record)
    : m_database(database),
      m_run(run),
      m_gpus(gpus),
      m_gpuTime(record.jobs),
      m_jobs(database, run, measure)
{
    // Whatever `record:` does not set keeps its default.
    Ptr<Recorder> links = Add("ns3::LinkRecorder");
    if (record.linkInterval.IsStrictlyPositive())
    {
        links->SetAttribute("Interval", TimeValue(record.linkInterval));
    }
    Ptr<Recorder> transfers = Add("ns3::TransferRecorder");
    if (record.transfers)
    {
        transfers->SetAttribute("Jobs", BooleanValue(true));
    }
    Add("ns3::DecisionRecorder");
    if (record.jobs)
    {
        links->SetAttribute("JobLinks", BooleanValue(true));
        Add("ns3::JobRecorder");
    }
    if (record.collectives)
    {
        Add("ns3::CollectiveRecorder");
    }
    if (record.events)
    {
        Add("ns3::EventRecorder");
    }
    if (record.queuePairInterval.IsStrictlyPositive())
    {
        Add("ns3::QueuePairRecorder")
            ->SetAttribute("Interval", TimeValue(record.queuePairInterval));
    }
    for (const TypedBlock& block : record.recorders)
    {
        Ptr<Recorder> recorder = Add(block.typeId);
        for (const AttributeSetting& setting : block.attributes)
        {
            recorder->SetAttribute(setting.name, StringValue(setting.value));
        }
    }
}

Ptr<Recorder>
RunRecorders::Add(const std::string& type)
{
    for (const Ptr<Recorder>& recorder : m_recorders)
    {
        if (recorder->GetInstanceTypeId().GetName() == type)
        {
            return recorder; // only one of each type
        }
    }
    Ptr<Recorder> recorder = ObjectFactory(type).Create<Recorder>();
    NS_ABORT_MSG_UNLESS(recorder, type << " is no recorder");
    m_recorders.push_back(recorder);
    return recorder;
}

RunRecorders::~RunRecorders()
{
    for (const Ptr<Recorder>& recorder : m_recorders)
    {
        recorder->Dispose();
    }
}

void
RunRecorders::Connect(RunContext context)
{
    context.run = m_run;
    context.results = &m_database;
    context.traceJobs("JobEvent", MakeCallback(&JobLog::OnJobEvent, &m_jobs));
    for (const Ptr<Recorder>& recorder : m_recorders)
    {
        NS_LOG_INFO("run " << m_run << ": " << recorder->GetInstanceTypeId().GetName());
        for (const TableSpec* table : recorder->Tables())
        {
            m_database.AddTable(*table);
        }
        recorder->Connect(context);
    }
    // Connected after the recorders, so that they see an iteration before the window that it opens.
    context.traceJobs("Iteration", MakeCallback(&JobLog::OnIteration, &m_jobs));
    m_jobs.GetWindowFinder().SetCallbacks([this](int64_t now) { OpenWindow(now); },
                                          [this](int64_t now) { CloseWindow(now); });
}

void
RunRecorders::Start()
{
    for (const Ptr<Recorder>& recorder : m_recorders)
    {
        recorder->Start();
    }
}

void
RunRecorders::OpenWindow(int64_t now)
{
    NS_LOG_INFO("run " << m_run << ": the measuring window opens at " << now << " ps");
    for (const Ptr<Recorder>& recorder : m_recorders)
    {
        recorder->WindowOpened(now);
    }
}

void
RunRecorders::CloseWindow(int64_t now)
{
    NS_LOG_INFO("run " << m_run << ": the measuring window closes at " << now << " ps");
    for (const Ptr<Recorder>& recorder : m_recorders)
    {
        recorder->WindowClosed(now);
    }
}

MeasuringWindow
RunRecorders::Finish(int64_t endPs)
{
    NS_LOG_FUNCTION(this << endPs);
    for (const Ptr<Recorder>& recorder : m_recorders)
    {
        recorder->Finish(endPs);
    }
    m_jobs.Finish();
    const MeasuringWindow window = m_jobs.GetWindowFinder().GetWindow(endPs);
    if (m_gpuTime)
    {
        RunFigures::WriteJobUtilization(m_database, m_run);
        RunFigures::WriteJobWindows(m_database, m_run, window.fromPs, window.toPs);
        RunFigures::WriteGpuTimeInvariant(m_database, m_run, m_gpus, endPs);
    }
    return window;
}

} // namespace ns3
