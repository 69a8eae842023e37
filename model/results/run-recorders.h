/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RUN_RECORDERS_H
#define GPU_FABRIC_RUN_RECORDERS_H

#include "job-log.h"
#include "record-spec.h"
#include "result-database.h"

#include "ns3/recorder.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// The recorders of a run, and its job log, which determines the measuring window.
class RunRecorders
{
  public:
    /**
     * \param database where to write; outlives this
     * \param run number of the run
     * \param gpus GPUs of the cluster
     * \param measure measuring window
     * \param record what to write; without `jobs`, nothing derived from spans either
     */
    RunRecorders(ResultDatabase& database,
                 uint32_t run,
                 uint32_t gpus,
                 const MeasureSpec& measure,
                 const RecordSpec& record);
    ~RunRecorders();
    RunRecorders(const RunRecorders&) = delete;
    RunRecorders& operator=(const RunRecorders&) = delete;

    JobLog& GetJobLog()
    {
        return m_jobs;
    }

    /// Connects all to a run. \param context whose run and results are set here
    void Connect(RunContext context);
    /// The run starts; see Recorder::Start().
    void Start();
    /// The measuring window opens. \param now [ps]
    void OpenWindow(int64_t now);
    /// The measuring window closes. \param now [ps]
    void CloseWindow(int64_t now);

    /**
     * Writes the rest. By now no trace source fires any more; activities cut short by the end of
     * the run have been reported.
     * \param endPs simulated time [ps]
     * \returns the measuring window; the caller copies it to its RunRow
     */
    MeasuringWindow Finish(int64_t endPs);

  private:
    /// The recorder of a type, created if there is none.
    Ptr<Recorder> Add(const std::string& type);

    ResultDatabase& m_database;
    uint32_t m_run;
    uint32_t m_gpus;
    bool m_gpuTime; ///< spans are recorded
    JobLog m_jobs;
    std::vector<Ptr<Recorder>> m_recorders;
};

} // namespace ns3

#endif // GPU_FABRIC_RUN_RECORDERS_H
