/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_JOB_READER_H
#define GPU_FABRIC_SCENARIO_JOB_READER_H

#include "../document/document-block.h"
#include "scenario-local-gpus.h"
#include "scenario.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Reads one entry of `jobs:` and checks it against the cluster. An entry with `count` gives as many
 * jobs.
 */
class ScenarioJobReader
{
  public:
    /**
     * \param graph the cluster, or nullptr where it could not be made; not checked against then
     * \param overridden as for AttributeReader
     */
    ScenarioJobReader(Diagnostics& diagnostics,
                      const ClusterTopology* graph,
                      std::vector<std::string> overridden = {});

    /**
     * Reads an entry.
     * \param path e.g. "jobs[1]"
     * \param jobs gets the jobs, also faulty ones if they have a name, so that others may name them
     * \returns the name as written, before `count` is applied; empty where there is none
     */
    std::string Read(const DocumentNode& node, const std::string& path, std::vector<JobSpec>& jobs);

    /// Reads `model:` of a block.
    void ReadModel(const DocumentBlock& block, JobSpec& job);
    /// Reads `compute-jitter:` of a block.
    void ReadJitter(const DocumentBlock& block, JobSpec& job);

  private:
    void ReadProgram(const DocumentBlock& block, JobSpec& job);
    void ReadParallelism(const DocumentBlock& block, JobSpec& job);
    void ReadWorkload(const DocumentBlock& block, JobSpec& job);
    void ReadStep(const DocumentNode& node, const std::string& path, JobSpec& job);
    void ReadArrival(const DocumentBlock& block, JobSpec& job);
    /// The lists of hosts, one for each job of the entry, or one for all, or none.
    std::vector<std::vector<std::string>> ReadHosts(const DocumentBlock& block,
                                                    const DocumentNode& node,
                                                    uint64_t count);
    std::vector<std::string> ReadHostList(const DocumentNode& list, const std::string& path);
    /// Completes and checks gpus, gpus-per-host and hosts against each other and the cluster.
    void CheckGpus(const DocumentBlock& block, JobSpec& job);
    void CheckPlaced(const DocumentBlock& block, JobSpec& job);
    void CheckUnplaced(const DocumentBlock& block, const JobSpec& job);

    Diagnostics& m_diagnostics;
    const ClusterTopology* m_graph;
    std::vector<std::string> m_overridden;
    bool m_hostsGood{true}; ///< of the entry being read
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_JOB_READER_H
