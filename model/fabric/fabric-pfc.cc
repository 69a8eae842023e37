/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pfc.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricPfc);

TypeId
FabricPfc::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricPfc")
            .SetParent<FabricState>()
            .SetGroupName("GpuFabric")
            .AddAttribute("PauseQuanta",
                          "How long a pause frame holds, in quanta of 512 bit times "
                          "(IEEE 802.1Qbb).",
                          UintegerValue(65'535),
                          MakeUintegerAccessor(&FabricPfc::m_pauseQuanta),
                          MakeUintegerChecker<uint32_t>(1, 65'535))
            .AddAttribute("PauseRefresh",
                          "A pause still needed is sent again after this share of its time, "
                          "earlier where the largest frame could make that too late.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&FabricPfc::m_refreshFraction),
                          MakeDoubleChecker<double>(0.01, 0.99))
            .AddTraceSource("Pause",
                            "A pause of a link's priority has ended.",
                            MakeTraceSourceAccessor(&FabricPfc::m_pauseTrace),
                            "ns3::FabricPfc::PauseCallback");
    return tid;
}

void
FabricPfc::ReleaseLazy(int64_t now, FabricPort& port)
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
FabricPfc::ReleaseSent(int64_t now, FabricPort& port)
{
    port.unreleased = 0;
    SwitchState& node = m_switches[port.switchIndex];
    node.buffer->Release(port.releaseIngress, port.releasePriority, port.releaseBytes);
    if (node.pausing != 0 && IsPausing(node, port))
    {
        TryResume(now, node, node.ports[port.releaseIngress], port.releasePriority);
    }
}

void
FabricPfc::Sweep(int64_t now, SwitchState& node)
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
FabricPfc::Xoff(int64_t now, SwitchState& node, uint32_t inId, uint32_t priority, uint32_t outId)
{
    FabricPort& in = m_ports[inId];
    SendXoff(now, inId, priority, outId);
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
FabricPfc::SendXoff(int64_t now, uint32_t portId, uint32_t priority, uint32_t cause)
{
    FabricPort& port = m_ports[portId];
    ++m_totals.xoff;
    if (port.switchIndex != UINT32_MAX)
    {
        m_switches[port.switchIndex].pausing += !(port.xoff >> priority & 1);
    }
    port.xoff |= 1u << priority;
    port.pfcPending |= 1u << priority;
    m_pauses.Get(portId, priority).sentCause = cause;
    ArmWake(std::max(now, port.busyUntil), portId, port);
    if (!m_lane->IsPending(KeyOf(portId, REFRESH)))
    {
        m_lane->Schedule(now + GetRefreshPeriod(portId), KeyOf(portId, REFRESH));
    }
}

void
FabricPfc::SendXon(int64_t now, uint32_t portId, uint32_t priority)
{
    FabricPort& port = m_ports[portId];
    ++m_totals.xon;
    if (port.switchIndex != UINT32_MAX)
    {
        m_switches[port.switchIndex].pausing -= port.xoff >> priority & 1;
    }
    port.xoff &= ~(1u << priority);
    port.pfcPending |= 1u << priority;
    ArmWake(std::max(now, port.busyUntil), portId, port);
}

void
FabricPfc::TryResume(int64_t now, SwitchState& node, uint32_t inId, uint32_t priority)
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
    SendXon(now, inId, priority);
}

int64_t
FabricPfc::GetPauseTime(uint32_t portId) const
{
    return GetWireTime(portId, static_cast<uint64_t>(m_pauseQuanta) * 64);
}

int64_t
FabricPfc::GetRefreshPeriod(uint32_t portId) const
{
    // The frame that is being sent then comes first, and the peer must have all of the next pause
    // before the last one is over.
    int64_t time = GetPauseTime(portId);
    int64_t latest = time - GetWireTime(portId, m_maxFrameBytes + PFC_FRAME_BYTES + m_gapBytes) - 1;
    auto period = static_cast<int64_t>(m_refreshFraction * static_cast<double>(time));
    return std::max<int64_t>(std::min(period, latest), 1);
}

void
FabricPfc::Refresh(int64_t now, uint32_t portId)
{
    FabricPort& port = m_ports[portId];
    if (port.xoff == 0)
    {
        return;
    }
    ++m_totals.refreshes;
    port.pfcPending |= port.xoff;
    ArmWake(std::max(now, port.busyUntil), portId, port);
    m_lane->Schedule(now + GetRefreshPeriod(portId), KeyOf(portId, REFRESH));
}

void
FabricPfc::SendPfc(int64_t now, uint32_t portId, FabricPort& port)
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
    frame.queuePair = m_pauses.Get(portId, HighestBit(port.pfcPending)).sentCause;
    port.pfcPending = 0;
    ++port.sentPfcFrames;
    port.sentPauses += frame.payload != 0;
    StartTransmission(now, portId, port, index);
    Observe(FrameEvent::SENT, portId, port, index);
}

void
FabricPfc::ReceivePfc(int64_t now, uint32_t portId, uint32_t index)
{
    FabricPort& port = m_ports[portId];
    const Frame& frame = m_frames[index];
    int64_t until = now + GetPauseTime(portId);
    uint32_t told = frame.psn;
    if (port.impaired & PORT_WATCHDOG)
    {
        told &= ~IgnorePauses(now, portId, frame);
    }
    for (uint32_t mask = told; mask != 0; mask &= mask - 1)
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
                state.causedByLink = frame.queuePair;
            }
            state.until = until;
            port.paused |= 1u << priority;
            if (!wasPaused && port.switchIndex != UINT32_MAX)
            {
                PauseBegan(now, portId, priority);
            }
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
FabricPfc::ExpirePauses(int64_t now, uint32_t portId, FabricPort& port)
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
FabricPfc::EndPause(int64_t end, uint32_t portId, FabricPort& port, uint32_t priority)
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
FabricPfc::FinishPauses(int64_t now)
{
    for (uint32_t id = 0; id < m_ports.size(); ++id)
    {
        for (uint32_t mask = m_ports[id].paused; mask != 0; mask &= mask - 1)
        {
            uint32_t priority = __builtin_ctz(mask);
            EndPause(std::min(now, m_pauses.Get(id, priority).until), id, m_ports[id], priority);
        }
    }
    if (m_parts)
    {
        m_parts->FinishPauses(now);
    }
}

void
FabricPfc::Audit(int64_t now, FabricAudit& sum)
{
    FabricAudit own;
    CountFrames(own);
    for (SwitchState& node : m_switches)
    {
        if (node.isHere)
        {
            Sweep(now, node);
        }
        own.bufferUsed.push_back(node.isHere ? node.buffer->GetUsedBytes() : 0);
        own.bufferHeld.push_back(node.isHere ? CountBufferedBytes(now, node.ports) : 0);
    }
    sum += own;
}

FabricAudit
FabricPfc::GetAudit(int64_t now)
{
    if (m_parts)
    {
        return m_parts->GetAudit(now);
    }
    FabricAudit audit;
    Audit(now, audit);
    return audit;
}

} // namespace ns3
