/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/quantity-value.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("Timely");

namespace
{

/// The parameters of TIMELY with the paper's symbols.
struct TimelyParameters
{
    double alpha;          ///< weight of a new sample in the average
    double beta;           ///< multiplicative decrease
    double deltaBps;       ///< additive increase [bit/s]
    double lowPs;          ///< T_low [ps]
    double highPs;         ///< T_high [ps]
    double minRttPs;       ///< [ps]
    uint32_t hyperSamples; ///< samples without a positive gradient before
                           ///< increases are larger
    double hyperFactor;    ///< N
    double startRateBps;   ///< [bit/s]
    double minRateBps;     ///< [bit/s]
};

/// Algorithm 1 of the paper; the comments refer to its lines.
class TimelyController : public RateController
{
  public:
    TimelyController(const TimelyParameters& parameters, uint64_t lineRateBps)
        : m_parameters(parameters),
          m_lineRate(static_cast<double>(lineRateBps)),
          m_rate(std::min(parameters.startRateBps, m_lineRate))
    {
    }

    double OnSend(SendSample /* sample */) override
    {
        return m_rate >= m_lineRate ? UNPACED : m_rate;
    }

    void OnAck(const AckSample& sample) override
    {
        if (sample.rttPs < 0)
        {
            return;
        }
        const auto rtt = static_cast<double>(sample.rttPs);
        if (m_previous < 0)
        {
            m_previous = rtt; // a gradient needs two samples
        }
        const TimelyParameters& p = m_parameters;
        const double change = rtt - m_previous; // lines 1 to 3
        m_previous = rtt;
        m_change = (1 - p.alpha) * m_change + p.alpha * change;
        const double gradient = m_change / p.minRttPs; // line 4
        m_samples = gradient <= 0 ? m_samples + 1 : 0;
        if (rtt < p.lowPs)
        {
            m_rate += p.deltaBps; // line 6
        }
        else if (rtt > p.highPs)
        {
            m_rate *= 1 - p.beta * (1 - p.highPs / rtt); // line 9
        }
        else if (gradient <= 0)
        {
            m_rate += (m_samples >= p.hyperSamples ? p.hyperFactor : 1) * p.deltaBps; // line 12
        }
        else
        {
            m_rate *= 1 - p.beta * gradient; // line 14
        }
        m_rate = std::clamp(m_rate, std::min(p.minRateBps, m_lineRate), m_lineRate);
    }

    SendLimits GetLimits(int64_t /* now */) override
    {
        return {m_rate, SendLimits::NO_WINDOW};
    }

  private:
    TimelyParameters m_parameters;
    double m_lineRate;
    double m_rate;
    double m_previous{-1}; ///< prev_rtt [ps]; -1: none
    double m_change{0};    ///< rtt_diff [ps]
    uint32_t m_samples{0}; ///< consecutive samples without a positive gradient
};

} // namespace

/**
 * TIMELY (Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015,
 * Algorithm 1): the rate follows the gradient of the round-trip time. Each acknowledgement is a
 * completion event; the paper's segment (16 to 64 KB) is what one acknowledgement covers
 * (RoceNic::AckInterval frames). The RTT is that of the frame that triggered the acknowledgement,
 * so that no serialisation time of a segment has to be subtracted.
 *
 * The paper starts a flow at a fraction of the line rate that depends on the flows of its host;
 * here StartRate sets it.
 */
class Timely : public RdmaCongestionControl
{
  public:
    static TypeId GetTypeId();
    std::unique_ptr<RateController> CreateController(const FlowContext& flow) const override;
    CongestionFeedback GetFeedback() const override;
    DesignRates GetDesignRates() const override;

  private:
    /// delta of the paper, whose NICs have 10 Gb/s [bit/s].
    static constexpr uint64_t PAPER_DELTA = 10'000'000;

    double m_alpha;
    double m_beta;
    uint64_t m_delta; ///< [bit/s]
    Time m_low;
    Time m_high;
    Time m_minRtt;
    uint32_t m_hyperSamples;
    uint32_t m_hyperFactor;
    uint64_t m_startRate; ///< [bit/s]
    uint64_t m_minRate;   ///< [bit/s]
};

