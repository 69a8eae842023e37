/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_PARTITION_H
#define GPU_FABRIC_FABRIC_PARTITION_H

#include "ns3/cluster-topology.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// How the switches of a topology are dealt out to parts that run beside each other.
enum class FabricPartitionBy : uint8_t
{
    AUTOMATIC, ///< by pod if there are at least as many as parts, else by leaf
    LEAF,      ///< each switch by itself
    POD        ///< switches that hang together without the highest tier stay together
};

/// By its name: "auto", "leaf" or "pod".
std::optional<FabricPartitionBy> FindFabricPartition(const std::string& name);

/**
 * Deals a cluster out to parts of about equal work: the hosts, and switches if it then has less
 * than its share, to part 0, where the simulator and the jobs are; the other switches to the
 * others, in each tier runs of neighbours whose ports have about the same sum of rates. A tier is
 * the distance of a switch from the next host.
 * \param parts fewer are used where there are fewer switches
 * \returns the part of each node of the network (ClusterTopology::GetNetworkNodeCount())
 */
std::vector<uint32_t> PartitionFabric(const ClusterTopology& topology,
                                      uint32_t parts,
                                      FabricPartitionBy by = FabricPartitionBy::AUTOMATIC);

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_PARTITION_H
