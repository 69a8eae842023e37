/* SPDX-License-Identifier: GPL-2.0-only */
#include "topology-kinds.h"

namespace ns3
{

const char*
GetTopologyNodeKindName(TopologyNodeKind kind)
{
    switch (kind)
    {
    case TopologyNodeKind::HOST:
        return "host";
    case TopologyNodeKind::SWITCH:
        return "switch";
    case TopologyNodeKind::GPU:
        return "gpu";
    case TopologyNodeKind::NIC:
        return "nic";
    case TopologyNodeKind::PCIE_SWITCH:
        return "pcie-switch";
    case TopologyNodeKind::ROOT_COMPLEX:
        return "root-complex";
    case TopologyNodeKind::NVSWITCH:
        return "nvswitch";
    }
    return "";
}

const char*
GetTopologyLinkKindName(TopologyLinkKind kind)
{
    switch (kind)
    {
    case TopologyLinkKind::NETWORK:
        return "network";
    case TopologyLinkKind::PCIE:
        return "pcie";
    case TopologyLinkKind::NVLINK:
        return "nvlink";
    }
    return "";
}

} // namespace ns3