NS_OBJECT_ENSURE_REGISTERED(Timely);

TypeId
Timely::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::Timely")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("GpuFabric")
            .AddConstructor<Timely>()
            .AddAttribute("Alpha",
                          "alpha: weight of a new difference of round-trip times "
                          "in their average. "
                          "The paper gives no value; 0.875 is that of Zhu et "
                          "al., \"ECN or Delay\", "
                          "CoNEXT 2016.",
                          DoubleValue(0.875),
                          MakeDoubleAccessor(&Timely::m_alpha),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Beta",
                          "beta: multiplicative decrease (TIMELY, SIGCOMM 2015, "
                          "section 4).",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&Timely::m_beta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("AdditiveIncrease",
                          "delta: additive increase.",
                          BitRateValue(PAPER_DELTA),
                          MakeBitRateAccessor(&Timely::m_delta),
                          MakeBitRateChecker())
            .AddAttribute("LowThreshold",
                          "T_low: below this round-trip time the rate grows, whatever the "
                          "gradient.",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&Timely::m_low),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("HighThreshold",
                          "T_high: above this round-trip time the rate falls, whatever the "
                          "gradient.",
                          TimeValue(MicroSeconds(500)),
                          MakeTimeAccessor(&Timely::m_high),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MinRtt",
                          "minRTT, by which the gradient is divided. 0: the "
                          "round-trip time of the "
                          "flow's path without queues.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&Timely::m_minRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("HyperIncreaseSamples",
                          "Samples in a row without a positive gradient from "
                          "which on increases "
                          "are hyperactive (HAI).",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Timely::m_hyperSamples),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("HyperIncreaseFactor",
                          "N: what a hyperactive increase is a multiple of delta.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Timely::m_hyperFactor),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("StartRate",
                          "Rate of a new queue pair. 0bps: the line rate.",
                          BitRateValue(0),
                          MakeBitRateAccessor(&Timely::m_startRate),
                          MakeBitRateChecker())
            .AddAttribute("MinRate",
                          "Least rate (a choice made here: a rate of 0 would "
                          "send nothing more).",
                          BitRateValue(10'000'000),
                          MakeBitRateAccessor(&Timely::m_minRate),
                          MakeBitRateChecker(1));
    return tid;
}

std::unique_ptr<RateController>
Timely::CreateController(const FlowContext& flow) const
{
    TimelyParameters parameters{};
    parameters.alpha = m_alpha;
    parameters.beta = m_beta;
    parameters.deltaBps = static_cast<double>(m_delta);
    parameters.lowPs = static_cast<double>(m_low.GetTimeStep());
    parameters.highPs = static_cast<double>(m_high.GetTimeStep());
    parameters.minRttPs =
        static_cast<double>(m_minRtt.IsStrictlyPositive() ? m_minRtt.GetTimeStep()
                                                          : std::max<int64_t>(flow.baseRttPs, 1));
    parameters.hyperSamples = m_hyperSamples;
    parameters.hyperFactor = m_hyperFactor;
    parameters.startRateBps = static_cast<double>(m_startRate > 0 ? m_startRate : flow.lineRateBps);
    parameters.minRateBps = static_cast<double>(m_minRate);
    NS_LOG_LOGIC("minRTT is " << parameters.minRttPs << " ps");
    return std::make_unique<TimelyController>(parameters, flow.lineRateBps);
}

CongestionFeedback
Timely::GetFeedback() const
{
    CongestionFeedback feedback;
    feedback.kinds = FEEDBACK_TIMESTAMP;
    return feedback;
}

DesignRates
Timely::GetDesignRates() const
{
    constexpr uint64_t PAPER_RATE = 10'000'000'000; // section 5.1 [bit/s]
    return {"ns3::Timely as in its paper", PAPER_RATE, m_delta == PAPER_DELTA ? PAPER_RATE : 0};
}

} // namespace ns3
