/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_TRACE_READER_H
#define GPU_FABRIC_SCENARIO_TRACE_READER_H

#include "../document/document-table.h"
#include "../import/job-trace-reader.h"
#include "scenario-tree-reader.h"

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
 * The trace's name of a model is looked up in `models:`, then among the project's own models, then
 * in `models: {default: ...}`. `time-scale: 1/10` divides submission times, numbers of iterations
 * and durations by ten, so that the load stays the same; the iterations themselves do not change.
 */
class ScenarioTraceReader
{
  public:
    /// \param graph the cluster, or nullptr if it could not be created (no checks then)
    ScenarioTraceReader(const DocumentContext& context,
                        const ClusterTopology* graph,
                        const ScenarioModelCheck& check);

    /// The contents of the map.
    struct Entry
    {
        Entry();

        std::string file;
        std::string format;
        std::string workers;
        uint64_t first{UINT64_MAX};
        Ratio timeScale;
        JobSpec common; ///< what all jobs share
    };

    /// The keys of the map.
    static const DocumentTable<Entry>& GetKeys();

    /**
     * Reads the map.
     * \param jobs receives the jobs, in the order of submission
     * \returns comments that identify the files of the trace
     */
    std::string Read(const DocumentNode& node, const std::string& path, std::vector<JobSpec>& jobs);

    /// What of the trace was used, after Read().
    const ImportCount& GetCount() const
    {
        return m_count;
    }

  private:
    /// The entry of a name in `models:`.
    struct Mapping
    {
        JobSpec job; ///< model, modelType and sequence, or none of them
        std::optional<ByteSize> gradients;
        std::optional<Time> compute;
        std::optional<double> flopPerGpu;
    };

    static const DocumentTable<Mapping>& GetMappingKeys();
    /// Keys of `columns:`.
    static const DocumentTable<JobTraceColumns>& GetColumnKeys();
    /// Reads `columns:`, if the format wants it.
    void ReadColumns(const DocumentBlock& block, bool wanted, JobTraceColumns& columns);
    void ReadModels(const DocumentBlock& block);
    std::optional<Mapping> ReadMapping(const DocumentNode& node, const std::string& path);
    bool ReadFile(const DocumentBlock& block,
                  const DocumentNode& node,
                  const char* key,
                  const std::string& name,
                  std::string& file,
                  std::string& text);
    /// Converts a job of the trace; reports errors.
    void Convert(const TraceJob& traced, std::vector<JobSpec>& jobs);
    bool SetModel(const TraceJob& traced, JobSpec& job);
    ImportCount m_count;
    /// A scaled time [ps]; -1: it is too long.
    int64_t ScaleTime(int64_t timeNs) const;
    /// A scaled number of iterations, at least one.
    uint64_t ScaleCount(uint64_t count) const;

    DocumentContext m_context;
    const ClusterTopology* m_graph;
    const ScenarioModelCheck& m_check;
    Entry m_entry;
    std::map<std::string, Mapping> m_models;
    std::map<std::string, uint32_t>
        m_programs; ///< number of a program, by what the job computes and sends
    std::map<std::string, bool> m_judged; ///< by model in the trace: whether it is valid
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_TRACE_READER_H
