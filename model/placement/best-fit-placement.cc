/* SPDX-License-Identifier: GPL-2.0-only */
#include "best-fit-placement.h"

#include "free-hosts.h"

#include "ns3/log.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("BestFitPlacement");

NS_OBJECT_ENSURE_REGISTERED(BestFitPlacement);

TypeId
BestFitPlacement::GetTypeId()
{
    static TypeId tid = TypeId("ns3::BestFitPlacement")
                            .SetParent<PlacementPolicy>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<BestFitPlacement>();
    return tid;
}

std::vector<Placement>
BestFitPlacement::Rank(const PlacementView& view, const PlacementRequest& request) const
{
    NS_LOG_FUNCTION(this << request.job << request.gpus);
    const FreeHosts free(view, request);
    const std::vector<FreeHosts::Host>& hosts = free.GetHosts();
    std::vector<uint32_t> all(hosts.size());
    std::iota(all.begin(), all.end(), 0);
    std::stable_sort(all.begin(), all.end(), [&hosts](uint32_t a, uint32_t b) {
        return hosts[a].free > hosts[b].free;
    });
    const size_t fewest = free.Fill(all).size();
    if (fewest == 0 || !request.hosts.empty())
    {
        return free.Make(free.Fill(all), "best fit");
    }

    // The shares of hosts under the given leaves; the tightest hosts that suffice.
    const auto take = [&](const std::vector<uint32_t>& leaves) {
        std::vector<uint32_t> order;
        std::copy_if(all.begin(), all.end(), std::back_inserter(order), [&](uint32_t host) {
            return std::find(leaves.begin(), leaves.end(), hosts[host].leaf) != leaves.end();
        });
        if (request.gpusPerHost > 0)
        {
            // All hosts are equal for the job: take those with the fewest free GPUs.
            std::reverse(order.begin(), order.end());
            return free.Fill(order);
        }
        std::vector<FreeHosts::Share> shares = free.Fill(order);
        for (FreeHosts::Share& share : shares)
        {
            // The last host holds the remainder: take the smallest one that fits it.
            for (const uint32_t host : order)
            {
                const bool used = std::any_of(shares.begin(), shares.end(), [host](const auto& s) {
                    return s.host == host;
                });
                if (!used && hosts[host].free >= share.gpus &&
                    hosts[host].free < hosts[share.host].free)
                {
                    share.host = host;
                }
            }
        }
        return shares;
    };
    // The free GPUs that remain on the hosts taken, and under their leaf.
    const auto getRest = [&](const std::vector<FreeHosts::Share>& shares, uint32_t leaf) {
        uint64_t onHosts = 0;
        uint64_t underLeaf = 0;
        for (const FreeHosts::Share& share : shares)
        {
            onHosts += hosts[share.host].free - share.gpus;
        }
        for (const FreeHosts::Host& host : hosts)
        {
            underLeaf += host.leaf == leaf ? host.free : 0;
        }
        return std::make_pair(onHosts, underLeaf);
    };

    std::vector<uint32_t> candidates; // leaves in node order of their first host
    for (const FreeHosts::Host& host : hosts)
    {
        if (std::find(candidates.begin(), candidates.end(), host.leaf) == candidates.end())
        {
            candidates.push_back(host.leaf);
        }
    }
    std::vector<uint32_t> leaves;
    while (leaves.size() < candidates.size())
    {
        std::vector<FreeHosts::Share> best;
        std::pair<uint64_t, uint64_t> bestRest;
        uint32_t richest = FreeHosts::NONE;
        uint64_t most = 0;
        for (const uint32_t leaf : candidates)
        {
            if (std::find(leaves.begin(), leaves.end(), leaf) != leaves.end())
            {
                continue;
            }
            std::vector<uint32_t> tried = leaves;
            tried.push_back(leaf);
            std::vector<FreeHosts::Share> shares = take(tried);
            const auto rest = getRest(shares, leaf);
            if (shares.size() == fewest && (best.empty() || rest < bestRest))
            {
                best = std::move(shares);
                bestRest = rest;
            }
            // The GPUs that its largest hosts could contribute, up to the number needed.
            uint64_t gives = 0;
            size_t used = 0;
            for (const uint32_t host : all)
            {
                if (hosts[host].leaf == leaf && used < fewest)
                {
                    gives += request.gpusPerHost > 0
                                 ? hosts[host].free >= request.gpusPerHost ? 1 : 0
                                 : hosts[host].free;
                    used++;
                }
            }
            if (richest == FreeHosts::NONE || gives > most)
            {
                richest = leaf;
                most = gives;
            }
        }
        if (!best.empty())
        {
            return free.Make(std::move(best), "best fit");
        }
        leaves.push_back(richest);
    }
    return free.Make(free.Fill(all), "best fit");
}

} // namespace ns3
