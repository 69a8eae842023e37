/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/gpu-intensity.h"

#include "../../base/ties.h"

#include "ns3/abort.h"

#include <algorithm>
#include <limits>

namespace ns3
{

namespace
{

/// Number of shares of one byte.
constexpr uint64_t SHARES = 1 << 16;

/// Adds to a sum of shares, which stays at its greatest value where it would overflow.
void
AddShare(uint64_t& sum, uint64_t share)
{
    sum = share > UINT64_MAX - sum ? UINT64_MAX : sum + share;
}

/// Adds the load of flows with the given number of bytes over the paths to the shares of each
/// directed link.
void
Spread(const std::vector<LinkPath>& paths, uint64_t bytes, std::vector<uint64_t>& shares)
{
    std::vector<uint32_t> links;
    for (const LinkPath& path : paths)
    {
        links.insert(links.end(), path.begin(), path.end());
    }
    std::sort(links.begin(), links.end());
    const uint64_t count = paths.size();
    const uint64_t quotient = bytes / count * SHARES;
    const uint64_t remainder = bytes % count * SHARES;
    for (auto first = links.begin(); first != links.end();)
    {
        const auto last = std::upper_bound(first, links.end(), *first);
        // Links crossed by the same number of paths get the same share; those crossed by all get
        // everything.
        const auto crossing = static_cast<uint64_t>(last - first);
        AddShare(shares[*first], crossing * quotient + crossing * remainder / count);
        first = last;
    }
}

/// Bytes of a flow or link, at most 16 TiB, so that its shares are a number. (The check of a job
/// refuses more than 1 TiB a NIC.)
uint64_t
LimitBytes(uint64_t bytes)
{
    return std::min(bytes, (uint64_t{1} << 44) - 1);
}

/// Whether a directed link leaves or reaches a GPU.
bool
IsOfGpu(const ClusterTopology& topology, uint32_t link)
{
    for (const uint32_t port : {link, ClusterTopology::GetPeerPort(link)})
    {
        if (topology.GetNodes()[topology.GetPortNode(port)].kind == TopologyNodeKind::GPU)
        {
            return true;
        }
    }
    return false;
}

} // namespace

GpuIntensity::GpuIntensity(const ClusterTopology& topology,
                           const JobView& job,
                           CandidatePaths& paths)
    : m_flop(job.flop)
{
    std::vector<uint64_t> shares(topology.GetPortCount(), 0);
    if (job.profileState == ProfileState::DONE)
    {
        AddMeasured(topology, job, shares);
    }
    else
    {
        AddDeclared(job, paths, shares);
    }
    for (uint32_t link = 0; link < shares.size(); link++)
    {
        if (shares[link] == 0)
        {
            continue;
        }
        m_canContend = m_canContend || !IsOfGpu(topology, link);
        const double seconds = 8.0 * static_cast<double>(shares[link]) / SHARES /
                               static_cast<double>(topology.GetPortRate(link));
        m_links.push_back({link, shares[link], seconds});
        m_bottleneck = IsAbove(seconds, m_linkSeconds) ? link : m_bottleneck;
        m_linkSeconds = std::max(m_linkSeconds, seconds);
    }
}

void
GpuIntensity::AddDeclared(const JobView& job, CandidatePaths& paths, std::vector<uint64_t>& shares)
{
    for (const FlowView& flow : job.flows)
    {
        m_wireBytes += flow.wireBytes;
        Spread(paths.Get(flow.sourceNic, flow.destinationNic), LimitBytes(flow.wireBytes), shares);
        if (flow.ackWireBytes > 0)
        {
            Spread(paths.Get(flow.destinationNic, flow.sourceNic),
                   LimitBytes(flow.ackWireBytes),
                   shares);
        }
    }
    for (const auto& [link, bytes] : job.insideLoads)
    {
        m_insideBytes += bytes;
        AddShare(shares[link], LimitBytes(bytes) * SHARES);
    }
}

void
GpuIntensity::AddMeasured(const ClusterTopology& topology,
                          const JobView& job,
                          std::vector<uint64_t>& shares)
{
    for (const auto& [link, bytes] : job.profile.linkBytes)
    {
        AddShare(shares[link], LimitBytes(bytes) * SHARES);
        if (link >= topology.GetNetworkPortCount())
        {
            m_insideBytes += bytes;
        }
        else if (topology.GetNodes()[topology.GetPortNode(link)].kind == TopologyNodeKind::HOST)
        {
            m_wireBytes += bytes;
        }
    }
}

double
GpuIntensity::GetIntensity() const
{
    return m_linkSeconds > 0 ? m_flop / m_linkSeconds : std::numeric_limits<double>::infinity();
}

double
GpuIntensity::GetLinkSeconds() const
{
    return m_linkSeconds;
}

uint64_t
GpuIntensity::GetWireBytes() const
{
    return m_wireBytes;
}

uint32_t
GpuIntensity::GetBottleneck() const
{
    return m_bottleneck;
}

std::vector<std::pair<uint32_t, double>>
GpuIntensity::GetHeaviestLinks(uint32_t count) const
{
    std::vector<LinkLoad> sorted = m_links;
    std::stable_sort(sorted.begin(), sorted.end(), [](const LinkLoad& a, const LinkLoad& b) {
        return a.seconds > b.seconds;
    });
    std::vector<std::pair<uint32_t, double>> result;
    for (size_t i = 0; i < std::min<size_t>(count, sorted.size()); i++)
    {
        result.emplace_back(sorted[i].link, static_cast<double>(sorted[i].shares) / SHARES);
    }
    return result;
}

bool
GpuIntensity::CanContend() const
{
    return m_canContend;
}

std::pair<uint64_t, uint64_t>
GpuIntensity::GetTraffic() const
{
    return {m_wireBytes, m_insideBytes};
}

uint32_t
GpuIntensity::GetLinkCount() const
{
    return static_cast<uint32_t>(m_links.size());
}

} // namespace ns3
