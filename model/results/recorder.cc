/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/recorder.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(Recorder);

TypeId
Recorder::GetTypeId()
{
    static TypeId tid = TypeId("ns3::Recorder").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

void
Recorder::Start()
{
}

void
Recorder::WindowOpened(int64_t /* now */)
{
}

void
Recorder::WindowClosed(int64_t /* now */)
{
}

void
Recorder::Finish(int64_t /* endPs */)
{
}

} // namespace ns3
