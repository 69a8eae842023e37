/* SPDX-License-Identifier: GPL-2.0-only */
#include "dcqcn.h"

#include "../../base/enum-value.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/quantity-value.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("Dcqcn");

NS_OBJECT_ENSURE_REGISTERED(Dcqcn);

namespace
{

/// Alpha below this no longer changes any rate; updates stop, regardless of how often the state is
/// evaluated.
constexpr double NO_ALPHA = 1e-30;

constexpr int64_t US = 1'000'000; ///< [ps]

} // namespace

bool
DcqcnParameters::operator==(const DcqcnParameters& other) const
{
    const auto all = [](const DcqcnParameters& p) {
        return std::tie(p.g,
                        p.alphaPeriodPs,
                        p.cnpIntervalPs,
                        p.decreaseIntervalPs,
                        p.ratePeriodPs,
                        p.byteCounter,
                        p.fastRecoverySteps,
                        p.additiveIncreaseBps,
                        p.hyperIncreaseBps,
                        p.hyperIncreaseLimit,
                        p.minRateBps,
                        p.clampTargetRate,
                        p.keepTargetRate);
    };
    return all(*this) == all(other);
}

DcqcnController::DcqcnController(const DcqcnParameters& parameters, uint64_t lineRateBps)
    : DcqcnController(std::make_shared<const DcqcnParameters>(parameters), lineRateBps)
{
}

DcqcnController::DcqcnController(std::shared_ptr<const DcqcnParameters> parameters,
                                 uint64_t lineRateBps)
    : m_lineRate(static_cast<double>(lineRateBps)),
      m_rate(m_lineRate),
      m_target(m_lineRate),
      m_alphaDue(0),
      m_rateDue(0),
      m_parameters(std::move(parameters))
{
}

void
DcqcnController::Increase()
{
    uint32_t timer = m_timerCount;
    // Without a byte counter, the timer stage alone decides.
    uint32_t bytes = m_parameters->byteCounter == 0 ? timer : m_byteCount;
    if (std::min(timer, bytes) > m_parameters->fastRecoverySteps)
    {
        m_hyperCount += m_hyperCount < m_parameters->hyperIncreaseLimit;
        m_target += m_gain * m_hyperCount * m_parameters->hyperIncreaseBps;
    }
    else if (std::max(timer, bytes) >= m_parameters->fastRecoverySteps)
    {
        m_target += m_gain * m_parameters->additiveIncreaseBps;
    }
    if (m_parameters->clampTargetRate)
    {
        m_target = std::min(m_target, m_lineRate);
    }
    m_rate = std::min((m_target + m_rate) / 2, m_lineRate);
}

void
DcqcnController::Advance(int64_t now)
{
    if (!m_congested)
    {
        return;
    }
    if (m_cnpWaits && m_decreaseDue <= now)
    {
        AdvanceTimers(m_decreaseDue);
        Decrease(m_decreaseDue);
    }
    AdvanceTimers(now);
}

void
DcqcnController::AdvanceTimers(int64_t now)
{
    while (m_alphaDue <= now && m_alpha > NO_ALPHA)
    {
        m_alpha *= 1 - m_parameters->g;
        m_alphaDue += m_parameters->alphaPeriodPs;
    }
    while (m_rateDue <= now)
    {
        if (m_rate >= m_lineRate && m_target >= m_lineRate)
        {
            // Fully recovered: further increases change nothing until the next CNP.
            break;
        }
        ++m_timerCount;
        Increase();
        m_rateDue += m_parameters->ratePeriodPs;
    }
}

double
DcqcnController::OnSend(SendSample sample)
{
    if (!m_congested)
    {
        return UNPACED;
    }
    Advance(sample.now);
    double rate = m_rate;
    if (m_parameters->byteCounter != 0)
    {
        m_bytes += sample.wireBytes;
        while (m_bytes >= m_parameters->byteCounter)
        {
            m_bytes -= m_parameters->byteCounter;
            ++m_byteCount;
            Increase();
        }
    }
    // At line rate the port itself is the limit.
    return rate >= m_lineRate ? UNPACED : rate;
}

void
DcqcnController::OnCnp(int64_t now)
{
    Advance(now);
    if (m_congested && now < m_decreaseDue)
    {
        // One decrease an interval, if a CNP came in it.
        m_cnpWaits = true;
        return;
    }
    Decrease(now);
}

