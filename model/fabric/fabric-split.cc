/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-split.h"

#include "../engine/fabric-simulator-impl.h"
#include "fabric-list.h"
#include "hop-pipeline.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricSplit");

std::string
FabricSplit::FindFault(const Fabric& fabric, const FabricCut& cut)
{
    if (cut.count < 2)
    {
        return "there is too little that can be dealt out";
    }
    if (FabricList::IsOtherSplit(fabric))
    {
        // The simulator waits for the logical processes of one network only (LaneHorizon).
        return "another network of the simulation runs in several threads";
    }
    if (const std::string traced = fabric.GetPipeline().GetNetwork().FindObserved();
        !traced.empty())
    {
        return traced;
    }
    if (cut.lookahead < 2)
    {
        const ClusterTopology& topology = fabric.GetTopology();
        for (uint32_t port = 0; port < topology.GetNetworkPortCount(); ++port)
        {
            if (cut.crossings[port] != 0 && topology.GetPortDelay(port) < 2)
            {
                return "link " + topology.GetDirectedLinkName(port) +
                       " has no delay, without which its ends cannot run at a time";
            }
        }
        return "DeadlockDetection or the watchdog's detection is too short";
    }
    return "";
}

FabricSplit::FabricSplit(Ptr<Fabric> fabric,
                         const FabricCut& cut,
                         std::vector<std::unique_ptr<LogicalProcess>> others)
    : m_fabric(fabric),
      m_pipeline(fabric->GetPipeline()),
      m_impl(DynamicCast<FabricSimulatorImpl>(Simulator::GetImplementation())),
      m_lane(EventLane::Get()),
      m_lookahead(cut.lookahead),
      m_much(cut.much)
{
    const std::string fault = FindFault(*fabric, cut);
    NS_ABORT_MSG_IF(!fault.empty(), fault);
    NS_ABORT_MSG_IF(others.size() + 1 != cut.count,
                    "one logical process for each number is needed");
    for (std::unique_ptr<LogicalProcess>& process : others)
    {
        m_others.emplace_back();
        m_others.back().process = std::move(process);
    }
    NS_LOG_FUNCTION(this << cut.count << cut.lookahead);
    const ClusterTopology& topology = fabric->GetTopology();
    for (uint32_t port = 0; port < topology.GetPortCount(); ++port)
    {
        const uint32_t node = topology.GetPortNode(port);
        m_isHere.push_back(node >= cut.processes.size() || cut.processes[node] == 0);
    }
    m_pipeline.SetCrossings(cut.crossings, cut.count);
    m_pipeline.SetNodes(cut.GetNodes(0));
    m_done = m_horizon = std::max<int64_t>(Simulator::Now().GetTimeStep(), 0);
    m_pipeline.SetOthers(this);
    SetHorizon(this);
}

void
FabricSplit::SetHorizon(LaneHorizon* horizon)
{
    if (m_impl)
    {
        m_impl->SetHorizon(horizon);
    }
    else
    {
        m_lane->SetHorizon(horizon);
    }
}

FabricSplit::~FabricSplit()
{
    NS_LOG_LOGIC(m_windows << " windows, " << m_busyWindows << " of them for other threads");
    for (Other& other : m_others)
    {
        if (other.started)
        {
            other.process->Wait();
        }
    }
    SetHorizon(nullptr);
    m_pipeline.SetOthers(nullptr);
}

// --- windows ---

void
FabricSplit::Deliver(FrameBatch& sent, std::size_t process)
{
    if (process == 0)
    {
        m_pipeline.Accept(sent);
        sent.Clear();
    }
    else if (!sent.frames.empty())
    {
        Other& other = m_others[process - 1];
        for (const Frame& frame : sent.frames)
        {
            other.firstTime = std::min(other.firstTime, frame.arrival);
        }
        other.arriving.TakeFrom(sent);
    }
}

void
FabricSplit::NotifyPauses(LogicalProcessReport& report)
{
    // A sink may read the fabric's state, which can add pauses: keep them apart from those being
    // notified.
    const std::vector<PauseRecord> pauses = std::exchange(report.pauses, {});
    for (const PauseRecord& record : pauses)
    {
        m_fabric->NotifyPause(record);
    }
}

