/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-faults.h"

#include "ns3/abort.h"
#include "ns3/counter-random.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricFaults);

TypeId
FabricFaults::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricFaults")
            .SetParent<FabricPfc>()
            .SetGroupName("GpuFabric")
            .AddAttribute("ConvergenceTime",
                          "Time from a cable's going down or coming up to the switches' sending "
                          "by other routes.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&FabricFaults::m_convergenceTime),
                          MakeTimeChecker(Seconds(0)))
            .AddAttribute("ReceiveBuffer",
                          "Receive buffer of a NIC that takes frames slower than they come [byte].",
                          UintegerValue(512'000),
                          MakeUintegerAccessor(&FabricFaults::m_receiveBuffer),
                          MakeUintegerChecker<uint64_t>(1))
            .AddTraceSource("LinkState",
                            "A cable has gone down or come up.",
                            MakeTraceSourceAccessor(&FabricFaults::m_linkStateTrace),
                            "ns3::FabricFaults::LinkStateCallback");
    return tid;
}

void
FabricFaults::Prepare()
{
    if (m_downCount.empty())
    {
        m_downCount.assign(m_ports.size() / 2, 0);
        m_routedDown.assign(m_ports.size() / 2, 0);
        m_lostWhileDown.assign(m_ports.size() / 2, 0);
    }
}

void
FabricFaults::ReportFault(int64_t now,
                          const char* kind,
                          uint32_t node,
                          uint32_t link,
                          const std::string& detail)
{
    if (m_eventTrace.IsEmpty())
    {
        return;
    }
    FabricEventRecord record;
    record.timePs = now;
    record.kind = kind;
    record.node = node;
    record.link = link;
    record.detail = detail;
    TellEvent(record, m_eventTrace);
}

// --- cables ---

void
FabricFaults::SetLinkUp(int64_t now, uint32_t link, bool up)
{
    Prepare();
    NS_ABORT_MSG_IF(up && m_downCount[link] == 0, "a link comes up that is not down");
    m_downCount[link] += up ? -1 : 1;
    if (m_downCount[link] != (up ? 0 : 1))
    {
        return;
    }
    const uint32_t port = 2 * link;
    const std::string name = "link " + m_topology->GetDirectedLinkName(port);
    if (up)
    {
        const uint64_t lost = Order({FabricFaultOrder::GIVE_BACK, link, now, 0, {}});
        ReportFault(now,
                    "link-up",
                    m_ports[port].node,
                    port,
                    name + " is up; frames lost meanwhile: " + std::to_string(lost));
    }
    else
    {
        ReportFault(now, "link-down", m_ports[port].node, port, name + " is down");
        Order({FabricFaultOrder::TAKE_DOWN, link, now, 0, {}});
    }
    ScheduleLearning(link);
    m_linkStateTrace(link, up);
}

void
FabricFaults::SetNodeUp(int64_t now, uint32_t node, bool up)
{
    for (uint32_t port : m_topology->GetNodes()[node].ports)
    {
        SetLinkUp(now, port / 2, up);
        if (!up && m_ports[port].switchIndex != UINT32_MAX)
        {
            Order({FabricFaultOrder::FLUSH, port, now, 0, {}});
        }
    }
}

