/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCHEDULER_FAKES_H
#define GPU_FABRIC_SCHEDULER_FAKES_H

#include "ns3/cluster-view.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// All shortest paths by search; port p takes path p mod n, unless that path is out of reach.
class FakePathOracle : public PathOracle
{
  public:
    explicit FakePathOracle(const ClusterTopology& topology)
        : m_topology(topology)
    {
    }

    /// No port reaches paths of this index any more.
    void PutOutOfReach(size_t index)
    {
        m_outOfReach = index;
    }

    std::vector<LinkPath> GetPaths(uint32_t sourceNic, uint32_t destinationNic) const override
    {
        const uint32_t lastPort = ClusterTopology::GetPeerPort(destinationNic);
        if (sourceNic == lastPort)
        {
            return {{sourceNic}};
        }
        // Hops to the last switch; hosts do not forward.
        const auto& nodes = m_topology.GetNodes();
        std::vector<uint32_t> hops(nodes.size(), UINT32_MAX);
        std::deque<uint32_t> queue{m_topology.GetPortNode(lastPort)};
        hops[queue.front()] = 0;
        for (; !queue.empty(); queue.pop_front())
        {
            for (const uint32_t port : nodes[queue.front()].ports)
            {
                const uint32_t next = m_topology.GetPortNode(ClusterTopology::GetPeerPort(port));
                if (nodes[next].kind == TopologyNodeKind::SWITCH && hops[next] == UINT32_MAX)
                {
                    hops[next] = hops[queue.front()] + 1;
                    queue.push_back(next);
                }
            }
        }
        std::vector<LinkPath> open{{sourceNic}};
        std::vector<LinkPath> paths;
        while (!open.empty())
        {
            std::vector<LinkPath> longer;
            for (const LinkPath& path : open)
            {
                const uint32_t at =
                    m_topology.GetPortNode(ClusterTopology::GetPeerPort(path.back()));
                if (hops[at] == 0)
                {
                    paths.push_back(path);
                    paths.back().push_back(lastPort);
                    continue;
                }
                for (const uint32_t port : nodes[at].ports)
                {
                    const uint32_t next =
                        m_topology.GetPortNode(ClusterTopology::GetPeerPort(port));
                    if (hops[next] + 1 == hops[at])
                    {
                        longer.push_back(path);
                        longer.back().push_back(port);
                    }
                }
            }
            open = std::move(longer);
        }
        return paths;
    }

    LinkPath GetEcmpPath(uint32_t sourceNic,
                         uint32_t destinationNic,
                         uint16_t udpSourcePort) const override
    {
        const std::vector<LinkPath> paths = GetPaths(sourceNic, destinationNic);
        const size_t index = udpSourcePort % paths.size();
        return paths[index == m_outOfReach ? (index + 1) % paths.size() : index];
    }

    int32_t FindUdpSourcePort(uint32_t sourceNic,
                              uint32_t destinationNic,
                              const LinkPath& path) const override
    {
        for (uint32_t i = 0; i < 65536; i++)
        {
            const auto port = static_cast<uint16_t>(49152 + i);
            if (port != 0 && GetEcmpPath(sourceNic, destinationNic, port) == path)
            {
                return port;
            }
            if (i > 1000) // it is periodic
            {
                break;
            }
        }
        return -1;
    }

  private:
    const ClusterTopology& m_topology;
    size_t m_outOfReach{SIZE_MAX};
};

/// Leaves leaf0, ... with hosts host0, ... of one NIC each, and `uplinks` spines.
inline ClusterTopology
MakeLeafSpine(uint32_t leaves,
              uint32_t hostsPerLeaf,
              uint32_t gpusPerHost,
              uint32_t uplinks,
              uint64_t nicBps,
              uint64_t uplinkBps)
{
    ClusterTopology topology;
    for (uint32_t host = 0; host < leaves * hostsPerLeaf; host++)
    {
        topology.AddHost("host" + std::to_string(host), gpusPerHost);
    }
    std::vector<uint32_t> leafIds;
    std::vector<uint32_t> spineIds;
    for (uint32_t leaf = 0; leaf < leaves; leaf++)
    {
        leafIds.push_back(topology.AddSwitch("leaf" + std::to_string(leaf)));
    }
    for (uint32_t spine = 0; spine < uplinks; spine++)
    {
        spineIds.push_back(topology.AddSwitch("spine" + std::to_string(spine)));
    }
    for (uint32_t host = 0; host < leaves * hostsPerLeaf; host++)
    {
        topology.AddLink(host, leafIds[host / hostsPerLeaf], nicBps, 1000);
    }
    for (const uint32_t leaf : leafIds)
    {
        for (const uint32_t spine : spineIds)
        {
            topology.AddLink(leaf, spine, uplinkBps, 1000);
        }
    }
    return topology;
}

/// The only NIC of a host.
inline uint32_t
GetNic(const ClusterTopology& topology, const std::string& host)
{
    return topology.GetNodes()[topology.FindNode(host)].ports.front();
}

/// Adds a flow between the only NICs of two hosts.
inline void
AddFlow(const ClusterTopology& topology,
        JobView& job,
        const std::string& from,
        const std::string& to,
        uint64_t wireBytes)
{
    FlowView flow;
    flow.flow = static_cast<uint32_t>(job.flows.size());
    flow.sourceNic = GetNic(topology, from);
    flow.destinationNic = GetNic(topology, to);
    flow.wireBytes = wireBytes;
    job.flows.push_back(flow);
}

/// Adds a flow from each host of some GPUs to the next one, and from the last to the first.
inline void
AddRing(const ClusterTopology& topology,
        JobView& job,
        const std::vector<uint32_t>& gpus,
        uint64_t wireBytes)
{
    std::vector<std::string> hosts;
    for (const uint32_t gpu : gpus)
    {
        const std::string& host = topology.GetNodes()[topology.GetGpuHost(gpu)].name;
        if (hosts.empty() || hosts.back() != host)
        {
            hosts.push_back(host);
        }
    }
    for (size_t i = 0; hosts.size() > 1 && i < hosts.size(); i++)
    {
        AddFlow(topology, job, hosts[i], hosts[(i + 1) % hosts.size()], wireBytes);
    }
}

/// A job without flows yet.
inline JobView
MakeJob(uint32_t id, double flop, int64_t computePs)
{
    JobView job;
    job.job = id;
    job.name = "job" + std::to_string(id);
    job.flop = flop;
    job.computePs = computePs;
    return job;
}

/// A view of a cluster without jobs yet.
inline ClusterView
MakeView(const ClusterTopology& topology, const PathOracle& paths, uint32_t levels = 6)
{
    ClusterView view;
    view.trigger = "arrival";
    view.topology = &topology;
    view.paths = &paths;
    view.priorityLevels = levels;
    return view;
}

} // namespace ns3

#endif // GPU_FABRIC_SCHEDULER_FAKES_H
