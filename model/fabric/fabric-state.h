/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_STATE_H
#define GPU_FABRIC_FABRIC_STATE_H

#include "../engine/event-lane.h"
#include "dscp-map.h"
#include "fabric-endpoint.h"
#include "fabric-fault-order.h"
#include "fabric-observer.h"
#include "fabric-port.h"
#include "fabric-readings.h"
#include "frame-batch.h"
#include "frame-encoder.h"
#include "frame-pool.h"
#include "job-link-accounts.h"
#include "pause-book.h"
#include "switch/routing-table.h"

#include "ns3/cluster-topology.h"
#include "ns3/egress-scheduler.h"
#include "ns3/event-id.h"
#include "ns3/fabric-records.h"
#include "ns3/fabric-switch.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// The parts of a fabric that is split (FabricSplit), for that of the simulator.
class FabricParts
{
  public:
    virtual ~FabricParts() = default;
    /// A frame has been sent to another part.
    virtual void FrameSent() = 0;
    /// Whether a port belongs to the part of the simulator.
    virtual bool IsHere(uint32_t portId) const = 0;
    /// The sum over the other parts, at the event that the simulator is running.
    virtual const FabricReadings& GetReadings() = 0;
    /// The sum over all parts, with what is on its way between them. \param now [ps]
    virtual const FabricAudit& GetAudit(int64_t now) = 0;
    /// Has the other parts look at their queues, too. \param now [ps]
    virtual void Look(int64_t now, int64_t deadlock, bool forStuck, FabricLook& look) = 0;
    /// The same of the other parts as FabricState and FabricPfc do of one.
    virtual void EnableAccounting(bool enable) = 0;
    virtual void FinishPauses(int64_t now) = 0;
    /// Brings the other parts to the event that is running, and all frames to their wires.
    virtual void Gather() = 0;
    /// Has the other parts do what this one has done; they are gathered.
    /// \returns the sum of what FabricFaults::Obey() returns
    virtual uint64_t Obey(const FabricFaultOrder& order, const std::vector<uint8_t>& down) = 0;
    /// Tells of an event in the order of those of all parts.
    virtual void TellInOrder(const FabricEventRecord& record,
                             const TracedCallback<const FabricEventRecord&>& trace) = 0;
};

/// Highest set bit of a mask that is not 0.
inline uint32_t
HighestBit(uint32_t mask)
{
    return 31 - __builtin_clz(mask);
}

/**
 * The state of the network in flat arrays indexed by the ids of the topology, how it is built and
 * read, and what is done with one port alone: queue, transmit, wake up.
 */
class FabricState : public Object, public LaneHandler
{
  public:
    static TypeId GetTypeId();
    FabricState();

    /// Class of the fabric's events in the lane; entities are port ids.
    static constexpr uint32_t LANE_CLASS = 0;

    /// Kinds of the fabric's events.
    enum Kind : uint32_t
    {
        ARRIVAL, ///< the oldest frame of a wire is at its end
        WAKE,    ///< a port may send again
        REFRESH, ///< pauses sent by a port may have to be sent again
        SWITCHED ///< the oldest frame that came in by a port has spent its SwitchDelay
    };

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

    FramePool& GetFrames()
    {
        return m_frames;
    }

    /// Routing over the whole topology, whatever is down.
    const RoutingTable& GetRouting() const
    {
        return m_planned ? *m_planned : m_routing;
    }

    /// Routing as the switches know it now.
    const RoutingTable& GetLiveRouting() const
    {
        return m_routing;
    }

    /// The path selector of the switches (that of the first one where they differ).
    const PathSelector& GetPathSelector() const;

    /// Whether a path leads from one NIC to another.
    bool IsReachable(uint32_t sourceNic, uint32_t destinationNic) const
    {
        return !GetRouting().GetPath(sourceNic, destinationNic, 0, GetPathSelector()).empty();
    }

    /// Whether a switch chooses the path of each frame anew, so that they may overtake each other.
    bool IsSpraying() const;

    const ClusterTopology& GetTopology() const
    {
        return *m_topology;
    }

