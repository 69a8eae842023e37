/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/fabric-split.h"

#include "ns3/abort.h"
#include "ns3/fabric-simulator-impl.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Events of a part in a window from which on another thread is worth telling: it then works for
/// several times as long as that takes.
constexpr uint64_t WORTH_A_THREAD = 64;

void
CopyAttributes(const Object& from, Object& to)
{
    for (TypeId tid = from.GetInstanceTypeId(); tid != Object::GetTypeId(); tid = tid.GetParent())
    {
        for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            const TypeId::AttributeInformation attribute = tid.GetAttribute(i);
            Ptr<AttributeValue> value = attribute.checker->Create();
            from.GetAttribute(attribute.name, *value);
            to.SetAttribute(attribute.name, *value);
        }
    }
}

/// Ports whose wires lead to another part.
template <typename F>
void
ForEachCut(const ClusterTopology& topology, const std::vector<uint32_t>& parts, F f)
{
    for (uint32_t port = 0; port < topology.GetNetworkPortCount(); ++port)
    {
        const uint32_t from = parts[topology.GetPortNode(port)];
        const uint32_t to = parts[topology.GetPortNode(ClusterTopology::GetPeerPort(port))];
        if (from != to)
        {
            f(port, to);
        }
    }
}

} // namespace

// --- parts ---

void
FabricSplit::Part::Run()
{
    lastEvents = lane->RunBefore(target);
    firstTime = lane->GetFirstTime();
}

void
FabricSplit::Part::OnPause(const PauseRecord& record)
{
    pauses.push_back(record);
}

void
FabricSplit::Part::OnEvent(const FabricEventRecord& record)
{
    events.push_back(record);
}

std::string
FabricSplit::FindFault(const Fabric& fabric, const std::vector<uint32_t>& parts)
{
    const ClusterTopology& topology = fabric.GetTopology();
    if (!DynamicCast<FabricSimulatorImpl>(Simulator::GetImplementation()))
    {
        return "only ns3::FabricSimulatorImpl can run several threads";
    }
    if (std::all_of(parts.begin(), parts.end(), [](uint32_t part) { return part == 0; }))
    {
        return "there is too little that can be dealt out";
    }
    std::string fault;
    ForEachCut(topology, parts, [&](uint32_t port, uint32_t) {
        if (topology.GetPortDelay(port) < 2 && fault.empty())
        {
            fault = "link " + topology.GetDirectedLinkName(port) +
                    " has no delay, without which two threads cannot run at a time";
        }
    });
    return fault;
}

FabricSplit::FabricSplit(Ptr<Fabric> fabric, const std::vector<uint32_t>& parts)
    : m_fabric(fabric),
      m_impl(DynamicCast<FabricSimulatorImpl>(Simulator::GetImplementation())),
      m_lane(EventLane::Get())
{
    NS_ABORT_MSG_IF(!m_impl, "only ns3::FabricSimulatorImpl can run several threads");
    const ClusterTopology& topology = fabric->GetTopology();
    const uint32_t count = *std::max_element(parts.begin(), parts.end()) + 1;
    m_parts.push_back(PeekPointer(fabric));
    while (m_parts.size() < count)
    {
        AddPart();
    }
    for (uint32_t port = 0; port < topology.GetPortCount(); ++port)
    {
        const uint32_t node = topology.GetPortNode(port);
        const uint32_t part = node < parts.size() ? parts[node] : 0;
        NS_ABORT_MSG_IF(part != 0 && topology.GetNodes()[node].kind != TopologyNodeKind::SWITCH,
                        topology.GetNodes()[node].name << " is no switch and must be in part 0");
        m_partOfPort.push_back(part);
    }
    std::vector<uint8_t> crossings(topology.GetPortCount(), 0);
    m_lookahead = fabric->GetLeastDetection();
    ForEachCut(topology, parts, [&](uint32_t port, uint32_t to) {
        crossings[port] = static_cast<uint8_t>(to + 1);
        m_lookahead = std::min(m_lookahead, topology.GetPortDelay(port));
    });
    NS_ABORT_MSG_IF(m_lookahead < 2, "parts need delays between them");
    for (FabricState* part : m_parts)
    {
        part->SetCrossings(crossings, count);
    }
    m_done = m_horizon = std::max<int64_t>(Simulator::Now().GetTimeStep(), 0);
    m_fabric->SetParts(this);
    m_impl->SetHorizon(this);
}

FabricSplit::~FabricSplit()
{
    m_impl->SetHorizon(nullptr);
    m_fabric->SetParts(nullptr);
    for (const auto& part : m_others)
    {
        part->worker = nullptr;
        part->fabric->Dispose();
        part->lane->Dispose();
    }
}

