/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_TRACE_READER_H
#define GPU_FABRIC_JOB_TRACE_READER_H

#include "../base/diagnostics.h"

#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/// A job in the trace of a cluster, as far as the trace describes it.
struct TraceJob
{
    std::string id;    ///< unique within the trace
    std::string model; ///< name in the trace; may be empty
    uint32_t gpus{0};
    uint32_t batchPerGpu{0}; ///< samples per GPU and iteration; 0: not given
    int64_t submitNs{0};     ///< since some instant, the same for all jobs [ns]
    uint64_t iterations{0};  ///< 0: not given
    int64_t durationNs{0};   ///< how long it ran [ns]; 0: not given
    int64_t computePs{0};    ///< an iteration without its communication [ps]; 0: not given
    SourceMark mark;         ///< position of the job
    SourceMark modelMark;    ///< position of its model
};

/// Names of the columns of a table of jobs; empty: there is none.
struct JobTraceColumns
{
    std::string id;
    std::string arrival;
    std::string gpus;
    std::string duration;
    std::string iterations;
    std::string model;
    std::string batch;     ///< samples per GPU and iteration
    std::string unit{"s"}; ///< of times that are plain numbers: s, ms or us

    /// The columns of a public trace: "Helios", "Acme" or "Slurm"; null: no such trace.
    static const JobTraceColumns* FindPreset(const std::string& name);
    /// Names of the presets, sorted.
    static std::vector<std::string> GetPresetNames();
};

/// Files of a trace with their texts.
struct JobTraceFiles
{
    std::string file;
    std::string text;
    std::string workersFile; ///< only if the reader WantsWorkers()
    std::string workersText;
    JobTraceColumns columns;    ///< only if the reader WantsColumns()
    uint64_t first{UINT64_MAX}; ///< so many jobs are wanted, the first by submission
};

/// Why jobs of a trace are left out, and how many for each reason.
class SkippedJobs
{
  public:
    /// Counts a job. \param reason "without GPUs": after "2 "
    void Add(const std::string& reason);
    /// Warns of jobs that were left out, if there are any. \param jobs how many were read
    void Report(const std::string& file, std::size_t jobs, Diagnostics& diagnostics) const;

  private:
    std::map<std::string, uint64_t> m_counts;
};

/**
 * Reads a trace of the jobs of a cluster. A subclass is one self-registering file: it has the
 * TypeId ns3::<Format>TraceReader and a constructor; scenarios refer to it by the format.
 */
class JobTraceReader : public Object
{
  public:
    static TypeId GetTypeId();

    /// Maximum size of a file [byte]; Philly's log of all jobs has about 100 MB.
    static constexpr std::size_t MAX_BYTES = 256 * 1024 * 1024;

    /// Whether a second file describes the workers of the jobs.
    virtual bool WantsWorkers() const;
    /// Whether the scenario says which columns of a table are used.
    virtual bool WantsColumns() const;
    /// Reads the jobs that ran, in the order of the file; what comes after the first jobs that are
    /// wanted need not be read. Errors, and a warning of the jobs that are left out, are added to
    /// the diagnostics.
    virtual std::vector<TraceJob> Read(const JobTraceFiles& files,
                                       Diagnostics& diagnostics) const = 0;

    /**
     * Converts a time such as "2017-10-09 07:02:37" or "2023/7/15 02:19", without a time zone, to
     * seconds since 1970-01-01.
     */
    static int64_t ParseDate(const std::string& text);

  protected:
    /// Whether the jobs read so far are the first that are wanted: as many, and in the order of
    /// submission. Where they are not in order, an earlier one may follow, and all must be read.
    /// Called after each job.
    static bool HasFirst(const std::vector<TraceJob>& jobs, const JobTraceFiles& files);
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_TRACE_READER_H
