/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/ecn-marker.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/quantity-value.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(EcnMarker);
NS_OBJECT_ENSURE_REGISTERED(RedEcnMarker);

TypeId
EcnMarker::GetTypeId()
{
    static TypeId tid = TypeId("ns3::EcnMarker").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

TypeId
RedEcnMarker::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RedEcnMarker")
            .SetParent<EcnMarker>()
            .SetGroupName("GpuFabric")
            .AddConstructor<RedEcnMarker>()
            .AddAttribute("Enabled",
                          "Whether frames are marked at all.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RedEcnMarker::m_enabled),
                          MakeBooleanChecker())
            .AddAttribute("Kmin",
                          "K_min of DCQCN: no mark below this queue, at ReferenceRate. 0B: that of "
                          "the NICs' congestion control.",
                          ByteSizeValue(0),
                          MakeByteSizeAccessor(&RedEcnMarker::m_kmin),
                          MakeByteSizeChecker())
            .AddAttribute("Kmax",
                          "K_max of DCQCN: always a mark above this queue, at ReferenceRate. 0B: "
                          "that of the NICs' congestion control.",
                          ByteSizeValue(0),
                          MakeByteSizeAccessor(&RedEcnMarker::m_kmax),
                          MakeByteSizeChecker())
            .AddAttribute("Pmax",
                          "P_max of DCQCN: probability of a mark at Kmax. 0: that of the NICs' "
                          "congestion control.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RedEcnMarker::m_pmax),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("ReferenceRate",
                          "Rate at which Kmin and Kmax hold; they scale linearly with a "
                          "port's rate. 0: those that are set hold at every rate.",
                          BitRateValue(100'000'000'000),
                          MakeBitRateAccessor(&RedEcnMarker::m_referenceRate),
                          MakeBitRateChecker());
    return tid;
}

void
EcnMarker::SetProfile(const EcnProfile& /* profile */)
{
}

std::vector<PresetValue>
EcnMarker::GetPresetValues() const
{
    return {};
}

void
RedEcnMarker::SetProfile(const EcnProfile& profile)
{
    m_profile = profile;
}

double
RedEcnMarker::GetThreshold(uint64_t own, uint64_t preset, uint64_t rateBps) const
{
    const uint64_t reference = own == 0 ? m_profile.referenceRateBps : m_referenceRate;
    const double bytes = static_cast<double>(own == 0 ? preset : own);
    return reference == 0 ? bytes
                          : bytes * (static_cast<double>(rateBps) / static_cast<double>(reference));
}

std::vector<PresetValue>
RedEcnMarker::GetPresetValues() const
{
    const std::string type = GetInstanceTypeId().GetName() + "::";
    std::vector<PresetValue> values;
    const uint64_t reference = m_referenceRate == 0 ? m_profile.referenceRateBps : m_referenceRate;
    const auto add = [&](const char* name, uint64_t own, uint64_t preset) {
        if (own == 0)
        {
            const double bytes = GetThreshold(own, preset, reference);
            values.push_back(
                {type + name, Create<ByteSizeValue>(static_cast<uint64_t>(std::llround(bytes)))});
        }
    };
    add("Kmin", m_kmin, m_profile.kminBytes);
    add("Kmax", m_kmax, m_profile.kmaxBytes);
    if (m_pmax == 0)
    {
        values.push_back({type + "Pmax", Create<DoubleValue>(m_profile.pmax)});
    }
    return values;
}

uint32_t
RedEcnMarker::GetUnmarkedBytes(uint64_t rateBps) const
{
    if (!m_enabled)
    {
        return UINT32_MAX;
    }
    const double bytes = GetThreshold(m_kmin, m_profile.kminBytes, rateBps);
    return static_cast<uint32_t>(std::min(bytes, 4294967294.0));
}

uint64_t
RedEcnMarker::GetMarkProbability(uint32_t queueBytes, uint64_t rateBps) const
{
    const double kmin = GetThreshold(m_kmin, m_profile.kminBytes, rateBps);
    const double kmax = GetThreshold(m_kmax, m_profile.kmaxBytes, rateBps);
    if (!m_enabled || queueBytes < kmin)
    {
        return 0;
    }
    if (queueBytes > kmax || kmax <= kmin)
    {
        return uint64_t{1} << 32;
    }
    const double pmax = m_pmax == 0 ? m_profile.pmax : m_pmax;
    const double probability = pmax * (queueBytes - kmin) / (kmax - kmin);
    return static_cast<uint64_t>(probability * 4294967296.0);
}

} // namespace ns3
