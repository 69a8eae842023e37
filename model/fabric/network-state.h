/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_NETWORK_STATE_H
#define GPU_FABRIC_NETWORK_STATE_H

#include "../engine/event-lane.h"
#include "buffer-traces.h"
#include "dscp-map.h"
#include "fabric-endpoint.h"
#include "fabric-observer.h"
#include "fabric-port.h"
#include "fabric-readings.h"
#include "frame-batch.h"
#include "frame-pool.h"
#include "other-processes.h"
#include "pfc-state.h"
#include "switch/routing-table.h"

#include "ns3/cluster-topology.h"
#include "ns3/egress-scheduler.h"
#include "ns3/fabric-records.h"
#include "ns3/fabric-switch.h"
#include "ns3/traced-callback.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// Highest set bit of a mask that is not 0.
inline uint32_t
HighestBit(uint32_t mask)
{
    return 31 - __builtin_clz(mask);
}

/// The trace sources of a fabric, or of a logical process of it; their owner outlives it.
struct FabricTraces
{
    const TracedCallback<const FabricEventRecord&>* event{nullptr};
    const TracedCallback<const PauseRecord&>* pause{nullptr};
    const TracedCallback<uint32_t, bool>* linkState{nullptr};
};

/// A switch.
struct SwitchState
{
    BufferManager* buffer{nullptr};
    PathSelector* selector{nullptr};
    EcnMarker* marker{nullptr};
    uint32_t lazy{0};    ///< ports with an unreleased frame and no wake-up
    uint32_t pausing{0}; ///< (port, priority)s whose peer we have paused; usually 0, so that no
                         ///< ingress port need be checked
    bool markAtDequeue{true};
    bool perFrame{false}; ///< the selector chooses per frame
    bool plain{true};     ///< neither that nor a delay: one test for both
    bool isHere{true};    ///< it belongs to this logical process
    int64_t delay{0};     ///< SwitchDelay [ps]
    std::vector<uint32_t> ports;
    Ptr<FabricSwitch> configuration;
};

/// A frame between the ingress and its egress queue of a switch.
struct SwitchedFrame
{
    uint32_t frame;
    uint32_t egress; ///< port id
    int64_t due;     ///< in the egress queue [ps]
};

/// Bytes sent by a port, and the time taken, until its rate last changed.
struct RateChange
{
    uint64_t bytes[MAX_QUEUES]{}; ///< [byte]
    int64_t busyPs[MAX_QUEUES]{}; ///< [ps]
};

/**
 * The network in flat arrays indexed by the ids of the topology, and the operations on a single
 * port: queue, transmit, wake up. A plain value that the hop pipeline owns and PFC, faults and the
 * guard reference.
 */
struct NetworkState
{
    /// Kinds of the fabric's lane events; their entities are port ids.
    enum Kind : uint32_t
    {
        ARRIVAL, ///< the oldest frame of a wire is at its end
        WAKE,    ///< a port may send again
        REFRESH, ///< pauses sent by a port may need a refresh
        SWITCHED ///< the SwitchDelay of the oldest frame that came in through a port is over
    };

    /// Size of a PFC frame without preamble and gap, padding and FCS included (IEEE 802.1Qbb)
    /// [byte].
    static constexpr uint32_t PFC_FRAME_BYTES = 64;

    /// Serialisation time of a byte [2^-20 ps] at a rate [bit/s].
    static uint64_t GetPsPerByte(uint64_t rateBps)
    {
        return (8'000'000'000'000ull << 20) / rateBps;
    }

    /// Lane key of a port's event.
    uint32_t KeyOf(uint32_t port, Kind kind) const
    {
        return keyBase | port << 2 | kind;
    }

    /// Whether the peer is paused at the ingress of the frame that a port last sent.
    bool IsPausing(const SwitchState& node, const FabricPort& port) const
    {
        return ports[node.ports[port.releaseIngress]].xoff >> port.releasePriority & 1;
    }

    /// Whether a port belongs to this fabric or, if it is split, to the simulator's process.
    bool IsHere(uint32_t portId) const
    {
        return !others || others->IsHere(portId);
    }

    /// Serialisation time of bytes at a port [ps], rounded down.
    int64_t GetWireTime(uint32_t portId, uint64_t bytes) const
    {
        __extension__ using Wide = unsigned __int128;
        return static_cast<int64_t>(static_cast<Wide>(bytes) * ports[portId].psPerByte >> 20);
    }

    /// Starts to transmit a frame; the port is idle.
    void StartTransmission(int64_t now, uint32_t portId, FabricPort& port, uint32_t frame);
    /// Appends a frame, whose arrival is set, to those on the wire.
    void PutBehind(uint32_t portId, FabricPort& port, uint32_t frame);
    /// Passes a frame to the logical process that the wire leads to.
    [[gnu::noinline]] void SendAway(uint32_t portId, const FabricPort& port, uint32_t frame);
    void Enqueue(FabricPort& port, uint32_t frame);
    uint32_t Dequeue(FabricPort& port, uint32_t priority);
    /// Arms or advances the wake-up of a port from outside its own transmission.
    void ArmWake(int64_t at, uint32_t portId, FabricPort& port);
    /// Releases all ended transmissions of a switch that have no wake-up; until then its numbers
    /// are upper bounds.
    void ReleaseEnded(int64_t now, SwitchState& node);