void
DcqcnController::Decrease(int64_t now)
{
    m_cnpWaits = false;
    m_decreaseDue = now + m_parameters->decreaseIntervalPs;
    if (!m_parameters->keepTargetRate || !m_congested || m_timerCount + m_byteCount > 0)
    {
        m_target = m_rate;
    }
    m_congested = true;
    m_rate = std::max(m_rate * (1 - m_alpha / 2), m_parameters->minRateBps);
    m_alpha = (1 - m_parameters->g) * m_alpha + m_parameters->g;
    m_alphaDue = now + m_parameters->alphaPeriodPs;
    m_rateDue = now + m_parameters->ratePeriodPs;
    m_timerCount = m_byteCount = m_hyperCount = 0;
    m_bytes = 0;
}

SendLimits
DcqcnController::GetLimits(int64_t now)
{
    Advance(now);
    return {m_rate, SendLimits::NO_WINDOW};
}

double
DcqcnController::GetTargetRate(int64_t now)
{
    Advance(now);
    return m_target;
}

double
DcqcnController::GetAlpha(int64_t now)
{
    Advance(now);
    return m_alpha;
}

TypeId
Dcqcn::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::Dcqcn")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("GpuFabric")
            .AddConstructor<Dcqcn>()
            .AddAttribute("Preset",
                          "Parameters of the DCQCN paper, those that the public HPCC simulator "
                          "runs with, or the defaults of ConnectX adapters in their vendor's "
                          "documents.",
                          NameValue<DcqcnPreset>(DcqcnPreset::PAPER),
                          MakeNameAccessor<DcqcnPreset>(&Dcqcn::m_preset),
                          MakeNameChecker<DcqcnPreset>())
            .AddAttribute("G",
                          "g: gain of alpha. 0: the preset's.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&Dcqcn::m_g),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("AlphaPeriod",
                          "K: time without a CNP after which alpha decays. 0: the preset's.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&Dcqcn::m_alphaPeriod),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("CnpInterval",
                          "N: least time between two CNPs of a flow, at the receiver. 0: the "
                          "preset's.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&Dcqcn::m_cnpInterval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "DecreaseInterval",
                "Least time between two decreases of R_C, at the sender; a CNP in between "
                "takes effect at its end (the paper has none). 0: the preset's; 1ps: "
                "none.",
                TimeValue(Time(0)),
                MakeTimeAccessor(&Dcqcn::m_decreaseInterval),
                MakeTimeChecker(Time(0)))
            .AddAttribute("RatePeriod",
                          "T: timer of the rate increase. 0: the preset's.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&Dcqcn::m_ratePeriod),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("UseByteCounter",
                          "Whether bytes sent increase the rate as the timer does.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&Dcqcn::m_useByteCounter),
                          MakeBooleanChecker())
            .AddAttribute("ByteCounter",
                          "B: bytes sent between two increases. 0: the preset's.",
                          ByteSizeValue(0),
                          MakeByteSizeAccessor(&Dcqcn::m_byteCounter),
                          MakeByteSizeChecker())
            .AddAttribute("FastRecoverySteps",
                          "F: increases of fast recovery. 0: the preset's.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&Dcqcn::m_fastRecoverySteps),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("AdditiveIncrease",
                          "R_AI. 0bps: the preset's.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&Dcqcn::m_additiveIncrease),
                          MakeDataRateChecker())
            .AddAttribute("HyperIncrease",
                          "R_HAI. 0bps: the preset's.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&Dcqcn::m_hyperIncrease),
                          MakeDataRateChecker())
            .AddAttribute(
                "HyperIncreaseLimit",
                "Most that i, which counts hyper increases in a row, may be; 1: each adds "
                "R_HAI alone. Unlimited, as in the paper, two flows at 100 Gb/s and four at 400 "
                "Gb/s do not share a link evenly.",
                UintegerValue(UINT32_MAX),
                MakeUintegerAccessor(&Dcqcn::m_hyperIncreaseLimit),
                MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MinRate",
                          "Least sending rate. 0bps: the preset's.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&Dcqcn::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("ClampTargetRate",
                          "Whether R_T is held at the line rate.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&Dcqcn::m_clamp),
                          MakeBooleanChecker())
            .AddAttribute("KeepTargetRate",
                          "Whether a CNP that follows another before any increase leaves R_T as it "
                          "is, not setting it to R_C.",
                          NameValue<PresetSwitch>(PresetSwitch::PRESET),
                          MakeNameAccessor<PresetSwitch>(&Dcqcn::m_keepTargetRate),
                          MakeNameChecker<PresetSwitch>());
    return tid;
}