    /// \name Readings
    /// Of a split fabric they are those of all its parts, at the event that is running.
    /// @{
    FabricTotals GetTotals() const;
    LinkCounters GetLinkCounters(uint32_t link, uint32_t priority) const;
    uint64_t GetSentPauses(uint32_t link) const;
    uint64_t GetSentPfcFrames(uint32_t link) const;
    /// All counters, ordered by job, link and priority.
    std::vector<JobLinkCounters> GetJobLinkCounters() const;
    uint64_t GetBufferPeak(uint32_t switchIndex) const;

    /// @}

    uint32_t GetQueueCount() const
    {
        return m_queues;
    }

    uint32_t GetControlPriority() const
    {
        return m_controlPriority;
    }

    uint32_t GetLosslessMask() const
    {
        return m_losslessMask;
    }

    /// Bytes that wait at a port. Of a split fabric, of a host's port [byte].
    uint64_t GetQueueBytes(uint32_t portId, uint32_t priority) const;

    /// Tells of an event, when those before it have been told in all parts of a split fabric.
    void TellEvent(const FabricEventRecord& record,
                   const TracedCallback<const FabricEventRecord&>& trace) const;

    /// Serialisation time of bytes at a port [ps], rounded down.
    int64_t GetWireTime(uint32_t portId, uint64_t bytes) const;

    /// Preamble and inter-frame gap [byte].
    uint32_t GetGapBytes() const
    {
        return m_gapBytes;
    }

    const DscpMap& GetDscpMap() const
    {
        return m_dscpMap;
    }

    /// Lets somebody look at the frames of a port; null: nobody.
    void SetObserver(uint32_t portId, FabricObserver* observer);

    /// Sets what makes packets of frames for observers.
    void SetFrameEncoder(Ptr<const FrameEncoder> encoder)
    {
        m_encoder = encoder;
    }

    /**
     * The packet that a frame is on a wire.
     * \param portId the port that puts it on the wire
     * \param fcs whether it ends with the Ethernet frame check sequence
     */
    Ptr<Packet> MakePacket(const Frame& frame, uint32_t portId, bool fcs) const;

    /// Counts frames per (job, link, priority); off by default.
    void EnableAccounting(bool enable);

    uint32_t GetLaneContext(uint32_t entity, uint32_t kind) const override;

    /// Maps a topology node to an ns-3 node id, for Simulator::GetContext.
    void SetNodeContext(const std::vector<uint32_t>& ids)
    {
        m_nodeContext = ids;
    }

    typedef void (*EventCallback)(const FabricEventRecord& record);

    /// How a fabric is dealt out to threads: "auto", "leaf" or "pod" (FabricPartitionBy).
    const std::string& GetPartition() const
    {
        return m_partition;
    }

    /// \name A part of a split fabric
    /// @{
    /**
     * Builds the state of a part: that of a whole one which has just been built, on a lane of its
     * own. It has no hosts.
     * \param whole has the same attributes
     */
    void BuildPart(const FabricState& whole, Ptr<EventLane> lane);
    /// What the wires of ports lead to: 1 + a part, 0 this one. \param count of the parts
    void SetCrossings(const std::vector<uint8_t>& crossings, std::size_t count);
    /// Whether each node of the network belongs to this part.
    void SetNodes(const std::vector<bool>& here);
    /// Has readings be of all parts. For that of the simulator; null: it is whole.
    void SetParts(FabricParts* parts);

    /// Frames that this part has sent to another, by its number.
    FrameBatch& GetSent(std::size_t part)
    {
        return m_sent[part];
    }

    /// Puts frames that another part has sent on their wires.
    void Accept(const FrameBatch& sent);
    /// Adds the counters of this part.
    void Read(FabricReadings& sum) const;

    /// Who listens to the events of the fabric.
    const TracedCallback<const FabricEventRecord&>& GetEventTrace() const
    {
        return m_eventTrace;
    }

    /// @}

  protected:
    /// Counts what there is of frames in this part; but for buffers.
    void CountFrames(FabricAudit& sum) const;
    /// Bytes that the queues and transmissions of a switch hold at a time, by walking them [byte].
    uint64_t CountBufferedBytes(int64_t now, const std::vector<uint32_t>& ports) const;
    /// The counters of a link and priority in this part.
    LinkCounters ReadLink(uint32_t link, uint32_t priority) const;

