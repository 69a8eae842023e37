/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DCQCN_H
#define GPU_FABRIC_DCQCN_H

#include "ns3/data-rate.h"
#include "ns3/enum-names.h"
#include "ns3/nstime.h"
#include "ns3/rdma-congestion-control.h"

#include <memory>

namespace ns3
{

/// The set of DCQCN parameters that apply where no attribute overrides them.
enum class DcqcnPreset : uint8_t
{
    SCALED,  ///< for every rate: what grows with the rate of the NIC
    PAPER,   ///< the DCQCN paper, at 40 Gb/s
    HPCC,    ///< the DCQCN that the public HPCC simulator runs
    HPCC_I,  ///< the HPCC simulator's increments, but i R_HAI and decreases as in the paper
    CONNECTX ///< defaults of ConnectX adapters in their vendor's documents
};

template <>
struct EnumNames<DcqcnPreset>
{
    static constexpr EnumName<DcqcnPreset> TABLE[] = {{DcqcnPreset::SCALED, "scaled"},
                                                      {DcqcnPreset::PAPER, "paper"},
                                                      {DcqcnPreset::HPCC, "hpcc"},
                                                      {DcqcnPreset::HPCC_I, "hpcc-i"},
                                                      {DcqcnPreset::CONNECTX, "connectx"}};
};

/// A switch that follows the preset unless it is set explicitly.
enum class PresetSwitch : uint8_t
{
    PRESET, ///< as in the preset
    YES,
    NO
};

template <>
struct EnumNames<PresetSwitch>
{
    static constexpr EnumName<PresetSwitch> TABLE[] = {{PresetSwitch::PRESET, "preset"},
                                                       {PresetSwitch::YES, "yes"},
                                                       {PresetSwitch::NO, "no"}};
};

/// The parameters of DCQCN with the paper's symbols (Zhu et al., SIGCOMM 2015, sections 3 and 5).
struct DcqcnParameters
{
    double g{1.0 / 256};           ///< g: gain of alpha
    int64_t alphaPeriodPs{0};      ///< timer of the alpha update [ps]
    int64_t cnpIntervalPs{0};      ///< N: least time between CNPs of a flow, at the receiver [ps]
    int64_t decreaseIntervalPs{0}; ///< least time between two decreases, at the sender [ps]
    int64_t ratePeriodPs{0};       ///< T: timer of the rate increase [ps]
    uint64_t byteCounter{0};       ///< B: bytes between increases [byte]; 0: none
    uint32_t fastRecoverySteps{5}; ///< F
    double additiveIncreaseBps{0}; ///< R_AI [bit/s]
    double hyperIncreaseBps{0};    ///< R_HAI [bit/s]
    uint32_t hyperIncreaseLimit{UINT32_MAX}; ///< upper bound of i
    double minRateBps{0};                    ///< least rate [bit/s]
    bool clampTargetRate{true};              ///< R_T never exceeds the line rate
    /// A CNP that follows another with no increase in between leaves R_T unchanged (EcnClampTgtRate
    /// off in the HPCC simulator, clamp_tgt_rate off in ConnectX); the paper sets R_T to R_C every
    /// time.
    bool keepTargetRate{false};
    /// With keepTargetRate: where R_T is more than ten times R_C at the first increase, it is
    /// divided by eight (IEEE 802.1Qau, which DCQCN is derived from; recollected).
    bool lowerTargetRate{false};
    /// A CNP is only noted. Alpha and the rate follow it at the ends of periods (alphaPeriodPs,
    /// decreaseIntervalPs) that run from the first CNP on, as in adapters and in the HPCC
    /// simulator; in the paper they follow at once.
    bool periodic{false};

    bool operator==(const DcqcnParameters& other) const;
};

/**
 * DCQCN at the sender (the reaction point). The timers behave like events but are evaluated lazily,
 * the next time the queue pair is accessed; the result is the same.
 */
class DcqcnController : public RateController
{
  public:
    DcqcnController(const DcqcnParameters& parameters, uint64_t lineRateBps);
    DcqcnController(std::shared_ptr<const DcqcnParameters> parameters, uint64_t lineRateBps);

    double OnSend(SendSample sample) override;
    void OnCnp(int64_t now) override;
    SendLimits GetLimits(int64_t now) override;
    /// R_T [bit/s].
    double GetTargetRate(int64_t now);
    /// alpha, the estimate of congestion.
    double GetAlpha(int64_t now);

    /// The factor applied to R_AI and R_HAI.
    double GetGain() const
    {
        return m_gain;
    }

  protected:
    void SetGain(double gain)
    {
        m_gain = gain;
    }

  private:
    /// Processes everything that is due by now, in order of time.
    void Advance(int64_t now);
    void AdvanceTimers(int64_t now);
    void Decrease(int64_t now);
    void Increase();

    // Two cache lines; most frames touch only the first.
    double m_lineRate;
    double m_rate;   ///< R_C [bit/s]
    double m_target; ///< R_T [bit/s]
    double m_alpha{1};
    int64_t m_alphaDue;                                  ///< next alpha update [ps]
    int64_t m_rateDue;                                   ///< next timer increase [ps]
    std::shared_ptr<const DcqcnParameters> m_parameters; ///< shared by all queue pairs of a NIC
    bool m_congested{false};  ///< a CNP has ever arrived; until then there is nothing to recover
    bool m_cnpWaits{false};   ///< a CNP arrived before m_decreaseDue
    bool m_cnpNoted{false};   ///< a CNP arrived before m_alphaDue (periodic only)
    uint32_t m_timerCount{0}; ///< T
    int64_t m_decreaseDue{0}; ///< no decrease before this time [ps]
    uint64_t m_bytes{0};      ///< since the last byte-counter event [byte]
    uint32_t m_byteCount{0};  ///< BC
    uint32_t m_hyperCount{0}; ///< i
    double m_gain{1};
};

/**
 * DCQCN with its parameters. `Preset` names a set; every other attribute overrides its value unless
 * left at 0.
 */
class Dcqcn : public RdmaCongestionControl
{
  public:
    static TypeId GetTypeId();
    std::unique_ptr<RateController> CreateController(const FlowContext& flow) const override;
    CongestionFeedback GetFeedback() const override;
    bool IsIdleUntilCnp() const override;
    EcnProfile GetEcnProfile() const override;
    DesignRates GetDesignRates() const override;
    std::vector<PresetValue> GetPresetValues(uint64_t lineRateBps) const override;

    /// Parameters in force at a given line rate [bit/s].
    DcqcnParameters GetParameters(uint64_t lineRateBps) const;

  protected:
    /// The same, shared by all callers with the same line rate.
    std::shared_ptr<const DcqcnParameters> ShareParameters(uint64_t lineRateBps) const;

  private:
    mutable std::shared_ptr<const DcqcnParameters> m_shared; ///< the set requested last
    DcqcnPreset m_preset;
    double m_g;
    Time m_alphaPeriod;
    Time m_cnpInterval;
    Time m_decreaseInterval;
    Time m_ratePeriod;
    uint64_t m_byteCounter;
    bool m_useByteCounter;
    uint32_t m_fastRecoverySteps;
    DataRate m_additiveIncrease;
    DataRate m_hyperIncrease;
    uint32_t m_hyperIncreaseLimit;
    DataRate m_minRate;
    bool m_clamp;
    PresetSwitch m_keepTargetRate;
    PresetSwitch m_lowerTargetRate;
    PresetSwitch m_periodic;
};

} // namespace ns3

#endif // GPU_FABRIC_DCQCN_H
