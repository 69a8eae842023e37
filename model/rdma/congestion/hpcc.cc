/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/quantity-value.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <memory>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("Hpcc");

namespace
{

/// The parameters of HPCC with the paper's symbols.
struct HpccParameters
{
    double eta;           ///< target utilisation
    uint32_t maxStage;    ///< additive increases in a row
    double increaseBytes; ///< W_AI [byte]
    double minRateBps;    ///< [bit/s]
    int64_t baseRttPs;    ///< T [ps]
};

/// Algorithm 1 of the paper; the comments refer to its lines.
class HpccController : public RateController
{
  public:
    HpccController(const HpccParameters& parameters, uint64_t lineRateBps)
        : m_parameters(parameters),
          m_seconds(static_cast<double>(parameters.baseRttPs) / 1e12),
          m_largest(static_cast<double>(lineRateBps) / 8 * m_seconds),
          m_window(m_largest),
          m_reference(m_largest)
    {
    }

    double OnSend(SendSample /* sample */) override
    {
        return m_window >= m_largest ? UNPACED : GetPacing();
    }

    void OnAck(const AckSample& sample) override
    {
        m_acked += sample.payloadBytes;                       // ack.seq
        const uint64_t next = m_acked + sample.inFlightBytes; // snd_nxt
        if (sample.recordCount == 0)
        {
            return;
        }
        if (sample.recordCount != m_hops)
        {
            // The first acknowledgement, or the path has changed: there is nothing to compare with.
            m_update = next;
            Keep(sample);
            return;
        }
        const double utilisation = MeasureInflight(sample);
        const bool updates = m_acked > m_update; // lines 23 to 27
        m_window = ComputeWindow(utilisation, updates);
        if (updates)
        {
            m_update = next;
        }
        Keep(sample);
    }

    SendLimits GetLimits(int64_t /* now */) override
    {
        // Never more than the window allows, however the rate is rounded.
        return {GetPacing(), static_cast<uint64_t>(m_window)};
    }

  private:
    /// R = W / T [bit/s].
    double GetPacing() const
    {
        return m_window * 8 / m_seconds;
    }

    /// L = ack.L.
    void Keep(const AckSample& sample)
    {
        m_hops = std::min<uint32_t>(sample.recordCount, m_links.size());
        std::copy_n(sample.records, m_hops, m_links.begin());
    }

    /// Lines 1 to 10: U.
    double MeasureInflight(const AckSample& sample)
    {
        double largest = -1; // no link seen yet
        double tau = 0;
        for (uint32_t i = 0; i < m_hops; ++i)
        {
            const IntRecord& now = sample.records[i];
            const IntRecord& before = m_links[i];
            const double elapsed = static_cast<double>(now.timePs - before.timePs) / 1e12;
            const double bytesPerSecond = static_cast<double>(now.rateBps) / 8;
            if (elapsed <= 0 || bytesPerSecond == 0)
            {
                continue;
            }
            const double rate = static_cast<double>(now.txBytes - before.txBytes) / elapsed;
            const double queue = static_cast<double>(std::min(now.queueBytes, before.queueBytes));
            const double here = queue / (bytesPerSecond * m_seconds) + rate / bytesPerSecond;
            if (here > largest)
            {
                largest = here;
                tau = elapsed;
            }
        }
        if (largest < 0)
        {
            return m_utilisation;
        }
        tau = std::min(tau, m_seconds);
        m_utilisation = (1 - tau / m_seconds) * m_utilisation + tau / m_seconds * largest;
        return m_utilisation;
    }

    /// Lines 11 to 20: W.
    double ComputeWindow(double utilisation, bool updates)
    {
        double window;
        const bool multiplies = utilisation >= m_parameters.eta || m_stage >= m_parameters.maxStage;
        if (multiplies)
        {
            window = m_reference / (utilisation / m_parameters.eta) + m_parameters.increaseBytes;
        }
        else
        {
            window = m_reference + m_parameters.increaseBytes;
        }
        window = std::clamp(window,
                            std::min(m_parameters.minRateBps / 8 * m_seconds, m_largest),
                            m_largest);
        if (updates)
        {
            m_stage = multiplies ? 0 : m_stage + 1;
            m_reference = window;
        }
        return window;
    }

