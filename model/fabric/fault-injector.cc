/* SPDX-License-Identifier: GPL-2.0-only */
#include "fault-injector.h"

#include "fabric-fault-order.h"
#include "fabric-frame.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FaultInjector");

namespace
{

/// Bits of FrameLoss::kinds for the frames that a fault loses.
uint32_t
GetFrameKinds(const std::vector<LostFrames>& frames)
{
    const auto bit = [](FrameKind kind) { return 1U << static_cast<uint32_t>(kind); };
    uint32_t mask = 0;
    for (const auto& entry : EnumNames<LostFrames>::TABLE)
    {
        if (!frames.empty() && std::find(frames.begin(), frames.end(), entry.value) == frames.end())
        {
            continue;
        }
        switch (entry.value)
        {
        case LostFrames::DATA:
            // Frames that carry or request data; responses to READs are data frames already.
            mask |= bit(FrameKind::DATA) | bit(FrameKind::READ_REQUEST);
            break;
        case LostFrames::PAUSE:
            mask |= bit(FrameKind::PFC);
            break;
        case LostFrames::ACK:
            mask |= bit(FrameKind::ACK);
            break;
        case LostFrames::CNP:
            mask |= bit(FrameKind::CNP);
            break;
        case LostFrames::NAK:
            mask |= bit(FrameKind::NAK);
            break;
        }
    }
    return mask;
}

void
At(Time time, std::function<void()> action)
{
    Simulator::ScheduleWithContext(Simulator::NO_CONTEXT, time - Simulator::Now(), [action]() {
        action();
    });
}

int64_t
GetNow()
{
    return Simulator::Now().GetTimeStep();
}

} // namespace

void
FaultInjector::SetHostCallbacks(HostDownCallback down, HostUpCallback up)
{
    m_hostDown = std::move(down);
    m_hostUp = std::move(up);
}

void
FaultInjector::Start(Ptr<Fabric> fabric, const std::vector<FaultSpec>& faults)
{
    NS_LOG_FUNCTION(this << faults.size());
    m_fabric = fabric;
    m_faults = faults;
    m_losses.resize(faults.size());
    for (const FaultSpec& fault : m_faults)
    {
        if (fault.action == FaultAction::UP)
        {
            continue; // the end of the fault before it
        }
        if (fault.action == FaultAction::FLAPPING)
        {
            At(fault.at, [this, &fault]() { Flap(fault, fault.at); });
            continue;
        }
        At(fault.at, [this, &fault]() { Begin(fault); });
        if (fault.end)
        {
            At(*fault.end, [this, &fault]() { End(fault); });
        }
    }
}

void
FaultInjector::SetLinks(const FaultSpec& fault, bool up)
{
    for (const uint32_t link : fault.links)
    {
        m_fabric->SetLinkUp(GetNow(), link, up);
    }
}

void
FaultInjector::SetRates(const FaultSpec& fault, bool begins)
{
    for (const uint32_t link : fault.links)
    {
        std::multiset<uint64_t>& rates = m_rates[link];
        if (begins)
        {
            rates.insert(fault.rate.Get());
        }
        else
        {
            rates.erase(rates.find(fault.rate.Get()));
        }
        m_fabric->SetLinkRate(GetNow(), link, rates.empty() ? 0 : *rates.begin());
    }
}

void
FaultInjector::Flap(const FaultSpec& fault, Time start)
{
    SetLinks(fault, false);
    At(std::min(start + fault.down, *fault.end), [this, &fault]() { SetLinks(fault, true); });
    const Time next = start + fault.period;
    if (next < *fault.end)
    {
        At(next, [this, &fault, next]() { Flap(fault, next); });
    }
}

void
FaultInjector::Begin(const FaultSpec& fault)
{
    const int64_t now = GetNow();
    NS_LOG_LOGIC(now << " ps: " << ToName(fault.kind) << ' ' << fault.target << ", "
                     << ToName(fault.action) << " begins");
    std::vector<uint32_t>& losses = m_losses[&fault - m_faults.data()];
    switch (fault.action)
    {
    case FaultAction::DEGRADED:
        SetRates(fault, true);
        return;
    case FaultAction::SLOW:
        m_fabric->SetReceiveRate(now, fault.ports[0], fault.rate.Get());
        return;
    case FaultAction::STORM:
        m_fabric->SetStorm(now,
                           fault.ports[0],
                           fault.priority ? 1U << *fault.priority : m_fabric->GetLosslessMask());
        return;
    case FaultAction::LOSE:
        for (const uint32_t port : fault.ports)
        {
            losses.push_back(
                m_fabric->AddLoss(port, {GetFrameKinds(fault.frames), fault.probability}));
        }
        return;
    default:
        break;
    }
    if (fault.kind == FaultTarget::LINK || fault.kind == FaultTarget::NIC)
    {
        SetLinks(fault, false);
        return;
    }
    m_fabric->ReportFault(now,
                          "node-down",
                          fault.node,
                          NO_ID,
                          std::string(ToName(fault.kind)) + " " + fault.target + " is down");
    m_fabric->SetNodeUp(now, fault.node, false);
    if (fault.kind == FaultTarget::HOST && m_hostDown)
    {
        m_hostDown(now, fault.node, fault.end.has_value());
    }
}

void
FaultInjector::End(const FaultSpec& fault)
{
    const int64_t now = GetNow();
    NS_LOG_LOGIC(now << " ps: " << ToName(fault.kind) << ' ' << fault.target << ", "
                     << ToName(fault.action) << " ends");
    switch (fault.action)
    {
    case FaultAction::DEGRADED:
        SetRates(fault, false);
        return;
    case FaultAction::SLOW:
        m_fabric->SetReceiveRate(now, fault.ports[0], 0);
        return;
    case FaultAction::STORM:
        m_fabric->SetStorm(now, fault.ports[0], 0);
        return;
    case FaultAction::LOSE:
        for (const uint32_t loss : m_losses[&fault - m_faults.data()])
        {
            m_fabric->RemoveLoss(loss);
        }
        return;
    default:
        break;
    }
    if (fault.kind == FaultTarget::LINK || fault.kind == FaultTarget::NIC)
    {
        SetLinks(fault, true);
        return;
    }
    m_fabric->ReportFault(now,
                          "node-up",
                          fault.node,
                          NO_ID,
                          std::string(ToName(fault.kind)) + " " + fault.target + " is up");
    m_fabric->SetNodeUp(now, fault.node, true);
    if (fault.kind == FaultTarget::HOST && m_hostUp)
    {
        m_hostUp(now, fault.node);
    }
}

} // namespace ns3
