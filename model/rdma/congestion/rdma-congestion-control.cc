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
RateController::OnAck(const AckSample& /* sample */)
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

CongestionFeedback
RdmaCongestionControl::GetFeedback() const
{
    return {};
}

bool
RdmaCongestionControl::IsIdleUntilCnp() const
{
    return false;
}

EcnProfile
RdmaCongestionControl::GetEcnProfile() const
{
    return {};
}

DesignRates
RdmaCongestionControl::GetDesignRates() const
{
    return {};
}

std::vector<PresetValue>
RdmaCongestionControl::GetPresetValues(uint64_t /* lineRateBps */) const
{
    return {};
}

} // namespace ns3
