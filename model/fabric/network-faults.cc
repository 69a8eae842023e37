/* SPDX-License-Identifier: GPL-2.0-only */
#include "network-faults.h"

#include "ns3/abort.h"
#include "ns3/counter-random.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NetworkFaults");

NetworkFaults::NetworkFaults(NetworkState& net,
                             Pfc& pfc,
                             JobLinkAccounts& accounts,
                             const FabricSettings& settings)
    : m_net(net),
      m_pfc(pfc),
      m_accounts(accounts),
      m_settings(settings)
{
}

std::vector<uint32_t>
NetworkFaults::GetReceiveQueueHeads() const
{
    std::vector<uint32_t> heads;
    for (const ReceiveQueue& queue : m_receiveQueues)
    {
        heads.push_back(queue.head);
    }
    return heads;
}

void
NetworkFaults::Reserve()
{
    if (m_downCount.empty())
    {
        m_downCount.assign(m_net.ports.size() / 2, 0);
        m_routedDown.assign(m_net.ports.size() / 2, 0);
        m_lostWhileDown.assign(m_net.ports.size() / 2, 0);
    }
}

void
NetworkFaults::ReportFault(int64_t now,
                           const char* kind,
                           uint32_t node,
                           uint32_t link,
                           const std::string& detail)
{
    NS_LOG_INFO(now << " ps " << kind << ": " << detail);
    if (m_net.traces.event->IsEmpty())
    {
        return;
    }
    FabricEventRecord record;
    record.timePs = now;
    record.kind = kind;
    record.node = node;
    record.link = link;
    record.detail = detail;
    m_net.NotifyEvent(record);
}

// --- cables ---

void
NetworkFaults::SetLinkUp(int64_t now, uint32_t link, bool up)
{
    Reserve();
    NS_ABORT_MSG_IF(up && m_downCount[link] == 0, "a link comes up that is not down");
    NS_LOG_FUNCTION(now << link << up);
    m_downCount[link] += up ? -1 : 1;
    if (m_downCount[link] != (up ? 0 : 1))
    {
        return;
    }
    const uint32_t port = 2 * link;
    const std::string name = "link " + m_net.topology->GetDirectedLinkName(port);
    if (up)
    {
        const uint64_t lost = Order({FabricFaultOrder::GIVE_BACK, link, now, 0, {}});
        ReportFault(now,
                    "link-up",
                    m_net.ports[port].node,
                    port,
                    name + " is up; frames lost meanwhile: " + std::to_string(lost));
    }
    else
    {
        ReportFault(now, "link-down", m_net.ports[port].node, port, name + " is down");
        Order({FabricFaultOrder::TAKE_DOWN, link, now, 0, {}});
    }
    ScheduleLearning(link);
    (*m_net.traces.linkState)(link, up);
}

void
NetworkFaults::SetNodeUp(int64_t now, uint32_t node, bool up)
{
    for (uint32_t port : m_net.topology->GetNodes()[node].ports)
    {
        SetLinkUp(now, port / 2, up);
        if (!up && m_net.ports[port].switchIndex != UINT32_MAX)
        {
            Order({FabricFaultOrder::FLUSH, port, now, 0, {}});
        }
    }
}

void
NetworkFaults::TakeDown(int64_t now, uint32_t portId)
{
    FabricPort& port = m_net.ports[portId];
    port.impaired |= PORT_DOWN;
    port.faulted = 1;
    while (port.wireHead != NO_FRAME)
    {
        const uint32_t index = port.wireHead;
        port.wireHead = m_net.frames[index].next;
        m_net.Observe(FrameEvent::LOST, portId ^ 1, port, index);
        if (m_net.frames[index].kind == FrameKind::PFC)
        {
            m_net.frames.Free(index);
        }
        else
        {
            ++m_net.totals.cutFrames;
            Lose(now, portId, index, "link down", true);
        }
    }
    m_net.lane->Cancel(m_net.KeyOf(portId, NetworkState::ARRIVAL));
    port.pfcPending = 0;
    // The port that paused it can no longer resume it.
    for (uint32_t mask = port.paused; mask != 0; mask &= mask - 1)
    {
        const uint32_t priority = __builtin_ctz(mask);
        m_pfc.EndPause(std::min(now, m_net.pauses.Get(portId, priority).until),
                       portId,
                       port,
                       priority);
    }
    if (port.switchIndex == UINT32_MAX)
    {
        m_net.endpoint->PauseChanged(now, portId, port.paused);
    }
    if (port.nonEmpty || port.hostWork)
    {
        m_net.ArmWake(std::max(now, port.busyUntil), portId, port);
    }
}

