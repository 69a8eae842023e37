/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_JOB_READER_H
#define GPU_FABRIC_SCENARIO_JOB_READER_H

#include "../document/document-table.h"
#include "scenario-local-gpus.h"
#include "scenario.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// One entry of `jobs:` as written.
struct JobEntry
{
    JobSpec job;
    uint64_t count{1};
    std::vector<const DocumentNode*> localGpus;
};

/**
 * Reads one entry of `jobs:` and checks it against the cluster. An entry with `count` defines that
 * many jobs.
 */
class ScenarioJobReader
{
  public:
    /**
     * \param graph the cluster, or nullptr if it could not be created (no checks then)
     */
    ScenarioJobReader(const DocumentContext& context, const ClusterTopology* graph);

    /// The keys of an entry.
    static const DocumentTable<JobEntry>& GetKeys();
    /// The keys that specify which model a job trains.
    static const DocumentTable<JobSpec>& GetModelKeys();
    /// The keys that also apply to all jobs of a trace.
    static const DocumentTable<JobSpec>& GetCommonKeys();

    /**
     * Reads an entry.
     * \param path e.g. "jobs[1]"
     * \param jobs receives the jobs, including faulty ones with a name, so that other entries can
     *        refer to them
     * \returns the name as written, before `count` is applied; empty if there is none
     */
    std::string Read(const DocumentNode& node, const std::string& path, std::vector<JobSpec>& jobs);

  private:
    /// Stores the positions of the keys of an entry, for later checks.
    static void AddMarks(const DocumentBlock& block, const DocumentNode& node, JobSpec& job);
    /// Checks the combination of keys of a program, and reads the program's file, if any.
    void ReadProgram(const DocumentBlock& block, JobSpec& job);
    void ReadWorkload(const DocumentBlock& block, JobSpec& job);
    /// The lists of hosts: one for each job of the entry, one for all jobs, or none.
    std::vector<std::vector<std::string>> ReadHosts(const DocumentBlock& block,
                                                    const DocumentNode& node,
                                                    uint64_t count);
    std::vector<std::string> ReadHostList(const DocumentNode& list, const std::string& path);
    /// Completes and checks gpus, gpus-per-host and hosts against each other and the cluster.
    void CheckGpus(const DocumentBlock& block, JobSpec& job);
    void CheckPlaced(const DocumentBlock& block, JobSpec& job);
    void CheckUnplaced(const DocumentBlock& block, const JobSpec& job);

    DocumentContext m_context;
    const ClusterTopology* m_graph;
    bool m_hostsGood{true}; ///< of the entry being read
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_JOB_READER_H
