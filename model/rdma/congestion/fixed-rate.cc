/* SPDX-License-Identifier: GPL-2.0-only */
#include "fixed-rate.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FixedRate);

namespace
{

class FixedRateController : public RateController
{
  public:
    FixedRateController(uint64_t rate, uint64_t lineRate)
        : m_rate(static_cast<double>(rate)),
          m_psPerByte(rate < lineRate ? 8e12 / static_cast<double>(rate) : 0)
    {
    }

    int64_t OnSend(int64_t /* now */, uint32_t wireBytes) override
    {
        return static_cast<int64_t>(wireBytes * m_psPerByte);
    }

    double GetRate(int64_t /* now */) override
    {
        return m_rate;
    }

  private:
    double m_rate;
    double m_psPerByte; ///< 0 at line rate: the port itself is the limit
};

} // namespace

TypeId
FixedRate::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FixedRate")
                            .SetParent<RdmaCongestionControl>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<FixedRate>()
                            .AddAttribute("Rate",
                                          "Rate of each queue pair on the wire [bit/s]; 0bps, or "
                                          "more than the line rate: the line rate.",
                                          DataRateValue(DataRate(0)),
                                          MakeDataRateAccessor(&FixedRate::m_rate),
                                          MakeDataRateChecker());
    return tid;
}

std::unique_ptr<RateController>
FixedRate::CreateController(uint64_t lineRateBps) const
{
    uint64_t rate = m_rate.GetBitRate();
    rate = rate == 0 ? lineRateBps : std::min(rate, lineRateBps);
    return std::make_unique<FixedRateController>(rate, lineRateBps);
}

} // namespace ns3
