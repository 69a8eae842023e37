/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROCE_NIC_H
#define GPU_FABRIC_ROCE_NIC_H

#include "ns3/fabric-net-device.h"
#include "ns3/rdma-congestion-control.h"

#include <cstdint>
#include <memory>

namespace ns3
{

class RoceTransport;
struct NicTraces;
struct RoceFraming;

/// How lost frames of WRITE and SEND are recovered.
enum class LossRecovery : uint8_t
{
    GO_BACK_N,
    IRN ///< selective repeat (Mittal et al., SIGCOMM 2018)
};

/// A host's NIC as configured by the user; the transport reads it when the cluster is built.
class RoceNic : public FabricNetDevice
{
  public:
    static TypeId GetTypeId();
    RoceNic();
    ~RoceNic() override;

    /// The congestion control named by the attribute; created when first requested.
    Ptr<RdmaCongestionControl> GetCongestionControl() const;

    /// The transport that this NIC belongs to; null: none any more.
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

    /// Whether lost frames are recovered by selective repeat (IRN) rather than go-back-N.
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

    /// Maximum payload in flight with selective repeat [byte]; 0: no limit.
    uint64_t GetIrnWindow() const
    {
        return m_irnWindow;
    }

    uint32_t GetIrnLossDistance() const
    {
        return m_irnLossDistance;
    }

    /// Maximum outstanding READs of a queue pair.
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
    NicTraces& GetTraces();
    /// Connects to those trace sources of the transport whose counterparts on this NIC are
    /// connected.
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
    std::unique_ptr<NicTraces> m_traces; ///< created with the first connection
};

} // namespace ns3

#endif // GPU_FABRIC_ROCE_NIC_H
