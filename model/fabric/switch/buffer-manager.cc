/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/buffer-manager.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(BufferManager);

TypeId
BufferManager::GetTypeId()
{
    static TypeId tid = TypeId("ns3::BufferManager").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

} // namespace ns3
