/* SPDX-License-Identifier: GPL-2.0-only */
#include "pfc.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("Pfc");

Pfc::Pfc(NetworkState& net, JobLinkAccounts& accounts, const FabricSettings& settings)
    : m_net(net),
      m_accounts(accounts),
      m_settings(settings)
{
}

void
Pfc::Pause(int64_t now, SwitchState& node, uint32_t inId, uint32_t priority, uint32_t outId)
{
    FabricPort& in = m_net.ports[inId];
    SendXoff(now, inId, priority, outId);
    // From now on the end of each transmission from this account may let the peer resume.
    for (uint32_t id : node.ports)
    {
        FabricPort& port = m_net.ports[id];
        if (port.unreleased && !port.wakeArmed && port.releaseIngress == in.localIndex &&
            port.releasePriority == priority)
        {
            m_net.ArmWake(std::max(now, port.busyUntil), id, port);
        }
    }
}

void
Pfc::SendXoff(int64_t now, uint32_t portId, uint32_t priority, uint32_t cause)
{
    FabricPort& port = m_net.ports[portId];
    NS_LOG_LOGIC(now << " ps: port " << portId << " pauses priority " << priority
                     << " of its peer");
    ++m_net.totals.xoff;
    if (port.switchIndex != UINT32_MAX)
    {
        m_net.switches[port.switchIndex].pausing += !(port.xoff >> priority & 1);
    }
    port.xoff |= 1u << priority;
    port.pfcPending |= 1u << priority;
    m_net.pauses.Get(portId, priority).sentCause = cause;
    m_net.ArmWake(std::max(now, port.busyUntil), portId, port);
    if (!m_net.lane->IsPending(m_net.KeyOf(portId, NetworkState::REFRESH)))
    {
        m_net.lane->Schedule(now + GetRefreshPeriod(portId),
                             m_net.KeyOf(portId, NetworkState::REFRESH));
    }
}

void
Pfc::SendXon(int64_t now, uint32_t portId, uint32_t priority)
{
    FabricPort& port = m_net.ports[portId];
    NS_LOG_LOGIC(now << " ps: port " << portId << " resumes priority " << priority
                     << " of its peer");
    ++m_net.totals.xon;
    if (port.switchIndex != UINT32_MAX)
    {
        m_net.switches[port.switchIndex].pausing -= port.xoff >> priority & 1;
    }
    port.xoff &= ~(1u << priority);
    port.pfcPending |= 1u << priority;
    m_net.ArmWake(std::max(now, port.busyUntil), portId, port);
}

void
Pfc::TryResume(int64_t now, SwitchState& node, uint32_t inId, uint32_t priority)
{
    FabricPort& in = m_net.ports[inId];
    if (!node.buffer->Resume(in.localIndex, priority))
    {
        if (node.lazy == 0)
        {
            return;
        }
        m_net.ReleaseEnded(now, node);
        if (!node.buffer->Resume(in.localIndex, priority))
        {
            return;
        }
    }
    SendXon(now, inId, priority);
}

int64_t
Pfc::GetPauseTime(uint32_t portId) const
{
    return m_net.GetWireTime(portId, static_cast<uint64_t>(m_settings.pauseQuanta) * 64);
}

int64_t
Pfc::GetRefreshPeriod(uint32_t portId) const
{
    // The frame that is being sent then goes first, and the peer must have received the next pause
    // completely before the last one expires.
    int64_t time = GetPauseTime(portId);
    int64_t latest =
        time -
        m_net.GetWireTime(portId,
                          m_net.maxFrameBytes + NetworkState::PFC_FRAME_BYTES + m_net.gapBytes) -
        1;
    auto period = static_cast<int64_t>(m_settings.refreshFraction * static_cast<double>(time));
    return std::max<int64_t>(std::min(period, latest), 1);
}

void
Pfc::Refresh(int64_t now, uint32_t portId)
{
    FabricPort& port = m_net.ports[portId];
    if (port.xoff == 0)
    {
        return;
    }
    NS_LOG_LOGIC(now << " ps: port " << portId << " repeats its pauses");
    ++m_net.totals.refreshes;
    port.pfcPending |= port.xoff;
    m_net.ArmWake(std::max(now, port.busyUntil), portId, port);
    m_net.lane->Schedule(now + GetRefreshPeriod(portId),
                         m_net.KeyOf(portId, NetworkState::REFRESH));
}

void
Pfc::Send(int64_t now, uint32_t portId, FabricPort& port)
{
    uint32_t index = m_net.frames.Allocate();
    Frame& frame = m_net.frames[index];
    frame.kind = FrameKind::PFC;
    frame.psn = port.pfcPending;
    frame.payload = port.pfcPending & port.xoff;
    frame.priority = static_cast<uint8_t>(m_net.queues - 1);
    frame.flags = 0;
    frame.job = 0;
    frame.wireBytes = NetworkState::PFC_FRAME_BYTES + m_net.gapBytes;
    frame.queuePair = m_net.pauses.Get(portId, HighestBit(port.pfcPending)).sentCause;
    port.pfcPending = 0;
    ++port.sentPfcFrames;
    port.sentPauses += frame.payload != 0;
    m_net.StartTransmission(now, portId, port, index);
    m_net.Observe(FrameEvent::SENT, portId, port, index);
}

