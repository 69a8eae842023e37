/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_EXPLICIT_TOPOLOGY_READER_H
#define GPU_FABRIC_EXPLICIT_TOPOLOGY_READER_H

#include "../document/document-table.h"

#include "ns3/cluster-topology.h"

#include <optional>
#include <string>

namespace ns3
{

/// Reads `topology: {type: Explicit, nodes: [...], links: [...]}`, an explicit graph. Nodes and
/// links keep the order of the file; a link with `count` is followed by its parallel links.
class ExplicitTopologyReader
{
  public:
    /// The contents of the map; its lists are read entry by entry.
    struct Graph
    {
    };

    explicit ExplicitTopologyReader(Diagnostics& diagnostics);

    /// The keys of the map.
    static const DocumentTable<Graph>& GetKeys();

    /// \returns the graph, not yet validated; nothing if an error was reported
    std::optional<ClusterTopology> Read(const DocumentNode& node, const std::string& path);

  private:
    void ReadNode(const DocumentNode& node, const std::string& path, ClusterTopology& topology);
    void ReadLink(const DocumentNode& node, const std::string& path, ClusterTopology& topology);
    void Error(const SourceMark& mark, const std::string& path, const std::string& what);

    Diagnostics& m_diagnostics;
    bool m_good{true};
};

} // namespace ns3

#endif // GPU_FABRIC_EXPLICIT_TOPOLOGY_READER_H
