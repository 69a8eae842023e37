/* SPDX-License-Identifier: GPL-2.0-only */
#include "fixed-rate.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FixedRate");

NS_OBJECT_ENSURE_REGISTERED(FixedRate);

namespace
{

class FixedRateController : public RateController
{
  public:
    FixedRateController(uint64_t rate, uint64_t lineRate)
        : m_rate(static_cast<double>(rate)),
          m_pacing(rate < lineRate ? m_rate : UNPACED)
    {
    }

    double OnSend(SendSample /* sample */) override
    {
        return m_pacing;
    }

    SendLimits GetLimits(int64_t /* now */) override
    {
        return {m_rate, SendLimits::NO_WINDOW};
    }

  private:
    double m_rate;
    double m_pacing; ///< at line rate the port itself is the limit
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
                                          "Rate of each queue pair on the wire; 0bps, or "
                                          "more than the line rate: the line rate.",
                                          DataRateValue(DataRate(0)),
                                          MakeDataRateAccessor(&FixedRate::m_rate),
                                          MakeDataRateChecker());
    return tid;
}

std::unique_ptr<RateController>
FixedRate::CreateController(const FlowContext& flow) const
{
    uint64_t rate = m_rate.GetBitRate();
    rate = rate == 0 ? flow.lineRateBps : std::min(rate, flow.lineRateBps);
    NS_LOG_LOGIC(rate << " bit/s of " << flow.lineRateBps);
    return std::make_unique<FixedRateController>(rate, flow.lineRateBps);
}

} // namespace ns3
