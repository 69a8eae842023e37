/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/job-records.h"

namespace ns3
{

const char*
GetGpuTimeKindName(GpuTimeKind kind)
{
    switch (kind)
    {
    case GpuTimeKind::COMPUTE:
        return "compute";
    case GpuTimeKind::EXPOSED_COMMUNICATION:
        return "exposed_communication";
    case GpuTimeKind::PEER_WAIT:
        return "peer_wait";
    case GpuTimeKind::SHIFT:
        return "shift";
    case GpuTimeKind::FAILED:
        return "failed";
    case GpuTimeKind::UNALLOCATED:
        return "unallocated";
    }
    return "unknown";
}

} // namespace ns3
