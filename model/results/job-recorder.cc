/* SPDX-License-Identifier: GPL-2.0-only */
#include "job-recorder.h"

#include "run-figures.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <utility>

namespace ns3
{

JobRecorder::JobRecorder(ResultDatabase& database,
                         uint32_t run,
                         uint32_t gpus,
                         const MeasureSpec& measure,
                         const RecordSpec& record)
    : m_database(database),
      m_run(run),
      m_gpus(gpus),
      m_record(record),
      m_window(measure)
{
}

void
JobRecorder::AddJob(const JobRow& row)
{
    Job job;
    job.row = row;
    job.row.run = m_run;
    job.row.job = GetJobCount();
    m_window.AddJob(job.row.job, job.row.name);
    m_database.Insert(job.row);
    m_jobs.push_back(std::move(job));
}

JobRow&
JobRecorder::GetJob(uint32_t job)
{
    NS_ABORT_MSG_IF(job >= m_jobs.size(), "no job " << job);
    return m_jobs[job].row;
}

uint32_t
JobRecorder::GetJobCount() const
{
    return static_cast<uint32_t>(m_jobs.size());
}

uint64_t
JobRecorder::GetIterations(uint32_t job) const
{
    NS_ABORT_MSG_IF(job >= m_jobs.size(), "no job " << job);
    return m_jobs[job].iterations;
}

void
JobRecorder::SetProfiles(bool expected)
{
    m_window.SetProfiles(expected);
}

void
JobRecorder::OnJobEvent(const JobEventRecord& record)
{
    NS_ABORT_MSG_IF(record.job >= m_jobs.size(), "no job " << record.job);
    Job& job = m_jobs[record.job];
    m_database.Insert(m_run, JobEventRow{record, job.events++});
    if (record.kind == "arrived")
    {
        job.row.arrivalPs = record.timePs;
        job.row.status = "waiting";
    }
    else if (record.kind == "started")
    {
        job.row.startPs = job.row.startPs.value_or(record.timePs);
        job.row.status = "running";
    }
    else if (record.kind == "restarted")
    {
        job.row.status = "running";
    }
    else if (record.kind == "interrupted")
    {
        job.row.status = "waiting";
    }
    else if (record.kind == "profiled")
    {
        m_window.JobProfiled(record.job, record.timePs);
        return;
    }
    else if (record.kind == "failed")
    {
        job.row.status = "failed";
        m_window.JobEnded(record.job, record.timePs);
    }
    else if (record.kind == "finished")
    {
        job.row.endPs = record.timePs;
        job.row.status = "finished";
        m_window.JobEnded(record.job, record.timePs);
    }
    else
    {
        return;
    }
    m_database.Insert(job.row);
}

void
JobRecorder::OnGpuAllocation(const GpuAllocationRecord& record)
{
    NS_ASSERT_MSG(record.startPs <= record.endPs, "allocation of negative length");
    if (m_record.jobs && record.startPs < record.endPs)
    {
        m_database.Insert(m_run, record);
    }
}

void
JobRecorder::OnGpuFailure(const GpuFailureRecord& record)
{
    if (m_record.jobs && record.startPs < record.endPs)
    {
        m_database.Insert(m_run, record);
    }
}

void
JobRecorder::OnSpan(const SpanRecord& record)
{
    NS_ASSERT_MSG(record.startPs <= record.endPs, "span of negative length");
    if (m_record.jobs && record.startPs < record.endPs)
    {
        m_database.Insert(m_run, record);
    }
}

void
JobRecorder::OnIteration(const IterationRecord& record)
{
    NS_ABORT_MSG_IF(record.job >= m_jobs.size(), "no job " << record.job);
    Job& job = m_jobs[record.job];
    ++job.iterations;
    if (m_record.jobs)
    {
        IterationRow row;
        row.run = m_run;
        row.job = record.job;
        row.iteration = record.iteration;
        row.startPs = record.startPs;
        row.endPs = record.endPs;
        row.computePs = record.computePs;
        row.exposedPs = record.exposedPs;
        row.peerWaitPs = record.peerWaitPs;
        row.shiftPs = record.shiftPs;
        row.bytes = record.bytes;
        if (m_trafficSource)
        {
            const JobNetworkCounts traffic = m_trafficSource(record.job);
            row.markedFrames = traffic.markedFrames - job.traffic.markedFrames;
            row.retransmittedBytes = traffic.retransmittedBytes - job.traffic.retransmittedBytes;
            job.traffic = traffic;
        }
        m_database.Insert(row);
    }
    m_window.IterationEnded(record.job, job.iterations, record.endPs);
}

void
JobRecorder::OnCollective(const CollectiveRecord& record)
{
    if (m_record.collectives)
    {
        m_database.Insert(m_run, record);
    }
}

void
JobRecorder::OnDecision(const DecisionRecord& record)
{
    m_database.Insert(m_run, record);
}

void
JobRecorder::SetTrafficSource(std::function<JobNetworkCounts(uint32_t job)> source)
{
    m_trafficSource = std::move(source);
}

void
JobRecorder::SetWindowCallbacks(std::function<void(int64_t)> opened,
                                std::function<void(int64_t)> closed)
{
    m_window.SetCallbacks(std::move(opened), std::move(closed));
}

MeasuringWindow
JobRecorder::FinishRun(int64_t endPs)
{
    for (const Job& job : m_jobs)
    {
        m_database.Insert(job.row);
    }
    const MeasuringWindow window = m_window.GetWindow(endPs);
    if (m_record.jobs)
    {
        RunFigures::WriteJobUtilization(m_database, m_run);
        RunFigures::WriteJobWindows(m_database, m_run, window.fromPs, window.toPs);
        RunFigures::WriteGpuTimeInvariant(m_database, m_run, m_gpus, endPs);
    }
    return window;
}

} // namespace ns3
