/* SPDX-License-Identifier: GPL-2.0-only */
#include "consolidate-placement.h"

#include "free-hosts.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ConsolidatePlacement");

NS_OBJECT_ENSURE_REGISTERED(ConsolidatePlacement);

namespace
{

/// "1 host", "3 hosts", "2 leaves".
std::string
Count(size_t count, const char* one, const char* many)
{
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

} // namespace

TypeId
ConsolidatePlacement::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ConsolidatePlacement")
                            .SetParent<PlacementPolicy>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<ConsolidatePlacement>();
    return tid;
}

uint32_t
ConsolidatePlacement::BestFit(const std::vector<Space>& hosts, uint32_t gpus)
{
    uint32_t best = NONE;
    for (uint32_t i = 0; i < hosts.size(); i++)
    {
        if (hosts[i].free >= gpus && (best == NONE || hosts[i].free < hosts[best].free))
        {
            best = i;
        }
    }
    return best;
}

std::vector<ConsolidatePlacement::Share>
ConsolidatePlacement::TakeNamed(const std::vector<Space>& hosts, const PlacementRequest& request)
{
    const auto count = static_cast<uint32_t>(request.hosts.size());
    NS_ABORT_MSG_IF(request.gpus % count != 0,
                    request.gpus << " GPUs cannot be split evenly over " << count
                                 << " named hosts");
    std::vector<Share> shares;
    for (const uint32_t named : request.hosts)
    {
        const auto host = std::find_if(hosts.begin(), hosts.end(), [named](const Space& space) {
            return space.node == named;
        });
        if (host == hosts.end() || host->free < request.gpus / count)
        {
            return {};
        }
        shares.push_back({named, request.gpus / count});
    }
    return shares;
}

std::vector<ConsolidatePlacement::Share>
ConsolidatePlacement::TakeFromHosts(std::vector<Space> hosts, uint32_t gpus, uint32_t perHost)
{
    std::vector<Share> shares;
    while (gpus > 0)
    {
        const uint32_t wanted = perHost == 0 ? gpus : std::min(gpus, perHost);
        uint32_t chosen = BestFit(hosts, wanted);
        if (chosen == NONE && perHost == 0)
        {
            // No host fits the remainder: use up the one with the most free GPUs.
            const auto largest =
                std::max_element(hosts.begin(), hosts.end(), [](const Space& a, const Space& b) {
                    return a.free < b.free;
                });
            chosen = static_cast<uint32_t>(largest - hosts.begin());
        }
        if (chosen >= hosts.size() || hosts[chosen].free == 0)
        {
            break;
        }
        shares.push_back({hosts[chosen].node, std::min(wanted, hosts[chosen].free)});
        gpus -= shares.back().gpus;
        hosts.erase(hosts.begin() + chosen);
    }
    return shares;
}

std::vector<ConsolidatePlacement::Share>
ConsolidatePlacement::TakeFromLeaves(std::vector<Leaf> leaves, uint32_t gpus, uint32_t perHost)
{
    std::vector<Share> shares;
    while (gpus > 0)
    {
        const Leaf* best = nullptr;
        std::vector<Share> bestShares;
        uint32_t bestTaken = 0;
        for (const Leaf& leaf : leaves)
        {
            std::vector<Share> taken = TakeFromHosts(leaf.hosts, gpus, perHost);
            const uint32_t count =
                std::accumulate(taken.begin(), taken.end(), 0U, [](uint32_t sum, const Share& s) {
                    return sum + s.gpus;
                });
            // The leaf that contributes most; among those that fit the whole remainder, one that is
            // already in use, then the one with the fewest free GPUs.
            const bool better = count > bestTaken || (count == bestTaken && count == gpus && best &&
                                                      std::make_pair(!leaf.used, leaf.free) <
                                                          std::make_pair(!best->used, best->free));
            if (count > 0 && better)
            {
                best = &leaf;
                bestShares = std::move(taken);
                bestTaken = count;
            }
        }
        if (!best)
        {
            return {};
        }
        Leaf& leaf = leaves[best - leaves.data()];
        leaf.used = true;
        leaf.free -= bestTaken;
        for (const Share& share : bestShares)
        {
            leaf.hosts.erase(
                std::find_if(leaf.hosts.begin(), leaf.hosts.end(), [&share](const Space& host) {
                    return host.node == share.host;
                }));
        }
        shares.insert(shares.end(), bestShares.begin(), bestShares.end());
        gpus -= bestTaken;
    }
    return shares;
}

