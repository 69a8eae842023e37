/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RDMA_CONGESTION_CONTROL_H
#define GPU_FABRIC_RDMA_CONGESTION_CONTROL_H

#include "ns3/frame-side.h"
#include "ns3/object.h"

#include <cstdint>
#include <limits>
#include <memory>

namespace ns3
{

/// What the receiver and the switches tell a sender: bits of CongestionFeedback::kinds.
enum FeedbackKind : uint8_t
{
    FEEDBACK_CNP = 1,       ///< the receiver answers CE marks with CNPs
    FEEDBACK_ECN_ECHO = 2,  ///< acknowledgements tell of CE marks
    FEEDBACK_TIMESTAMP = 4, ///< acknowledgements return the time stamp of a frame: they give an RTT
    FEEDBACK_INT = 8        ///< switches append telemetry, which acknowledgements return
};

/// The feedback that a congestion control needs. What is not asked for, is not there and costs
/// nothing.
struct CongestionFeedback
{
    /// Of these, each acknowledgement has its own.
    static constexpr uint8_t IN_ACKS = FEEDBACK_ECN_ECHO | FEEDBACK_TIMESTAMP | FEEDBACK_INT;

    uint8_t kinds{0};          ///< FeedbackKind
    int64_t cnpIntervalPs{-1}; ///< least time between two CNPs of a flow [ps]
    uint32_t ackInterval{0};   ///< frames an acknowledgement at most; 0: what the receiver's NIC
                               ///< has (RoceNic::AckInterval)
    uint32_t headerBytes{0};   ///< by which data frames and acknowledgements are longer [byte]
};

/// What is known of a queue pair when its controller is made.
struct FlowContext
{
    uint64_t lineRateBps{0}; ///< of the sending NIC [bit/s]
    uint32_t mtu{4096};      ///< largest payload of a frame [byte]
    int64_t baseRttPs{0};    ///< from a full frame's start to its acknowledgement on the idle path
                             ///< [ps]; 0: there is none now
    uint32_t hops{0};        ///< wires of the path; 0: there is none now
};

/// A frame of data is being sent, the response to a READ included.
struct SendSample
{
    int64_t now;           ///< [ps]
    uint32_t wireBytes;    ///< [byte]
    uint32_t payloadBytes; ///< [byte]
};

/// Frames of data are acknowledged, and what came with that: of the frame that caused it.
struct AckSample
{
    int64_t now{0};            ///< [ps]
    uint64_t payloadBytes{0};  ///< acknowledged; each frame is counted as a full one [byte]
    uint32_t frames{0};        ///< acknowledged
    uint64_t inFlightBytes{0}; ///< sent and not acknowledged, counted likewise [byte]
    /// FEEDBACK_TIMESTAMP: from the start of the frame to this acknowledgement [ps]; -1: none.
    int64_t rttPs{-1};
    bool ecnEchoed{false};             ///< FEEDBACK_ECN_ECHO: a frame arrived with CE
    const IntRecord* records{nullptr}; ///< FEEDBACK_INT: by hop, the sender's switch first
    uint32_t recordCount{0};
};

/// What a controller allows.
struct SendLimits
{
    static constexpr uint64_t NO_WINDOW = std::numeric_limits<uint64_t>::max();

    double rateBps{0};               ///< pacing rate [bit/s]
    uint64_t windowBytes{NO_WINDOW}; ///< payload that may be in flight [byte]; a frame always may
};

/**
 * The congestion-control state of one queue pair: events in, limits out.
 *
 * The transport asks for the pacing rate with each frame, and for the window after OnAck() and
 * OnLoss() if the control needs feedback in acknowledgements (CongestionFeedback::IN_ACKS).
 */
class RateController
{
  public:
    /// A pacing rate that leaves the port itself as the limit.
    static constexpr double UNPACED = std::numeric_limits<double>::infinity();

    virtual ~RateController() = default;
    /// A frame starts. \returns the rate at which it is paced, or UNPACED [bit/s]
    virtual double OnSend(SendSample sample) = 0;
    /// A congestion notification packet arrived.
    virtual void OnCnp(int64_t now);
    /// Frames were acknowledged.
    virtual void OnAck(const AckSample& sample);
    /// A NAK or a timeout.
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
 * A congestion-control algorithm with its parameters; makes the state of each queue pair, as
 * TcpCongestionOps does for each socket. It says what feedback it needs of the receiver and the
 * switches, so that these have no mode.
 */
class RdmaCongestionControl : public Object
{
  public:
    static TypeId GetTypeId();
    /// State for a queue pair.
    virtual std::unique_ptr<RateController> CreateController(const FlowContext& flow) const = 0;
    /// The feedback needed; asked for once for each queue pair.
    virtual CongestionFeedback GetFeedback() const;
    /// Whether a controller paces nothing and learns nothing before its first CNP, so that it need
    /// not be made before.
    virtual bool IsIdleUntilCnp() const;
};

} // namespace ns3

#endif // GPU_FABRIC_RDMA_CONGESTION_CONTROL_H