    /// Frames that a slow NIC has received and not yet taken, oldest first.
    struct ReceiveQueue
    {
        uint32_t nic{0}; ///< port id
        uint32_t head{NO_FRAME};
        uint32_t tail{NO_FRAME};
        uint64_t bytes{0};     ///< [byte]
        uint64_t psPerByte{0}; ///< [2^-20 ps]
        bool slow{false};      ///< still to be slow
        EventId taking;        ///< the first one is taken
    };

    /// What a port had sent, and how long it took, until its rate last changed.
    struct RateChange
    {
        uint64_t bytes[MAX_QUEUES]{}; ///< [byte]
        int64_t busyPs[MAX_QUEUES]{}; ///< [ps]
    };

    struct SwitchState
    {
        BufferManager* buffer{nullptr};
        PathSelector* selector{nullptr};
        EcnMarker* marker{nullptr};
        uint32_t lazy{0};    ///< ports with an unreleased frame and no wake-up
        uint32_t pausing{0}; ///< (port, priority)s whose peer we have paused; mostly 0, and then
                             ///< no ingress port need be looked at
        bool markAtDequeue{true};
        bool perFrame{false}; ///< the selector chooses for each frame
        bool plain{true};     ///< neither that nor a delay: one question for both
        bool isHere{true};    ///< it belongs to this part
        int64_t delay{0};     ///< SwitchDelay [ps]
        std::vector<uint32_t> ports;
        Ptr<FabricSwitch> configuration;
    };

    /// A frame between the ingress and its egress queue.
    struct SwitchedFrame
    {
        uint32_t frame;
        uint32_t egress; ///< port id
        int64_t due;     ///< in the egress queue [ps]
    };

    /// A PFC frame without preamble and gap, padding and FCS included (IEEE 802.1Qbb) [byte].
    static constexpr uint32_t PFC_FRAME_BYTES = 64;

    /// Of a rate [bit/s] [2^-20 ps].
    static uint64_t GetPsPerByte(uint64_t rateBps)
    {
        return (8'000'000'000'000ull << 20) / rateBps;
    }

    static uint32_t KeyOf(uint32_t port, Kind kind)
    {
        return EventLane::Key(LANE_CLASS, port, kind);
    }

    /// Whether the peer is paused at the ingress of the frame that a port last sent.
    bool IsPausing(const SwitchState& node, const FabricPort& port) const
    {
        return m_ports[node.ports[port.releaseIngress]].xoff >> port.releasePriority & 1;
    }

    void DoDispose() override;

    /// Whether a port belongs to this fabric or, if it is split, to the part of the simulator.
    bool IsHere(uint32_t portId) const
    {
        return !m_parts || m_parts->IsHere(portId);
    }

    /// A part of a split fabric that is not the simulator's: it may run in another thread.
    bool IsOtherPart() const
    {
        return m_otherPart;
    }

    /// Gives every port its egress scheduler. \returns what is wrong with the attributes
    std::string MakeEgressSchedulers();

    /// Puts a frame on the wire; the port is idle.
    void StartTransmission(int64_t now, uint32_t portId, FabricPort& port, uint32_t frame);
    /// Puts a frame, whose arrival is set, behind those on the wire.
    void PutBehind(uint32_t portId, FabricPort& port, uint32_t frame);
    /// Gives a frame to the part that the wire leads to.
    [[gnu::noinline]] void SendAway(uint32_t portId, const FabricPort& port, uint32_t frame);
    void Enqueue(FabricPort& port, uint32_t frame);
    uint32_t Dequeue(FabricPort& port, uint32_t priority);

    /// Shows a frame to who looks at a port. May run code of the user: references to frames do not
    /// survive it.
    void Observe(FrameEvent event, uint32_t portId, const FabricPort& port, uint32_t frame)
    {
        if (port.impaired & PORT_OBSERVED)
        {
            TellObserver(event, portId, frame);
        }
    }

    /// Arms or advances the wake-up of a port from outside its own transmission.
    void ArmWake(int64_t at, uint32_t portId, FabricPort& port);

