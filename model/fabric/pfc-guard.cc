/* SPDX-License-Identifier: GPL-2.0-only */
#include "pfc-guard.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PfcGuard");

PfcGuard::PfcGuard(NetworkState& net,
                   Pfc& pfc,
                   NetworkFaults& faults,
                   const FabricSettings& settings)
    : m_net(net),
      m_pfc(pfc),
      m_faults(faults),
      m_settings(settings)
{
}

void
PfcGuard::PauseBegan(int64_t now, uint32_t portId)
{
    const FabricSwitch& node = *m_net.switches[m_net.ports[portId].switchIndex].configuration;
    int64_t wait = std::numeric_limits<int64_t>::max();
    for (const int64_t detection :
         {m_deadlock ? 0 : m_settings.deadlockDetection.GetTimeStep(), node.GetWatchdogDetection()})
    {
        wait = detection > 0 ? std::min(wait, detection) : wait;
    }
    if (wait == std::numeric_limits<int64_t>::max())
    {
        return;
    }
    if (m_net.isOther)
    {
        m_requestedCheck = std::min(m_requestedCheck, now + wait);
        return;
    }
    RequestCheck(now, now + wait);
}

int64_t
PfcGuard::GetLeastDetection() const
{
    int64_t least = std::numeric_limits<int64_t>::max();
    const auto take = [&least](int64_t detection) {
        least = detection > 0 ? std::min(least, detection) : least;
    };
    take(m_settings.deadlockDetection.GetTimeStep());
    for (const SwitchState& state : m_net.switches)
    {
        take(state.configuration->GetWatchdogDetection());
    }
    return least;
}

void
PfcGuard::RequestCheck(int64_t now, int64_t at)
{
    if (m_check.IsRunning())
    {
        if (m_checkAt <= at)
        {
            return;
        }
        m_check.Cancel();
    }
    NS_LOG_LOGIC("pauses are checked at " << at << " ps");
    m_checkAt = at;
    m_check = Simulator::Schedule(PicoSeconds(at - now), &PfcGuard::Check, this);
}

void
PfcGuard::Check()
{
    if (!m_net.lane)
    {
        return;
    }
    NS_LOG_FUNCTION(this);
    const int64_t now = Simulator::Now().GetTimeStep();
    const int64_t deadlock = m_deadlock ? 0 : m_settings.deadlockDetection.GetTimeStep();
    PauseSnapshot snapshot;
    TakeSnapshot(now, deadlock, false, snapshot);
    if (m_net.others)
    {
        m_net.others->TakeSnapshot(now, deadlock, false, snapshot);
    }
    for (const uint32_t port : snapshot.forwarding)
    {
        // The peer has no room for the frames they send.
        m_faults.Order({FabricFaultOrder::MARK_FAULTED, port / 2, now, 0, {}});
    }
    if (snapshot.old)
    {
        FindDeadlock(now);
    }
    if (snapshot.next != std::numeric_limits<int64_t>::max())
    {
        RequestCheck(now, snapshot.next);
    }
}

void
PfcGuard::TakeSnapshot(int64_t now, int64_t deadlock, bool forStuck, PauseSnapshot& snapshot)
{
    if (forStuck)
    {
        ListStuck(now, deadlock, snapshot);
        return;
    }
    ReadPaused(now, deadlock, snapshot);
    ReadTaken(now, snapshot.next);
}

void
PfcGuard::ReadPaused(int64_t now, int64_t deadlock, PauseSnapshot& snapshot)
{
    for (uint32_t id = 0; id < m_net.ports.size(); ++id)
    {
        FabricPort& port = m_net.ports[id];
        if (port.paused == 0 || port.switchIndex == UINT32_MAX)
        {
            continue;
        }
        const int64_t detection =
            m_net.switches[port.switchIndex].configuration->GetWatchdogDetection();
        for (uint32_t mask = port.paused; mask != 0; mask &= mask - 1)
        {
            const uint32_t priority = __builtin_ctz(mask);
            const PfcState::Entry& state = m_net.pauses.Get(id, priority);
            if (state.until <= now)
            {
                continue;
            }
            if (deadlock > 0)
            {
                const int64_t due = state.since + deadlock;
                snapshot.old = snapshot.old || due <= now;
                // A cycle may form later.
                snapshot.next = std::min(snapshot.next, due > now ? due : now + deadlock);
            }
            if (detection > 0)
            {
                const int64_t due = state.since + detection;
                if (due <= now && (port.nonEmpty >> priority & 1))
                {
                    TakeOver(now, id, priority, snapshot);
                    continue;
                }
                snapshot.next = std::min(snapshot.next, due > now ? due : now + detection);
            }
        }
    }
}

// --- watchdog ---

