/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CLUSTER_NAMES_H
#define GPU_FABRIC_CLUSTER_NAMES_H

#include "ns3/cluster-view.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// "leaf0-spine0 spine0-leaf1": the links of a path between switches (all, if there are none).
std::string GetPathName(const ClusterTopology& topology, const LinkPath& path);

/// "host0:0-7 host1:0,2": GPUs by host, numbered within it.
std::string GetGpuNames(const ClusterTopology& topology, const std::vector<uint32_t>& gpus);

} // namespace ns3

#endif // GPU_FABRIC_CLUSTER_NAMES_H
