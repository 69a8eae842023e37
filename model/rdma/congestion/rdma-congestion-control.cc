/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/rdma-congestion-control.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaCongestionControl);

void
RateController::OnCnp(int64_t /* now */)
{
}

void
RateController::OnAck(int64_t /* now */, uint64_t /* ackedBytes */)
{
}

void
RateController::OnLoss(int64_t /* now */)
{
}

TypeId
RdmaCongestionControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaCongestionControl").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

bool
RdmaCongestionControl::IsIdleUntilCnp() const
{
    return false;
}

int64_t
RdmaCongestionControl::GetCnpInterval() const
{
    return -1;
}

} // namespace ns3
