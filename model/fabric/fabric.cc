/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/fabric.h"

#include "ns3/counter-random.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(Fabric);

TypeId
Fabric::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::Fabric")
            .SetParent<FabricGuard>()
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
            .AddAttribute("DscpMap",
                          "DSCP of the frames of priority 0, 1, ..., separated by commas; default: "
                          "8 times the priority, for 8 and 9 what is free.",
                          StringValue("0,8,16,24,32,40,48,56,60,62"),
                          MakeStringAccessor(&Fabric::m_dscps),
                          MakeStringChecker())
            .AddAttribute("EgressScheduler",
                          "Type of the order in which the ports of switches and NICs serve their "
                          "priorities, a child of ns3::EgressScheduler.",
                          TypeIdValue(StrictPriorityEgress::GetTypeId()),
                          MakeTypeIdAccessor(&Fabric::m_egressType),
                          MakeTypeIdChecker())
            .AddAttribute(
                "Partition",
                "How switches are dealt out to threads. One of: auto (by pod if there are "
                "enough), leaf (one by one), pod (what hangs together without the "
                "highest tier).",
                StringValue("auto"),
                MakeStringAccessor(&Fabric::m_partition),
                MakeStringChecker())
            .AddTraceSource("Event",
                            "Something that seldom happens, such as a drop.",
                            MakeTraceSourceAccessor(&Fabric::m_eventTrace),
                            "ns3::Fabric::EventCallback");
    return tid;
}

Fabric::Fabric() = default;

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
    else if (kind == REFRESH)
    {
        Refresh(now, entity);
    }
    else
    {
        EndSwitchDelay(now, entity);
    }
}