void
Pfc::Receive(int64_t now, uint32_t portId, uint32_t index)
{
    FabricPort& port = m_net.ports[portId];
    const Frame& frame = m_net.frames[index];
    int64_t until = now + GetPauseTime(portId);
    uint32_t notified = frame.psn;
    if (port.impaired & PORT_WATCHDOG)
    {
        notified &= ~IgnorePauses(now, portId, frame);
    }
    uint32_t paused = 0;
    for (uint32_t mask = notified; mask != 0; mask &= mask - 1)
    {
        uint32_t priority = __builtin_ctz(mask);
        bool wasPaused = port.paused >> priority & 1;
        if (frame.payload >> priority & 1)
        {
            PfcState::Entry& state = m_net.pauses.Get(portId, priority);
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
            if (wasPaused)
            {
                continue;
            }
            if (port.switchIndex != UINT32_MAX)
            {
                m_listener->PauseBegan(now, portId);
            }
            paused |= 1u << priority;
        }
        else if (wasPaused)
        {
            EndPause(std::min(now, m_net.pauses.Get(portId, priority).until),
                     portId,
                     port,
                     priority);
        }
    }
    m_net.frames.Free(index);
    if (port.switchIndex == UINT32_MAX)
    {
        m_net.endpoint->PauseChanged(now, portId, port.paused);
    }
    for (uint32_t mask = paused; mask != 0; mask &= mask - 1)
    {
        const uint32_t priority = __builtin_ctz(mask);
        const uint32_t cause = m_net.pauses.Get(portId, priority).causedByLink;
        m_net.ObservePause(port, {portId, static_cast<uint8_t>(priority), true, now, cause});
    }
    if (port.nonEmpty || port.hostWork)
    {
        m_net.ArmWake(std::max(now, port.busyUntil), portId, port);
    }
}

uint32_t
Pfc::GetPaused(int64_t now, uint32_t portId)
{
    NS_ABORT_MSG_IF(!m_net.IsHere(portId),
                    "the pauses of a split fabric's switches cannot be read");
    FabricPort& port = m_net.ports[portId];
    if (port.paused)
    {
        ExpirePauses(now, portId, port);
    }
    return port.paused;
}

void
Pfc::ExpirePauses(int64_t now, uint32_t portId, FabricPort& port)
{
    for (uint32_t mask = port.paused; mask != 0; mask &= mask - 1)
    {
        uint32_t priority = __builtin_ctz(mask);
        int64_t until = m_net.pauses.Get(portId, priority).until;
        if (until <= now)
        {
            EndPause(until, portId, port, priority);
        }
    }
}

void
Pfc::EndPause(int64_t end, uint32_t portId, FabricPort& port, uint32_t priority)
{
    PfcState::Entry& state = m_net.pauses.Get(portId, priority);
    NS_LOG_LOGIC(end << " ps: the pause of priority " << priority << " of port " << portId
                     << " ends after " << end - state.since << " ps");
    port.paused &= ~(1u << priority);
    state.totalPs += end - state.since;
    if (m_accounts.IsEnabled())
    {
        m_accounts.CountPause(portId, priority, end - state.since);
    }
    PauseRecord record;
    record.link = portId;
    record.priority = static_cast<uint8_t>(priority);
    record.startPs = state.since;
    record.endPs = end;
    record.causedByLink = state.causedByLink;
    (*m_net.traces.pause)(record);
    m_net.ObservePause(port, {portId, record.priority, false, end, record.causedByLink});
}

void
Pfc::FinishPauses(int64_t now)
{
    for (uint32_t id = 0; id < m_net.ports.size(); ++id)
    {
        for (uint32_t mask = m_net.ports[id].paused; mask != 0; mask &= mask - 1)
        {
            uint32_t priority = __builtin_ctz(mask);
            EndPause(std::min(now, m_net.pauses.Get(id, priority).until),
                     id,
                     m_net.ports[id],
                     priority);
        }
    }
    if (m_net.others)
    {
        m_net.others->FinishPauses(now);
    }
}

uint32_t
Pfc::IgnorePauses(int64_t now, uint32_t portId, const Frame& frame)
{
    uint32_t ignored = 0;
    for (uint32_t mask = frame.psn; mask != 0; mask &= mask - 1)
    {
        const uint32_t priority = __builtin_ctz(mask);
        if (m_watchdog.IsTriggered(portId, priority))
        {
            ignored |= 1u << priority;
            const bool pause = frame.payload >> priority & 1;
            m_watchdog.NotePause(portId, priority, pause ? now + GetPauseTime(portId) : now, now);
        }
    }
    return ignored;
}

} // namespace ns3
