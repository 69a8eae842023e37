/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-guard.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricGuard);

TypeId
FabricGuard::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricGuard")
            .SetParent<FabricFaults>()
            .SetGroupName("GpuFabric")
            .AddAttribute("DeadlockDetection",
                          "How long the queues of a cycle of paused queues have been paused when "
                          "it counts as a deadlock, which is reported; 0: not looked for.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&FabricGuard::m_deadlockDetection),
                          MakeTimeChecker(Seconds(0)));
    return tid;
}

void
FabricGuard::PauseBegan(int64_t now, uint32_t portId, uint32_t)
{
    const FabricSwitch& node = *m_switches[m_ports[portId].switchIndex].configuration;
    int64_t wait = std::numeric_limits<int64_t>::max();
    for (const int64_t detection :
         {m_deadlock ? 0 : m_deadlockDetection.GetTimeStep(), node.GetWatchdogDetection()})
    {
        wait = detection > 0 ? std::min(wait, detection) : wait;
    }
    if (wait == std::numeric_limits<int64_t>::max())
    {
        return;
    }
    if (IsOtherPart())
    {
        m_requestedLook = std::min(m_requestedLook, now + wait);
        return;
    }
    RequestLook(now, now + wait);
}

int64_t
FabricGuard::GetLeastDetection() const
{
    int64_t least = std::numeric_limits<int64_t>::max();
    const auto take = [&least](int64_t detection) {
        least = detection > 0 ? std::min(least, detection) : least;
    };
    take(m_deadlockDetection.GetTimeStep());
    for (const SwitchState& state : m_switches)
    {
        take(state.configuration->GetWatchdogDetection());
    }
    return least;
}

void
FabricGuard::RequestLook(int64_t now, int64_t at)
{
    if (m_look.IsRunning())
    {
        if (m_lookAt <= at)
        {
            return;
        }
        m_look.Cancel();
    }
    m_lookAt = at;
    m_look = Simulator::Schedule(PicoSeconds(at - now), &FabricGuard::Look, this);
}

void
FabricGuard::Look()
{
    if (!m_lane)
    {
        return;
    }
    const int64_t now = Simulator::Now().GetTimeStep();
    const int64_t deadlock = m_deadlock ? 0 : m_deadlockDetection.GetTimeStep();
    FabricLook look;
    LookAt(now, deadlock, false, look);
    if (m_parts)
    {
        m_parts->Look(now, deadlock, false, look);
    }
    for (const uint32_t port : look.forwarding)
    {
        // The peer has no room for what they send.
        Order({FabricFaultOrder::MARK_FAULTED, port / 2, now, 0, {}});
    }
    if (look.old)
    {
        FindDeadlock(now);
    }
    if (look.next != std::numeric_limits<int64_t>::max())
    {
        RequestLook(now, look.next);
    }
}

void
FabricGuard::LookAt(int64_t now, int64_t deadlock, bool forStuck, FabricLook& look)
{
    if (forStuck)
    {
        ListStuck(now, deadlock, look);
        return;
    }
    LookAtPaused(now, deadlock, look);
    LookAtTaken(now, look.next);
}

void
FabricGuard::LookAtPaused(int64_t now, int64_t deadlock, FabricLook& look)
{
    for (uint32_t id = 0; id < m_ports.size(); ++id)
    {
        FabricPort& port = m_ports[id];
        if (port.paused == 0 || port.switchIndex == UINT32_MAX)
        {
            continue;
        }
        const int64_t detection =
            m_switches[port.switchIndex].configuration->GetWatchdogDetection();
        for (uint32_t mask = port.paused; mask != 0; mask &= mask - 1)
        {
            const uint32_t priority = __builtin_ctz(mask);
            const PauseBook::State& state = m_pauses.Get(id, priority);
            if (state.until <= now)
            {
                continue;
            }
            if (deadlock > 0)
            {
                const int64_t due = state.since + deadlock;
                look.old = look.old || due <= now;
                // A cycle may close later.
                look.next = std::min(look.next, due > now ? due : now + deadlock);
            }
            if (detection > 0)
            {
                const int64_t due = state.since + detection;
                if (due <= now && (port.nonEmpty >> priority & 1))
                {
                    TakeOver(now, id, priority, look);
                    continue;
                }
                look.next = std::min(look.next, due > now ? due : now + detection);
            }
        }
    }
}

// --- watchdog ---

