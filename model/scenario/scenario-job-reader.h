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
 * Reads one entry of `jobs:` and checks it against the cluster. An entry with `count` gives as many
 * jobs.
 */
class ScenarioJobReader
{
  public:
    /**
     * \param graph the cluster, or nullptr where it could not be made; not checked against then
     */
    ScenarioJobReader(const DocumentContext& context, const ClusterTopology* graph);

    /// The keys of an entry.
    static const DocumentTable<JobEntry>& GetKeys();
    /// Those keys that say what model a job trains.
    static const DocumentTable<JobSpec>& GetModelKeys();
    /// Those keys that hold for all jobs of a trace, too.
    static const DocumentTable<JobSpec>& GetCommonKeys();

    /**
     * Reads an entry.
     * \param path e.g. "jobs[1]"
     * \param jobs gets the jobs, also faulty ones if they have a name, so that others may name them
     * \returns the name as written, before `count` is applied; empty where there is none
     */
    std::string Read(const DocumentNode& node, const std::string& path, std::vector<JobSpec>& jobs);

  private:
    /// Marks of the keys of an entry, for later checks.
    static void AddMarks(const DocumentBlock& block, const DocumentNode& node, JobSpec& job);
    /// Checks which of the keys of a program go together, and reads its file if it is in one.
    void ReadProgram(const DocumentBlock& block, JobSpec& job);
    void ReadWorkload(const DocumentBlock& block, JobSpec& job);
    /// The lists of hosts, one for each job of the entry, or one for all, or none.
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
