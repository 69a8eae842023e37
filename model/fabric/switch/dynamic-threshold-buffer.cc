/* SPDX-License-Identifier: GPL-2.0-only */
#include "dynamic-threshold-buffer.h"

#include "ns3/double.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DynamicThresholdBuffer);

TypeId
DynamicThresholdBuffer::GetTypeId()
{
    static TypeId tid = AddAttributes(
        TypeId("ns3::DynamicThresholdBuffer")
            .SetParent<ThresholdBuffer>()
            .SetGroupName("GpuFabric")
            .AddConstructor<DynamicThresholdBuffer>()
            .AddAttribute("Alpha",
                          "Share of the free pool that one lossless ingress account may hold.",
                          DoubleValue(0.125),
                          MakeDoubleAccessor(&DynamicThresholdBuffer::m_alpha),
                          MakeDoubleChecker<double>(0.001, 64.0))
            .AddAttribute("LossyAlpha",
                          "Share of the free pool that one lossy ingress account may hold.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&DynamicThresholdBuffer::m_lossyAlpha),
                          MakeDoubleChecker<double>(0.001, 64.0)));
    return tid;
}

BufferVerdict
DynamicThresholdBuffer::Admit(uint32_t ingress,
                              uint32_t /* egress */,
                              uint32_t priority,
                              uint32_t bytes,
                              bool certain)
{
    bool lossless = IsLosslessPriority(priority);
    return AdmitBelow(GetThreshold(lossless ? m_alpha : m_lossyAlpha),
                      GetAccount(ingress, priority),
                      lossless,
                      bytes,
                      certain);
}

bool
DynamicThresholdBuffer::Resume(uint32_t ingress, uint32_t priority)
{
    return ResumeBelow(GetThreshold(m_alpha), GetAccount(ingress, priority));
}

} // namespace ns3
