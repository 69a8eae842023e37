/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/path-choice.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PathChoice);

TypeId
PathChoice::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PathChoice").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

} // namespace ns3