void
FabricSplit::AddPart()
{
    m_others.push_back(std::make_unique<Part>());
    Part* part = m_others.back().get();
    part->lane = CreateObject<EventLane>();
    part->fabric = CreateObject<Fabric>();
    CopyAttributes(*m_fabric, *part->fabric);
    UintegerValue width;
    m_lane->GetAttribute("BucketWidthShift", width);
    part->lane->SetAttribute("BucketWidthShift", width);
    part->fabric->BuildPart(*m_fabric, part->lane);
    part->fabric->TraceConnectWithoutContext("Pause", MakeCallback(&Part::OnPause, part));
    part->fabric->TraceConnectWithoutContext("Event", MakeCallback(&Part::OnEvent, part));
    part->worker = std::make_unique<WindowWorker>([part]() { part->Run(); });
    m_parts.push_back(PeekPointer(part->fabric));
}

FabricState&
FabricSplit::GetOwner(uint32_t portId) const
{
    return *m_parts[m_partOfPort[portId]];
}

const std::vector<FabricState*>&
FabricSplit::GetParts() const
{
    return m_parts;
}

// --- windows ---

void
FabricSplit::HandOver(Fabric& from)
{
    for (std::size_t to = 0; to < m_parts.size(); ++to)
    {
        std::vector<Frame>& frames = from.GetSent(to);
        for (const Frame& frame : frames)
        {
            m_parts[to]->Accept(frame);
        }
        frames.clear();
    }
}

void
FabricSplit::TellRecords(Part& part)
{
    // Somebody who is told may read, which calls CatchUp(): not what is being told.
    std::vector<PauseRecord> pauses;
    pauses.swap(part.pauses);
    std::vector<FabricEventRecord> events;
    events.swap(part.events);
    for (const PauseRecord& record : pauses)
    {
        m_fabric->TellPause(record);
    }
    for (const FabricEventRecord& record : events)
    {
        m_fabric->TellEvent(record);
    }
    const int64_t look = part.fabric->TakeRequestedLook();
    if (look != INT64_MAX)
    {
        const int64_t now = m_impl->Now().GetTimeStep();
        m_fabric->RequestLook(now, std::max(now, look));
    }
}

void
FabricSplit::Meet()
{
    for (const auto& part : m_others)
    {
        if (part->started)
        {
            part->worker->Wait();
            part->started = false;
        }
    }
    HandOver(*m_fabric);
    for (const auto& part : m_others)
    {
        HandOver(*part->fabric);
    }
    for (const auto& part : m_others)
    {
        part->firstTime = part->lane->GetFirstTime();
        if (!part->pauses.empty() || !part->events.empty() || part->fabric->HasRequestedLook())
        {
            TellRecords(*part);
        }
    }
    CountEvents();
}

void
FabricSplit::CountEvents()
{
    EventLane::EventCounts sum{};
    for (const auto& part : m_others)
    {
        const EventLane::EventCounts& counts = part->lane->GetCounts();
        for (std::size_t i = 0; i < sum.size(); ++i)
        {
            sum[i] += counts[i];
        }
    }
    m_lane->SetPartCounts(sum);
}

int64_t
FabricSplit::GetFirstTimeOfParts() const
{
    int64_t first = SlottedWheel::NEVER;
    for (const auto& part : m_others)
    {
        first = std::min(first, part->firstTime);
    }
    return first;
}

void
FabricSplit::StartParts(int64_t target)
{
    bool work = false;
    for (const auto& part : m_others)
    {
        part->target = {target, 0};
        if (part->firstTime >= target)
        {
            continue;
        }
        work = true;
        part->started = part->lastEvents >= WORTH_A_THREAD;
        if (part->started)
        {
            ++m_threadedWindows;
            part->worker->Start();
        }
    }
    // What is little is done here, while others work.
    for (const auto& part : m_others)
    {
        if (part->firstTime < target && !part->started)
        {
            part->Run();
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
        const int64_t parts = GetFirstTimeOfParts();
        const int64_t own = std::min(ordinary, m_lane->GetFirstTime());
        const int64_t first = std::min(parts, own);
        if (first == SlottedWheel::NEVER)
        {
            return SlottedWheel::NEVER;
        }
        if (first >= m_horizon)
        {
            // Nothing happens anywhere before.
            m_horizon = m_done = first;
        }
        else
        {
            m_done = std::max(m_done, std::min(parts, m_horizon));
        }
        const int64_t half = m_lookahead / 2;
        const int64_t target = std::min(m_horizon, m_done + half);
        const int64_t start = std::max(m_horizon, std::min(own, m_done + m_lookahead));
        m_horizon = std::min(m_done + m_lookahead, start + half);
        StartParts(target);
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
    if (m_meeting)
    {
        return; // told of what has been brought here
    }
    m_meeting = true;
    Meet();
    const EventLane::Position position = m_lane->GetPosition();
    for (const auto& part : m_others)
    {
        part->target = position;
        part->Run();
    }
    m_done = std::max(m_done, position.time);
    Meet();
    m_meeting = false;
}

bool
FabricSplit::IsIdle() const
{
    return std::all_of(m_others.begin(), m_others.end(), [](const auto& part) {
        return !part->started && part->firstTime == SlottedWheel::NEVER;
    });
}

int64_t
FabricSplit::GetLastTime() const
{
    int64_t last = 0;
    for (const auto& part : m_others)
    {
        last = std::max(last, part->lane->GetLastTime());
    }
    return last;
}

} // namespace ns3