void
NetworkFaults::GiveBack(int64_t now, uint32_t portId)
{
    FabricPort& port = m_net.ports[portId];
    port.impaired &= ~PORT_DOWN;
    if (port.xoff)
    {
        // The peer no longer knows that it is paused.
        port.pfcPending |= port.xoff;
        m_net.ArmWake(std::max(now, port.busyUntil), portId, port);
    }
}

void
NetworkFaults::Flush(int64_t now, uint32_t portId)
{
    FabricPort& port = m_net.ports[portId];
    SwitchState& node = m_net.switches[port.switchIndex];
    for (uint32_t priority = 0; priority < m_net.queues; ++priority)
    {
        while (port.queues[priority].head != NO_FRAME)
        {
            const uint32_t index = m_net.Dequeue(port, priority);
            const uint32_t ingress = m_net.frames[index].ingress;
            node.buffer->Release(ingress, priority, m_net.frames[index].wireBytes - m_net.gapBytes);
            m_net.Observe(FrameEvent::DROPPED, portId, port, index);
            Lose(now, portId, index, "switch down", true);
            const uint32_t inId = node.ports[ingress];
            if (m_net.ports[inId].xoff >> priority & 1)
            {
                m_pfc.TryResume(now, node, inId, priority);
            }
        }
    }
}

void
NetworkFaults::SetLinkRate(int64_t now, uint32_t link, uint64_t rateBps)
{
    Order({FabricFaultOrder::SET_RATE, link, now, rateBps, {}});
    const std::string name = m_net.topology->GetDirectedLinkName(2 * link);
    ReportFault(now,
                "link-rate",
                m_net.ports[2 * link].node,
                2 * link,
                "link " + name + " at " +
                    std::to_string(rateBps > 0 ? rateBps : m_net.ports[2 * link].rateBps) +
                    " bit/s");
}

// --- routes ---

void
NetworkFaults::ScheduleLearning(uint32_t link)
{
    const bool down = m_downCount[link] > 0;
    Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                   m_settings.convergenceTime,
                                   &NetworkFaults::Learn,
                                   this,
                                   link,
                                   down);
}

void
NetworkFaults::Learn(uint32_t link, bool down)
{
    if (!m_net.lane || m_routedDown[link] == (down ? 1 : 0))
    {
        return;
    }
    m_routedDown[link] = down;
    if (!m_rebuildPending)
    {
        // Once for all cables that change in one instant.
        m_rebuildPending = true;
        Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                       Time(0),
                                       &NetworkFaults::Rebuild,
                                       this);
    }
}