    HpccParameters m_parameters;
    double m_seconds;        ///< T [s]
    double m_largest;        ///< W_init = B_NIC x T [byte]
    double m_window;         ///< W [byte]
    double m_reference;      ///< W^c [byte]
    double m_utilisation{1}; ///< U: the largest of all links, averaged over T
    uint32_t m_stage{0};     ///< incStage
    uint32_t m_hops{0};      ///< links of L
    uint64_t m_acked{0};     ///< [byte]
    uint64_t m_update{0};    ///< lastUpdateSeq [byte]
    std::array<IntRecord, FrameSide::MAX_HOPS> m_links; ///< L
};

} // namespace

/**
 * HPCC (Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, Algorithm 1): switches
 * append to each frame the bytes that their egress port has sent and queued; the sender keeps the
 * bytes in flight on the busiest link of the path at a fraction eta of what the link can hold.
 *
 * A window never exceeds W_init, nor falls below what the minimum rate needs. U starts at 1, as in
 * the authors' simulator; the paper does not specify it.
 */
class Hpcc : public RdmaCongestionControl
{
  public:
    static TypeId GetTypeId();
    std::unique_ptr<RateController> CreateController(const FlowContext& flow) const override;
    CongestionFeedback GetFeedback() const override;

  private:
    double m_eta;
    uint32_t m_maxStage;
    uint64_t m_increase; ///< [byte]
    Time m_baseRtt;
    uint64_t m_minRate;     ///< [bit/s]
    uint32_t m_headerBytes; ///< [byte]
    uint32_t m_ackInterval;
};

NS_OBJECT_ENSURE_REGISTERED(Hpcc);

TypeId
Hpcc::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::Hpcc")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("GpuFabric")
            .AddConstructor<Hpcc>()
            .AddAttribute("Eta",
                          "eta: share of a link that may be used (HPCC, SIGCOMM "
                          "2019, section 5).",
                          DoubleValue(0.95),
                          MakeDoubleAccessor(&Hpcc::m_eta),
                          MakeDoubleChecker<double>(0.01, 1))
            .AddAttribute("MaxStage",
                          "maxStage: additive increases in a row, before the "
                          "window follows the "
                          "utilisation again.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Hpcc::m_maxStage),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("AdditiveIncrease",
                          "W_AI: by which a window grows, for fairness. With N "
                          "flows on a link it "
                          "should be below W_init x (1 - eta) / N.",
                          ByteSizeValue(80),
                          MakeByteSizeAccessor(&Hpcc::m_increase),
                          MakeByteSizeChecker())
            .AddAttribute("BaseRtt",
                          "T: round-trip time without queues, the same for all "
                          "flows in the paper. "
                          "0: that of each flow's path, for a full frame.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&Hpcc::m_baseRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MinRate",
                          "Least rate; the window is at least what it sends in T "
                          "(the authors' "
                          "simulator has it, the paper does not).",
                          BitRateValue(100'000'000),
                          MakeBitRateAccessor(&Hpcc::m_minRate),
                          MakeBitRateChecker(1))
            .AddAttribute("IntBytes",
                          "Room for telemetry in each data frame and acknowledgement. 42B "
                          "holds "
                          "five hops of eight bytes, as in the paper (section 4.1).",
                          ByteSizeValue(42),
                          MakeByteSizeAccessor(&Hpcc::m_headerBytes),
                          MakeByteSizeChecker(0, 1'024))
            .AddAttribute("AckInterval",
                          "Frames that an acknowledgement is for, at most; in "
                          "the paper each frame "
                          "is acknowledged. It holds where it is below that of "
                          "the receiving NIC.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&Hpcc::m_ackInterval),
                          MakeUintegerChecker<uint32_t>(1, 65'536));
    return tid;
}

std::unique_ptr<RateController>
Hpcc::CreateController(const FlowContext& flow) const
{
    HpccParameters parameters{};
    parameters.eta = m_eta;
    parameters.maxStage = m_maxStage;
    parameters.increaseBytes = static_cast<double>(m_increase);
    parameters.minRateBps = static_cast<double>(m_minRate);
    parameters.baseRttPs = m_baseRtt.IsStrictlyPositive() ? m_baseRtt.GetTimeStep()
                                                          : std::max<int64_t>(flow.baseRttPs, 1);
    NS_LOG_LOGIC("T is " << parameters.baseRttPs << " ps");
    return std::make_unique<HpccController>(parameters, flow.lineRateBps);
}

CongestionFeedback
Hpcc::GetFeedback() const
{
    CongestionFeedback feedback;
    feedback.kinds = FEEDBACK_INT;
    feedback.ackInterval = m_ackInterval;
    feedback.headerBytes = m_headerBytes;
    return feedback;
}

} // namespace ns3
