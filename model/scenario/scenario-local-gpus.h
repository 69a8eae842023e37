/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_LOCAL_GPUS_H
#define GPU_FABRIC_SCENARIO_LOCAL_GPUS_H

#include "../document/document-block.h"
#include "scenario.h"

#include <string>

namespace ns3
{

/**
 * Reads `local-gpus:` of a job, the numbers of the GPUs that it uses on each of its hosts, and
 * checks them against the job's other keys and the cluster.
 */
class ScenarioLocalGpus
{
  public:
    /// \param graph the cluster, or nullptr if it could not be created (no checks then)
    ScenarioLocalGpus(Diagnostics& diagnostics, const ClusterTopology* graph);

    /**
     * Sets localGpus and gpusPerHost of a job whose gpus, gpusPerHost and hosts have been read. Has
     * no effect if the key is absent.
     * \param items values of the key, as read
     * \returns whether there was no error
     */
    bool Read(const DocumentBlock& block,
              const std::vector<const DocumentNode*>& items,
              JobSpec& job);

  private:
    /// Reads one number; reports errors in it.
    void ReadNumber(const DocumentNode& item, const std::string& path, JobSpec& job);
    /// Whether the list is consistent with gpus and gpus-per-host.
    bool CheckCounts(const DocumentBlock& block, const JobSpec& job) const;
    /// Whether the hosts have those GPUs: the named hosts, or as many of all hosts as the job
    /// needs.
    bool CheckHosts(const DocumentBlock& block, const JobSpec& job) const;

    Diagnostics& m_diagnostics;
    const ClusterTopology* m_graph;
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_LOCAL_GPUS_H