void
NetworkFaults::Rebuild()
{
    m_rebuildPending = false;
    if (!m_net.lane)
    {
        return;
    }
    if (!m_net.planned)
    {
        m_net.planned = std::make_unique<RoutingTable>(m_net.routing);
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
NetworkFaults::DropUnrouted(int64_t now, uint32_t inId, uint32_t index)
{
    Frame& frame = m_net.frames[index];
    ++m_net.totals.dropped;
    ++m_net.totals.faultDrops;
    if (m_reportedUnrouted.emplace(inId, frame.queuePair).second && !m_net.traces.event->IsEmpty())
    {
        FabricEventRecord record;
        record.timePs = now;
        record.kind = "drop";
        record.node = m_net.ports[inId].node;
        record.queuePair = frame.queuePair;
        record.priority = frame.priority;
        record.detail = "no route to " + m_net.topology->GetPortName(frame.destination);
        m_net.NotifyEvent(record);
    }
    m_net.Observe(FrameEvent::LOST, inId, m_net.ports[inId], index);
    m_net.endpoint->FrameDropped(now, index);
    m_net.frames.Free(index);
}

// --- frames ---

void
NetworkFaults::Lose(int64_t now,
                    uint32_t portId,
                    uint32_t index,
                    const char* reason,
                    bool aggregate)
{
    const Frame& frame = m_net.frames[index];
    ++m_net.totals.dropped;
    ++m_net.totals.faultDrops;
    m_net.CountDrop(portId, frame.priority);
    if (!m_lostWhileDown.empty())
    {
        ++m_lostWhileDown[portId / 2];
    }
    if ((!aggregate || m_reported.emplace(portId, frame.queuePair).second) &&
        !m_net.traces.event->IsEmpty())
    {
        FabricEventRecord record;
        record.timePs = now;
        record.kind = "drop";
        record.node = m_net.ports[portId].node;
        record.link = portId;
        record.queuePair = frame.queuePair;
        record.priority = frame.priority;
        record.detail = reason;
        record.oncePerQueuePair = aggregate;
        m_net.NotifyEvent(record);
    }
    m_net.endpoint->FrameDropped(now, index);
    m_net.frames.Free(index);
}

bool
NetworkFaults::TransmitImpaired(int64_t now, uint32_t portId, FabricPort& port, uint32_t index)
{
    const Frame& frame = m_net.frames[index];
    if (port.impaired & PORT_DOWN)
    {
        port.busyUntil = now + m_net.GetWireTime(portId, frame.wireBytes);
        m_net.Observe(FrameEvent::DROPPED, portId, port, index);
        Lose(now, portId, index, "link down", true);
        return true;
    }
    if ((port.impaired & PORT_WATCHDOG) && m_pfc.GetWatchdog().IsDropping(portId, frame.priority))
    {
        // It is removed from the queue without being sent.
        port.busyUntil = now;
        m_net.Observe(FrameEvent::DROPPED, portId, port, index);
        Lose(now, portId, index, "PFC watchdog", true);
        return true;
    }
    return false;
}

bool
NetworkFaults::ArriveImpaired(int64_t now, uint32_t portId, FabricPort& port, uint32_t index)
{
    const Frame& frame = m_net.frames[index];
    if ((port.impaired & PORT_LOSSY) && IsLost(portId, frame))
    {
        m_net.Observe(FrameEvent::LOST, portId ^ 1, port, index);
        if (m_net.frames[index].kind == FrameKind::PFC)
        {
            ++m_net.totals.pfcFrames;
            m_net.frames.Free(index);
        }
        else
        {
            ++m_net.totals.hops;
            Lose(now, portId, index, "lost on the wire", false);
        }
        return true;
    }
    if ((port.impaired & PORT_SLOW) && frame.kind == FrameKind::DATA)
    {
        ++m_net.totals.hops;
        Receive(now, portId ^ 1, index);
        return true;
    }
    m_net.Observe(FrameEvent::RECEIVED, portId ^ 1, port, index);
    return false;
}

// --- loss ---

uint32_t
NetworkFaults::AddLoss(uint32_t port, const FrameLoss& loss)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    Order({FabricFaultOrder::ADD_LOSS, port, now, 0, loss});
    return static_cast<uint32_t>(m_losses.size() - 1);
}

void
NetworkFaults::RemoveLoss(uint32_t number)
{
    Order({FabricFaultOrder::REMOVE_LOSS, number, Simulator::Now().GetTimeStep(), 0, {}});
}

bool
NetworkFaults::IsLost(uint32_t portId, const Frame& frame)
{
    for (const Loss& loss : m_losses)
    {
        if (loss.active && loss.port == portId &&
            (loss.loss.kinds >> static_cast<uint32_t>(frame.kind) & 1))
        {
            const uint64_t stream = HashName("frame loss") + portId;
            if (CounterUniform(m_net.seed, stream, m_lossDraws[portId]++) < loss.loss.probability)
            {
                return true;
            }
        }
    }
    return false;
}

// --- slow receivers ---

void
NetworkFaults::SetReceiveRate(int64_t now, uint32_t nicPort, uint64_t rateBps)
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
    queue.psPerByte = rateBps > 0 ? NetworkState::GetPsPerByte(rateBps) : 0;
    if (queue.head != NO_FRAME)
    {
        queue.taking.Cancel();
        ScheduleTaking(k);
    }
    if (queue.slow)
    {
        m_net.ports[nicPort ^ 1].impaired |= PORT_SLOW;
    }
    else if (queue.head == NO_FRAME)
    {
        m_net.ports[nicPort ^ 1].impaired &= ~PORT_SLOW;
    }
    ReportFault(now,
                rateBps > 0 ? "nic-slow" : "nic-normal",
                m_net.ports[nicPort].node,
                nicPort ^ 1,
                m_net.topology->GetPortName(nicPort) +
                    (rateBps > 0 ? " takes frames at " + std::to_string(rateBps) + " bit/s"
                                 : " takes frames as they come"));
}

