/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/ecn-marker.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/quantity-value.h"

#include <algorithm>

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
                          "K_min of DCQCN: no mark below this queue, at ReferenceRate.",
                          ByteSizeValue(400'000),
                          MakeByteSizeAccessor(&RedEcnMarker::m_kmin),
                          MakeByteSizeChecker())
            .AddAttribute("Kmax",
                          "K_max of DCQCN: always a mark above this queue, at ReferenceRate.",
                          ByteSizeValue(1'600'000),
                          MakeByteSizeAccessor(&RedEcnMarker::m_kmax),
                          MakeByteSizeChecker())
            .AddAttribute("Pmax",
                          "P_max of DCQCN: probability of a mark at Kmax.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&RedEcnMarker::m_pmax),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("ReferenceRate",
                          "Rate at which Kmin and Kmax hold; they scale linearly with a "
                          "port's rate. 0: they hold at every rate.",
                          BitRateValue(100'000'000'000),
                          MakeBitRateAccessor(&RedEcnMarker::m_referenceRate),
                          MakeBitRateChecker());
    return tid;
}

double
RedEcnMarker::GetScale(uint64_t rateBps) const
{
    return m_referenceRate == 0
               ? 1.0
               : static_cast<double>(rateBps) / static_cast<double>(m_referenceRate);
}

uint32_t
RedEcnMarker::GetUnmarkedBytes(uint64_t rateBps) const
{
    if (!m_enabled)
    {
        return UINT32_MAX;
    }
    double bytes = static_cast<double>(m_kmin) * GetScale(rateBps);
    return static_cast<uint32_t>(std::min(bytes, 4294967294.0));
}

uint64_t
RedEcnMarker::GetMarkProbability(uint32_t queueBytes, uint64_t rateBps) const
{
    double scale = GetScale(rateBps);
    double kmin = static_cast<double>(m_kmin) * scale;
    double kmax = static_cast<double>(m_kmax) * scale;
    if (!m_enabled || queueBytes < kmin)
    {
        return 0;
    }
    if (queueBytes > kmax || kmax <= kmin)
    {
        return uint64_t{1} << 32;
    }
    double probability = m_pmax * (queueBytes - kmin) / (kmax - kmin);
    return static_cast<uint64_t>(probability * 4294967296.0);
}

} // namespace ns3