std::vector<Placement>
ConsolidatePlacement::Rank(const PlacementView& view, const PlacementRequest& request) const
{
    NS_LOG_FUNCTION(this << request.job << request.gpus);
    NS_ABORT_MSG_IF(!view.topology, "the view has no topology");
    const ClusterTopology& topology = *view.topology;
    NS_ABORT_MSG_IF(view.gpuFree.size() != topology.GetGpuCount(),
                    "the view does not have one entry for each GPU");
    NS_ABORT_MSG_IF(request.gpus == 0, "a job needs at least one GPU");

    const std::vector<uint8_t> usable = FreeHosts::GetUsable(view, request);
    std::vector<Space> hosts;
    std::vector<Leaf> leaves;
    std::vector<uint32_t> leafIndex(topology.GetNodes().size(), NONE);
    for (uint32_t node = 0; node < topology.GetNodes().size(); node++)
    {
        const uint32_t gpus = topology.GetNodes()[node].gpus;
        if (gpus == 0)
        {
            continue;
        }
        const auto first = usable.begin() + topology.GetFirstGpu(node);
        const auto free = static_cast<uint32_t>(std::count(first, first + gpus, 1));
        hosts.push_back({node, free});
        const uint32_t switchNode =
            topology.GetNodes()[node].ports.empty() ? node : topology.GetLeaf(node);
        if (leafIndex[switchNode] == NONE)
        {
            leafIndex[switchNode] = static_cast<uint32_t>(leaves.size());
            leaves.push_back({switchNode, 0, false, {}});
        }
        Leaf& leaf = leaves[leafIndex[switchNode]];
        leaf.free += free;
        leaf.hosts.push_back(hosts.back());
    }

    std::vector<Share> shares;
    if (!request.hosts.empty())
    {
        shares = TakeNamed(hosts, request);
    }
    else if (request.gpusPerHost == 0 || request.gpus <= request.gpusPerHost)
    {
        const uint32_t host = BestFit(hosts, request.gpus);
        if (host != NONE)
        {
            shares = {{hosts[host].node, request.gpus}};
        }
    }
    if (shares.empty() && request.hosts.empty())
    {
        shares = TakeFromLeaves(std::move(leaves), request.gpus, request.gpusPerHost);
    }
    if (shares.empty())
    {
        return {};
    }

    Placement placement;
    std::vector<uint32_t> usedLeaves;
    std::sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) {
        return a.host < b.host;
    });
    for (const Share& share : shares)
    {
        uint32_t left = share.gpus;
        for (uint32_t gpu = topology.GetFirstGpu(share.host); left > 0; gpu++)
        {
            if (usable[gpu])
            {
                placement.gpus.push_back(gpu);
                left--;
            }
        }
        usedLeaves.push_back(topology.GetNodes()[share.host].ports.empty()
                                 ? share.host
                                 : topology.GetLeaf(share.host));
    }
    std::sort(usedLeaves.begin(), usedLeaves.end());
    usedLeaves.erase(std::unique(usedLeaves.begin(), usedLeaves.end()), usedLeaves.end());
    placement.reason = (request.hosts.empty() ? "" : "as named: ") +
                       Count(shares.size(), "host", "hosts") + " under " +
                       Count(usedLeaves.size(), "leaf", "leaves");
    return {placement};
}

} // namespace ns3
