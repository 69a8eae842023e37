/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_HOP_PIPELINE_H
#define GPU_FABRIC_HOP_PIPELINE_H

#include "../engine/event-lane.h"
#include "dscp-map.h"
#include "fabric-settings.h"
#include "frame-encoder.h"
#include "job-link-accounts.h"
#include "network-faults.h"
#include "network-reader.h"
#include "network-state.h"
#include "pfc-guard.h"
#include "pfc.h"

#include "ns3/fabric-fault.h"
#include "ns3/path-selector.h"

#include <vector>

namespace ns3
{

/**
 * The journey of a frame through the network, from the port of one host to that of another: it
 * arrives, is routed, admitted, marked and queued; its port wakes up, transmits it and releases its
 * buffer. Handles the lane events of a Fabric, or of one logical process of a split fabric.
 *
 * A frame is sent if its port is idle, and queued otherwise; it leaves the shared buffer when its
 * transmission ends (store and forward). There is one lane event per arrival, and a wake-up of a
 * port only while something waits there. If nothing waits, the end of a transmission is booked when
 * exact numbers are next needed; until then they are upper bounds, which lead to the same
 * decisions.
 *
 * Of frames that arrive in the same picosecond, an idle port takes that of the lower link id first,
 * even if another has a higher priority.
 */
class HopPipeline final : public LaneHandler
{
  public:
    explicit HopPipeline(const FabricTraces& traces);
    /// A logical process: the state of a whole fabric that has just been built, on a lane of its
    /// own. It has no hosts.
    HopPipeline(const HopPipeline& whole, Ptr<EventLane> lane, const FabricTraces& traces);
    HopPipeline(const HopPipeline&) = delete;
    HopPipeline& operator=(const HopPipeline&) = delete;

    /// Same as Fabric::Build().
    std::vector<FabricFault> Build(const FabricSettings& settings,
                                   const ClusterTopology& topology,
                                   uint64_t seed,
                                   const std::vector<Ptr<FabricSwitch>>& switches,
                                   FabricEndpoint* endpoint,
                                   uint32_t maxFrameBytes,
                                   uint32_t gapBytes);
    void Dispose();

    /// Class of its events in the lane, allocated on the first call.
    uint32_t GetLaneClass();

    /// \name Same as in Fabric
    /// @{
    void Kick(int64_t now, uint32_t portId);
    void Queue(int64_t now, uint32_t portId, uint32_t frame);
    void SendControl(int64_t now, uint32_t portId, uint32_t frame);
    /// @}

    void HandleLaneEvent(int64_t now, uint32_t entity, uint32_t kind) override;
    void PrefetchLaneEvents(const SlottedWheel::Entry* events, std::size_t count) const override;
    uint32_t GetLaneContext(uint32_t entity, uint32_t kind) const override;

    /// \name Components
    /// @{
    NetworkState& GetNetwork()
    {
        return m_net;
    }

    const NetworkState& GetNetwork() const
    {
        return m_net;
    }

    Pfc& GetPfc()
    {
        return m_pfc;
    }

    NetworkFaults& GetFaults()
    {
        return m_faults;
    }

    const NetworkFaults& GetFaults() const
    {
        return m_faults;
    }

    PfcGuard& GetGuard()
    {
        return m_guard;
    }

    NetworkReader& GetReader()
    {
        return m_reader;
    }

    const NetworkReader& GetReader() const
    {
        return m_reader;
    }

    const DscpMap& GetDscpMap() const
    {
        return m_dscpMap;
    }

    /// @}

    /// Routing over the whole topology, regardless of faults.
    const RoutingTable& GetRouting() const
    {
        return m_net.planned ? *m_net.planned : m_net.routing;
    }

    const PathSelector& GetPathSelector() const;
    bool IsSpraying() const;
    void EnableAccounting(bool enable);
    Ptr<Packet> MakePacket(const Frame& frame, uint32_t portId, bool fcs) const;

    void SetFrameEncoder(Ptr<const FrameEncoder> encoder)
    {
        m_encoder = encoder;
    }

    void SetNodeContext(const std::vector<uint32_t>& ids)
    {
        m_nodeContext = ids;
    }

