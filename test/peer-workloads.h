/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PEER_WORKLOADS_H
#define GPU_FABRIC_PEER_WORKLOADS_H

#include "shared-data.h"

#include <string>

/// The folder of the peers' workloads (topology and flow text of the HPCC simulator).
inline std::string
GetPeerWorkloads()
{
    return ns3::GetSharedData("peer-workloads").string();
}

#endif // GPU_FABRIC_PEER_WORKLOADS_H
