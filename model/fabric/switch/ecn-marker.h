/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ECN_MARKER_H
#define GPU_FABRIC_ECN_MARKER_H

#include "ns3/attribute.h"
#include "ns3/object.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// A marking profile, which scales linearly with a port's rate. The default is 100 and 400 KB for
/// each 25 Gb/s and a P_max of 0.2, as the HPCC simulator runs DCQCN with (its run.py).
struct EcnProfile
{
    uint64_t kminBytes{400'000};                ///< K_min of DCQCN at referenceRateBps [byte]
    uint64_t kmaxBytes{1'600'000};              ///< K_max of DCQCN at referenceRateBps [byte]
    double pmax{0.2};                           ///< P_max: probability of a mark at K_max
    uint64_t referenceRateBps{100'000'000'000}; ///< [bit/s]
};

/// The value in force of an attribute that is left to a preset.
struct PresetValue
{
    std::string attribute; ///< ns3::Class::Attribute
    Ptr<const AttributeValue> value;
};

/// Decides from the length of an egress queue the probability that a frame is marked CE.
class EcnMarker : public Object
{
  public:
    static TypeId GetTypeId();
    /// Largest queue [byte] that is never marked at a port of this rate [bit/s].
    virtual uint32_t GetUnmarkedBytes(uint64_t rateBps) const = 0;
    /// Probability of a mark with queueBytes [byte] waiting, scaled to 0 to 2^32.
    virtual uint64_t GetMarkProbability(uint32_t queueBytes, uint64_t rateBps) const = 0;
    /// Sets what holds where no attribute says otherwise: the profile that the congestion control
    /// of the NICs is meant for. Called before the fabric is built.
    virtual void SetProfile(const EcnProfile& profile);
    /// Values in force that SetProfile() has given.
    virtual std::vector<PresetValue> GetPresetValues() const;
};

/// RED on the instantaneous queue: no mark below Kmin, linear up to Pmax at Kmax, always above
/// (DCQCN, Zhu et al., SIGCOMM 2015, Figure 5). Thresholds scale with the port rate; those that no
/// attribute sets are those of the congestion control.
class RedEcnMarker : public EcnMarker
{
  public:
    static TypeId GetTypeId();
    uint32_t GetUnmarkedBytes(uint64_t rateBps) const override;
    uint64_t GetMarkProbability(uint32_t queueBytes, uint64_t rateBps) const override;
    void SetProfile(const EcnProfile& profile) override;
    std::vector<PresetValue> GetPresetValues() const override;

  private:
    /// A threshold at a port of this rate. \param own that of the attribute \param preset that of
    /// the profile
    double GetThreshold(uint64_t own, uint64_t preset, uint64_t rateBps) const;

    EcnProfile m_profile;
    bool m_enabled;
    uint64_t m_kmin;
    uint64_t m_kmax;
    double m_pmax;
    uint64_t m_referenceRate;
};

} // namespace ns3

#endif // GPU_FABRIC_ECN_MARKER_H
