/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_TRACE_READER_H
#define GPU_FABRIC_JOB_TRACE_READER_H

#include "../base/diagnostics.h"

#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// A job of a cluster's trace, as far as the trace tells.
struct TraceJob
{
    std::string id;    ///< unique within the trace
    std::string model; ///< as the trace calls it; may be empty
    uint32_t gpus{0};
    uint32_t batchPerGpu{0}; ///< samples of a GPU an iteration; 0: not told
    int64_t submitNs{0};     ///< since some instant, the same for all jobs [ns]
    uint64_t iterations{0};  ///< 0: not told
    int64_t durationNs{0};   ///< how long it ran [ns]; 0: not told
    int64_t computePs{0};    ///< an iteration without its communication [ps]; 0: not told
    SourceMark mark;         ///< where the job stands
    SourceMark modelMark;    ///< where its model stands
};

/// Files of a trace with their texts.
struct JobTraceFiles
{
    std::string file;
    std::string text;
    std::string workersFile; ///< only of readers that WantsWorkers()
    std::string workersText;
};

/**
 * Reads a trace of jobs of a cluster. A subclass of the TypeId ns3::<Format>TraceReader, with a
 * constructor, is one self-registered file; scenarios name it by the format.
 */
class JobTraceReader : public Object
{
  public:
    static TypeId GetTypeId();

    /// Most bytes of a file; Philly's log of all jobs has some 100 MB.
    static constexpr std::size_t MAX_BYTES = 256 * 1024 * 1024;

    /// Whether a second file tells the workers of the jobs.
    virtual bool WantsWorkers() const;
    /// Reads all jobs, in the order of the file. What is wrong goes to the diagnostics.
    virtual std::vector<TraceJob> Read(const JobTraceFiles& files,
                                       Diagnostics& diagnostics) const = 0;

    /**
     * Seconds since 1970-01-01 of a time such as "2017-10-09 07:02:37" or "2023/7/15 02:19",
     * without a time zone. \returns -1: it is no such time
     */
    static int64_t ParseDate(const std::string& text);
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_TRACE_READER_H