template <bool PLAIN>
[[gnu::always_inline]] inline void
Fabric::ForwardBy(int64_t now, uint32_t inId, uint32_t index)
{
    Frame& frame = m_frames[index];
    FabricPort& in = m_ports[inId];
    SwitchState& node = m_switches[in.switchIndex];
    uint32_t outId =
        PLAIN || !node.perFrame
            ? m_routing.Route(in.switchIndex, frame.destination, frame.flowHash, *node.selector)
            : m_routing.RouteFrame(in.switchIndex,
                                   frame.destination,
                                   frame.flowHash,
                                   *node.selector);
    if (__builtin_expect(outId == RoutingTable::NO_PORT, 0))
    {
        DropUnrouted(now, inId, index);
        return;
    }
    FabricPort& out = m_ports[outId];
    uint32_t bytes = frame.wireBytes - m_gapBytes;
    BufferVerdict verdict =
        node.buffer->Admit(in.localIndex, out.localIndex, frame.priority, bytes, node.lazy == 0);
    if (verdict != BufferVerdict::ADMIT)
    {
        if (verdict == BufferVerdict::UNCERTAIN)
        {
            Sweep(now, node);
            verdict =
                node.buffer->Admit(in.localIndex, out.localIndex, frame.priority, bytes, true);
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
    if (!PLAIN && node.delay != 0)
    {
        if (m_switched[inId].empty())
        {
            m_lane->Schedule(now + node.delay, KeyOf(inId, SWITCHED));
        }
        m_switched[inId].push_back({index, outId, now + node.delay});
        return;
    }
    EnterQueue(now, node, inId, outId, index);
}

[[gnu::always_inline]] inline void
Fabric::Forward(int64_t now, uint32_t inId, uint32_t index)
{
    if (__builtin_expect(m_switches[m_ports[inId].switchIndex].plain, 1))
    {
        ForwardBy<true>(now, inId, index);
    }
    else
    {
        ForwardUnusually(now, inId, index);
    }
}

void
Fabric::ForwardUnusually(int64_t now, uint32_t inId, uint32_t index)
{
    ForwardBy<false>(now, inId, index);
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
    const Frame* arrived = &frame;
    if (__builtin_expect(out.impaired, 0))
    {
        if (ArriveImpaired(now, portId, out, index))
        {
            return;
        }
        // An observer may have run code of the user.
        arrived = &m_frames[index];
    }
    uint32_t inId = portId ^ 1;
    if (arrived->kind == FrameKind::PFC)
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
Fabric::EndSwitchDelay(int64_t now, uint32_t inId)
{
    std::deque<SwitchedFrame>& frames = m_switched[inId];
    SwitchedFrame first = frames.front();
    frames.pop_front();
    if (!frames.empty())
    {
        m_lane->Schedule(frames.front().due, KeyOf(inId, SWITCHED));
    }
    EnterQueue(now, m_switches[m_ports[inId].switchIndex], inId, first.egress, first.frame);
}

[[gnu::always_inline]] inline void
Fabric::EnterQueue(int64_t now, SwitchState& node, uint32_t inId, uint32_t outId, uint32_t index)
{
    Frame& frame = m_frames[index];
    FabricPort& out = m_ports[outId];
    frame.time = now;
    EgressQueue& queue = out.queues[frame.priority];
    if (queue.bytes > out.ecnMin && !node.markAtDequeue)
    {
        Mark(node, outId, queue, frame, MixBits(static_cast<uint64_t>(now)) ^ inId);
    }
    Observe(FrameEvent::QUEUED, outId, out, index);
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
    const SwitchState& node = m_switches[m_ports[inId].switchIndex];
    // Where something is wrong with the cable, the peer may not have been paused in time.
    m_totals.losslessDrops += (m_losslessMask >> frame.priority & 1) && node.buffer->IsLossless() &&
                              !m_ports[inId].faulted;
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
        TellEvent(record, m_eventTrace);
    }
    m_endpoint->FrameDropped(now, index);
    Observe(FrameEvent::DROPPED, outId, m_ports[outId], index);
    m_frames.Free(index);
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
    // One branch for a port that something is wrong with and for a frame that has a side.
    if (__builtin_expect(port.impaired | frame.side, 0))
    {
        if (port.impaired == 0 || !TransmitImpaired(now, portId, port, index))
        {
            AppendIntRecord(now, port, index);
            PutOnWire(now, portId, port, index);
            Observe(FrameEvent::SENT, portId, port, index);
        }
        return;
    }
    PutOnWire(now, portId, port, index);
}

void
Fabric::AppendIntRecord(int64_t now, const FabricPort& port, uint32_t index)
{
    FrameSide* side = m_frames.FindSide(index);
    if (side == nullptr || !(side->flags & FRAME_SIDE_INT) || port.switchIndex == UINT32_MAX)
    {
        return;
    }
    IntRecord record;
    for (uint32_t priority = 0; priority < m_queues; ++priority)
    {
        record.txBytes += port.queues[priority].sentBytes;
        record.queueBytes += port.queues[priority].bytes;
    }
    record.timePs = now;
    record.rateBps = port.psPerByte == GetPsPerByte(port.rateBps)
                         ? port.rateBps
                         : (8'000'000'000'000ull << 20) / port.psPerByte; // a degraded link
    side->Append(record);
}

[[gnu::always_inline]] inline void
Fabric::PutOnWire(int64_t now, uint32_t portId, FabricPort& port, uint32_t index)
{
    Frame& frame = m_frames[index];
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
    if (m_accounting)
    {
        m_accounts.Count(portId, port, frame, now - frame.time);
    }
    frame.markedHere = 0;
    StartTransmission(now, portId, port, index);
}

void
Fabric::AfterTransmit(uint32_t portId, FabricPort& port)
{
    if (port.nonEmpty || port.pfcPending || port.hostWork ||
        (port.unreleased && m_switches[port.switchIndex].pausing != 0 &&
         IsPausing(m_switches[port.switchIndex], port)))
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
        if (!(port.impaired & PORT_DOWN))
        {
            SendPfc(now, portId, port);
            AfterTransmit(portId, port);
            return;
        }
        // Told anew when the cable is up again.
        port.pfcPending = 0;
    }
    if (port.paused)
    {
        ExpirePauses(now, portId, port);
    }
    uint32_t ready = port.nonEmpty & ~port.paused;
    uint32_t index = NO_FRAME;
    int64_t retryAt = std::numeric_limits<int64_t>::max();
    if (port.egress)
    {
        index = TakeScheduled(now, portId, port, retryAt);
        ready = 0;
    }
    else if (port.hostWork)
    {
        uint32_t above = ready ? ~0u << (HighestBit(ready) + 1) : ~0u;
        uint32_t allowed = ~port.paused & above & ((1u << m_queues) - 1);
        index = m_endpoint->NextFrame(now, portId, allowed, retryAt);
        if (index != NO_FRAME)
        {
            ++m_totals.sent;
            Observe(FrameEvent::QUEUED, portId, port, index);
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

uint32_t
Fabric::TakeScheduled(int64_t now, uint32_t portId, FabricPort& port, int64_t& retryAt)
{
    uint32_t open = ~port.paused & ((1u << m_queues) - 1);
    uint32_t queued = port.nonEmpty & open;
    uint32_t host = port.hostWork ? m_endpoint->GetReadyPriorities(now, portId) & open : 0;
    uint32_t index = NO_FRAME;
    while (queued | host)
    {
        uint32_t priority = port.egress->Select(queued | host);
        if (queued >> priority & 1)
        {
            index = Dequeue(port, priority);
        }
        else
        {
            index = m_endpoint->NextFrame(now, portId, 1u << priority, retryAt);
            if (index != NO_FRAME)
            {
                ++m_totals.sent;
                Observe(FrameEvent::QUEUED, portId, port, index);
            }
        }
        if (index != NO_FRAME)
        {
            port.egress->Charge(priority, m_frames[index].wireBytes);
            return index;
        }
        // What the endpoint had there has been acknowledged in the meantime.
        host &= ~(1u << priority);
    }
    if (port.hostWork)
    {
        // Nothing may be sent: this asks when.
        m_endpoint->NextFrame(now, portId, open, retryAt);
        port.hostWork = port.paused != 0 || retryAt != INT64_MAX;
    }
    return NO_FRAME;
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
Fabric::Queue(int64_t now, uint32_t portId, uint32_t index)
{
    FabricPort& port = m_ports[portId];
    m_frames[index].time = now;
    m_frames[index].markedHere = 0;
    ++m_totals.sent;
    Enqueue(port, index);
    ArmWake(std::max(now, port.busyUntil), portId, port);
}

void
Fabric::SendControl(int64_t now, uint32_t portId, uint32_t index)
{
    FabricPort& port = m_ports[portId];
    m_frames[index].time = now;
    m_frames[index].markedHere = 0;
    ++m_totals.sent;
    Observe(FrameEvent::QUEUED, portId, port, index);
    if (port.busyUntil <= now && port.nonEmpty == 0 && port.pfcPending == 0 && port.paused == 0)
    {
        Transmit(now, portId, port, index);
        AfterTransmit(portId, port);
        return;
    }
    Enqueue(port, index);
    ArmWake(std::max(now, port.busyUntil), portId, port);
}

} // namespace ns3
