/* SPDX-License-Identifier: GPL-2.0-only */
#include "first-fit-placement.h"

#include "free-hosts.h"

#include "ns3/log.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FirstFitPlacement");

NS_OBJECT_ENSURE_REGISTERED(FirstFitPlacement);

TypeId
FirstFitPlacement::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FirstFitPlacement")
                            .SetParent<PlacementPolicy>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<FirstFitPlacement>();
    return tid;
}

std::vector<Placement>
FirstFitPlacement::Rank(const PlacementView& view, const PlacementRequest& request) const
{
    NS_LOG_FUNCTION(this << request.job << request.gpus);
    const FreeHosts hosts(view, request);
    std::vector<uint32_t> order(hosts.GetHosts().size());
    std::iota(order.begin(), order.end(), 0);
    return hosts.Make(hosts.Fill(order), "first fit");
}

} // namespace ns3
