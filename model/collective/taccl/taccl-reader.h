/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TACCL_READER_H
#define GPU_FABRIC_TACCL_READER_H

#include "taccl-network.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class DocumentBlock;
struct DocumentNode;
struct TacclFile;
class TopologyDocument;

/**
 * Reads the topology and sketch files of TACCL, JSON.
 *
 * A topology file names its machine but not the links in it. They are those of an NDv2 where the
 * name begins so, a link between any two GPUs where the file has one beta (DGX2, hub and spoke),
 * and otherwise those of the matrices `links`, `betas` and `invbws` ([destination][source], TACCL's
 * "custom" topologies). Parallel links, and switches that overlap, are refused.
 */
class TacclReader
{
  public:
    /// \param errors gets one sentence for each fault, with file, line and column; must outlive
    ///        this
    explicit TacclReader(std::vector<std::string>& errors);

    std::optional<TacclMachine> ReadMachine(const std::string& file);
    /// \param machine that the sketch is for
    std::optional<TacclSketch> ReadSketch(const std::string& file, const TacclMachine& machine);

  private:
    /// The numbers of a list.
    std::vector<double> ReadNumbers(TopologyDocument& document,
                                    const std::vector<const DocumentNode*>& list);
    /// A matrix of gpus x gpus numbers, [destination][source] in the file, turned; empty: it is
    /// wrong or not there.
    std::vector<std::vector<double>> ReadMatrix(TopologyDocument& document,
                                                const DocumentBlock& block,
                                                const std::string& key,
                                                uint32_t gpus);
    void ReadLinks(TopologyDocument& document,
                   const DocumentBlock& block,
                   const TacclFile& file,
                   TacclMachine& machine);
    void ReadIntranode(TopologyDocument& document, const DocumentNode& node, TacclSketch& sketch);
    void ReadInternode(TopologyDocument& document, const DocumentNode& node, TacclSketch& sketch);
    void ReadConnections(TopologyDocument& document, const DocumentNode& node, TacclSketch& sketch);
    void ReadSymmetries(TopologyDocument& document, const DocumentNode& list, TacclSketch& sketch);
    /// A list of distinct GPUs of a host.
    std::vector<uint32_t> ReadGpus(TopologyDocument& document, const DocumentNode& list);
    /// A map of GPUs to such lists.
    std::map<uint32_t, std::vector<uint32_t>> ReadGpuMap(TopologyDocument& document,
                                                         const DocumentNode& map);
    std::optional<uint32_t> ReadInteger(TopologyDocument& document,
                                        const DocumentNode& node,
                                        uint32_t low,
                                        uint32_t high);

    std::vector<std::string>& m_errors;
    uint32_t m_gpus{0}; ///< of a host of the sketch that is being read
};

} // namespace ns3

#endif // GPU_FABRIC_TACCL_READER_H
