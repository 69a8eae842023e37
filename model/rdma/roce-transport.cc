/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/roce-transport.h"

#include "../base/enum-value.h"
#include "roce-endpoint.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceTransport);

template <>
struct EnumNames<ApplyTiming>
{
    static constexpr EnumName<ApplyTiming> TABLE[] = {{ApplyTiming::DRAIN, "drain"},
                                                      {ApplyTiming::NEXT_MESSAGE, "next-message"},
                                                      {ApplyTiming::AT_ONCE, "at-once"}};
};

TypeId
RoceTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RoceTransport")
            .SetParent<Object>()
            .SetGroupName("GpuFabric")
            .AddConstructor<RoceTransport>()
            .AddAttribute("ApplyDecision",
                          "When a new path or priority of a live queue pair takes effect: at a "
                          "message boundary with everything before acknowledged, at a message "
                          "boundary, or at the next frame; the last two may reorder.",
                          NameValue<ApplyTiming>(ApplyTiming::DRAIN),
                          MakeNameAccessor<ApplyTiming>(&RoceTransport::m_applyTiming),
                          MakeNameChecker<ApplyTiming>())
            .AddTraceSource("QueuePair",
                            "A queue pair was created.",
                            MakeTraceSourceAccessor(&RoceTransport::m_queuePairTrace),
                            "ns3::RoceTransport::QueuePairCallback")
            .AddTraceSource("QueuePairChange",
                            "Path or priority of a queue pair changed.",
                            MakeTraceSourceAccessor(&RoceTransport::m_changeTrace),
                            "ns3::RoceTransport::ChangeCallback")
            .AddTraceSource("Posted",
                            "A message is posted.",
                            MakeTraceSourceAccessor(&RoceTransport::m_postedTrace),
                            "ns3::RoceTransport::MessageCallback")
            .AddTraceSource("Delivered",
                            "The last frame of a message has arrived at the receiver.",
                            MakeTraceSourceAccessor(&RoceTransport::m_deliveredTrace),
                            "ns3::RoceTransport::MessageCallback")
            .AddTraceSource("Transfer",
                            "A message is acknowledged.",
                            MakeTraceSourceAccessor(&RoceTransport::m_transferTrace),
                            "ns3::RoceTransport::TransferCallback")
            .AddTraceSource("Cnp",
                            "A congestion notification packet has arrived at the sender.",
                            MakeTraceSourceAccessor(&RoceTransport::m_cnpTrace),
                            "ns3::RoceTransport::CongestionCallback")
            .AddTraceSource("Rate",
                            "Rate and window of a queue pair, after each event that may change "
                            "them: a CNP, a loss, an acknowledgement, a frame that is sent.",
                            MakeTraceSourceAccessor(&RoceTransport::m_rateTrace),
                            "ns3::RoceTransport::CongestionCallback")
            .AddTraceSource("Rtt",
                            "A round-trip time was measured, by a congestion control that needs "
                            "time stamps.",
                            MakeTraceSourceAccessor(&RoceTransport::m_rttTrace),
                            "ns3::RoceTransport::CongestionCallback")
            .AddTraceSource("Event",
                            "A timeout, NAK or failure.",
                            MakeTraceSourceAccessor(&RoceTransport::m_eventTrace),
                            "ns3::Fabric::EventCallback");
    return tid;
}

RoceTransport::RoceTransport()
    : m_endpoint(std::make_unique<RoceEndpoint>(RdmaTraces{m_queuePairTrace,
                                                           m_changeTrace,
                                                           m_transferTrace,
                                                           m_eventTrace,
                                                           m_postedTrace,
                                                           m_deliveredTrace,
                                                           m_cnpTrace,
                                                           m_rateTrace,
                                                           m_rttTrace}))
{
}

RoceTransport::~RoceTransport() = default;

void
RoceTransport::DoDispose()
{
    for (const auto& nic : m_endpoint->GetContext().nics)
    {
        if (nic)
        {
            nic->SetTransport(nullptr);
        }
    }
    if (m_endpoint->GetContext().fabric)
    {
        m_endpoint->GetContext().fabric->SetTransport(nullptr);
    }
    m_endpoint->Clear();
    Object::DoDispose();
}

void
RoceTransport::Build(Ptr<Fabric> fabric, const std::vector<Ptr<RoceNic>>& nics, uint64_t seed)
{
    m_endpoint->Build(fabric, nics, seed, m_applyTiming);
    fabric->SetTransport(this);
    for (const auto& nic : nics)
    {
        if (nic)
        {
            nic->SetTransport(this);
        }
    }
}

FabricEndpoint&
RoceTransport::GetEndpoint()
{
    return *m_endpoint;
}

uint32_t
RoceTransport::CreateQueuePair(int64_t now, const QueuePairConfig& config)
{
    return m_endpoint->CreateQueuePair(now, config);
}

void
RoceTransport::DestroyQueuePair(int64_t now, uint32_t queuePair)
{
    m_endpoint->DestroyQueuePair(now, queuePair);
}

void
RoceTransport::Abort(uint32_t queuePair)
{
    QueuePair& aborted = *m_endpoint->GetContext().queuePairs[queuePair];
    aborted.failed = true;
    aborted.life = QueuePairLife::FAILED;
}

void
RoceTransport::Fail(int64_t now, uint32_t queuePair)
{
    TransportContext& context = m_endpoint->GetContext();
    context.Fail(now, queuePair, *context.queuePairs[queuePair]);
}

void
RoceTransport::Post(int64_t now, uint32_t queuePair, uint64_t bytes, const MessageTag& tag)
{
    m_endpoint->Post(now, queuePair, bytes, tag, RdmaOperation::WRITE);
}

void
RoceTransport::Post(int64_t now,
                    uint32_t queuePair,
                    uint64_t bytes,
                    const MessageTag& tag,
                    RdmaOperation operation)
{
    m_endpoint->Post(now, queuePair, bytes, tag, operation);
}

void
RoceTransport::Apply(int64_t now,
                     uint32_t queuePair,
                     uint16_t udpSourcePort,
                     uint8_t priority,
                     uint32_t decision)
{
    m_endpoint->Apply(now,
                      queuePair,
                      udpSourcePort > 0 ? udpSourcePort : GetDefaultUdpSourcePort(queuePair),
                      priority,
                      decision);
}

RoceFraming
RoceTransport::GetFraming(uint32_t nic) const
{
    return m_endpoint->GetContext().nics[nic]->GetFraming();
}

const RdmaTotals&
RoceTransport::GetTotals() const
{
    return m_endpoint->GetContext().totals;
}

JobRdmaCounters
RoceTransport::GetJobCounters(uint32_t job) const
{
    const std::vector<JobRdmaCounters>& jobs = m_endpoint->GetContext().jobs;
    return job < jobs.size() ? jobs[job] : JobRdmaCounters();
}

uint32_t
RoceTransport::GetQueuePairCount() const
{
    return m_endpoint->GetContext().queuePairs.GetCount();
}

const QueuePair*
RoceTransport::GetQueuePair(uint32_t id) const
{
    return m_endpoint->GetContext().queuePairs.Find(id);
}

uint16_t
RoceTransport::GetDefaultUdpSourcePort(uint32_t queuePair) const
{
    return m_endpoint->GetDefaultUdpSourcePort(queuePair);
}

RateController&
RoceTransport::GetRateController(uint32_t queuePair)
{
    TransportContext& context = m_endpoint->GetContext();
    return context.GetRate(*context.queuePairs[queuePair]);
}

} // namespace ns3
