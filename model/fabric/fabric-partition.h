/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_PARTITION_H
#define GPU_FABRIC_FABRIC_PARTITION_H

#include "ns3/cluster-topology.h"
#include "ns3/fabric.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * Partitions a cluster into logical processes of about equal work. The hosts, and switches if it
 * then has less than its share, go to logical process 0, where the simulator and the jobs are; the
 * other switches go to the others, in each tier as runs of neighbours with about the same sum of
 * port rates. The tier of a switch is its distance from the nearest host.
 * \param processes number of logical processes; fewer are used if there are fewer switches
 * \returns the logical process of each node of the network (ClusterTopology::GetNetworkNodeCount())
 */
std::vector<uint32_t> PartitionFabric(const ClusterTopology& topology,
                                      uint32_t processes,
                                      FabricPartitionBy by = FabricPartitionBy::AUTOMATIC);

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_PARTITION_H
