/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PEER_WORKLOADS_H
#define GPU_FABRIC_PEER_WORKLOADS_H

#include <cstdlib>
#include <string>

/// The folder of the peers' workloads (topology and flow text of the HPCC simulator), which are no
/// part of the project and may be absent: what GPU_FABRIC_PEER_WORKLOADS says, or
/// shared/data/peer-workloads beside the project.
inline std::string
GetPeerWorkloads()
{
    if (const char* const folder = std::getenv("GPU_FABRIC_PEER_WORKLOADS"))
    {
        return folder;
    }
#ifdef NS_TEST_SOURCEDIR
    return NS_TEST_SOURCEDIR "/../../shared/data/peer-workloads";
#else
    return "";
#endif
}

#endif // GPU_FABRIC_PEER_WORKLOADS_H