void
NetworkFaults::SetStorm(int64_t now, uint32_t nicPort, uint32_t priorities)
{
    uint32_t& storm = m_storms[nicPort];
    for (uint32_t priority = 0; priority < m_net.queues; ++priority)
    {
        if (priorities >> priority & 1)
        {
            m_pfc.SendXoff(now, nicPort, priority, NO_ID);
        }
        else if (storm >> priority & 1)
        {
            m_pfc.SendXon(now, nicPort, priority);
        }
    }
    storm = priorities;
    ReportFault(now,
                priorities != 0 ? "nic-storm" : "nic-normal",
                m_net.ports[nicPort].node,
                nicPort ^ 1,
                m_net.topology->GetPortName(nicPort) +
                    (priorities != 0 ? " pauses its peer, mask " + std::to_string(priorities)
                                     : " no longer pauses its peer"));
}

void
NetworkFaults::Receive(int64_t now, uint32_t nicPort, uint32_t index)
{
    size_t k = 0;
    while (m_receiveQueues[k].nic != nicPort)
    {
        ++k;
    }
    ReceiveQueue& queue = m_receiveQueues[k];
    Frame& frame = m_net.frames[index];
    if (queue.bytes + frame.wireBytes > m_settings.receiveBuffer)
    {
        m_net.Observe(FrameEvent::LOST, nicPort, m_net.ports[nicPort], index);
        Lose(now, nicPort ^ 1, index, "receive buffer full", true);
        return;
    }
    const bool idle = queue.head == NO_FRAME;
    frame.next = NO_FRAME;
    (idle ? queue.head : m_net.frames[queue.tail].next) = index;
    queue.tail = index;
    queue.bytes += frame.wireBytes;
    if (2 * queue.bytes > m_settings.receiveBuffer)
    {
        // All lossless priorities share one buffer.
        for (uint32_t mask = m_net.losslessMask & ~m_net.ports[nicPort].xoff; mask != 0;
             mask &= mask - 1)
        {
            m_pfc.SendXoff(now, nicPort, __builtin_ctz(mask), NO_ID);
        }
    }
    if (idle)
    {
        ScheduleTaking(k);
    }
    m_net.Observe(FrameEvent::RECEIVED, nicPort, m_net.ports[nicPort], index);
}

void
NetworkFaults::ScheduleTaking(size_t k)
{
    ReceiveQueue& queue = m_receiveQueues[k];
    __extension__ using Wide = unsigned __int128;
    const auto time = static_cast<int64_t>(
        static_cast<Wide>(m_net.frames[queue.head].wireBytes) * queue.psPerByte >> 20);
    queue.taking = Simulator::Schedule(PicoSeconds(time), &NetworkFaults::TakeNext, this, k);
}

