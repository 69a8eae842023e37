/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_HOST_LOADS_H
#define GPU_FABRIC_HOST_LOADS_H

#include "../../fabric/host-interconnect.h"
#include "job-traffic.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * The load that an iteration of a job puts on the links inside its hosts, computed before it runs.
 *
 * Data between hosts cross PCIe from the GPU to its NIC and from the NIC to the GPU; data within a
 * host use NVLink or PCIe, as HostInterconnect sends them: in segments, with packet headers.
 * Equally short paths get equal shares, because segments use them in turn.
 *
 * \param traffic of the job
 * \param topology the cluster that the interconnect was built for
 * \param interconnect the inside of its hosts
 * \returns (directed link, bytes on the wire per iteration [byte]) by link
 */
std::vector<std::pair<uint32_t, uint64_t>> GetHostLoads(const JobTraffic& traffic,
                                                        const ClusterTopology& topology,
                                                        HostInterconnect& interconnect);

} // namespace ns3

#endif // GPU_FABRIC_HOST_LOADS_H
