/* SPDX-License-Identifier: GPL-2.0-only */
#include "job-recorder.h"

#include "result-tables.h"

#include "ns3/assert.h"
#include "ns3/log.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("JobRecorder");

NS_OBJECT_ENSURE_REGISTERED(JobRecorder);

TypeId
JobRecorder::GetTypeId()
{
    static TypeId tid = TypeId("ns3::JobRecorder")
                            .SetParent<Recorder>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<JobRecorder>();
    return tid;
}

template <class Record>
void
JobRecorder::WriteInterval(const Record& record)
{
    NS_ASSERT_MSG(record.startPs <= record.endPs, "a time of negative length");
    if (record.startPs < record.endPs)
    {
        m_results->Insert(GetResultTable<Record>(), m_run, record);
    }
}

std::vector<const TableSpec*>
JobRecorder::Tables() const
{
    return {&GetResultTable<GpuAllocationRecord>().GetSpec(),
            &GetResultTable<GpuFailureRecord>().GetSpec(),
            &GetResultTable<SpanRecord>().GetSpec(),
            &GetResultTable<IterationRow>().GetSpec()};
}

void
JobRecorder::Connect(const RunContext& context)
{
    NS_LOG_FUNCTION(this << context.run);
    m_results = context.results;
    m_run = context.run;
    if (context.transport)
    {
        m_trafficSource = [transport = context.transport](uint32_t job) {
            const JobRdmaCounters counters = transport->GetJobCounters(job);
            return Traffic{counters.markedFrames, counters.retransmittedBytes};
        };
    }
    context.traceJobs("GpuAllocation",
                      MakeCallback(&JobRecorder::WriteInterval<GpuAllocationRecord>, this));
    context.traceJobs("GpuFailure",
                      MakeCallback(&JobRecorder::WriteInterval<GpuFailureRecord>, this));
    context.traceJobs("Span", MakeCallback(&JobRecorder::WriteInterval<SpanRecord>, this));
    context.traceJobs("Iteration", MakeCallback(&JobRecorder::OnIteration, this));
}

void
JobRecorder::SetTrafficSource(std::function<Traffic(uint32_t job)> source)
{
    m_trafficSource = std::move(source);
}

void
JobRecorder::OnIteration(const IterationRecord& record)
{
    IterationRow row;
    static_cast<IterationRecord&>(row) = record;
    if (m_trafficSource)
    {
        const Traffic traffic = m_trafficSource(record.job);
        Traffic& before = m_traffic[record.job];
        row.markedFrames = traffic.markedFrames - before.markedFrames;
        row.retransmittedBytes = traffic.retransmittedBytes - before.retransmittedBytes;
        before = traffic;
    }
    m_results->Insert(GetResultTable<IterationRow>(), m_run, row);
}

} // namespace ns3
