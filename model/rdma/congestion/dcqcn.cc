/* SPDX-License-Identifier: GPL-2.0-only */
#include "dcqcn.h"

#include "../../base/enum-value.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/quantity-value.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <string>
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

/// The first end of a period after now [ps]. \param due an end that is not later
int64_t
GetNext(int64_t due, int64_t period, int64_t now)
{
    return due + ((now - due) / period + 1) * period;
}

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
                        p.keepTargetRate,
                        p.lowerTargetRate,
                        p.periodic);
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
    if (m_parameters->keepTargetRate && m_parameters->lowerTargetRate &&
        m_timerCount + m_byteCount == 1 && m_target > 10 * m_rate)
    {
        m_target /= 8;
    }
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
    if (m_parameters->periodic && m_decreaseDue <= now)
    {
        m_decreaseDue = GetNext(m_decreaseDue, m_parameters->decreaseIntervalPs, now);
    }
}

void
DcqcnController::AdvanceTimers(int64_t now)
{
    while (m_alphaDue <= now && (m_alpha > NO_ALPHA || m_cnpNoted))
    {
        m_alpha = (1 - m_parameters->g) * m_alpha + (m_cnpNoted ? m_parameters->g : 0);
        m_cnpNoted = false;
        m_alphaDue += m_parameters->alphaPeriodPs;
    }
    if (m_parameters->periodic && m_alphaDue <= now)
    {
        m_alphaDue = GetNext(m_alphaDue, m_parameters->alphaPeriodPs, now);
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
    if (m_parameters->periodic)
    {
        m_cnpWaits = true;
        m_cnpNoted = m_congested; // the first one sets alpha to 1
        if (!m_congested)
        {
            m_congested = true;
            m_alphaDue = now + m_parameters->alphaPeriodPs;
            m_decreaseDue = now + m_parameters->decreaseIntervalPs;
        }
        return;
    }
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
    if (!m_parameters->periodic)
    {
        m_alpha = (1 - m_parameters->g) * m_alpha + m_parameters->g;
        m_alphaDue = now + m_parameters->alphaPeriodPs;
    }
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
                          "Parameters, and marking thresholds where ns3::RedEcnMarker has none: "
                          "scaled, which fit the rate of the NIC; those of the DCQCN paper at 40 "
                          "Gb/s; those that the public HPCC simulator runs with, and a variant "
                          "of them (hpcc-i) whose hyper increases count; or the defaults of "
                          "ConnectX adapters in their vendor's documents.",
                          NameValue<DcqcnPreset>(DcqcnPreset::SCALED),
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
                "Gb/s do not share a link evenly. 0: the preset's.",
                UintegerValue(0),
                MakeUintegerAccessor(&Dcqcn::m_hyperIncreaseLimit),
                MakeUintegerChecker<uint32_t>())
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
                          MakeNameChecker<PresetSwitch>())
            .AddAttribute("LowerTargetRate",
                          "With KeepTargetRate, whether an R_T of more than ten times R_C is "
                          "divided by eight at the first increase (IEEE 802.1Qau, recollected, not "
                          "checked against it).",
                          NameValue<PresetSwitch>(PresetSwitch::PRESET),
                          MakeNameAccessor<PresetSwitch>(&Dcqcn::m_lowerTargetRate),
                          MakeNameChecker<PresetSwitch>())
            .AddAttribute("Periodic",
                          "Whether a CNP is only noted, and alpha and R_C follow it at the ends of "
                          "AlphaPeriod and DecreaseInterval, which run from the first CNP on, as "
                          "in adapters; in the paper they follow at once.",
                          NameValue<PresetSwitch>(PresetSwitch::PRESET),
                          MakeNameAccessor<PresetSwitch>(&Dcqcn::m_periodic),
                          MakeNameChecker<PresetSwitch>());
    return tid;
}

