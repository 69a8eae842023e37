/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_RECORDER_H
#define GPU_FABRIC_JOB_RECORDER_H

#include "measuring-window.h"
#include "record-spec.h"
#include "result-database.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/// What the network did for a job since the start.
struct JobNetworkCounts
{
    uint64_t markedFrames{0};
    uint64_t retransmittedBytes{0}; ///< [byte]
};

/**
 * Writes what jobs do: `job`, `job_event`, `gpu_allocation`, `span`, `iteration`, `collective`,
 * `decision` as they come; `job_utilization`, `job_window` and the GPU time rows of `invariant` at
 * the end of the run, from the spans. Memory grows with jobs and iterations, not with spans.
 */
class JobRecorder
{
  public:
    /**
     * \param database where to write; outlives the recorder
     * \param run number of the run
     * \param gpus GPUs of the cluster
     * \param measure measuring window
     * \param record what to write; without `jobs` neither spans nor what is made of them
     */
    JobRecorder(ResultDatabase& database,
                uint32_t run,
                uint32_t gpus,
                const MeasureSpec& measure,
                const RecordSpec& record);

    /// Whether jobs are measured for the scheduler (MeasuringWindowFinder), before AddJob().
    void SetProfiles(bool expected);
    /// A job of the scenario; ids are 0, 1, ... in this order. Its arrival, start, end and status
    /// follow from its events. \param row its `run` and `job` are set here
    void AddJob(const JobRow& row);
    /// The row of a job, to fill in what was not known before; written again at FinishRun().
    JobRow& GetJob(uint32_t job);
    uint32_t GetJobCount() const;
    /// Iterations a job has finished.
    uint64_t GetIterations(uint32_t job) const;

    void OnJobEvent(const JobEventRecord& record);
    void OnGpuAllocation(const GpuAllocationRecord& record);
    void OnGpuFailure(const GpuFailureRecord& record);
    void OnSpan(const SpanRecord& record);
    void OnIteration(const IterationRecord& record);
    void OnCollective(const CollectiveRecord& record);
    void OnDecision(const DecisionRecord& record);

    /// Asked for a job's traffic at the end of each of its iterations.
    void SetTrafficSource(std::function<JobNetworkCounts(uint32_t job)> source);
    /// See MeasuringWindowFinder::SetCallbacks().
    void SetWindowCallbacks(std::function<void(int64_t)> opened,
                            std::function<void(int64_t)> closed);

    /**
     * Writes the rest. Every span and allocation has been handed over by now, those that the end
     * of the run cut short included.
     * \param endPs simulated time [ps]
     * \returns the measuring window; the caller's RunRow takes it over
     */
    MeasuringWindow FinishRun(int64_t endPs);

  private:
    struct Job
    {
        JobRow row;
        uint32_t events{0};
        uint64_t iterations{0};
        JobNetworkCounts traffic; ///< at the end of the last iteration
    };

    ResultDatabase& m_database;
    uint32_t m_run;
    uint32_t m_gpus;
    RecordSpec m_record;
    std::vector<Job> m_jobs;
    MeasuringWindowFinder m_window;
    std::function<JobNetworkCounts(uint32_t)> m_trafficSource;
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_RECORDER_H
