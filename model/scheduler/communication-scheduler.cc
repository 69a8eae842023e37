/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/communication-scheduler.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CommunicationScheduler);

TypeId
CommunicationScheduler::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CommunicationScheduler").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

} // namespace ns3