namespace
{

/// What a preset is: parameters, the marking that they are meant for, and the rates.
struct DcqcnDeclaration
{
    DcqcnParameters parameters;
    EcnProfile ecn;
    uint64_t lowBps{0};  ///< [bit/s]
    uint64_t highBps{0}; ///< [bit/s]; 0: all rates
};

constexpr uint64_t GBPS = 1'000'000'000; ///< [bit/s]

/// The one declaration of each preset. \param lineRateBps of the NIC [bit/s]
DcqcnDeclaration
Declare(DcqcnPreset preset, uint64_t lineRateBps)
{
    DcqcnDeclaration declared;
    DcqcnParameters& p = declared.parameters;
    const auto rate = static_cast<double>(lineRateBps);
    switch (preset)
    {
    case DcqcnPreset::SCALED:
        // Timers and F of the paper. Increments are shares of the rate, so that flows of any rate
        // grow alike: R_AI 0.8 of what the paper's is at 40 Gb/s.
        p.alphaPeriodPs = 55 * US;
        p.ratePeriodPs = 55 * US;
        p.fastRecoverySteps = 5;
        p.additiveIncreaseBps = rate * 0.8 / 1'000;
        // What the line sends in 6 us, 30 KB at 40 Gb/s, where ConnectX has 32,767 B: the more
        // flows share a link, the more seldom each grows, so that all together always grow alike.
        p.byteCounter = std::max<uint64_t>(lineRateBps / 8 * 6 / 1'000'000, 1);
        // A flow at half the rate, without CNPs, is at 95 % of it in 0.9 ms: six periods until T is
        // beyond F, then some 80 increases, 6 to 12 us each. A constant one, as adapters have it:
        // i R_HAI is unfair.
        p.hyperIncreaseBps = rate * 5 / 1'000;
        p.hyperIncreaseLimit = 1;
        // Between the 4 us of adapters, with which two flows are cut too often to fill a link, and
        // the 50 us of the paper, with which the queue of many flows is too long before they slow
        // down. Alpha is the mean of so many CNPs.
        p.cnpIntervalPs = 20 * US;
        p.g = 1.0 / 64;
        // A queue that was built at line rate is full of marks, and each series of CNPs would end
        // near the least rate: fast recovery goes back towards the rate before the series, as
        // adapters do, but not where many flows would be too many. Both rules are of IEEE 802.1Qau,
        // the second recollected, not checked against the standard.
        p.keepTargetRate = true;
        p.lowerTargetRate = true;
        // 64 flows at the least rate take a fifteenth of the link: the queue that they have built
        // drains.
        p.minRateBps = rate / 1'000;
        // From 2 to 80 us of the port's rate, up to a certain mark: with a long way from K_min to
        // K_max, flows are cut one by one, not all of them.
        declared.ecn = {25'000, 1'000'000, 1, 100 * GBPS};
        break;
    case DcqcnPreset::HPCC:
        // run.py of the HPCC simulator, `dcqcn`, and its rdma-hw.cc. Increments are a fraction of
        // the line rate, K_min and K_max the default of EcnProfile. Its F of 1 counts the increases
        // before the one at hand, so that one step of fast recovery and one additive one precede
        // the hyper increases, each of R_HAI alone. Its receiver marks every acknowledgement, so
        // that there is a CNP in each period of alpha in which a frame was marked.
        p.periodic = true;
        p.alphaPeriodPs = 1 * US;
        p.cnpIntervalPs = 1 * US;
        p.decreaseIntervalPs = 4 * US;
        p.ratePeriodPs = 300 * US;
        p.byteCounter = 0;
        p.fastRecoverySteps = 2;
        p.keepTargetRate = true;
        p.additiveIncreaseBps = 20e6 * rate / 100e9;
        p.hyperIncreaseBps = 200e6 * rate / 100e9;
        p.hyperIncreaseLimit = 1;
        p.minRateBps = 1'000e6; // at every rate
        break;
    case DcqcnPreset::HPCC_I:
        // Not that of the simulator, but a variant that figures in scenarios/papers were made with:
        // a CNP acts at once, i counts, and the first increase is additive.
        p.alphaPeriodPs = 1 * US;
        p.cnpIntervalPs = 4 * US;
        p.decreaseIntervalPs = 4 * US;
        p.ratePeriodPs = 300 * US;
        p.byteCounter = 0;
        p.fastRecoverySteps = 1;
        p.keepTargetRate = true;
        p.additiveIncreaseBps = 20e6 * rate / 100e9;
        p.hyperIncreaseBps = 200e6 * rate / 100e9;
        p.minRateBps = 100e6;
        break;
    case DcqcnPreset::CONNECTX:
        // Parameter names in the vendor's documents: dce_tcp_g, dce_tcp_rtt, min_time_between_cnps,
        // rate_reduce_monitor_period, rpg_time_reset, rpg_byte_reset, rpg_threshold, rpg_ai_rate,
        // rpg_hai_rate, clamp_tgt_rate off. The documents have no marking: that of the HPCC
        // simulator stands in. Their rpg_min_rate is 1 Mb/s, at which the next frame would start 33
        // ms later, whatever the rate is by then.
        p.periodic = true;
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
        p.hyperIncreaseLimit = 1;
        p.minRateBps = 100e6;
        declared.lowBps = 25 * GBPS;
        declared.highBps = 100 * GBPS;
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
        p.minRateBps = 100e6;
        declared.ecn = {5'000, 200'000, 0.01, 40 * GBPS};
        declared.lowBps = 40 * GBPS;
        declared.highBps = 40 * GBPS;
    }
    return declared;
}

} // namespace

DcqcnParameters
Dcqcn::GetParameters(uint64_t lineRateBps) const
{
    DcqcnParameters p = Declare(m_preset, lineRateBps).parameters;
    p.clampTargetRate = m_clamp;
    if (m_hyperIncreaseLimit > 0)
    {
        p.hyperIncreaseLimit = m_hyperIncreaseLimit;
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
    if (m_lowerTargetRate != PresetSwitch::PRESET)
    {
        p.lowerTargetRate = m_lowerTargetRate == PresetSwitch::YES;
    }
    if (m_periodic != PresetSwitch::PRESET)
    {
        p.periodic = m_periodic == PresetSwitch::YES;
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

EcnProfile
Dcqcn::GetEcnProfile() const
{
    return Declare(m_preset, GBPS).ecn;
}

DesignRates
Dcqcn::GetDesignRates() const
{
    const DcqcnDeclaration declared = Declare(m_preset, GBPS);
    // Who sets the increase has chosen it for the rate at hand.
    const bool isChosen = m_additiveIncrease.GetBitRate() > 0;
    return {"preset " + std::string(ToName(m_preset)) + " of ns3::Dcqcn",
            declared.lowBps,
            isChosen ? 0 : declared.highBps};
}

std::vector<PresetValue>
Dcqcn::GetPresetValues(uint64_t lineRateBps) const
{
    const DcqcnParameters p = GetParameters(lineRateBps);
    std::vector<PresetValue> values;
    const auto add = [&values](const char* name, bool isPreset, Ptr<const AttributeValue> value) {
        if (isPreset)
        {
            values.push_back({std::string("ns3::Dcqcn::") + name, value});
        }
    };
    const auto ofSwitch = [](bool on) {
        return Create<NameValue<PresetSwitch>>(on ? PresetSwitch::YES : PresetSwitch::NO);
    };
    const auto ofRate = [](double bps) {
        return Create<DataRateValue>(DataRate(static_cast<uint64_t>(std::llround(bps))));
    };
    const auto ofTime = [](int64_t ps) { return Create<TimeValue>(PicoSeconds(ps)); };
    add("G", m_g == 0, Create<DoubleValue>(p.g));
    add("AlphaPeriod", m_alphaPeriod.IsZero(), ofTime(p.alphaPeriodPs));
    add("CnpInterval", m_cnpInterval.IsZero(), ofTime(p.cnpIntervalPs));
    // 1 ps is none, as 0 is the preset's.
    add("DecreaseInterval",
        m_decreaseInterval.IsZero(),
        ofTime(std::max<int64_t>(p.decreaseIntervalPs, 1)));
    add("RatePeriod", m_ratePeriod.IsZero(), ofTime(p.ratePeriodPs));
    add("ByteCounter", m_byteCounter == 0, Create<ByteSizeValue>(p.byteCounter));
    add("UseByteCounter",
        m_useByteCounter && p.byteCounter == 0,
        Create<BooleanValue>(p.byteCounter != 0));
    add("FastRecoverySteps", m_fastRecoverySteps == 0, Create<UintegerValue>(p.fastRecoverySteps));
    add("AdditiveIncrease", m_additiveIncrease.GetBitRate() == 0, ofRate(p.additiveIncreaseBps));
    add("HyperIncrease", m_hyperIncrease.GetBitRate() == 0, ofRate(p.hyperIncreaseBps));
    add("HyperIncreaseLimit",
        m_hyperIncreaseLimit == 0,
        Create<UintegerValue>(p.hyperIncreaseLimit));
    add("MinRate", m_minRate.GetBitRate() == 0, ofRate(p.minRateBps));
    add("KeepTargetRate", m_keepTargetRate == PresetSwitch::PRESET, ofSwitch(p.keepTargetRate));
    add("LowerTargetRate", m_lowerTargetRate == PresetSwitch::PRESET, ofSwitch(p.lowerTargetRate));
    add("Periodic", m_periodic == PresetSwitch::PRESET, ofSwitch(p.periodic));
    return values;
}

} // namespace ns3
