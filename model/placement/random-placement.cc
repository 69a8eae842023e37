/* SPDX-License-Identifier: GPL-2.0-only */
#include "random-placement.h"

#include "free-hosts.h"

#include "ns3/counter-random.h"
#include "ns3/log.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RandomPlacement");

NS_OBJECT_ENSURE_REGISTERED(RandomPlacement);

TypeId
RandomPlacement::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RandomPlacement")
                            .SetParent<PlacementPolicy>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<RandomPlacement>();
    return tid;
}

std::vector<Placement>
RandomPlacement::Rank(const PlacementView& view, const PlacementRequest& request) const
{
    NS_LOG_FUNCTION(this << request.job << request.gpus);
    uint64_t count = uint64_t{request.job} << 32;
    // Fisher-Yates shuffle; the modulo bias is below 2^-40.
    const auto shuffle = [&view, &count](std::vector<uint32_t>& items) {
        for (size_t i = items.size(); i > 1; i--)
        {
            std::swap(items[i - 1],
                      items[CounterRandom(view.seed, HashName("random placement"), count++) % i]);
        }
    };
    const FreeHosts hosts(view, request);
    if (request.gpusPerHost > 0 || !request.hosts.empty())
    {
        std::vector<uint32_t> order(hosts.GetHosts().size());
        std::iota(order.begin(), order.end(), 0);
        shuffle(order);
        return hosts.Make(hosts.Fill(order), "at random");
    }
    std::vector<uint32_t> gpus = hosts.GetGpus();
    if (gpus.size() < request.gpus)
    {
        return {};
    }
    shuffle(gpus);
    gpus.resize(request.gpus);
    return hosts.MakeOf(std::move(gpus), "at random");
}

} // namespace ns3
