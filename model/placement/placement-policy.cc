/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/placement-policy.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PlacementPolicy);

TypeId
PlacementPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PlacementPolicy").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

std::vector<Placement>
PlacementPolicy::PlaceTogether(const PlacementView& /* view */,
                               const std::vector<PlacementRequest>& /* requests */) const
{
    return {};
}

} // namespace ns3
