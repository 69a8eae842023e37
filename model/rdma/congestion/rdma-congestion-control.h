/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RDMA_CONGESTION_CONTROL_H
#define GPU_FABRIC_RDMA_CONGESTION_CONTROL_H

#include "ns3/object.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/// The congestion-control state of one queue pair: events in, rate out. Times in ps.
class RateController
{
  public:
    virtual ~RateController() = default;
    /// A frame of wireBytes [byte] starts. \returns time until the next one may start [ps]
    virtual int64_t OnSend(int64_t now, uint32_t wireBytes) = 0;
    /// A congestion notification packet arrived.
    virtual void OnCnp(int64_t now);
    /// ackedBytes [byte] of payload were acknowledged.
    virtual void OnAck(int64_t now, uint64_t ackedBytes);
    /// A NAK or a timeout.
    virtual void OnLoss(int64_t now);
    /// The sending rate [bit/s]; brings the state up to now.
    virtual double GetRate(int64_t now) = 0;
};

/**
 * A congestion-control algorithm with its parameters; makes the state of each queue pair, as
 * TcpCongestionOps does for each socket. It says what feedback it needs of the receiver, so that
 * the receiver has no mode.
 */
class RdmaCongestionControl : public Object
{
  public:
    static TypeId GetTypeId();
    /// State for a queue pair on a NIC of lineRateBps [bit/s].
    virtual std::unique_ptr<RateController> CreateController(uint64_t lineRateBps) const = 0;
    /// Whether a controller paces nothing and learns nothing before its first CNP, so that it need
    /// not be made before.
    virtual bool IsIdleUntilCnp() const;
    /// Least time between two CNPs of one flow [ps]; -1: the receiver sends none.
    virtual int64_t GetCnpInterval() const;
};

} // namespace ns3

#endif // GPU_FABRIC_RDMA_CONGESTION_CONTROL_H