void
PfcGuard::TakeOver(int64_t now, uint32_t portId, uint32_t priority, PauseSnapshot& snapshot)
{
    FabricPort& port = m_net.ports[portId];
    const FabricSwitch& node = *m_net.switches[port.switchIndex].configuration;
    const PfcState::Entry& state = m_net.pauses.Get(portId, priority);
    const bool drop = node.IsWatchdogDropping();
    m_faults.ReportFault(now,
                         "pfc-watchdog",
                         port.node,
                         portId,
                         m_net.topology->GetDirectedLinkName(portId) + " p" +
                             std::to_string(priority) + " has been paused for " +
                             std::to_string((now - state.since) / 1'000'000) +
                             " us: its frames are " + (drop ? "dropped" : "forwarded"));
    m_pfc.GetWatchdog().Trigger(portId, priority, state.until, drop);
    port.impaired |= PORT_WATCHDOG;
    if (!drop)
    {
        snapshot.forwarding.push_back(portId);
    }
    m_pfc.EndPause(now, portId, port, priority);
    m_net.ArmWake(std::max(now, port.busyUntil), portId, port);
}

void
PfcGuard::ReadTaken(int64_t now, int64_t& next)
{
    m_pfc.GetWatchdog().ForEach([&](uint32_t portId, uint32_t priority) {
        FabricPort& port = m_net.ports[portId];
        const FabricSwitch& node = *m_net.switches[port.switchIndex].configuration;
        const int64_t due =
            m_pfc.GetWatchdog().GetRestoration(portId, priority, node.GetWatchdogRestoration());
        if (due > now)
        {
            next = std::min(next, due);
            return;
        }
        m_pfc.GetWatchdog().Restore(portId, priority);
        bool more = false;
        for (uint32_t other = 0; other < m_net.queues; ++other)
        {
            more = more || m_pfc.GetWatchdog().IsTriggered(portId, other);
        }
        port.impaired &= more ? 0xff : ~PORT_WATCHDOG;
        m_faults.ReportFault(now,
                             "pfc-watchdog",
                             port.node,
                             portId,
                             m_net.topology->GetDirectedLinkName(portId) + " p" +
                                 std::to_string(priority) + " is restored");
    });
}

// --- deadlock ---

std::vector<DeadlockDetector::Queue>
PfcGuard::FindHolders(uint32_t inId, uint32_t priority) const
{
    std::vector<DeadlockDetector::Queue> holders;
    const FabricPort& in = m_net.ports[inId];
    for (const uint32_t id : m_net.switches[in.switchIndex].ports)
    {
        const EgressQueue& queue = m_net.ports[id].queues[priority];
        for (uint32_t index = queue.head; index != NO_FRAME; index = m_net.frames[index].next)
        {
            if (m_net.frames[index].ingress == in.localIndex)
            {
                holders.emplace_back(id, priority);
                break;
            }
        }
    }
    return holders;
}

void
PfcGuard::ListStuck(int64_t now, int64_t deadlock, PauseSnapshot& snapshot) const
{
    for (uint32_t id = 0; id < m_net.ports.size(); ++id)
    {
        const FabricPort& port = m_net.ports[id];
        if (port.switchIndex == UINT32_MAX)
        {
            continue; // a NIC consumes what it has received
        }
        for (uint32_t mask = port.paused; mask != 0; mask &= mask - 1)
        {
            const uint32_t priority = __builtin_ctz(mask);
            const PfcState::Entry& state = m_net.pauses.Peek(id, priority);
            if (state.until > now && now - state.since >= deadlock)
            {
                snapshot.stuck.emplace_back(id, priority);
            }
        }
        for (uint32_t mask = port.xoff; mask != 0; mask &= mask - 1)
        {
            const uint32_t priority = __builtin_ctz(mask);
            snapshot.waits[{id ^ 1, priority}] = FindHolders(id, priority);
        }
    }
}

void
PfcGuard::FindDeadlock(int64_t now)
{
    const int64_t deadlock = m_settings.deadlockDetection.GetTimeStep();
    PauseSnapshot snapshot;
    TakeSnapshot(now, deadlock, true, snapshot);
    if (m_net.others)
    {
        m_net.others->TakeSnapshot(now, deadlock, true, snapshot);
    }
    DeadlockDetector detector;
    for (const DeadlockDetector::Queue& queue : snapshot.stuck)
    {
        detector.Add(queue, snapshot.waits[queue]);
    }
    const std::vector<DeadlockDetector::Queue> cycle = detector.FindCycle();
    NS_LOG_LOGIC(now << " ps: " << snapshot.stuck.size() << " queues paused long enough, "
                     << cycle.size() << " in a cycle");
    if (cycle.empty())
    {
        return;
    }
    m_deadlock = true;
    std::string names;
    for (size_t i = 0; i <= cycle.size(); ++i)
    {
        const DeadlockDetector::Queue& queue = cycle[i % cycle.size()];
        names += (i > 0 ? " -> " : "") + m_net.topology->GetDirectedLinkName(queue.first) + " p" +
                 std::to_string(queue.second);
    }
    m_faults.ReportFault(now, "deadlock", m_net.ports[cycle[0].first].node, cycle[0].first, names);
    if (m_deadlockCallback)
    {
        m_deadlockCallback(now, names);
    }
}

} // namespace ns3
