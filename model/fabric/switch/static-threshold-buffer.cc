/* SPDX-License-Identifier: GPL-2.0-only */
#include "threshold-buffer.h"

#include "ns3/quantity-value.h"

namespace ns3
{

/**
 * Shared buffer with a fixed ingress threshold: a lossless account may hold Threshold bytes of the
 * pool, a lossy one LossyThreshold, whatever the others hold.
 *
 * By default the pool is divided evenly among the lossless accounts, which is t_PFC of the DCQCN
 * paper (Zhu et al., SIGCOMM 2015, section 4): (B - 8 n t_flight) / (8 n) with B the buffer, n
 * ports, 8 priorities and t_flight the headroom. Larger thresholds overcommit the pool; a lossless
 * frame that finds it full then pauses its peer below the threshold.
 */
class StaticThresholdBuffer : public ThresholdBuffer
{
  public:
    static TypeId GetTypeId();

    std::string Configure(uint64_t size,
                          const std::vector<BufferPort>& ports,
                          uint32_t priorities,
                          uint32_t losslessMask) override;
    BufferVerdict Admit(uint32_t ingress,
                        uint32_t egress,
                        uint32_t priority,
                        uint32_t bytes,
                        bool certain) override;
    bool Resume(uint32_t ingress, uint32_t priority) override;

  private:
    uint64_t m_threshold;
    uint64_t m_lossyThreshold;
    uint64_t m_thresholdInForce{0};
    uint64_t m_lossyThresholdInForce{0};
};

NS_OBJECT_ENSURE_REGISTERED(StaticThresholdBuffer);

TypeId
StaticThresholdBuffer::GetTypeId()
{
    static TypeId tid = AddAttributes(
        TypeId("ns3::StaticThresholdBuffer")
            .SetParent<ThresholdBuffer>()
            .SetGroupName("GpuFabric")
            .AddConstructor<StaticThresholdBuffer>()
            .AddAttribute("Threshold",
                          "Bytes of the pool that one lossless ingress account may hold. 0: "
                          "an equal share of it, t_PFC of the DCQCN paper, section 4.",
                          ByteSizeValue(0),
                          MakeByteSizeAccessor(&StaticThresholdBuffer::m_threshold),
                          MakeByteSizeChecker())
            .AddAttribute("LossyThreshold",
                          "Bytes of the pool that one lossy ingress account may hold. 0: "
                          "all of it.",
                          ByteSizeValue(0),
                          MakeByteSizeAccessor(&StaticThresholdBuffer::m_lossyThreshold),
                          MakeByteSizeChecker()));
    return tid;
}

std::string
StaticThresholdBuffer::Configure(uint64_t size,
                                 const std::vector<BufferPort>& ports,
                                 uint32_t priorities,
                                 uint32_t losslessMask)
{
    std::string error = ThresholdBuffer::Configure(size, ports, priorities, losslessMask);
    m_thresholdInForce =
        m_threshold > 0 ? m_threshold : GetSharedSize() / std::max<uint64_t>(GetLosslessCount(), 1);
    m_lossyThresholdInForce = m_lossyThreshold > 0 ? m_lossyThreshold : GetSharedSize();
    return error;
}

BufferVerdict
StaticThresholdBuffer::Admit(uint32_t ingress,
                             uint32_t /* egress */,
                             uint32_t priority,
                             uint32_t bytes,
                             bool certain)
{
    bool lossless = IsLosslessPriority(priority);
    return AdmitBelow(lossless ? m_thresholdInForce : m_lossyThresholdInForce,
                      GetAccount(ingress, priority),
                      lossless,
                      bytes,
                      certain);
}

bool
StaticThresholdBuffer::Resume(uint32_t ingress, uint32_t priority)
{
    return ResumeBelow(m_thresholdInForce, GetAccount(ingress, priority));
}

} // namespace ns3
