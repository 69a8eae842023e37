/* SPDX-License-Identifier: GPL-2.0-only */
#include "free-hosts.h"

#include "ns3/abort.h"

#include <algorithm>
#include <set>

namespace ns3
{

namespace
{

/// "1 host", "3 hosts", "2 leaves".
std::string
Count(size_t count, const char* one, const char* many)
{
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

} // namespace

std::vector<uint8_t>
FreeHosts::GetUsable(const PlacementView& view, const PlacementRequest& request)
{
    if (request.localGpus.empty())
    {
        return view.gpuFree;
    }
    const ClusterTopology& topology = *view.topology;
    std::vector<uint8_t> usable(view.gpuFree.size(), 0);
    for (uint32_t node = 0; node < topology.GetNetworkNodeCount(); node++)
    {
        const uint32_t gpus = topology.GetNodes()[node].gpus;
        const uint32_t first = gpus > 0 ? topology.GetFirstGpu(node) : 0;
        const bool all =
            std::all_of(request.localGpus.begin(), request.localGpus.end(), [&](uint32_t number) {
                return number < gpus && view.gpuFree[first + number] != 0;
            });
        for (size_t i = 0; all && i < request.localGpus.size(); i++)
        {
            usable[first + request.localGpus[i]] = 1;
        }
    }
    return usable;
}

FreeHosts::FreeHosts(const PlacementView& view, const PlacementRequest& request)
    : m_topology(*view.topology),
      m_request(request),
      m_usable(GetUsable(view, request))
{
    NS_ABORT_MSG_IF(!request.localGpus.empty() && request.gpusPerHost != request.localGpus.size(),
                    request.localGpus.size()
                        << " numbered GPUs, but " << request.gpusPerHost << " on each host");
    NS_ABORT_MSG_IF(!request.hosts.empty() && request.gpus % request.hosts.size() != 0,
                    request.gpus << " GPUs cannot be split evenly over " << request.hosts.size()
                                 << " named hosts");
    for (uint32_t node = 0; node < m_topology.GetNetworkNodeCount(); node++)
    {
        const TopologyNode& host = m_topology.GetNodes()[node];
        const bool named =
            request.hosts.empty() ||
            std::find(request.hosts.begin(), request.hosts.end(), node) != request.hosts.end();
        if (host.gpus == 0 || !named)
        {
            continue;
        }
        const auto first = m_usable.begin() + m_topology.GetFirstGpu(node);
        const auto free = static_cast<uint32_t>(std::count(first, first + host.gpus, 1));
        if (free > 0)
        {
            m_hosts.push_back({node, host.ports.empty() ? node : m_topology.GetLeaf(node), free});
        }
    }
}

std::vector<FreeHosts::Share>
FreeHosts::Fill(const std::vector<uint32_t>& order) const
{
    const uint32_t perHost = m_request.hosts.empty()
                                 ? m_request.gpusPerHost
                                 : m_request.gpus / static_cast<uint32_t>(m_request.hosts.size());
    uint32_t left = m_request.gpus;
    std::vector<Share> shares;
    std::vector<uint32_t> others;
    for (const uint32_t host : order)
    {
        const uint32_t free = m_hosts[host].free;
        const uint32_t taken = perHost == 0 ? std::min(free, left) : perHost;
        if (left > 0 && taken <= left && taken <= free)
        {
            shares.push_back({host, taken});
            left -= taken;
        }
        else
        {
            others.push_back(host);
        }
    }
    for (const uint32_t host : others)
    {
        if (left > 0 && left < perHost && left <= m_hosts[host].free)
        {
            shares.push_back({host, left});
            left = 0;
        }
    }
    return left == 0 ? shares : std::vector<Share>();
}

std::vector<uint32_t>
FreeHosts::GetGpus() const
{
    std::vector<uint32_t> gpus;
    for (const Host& host : m_hosts)
    {
        const uint32_t first = m_topology.GetFirstGpu(host.node);
        for (uint32_t gpu = first; gpu < first + m_topology.GetNodes()[host.node].gpus; gpu++)
        {
            if (m_usable[gpu] != 0)
            {
                gpus.push_back(gpu);
            }
        }
    }
    return gpus;
}

std::vector<Placement>
FreeHosts::Make(std::vector<Share> shares, const std::string& how) const
{
    if (shares.empty())
    {
        return {};
    }
    std::sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) {
        return a.host < b.host;
    });
    std::vector<uint32_t> gpus;
    for (const Share& share : shares)
    {
        uint32_t left = share.gpus;
        for (uint32_t gpu = m_topology.GetFirstGpu(m_hosts[share.host].node); left > 0; gpu++)
        {
            if (m_usable[gpu] != 0)
            {
                gpus.push_back(gpu);
                left--;
            }
        }
    }
    return MakeOf(std::move(gpus), how);
}

std::vector<Placement>
FreeHosts::MakeOf(std::vector<uint32_t> gpus, const std::string& how) const
{
    std::sort(gpus.begin(), gpus.end());
    std::set<uint32_t> hosts;
    std::set<uint32_t> leaves;
    for (const uint32_t gpu : gpus)
    {
        const uint32_t node = m_topology.GetGpuHost(gpu);
        hosts.insert(node);
        leaves.insert(m_topology.GetNodes()[node].ports.empty() ? node : m_topology.GetLeaf(node));
    }
    Placement placement;
    placement.gpus = std::move(gpus);
    placement.reason = (m_request.hosts.empty() ? how : "as named") + ": " +
                       Count(hosts.size(), "host", "hosts") + " under " +
                       Count(leaves.size(), "leaf", "leaves");
    return {placement};
}

} // namespace ns3
