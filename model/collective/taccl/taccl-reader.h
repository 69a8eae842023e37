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
struct TopologyFault;

/**
 * Reads the topology and sketch files of TACCL, in JSON.
 *
 * A topology file names its machine but not the links in it. They are those of an NDv2 if the name
 * starts so, a link between any two GPUs if the file has a single beta (DGX2, hub and spoke), and
 * otherwise those of the matrices `links`, `betas` and `invbws` ([destination][source], TACCL's
 * "custom" topologies). Parallel links and overlapping switches are rejected.
 */
class TacclReader
{
  public:
    /// \param errors receives one sentence per fault, with file, line and column; must outlive this
    /// object
    explicit TacclReader(std::vector<std::string>& errors);

    std::optional<TacclMachine> ReadMachine(const std::string& file);
    /// \param machine to which the sketch applies
    std::optional<TacclSketch> ReadSketch(const std::string& file, const TacclMachine& machine);

  private:
    std::optional<TacclMachine> ParseMachine(const std::string& file,
                                             std::vector<TopologyFault>& faults);
    std::optional<TacclSketch> ParseSketch(const std::string& file,
                                           const TacclMachine& machine,
                                           std::vector<TopologyFault>& faults);
    /// Adds the sentences of faults to the errors.
    void Report(const std::vector<TopologyFault>& faults);
    /// The numbers of a list.
    std::vector<double> ReadNumbers(TopologyDocument& document,
                                    const std::vector<const DocumentNode*>& list);
    /// A matrix of gpus x gpus numbers, transposed from [destination][source] in the file; empty:
    /// it is invalid or missing.
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
    /// A map from GPUs to such lists.
    std::map<uint32_t, std::vector<uint32_t>> ReadGpuMap(TopologyDocument& document,
                                                         const DocumentNode& map);
    std::optional<uint32_t> ReadInteger(TopologyDocument& document,
                                        const DocumentNode& node,
                                        uint32_t low,
                                        uint32_t high);

    std::vector<std::string>& m_errors;
    uint32_t m_gpus{0}; ///< per host of the sketch being read
};

} // namespace ns3

#endif // GPU_FABRIC_TACCL_READER_H
