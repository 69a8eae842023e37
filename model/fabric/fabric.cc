/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/fabric.h"

#include "ns3/abort.h"
#include "ns3/counter-random.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(Fabric);

namespace
{

/// A PFC frame on the wire without gap: 64 bytes (IEEE 802.1Qbb), padding included [byte].
constexpr uint32_t PFC_FRAME_BYTES = 64;

/// Highest set bit of a mask that is not 0.
uint32_t
HighestBit(uint32_t mask)
{
    return 31 - __builtin_clz(mask);
}

} // namespace

TypeId
Fabric::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::Fabric")
            .SetParent<Object>()
            .SetGroupName("GpuFabric")
            .AddConstructor<Fabric>()
            .AddAttribute("Queues",
                          "Egress queues (priorities) of a port; the highest is served first.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&Fabric::m_queues),
                          MakeUintegerChecker<uint32_t>(2, MAX_QUEUES))
            .AddAttribute("ControlPriority",
                          "Priority of ACK, NAK and CNP.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&Fabric::m_controlPriority),
                          MakeUintegerChecker<uint32_t>(0, MAX_QUEUES - 1))
            .AddAttribute("PauseQuanta",
                          "How long a pause frame holds, in quanta of 512 bit times "
                          "(IEEE 802.1Qbb).",
                          UintegerValue(65'535),
                          MakeUintegerAccessor(&Fabric::m_pauseQuanta),
                          MakeUintegerChecker<uint32_t>(1, 65'535))
            .AddAttribute("PauseRefresh",
                          "A pause still needed is sent again after this share of its time.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&Fabric::m_refreshFraction),
                          MakeDoubleChecker<double>(0.01, 0.99))
            .AddTraceSource("Pause",
                            "A pause of a link's priority has ended.",
                            MakeTraceSourceAccessor(&Fabric::m_pauseTrace),
                            "ns3::Fabric::PauseCallback")
            .AddTraceSource("Event",
                            "Something that seldom happens, such as a drop.",
                            MakeTraceSourceAccessor(&Fabric::m_eventTrace),
                            "ns3::Fabric::EventCallback");
    return tid;
}

Fabric::Fabric()
    : m_defaultSelector(CreateObject<EcmpPathSelector>())
{
}

void
Fabric::DoDispose()
{
    m_switches.clear();
    m_laneHolder = nullptr;
    m_lane = nullptr;
    Object::DoDispose();
}

std::vector<std::string>
Fabric::Build(const ClusterTopology& topology,
              uint64_t seed,
              const std::vector<Ptr<FabricSwitch>>& switches,
              FabricEndpoint* endpoint,
              uint32_t maxFrameBytes,
              uint32_t gapBytes)
{
    m_topology = &topology;
    m_endpoint = endpoint;
    m_seed = seed;
    m_gapBytes = gapBytes;
    m_laneHolder = EventLane::Get();
    m_lane = PeekPointer(m_laneHolder);
    m_routing.Build(topology, seed);
    NS_ABORT_MSG_IF(switches.size() != m_routing.GetSwitchCount(),
                    "one configuration for each switch is needed");

    uint32_t ports = topology.GetPortCount();
    m_ports.assign(ports, FabricPort());
    m_dropped.assign(ports, 0);
    m_pauses.Resize(ports);
    m_accounts.Resize(ports);
    m_switches.assign(switches.size(), SwitchState());
    const auto& nodes = topology.GetNodes();
    for (uint32_t node = 0; node < nodes.size(); ++node)
    {
        for (uint32_t k = 0; k < nodes[node].ports.size(); ++k)
        {
            uint32_t id = nodes[node].ports[k];
            FabricPort& port = m_ports[id];
            port.node = node;
            port.localIndex = static_cast<uint16_t>(k);
            port.switchIndex = m_routing.GetSwitchIndex(node);
            port.delay = topology.GetPortDelay(id);
            port.rateBps = topology.GetPortRate(id);
            port.psPerByte = (8'000'000'000'000ull << 20) / port.rateBps;
        }
    }

    std::vector<std::string> errors;
    m_losslessMask = 0;
    for (uint32_t node = 0; node < nodes.size(); ++node)
    {
        uint32_t index = m_routing.GetSwitchIndex(node);
        if (index == UINT32_MAX)
        {
            continue;
        }
        SwitchState& state = m_switches[index];
        state.configuration = switches[index];
        state.configuration->MakePolicies();
        state.buffer = PeekPointer(state.configuration->GetBufferManager());
        state.selector = PeekPointer(state.configuration->GetPathSelector());
        state.marker = PeekPointer(state.configuration->GetEcnMarker());
        state.markAtDequeue = state.configuration->IsMarkingAtDequeue();
        state.ports = nodes[node].ports;
        uint32_t lossless = state.configuration->GetLosslessMask() & ((1u << m_queues) - 1) &
                            ~(1u << m_controlPriority);
        m_losslessMask |= lossless;
        std::vector<BufferPort> bufferPorts;
        for (uint32_t id : state.ports)
        {
            m_ports[id].ecnMin = state.marker->GetUnmarkedBytes(m_ports[id].rateBps);
            bufferPorts.push_back({topology.GetPortName(id),
                                   m_ports[id].rateBps,
                                   m_ports[id].delay,
                                   maxFrameBytes});
        }
        std::string error = state.buffer->Configure(state.configuration->GetBufferSize(),
                                                    bufferPorts,
                                                    m_queues,
                                                    lossless);
        if (!error.empty())
        {
            errors.push_back(nodes[node].name + ": " + error);
        }
    }
    m_lane->SetHandler(LANE_CLASS, this, ports);
    return errors;
}

const PathSelector&
Fabric::GetPathSelector() const
{
    return m_switches.empty() ? *m_defaultSelector : *m_switches[0].selector;
}

uint32_t
Fabric::GetLaneContext(uint32_t entity, uint32_t kind) const
{
    // An arrival happens at the far end of the wire.
    uint32_t node = m_ports[kind == ARRIVAL ? entity ^ 1 : entity].node;
    return node < m_nodeContext.size() ? m_nodeContext[node] : node;
}

int64_t
Fabric::GetWireTime(uint32_t portId, uint64_t bytes) const
{
    __extension__ using Wide = unsigned __int128;
    return static_cast<int64_t>(static_cast<Wide>(bytes) * m_ports[portId].psPerByte >> 20);
}

LinkCounters
Fabric::GetLinkCounters(uint32_t link, uint32_t priority) const
{
    const EgressQueue& queue = m_ports[link].queues[priority];
    LinkCounters counters;
    counters.frames = queue.sentFrames;
    counters.bytes = queue.sentBytes;
    counters.markedFrames = queue.markedFrames;
    counters.droppedFrames = priority == 0 ? m_dropped[link] : 0;
    counters.busyPs = GetWireTime(link, queue.sentBytes);
    counters.pausedPs = m_pauses.GetTotal(link, priority);
    counters.queueBytes = queue.bytes;
    return counters;
}

uint64_t
Fabric::GetBufferUsed(int64_t now, uint32_t switchIndex)
{
    Sweep(now, m_switches[switchIndex]);
    return m_switches[switchIndex].buffer->GetUsedBytes();
}

uint64_t
Fabric::GetBufferPeak(uint32_t switchIndex) const
{
    return m_switches[switchIndex].buffer->GetPeakBytes();
}

void
Fabric::HandleLaneEvent(int64_t now, uint32_t entity, uint32_t kind)
{
    if (kind == ARRIVAL)
    {
        Arrive(now, entity);
    }
    else if (kind == WAKE)
    {
        Wake(now, entity);
    }
    else
    {
        Refresh(now, entity);
    }
}

void
Fabric::Arrive(int64_t now, uint32_t portId)
{
    FabricPort& out = m_ports[portId];
    uint32_t index = out.wireHead;
    Frame& frame = m_frames[index];
    out.wireHead = frame.next;
    if (out.wireHead != NO_FRAME)
    {
        // The successor's time stands in this frame, which is in the cache already.
        m_lane->Schedule(frame.time, KeyOf(portId, ARRIVAL));
    }
    uint32_t inId = portId ^ 1;
    if (frame.kind == FrameKind::PFC)
    {
        ++m_totals.pfcFrames;
        ReceivePfc(now, inId, index);
        return;
    }
    ++m_totals.hops;
    if (m_ports[inId].switchIndex != UINT32_MAX)
    {
        Forward(now, inId, index);
    }
    else
    {
        ++m_totals.delivered;
        m_endpoint->ReceiveFrame(now, inId, index);
    }
}

void
Fabric::Forward(int64_t now, uint32_t inId, uint32_t index)
{
    Frame& frame = m_frames[index];
    FabricPort& in = m_ports[inId];
    SwitchState& node = m_switches[in.switchIndex];
    uint32_t outId =
        m_routing.Route(in.switchIndex, frame.destination, frame.flowHash, *node.selector);
    FabricPort& out = m_ports[outId];
    uint32_t bytes = frame.wireBytes - m_gapBytes;
    BufferVerdict verdict = node.buffer->Admit(in.localIndex,
                                               out.localIndex,
                                               frame.priority,
                                               bytes,
                                               node.lazy == 0);
    if (verdict != BufferVerdict::ADMIT)
    {
        if (verdict == BufferVerdict::UNCERTAIN)
        {
            Sweep(now, node);
            verdict = node.buffer->Admit(in.localIndex,
                                         out.localIndex,
                                         frame.priority,
                                         bytes,
                                         true);
        }
        if (verdict == BufferVerdict::DROP)
        {
            Drop(now, inId, outId, index);
            return;
        }
        if (verdict == BufferVerdict::PAUSE)
        {
            Xoff(now, node, inId, frame.priority, outId);
        }
    }
    frame.ingress = in.localIndex;
    frame.time = now;
    EgressQueue& queue = out.queues[frame.priority];
    if (!node.markAtDequeue && queue.bytes > out.ecnMin)
    {
        Mark(node, outId, queue, frame, MixBits(static_cast<uint64_t>(now)) ^ inId);
    }
    if (out.busyUntil <= now && !out.wakeArmed && out.nonEmpty == 0)
    {
        if (out.paused == 0)
        {
            ReleaseLazy(now, out);
            Transmit(now, outId, out, index);
            AfterTransmit(outId, out);
        }
        else
        {
            Enqueue(out, index);
            SendNext(now, outId, out);
        }
        return;
    }
    Enqueue(out, index);
    if (out.busyUntil > now)
    {
        if (!out.wakeArmed)
        {
            ArmWake(out.busyUntil, outId, out);
        }
    }
    else if (!out.wakeArmed || out.wakeAt > now)
    {
        // Idle although something waits: that is paused, and this frame may not be.
        SendNext(now, outId, out);
    }
}

void
Fabric::Drop(int64_t now, uint32_t inId, uint32_t outId, uint32_t index)
{
    Frame& frame = m_frames[index];
    ++m_totals.dropped;
    ++m_dropped[outId];
    if (!m_eventTrace.IsEmpty())
    {
        FabricEventRecord record;
        record.timePs = now;
        record.kind = "drop";
        record.node = m_ports[inId].node;
        record.link = outId;
        record.queuePair = frame.queuePair;
        record.priority = frame.priority;
        record.detail = "no room in the shared buffer";
        m_eventTrace(record);
    }
    m_endpoint->FrameDropped(now, index);
    m_frames.Free(index);
}

void
Fabric::Enqueue(FabricPort& port, uint32_t index)
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

uint32_t
Fabric::Dequeue(FabricPort& port, uint32_t priority)
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

void
Fabric::Mark(const SwitchState& node,
             uint32_t portId,
             EgressQueue& queue,
             Frame& frame,
             uint64_t count)
{
    if (!(frame.flags & FRAME_ECT))
    {
        return;
    }
    uint64_t probability = node.marker->GetMarkProbability(queue.bytes, m_ports[portId].rateBps);
    uint64_t stream = static_cast<uint64_t>(portId) << 4 | frame.priority;
    if ((CounterRandom(m_seed, stream, count) >> 32) < probability)
    {
        frame.flags |= FRAME_CE;
        frame.markedHere = 1;
        ++queue.markedFrames;
        ++m_totals.markedFrames;
    }
}

void
Fabric::Transmit(int64_t now, uint32_t portId, FabricPort& port, uint32_t index)
{
    Frame& frame = m_frames[index];
    if (port.switchIndex != UINT32_MAX)
    {
        port.unreleased = 1;
        port.releaseIngress = frame.ingress;
        port.releaseBytes = frame.wireBytes - m_gapBytes;
        port.releasePriority = frame.priority;
    }
    EgressQueue& queue = port.queues[frame.priority];
    ++queue.sentFrames;
    queue.sentBytes += frame.wireBytes;
    if (queue.bytes > port.ecnMin)
    {
        const SwitchState& node = m_switches[port.switchIndex];
        if (node.markAtDequeue)
        {
            Mark(node, portId, queue, frame, queue.sentFrames);
        }
    }
    if (m_accounting && frame.job != 0)
    {
        m_accounts.Count(portId, port, frame, now - frame.time);
    }
    frame.markedHere = 0;
    StartTransmission(now, portId, port, index);
}

void
Fabric::StartTransmission(int64_t now, uint32_t portId, FabricPort& port, uint32_t index)
{
    Frame& frame = m_frames[index];
    // The fraction of a picosecond is carried while frames follow each other without a gap.
    uint64_t fraction = port.busyUntil == now ? port.fraction : 0;
    uint64_t time = frame.wireBytes * port.psPerByte + fraction;
    port.busyUntil = now + static_cast<int64_t>(time >> 20);
    port.fraction = time & 0xfffff;
    frame.arrival = port.busyUntil + port.delay;
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

void
Fabric::AfterTransmit(uint32_t portId, FabricPort& port)
{
    if (port.nonEmpty || port.pfcPending || port.hostWork ||
        (port.unreleased &&
         m_ports[m_switches[port.switchIndex].ports[port.releaseIngress]].xoff >>
                 port.releasePriority &
             1))
    {
        if (!port.wakeArmed)
        {
            m_lane->Schedule(port.busyUntil, KeyOf(portId, WAKE));
        }
        else if (port.wakeAt != port.busyUntil)
        {
            m_lane->Reschedule(port.busyUntil, KeyOf(portId, WAKE));
        }
        port.wakeArmed = 1;
        port.wakeAt = port.busyUntil;
        return;
    }
    if (port.wakeArmed)
    {
        m_lane->Cancel(KeyOf(portId, WAKE));
        port.wakeArmed = 0;
    }
    if (port.unreleased)
    {
        ++m_switches[port.switchIndex].lazy;
    }
}

void
Fabric::ArmWake(int64_t at, uint32_t portId, FabricPort& port)
{
    if (!port.wakeArmed)
    {
        if (port.unreleased)
        {
            --m_switches[port.switchIndex].lazy;
        }
        m_lane->Schedule(at, KeyOf(portId, WAKE));
    }
    else if (at < port.wakeAt)
    {
        m_lane->Reschedule(at, KeyOf(portId, WAKE));
    }
    else
    {
        return;
    }
    port.wakeArmed = 1;
    port.wakeAt = at;
}

void
Fabric::Wake(int64_t now, uint32_t portId)
{
    FabricPort& port = m_ports[portId];
    NS_ASSERT(port.busyUntil <= now);
    if (port.unreleased)
    {
        ReleaseSent(now, port);
    }
    port.wakeArmed = 0;
    SendNext(now, portId, port);
}

void
Fabric::SendNext(int64_t now, uint32_t portId, FabricPort& port)
{
    ReleaseLazy(now, port);
    if (port.pfcPending)
    {
        SendPfc(now, portId, port);
        AfterTransmit(portId, port);
        return;
    }
    if (port.paused)
    {
        ExpirePauses(now, portId, port);
    }
    uint32_t ready = port.nonEmpty & ~port.paused;
    uint32_t index = NO_FRAME;
    int64_t retryAt = std::numeric_limits<int64_t>::max();
    if (port.hostWork)
    {
        uint32_t above = ready ? ~0u << (HighestBit(ready) + 1) : ~0u;
        uint32_t allowed = ~port.paused & above & ((1u << m_queues) - 1);
        index = m_endpoint->NextFrame(now, portId, allowed, retryAt);
        if (index != NO_FRAME)
        {
            ++m_totals.sent;
        }
        else if (!ready && !port.paused && retryAt == INT64_MAX)
        {
            port.hostWork = 0;
        }
    }
    if (index == NO_FRAME && ready)
    {
        index = Dequeue(port, HighestBit(ready));
    }
    if (index != NO_FRAME)
    {
        Transmit(now, portId, port, index);
        AfterTransmit(portId, port);
        return;
    }
    // Nothing may be sent now: wait for pacing or for a pause to expire; a resume comes by itself.
    if (port.paused && (port.nonEmpty || port.hostWork))
    {
        for (uint32_t mask = port.paused; mask != 0; mask &= mask - 1)
        {
            retryAt = std::min(retryAt, m_pauses.Get(portId, __builtin_ctz(mask)).until);
        }
    }
    if (retryAt != INT64_MAX)
    {
        ArmWake(retryAt, portId, port);
    }
}

void
Fabric::Kick(int64_t now, uint32_t portId)
{
    FabricPort& port = m_ports[portId];
    port.hostWork = 1;
    // By an event even if the port is idle: what is posted in the same instant competes by
    // priority, not by order of posting.
    ArmWake(std::max(now, port.busyUntil), portId, port);
}

void
Fabric::SendControl(int64_t now, uint32_t portId, uint32_t index)
{
    FabricPort& port = m_ports[portId];
    m_frames[index].time = now;
    m_frames[index].markedHere = 0;
    ++m_totals.sent;
    if (port.busyUntil <= now && port.nonEmpty == 0 && port.pfcPending == 0 && port.paused == 0)
    {
        Transmit(now, portId, port, index);
        AfterTransmit(portId, port);
        return;
    }
    Enqueue(port, index);
    ArmWake(std::max(now, port.busyUntil), portId, port);
}

uint32_t
Fabric::GetPaused(int64_t now, uint32_t portId)
{
    FabricPort& port = m_ports[portId];
    if (port.paused)
    {
        ExpirePauses(now, portId, port);
    }
    return port.paused;
}

void
Fabric::ReleaseLazy(int64_t now, FabricPort& port)
{
    if (port.unreleased)
    {
        if (!port.wakeArmed)
        {
            --m_switches[port.switchIndex].lazy;
        }
        ReleaseSent(now, port);
    }
}

void
Fabric::ReleaseSent(int64_t now, FabricPort& port)
{
    port.unreleased = 0;
    SwitchState& node = m_switches[port.switchIndex];
    node.buffer->Release(port.releaseIngress, port.releasePriority, port.releaseBytes);
    uint32_t inId = node.ports[port.releaseIngress];
    if (m_ports[inId].xoff >> port.releasePriority & 1)
    {
        TryResume(now, node, inId, port.releasePriority);
    }
}

void
Fabric::Sweep(int64_t now, SwitchState& node)
{
    if (node.lazy == 0)
    {
        return;
    }
    for (uint32_t id : node.ports)
    {
        FabricPort& port = m_ports[id];
        if (port.unreleased && !port.wakeArmed && port.busyUntil <= now)
        {
            // Its ingress is not paused: Xoff() would have armed a wake-up.
            port.unreleased = 0;
            --node.lazy;
            node.buffer->Release(port.releaseIngress, port.releasePriority, port.releaseBytes);
        }
    }
}

void
Fabric::Xoff(int64_t now, SwitchState& node, uint32_t inId, uint32_t priority, uint32_t outId)
{
    FabricPort& in = m_ports[inId];
    ++m_totals.xoff;
    in.xoff |= 1u << priority;
    in.pfcPending |= 1u << priority;
    m_pauses.Get(inId, priority).sentCause = outId;
    ArmWake(std::max(now, in.busyUntil), inId, in);
    if (!m_lane->IsPending(KeyOf(inId, REFRESH)))
    {
        auto period = static_cast<int64_t>(m_refreshFraction * GetPauseTime(inId));
        m_lane->Schedule(now + std::max<int64_t>(period, 1), KeyOf(inId, REFRESH));
    }
    // From now on the end of each transmission of this account may let the peer resume.
    for (uint32_t id : node.ports)
    {
        FabricPort& port = m_ports[id];
        if (port.unreleased && !port.wakeArmed && port.releaseIngress == in.localIndex &&
            port.releasePriority == priority)
        {
            ArmWake(std::max(now, port.busyUntil), id, port);
        }
    }
}

void
Fabric::TryResume(int64_t now, SwitchState& node, uint32_t inId, uint32_t priority)
{
    FabricPort& in = m_ports[inId];
    if (!node.buffer->Resume(in.localIndex, priority))
    {
        if (node.lazy == 0)
        {
            return;
        }
        Sweep(now, node);
        if (!node.buffer->Resume(in.localIndex, priority))
        {
            return;
        }
    }
    ++m_totals.xon;
    in.xoff &= ~(1u << priority);
    in.pfcPending |= 1u << priority;
    ArmWake(std::max(now, in.busyUntil), inId, in);
}

int64_t
Fabric::GetPauseTime(uint32_t portId) const
{
    return GetWireTime(portId, static_cast<uint64_t>(m_pauseQuanta) * 64);
}

void
Fabric::Refresh(int64_t now, uint32_t portId)
{
    FabricPort& port = m_ports[portId];
    if (port.xoff == 0)
    {
        return;
    }
    ++m_totals.refreshes;
    port.pfcPending |= port.xoff;
    ArmWake(std::max(now, port.busyUntil), portId, port);
    auto period = static_cast<int64_t>(m_refreshFraction * GetPauseTime(portId));
    m_lane->Schedule(now + std::max<int64_t>(period, 1), KeyOf(portId, REFRESH));
}

void
Fabric::SendPfc(int64_t now, uint32_t portId, FabricPort& port)
{
    uint32_t index = m_frames.Allocate();
    Frame& frame = m_frames[index];
    frame.kind = FrameKind::PFC;
    frame.psn = port.pfcPending;
    frame.payload = port.pfcPending & port.xoff;
    frame.priority = static_cast<uint8_t>(m_queues - 1);
    frame.flags = 0;
    frame.job = 0;
    frame.wireBytes = PFC_FRAME_BYTES + m_gapBytes;
    frame.ingress = m_pauses.Get(portId, HighestBit(port.pfcPending)).sentCause;
    port.pfcPending = 0;
    ++port.sentPfcFrames;
    port.sentPauses += frame.payload != 0;
    StartTransmission(now, portId, port, index);
}

void
Fabric::ReceivePfc(int64_t now, uint32_t portId, uint32_t index)
{
    FabricPort& port = m_ports[portId];
    const Frame& frame = m_frames[index];
    int64_t until = now + GetPauseTime(portId);
    for (uint32_t mask = frame.psn; mask != 0; mask &= mask - 1)
    {
        uint32_t priority = __builtin_ctz(mask);
        bool wasPaused = port.paused >> priority & 1;
        if (frame.payload >> priority & 1)
        {
            PauseBook::State& state = m_pauses.Get(portId, priority);
            if (wasPaused && state.until <= now)
            {
                EndPause(state.until, portId, port, priority);
                wasPaused = false;
            }
            if (!wasPaused)
            {
                state.since = now;
                state.causedByLink = frame.ingress;
            }
            state.until = until;
            port.paused |= 1u << priority;
        }
        else if (wasPaused)
        {
            EndPause(std::min(now, m_pauses.Get(portId, priority).until), portId, port, priority);
        }
    }
    m_frames.Free(index);
    if (port.switchIndex == UINT32_MAX)
    {
        m_endpoint->PauseChanged(now, portId, port.paused);
    }
    if (port.nonEmpty || port.hostWork)
    {
        ArmWake(std::max(now, port.busyUntil), portId, port);
    }
}

void
Fabric::ExpirePauses(int64_t now, uint32_t portId, FabricPort& port)
{
    for (uint32_t mask = port.paused; mask != 0; mask &= mask - 1)
    {
        uint32_t priority = __builtin_ctz(mask);
        int64_t until = m_pauses.Get(portId, priority).until;
        if (until <= now)
        {
            EndPause(until, portId, port, priority);
        }
    }
}

void
Fabric::EndPause(int64_t end, uint32_t portId, FabricPort& port, uint32_t priority)
{
    PauseBook::State& state = m_pauses.Get(portId, priority);
    port.paused &= ~(1u << priority);
    state.totalPs += end - state.since;
    if (m_accounting)
    {
        m_accounts.CountPause(portId, priority, end - state.since);
    }
    PauseRecord record;
    record.link = portId;
    record.priority = static_cast<uint8_t>(priority);
    record.startPs = state.since;
    record.endPs = end;
    record.causedByLink = state.causedByLink;
    m_pauseTrace(record);
}

void
Fabric::FinishPauses(int64_t now)
{
    for (uint32_t id = 0; id < m_ports.size(); ++id)
    {
        for (uint32_t mask = m_ports[id].paused; mask != 0; mask &= mask - 1)
        {
            uint32_t priority = __builtin_ctz(mask);
            EndPause(std::min(now, m_pauses.Get(id, priority).until), id, m_ports[id], priority);
        }
    }
}

} // namespace ns3
