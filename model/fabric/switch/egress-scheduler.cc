/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/egress-scheduler.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(EgressScheduler);
NS_OBJECT_ENSURE_REGISTERED(StrictPriorityEgress);

TypeId
EgressScheduler::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::EgressScheduler").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

TypeId
StrictPriorityEgress::GetTypeId()
{
    static TypeId tid = TypeId("ns3::StrictPriorityEgress")
                            .SetParent<EgressScheduler>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<StrictPriorityEgress>();
    return tid;
}

std::string
StrictPriorityEgress::Configure(uint32_t /* queues */)
{
    return "";
}

uint32_t
StrictPriorityEgress::Select(uint32_t ready)
{
    return 31 - __builtin_clz(ready);
}

void
StrictPriorityEgress::Charge(uint32_t /* priority */, uint32_t /* wireBytes */)
{
}

} // namespace ns3
