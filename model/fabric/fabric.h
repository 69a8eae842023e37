/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_H
#define GPU_FABRIC_FABRIC_H

#include "fabric-endpoint.h"
#include "fabric-port.h"
#include "fabric-records.h"
#include "fabric-switch.h"
#include "frame-pool.h"
#include "job-link-accounts.h"
#include "pause-book.h"
#include "routing-table.h"

#include "ns3/cluster-topology.h"
#include "ns3/event-lane.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <string>
#include <vector>

namespace ns3
{

/// Frames and pauses counted by the fabric, for conservation checks and figures of speed.
struct FabricTotals
{
    uint64_t sent{0};        ///< frames that hosts handed to their ports
    uint64_t delivered{0};   ///< frames that arrived at hosts
    uint64_t dropped{0};
    uint64_t hops{0};        ///< arrivals of data and control frames at the end of a wire
    uint64_t pfcFrames{0};   ///< arrivals of PFC frames
    uint64_t xoff{0};        ///< transitions to paused, refreshes not counted
    uint64_t xon{0};         ///< transitions back
    uint64_t refreshes{0};   ///< pause frames that only prolong
    uint64_t markedFrames{0};
};

/**
 * The network: ports with strict-priority queues, wires, switches with a shared buffer, PFC, ECN
 * and ECMP. All state is in flat arrays indexed by the ids of the topology.
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
class Fabric : public Object, public LaneHandler
{
  public:
    static TypeId GetTypeId();
    Fabric();

    /// Class of the fabric's events in the lane; entities are port ids.
    static constexpr uint32_t LANE_CLASS = 0;

    /**
     * Builds the fabric.
     * \param switches the configuration of each switch, in node order
     * \param endpoint what stands behind the hosts' ports
     * \param maxFrameBytes largest frame on the wire [byte], for the headroom
     * \param gapBytes preamble and inter-frame gap, which take no buffer [byte]
     * \returns one sentence for each fault (a buffer smaller than its headroom)
     */
    std::vector<std::string> Build(const ClusterTopology& topology,
                                   uint64_t seed,
                                   const std::vector<Ptr<FabricSwitch>>& switches,
                                   FabricEndpoint* endpoint,
                                   uint32_t maxFrameBytes,
                                   uint32_t gapBytes);

    // --- for the endpoint ---
    FramePool& GetFrames() { return m_frames; }
    /// A host's port has data to send: it will ask NextFrame() until that returns nothing.
    void Kick(int64_t now, uint32_t portId);
    /// Queues a control frame at a host's port.
    void SendControl(int64_t now, uint32_t portId, uint32_t frame);
    /// Priorities of a port that are paused now.
    uint32_t GetPaused(int64_t now, uint32_t portId);
    /// Serialisation time of bytes at a port [ps], rounded down.
    int64_t GetWireTime(uint32_t portId, uint64_t bytes) const;

    // --- for everybody ---
    const RoutingTable& GetRouting() const { return m_routing; }
    /// The path selector of switch 0 (all the same in a run unless configured apart).
    const PathSelector& GetPathSelector() const;
    const ClusterTopology& GetTopology() const { return *m_topology; }
    const FabricTotals& GetTotals() const { return m_totals; }
    LinkCounters GetLinkCounters(uint32_t link, uint32_t priority) const;
    uint64_t GetSentPauses(uint32_t link) const { return m_ports[link].sentPauses; }
    uint64_t GetSentPfcFrames(uint32_t link) const { return m_ports[link].sentPfcFrames; }
    std::vector<JobLinkCounters> GetJobLinkCounters() const { return m_accounts.Get(m_ports); }
    uint32_t GetQueueCount() const { return m_queues; }
    uint32_t GetControlPriority() const { return m_controlPriority; }
    uint32_t GetLosslessMask() const { return m_losslessMask; }
    /// Bytes still counted in the buffer of a switch [byte], ended transmissions released.
    uint64_t GetBufferUsed(int64_t now, uint32_t switchIndex);
    uint64_t GetBufferPeak(uint32_t switchIndex) const;
    /// Counts frames per (job, link, priority); off by default.
    void EnableAccounting(bool enable) { m_accounting = enable; }
    /// Ends pauses still in force, so that they are reported. Call once, at the end of the run.
    void FinishPauses(int64_t now);