void
FabricFaults::TakeDown(int64_t now, uint32_t portId)
{
    FabricPort& port = m_ports[portId];
    port.impaired |= PORT_DOWN;
    port.faulted = 1;
    while (port.wireHead != NO_FRAME)
    {
        const uint32_t index = port.wireHead;
        port.wireHead = m_frames[index].next;
        Observe(FrameEvent::LOST, portId ^ 1, port, index);
        if (m_frames[index].kind == FrameKind::PFC)
        {
            m_frames.Free(index);
        }
        else
        {
            ++m_totals.cutFrames;
            Lose(now, portId, index, "link down", true);
        }
    }
    m_lane->Cancel(KeyOf(portId, ARRIVAL));
    port.pfcPending = 0;
    // Who paused it cannot resume it any more.
    for (uint32_t mask = port.paused; mask != 0; mask &= mask - 1)
    {
        const uint32_t priority = __builtin_ctz(mask);
        EndPause(std::min(now, m_pauses.Get(portId, priority).until), portId, port, priority);
    }
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
FabricFaults::GiveBack(int64_t now, uint32_t portId)
{
    FabricPort& port = m_ports[portId];
    port.impaired &= ~PORT_DOWN;
    if (port.xoff)
    {
        // The peer has forgotten that it is paused.
        port.pfcPending |= port.xoff;
        ArmWake(std::max(now, port.busyUntil), portId, port);
    }
}

void
FabricFaults::Flush(int64_t now, uint32_t portId)
{
    FabricPort& port = m_ports[portId];
    SwitchState& node = m_switches[port.switchIndex];
    for (uint32_t priority = 0; priority < m_queues; ++priority)
    {
        while (port.queues[priority].head != NO_FRAME)
        {
            const uint32_t index = Dequeue(port, priority);
            const uint32_t ingress = m_frames[index].ingress;
            node.buffer->Release(ingress, priority, m_frames[index].wireBytes - m_gapBytes);
            Observe(FrameEvent::DROPPED, portId, port, index);
            Lose(now, portId, index, "switch down", true);
            const uint32_t inId = node.ports[ingress];
            if (m_ports[inId].xoff >> priority & 1)
            {
                TryResume(now, node, inId, priority);
            }
        }
    }
}

void
FabricFaults::SetLinkRate(int64_t now, uint32_t link, uint64_t rateBps)
{
    Order({FabricFaultOrder::SET_RATE, link, now, rateBps, {}});
    const std::string name = m_topology->GetDirectedLinkName(2 * link);
    ReportFault(now,
                "link-rate",
                m_ports[2 * link].node,
                2 * link,
                "link " + name + " at " +
                    std::to_string(rateBps > 0 ? rateBps : m_ports[2 * link].rateBps) + " bit/s");
}

// --- routes ---

void
FabricFaults::ScheduleLearning(uint32_t link)
{
    const bool down = m_downCount[link] > 0;
    Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                   m_convergenceTime,
                                   &FabricFaults::Learn,
                                   this,
                                   link,
                                   down);
}

void
FabricFaults::Learn(uint32_t link, bool down)
{
    if (!m_lane || m_routedDown[link] == (down ? 1 : 0))
    {
        return;
    }
    m_routedDown[link] = down;
    if (!m_rebuildPending)
    {
        // Once for all cables of an instant.
        m_rebuildPending = true;
        Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                       Time(0),
                                       &FabricFaults::Rebuild,
                                       this);
    }
}

void
FabricFaults::Rebuild()
{
    m_rebuildPending = false;
    if (!m_lane)
    {
        return;
    }
    if (!m_planned)
    {
        m_planned = std::make_unique<RoutingTable>(m_routing);
    }
    const int64_t now = Simulator::Now().GetTimeStep();
    Order({FabricFaultOrder::REROUTE, NO_ID, now, 0, {}}, m_routedDown);
    const auto avoided = std::count(m_routedDown.begin(), m_routedDown.end(), 1);
    ReportFault(now,
                "routes",
                NO_ID,
                NO_ID,
                "routes avoid " + std::to_string(avoided) + (avoided == 1 ? " link" : " links"));
}

void
FabricFaults::DropUnrouted(int64_t now, uint32_t inId, uint32_t index)
{
    Frame& frame = m_frames[index];
    ++m_totals.dropped;
    ++m_totals.faultDrops;
    if (m_reportedUnrouted.emplace(inId, frame.queuePair).second && !m_eventTrace.IsEmpty())
    {
        FabricEventRecord record;
        record.timePs = now;
        record.kind = "drop";
        record.node = m_ports[inId].node;
        record.queuePair = frame.queuePair;
        record.priority = frame.priority;
        record.detail = "no route to " + m_topology->GetPortName(frame.destination);
        TellEvent(record, m_eventTrace);
    }
    Observe(FrameEvent::LOST, inId, m_ports[inId], index);
    m_endpoint->FrameDropped(now, index);
    m_frames.Free(index);
}

