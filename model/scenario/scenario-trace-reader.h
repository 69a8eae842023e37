/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_TRACE_READER_H
#define GPU_FABRIC_SCENARIO_TRACE_READER_H

#include "../document/document-block.h"
#include "../import/job-trace-reader.h"
#include "scenario.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Reads `jobs: {file: ..., format: ...}`: a trace of a cluster's jobs.
 *
 * A trace's name for a model is looked up in `models:`, then among the project's own, then
 * `models: {default: ...}`. `time-scale: 1/10` divides submission times, numbers of iterations and
 * durations by ten, so that the load stays the same; iterations themselves do not change.
 */
class ScenarioTraceReader
{
  public:
    /// As ScenarioReader::ModelCheck.
    using ModelCheck = std::function<std::string(const JobSpec& job, std::string& key)>;

    /// \param graph the cluster, or nullptr where it could not be made; not checked against then
    ScenarioTraceReader(Diagnostics& diagnostics, const ClusterTopology* graph, ModelCheck check);

    /**
     * Reads the map.
     * \param jobs gets the jobs, in order of submission
     * \returns the files of the trace, in the form of comments that tell them apart
     */
    std::string Read(const DocumentNode& node, const std::string& path, std::vector<JobSpec>& jobs);

  private:
    /// What `models:` says of a name.
    struct Mapping
    {
        JobSpec job;            ///< model, modelType and sequence, or none of them
        bool explicitly{false}; ///< has gradientBytes
        uint64_t gradientBytes{0};
        std::optional<int64_t> computePs;
        std::optional<double> flopPerGpu;
    };

    void ReadCommon(const DocumentBlock& block, const std::string& path);
    void ReadModels(const DocumentBlock& block);
    std::optional<Mapping> ReadMapping(const DocumentNode& node, const std::string& path);
    bool ReadFile(const DocumentBlock& block,
                  const DocumentNode& node,
                  const char* key,
                  std::string& file,
                  std::string& text);
    /// Makes the job of one of the trace; reports what is wrong.
    void Convert(const TraceJob& traced, std::vector<JobSpec>& jobs);
    bool SetModel(const TraceJob& traced, JobSpec& job);
    /// A scaled time [ps]; -1: it is too long.
    int64_t ScaleTime(int64_t timeNs) const;
    /// A scaled number of iterations, at least one.
    uint64_t ScaleCount(uint64_t count) const;

    Diagnostics& m_diagnostics;
    const ClusterTopology* m_graph;
    ModelCheck m_check;
    JobSpec m_common; ///< what all jobs share
    std::map<std::string, Mapping> m_models;
    std::map<std::string, uint32_t> m_programs; ///< number by what a job computes and sends
    std::map<std::string, bool> m_judged;       ///< by trace model: whether it is good
    std::pair<uint32_t, uint32_t> m_timeScale{1, 1};
    std::string m_format;
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_TRACE_READER_H
