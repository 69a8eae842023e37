/* SPDX-License-Identifier: GPL-2.0-only */
#include "spread-placement.h"

#include "free-hosts.h"

#include "ns3/log.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("SpreadPlacement");

NS_OBJECT_ENSURE_REGISTERED(SpreadPlacement);

TypeId
SpreadPlacement::GetTypeId()
{
    static TypeId tid = TypeId("ns3::SpreadPlacement")
                            .SetParent<PlacementPolicy>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<SpreadPlacement>();
    return tid;
}

std::vector<Placement>
SpreadPlacement::Rank(const PlacementView& view, const PlacementRequest& request) const
{
    NS_LOG_FUNCTION(this << request.job << request.gpus);
    const FreeHosts free(view, request);
    const std::vector<FreeHosts::Host>& hosts = free.GetHosts();
    std::vector<uint32_t> order(hosts.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&hosts](uint32_t a, uint32_t b) {
        return hosts[a].free > hosts[b].free;
    });
    // The k-th host of every leaf comes before the next host of any leaf.
    std::vector<uint32_t> turns(hosts.size(), 0);
    for (size_t i = 0; i < order.size(); i++)
    {
        turns[order[i]] = static_cast<uint32_t>(
            std::count_if(order.begin(), order.begin() + i, [&](uint32_t other) {
                return hosts[other].leaf == hosts[order[i]].leaf;
            }));
    }
    std::stable_sort(order.begin(), order.end(), [&turns](uint32_t a, uint32_t b) {
        return turns[a] < turns[b];
    });
    if (request.gpusPerHost > 0 || !request.hosts.empty())
    {
        return free.Make(free.Fill(order), "spread");
    }

    std::vector<uint32_t> taken(hosts.size(), 0);
    uint32_t left = request.gpus;
    for (bool more = true; left > 0 && more;)
    {
        more = false;
        for (const uint32_t host : order)
        {
            if (left > 0 && taken[host] < hosts[host].free)
            {
                taken[host]++;
                left--;
                more = true;
            }
        }
    }
    std::vector<FreeHosts::Share> shares;
    for (uint32_t host = 0; left == 0 && host < hosts.size(); host++)
    {
        if (taken[host] > 0)
        {
            shares.push_back({host, taken[host]});
        }
    }
    return free.Make(std::move(shares), "spread");
}

} // namespace ns3
