/* SPDX-License-Identifier: GPL-2.0-only */
#include "topology-generator.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TopologyGenerator);

TypeId
TopologyGenerator::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TopologyGenerator").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

} // namespace ns3