// --- frames ---

void
FabricFaults::Lose(int64_t now, uint32_t portId, uint32_t index, const char* reason, bool aggregate)
{
    const Frame& frame = m_frames[index];
    ++m_totals.dropped;
    ++m_totals.faultDrops;
    ++m_dropped[portId];
    if (!m_lostWhileDown.empty())
    {
        ++m_lostWhileDown[portId / 2];
    }
    if ((!aggregate || m_reported.emplace(portId, frame.queuePair).second) &&
        !m_eventTrace.IsEmpty())
    {
        FabricEventRecord record;
        record.timePs = now;
        record.kind = "drop";
        record.node = m_ports[portId].node;
        record.link = portId;
        record.queuePair = frame.queuePair;
        record.priority = frame.priority;
        record.detail = reason;
        record.oncePerQueuePair = aggregate;
        TellEvent(record, m_eventTrace);
    }
    m_endpoint->FrameDropped(now, index);
    m_frames.Free(index);
}

bool
FabricFaults::TransmitImpaired(int64_t now, uint32_t portId, FabricPort& port, uint32_t index)
{
    const Frame& frame = m_frames[index];
    if (port.impaired & PORT_DOWN)
    {
        port.busyUntil = now + GetWireTime(portId, frame.wireBytes);
        Observe(FrameEvent::DROPPED, portId, port, index);
        Lose(now, portId, index, "link down", true);
        return true;
    }
    if ((port.impaired & PORT_WATCHDOG) && IsDropping(portId, frame.priority))
    {
        // It is taken out of the queue, not sent.
        port.busyUntil = now;
        Observe(FrameEvent::DROPPED, portId, port, index);
        Lose(now, portId, index, "PFC watchdog", true);
        return true;
    }
    return false;
}

bool
FabricFaults::ArriveImpaired(int64_t now, uint32_t portId, FabricPort& port, uint32_t index)
{
    const Frame& frame = m_frames[index];
    if ((port.impaired & PORT_LOSSY) && IsLost(portId, frame))
    {
        Observe(FrameEvent::LOST, portId ^ 1, port, index);
        if (m_frames[index].kind == FrameKind::PFC)
        {
            ++m_totals.pfcFrames;
            m_frames.Free(index);
        }
        else
        {
            ++m_totals.hops;
            Lose(now, portId, index, "lost on the wire", false);
        }
        return true;
    }
    if ((port.impaired & PORT_SLOW) && frame.kind == FrameKind::DATA)
    {
        ++m_totals.hops;
        Receive(now, portId ^ 1, index);
        return true;
    }
    Observe(FrameEvent::RECEIVED, portId ^ 1, port, index);
    return false;
}

// --- loss ---

uint32_t
FabricFaults::AddLoss(uint32_t port, const FrameLoss& loss)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    Order({FabricFaultOrder::ADD_LOSS, port, now, 0, loss});
    return static_cast<uint32_t>(m_losses.size() - 1);
}

void
FabricFaults::RemoveLoss(uint32_t number)
{
    Order({FabricFaultOrder::REMOVE_LOSS, number, Simulator::Now().GetTimeStep(), 0, {}});
}

bool
FabricFaults::IsLost(uint32_t portId, const Frame& frame)
{
    for (const Loss& loss : m_losses)
    {
        if (loss.active && loss.port == portId &&
            (loss.loss.kinds >> static_cast<uint32_t>(frame.kind) & 1))
        {
            const uint64_t stream = HashName("frame loss") + portId;
            if (CounterUniform(m_seed, stream, m_lossDraws[portId]++) < loss.loss.probability)
            {
                return true;
            }
        }
    }
    return false;
}

// --- slow receivers ---

