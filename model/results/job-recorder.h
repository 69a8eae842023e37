/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_RECORDER_H
#define GPU_FABRIC_JOB_RECORDER_H

#include "ns3/job-records.h"
#include "ns3/recorder.h"
#include "ns3/scheduler-records.h"

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace ns3
{

/// How jobs use their GPUs, `record: [jobs]`: the tables `gpu_allocation`, `gpu_failure`, `span`
/// and `iteration`. Memory grows with jobs, not with iterations or spans.
class JobRecorder : public Recorder
{
  public:
    /// Network activity of a job since the start.
    struct Traffic
    {
        uint64_t markedFrames{0};
        uint64_t retransmittedBytes{0}; ///< [byte]
    };

    static TypeId GetTypeId();

    std::vector<const TableSpec*> Tables() const override;
    void Connect(const RunContext& context) override;

    /// Queried for a job's traffic at the end of each of its iterations; the run's transport if
    /// there is one.
    void SetTrafficSource(std::function<Traffic(uint32_t job)> source);

  private:
    /// Writes a record of an interval unless it is empty.
    template <class Record>
    void WriteInterval(const Record& record);
    void OnIteration(const IterationRecord& record);

    ResultWriter* m_results{nullptr};
    uint32_t m_run{0};
    std::function<Traffic(uint32_t)> m_trafficSource; ///< none: unknown
    std::map<uint32_t, Traffic> m_traffic;            ///< by job, at the end of its last iteration
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_RECORDER_H