LogicalProcessReport&
FabricSplit::TakeReport(Other& other)
{
    LogicalProcessReport& report = other.process->Wait();
    other.started = false;
    other.firstTime = report.firstTime;
    other.lastTime = report.lastTime;
    // Catching up runs only a piece of a window, which does not predict the next one.
    other.lastEvents = m_catchingUp ? std::max(other.lastEvents, report.events) : report.events;
    other.counts = report.counts;
    const std::size_t process = static_cast<std::size_t>(&other - m_others.data()) + 1;
    for (const auto& [record, key] : report.records)
    {
        m_events.Add(process, key, record, m_fabric->GetEventTrace());
    }
    report.records.clear();
    const int64_t check = std::exchange(report.check, SlottedWheel::NEVER);
    if (check != SlottedWheel::NEVER)
    {
        const int64_t now = Simulator::Now().GetTimeStep();
        m_pipeline.GetGuard().RequestCheck(now, std::max(now, check));
    }
    return report;
}

void
FabricSplit::Meet()
{
    m_reports.clear();
    for (Other& other : m_others)
    {
        if (other.started)
        {
            m_reports.push_back(&TakeReport(other));
        }
    }
    for (std::size_t to = 0; to <= m_others.size(); ++to)
    {
        Deliver(m_pipeline.GetSent(to), to);
        for (LogicalProcessReport* report : m_reports)
        {
            Deliver(report->sent[to], to);
        }
    }
    EventLane::KindCounts counts{};
    for (const Other& other : m_others)
    {
        for (std::size_t i = 0; i < counts.size(); ++i)
        {
            counts[i] += other.counts[i];
        }
    }
    m_lane->SetOtherCounts(m_fabric->GetLaneClass(), counts);
    for (std::size_t i = 0; i < m_reports.size(); ++i)
    {
        if (!m_reports[i]->pauses.empty())
        {
            NotifyPauses(*m_reports[i]);
        }
    }
}

int64_t
FabricSplit::GetFirstTimeOfOthers() const
{
    int64_t first = SlottedWheel::NEVER;
    for (const Other& other : m_others)
    {
        first = std::min(first, other.firstTime);
    }
    return first;
}

void
FabricSplit::Start(const EventLane::Position& target, bool all)
{
    bool work = false;
    // Those with much work first, so that they run while the others are run here.
    for (const bool much : {true, false})
    {
        for (Other& other : m_others)
        {
            if (!other.started && (all || other.firstTime < target.time) &&
                (other.lastEvents >= m_much) == much)
            {
                other.started = true;
                other.process->Start(target, other.arriving, much);
                m_busyWindows += much;
                work = true;
            }
        }
    }
    m_windows += work;
}

int64_t
FabricSplit::Extend(int64_t ordinary)
{
    while (true)
    {
        Meet();
        m_events.NotifyBefore(m_done);
        const int64_t others = GetFirstTimeOfOthers();
        const int64_t own = std::min(ordinary, m_lane->GetFirstTime());
        const int64_t first = std::min(others, own);
        if (first == SlottedWheel::NEVER)
        {
            m_events.NotifyBefore(SlottedWheel::NEVER);
            return SlottedWheel::NEVER;
        }
        if (first >= m_horizon)
        {
            // No event anywhere is earlier.
            m_horizon = m_done = first;
        }
        else
        {
            m_done = std::max(m_done, std::min(others, m_horizon));
        }
        const int64_t half = m_lookahead / 2;
        const int64_t target = std::min(m_horizon, m_done + half);
        const int64_t limit = m_done + m_lookahead;
        m_horizon = std::min(limit, std::max(m_horizon, std::min(own, limit)) + half);
        Start({target, 0}, false);
        m_done = target;
        if (own < m_horizon)
        {
            return m_horizon;
        }
    }
}

void
FabricSplit::CatchUp()
{
    if (m_catchingUp)
    {
        return; // called by a sink during a catch-up
    }
    m_catchingUp = true;
    Meet();
    const EventLane::Position position = m_lane->GetPosition();
    Start(position, true);
    m_done = std::max(m_done, position.time);
    Meet();
    m_events.NotifyBefore(SlottedWheel::NEVER);
    m_catchingUp = false;
}

