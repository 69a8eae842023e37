/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DYNAMIC_THRESHOLD_BUFFER_H
#define GPU_FABRIC_DYNAMIC_THRESHOLD_BUFFER_H

#include "threshold-buffer.h"

namespace ns3
{

/**
 * Shared buffer with a dynamic ingress threshold: a lossless account may hold Alpha times the free
 * pool, a lossy one LossyAlpha times.
 * Choudhury and Hahne, "Dynamic queue length thresholds", IEEE/ACM ToN 1998.
 */
class DynamicThresholdBuffer : public ThresholdBuffer
{
  public:
    static TypeId GetTypeId();

    BufferVerdict Admit(uint32_t ingress,
                        uint32_t egress,
                        uint32_t priority,
                        uint32_t bytes,
                        bool certain) override;
    bool Resume(uint32_t ingress, uint32_t priority) override;

  private:
    uint64_t GetThreshold(double alpha) const
    {
        return static_cast<uint64_t>(alpha * static_cast<double>(GetFree()));
    }

    double m_alpha;
    double m_lossyAlpha;
};

} // namespace ns3

#endif // GPU_FABRIC_DYNAMIC_THRESHOLD_BUFFER_H
