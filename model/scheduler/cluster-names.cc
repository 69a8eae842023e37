/* SPDX-License-Identifier: GPL-2.0-only */
#include "cluster-names.h"

namespace ns3
{

std::string
GetPathName(const ClusterTopology& topology, const LinkPath& path)
{
    std::string inner;
    std::string all;
    for (const uint32_t link : path)
    {
        const std::string name = topology.GetDirectedLinkName(link);
        const std::vector<TopologyNode>& nodes = topology.GetNodes();
        const uint32_t from = topology.GetPortNode(link);
        const uint32_t to = topology.GetPortNode(ClusterTopology::GetPeerPort(link));
        all += (all.empty() ? "" : " ") + name;
        if (nodes[from].kind == TopologyNodeKind::SWITCH &&
            nodes[to].kind == TopologyNodeKind::SWITCH)
        {
            inner += (inner.empty() ? "" : " ") + name;
        }
    }
    return inner.empty() ? all : inner;
}

std::string
GetGpuNames(const ClusterTopology& topology, const std::vector<uint32_t>& gpus)
{
    std::string names;
    uint32_t host = NO_ID;
    for (size_t i = 0; i < gpus.size();)
    {
        size_t last = i;
        while (last + 1 < gpus.size() && gpus[last + 1] == gpus[last] + 1 &&
               topology.GetGpuHost(gpus[last + 1]) == topology.GetGpuHost(gpus[i]))
        {
            last++;
        }
        const uint32_t node = topology.GetGpuHost(gpus[i]);
        const uint32_t first = topology.GetFirstGpu(node);
        names +=
            node == host ? "," : (names.empty() ? "" : " ") + topology.GetNodes()[node].name + ":";
        names += std::to_string(gpus[i] - first);
        names += last == i ? "" : "-" + std::to_string(gpus[last] - first);
        host = node;
        i = last + 1;
    }
    return names;
}

} // namespace ns3
