/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TOPOLOGY_DOCUMENT_H
#define GPU_FABRIC_TOPOLOGY_DOCUMENT_H

#include "../document/document-node.h"

#include "ns3/cluster-topology.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * A file that a topology generator reads. Problems become faults as TopologyGenerator::Generate()
 * gives them.
 */
class TopologyDocument
{
  public:
    /// \param file name as the scenario resolved it \param faults gets the problems
    TopologyDocument(const std::string& file, std::vector<TopologyFault>& faults);
    /// Hands the faults of GetDiagnostics() on.
    ~TopologyDocument();
    TopologyDocument(const TopologyDocument&) = delete;
    TopologyDocument& operator=(const TopologyDocument&) = delete;

    /// The text of the file; nothing, and an error about the attribute File, if it cannot be read.
    std::optional<std::string> ReadText();
    /// The map that a YAML or JSON file holds; nothing, and faults, if it does not.
    std::optional<DocumentNode> ReadMap();
    /// An error at a place of the file, both counted from 1.
    void Error(int line, int column, const std::string& what);
    /// An error at a value.
    void Error(const DocumentNode& node, const std::string& what);

    /// Where readers of blocks put their faults.
    Diagnostics& GetDiagnostics()
    {
        return m_diagnostics;
    }

    bool HasErrors() const
    {
        return m_diagnostics.HasErrors() || !m_faults.empty();
    }

    /// A finite number that a scalar holds, of at least 0, or above 0; nothing and an error if not.
    std::optional<double> GetNumber(const DocumentNode& node, bool zeroAllowed);

  private:
    std::string m_file;
    std::vector<TopologyFault>& m_faults;
    Diagnostics m_diagnostics;
};

} // namespace ns3

#endif // GPU_FABRIC_TOPOLOGY_DOCUMENT_H
