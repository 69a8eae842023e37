/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TOPOLOGY_KINDS_H
#define GPU_FABRIC_TOPOLOGY_KINDS_H

#include <cstdint>

namespace ns3
{

/// What a node of the topology is.
enum class TopologyNodeKind : uint8_t
{
    HOST,
    SWITCH,
    // Parts of a host, where its inside is modelled (HostLayout).
    GPU,
    NIC,
    PCIE_SWITCH,
    ROOT_COMPLEX,
    NVSWITCH
};

/// "host", "switch", "gpu", "nic", "pcie-switch", "root-complex", "nvswitch".
const char* GetTopologyNodeKindName(TopologyNodeKind kind);

/// What the cable of a link is.
enum class TopologyLinkKind : uint8_t
{
    NETWORK,
    PCIE,
    NVLINK
};

/// "network", "pcie", "nvlink".
const char* GetTopologyLinkKindName(TopologyLinkKind kind);

} // namespace ns3

#endif // GPU_FABRIC_TOPOLOGY_KINDS_H