    void HandleLaneEvent(int64_t now, uint32_t entity, uint32_t kind) override;
    uint32_t GetLaneContext(uint32_t entity, uint32_t kind) const override;
    /// Maps a topology node to an ns-3 node id, for Simulator::GetContext.
    void SetNodeContext(const std::vector<uint32_t>& ids) { m_nodeContext = ids; }

    typedef void (*PauseCallback)(const PauseRecord& record);
    typedef void (*EventCallback)(const FabricEventRecord& record);

  protected:
    void DoDispose() override;

  private:
    enum Kind : uint32_t
    {
        ARRIVAL,
        WAKE,
        REFRESH
    };

    struct SwitchState
    {
        BufferManager* buffer{nullptr};
        PathSelector* selector{nullptr};
        EcnMarker* marker{nullptr};
        uint32_t lazy{0};  ///< ports with an unreleased frame and no wake-up
        bool markAtDequeue{true};
        std::vector<uint32_t> ports;
        Ptr<FabricSwitch> configuration;
    };

    static uint32_t KeyOf(uint32_t port, Kind kind)
    {
        return EventLane::Key(LANE_CLASS, port, kind);
    }

    void Arrive(int64_t now, uint32_t portId);
    void Forward(int64_t now, uint32_t inId, uint32_t frame);
    void Wake(int64_t now, uint32_t portId);
    void SendNext(int64_t now, uint32_t portId, FabricPort& port);
    void Transmit(int64_t now, uint32_t portId, FabricPort& port, uint32_t frame);
    void StartTransmission(int64_t now, uint32_t portId, FabricPort& port, uint32_t frame);
    void AfterTransmit(uint32_t portId, FabricPort& port);
    uint32_t Dequeue(FabricPort& port, uint32_t priority);
    void Enqueue(FabricPort& port, uint32_t frame);
    /// Arms or advances the wake-up of a port from outside its own transmission.
    void ArmWake(int64_t at, uint32_t portId, FabricPort& port);
    void ReleaseSent(int64_t now, FabricPort& port);
    /// Releases a transmission that has ended with nothing waiting, if there is one.
    void ReleaseLazy(int64_t now, FabricPort& port);
    void Sweep(int64_t now, SwitchState& node);
    void Xoff(int64_t now, SwitchState& node, uint32_t inId, uint32_t priority, uint32_t outId);
    void TryResume(int64_t now, SwitchState& node, uint32_t inId, uint32_t priority);
    void SendPfc(int64_t now, uint32_t portId, FabricPort& port);
    void ReceivePfc(int64_t now, uint32_t portId, uint32_t frame);
    void Refresh(int64_t now, uint32_t portId);
    void ExpirePauses(int64_t now, uint32_t portId, FabricPort& port);
    void EndPause(int64_t end, uint32_t portId, FabricPort& port, uint32_t priority);
    void Mark(const SwitchState& node,
              uint32_t portId,
              EgressQueue& queue,
              Frame& frame,
              uint64_t count);
    void Drop(int64_t now, uint32_t inId, uint32_t outId, uint32_t frame);
    int64_t GetPauseTime(uint32_t portId) const;

    EventLane* m_lane{nullptr};
    FabricEndpoint* m_endpoint{nullptr};
    const ClusterTopology* m_topology{nullptr};
    std::vector<FabricPort> m_ports;
    std::vector<SwitchState> m_switches;
    FramePool m_frames;
    RoutingTable m_routing;
    PauseBook m_pauses;
    JobLinkAccounts m_accounts;
    FabricTotals m_totals;
    std::vector<uint64_t> m_dropped;  ///< frames dropped before an egress queue, by link
    std::vector<uint32_t> m_nodeContext;
    uint64_t m_seed{1};
    uint32_t m_gapBytes{20};
    bool m_accounting{false};
    uint32_t m_losslessMask{0};

    // attributes
    uint32_t m_queues;
    uint32_t m_controlPriority;
    uint32_t m_pauseQuanta;
    double m_refreshFraction;

    Ptr<EventLane> m_laneHolder;
    Ptr<PathSelector> m_defaultSelector;
    TracedCallback<const PauseRecord&> m_pauseTrace;
    TracedCallback<const FabricEventRecord&> m_eventTrace;
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_H
