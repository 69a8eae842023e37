/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_FAULT_READER_H
#define GPU_FABRIC_SCENARIO_FAULT_READER_H

#include "../document/document-table.h"
#include "scenario.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * Reads `faults:`, resolves their targets in the graph, and checks that faults of the same target
 * do not contradict each other.
 */
class ScenarioFaultReader
{
  public:
    /**
     * \param graph the cluster, or nullptr if it could not be created (no checks then)
     * \param stopPs when the run ends at the latest [ps]; 0: not given
     */
    ScenarioFaultReader(Diagnostics& diagnostics, const ClusterTopology* graph, int64_t stopPs);

    /// The keys of a fault.
    static const BlockKeys& GetKeys();
    /// Reads the whole list.
    std::vector<FaultSpec> Read(const std::vector<DocumentNode>& items, const std::string& path);

  private:
    /// A fault as written; keys that its action does not use are rejected later.
    struct Entry
    {
        std::optional<FaultAction> action;
        std::string link;
        std::string switchName;
        std::string nic;
        std::string host;
        Time at;
        std::optional<Time> duration;
        Time from;
        std::optional<Time> to;
        std::optional<BitRate> rate;
        std::optional<Time> period;
        double duty{0.5};
        std::vector<const DocumentNode*> frames;
        std::optional<double> probability;
        std::optional<uint32_t> priority;
    };

    static const DocumentTable<Entry>& GetTable();
    void ReadFault(const DocumentNode& node,
                   const std::string& path,
                   std::vector<FaultSpec>& faults);
    /// Reports keys that an action does not use, and required keys that are missing.
    bool CheckKeys(const DocumentBlock& block, FaultAction action) const;
    void ReadTimes(const DocumentBlock& block, const Entry& entry, FaultSpec& fault) const;
    void ReadFrames(const DocumentBlock& block, const Entry& entry, FaultSpec& fault) const;
    /// Finds the target in the graph; reports an error if there is none.
    void Resolve(const DocumentBlock& block, FaultSpec& fault) const;
    void ResolveLink(const DocumentBlock& block, FaultSpec& fault) const;
    void ResolveNic(const DocumentBlock& block, FaultSpec& fault) const;
    /// Matches each DOWN with its UP, and reports overlapping faults of one target.
    void Match(std::vector<FaultSpec>& faults) const;
    std::vector<std::string> ListNodes(TopologyNodeKind kind) const;

    Diagnostics& m_diagnostics;
    const ClusterTopology* m_graph;
    int64_t m_stopPs;
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_FAULT_READER_H
