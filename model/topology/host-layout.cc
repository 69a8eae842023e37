/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/host-layout.h"

#include <set>
#include <tuple>

namespace ns3
{

namespace
{

auto
AsTuple(const HostPart& part)
{
    return std::tie(part.name, part.kind);
}

auto
AsTuple(const HostLink& link)
{
    return std::tie(link.partA, link.partB, link.rateBps, link.delayPs, link.kind);
}

template <class T>
bool
AreEqual(const std::vector<T>& a, const std::vector<T>& b)
{
    bool equal = a.size() == b.size();
    for (std::size_t i = 0; equal && i < a.size(); i++)
    {
        equal = AsTuple(a[i]) == AsTuple(b[i]);
    }
    return equal;
}

/// Whether data may pass through a part of this kind.
bool
Forwards(TopologyNodeKind part, TopologyLinkKind link)
{
    return link == TopologyLinkKind::NVLINK
               ? part == TopologyNodeKind::NVSWITCH
               : part == TopologyNodeKind::PCIE_SWITCH || part == TopologyNodeKind::ROOT_COMPLEX;
}

} // namespace

bool
operator==(const HostLayout& a, const HostLayout& b)
{
    const auto rest = [](const HostLayout& layout) {
        return std::tie(layout.name,
                        layout.gpus,
                        layout.nics,
                        layout.pciePayload,
                        layout.pcieHeader,
                        layout.nvlinkPayload,
                        layout.nvlinkHeader);
    };
    return rest(a) == rest(b) && AreEqual(a.parts, b.parts) && AreEqual(a.links, b.links);
}

uint64_t
HostLayout::GetWireBytes(TopologyLinkKind kind, uint64_t payload) const
{
    const bool nvlink = kind == TopologyLinkKind::NVLINK;
    const uint64_t most = nvlink ? nvlinkPayload : pciePayload;
    return payload + (payload + most - 1) / most * (nvlink ? nvlinkHeader : pcieHeader);
}

std::vector<std::vector<uint32_t>>
HostLayout::FindPaths(TopologyLinkKind kind, uint32_t from, uint32_t to) const
{
    // Breadth first, path by path: hosts are small, and all shortest paths are needed.
    std::vector<std::vector<uint32_t>> paths{{}};
    std::vector<std::vector<uint32_t>> found;
    for (std::size_t hops = 0; found.empty() && !paths.empty() && hops <= parts.size(); hops++)
    {
        std::vector<std::vector<uint32_t>> longer;
        for (const std::vector<uint32_t>& path : paths)
        {
            const uint32_t at = path.empty() ? from : GetPortPart(path.back() ^ 1);
            if (at == to)
            {
                found.push_back(path);
                continue;
            }
            if (at != from && !Forwards(parts[at].kind, kind))
            {
                continue;
            }
            for (uint32_t port = 0; port < 2 * links.size(); port++)
            {
                const bool back = !path.empty() && port == (path.back() ^ 1);
                if (!back && links[port / 2].kind == kind && GetPortPart(port) == at)
                {
                    longer.push_back(path);
                    longer.back().push_back(port);
                }
            }
        }
        paths.swap(longer);
    }
    return found;
}

HostRoute
HostLayout::FindRoute(uint32_t from, uint32_t to) const
{
    HostRoute route;
    if (from == to)
    {
        return route;
    }
    for (const TopologyLinkKind kind : {TopologyLinkKind::NVLINK, TopologyLinkKind::PCIE})
    {
        route.kind = kind;
        route.paths = FindPaths(kind, from, to);
        if (!route.paths.empty())
        {
            break;
        }
    }
    return route;
}

std::vector<std::string>
HostLayout::Validate() const
{
    std::vector<std::string> faults;
    std::set<std::string> names;
    for (uint32_t part = 0; part < parts.size(); part++)
    {
        const bool isGpu = parts[part].kind == TopologyNodeKind::GPU;
        const bool isNic = parts[part].kind == TopologyNodeKind::NIC;
        if (isGpu != (part < gpus) || isNic != (part >= gpus && part < gpus + nics))
        {
            faults.push_back(parts[part].name + " is out of order: GPUs come first, then NICs");
        }
        if (!names.insert(parts[part].name).second)
        {
            faults.push_back("two parts are called \"" + parts[part].name + "\"");
        }
    }
    if (gpus == 0 || parts.size() < gpus + nics)
    {
        faults.emplace_back("a host has at least one GPU, and a part for each GPU and NIC");
    }
    for (const HostLink& link : links)
    {
        if (link.partA >= parts.size() || link.partB >= parts.size() || link.partA == link.partB)
        {
            faults.emplace_back("a link does not join two parts");
            return faults;
        }
        if (link.rateBps == 0 || link.delayPs < 0)
        {
            faults.push_back("the link between " + parts[link.partA].name + " and " +
                             parts[link.partB].name + " has a rate of 0 or a negative delay");
        }
    }
    if (pciePayload == 0 || nvlinkPayload == 0)
    {
        faults.emplace_back("packets of PCIe and NVLink have a payload");
    }
    if (!faults.empty())
    {
        return faults;
    }
    for (uint32_t from = 0; from < gpus; from++)
    {
        for (uint32_t to = 0; to < gpus + nics; to++)
        {
            if (from != to && FindRoute(from, to).paths.empty())
            {
                faults.push_back("no path leads from " + parts[from].name + " to " +
                                 parts[to].name);
            }
        }
    }
    return faults;
}

} // namespace ns3
