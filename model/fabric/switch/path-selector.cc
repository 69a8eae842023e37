/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/path-selector.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PathSelector);
NS_OBJECT_ENSURE_REGISTERED(EcmpPathSelector);

TypeId
PathSelector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PathSelector").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

TypeId
EcmpPathSelector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::EcmpPathSelector")
                            .SetParent<PathSelector>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<EcmpPathSelector>();
    return tid;
}

} // namespace ns3