void
FabricFaults::SetReceiveRate(int64_t now, uint32_t nicPort, uint64_t rateBps)
{
    size_t k = 0;
    while (k < m_receiveQueues.size() && m_receiveQueues[k].nic != nicPort)
    {
        ++k;
    }
    if (k == m_receiveQueues.size())
    {
        m_receiveQueues.emplace_back();
        m_receiveQueues[k].nic = nicPort;
    }
    ReceiveQueue& queue = m_receiveQueues[k];
    queue.slow = rateBps > 0;
    queue.psPerByte = rateBps > 0 ? GetPsPerByte(rateBps) : 0;
    if (queue.head != NO_FRAME)
    {
        queue.taking.Cancel();
        ScheduleTaking(k);
    }
    if (queue.slow)
    {
        m_ports[nicPort ^ 1].impaired |= PORT_SLOW;
    }
    else if (queue.head == NO_FRAME)
    {
        m_ports[nicPort ^ 1].impaired &= ~PORT_SLOW;
    }
    ReportFault(now,
                rateBps > 0 ? "nic-slow" : "nic-normal",
                m_ports[nicPort].node,
                nicPort ^ 1,
                m_topology->GetPortName(nicPort) +
                    (rateBps > 0 ? " takes frames at " + std::to_string(rateBps) + " bit/s"
                                 : " takes frames as they come"));
}

void
FabricFaults::Receive(int64_t now, uint32_t nicPort, uint32_t index)
{
    size_t k = 0;
    while (m_receiveQueues[k].nic != nicPort)
    {
        ++k;
    }
    ReceiveQueue& queue = m_receiveQueues[k];
    Frame& frame = m_frames[index];
    if (queue.bytes + frame.wireBytes > m_receiveBuffer)
    {
        Observe(FrameEvent::LOST, nicPort, m_ports[nicPort], index);
        Lose(now, nicPort ^ 1, index, "receive buffer full", true);
        return;
    }
    const bool idle = queue.head == NO_FRAME;
    frame.next = NO_FRAME;
    (idle ? queue.head : m_frames[queue.tail].next) = index;
    queue.tail = index;
    queue.bytes += frame.wireBytes;
    if (2 * queue.bytes > m_receiveBuffer)
    {
        // All lossless priorities stand in one buffer.
        for (uint32_t mask = m_losslessMask & ~m_ports[nicPort].xoff; mask != 0; mask &= mask - 1)
        {
            SendXoff(now, nicPort, __builtin_ctz(mask), NO_ID);
        }
    }
    if (idle)
    {
        ScheduleTaking(k);
    }
    Observe(FrameEvent::RECEIVED, nicPort, m_ports[nicPort], index);
}

void
FabricFaults::ScheduleTaking(size_t k)
{
    ReceiveQueue& queue = m_receiveQueues[k];
    __extension__ using Wide = unsigned __int128;
    const auto time = static_cast<int64_t>(
        static_cast<Wide>(m_frames[queue.head].wireBytes) * queue.psPerByte >> 20);
    queue.taking = Simulator::Schedule(PicoSeconds(time), &FabricFaults::TakeNext, this, k);
}

void
FabricFaults::TakeNext(size_t k)
{
    if (!m_lane)
    {
        return;
    }
    const int64_t now = Simulator::Now().GetTimeStep();
    ReceiveQueue& queue = m_receiveQueues[k];
    const uint32_t nic = queue.nic;
    const uint32_t index = queue.head;
    queue.head = m_frames[index].next;
    queue.bytes -= m_frames[index].wireBytes;
    if (queue.head != NO_FRAME)
    {
        ScheduleTaking(k);
    }
    else if (!queue.slow)
    {
        m_ports[nic ^ 1].impaired &= ~PORT_SLOW;
    }
    if (4 * queue.bytes <= m_receiveBuffer)
    {
        for (uint32_t mask = m_ports[nic].xoff; mask != 0; mask &= mask - 1)
        {
            SendXon(now, nic, __builtin_ctz(mask));
        }
    }
    ++m_totals.delivered;
    m_endpoint->ReceiveFrame(now, nic, index);
}

} // namespace ns3
