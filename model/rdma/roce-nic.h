/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROCE_NIC_H
#define GPU_FABRIC_ROCE_NIC_H

#include "rdma-congestion-control.h"
#include "roce-framing.h"

#include "ns3/fabric-net-device.h"

namespace ns3
{

/// A host's NIC as users configure it; the transport reads it when the cluster is built.
class RoceNic : public FabricNetDevice
{
  public:
    static TypeId GetTypeId();
    RoceNic();

    /// Makes the congestion control that the attribute names. Called once by the transport.
    void MakeCongestionControl();

    Ptr<RdmaCongestionControl> GetCongestionControl() const
    {
        return m_congestionControl;
    }

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

  protected:
    void DoDispose() override;

  private:
    TypeId m_congestionControlType;
    Ptr<RdmaCongestionControl> m_congestionControl;
    uint32_t m_mtu;
    uint32_t m_headerBytes;
    uint32_t m_ackBytes;
    uint32_t m_gapBytes;
    uint32_t m_ackInterval;
    Time m_timeout;
    Time m_maxTimeout;
    Time m_retryTimeout;
};

} // namespace ns3

#endif // GPU_FABRIC_ROCE_NIC_H
