/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TOPOLOGY_GENERATOR_H
#define GPU_FABRIC_TOPOLOGY_GENERATOR_H

#include "ns3/cluster-topology.h"
#include "ns3/object.h"

namespace ns3
{

/**
 * Makes the graph of a cluster. A subclass ns3::XTopology is found by `topology: {type: X}`; its
 * attributes are the keys of that block.
 */
class TopologyGenerator : public Object
{
  public:
    /// Largest cluster that is generated, so that a slip of the pen does not fill the memory.
    static constexpr uint64_t MAX_LINKS = 1 << 20;
    static constexpr uint64_t MAX_GPUS = 1 << 20; ///< the same for GPUs

    static TypeId GetTypeId();

    /**
     * Generates the graph.
     * \param faults gets what is wrong with the attributes and files; the result is then unusable
     */
    virtual ClusterTopology Generate(std::vector<TopologyFault>& faults) const = 0;

  protected:
    /**
     * Adds a fault for a cluster of too many links or GPUs.
     * \param linkKeys, gpuKeys the attributes that make them, e.g. "Leaves and HostsPerLeaf"
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
