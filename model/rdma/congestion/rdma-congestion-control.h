/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RDMA_CONGESTION_CONTROL_H
#define GPU_FABRIC_RDMA_CONGESTION_CONTROL_H

#include "ns3/ecn-marker.h"
#include "ns3/frame-side.h"
#include "ns3/object.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// The feedback that the receiver and the switches give a sender: bits of
/// CongestionFeedback::kinds.
enum FeedbackKind : uint8_t
{
    FEEDBACK_CNP = 1,       ///< the receiver answers CE marks with CNPs
    FEEDBACK_ECN_ECHO = 2,  ///< acknowledgements echo CE marks
    FEEDBACK_TIMESTAMP = 4, ///< acknowledgements return a frame's time stamp, which gives an RTT
    FEEDBACK_INT = 8        ///< switches append telemetry, which acknowledgements return
};

/// The feedback that a congestion control needs. Feedback that is not requested is not generated
/// and costs nothing.
struct CongestionFeedback
{
    /// The kinds that each acknowledgement carries for itself.
    static constexpr uint8_t IN_ACKS = FEEDBACK_ECN_ECHO | FEEDBACK_TIMESTAMP | FEEDBACK_INT;

    uint8_t kinds{0};          ///< FeedbackKind
    int64_t cnpIntervalPs{-1}; ///< least time between two CNPs of a flow [ps]
    uint32_t ackInterval{0}; ///< frames per acknowledgement, at most; 0: the receiver's NIC decides
                             ///< (RoceNic::AckInterval)
    uint32_t headerBytes{0}; ///< added to the length of data frames and acknowledgements [byte]
};

/// The rates of NICs that parameters are meant for.
struct DesignRates
{
    std::string parameters; ///< such as "preset paper of ns3::Dcqcn"
    uint64_t lowBps{0};     ///< [bit/s]
    uint64_t highBps{0};    ///< [bit/s]; 0: all rates

    /// Whether a rate [bit/s] is more than twice the highest, or less than half the lowest.
    bool IsFar(uint64_t rateBps) const
    {
        return highBps != 0 && (rateBps / 2 > highBps || rateBps < lowBps / 2);
    }
};

/// What is known of a queue pair when its controller is created.
struct FlowContext
{
    uint64_t lineRateBps{0}; ///< of the sending NIC [bit/s]
    uint32_t mtu{4096};      ///< largest payload of a frame [byte]
    int64_t baseRttPs{0}; ///< from the start of a full frame to its acknowledgement on an idle path
                          ///< [ps]; 0: no path at present
    uint32_t hops{0};     ///< links on the path; 0: no path at present
};

/// A data frame, possibly a response to a READ, is being sent.
struct SendSample
{
    int64_t now;           ///< [ps]
    uint32_t wireBytes;    ///< [byte]
    uint32_t payloadBytes; ///< [byte]
};

/// An acknowledgement of data frames, with the feedback of the frame that triggered it.
struct AckSample
{
    int64_t now{0};            ///< [ps]
    uint64_t payloadBytes{0};  ///< acknowledged; each frame is counted as a full one [byte]
    uint32_t frames{0};        ///< acknowledged
    uint64_t inFlightBytes{0}; ///< sent and not acknowledged, counted in the same way [byte]
    /// FEEDBACK_TIMESTAMP: from the start of the frame to the arrival of this acknowledgement [ps];
    /// -1: none.
    int64_t rttPs{-1};
    bool ecnEchoed{false};             ///< FEEDBACK_ECN_ECHO: a frame arrived with CE
    const IntRecord* records{nullptr}; ///< FEEDBACK_INT: one record per hop, sender's switch first
    uint32_t recordCount{0};
};

/// The limits that a controller sets.
struct SendLimits
{
    static constexpr uint64_t NO_WINDOW = std::numeric_limits<uint64_t>::max();

    double rateBps{0};               ///< pacing rate [bit/s]
    uint64_t windowBytes{NO_WINDOW}; ///< payload that may be in flight [byte]; a frame always may
};

/**
 * The congestion-control state of one queue pair: events in, limits out.
 *
 * The transport reads the pacing rate for each frame, and the window after OnAck() and OnLoss() if
 * the algorithm needs feedback in acknowledgements (CongestionFeedback::IN_ACKS).
 */
class RateController
{
  public:
    /// A pacing rate at which the port itself is the only limit.
    static constexpr double UNPACED = std::numeric_limits<double>::infinity();

    virtual ~RateController() = default;
    /// A frame starts. \returns its pacing rate, or UNPACED [bit/s]
    virtual double OnSend(SendSample sample) = 0;
    /// A congestion notification packet arrived.
    virtual void OnCnp(int64_t now);
    /// Frames were acknowledged.
    virtual void OnAck(const AckSample& sample);
    /// A NAK arrived or a timeout expired.
    virtual void OnLoss(int64_t now);
    /// The limits in force; brings the state up to now.
    virtual SendLimits GetLimits(int64_t now) = 0;

    /// The sending rate [bit/s]; brings the state up to now.
    double GetRate(int64_t now)
    {
        return GetLimits(now).rateBps;
    }

    /// Time from the start of a frame until the next one may start [ps].
    static int64_t GetGap(double rateBps, uint32_t wireBytes)
    {
        return rateBps == UNPACED ? 0 : static_cast<int64_t>(wireBytes * 8e12 / rateBps);
    }
};

/**
 * A congestion-control algorithm and its parameters. It creates the state of each queue pair, as
 * TcpCongestionOps does for each socket, and declares the feedback that it needs from the receiver
 * and the switches, so that these need no mode of their own.
 */
class RdmaCongestionControl : public Object
{
  public:
    static TypeId GetTypeId();
    /// Creates the state of a queue pair.
    virtual std::unique_ptr<RateController> CreateController(const FlowContext& flow) const = 0;
    /// The feedback needed; queried once per queue pair.
    virtual CongestionFeedback GetFeedback() const;
    /// Whether a controller neither paces nor learns anything before its first CNP, so that its
    /// creation can be deferred until then.
    virtual bool IsIdleUntilCnp() const;
    /// How switches mark where their own attributes do not say it.
    virtual EcnProfile GetEcnProfile() const;
    /// The rates that the parameters in force are meant for.
    virtual DesignRates GetDesignRates() const;
    /// Values in force of attributes that are left to a preset, at the line rate of a NIC [bit/s].
    virtual std::vector<PresetValue> GetPresetValues(uint64_t lineRateBps) const;
};

} // namespace ns3

#endif // GPU_FABRIC_RDMA_CONGESTION_CONTROL_H
