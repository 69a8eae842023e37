/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ECN_MARKER_H
#define GPU_FABRIC_ECN_MARKER_H

#include "ns3/object.h"

#include <cstdint>

namespace ns3
{

/// Decides from the length of an egress queue the probability that a frame is marked CE.
class EcnMarker : public Object
{
  public:
    static TypeId GetTypeId();
    /// Largest queue [byte] that is never marked at a port of this rate [bit/s].
    virtual uint32_t GetUnmarkedBytes(uint64_t rateBps) const = 0;
    /// Probability of a mark with queueBytes [byte] waiting, scaled to 0 to 2^32.
    virtual uint64_t GetMarkProbability(uint32_t queueBytes, uint64_t rateBps) const = 0;
};

/// RED on the instantaneous queue: no mark below Kmin, linear up to Pmax at Kmax, always above
/// (DCQCN, Zhu et al., SIGCOMM 2015, Figure 5). Thresholds scale with the port rate.
class RedEcnMarker : public EcnMarker
{
  public:
    static TypeId GetTypeId();
    uint32_t GetUnmarkedBytes(uint64_t rateBps) const override;
    uint64_t GetMarkProbability(uint32_t queueBytes, uint64_t rateBps) const override;

  private:
    double GetScale(uint64_t rateBps) const;

    bool m_enabled;
    uint64_t m_kmin;
    uint64_t m_kmax;
    double m_pmax;
    uint64_t m_referenceRate;
};

} // namespace ns3

#endif // GPU_FABRIC_ECN_MARKER_H