void
FabricGuard::TakeOver(int64_t now, uint32_t portId, uint32_t priority, FabricLook& look)
{
    FabricPort& port = m_ports[portId];
    const FabricSwitch& node = *m_switches[port.switchIndex].configuration;
    const PauseBook::State& state = m_pauses.Get(portId, priority);
    const bool drop = node.IsWatchdogDropping();
    ReportFault(now,
                "pfc-watchdog",
                port.node,
                portId,
                m_topology->GetDirectedLinkName(portId) + " p" + std::to_string(priority) +
                    " has been paused for " + std::to_string((now - state.since) / 1'000'000) +
                    " us: its frames are " + (drop ? "dropped" : "forwarded"));
    m_watchdog.Trigger(portId, priority, state.until, drop);
    port.impaired |= PORT_WATCHDOG;
    if (!drop)
    {
        look.forwarding.push_back(portId);
    }
    EndPause(now, portId, port, priority);
    ArmWake(std::max(now, port.busyUntil), portId, port);
}

uint32_t
FabricGuard::IgnorePauses(int64_t now, uint32_t portId, const Frame& frame)
{
    uint32_t ignored = 0;
    for (uint32_t mask = frame.psn; mask != 0; mask &= mask - 1)
    {
        const uint32_t priority = __builtin_ctz(mask);
        if (m_watchdog.IsTriggered(portId, priority))
        {
            ignored |= 1u << priority;
            const bool pause = frame.payload >> priority & 1;
            m_watchdog.Told(portId, priority, pause ? now + GetPauseTime(portId) : now, now);
        }
    }
    return ignored;
}

void
FabricGuard::LookAtTaken(int64_t now, int64_t& next)
{
    m_watchdog.ForEach([&](uint32_t portId, uint32_t priority) {
        FabricPort& port = m_ports[portId];
        const FabricSwitch& node = *m_switches[port.switchIndex].configuration;
        const int64_t due =
            m_watchdog.GetRestoration(portId, priority, node.GetWatchdogRestoration());
        if (due > now)
        {
            next = std::min(next, due);
            return;
        }
        m_watchdog.Restore(portId, priority);
        bool more = false;
        for (uint32_t other = 0; other < m_queues; ++other)
        {
            more = more || m_watchdog.IsTriggered(portId, other);
        }
        port.impaired &= more ? 0xff : ~PORT_WATCHDOG;
        ReportFault(now,
                    "pfc-watchdog",
                    port.node,
                    portId,
                    m_topology->GetDirectedLinkName(portId) + " p" + std::to_string(priority) +
                        " is restored");
    });
}

// --- deadlock ---

std::vector<DeadlockDetector::Queue>
FabricGuard::FindHolders(uint32_t inId, uint32_t priority) const
{
    std::vector<DeadlockDetector::Queue> holders;
    const FabricPort& in = m_ports[inId];
    for (const uint32_t id : m_switches[in.switchIndex].ports)
    {
        const EgressQueue& queue = m_ports[id].queues[priority];
        for (uint32_t index = queue.head; index != NO_FRAME; index = m_frames[index].next)
        {
            if (m_frames[index].ingress == in.localIndex)
            {
                holders.emplace_back(id, priority);
                break;
            }
        }
    }
    return holders;
}

void
FabricGuard::ListStuck(int64_t now, int64_t deadlock, FabricLook& look) const
{
    for (uint32_t id = 0; id < m_ports.size(); ++id)
    {
        const FabricPort& port = m_ports[id];
        if (port.switchIndex == UINT32_MAX)
        {
            continue; // a NIC takes what it has received
        }
        for (uint32_t mask = port.paused; mask != 0; mask &= mask - 1)
        {
            const uint32_t priority = __builtin_ctz(mask);
            const PauseBook::State& state = m_pauses.Peek(id, priority);
            if (state.until > now && now - state.since >= deadlock)
            {
                look.stuck.emplace_back(id, priority);
            }
        }
        for (uint32_t mask = port.xoff; mask != 0; mask &= mask - 1)
        {
            const uint32_t priority = __builtin_ctz(mask);
            look.waits[{id ^ 1, priority}] = FindHolders(id, priority);
        }
    }
}

void
FabricGuard::FindDeadlock(int64_t now)
{
    const int64_t deadlock = m_deadlockDetection.GetTimeStep();
    FabricLook look;
    LookAt(now, deadlock, true, look);
    if (m_parts)
    {
        m_parts->Look(now, deadlock, true, look);
    }
    DeadlockDetector detector;
    for (const DeadlockDetector::Queue& queue : look.stuck)
    {
        detector.Add(queue, look.waits[queue]);
    }
    const std::vector<DeadlockDetector::Queue> cycle = detector.FindCycle();
    if (cycle.empty())
    {
        return;
    }
    m_deadlock = true;
    std::string names;
    for (size_t i = 0; i <= cycle.size(); ++i)
    {
        const DeadlockDetector::Queue& queue = cycle[i % cycle.size()];
        names += (i > 0 ? " -> " : "") + m_topology->GetDirectedLinkName(queue.first) + " p" +
                 std::to_string(queue.second);
    }
    ReportFault(now, "deadlock", m_ports[cycle[0].first].node, cycle[0].first, names);
    if (m_deadlockCallback)
    {
        m_deadlockCallback(now, names);
    }
}

} // namespace ns3