DcqcnParameters
Dcqcn::GetParameters(uint64_t lineRateBps) const
{
    DcqcnParameters p;
    p.clampTargetRate = m_clamp;
    p.hyperIncreaseLimit = m_hyperIncreaseLimit;
    p.minRateBps = 100e6;
    switch (m_preset)
    {
    case DcqcnPreset::HPCC:
        // run.py of the HPCC simulator, `dcqcn`: increments are a fraction of the line rate.
        p.alphaPeriodPs = 1 * US;
        p.cnpIntervalPs = 4 * US;
        p.decreaseIntervalPs = 4 * US;
        p.ratePeriodPs = 300 * US;
        p.byteCounter = 0;
        p.fastRecoverySteps = 1;
        p.keepTargetRate = true;
        p.additiveIncreaseBps = 20e6 * static_cast<double>(lineRateBps) / 100e9;
        p.hyperIncreaseBps = 200e6 * static_cast<double>(lineRateBps) / 100e9;
        break;
    case DcqcnPreset::CONNECTX:
        // Parameter names in the vendor's documents: dce_tcp_g, dce_tcp_rtt, min_time_between_cnps,
        // rate_reduce_monitor_period, rpg_time_reset, rpg_byte_reset, rpg_threshold, rpg_ai_rate,
        // rpg_hai_rate, clamp_tgt_rate off.
        p.g = 1.0 / 205;
        p.alphaPeriodPs = 1 * US;
        p.cnpIntervalPs = 4 * US;
        p.decreaseIntervalPs = 4 * US;
        p.ratePeriodPs = 300 * US;
        p.byteCounter = 32'767;
        p.fastRecoverySteps = 1;
        p.keepTargetRate = true;
        p.additiveIncreaseBps = 5e6;
        p.hyperIncreaseBps = 50e6;
        break;
    case DcqcnPreset::PAPER:
        p.alphaPeriodPs = 55 * US;
        p.cnpIntervalPs = 50 * US;
        p.ratePeriodPs = 55 * US;
        p.byteCounter = 10'000'000;
        p.fastRecoverySteps = 5;
        p.additiveIncreaseBps = 40e6;
        // The paper gives no R_HAI. Because it is multiplied by i, ten times R_AI (QCN's ratio)
        // would keep two flows at 100 Gb/s from ever sharing evenly.
        p.hyperIncreaseBps = 40e6;
    }
    if (m_g > 0)
    {
        p.g = m_g;
    }
    if (m_alphaPeriod.IsStrictlyPositive())
    {
        p.alphaPeriodPs = m_alphaPeriod.GetTimeStep();
    }
    if (m_cnpInterval.IsStrictlyPositive())
    {
        p.cnpIntervalPs = m_cnpInterval.GetTimeStep();
    }
    if (m_decreaseInterval.IsStrictlyPositive())
    {
        p.decreaseIntervalPs = m_decreaseInterval.GetTimeStep();
    }
    if (m_keepTargetRate != PresetSwitch::PRESET)
    {
        p.keepTargetRate = m_keepTargetRate == PresetSwitch::YES;
    }
    if (m_ratePeriod.IsStrictlyPositive())
    {
        p.ratePeriodPs = m_ratePeriod.GetTimeStep();
    }
    if (m_byteCounter > 0)
    {
        p.byteCounter = m_byteCounter;
    }
    if (!m_useByteCounter)
    {
        p.byteCounter = 0;
    }
    if (m_fastRecoverySteps > 0)
    {
        p.fastRecoverySteps = m_fastRecoverySteps;
    }
    if (m_additiveIncrease.GetBitRate() > 0)
    {
        p.additiveIncreaseBps = static_cast<double>(m_additiveIncrease.GetBitRate());
    }
    if (m_hyperIncrease.GetBitRate() > 0)
    {
        p.hyperIncreaseBps = static_cast<double>(m_hyperIncrease.GetBitRate());
    }
    if (m_minRate.GetBitRate() > 0)
    {
        p.minRateBps = static_cast<double>(m_minRate.GetBitRate());
    }
    return p;
}

std::unique_ptr<RateController>
Dcqcn::CreateController(const FlowContext& flow) const
{
    return std::make_unique<DcqcnController>(ShareParameters(flow.lineRateBps), flow.lineRateBps);
}

std::shared_ptr<const DcqcnParameters>
Dcqcn::ShareParameters(uint64_t lineRateBps) const
{
    const DcqcnParameters parameters = GetParameters(lineRateBps);
    if (!m_shared || !(*m_shared == parameters))
    {
        NS_LOG_LOGIC("preset " << ToName(m_preset) << " at " << lineRateBps << " bit/s");
        m_shared = std::make_shared<const DcqcnParameters>(parameters);
    }
    return m_shared;
}

bool
Dcqcn::IsIdleUntilCnp() const
{
    return true;
}

CongestionFeedback
Dcqcn::GetFeedback() const
{
    CongestionFeedback feedback;
    feedback.kinds = FEEDBACK_CNP;
    feedback.cnpIntervalPs = GetParameters(1'000'000'000).cnpIntervalPs;
    return feedback;
}

} // namespace ns3
