/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_OBSERVER_H
#define GPU_FABRIC_FABRIC_OBSERVER_H

#include "fabric-frame.h"

#include "ns3/fabric-records.h"

#include <cstdint>

namespace ns3
{

/// An event in the life of a frame at a port.
enum class FrameEvent : uint8_t
{
    QUEUED,   ///< accepted for transmission, which may begin at once; not for PFC frames
    MARKED,   ///< marked CE (ECN), as it enters the egress queue or as its transmission begins
    SENT,     ///< its transmission begins
    RECEIVED, ///< its last bit has arrived
    DROPPED,  ///< not sent: refused before the port's egress queues, or lost in them
    LOST      ///< lost on the way to the port, or refused there (no room in a NIC, no route)
};

/// Observes a port. It must not change the network.
class FabricObserver
{
  public:
    virtual ~FabricObserver() = default;

    /// \param frame a copy
    virtual void ObserveFrame(FrameEvent event, const Frame& frame) = 0;

    /// The bytes that wait in the egress queues of the port may have changed
    /// (Fabric::GetQueueBytes).
    virtual void ObserveQueues()
    {
    }

    /// A pause of a priority of the port has begun or ended.
    virtual void ObservePause(const PauseChangeRecord& /* record */)
    {
    }
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_OBSERVER_H
