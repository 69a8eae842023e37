/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROCE_NIC_H
#define GPU_FABRIC_ROCE_NIC_H

#include "ns3/fabric-net-device.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/rdma-records.h"
#include "ns3/traced-callback.h"

#include <cstdint>

namespace ns3
{

class RoceTransport;
struct RoceFraming;

/// How lost frames of WRITE and SEND are recovered.
enum class LossRecovery : uint8_t
{
    GO_BACK_N,
    IRN ///< selective repeat (Mittal et al., SIGCOMM 2018)
};

/// A host's NIC as users configure it; the transport reads it when the cluster is built.
class RoceNic : public FabricNetDevice
{
  public:
    static TypeId GetTypeId();
    RoceNic();

    /// The congestion control that the attribute names; made when first asked for.
    Ptr<RdmaCongestionControl> GetCongestionControl() const;

    /// The transport of which this NIC is a part; null: none any more.
    void SetTransport(RoceTransport* transport);

    /// Sizes of the frames this NIC sends.
    RoceFraming GetFraming() const;

    uint32_t GetAckInterval() const
    {
        return m_ackInterval;
    }

    int64_t GetRetransmissionTimeout() const
    {
        return m_timeout.GetTimeStep();
    }

    int64_t GetMaxRetransmissionTimeout() const
    {
        return m_maxTimeout.GetTimeStep();
    }

    int64_t GetRetryTimeout() const
    {
        return m_retryTimeout.GetTimeStep();
    }

    /// Whether lost frames are recovered by selective repeat (IRN), not by go-back-N.
    bool IsSelective() const
    {
        return m_lossRecovery == LossRecovery::IRN;
    }

    /// RTO of selective repeat while few frames are in flight [ps].
    int64_t GetIrnTimeoutLow() const
    {
        return m_irnTimeoutLow.GetTimeStep();
    }

    int64_t GetIrnTimeoutHigh() const
    {
        return m_irnTimeoutHigh.GetTimeStep();
    }

    uint32_t GetIrnFewFrames() const
    {
        return m_irnFewFrames;
    }

    /// Most payload in flight by selective repeat [byte]; 0: no limit.
    uint64_t GetIrnWindow() const
    {
        return m_irnWindow;
    }

    uint32_t GetIrnLossDistance() const
    {
        return m_irnLossDistance;
    }

    /// READs outstanding of a queue pair.
    uint32_t GetReadDepth() const
    {
        return m_readDepth;
    }

    int64_t GetPostDelay() const
    {
        return m_postDelay.GetTimeStep();
    }

    int64_t GetCompletionDelay() const
    {
        return m_completionDelay.GetTimeStep();
    }

  protected:
    void DoDispose() override;

  private:
    /// Listens to those trace sources of the transport for which somebody listens to this NIC.
    void FollowTransport();
    void SetCongestionControlType(TypeId type);
    TypeId GetCongestionControlType() const;

    TypeId m_congestionControlType;
    mutable Ptr<RdmaCongestionControl> m_congestionControl;
    uint32_t m_mtu;
    uint32_t m_headerBytes;
    uint32_t m_ackBytes;
    uint32_t m_gapBytes;
    uint32_t m_ackInterval;
    Time m_timeout;
    Time m_maxTimeout;
    Time m_retryTimeout;
    LossRecovery m_lossRecovery;
    Time m_irnTimeoutLow;
    Time m_irnTimeoutHigh;
    uint32_t m_irnFewFrames;
    uint64_t m_irnWindow;
    uint32_t m_irnLossDistance;
    uint32_t m_readDepth;
    Time m_postDelay;
    Time m_completionDelay;

    RoceTransport* m_transport{nullptr};
    uint32_t m_followed{0}; ///< bit i: the i-th of these trace sources follows the transport's
    TracedCallback<const MessageRecord&> m_postedTrace;
    TracedCallback<const MessageRecord&> m_deliveredTrace;
    TracedCallback<const TransferRecord&> m_transferTrace;
    TracedCallback<const CongestionRecord&> m_cnpTrace;
    TracedCallback<const CongestionRecord&> m_rateTrace;
    TracedCallback<const CongestionRecord&> m_rttTrace;
};

} // namespace ns3

#endif // GPU_FABRIC_ROCE_NIC_H
