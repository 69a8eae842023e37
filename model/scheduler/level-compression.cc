/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/level-compression.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(LevelCompression);

TypeId
LevelCompression::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::LevelCompression").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

} // namespace ns3
