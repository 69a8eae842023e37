/* SPDX-License-Identifier: GPL-2.0-only */
#include "host-loads.h"

#include <map>

namespace ns3
{

std::vector<std::pair<uint32_t, uint64_t>>
GetHostLoads(const JobTraffic& traffic,
             const ClusterTopology& topology,
             HostInterconnect& interconnect)
{
    std::map<uint32_t, uint64_t> loads;
    const auto add = [&](const JobFlow& flow, uint32_t source, uint32_t destination) {
        const HostRoute& route = interconnect.GetRoute(source, destination);
        const uint32_t host = topology.GetNodes()[source].host;
        const HostLayout& layout = *topology.GetLayout(host);
        const uint64_t bytes = flow.Sum([&](uint64_t payload) {
            return interconnect.GetMessageWireBytes(layout, route.kind, payload);
        });
        std::map<uint32_t, uint64_t> crossing;
        for (const std::vector<uint32_t>& path : route.paths)
        {
            for (const uint32_t port : path)
            {
                crossing[port]++;
            }
        }
        for (const auto& [port, paths] : crossing)
        {
            loads[topology.GetInsidePort(host, port)] += bytes * paths / route.paths.size();
        }
    };
    for (const JobFlow& flow : traffic.flows)
    {
        add(flow, interconnect.GetGpuPart(flow.sourceGpu), interconnect.GetNicPart(flow.sourceNic));
        add(flow,
            interconnect.GetNicPart(flow.destinationNic),
            interconnect.GetGpuPart(flow.destinationGpu));
    }
    for (const JobFlow& flow : traffic.locals)
    {
        add(flow,
            interconnect.GetGpuPart(flow.sourceGpu),
            interconnect.GetGpuPart(flow.destinationGpu));
    }
    return {loads.begin(), loads.end()};
}

} // namespace ns3
