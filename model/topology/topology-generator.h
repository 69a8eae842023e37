/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TOPOLOGY_GENERATOR_H
#define GPU_FABRIC_TOPOLOGY_GENERATOR_H

#include "ns3/cluster-topology.h"
#include "ns3/object.h"

namespace ns3
{

/// Creates the graph of a cluster. A subclass ns3::XTopology is selected by `topology: {type: X}`;
/// its attributes are the keys of that block.
class TopologyGenerator : public Object
{
  public:
    /// Largest cluster that is generated, so that a typing error does not exhaust memory.
    static constexpr uint64_t MAX_LINKS = 1 << 20;
    static constexpr uint64_t MAX_GPUS = 1 << 20; ///< the same for GPUs

    static TypeId GetTypeId();

    /**
     * Generates the graph.
     * \param faults receives errors in the attributes and files; if there are any, the result is
     * unusable
     */
    virtual ClusterTopology Generate(std::vector<TopologyFault>& faults) const = 0;

  protected:
    /**
     * Adds a fault for a cluster with too many links or GPUs.
     * \param linkKeys, gpuKeys the attributes that determine their number, e.g. "Leaves and
     * HostsPerLeaf"
     * \param links, gpus how many there would be
     */
    static void CheckSize(const std::string& linkKeys,
                          uint64_t links,
                          const std::string& gpuKeys,
                          uint64_t gpus,
                          std::vector<TopologyFault>& faults);
};

} // namespace ns3

#endif // GPU_FABRIC_TOPOLOGY_GENERATOR_H
