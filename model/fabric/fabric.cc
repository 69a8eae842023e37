/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/fabric.h"

#include "../base/enum-value.h"
#include "../base/text-value.h"
#include "fabric-list.h"
#include "hop-pipeline.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/quantity-value.h"
#include "ns3/uinteger.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("Fabric");

NS_OBJECT_ENSURE_REGISTERED(Fabric);

TypeId
Fabric::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::Fabric")
            .SetParent<Object>()
            .SetGroupName("GpuFabric")
            .AddConstructor<Fabric>()
            .AddAttribute("Queues",
                          "Egress queues (priorities) of a port; the highest is served first.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&Fabric::m_queues),
                          MakeUintegerChecker<uint32_t>(2, MAX_QUEUES))
            .AddAttribute("ControlPriority",
                          "Priority of ACK and NAK, and of CNP unless CnpPriority sets it.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&Fabric::m_controlPriority),
                          MakeUintegerChecker<uint32_t>(0, MAX_QUEUES - 1))
            .AddAttribute("CnpPriority",
                          "Priority of CNP; -1: that of ControlPriority. It is not lossless, and "
                          "jobs do not use it.",
                          IntegerValue(-1),
                          MakeIntegerAccessor(&Fabric::m_cnpPriority),
                          MakeIntegerChecker<int32_t>(-1, MAX_QUEUES - 1))
            .AddAttribute("DscpMap",
                          "DSCP of the frames of priority 0, 1, ..., separated by commas; default: "
                          "8 times the priority, for 8 and 9 what is free.",
                          TextValue("0,8,16,24,32,40,48,56,60,62"),
                          MakeTextAccessor(&Fabric::m_dscps),
                          MakeTextChecker(&DscpMap::FindFault))
            .AddAttribute("EgressScheduler",
                          "Type of the order in which the ports of switches and NICs serve their "
                          "priorities, a child of ns3::EgressScheduler.",
                          TypeIdValue(StrictPriorityEgress::GetTypeId()),
                          MakeTypeIdAccessor(&Fabric::m_egressType),
                          MakeTypeIdChecker())
            .AddAttribute("Partition",
                          "How switches are dealt out to threads: auto (by pod if there are "
                          "enough), leaf (one by one), pod (what hangs together without the "
                          "highest tier).",
                          NameValue<FabricPartitionBy>(FabricPartitionBy::AUTOMATIC),
                          MakeNameAccessor<FabricPartitionBy>(&Fabric::m_partition),
                          MakeNameChecker<FabricPartitionBy>())
            .AddAttribute("PauseQuanta",
                          "How long a pause frame holds, in quanta of 512 bit times "
                          "(IEEE 802.1Qbb).",
                          UintegerValue(65'535),
                          MakeUintegerAccessor(&Fabric::m_pauseQuanta),
                          MakeUintegerChecker<uint32_t>(1, 65'535))
            .AddAttribute("PauseRefresh",
                          "A pause still needed is sent again after this share of its time, "
                          "earlier where the largest frame could make that too late.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&Fabric::m_refreshFraction),
                          MakeDoubleChecker<double>(0.01, 0.99))
            .AddAttribute("ConvergenceTime",
                          "Time from a cable's going down or coming up to the switches' sending "
                          "by other routes.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&Fabric::m_convergenceTime),
                          MakeTimeChecker(Seconds(0)))
            .AddAttribute("ReceiveBuffer",
                          "Receive buffer of a NIC that takes frames slower than they come.",
                          ByteSizeValue(512'000),
                          MakeByteSizeAccessor(&Fabric::m_receiveBuffer),
                          MakeByteSizeChecker(1))
            .AddAttribute("DeadlockDetection",
                          "How long the queues of a cycle of paused queues have been paused when "
                          "it counts as a deadlock, which is reported; 0: not looked for.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&Fabric::m_deadlockDetection),
                          MakeTimeChecker(Seconds(0)))
            .AddAttribute("Transport",
                          "The transport that runs over the fabric.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&Fabric::GetTransport),
                          MakePointerChecker<Object>())
            .AddTraceSource("Event",
                            "Something that seldom happens, such as a drop.",
                            MakeTraceSourceAccessor(&Fabric::m_eventTrace),
                            "ns3::Fabric::EventCallback")
            .AddTraceSource("Pause",
                            "A pause of a link's priority has ended.",
                            MakeTraceSourceAccessor(&Fabric::m_pauseTrace),
                            "ns3::Fabric::PauseCallback")
            .AddTraceSource("LinkState",
                            "A cable has gone down or come up.",
                            MakeTraceSourceAccessor(&Fabric::m_linkStateTrace),
                            "ns3::Fabric::LinkStateCallback");
    return tid;
}

Fabric::Fabric()
    : m_pipeline(std::make_unique<HopPipeline>(
          FabricTraces{&m_eventTrace, &m_pauseTrace, &m_linkStateTrace}))
{
}

Fabric::~Fabric() = default;

void
Fabric::DoDispose()
{
    NS_LOG_FUNCTION(this);
    FabricList::Remove(this);
    m_transport = nullptr;
    m_pipeline->Dispose();
    Object::DoDispose();
}

Ptr<Object>
Fabric::GetTransport() const
{
    return m_transport;
}

std::vector<FabricFault>
Fabric::Build(const ClusterTopology& topology,
              uint64_t seed,
              const std::vector<Ptr<FabricSwitch>>& switches,
              FabricEndpoint* endpoint,
              uint32_t maxFrameBytes,
              uint32_t gapBytes)
{
    NS_LOG_FUNCTION(this << seed);
    FabricSettings settings;
    settings.queues = m_queues;
    settings.controlPriority = m_controlPriority;
    settings.cnpPriority = GetCnpPriority();
    settings.dscps = m_dscps;
    settings.egressType = m_egressType;
    settings.pauseQuanta = m_pauseQuanta;
    settings.refreshFraction = m_refreshFraction;
    settings.convergenceTime = m_convergenceTime;
    settings.receiveBuffer = m_receiveBuffer;
    settings.deadlockDetection = m_deadlockDetection;
    settings.usedPriorities = m_usedPriorities;
    FabricList::Remove(this);
    FabricList::Add(this);
    return m_pipeline->Build(settings, topology, seed, switches, endpoint, maxFrameBytes, gapBytes);
}

FramePool&
Fabric::GetFrames()
{
    return m_pipeline->GetNetwork().frames;
}

void
Fabric::Kick(int64_t now, uint32_t portId)
{
    m_pipeline->Kick(now, portId);
}

void
Fabric::Queue(int64_t now, uint32_t portId, uint32_t frame)
{
    m_pipeline->Queue(now, portId, frame);
}

void
Fabric::SendControl(int64_t now, uint32_t portId, uint32_t frame)
{
    m_pipeline->SendControl(now, portId, frame);
}

const ClusterTopology&
Fabric::GetTopology() const
{
    return *m_pipeline->GetNetwork().topology;
}

const RoutingTable&
Fabric::GetRouting() const
{
    return m_pipeline->GetRouting();
}

const RoutingTable&
Fabric::GetLiveRouting() const
{
    return m_pipeline->GetNetwork().routing;
}

const PathSelector&
Fabric::GetPathSelector() const
{
    return m_pipeline->GetPathSelector();
}

bool
Fabric::IsReachable(uint32_t sourceNic, uint32_t destinationNic) const
{
    return !GetRouting().GetPath(sourceNic, destinationNic, 0, GetPathSelector()).empty();
}

bool
Fabric::IsSpraying() const
{
    return m_pipeline->IsSpraying();
}

uint32_t
Fabric::GetQueueCount() const
{
    return m_queues;
}

uint32_t
Fabric::GetControlPriority() const
{
    return m_controlPriority;
}

uint32_t
Fabric::GetCnpPriority() const
{
    return m_cnpPriority < 0 ? m_controlPriority : static_cast<uint32_t>(m_cnpPriority);
}

uint32_t
Fabric::GetLosslessMask() const
{
    return m_pipeline->GetNetwork().losslessMask;
}

const DscpMap&
Fabric::GetDscpMap() const
{
    return m_pipeline->GetDscpMap();
}

uint32_t
Fabric::GetGapBytes() const
{
    return m_pipeline->GetNetwork().gapBytes;
}

int64_t
Fabric::GetWireTime(uint32_t portId, uint64_t bytes) const
{
    return m_pipeline->GetNetwork().GetWireTime(portId, bytes);
}

FabricTotals
Fabric::GetTotals() const
{
    return m_pipeline->GetReader().GetTotals();
}

LinkCounters
Fabric::GetLinkCounters(uint32_t link, uint32_t priority) const
{
    return m_pipeline->GetReader().GetLinkCounters(link, priority);
}

uint64_t
Fabric::GetSentPauses(uint32_t link) const
{
    return m_pipeline->GetReader().GetSentPauses(link);
}

uint64_t
Fabric::GetSentPfcFrames(uint32_t link) const
{
    return m_pipeline->GetReader().GetSentPfcFrames(link);
}

void
Fabric::EnableAccounting(bool enable)
{
    m_pipeline->EnableAccounting(enable);
}

std::vector<JobLinkCounters>
Fabric::GetJobLinkCounters() const
{
    return m_pipeline->GetReader().GetJobLinkCounters();
}

uint64_t
Fabric::GetBufferPeak(uint32_t switchIndex) const
{
    return m_pipeline->GetReader().GetBufferPeak(switchIndex);
}

uint64_t
Fabric::GetQueueBytes(uint32_t portId, uint32_t priority) const
{
    return m_pipeline->GetReader().GetQueueBytes(portId, priority);
}

uint32_t
Fabric::GetPaused(int64_t now, uint32_t portId)
{
    return m_pipeline->GetPfc().GetPaused(now, portId);
}

FabricAudit
Fabric::GetAudit(int64_t now)
{
    return m_pipeline->GetReader().GetAudit(now);
}

void
Fabric::FinishPauses(int64_t now)
{
    m_pipeline->GetPfc().FinishPauses(now);
}

void
Fabric::SetLinkUp(int64_t now, uint32_t link, bool up)
{
    m_pipeline->GetFaults().SetLinkUp(now, link, up);
}

bool
Fabric::IsLinkUp(uint32_t link) const
{
    return m_pipeline->GetFaults().IsLinkUp(link);
}

void
Fabric::SetNodeUp(int64_t now, uint32_t node, bool up)
{
    m_pipeline->GetFaults().SetNodeUp(now, node, up);
}

void
Fabric::SetLinkRate(int64_t now, uint32_t link, uint64_t rateBps)
{
    m_pipeline->GetFaults().SetLinkRate(now, link, rateBps);
}

uint32_t
Fabric::AddLoss(uint32_t port, const FrameLoss& loss)
{
    return m_pipeline->GetFaults().AddLoss(port, loss);
}

void
Fabric::RemoveLoss(uint32_t number)
{
    m_pipeline->GetFaults().RemoveLoss(number);
}

void
Fabric::SetReceiveRate(int64_t now, uint32_t nicPort, uint64_t rateBps)
{
    m_pipeline->GetFaults().SetReceiveRate(now, nicPort, rateBps);
}

void
Fabric::SetStorm(int64_t now, uint32_t nicPort, uint32_t priorities)
{
    m_pipeline->GetFaults().SetStorm(now, nicPort, priorities);
}

void
Fabric::ReportFault(int64_t now,
                    const char* kind,
                    uint32_t node,
                    uint32_t link,
                    const std::string& detail)
{
    m_pipeline->GetFaults().ReportFault(now, kind, node, link, detail);
}

void
Fabric::SetDeadlockCallback(DeadlockCallback callback)
{
    m_pipeline->GetGuard().SetDeadlockCallback(std::move(callback));
}

void
Fabric::SetObserver(uint32_t portId, FabricObserver* observer)
{
    m_pipeline->GetNetwork().SetObserver(portId, observer);
}

void
Fabric::SetFrameEncoder(Ptr<const FrameEncoder> encoder)
{
    m_pipeline->SetFrameEncoder(encoder);
}

Ptr<Packet>
Fabric::MakePacket(const Frame& frame, uint32_t portId, bool fcs) const
{
    return m_pipeline->MakePacket(frame, portId, fcs);
}

void
Fabric::SetNodeContext(const std::vector<uint32_t>& ids)
{
    m_pipeline->SetNodeContext(ids);
}

uint32_t
Fabric::GetPortContext(uint32_t portId) const
{
    return m_pipeline->GetLaneContext(portId, NetworkState::WAKE);
}

uint32_t
Fabric::GetLaneClass()
{
    return m_pipeline->GetLaneClass();
}

void
Fabric::NotifyEvent(const FabricEventRecord& record,
                    const TracedCallback<const FabricEventRecord&>& trace) const
{
    m_pipeline->GetNetwork().NotifyEvent(record, trace);
}

} // namespace ns3
