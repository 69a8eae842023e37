/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_H
#define GPU_FABRIC_FABRIC_H

#include "fabric-guard.h"

namespace ns3
{

/**
 * The network: ports with strict-priority queues, wires, switches with a shared buffer, PFC, ECN
 * and ECMP.
 *
 * A frame is sent when its port is idle, else queued; it leaves the shared buffer when its
 * transmission ends (store and forward). There is one lane event for each arrival, and a wake-up
 * of a port only while something waits there. Where nothing waits, the end of a transmission is
 * booked when the numbers are next needed exactly: until then they are upper bounds, which decide
 * alike.
 *
 * An idle port takes the frame of the lower link id first even if one of higher priority arrives
 * in the same picosecond.
 */
class Fabric : public FabricGuard
{
  public:
    static TypeId GetTypeId();
    Fabric();

    /// A host's port has data to send: it will ask NextFrame() until that returns nothing.
    void Kick(int64_t now, uint32_t portId);
    /// Queues a frame at a port that no pause or buffer holds back; what is queued in the same
    /// instant competes by priority.
    void Queue(int64_t now, uint32_t portId, uint32_t frame);
    /// Queues a control frame at a host's port.
    void SendControl(int64_t now, uint32_t portId, uint32_t frame);

    void HandleLaneEvent(int64_t now, uint32_t entity, uint32_t kind) override;
    void PrepareLaneEvents(const SlottedWheel::Entry* events, std::size_t count) const override;

  private:
    // Arrive(), Forward() and EnterQueue() are one function, so that a hop saves its registers
    // once, and what is seldom or belongs to other events is kept out of it: 5 % of the
    // instructions of a hop.
    void Arrive(int64_t now, uint32_t portId);
    void Forward(int64_t now, uint32_t inId, uint32_t frame);
    [[gnu::noinline]] void ForwardUnusually(int64_t now, uint32_t inId, uint32_t frame);
    /// \tparam PLAIN the switch has no delay and chooses no path frame by frame
    template <bool PLAIN>
    void ForwardBy(int64_t now, uint32_t inId, uint32_t frame);
    /// The oldest frame that came in by a port has spent the delay of its switch.
    [[gnu::noinline]] void EndSwitchDelay(int64_t now, uint32_t inId);
    /// Sends a frame that is counted in the buffer, or queues it.
    void EnterQueue(int64_t now, SwitchState& node, uint32_t inId, uint32_t outId, uint32_t frame);
    [[gnu::noinline]] void Wake(int64_t now, uint32_t portId);
    void SendNext(int64_t now, uint32_t portId, FabricPort& port);
    /// The next frame of a port that is not served by strict priority, or NO_FRAME.
    uint32_t TakeScheduled(int64_t now, uint32_t portId, FabricPort& port, int64_t& retryAt);
    void Transmit(int64_t now, uint32_t portId, FabricPort& port, uint32_t frame);
    /// Tells of the port in the side of a frame that leaves a switch, if it wants that.
    [[gnu::noinline]] void AppendIntRecord(int64_t now, const FabricPort& port, uint32_t frame);
    /// Counts, marks and sends a frame.
    void PutOnWire(int64_t now, uint32_t portId, FabricPort& port, uint32_t frame);
    void AfterTransmit(uint32_t portId, FabricPort& port);
    void Mark(const SwitchState& node,
              uint32_t portId,
              EgressQueue& queue,
              Frame& frame,
              uint64_t count);
    void Drop(int64_t now, uint32_t inId, uint32_t outId, uint32_t frame);
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_H