    /// \name Observers
    /// They may run user code: references to frames do not survive it.
    /// @{
    /// Shows a frame to the observers of a port, after ObserveLevels().
    void Observe(FrameEvent event, uint32_t portId, const FabricPort& port, uint32_t frame)
    {
        if (port.impaired & PORT_OBSERVED)
        {
            NotifyObserver(event, portId, frame);
        }
    }

    /// The queues of a port, or the buffer of its switch, may have changed.
    void ObserveLevels(uint32_t portId, const FabricPort& port)
    {
        if (port.impaired & PORT_OBSERVED)
        {
            NotifyLevels(portId);
        }
    }

    void ObservePause(const FabricPort& port, const PauseChangeRecord& record)
    {
        if (port.impaired & PORT_OBSERVED)
        {
            NotifyPause(record);
        }
    }

    /// Sets the observer of a port; null: none.
    void SetObserver(uint32_t portId, FabricObserver* observer);
    /// Starts or stops to notify a switch's FabricSwitch of the bytes in its buffer.
    void SetBufferTraced(uint32_t switchIndex, bool traced);
    /// What is observed, which a split fabric does not support; "": nothing.
    std::string FindObserved() const;
    /// Updates PORT_OBSERVED.
    void MarkObserved(uint32_t portId);
    void NotifyObserver(FrameEvent event, uint32_t portId, uint32_t frame);
    void NotifyLevels(uint32_t portId);
    void NotifyPause(const PauseChangeRecord& record);

    /// @}

    /// Counts a frame that is dropped before an egress queue of a link.
    void CountDrop(uint32_t link, uint32_t priority)
    {
        if (dropped.empty())
        {
            dropped.resize(ports.size() * queues);
        }
        ++dropped[std::size_t{link} * queues + priority];
    }

    /// Frames dropped before an egress queue of a link.
    uint64_t GetDrops(uint32_t link, uint32_t priority) const
    {
        return dropped.empty() ? 0 : dropped[std::size_t{link} * queues + priority];
    }

    /// Notifies of an event, after those before it in all logical processes.
    void NotifyEvent(const FabricEventRecord& record) const
    {
        NotifyEvent(record, *traces.event);
    }

    void NotifyEvent(const FabricEventRecord& record,
                     const TracedCallback<const FabricEventRecord&>& trace) const;

    EventLane* lane{nullptr};
    FabricEndpoint* endpoint{nullptr};
    uint32_t keyBase{0}; ///< EventLane::Key() of the fabric's class
    uint32_t gapBytes{20};
    uint32_t queues{8};
    uint32_t controlPriority{7};
    uint32_t maxFrameBytes{0}; ///< largest frame on the wire [byte]
    uint32_t losslessMask{0};
    uint64_t seed{1};
    std::vector<FabricPort> ports;
    std::vector<SwitchState> switches;
    FramePool frames;
    RoutingTable routing;
    FabricTotals totals;
    PfcState pauses;
    std::vector<uint64_t> dropped; ///< frames dropped before an egress queue, by link x queues +
                                   ///< priority; empty before the first drop
    std::vector<std::deque<SwitchedFrame>> switched; ///< by ingress port; empty: no SwitchDelay
    std::vector<Ptr<EgressScheduler>> egress;        ///< by port; empty: strict priority
    std::map<uint32_t, RateChange> rateChanges;      ///< by port, of those ever degraded
    const ClusterTopology* topology{nullptr};
    std::unique_ptr<RoutingTable> planned;  ///< the initial routing, once it has been replaced
    std::vector<FabricObserver*> observers; ///< by port; only as long as needed
    BufferTraces bufferTraces;
    FabricTraces traces;
    OtherProcesses* others{nullptr}; ///< of the simulator's process if the fabric is split
    bool isOther{false};             ///< a logical process that is not the simulator's
    std::vector<FrameBatch> sent;    ///< to other logical processes, by number
};

// Hot functions, inline for the hop pipeline.

inline void
NetworkState::StartTransmission(int64_t now, uint32_t portId, FabricPort& port, uint32_t index)
{
    Frame& frame = frames[index];
    // The fraction of a picosecond is carried over while frames are back to back.
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
NetworkState::PutBehind(uint32_t portId, FabricPort& port, uint32_t index)
{
    Frame& frame = frames[index];
    frame.next = NO_FRAME;
    if (port.wireHead == NO_FRAME)
    {
        port.wireHead = index;
        lane->Schedule(frame.arrival, KeyOf(portId, ARRIVAL));
    }
    else
    {
        Frame& last = frames[port.wireTail];
        last.next = index;
        last.time = frame.arrival;
    }
    port.wireTail = index;
}

inline void
NetworkState::Enqueue(FabricPort& port, uint32_t index)
{
    Frame& frame = frames[index];
    EgressQueue& queue = port.queues[frame.priority];
    frame.next = NO_FRAME;
    if (queue.head == NO_FRAME)
    {
        queue.head = index;
        port.nonEmpty |= 1u << frame.priority;
    }
    else
    {
        frames[queue.tail].next = index;
    }
    queue.tail = index;
    queue.bytes += frame.wireBytes - gapBytes;
}

inline uint32_t
NetworkState::Dequeue(FabricPort& port, uint32_t priority)
{
    EgressQueue& queue = port.queues[priority];
    uint32_t index = queue.head;
    Frame& frame = frames[index];
    queue.head = frame.next;
    if (queue.head == NO_FRAME)
    {
        port.nonEmpty &= ~(1u << priority);
    }
    queue.bytes -= frame.wireBytes - gapBytes;
    return index;
}

} // namespace ns3

#endif // GPU_FABRIC_NETWORK_STATE_H
