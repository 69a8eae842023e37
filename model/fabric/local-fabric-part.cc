/* SPDX-License-Identifier: GPL-2.0-only */
#include "local-fabric-part.h"

#include "ns3/abort.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

namespace
{

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

} // namespace

FabricCut::FabricCut(const Fabric& fabric, const std::vector<uint32_t>& someParts)
    : parts(someParts),
      count(*std::max_element(parts.begin(), parts.end()) + 1),
      lookahead(fabric.GetLeastDetection())
{
    const ClusterTopology& topology = fabric.GetTopology();
    for (uint32_t node = 0; node < parts.size(); ++node)
    {
        NS_ABORT_MSG_IF(parts[node] != 0 &&
                            topology.GetNodes()[node].kind != TopologyNodeKind::SWITCH,
                        topology.GetNodes()[node].name << " is no switch and must be in part 0");
    }
    NS_ABORT_MSG_IF(count > UINT8_MAX, "too many parts: " << count);
    crossings.assign(topology.GetPortCount(), 0);
    for (uint32_t port = 0; port < topology.GetNetworkPortCount(); ++port)
    {
        const uint32_t to = parts[topology.GetPortNode(ClusterTopology::GetPeerPort(port))];
        if (parts[topology.GetPortNode(port)] != to)
        {
            crossings[port] = static_cast<uint8_t>(to + 1);
            lookahead = std::min(lookahead, topology.GetPortDelay(port));
        }
    }
}

std::vector<bool>
FabricCut::GetNodes(uint32_t part) const
{
    std::vector<bool> here;
    for (uint32_t other : parts)
    {
        here.push_back(other == part);
    }
    return here;
}

LocalFabricPart::LocalFabricPart(const Fabric& whole,
                                 const FabricCut& cut,
                                 uint32_t part,
                                 bool ownThread)
    : m_lane(CreateObject<EventLane>()),
      m_fabric(CreateObject<Fabric>())
{
    CopyAttributes(whole, *m_fabric);
    UintegerValue width;
    EventLane::Get()->GetAttribute("BucketWidthShift", width);
    m_lane->SetAttribute("BucketWidthShift", width);
    m_fabric->BuildPart(whole, m_lane);
    m_fabric->SetNodes(cut.GetNodes(part));
    m_fabric->SetCrossings(cut.crossings, cut.count);
    m_fabric->TraceConnectWithoutContext("Pause", MakeCallback(&LocalFabricPart::OnPause, this));
    m_fabric->TraceConnectWithoutContext("Event", MakeCallback(&LocalFabricPart::OnEvent, this));
    m_report.sent.resize(cut.count);
    if (ownThread)
    {
        m_worker = std::make_unique<WindowWorker>([this]() { Run(); });
    }
}

LocalFabricPart::~LocalFabricPart()
{
    m_worker = nullptr;
    m_fabric->Dispose();
    m_lane->Dispose();
}

void
LocalFabricPart::OnPause(const PauseRecord& record)
{
    m_report.pauses.push_back(record);
}

void
LocalFabricPart::OnEvent(const FabricEventRecord& record)
{
    m_report.records.push_back({record, m_lane->GetPosition().key});
}

void
LocalFabricPart::Run()
{
    m_fabric->Accept(m_arriving);
    m_arriving.Clear();
    m_report.events = m_lane->RunBefore(m_target);
    m_report.firstTime = m_lane->GetFirstTime();
    m_report.lastTime = m_lane->GetLastTime();
}

void
LocalFabricPart::Start(const EventLane::Position& target, FrameBatch& arriving, bool much)
{
    m_target = target;
    m_arriving.Swap(arriving);
    if (much && m_worker)
    {
        m_worker->Start();
    }
    else
    {
        Run();
    }
}

FabricPartReport&
LocalFabricPart::Wait()
{
    if (m_worker)
    {
        m_worker->Wait();
    }
    m_report.counts = m_lane->GetCounts();
    m_report.look = std::min(m_report.look, m_fabric->TakeRequestedLook());
    for (std::size_t part = 0; part < m_report.sent.size(); ++part)
    {
        // Both keep the room that they have grown to.
        m_report.sent[part].Clear();
        m_report.sent[part].Swap(m_fabric->GetSent(part));
    }
    return m_report;
}

void
LocalFabricPart::Read(FabricReadings& sum)
{
    m_fabric->Read(sum);
}

void
LocalFabricPart::Audit(int64_t now, FabricAudit& sum)
{
    m_fabric->Audit(now, sum);
}

void
LocalFabricPart::LookAt(int64_t now, int64_t deadlock, bool forStuck, FabricLook& look)
{
    m_fabric->LookAt(now, deadlock, forStuck, look);
}

void
LocalFabricPart::EnableAccounting(bool enable)
{
    m_fabric->EnableAccounting(enable);
}

void
LocalFabricPart::FinishPauses(int64_t now)
{
    m_fabric->FinishPauses(now);
}

uint64_t
LocalFabricPart::Obey(const FabricFaultOrder& order, const std::vector<uint8_t>& down)
{
    return m_fabric->Obey(order, down);
}

} // namespace ns3