    /// \name Logical processes of a split fabric
    /// @{
    /// Where the wires of ports lead: 1 + a logical process, 0: this one. \param count number of
    /// logical processes
    void SetCrossings(const std::vector<uint8_t>& crossings, std::size_t count);
    /// Sets which nodes of the network belong to this logical process.
    void SetNodes(const std::vector<bool>& here);

    /// Makes readings cover all logical processes. For that of the simulator; null: not split.
    void SetOthers(OtherProcesses* others)
    {
        m_net.others = others;
    }

    /// Frames sent to another logical process, by its number.
    FrameBatch& GetSent(std::size_t process)
    {
        return m_net.sent[process];
    }

    /// Puts frames received from another logical process onto their wires.
    void Accept(const FrameBatch& sent);
    /// @}

  private:
    // Arrive(), Forward() and EnterQueue() are one function, so that a hop saves its registers
    // once, and rare cases and other events are kept out of it: 5 % of the instructions of a hop.
    void Arrive(int64_t now, uint32_t portId);
    void Forward(int64_t now, uint32_t inId, uint32_t frame);
    [[gnu::noinline]] void ForwardUnusually(int64_t now, uint32_t inId, uint32_t frame);
    /// \tparam PLAIN the switch has no delay and does not choose paths per frame
    template <bool PLAIN>
    void ForwardBy(int64_t now, uint32_t inId, uint32_t frame);
    /// Egress port of a frame if the selector chooses per frame.
    uint32_t RouteFrame(int64_t now,
                        uint32_t switchIndex,
                        const Frame& frame,
                        PathSelector& selector);
    /// The switch delay of the oldest frame that came in through a port is over.
    [[gnu::noinline]] void EndSwitchDelay(int64_t now, uint32_t inId);
    /// Sends a frame that is counted in the buffer, or queues it.
    void EnterQueue(int64_t now, SwitchState& node, uint32_t inId, uint32_t outId, uint32_t frame);
    /// The rest of EnterQueue() at a port that is observed.
    [[gnu::noinline]] void EnterObservedQueue(int64_t now, uint32_t outId, uint32_t frame);
    void SendOrEnqueue(int64_t now, uint32_t outId, FabricPort& out, uint32_t frame);
    [[gnu::noinline]] void Wake(int64_t now, uint32_t portId);
    void SendNext(int64_t now, uint32_t portId, FabricPort& port);
    /// The next frame of a port that is not served by strict priority, or NO_FRAME.
    uint32_t TakeScheduled(int64_t now, uint32_t portId, FabricPort& port, int64_t& retryAt);
    void Transmit(int64_t now, uint32_t portId, FabricPort& port, uint32_t frame);
    /// Records the port in the side of a frame that leaves a switch, if the frame requests it.
    [[gnu::noinline]] void AppendIntRecord(int64_t now, const FabricPort& port, uint32_t frame);
    /// Counts, marks and sends a frame.
    void PutOnWire(int64_t now, uint32_t portId, FabricPort& port, uint32_t frame);
    void AfterTransmit(uint32_t portId, FabricPort& port);
    void ReleaseSent(int64_t now, FabricPort& port);
    /// Releases a transmission that has ended with no frame waiting, if there is one.
    void ReleaseLazy(int64_t now, FabricPort& port);
    void Mark(const SwitchState& node,
              uint32_t portId,
              EgressQueue& queue,
              Frame& frame,
              uint64_t count);
    void Drop(int64_t now, uint32_t inId, uint32_t outId, uint32_t frame);
    /// Gives every port its egress scheduler. \param faults in the attributes are added
    void MakeEgressSchedulers(std::vector<FabricFault>& faults);

    NetworkState m_net;
    FabricSettings m_settings;
    Ptr<EventLane> m_laneHolder;
    uint32_t m_laneClass{0};
    Ptr<PathSelector> m_defaultSelector;
    Ptr<const FrameEncoder> m_encoder;
    DscpMap m_dscpMap;
    std::vector<uint32_t> m_nodeContext; ///< ns-3 node id by topology node
    JobLinkAccounts m_accounts;
    Pfc m_pfc;
    NetworkFaults m_faults;
    PfcGuard m_guard;
    NetworkReader m_reader;
};

} // namespace ns3

#endif // GPU_FABRIC_HOP_PIPELINE_H
