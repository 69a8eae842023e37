/* SPDX-License-Identifier: GPL-2.0-only */
#include "job-log.h"

#include "result-tables.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("JobLog");

JobLog::JobLog(ResultWriter& results, uint32_t run, const MeasureSpec& measure)
    : m_results(results),
      m_run(run),
      m_window(measure)
{
}

void
JobLog::Write(const JobRow& row)
{
    m_results.Insert(GetResultTable<JobRow>(), m_run, row);
}

void
JobLog::AddJob(const JobRow& row)
{
    Job job;
    job.row = row;
    job.row.run = m_run;
    job.row.job = static_cast<uint32_t>(m_jobs.size());
    m_window.AddJob(job.row.job, job.row.name);
    Write(job.row);
    m_jobs.push_back(std::move(job));
}

JobRow&
JobLog::GetJob(uint32_t job)
{
    NS_ABORT_MSG_IF(job >= m_jobs.size(), "no job " << job);
    return m_jobs[job].row;
}

uint64_t
JobLog::GetIterations(uint32_t job) const
{
    NS_ABORT_MSG_IF(job >= m_jobs.size(), "no job " << job);
    return m_jobs[job].iterations;
}

void
JobLog::OnJobEvent(const JobEventRecord& record)
{
    NS_ABORT_MSG_IF(record.job >= m_jobs.size(), "no job " << record.job);
    NS_LOG_INFO("job " << record.job << " " << record.kind << " at " << record.timePs << " ps");
    Job& job = m_jobs[record.job];
    m_results.Insert(GetResultTable<JobEventRow>(), m_run, JobEventRow{record, job.events++});
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
    Write(job.row);
}

void
JobLog::OnIteration(const IterationRecord& record)
{
    NS_ABORT_MSG_IF(record.job >= m_jobs.size(), "no job " << record.job);
    Job& job = m_jobs[record.job];
    ++job.iterations;
    m_window.IterationEnded(record.job, job.iterations, record.endPs);
}

void
JobLog::Finish()
{
    for (const Job& job : m_jobs)
    {
        Write(job.row);
    }
}

} // namespace ns3