bool
FabricSplit::IsIdle() const
{
    return std::all_of(m_others.begin(), m_others.end(), [](const Other& other) {
        return !other.started && other.firstTime == SlottedWheel::NEVER;
    });
}

int64_t
FabricSplit::GetLastTime() const
{
    int64_t last = 0;
    for (const Other& other : m_others)
    {
        last = std::max(last, other.lastTime);
    }
    return last;
}

// --- requests of the fabric ---

void
FabricSplit::FrameSent()
{
    if (!m_impl)
    {
        // It arrives no earlier than after the whole lookahead.
        m_lane->WakeHorizon(m_lookahead / 2);
    }
}

bool
FabricSplit::IsHere(uint32_t portId) const
{
    return m_isHere[portId];
}

const FabricReadings&
FabricSplit::GetReadings()
{
    // While the simulator's position is unchanged, so are the other logical processes, unless they
    // are given orders.
    const EventLane::Position position = m_lane->GetPosition();
    if (!m_readAt || m_readAt->time != position.time || m_readAt->key != position.key)
    {
        m_readAt = position;
        CatchUp();
        m_readings = FabricReadings();
        for (Other& other : m_others)
        {
            other.process->Read(m_readings);
        }
    }
    return m_readings;
}

const FabricAudit&
FabricSplit::GetAudit(int64_t now)
{
    CatchUp();
    FabricAudit& audit = m_audit = FabricAudit();
    m_pipeline.GetReader().Audit(now, audit);
    for (Other& other : m_others)
    {
        other.process->Audit(now, audit);
    }
    // Frames in transit to another logical process are in none.
    const auto count = [&audit](const FrameBatch& batch) {
        for (const Frame& frame : batch.frames)
        {
            const bool isPfc = frame.kind == FrameKind::PFC;
            audit.pfcFrames += isPfc;
            audit.frames += !isPfc;
            ++audit.framesInUse;
        }
    };
    for (std::size_t i = 0; i < m_others.size(); ++i)
    {
        count(m_others[i].arriving);
        count(m_pipeline.GetSent(i + 1));
    }
    return audit;
}

void
FabricSplit::TakeSnapshot(int64_t now, int64_t deadlock, bool forStuck, PauseSnapshot& snapshot)
{
    CatchUp();
    for (Other& other : m_others)
    {
        other.process->TakeSnapshot(now, deadlock, forStuck, snapshot);
    }
    CatchUp();   // to collect their events and what is pending there now
    FrameSent(); // there may be work again
    m_readAt.reset();
}

void
FabricSplit::EnableAccounting(bool enable)
{
    CatchUp();
    for (Other& other : m_others)
    {
        other.process->EnableAccounting(enable);
    }
    m_readAt.reset();
}

void
FabricSplit::FinishPauses(int64_t now)
{
    CatchUp();
    for (Other& other : m_others)
    {
        other.process->FinishPauses(now);
    }
    CatchUp(); // to collect their events
    m_readAt.reset();
}

// --- faults ---

void
FabricSplit::Gather()
{
    do
    {
        CatchUp();
        // Frames sent to another logical process since are handed over when it starts again.
    } while (std::any_of(m_others.begin(), m_others.end(), [](const Other& other) {
        return !other.arriving.frames.empty();
    }));
}

uint64_t
FabricSplit::Apply(const FabricFaultOrder& order, const std::vector<uint8_t>& down)
{
    if (order.kind == FabricFaultOrder::TAKE_DOWN)
    {
        m_events.Forget(order.id);
    }
    // The events of the simulator's logical process come first.
    m_events.NotifyBefore(SlottedWheel::NEVER);
    NS_LOG_LOGIC("fault order " << static_cast<int>(order.kind) << " of " << order.id << " goes to "
                                << m_others.size() << " logical processes");
    uint64_t lost = 0;
    for (Other& other : m_others)
    {
        lost += other.process->Apply(order, down);
    }
    CatchUp();   // to collect their events and what is pending there now
    FrameSent(); // there may be work again
    m_readAt.reset();
    return lost;
}

void
FabricSplit::NotifyInOrder(const FabricEventRecord& record, const FabricEventOrder::Trace& trace)
{
    m_events.Add(0, m_lane->GetPosition().key, record, trace);
}

} // namespace ns3