    EventLane* m_lane{nullptr};
    FabricEndpoint* m_endpoint{nullptr};
    const ClusterTopology* m_topology{nullptr};
    std::vector<FabricPort> m_ports;
    std::vector<SwitchState> m_switches;
    FramePool m_frames;
    RoutingTable m_routing;
    std::unique_ptr<RoutingTable> m_planned;      ///< the first one, once there is another
    std::vector<ReceiveQueue> m_receiveQueues;    ///< of NICs that were ever slow
    std::map<uint32_t, RateChange> m_rateChanges; ///< by port, of those ever degraded
    TracedCallback<const FabricEventRecord&> m_eventTrace;
    PauseBook m_pauses;
    JobLinkAccounts m_accounts;
    FabricTotals m_totals;
    std::vector<uint64_t> m_dropped; ///< frames dropped before an egress queue, by link
    std::vector<std::deque<SwitchedFrame>> m_switched; ///< by ingress port; empty: no SwitchDelay
    std::vector<Ptr<EgressScheduler>> m_egress;        ///< by port; empty: strict priority
    std::vector<uint32_t> m_nodeContext;
    uint64_t m_seed{1};
    uint32_t m_gapBytes{20};
    uint32_t m_maxFrameBytes{0}; ///< largest frame on the wire [byte]
    uint32_t m_losslessMask{0};
    bool m_accounting{false};
    bool m_otherPart{false};
    uint32_t m_queues{8};                                   ///< attribute of Fabric
    uint32_t m_controlPriority{7};                          ///< attribute of Fabric
    uint32_t m_pauseQuanta{65'535};                         ///< attribute of FabricPfc
    TypeId m_egressType{StrictPriorityEgress::GetTypeId()}; ///< attribute of Fabric
    std::string m_partition;                                ///< attribute of Fabric
    std::string m_dscps;                                    ///< attribute of Fabric
    DscpMap m_dscpMap;
    std::vector<FabricObserver*> m_observers; ///< by port; shorter where nobody has looked
    Ptr<const FrameEncoder> m_encoder;
    Ptr<EventLane> m_laneHolder;
    Ptr<PathSelector> m_defaultSelector;
    FabricParts* m_parts{nullptr};  ///< of the part of the simulator; null: whole, or another part
    std::vector<FrameBatch> m_sent; ///< by part

  private:
    void MarkObserved(uint32_t portId);
    void TellObserver(FrameEvent event, uint32_t portId, uint32_t frame);
};

// The hot ones, inline for the handlers of the classes above.

inline void
FabricState::StartTransmission(int64_t now, uint32_t portId, FabricPort& port, uint32_t index)
{
    Frame& frame = m_frames[index];
    // The fraction of a picosecond is carried while frames follow each other without a gap.
    uint64_t fraction = port.busyUntil == now ? port.fraction : 0;
    uint64_t time = frame.wireBytes * port.psPerByte + fraction;
    port.busyUntil = now + static_cast<int64_t>(time >> 20);
    port.fraction = time & 0xfffff;
    frame.arrival = port.busyUntil + port.delay;
    if (__builtin_expect(port.crossing, 0))
    {
        SendAway(portId, port, index);
        return;
    }
    PutBehind(portId, port, index);
}

inline void
FabricState::PutBehind(uint32_t portId, FabricPort& port, uint32_t index)
{
    Frame& frame = m_frames[index];
    frame.next = NO_FRAME;
    if (port.wireHead == NO_FRAME)
    {
        port.wireHead = index;
        m_lane->Schedule(frame.arrival, KeyOf(portId, ARRIVAL));
    }
    else
    {
        Frame& last = m_frames[port.wireTail];
        last.next = index;
        last.time = frame.arrival;
    }
    port.wireTail = index;
}

inline void
FabricState::Enqueue(FabricPort& port, uint32_t index)
{
    Frame& frame = m_frames[index];
    EgressQueue& queue = port.queues[frame.priority];
    frame.next = NO_FRAME;
    if (queue.head == NO_FRAME)
    {
        queue.head = index;
        port.nonEmpty |= 1u << frame.priority;
    }
    else
    {
        m_frames[queue.tail].next = index;
    }
    queue.tail = index;
    queue.bytes += frame.wireBytes - m_gapBytes;
}

inline uint32_t
FabricState::Dequeue(FabricPort& port, uint32_t priority)
{
    EgressQueue& queue = port.queues[priority];
    uint32_t index = queue.head;
    Frame& frame = m_frames[index];
    queue.head = frame.next;
    if (queue.head == NO_FRAME)
    {
        port.nonEmpty &= ~(1u << priority);
    }
    queue.bytes -= frame.wireBytes - m_gapBytes;
    return index;
}

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_STATE_H