void
NetworkFaults::TakeNext(size_t k)
{
    if (!m_net.lane)
    {
        return;
    }
    const int64_t now = Simulator::Now().GetTimeStep();
    ReceiveQueue& queue = m_receiveQueues[k];
    const uint32_t nic = queue.nic;
    const uint32_t index = queue.head;
    queue.head = m_net.frames[index].next;
    queue.bytes -= m_net.frames[index].wireBytes;
    if (queue.head != NO_FRAME)
    {
        ScheduleTaking(k);
    }
    else if (!queue.slow)
    {
        m_net.ports[nic ^ 1].impaired &= ~PORT_SLOW;
    }
    if (4 * queue.bytes <= m_settings.receiveBuffer)
    {
        const auto storm = m_storms.find(nic);
        for (uint32_t mask = m_net.ports[nic].xoff & ~(storm != m_storms.end() ? storm->second : 0);
             mask != 0;
             mask &= mask - 1)
        {
            m_pfc.SendXon(now, nic, __builtin_ctz(mask));
        }
    }
    ++m_net.totals.delivered;
    m_net.endpoint->ReceiveFrame(now, nic, index);
}

// --- orders ---

uint64_t
NetworkFaults::Apply(const FabricFaultOrder& order, const std::vector<uint8_t>& down)
{
    const uint32_t port = 2 * order.id;
    switch (order.kind)
    {
    case FabricFaultOrder::TAKE_DOWN:
        Reserve();
        m_lostWhileDown[order.id] = 0;
        m_reported.erase(m_reported.lower_bound({port, 0}), m_reported.lower_bound({port + 2, 0}));
        TakeDown(order.now, port);
        TakeDown(order.now, port + 1);
        break;
    case FabricFaultOrder::GIVE_BACK:
        GiveBack(order.now, port);
        GiveBack(order.now, port + 1);
        return m_lostWhileDown[order.id];
    case FabricFaultOrder::FLUSH:
        Flush(order.now, order.id);
        break;
    case FabricFaultOrder::SET_RATE:
        ChangeRate(port, order.rateBps);
        ChangeRate(port + 1, order.rateBps);
        break;
    case FabricFaultOrder::ADD_LOSS:
        m_lossDraws.resize(m_net.ports.size());
        m_losses.push_back({order.id, order.loss, true});
        m_net.ports[order.id].impaired |= PORT_LOSSY;
        // A lost pause lets the peer continue; a lost resume is repeated by the next one.
        m_net.ports[order.id].faulted = 1;
        m_net.ports[order.id ^ 1].faulted = 1;
        break;
    case FabricFaultOrder::REMOVE_LOSS:
        EndLoss(order.id);
        break;
    case FabricFaultOrder::REROUTE:
        m_net.routing.Build(*m_net.topology, m_net.seed, down);
        m_reportedUnrouted.clear();
        break;
    case FabricFaultOrder::MARK_FAULTED:
        m_net.ports[port].faulted = 1;
        m_net.ports[port + 1].faulted = 1;
        break;
    }
    return 0;
}

uint64_t
NetworkFaults::Order(const FabricFaultOrder& order, const std::vector<uint8_t>& down)
{
    if (!m_net.others)
    {
        return Apply(order, down);
    }
    m_net.others->Gather();
    const uint64_t lost = Apply(order, down);
    return lost + m_net.others->Apply(order, down);
}

void
NetworkFaults::ChangeRate(uint32_t portId, uint64_t rateBps)
{
    FabricPort& port = m_net.ports[portId];
    RateChange& change = m_net.rateChanges[portId];
    for (uint32_t priority = 0; priority < m_net.queues; ++priority)
    {
        const uint64_t sent = port.queues[priority].sentBytes;
        change.busyPs[priority] += m_net.GetWireTime(portId, sent - change.bytes[priority]);
        change.bytes[priority] = sent;
    }
    m_accounts.ChangeRate(portId, port.psPerByte);
    port.psPerByte = NetworkState::GetPsPerByte(rateBps > 0 ? rateBps : port.rateBps);
}

void
NetworkFaults::EndLoss(uint32_t number)
{
    const uint32_t port = m_losses[number].port;
    m_losses[number].active = false;
    if (std::none_of(m_losses.begin(), m_losses.end(), [port](const Loss& loss) {
            return loss.active && loss.port == port;
        }))
    {
        m_net.ports[port].impaired &= ~PORT_LOSSY;
    }
}

} // namespace ns3
