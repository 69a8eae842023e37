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

/// A file read by a topology generator. Problems become faults, as returned by
/// TopologyGenerator::Generate().
class TopologyDocument
{
  public:
    /// \param file name as resolved by the scenario \param faults receives the problems
    TopologyDocument(const std::string& file, std::vector<TopologyFault>& faults);
    /// Appends the errors of GetDiagnostics() to the faults.
    ~TopologyDocument();
    TopologyDocument(const TopologyDocument&) = delete;
    TopologyDocument& operator=(const TopologyDocument&) = delete;

    /// The text of the file; nothing, and an error at the attribute File, if it cannot be read.
    std::optional<std::string> ReadText();
    /// The map in a YAML or JSON file; nothing, and faults, if the file does not hold one.
    std::optional<DocumentNode> ReadMap();
    /// Reports an error at a position in the file; both counted from 1.
    void Error(int line, int column, const std::string& what);
    /// Reports an error at a value.
    void Error(const DocumentNode& node, const std::string& what);

    /// Where readers of blocks report errors.
    Diagnostics& GetDiagnostics()
    {
        return m_diagnostics;
    }

    bool HasErrors() const
    {
        return m_diagnostics.HasErrors() || !m_faults.empty();
    }

    /// The finite number in a scalar, at least 0 or above 0; nothing, and an error, otherwise.
    std::optional<double> GetNumber(const DocumentNode& node, bool zeroAllowed);

  private:
    std::string m_file;
    std::vector<TopologyFault>& m_faults;
    Diagnostics m_diagnostics;
};

} // namespace ns3

#endif // GPU_FABRIC_TOPOLOGY_DOCUMENT_H
