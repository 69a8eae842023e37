/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_FLOW_READER_H
#define GPU_FABRIC_SCENARIO_FLOW_READER_H

#include "../document/document-table.h"
#include "scenario.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Reads `flows:`, whose entries are single transfers or flow files.
 *
 * A flow file of the HPCC simulator (Li et al., SIGCOMM 2019) begins with the number of flows; each
 * line is `source destination pg port bytes start`, start in seconds. Node i is called "ni".
 * Priority group 0, which that simulator serves first, becomes priority 7; groups 1 to 6 become 7 -
 * pg. The port is not used. Flows after that
 * number are ignored, with a warning, as is other text.
 */
class ScenarioFlowReader
{
  public:
    /// \param graph the cluster, or nullptr if it could not be created (no checks then)
    ScenarioFlowReader(Diagnostics& diagnostics, const ClusterTopology* graph);

    /// The shape of the list.
    static ValueShape GetShape();
    /// Reads the whole list.
    std::vector<FlowSpec> Read(const DocumentNode& node, const std::string& path);

  private:
    void ReadFlow(const DocumentNode& node, const std::string& path, std::vector<FlowSpec>& flows);
    void ReadFile(const DocumentNode& node, const std::string& path, std::vector<FlowSpec>& flows);
    void ReadHpcc(const std::string& file, const std::string& text, std::vector<FlowSpec>& flows);
    /// Why a flow cannot start or end at a place; empty if it can.
    std::string CheckEnd(const std::string& name);
    /// The host of "host0" or "host0.nic1".
    static std::string GetHost(const std::string& name);

    Diagnostics& m_diagnostics;
    const ClusterTopology* m_graph;
    int m_unknown{0}; ///< unknown hosts found so far
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_FLOW_READER_H
