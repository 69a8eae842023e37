/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_LOG_H
#define GPU_FABRIC_JOB_LOG_H

#include "measuring-window.h"
#include "result-rows.h"

#include "ns3/result-table.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * The jobs of a run and their progress: writes `job` and `job_event`, counts iterations, and
 * determines the measuring window. Every run has one, whatever else is recorded.
 */
class JobLog
{
  public:
    /**
     * \param results where to write; outlives the log
     * \param run number of the run
     * \param measure measuring window
     */
    JobLog(ResultWriter& results, uint32_t run, const MeasureSpec& measure);

    /// A job of the scenario; ids are 0, 1, ... in this order. Its arrival, start, end and status
    /// follow from its events. \param row its `run` and `job` are set here
    void AddJob(const JobRow& row);
    /// The row of a job, to fill in values that were unknown before; written again at Finish().
    JobRow& GetJob(uint32_t job);
    /// Iterations that a job has finished.
    uint64_t GetIterations(uint32_t job) const;

    void OnJobEvent(const JobEventRecord& record);
    void OnIteration(const IterationRecord& record);

    MeasuringWindowFinder& GetWindowFinder()
    {
        return m_window;
    }

    /// Writes the rows of jobs in their state at the end of the run.
    void Finish();

  private:
    struct Job
    {
        JobRow row;
        uint32_t events{0};
        uint64_t iterations{0};
    };

    void Write(const JobRow& row);

    ResultWriter& m_results;
    uint32_t m_run;
    std::vector<Job> m_jobs;
    MeasuringWindowFinder m_window;
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_LOG_H
