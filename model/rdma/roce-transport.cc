/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/roce-transport.h"

#include "ns3/abort.h"
#include "ns3/counter-random.h"
#include "ns3/string.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceTransport);

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
                          "boundary, or at the next frame; the last two may reorder. One of: "
                          "drain, next-message, at-once.",
                          StringValue("drain"),
                          MakeStringAccessor(&RoceTransport::m_applyDecision),
                          MakeStringChecker())
            .AddTraceSource("QueuePair",
                            "A queue pair was created.",
                            MakeTraceSourceAccessor(&RoceTransport::m_queuePairTrace),
                            "ns3::RoceTransport::QueuePairCallback")
            .AddTraceSource("QueuePairChange",
                            "Path or priority of a queue pair changed.",
                            MakeTraceSourceAccessor(&RoceTransport::m_changeTrace),
                            "ns3::RoceTransport::ChangeCallback")
            .AddTraceSource("Transfer",
                            "A message is acknowledged.",
                            MakeTraceSourceAccessor(&RoceTransport::m_transferTrace),
                            "ns3::RoceTransport::TransferCallback")
            .AddTraceSource("Event",
                            "A timeout, NAK or failure.",
                            MakeTraceSourceAccessor(&RoceTransport::m_eventTrace),
                            "ns3::Fabric::EventCallback");
    return tid;
}

RoceTransport::RoceTransport() = default;

void
RoceTransport::DoDispose()
{
    m_queuePairs.Clear();
    m_arbiters.clear();
    m_nics.clear();
    m_fabric = nullptr;
    m_lane = nullptr;
    Object::DoDispose();
}

void
RoceTransport::Build(Ptr<Fabric> fabric, const std::vector<Ptr<RoceNic>>& nics, uint64_t seed)
{
    NS_ABORT_MSG_IF(m_applyDecision != "drain" && m_applyDecision != "next-message" &&
                        m_applyDecision != "at-once",
                    "ApplyDecision is \"" << m_applyDecision << '"');
    m_fabric = fabric;
    m_lane = EventLane::Get();
    m_frames = &fabric->GetFrames();
    m_seed = seed;
    m_nics = nics;
    m_arbiters.resize(nics.size());
    for (const auto& nic : m_nics)
    {
        if (nic)
        {
            nic->MakeCongestionControl();
        }
    }
    m_responder.Build(PeekPointer(fabric), PeekPointer(m_lane), &m_totals, &m_jobs, &m_nics);
    m_lane->SetHandler(LANE_CLASS, this, 0);
}

uint16_t
RoceTransport::GetDefaultUdpSourcePort(uint32_t queuePair) const
{
    return static_cast<uint16_t>(
        49'152 + CounterRandom(m_seed, HashName("udp-source-port"), queuePair) % 16'384);
}

uint32_t
RoceTransport::CreateQueuePair(int64_t now, const QueuePairConfig& config)
{
    NS_ABORT_MSG_IF(config.sourceNic >= m_nics.size() || !m_nics[config.sourceNic] ||
                        config.destinationNic >= m_nics.size() || !m_nics[config.destinationNic],
                    "a queue pair needs two NICs");
    NS_ABORT_MSG_IF(config.priority >= m_fabric->GetQueueCount(),
                    "a queue pair of priority " << +config.priority << ": there are "
                                                << m_fabric->GetQueueCount());
    NS_ABORT_MSG_IF(config.job != NO_ID && config.job >= UINT16_MAX,
                    "a frame names its job with 16 bits: " << config.job << " is too large");
    const uint32_t id = m_queuePairs.Create();
    QueuePair& queuePair = *m_queuePairs[id];
    const RoceNic& source = *m_nics[config.sourceNic];
    const RoceNic& destination = *m_nics[config.destinationNic];
    const RoceFraming framing = source.GetFraming();
    auto known = std::find(m_framings.begin(), m_framings.end(), framing);
    queuePair.framing = known != m_framings.end() ? &*known : &m_framings.emplace_back(framing);
    queuePair.sourceNic = config.sourceNic;
    queuePair.destinationNic = config.destinationNic;
    queuePair.job = config.job;
    queuePair.channel = config.channel;
    queuePair.udpSourcePort =
        config.udpSourcePort != 0 ? config.udpSourcePort : GetDefaultUdpSourcePort(id);
    queuePair.priority = config.priority;
    queuePair.client = config.client;
    queuePair.SetPath();
    NS_ABORT_MSG_IF(!m_fabric->IsReachable(config.sourceNic, config.destinationNic),
                    "no path from " << m_fabric->GetTopology().GetPortName(config.sourceNic)
                                    << " to "
                                    << m_fabric->GetTopology().GetPortName(config.destinationNic));
    queuePair.selective = source.IsSelective();
    queuePair.baseTimeout =
        queuePair.selective ? source.GetIrnTimeoutLow() : source.GetRetransmissionTimeout();
    queuePair.timeout = queuePair.baseTimeout;
    if (queuePair.selective && source.GetIrnWindow() > 0)
    {
        queuePair.window = std::clamp<uint64_t>(source.GetIrnWindow() / queuePair.framing->mtu,
                                                1,
                                                QueuePair::MAX_OUTSTANDING);
        queuePair.attention = true;
    }
    if (source.GetPostDelay() + source.GetCompletionDelay() + destination.GetPostDelay() +
            destination.GetCompletionDelay() >
        0)
    {
        queuePair.delays = std::make_unique<RdmaDelays>();
    }
    queuePair.ackInterval = destination.GetAckInterval();
    queuePair.cnpInterval = source.GetCongestionControl()->GetCnpInterval();
    queuePair.rateAtCnp = source.GetCongestionControl()->IsIdleUntilCnp();
    if (config.job != NO_ID && config.job >= m_jobs.size())
    {
        m_jobs.resize(config.job + 1);
    }
    m_lane->Reserve(LANE_CLASS, id + 1);
    if (!m_queuePairTrace.IsEmpty())
    {
        m_queuePairTrace({id,
                          config.job,
                          config.sourceNic,
                          config.destinationNic,
                          config.channel,
                          queuePair.udpSourcePort,
                          config.priority,
                          now});
    }
    return id;
}

void
RoceTransport::DestroyQueuePair(int64_t /* now */, uint32_t id)
{
    QueuePair& queuePair = *m_queuePairs[id];
    NS_ABORT_MSG_IF(!queuePair.failed && !queuePair.messages.IsEmpty(),
                    "a queue pair is destroyed with messages outstanding");
    NS_ABORT_MSG_IF(
        !queuePair.failed && queuePair.delays &&
            !(queuePair.delays->completions.empty() && queuePair.delays->deliveries.empty()),
        "a queue pair is destroyed before its client is told of all messages");
    if (queuePair.place != ArbiterPlace::IDLE)
    {
        // It has failed, or what it was to send again was acknowledged in the meantime.
        m_arbiters[queuePair.sourceNic]->Remove(id, m_queuePairs);
    }
    m_lane->Cancel(TimeoutKey(id));
    m_lane->Cancel(RoceResponder::CnpKey(id));
    m_lane->Cancel(RoceResponder::DeliveryKey(id));
    m_lane->Cancel(DelayKey(id));
    m_totals.undeliveredBytes += queuePair.GetUndeliveredBytes();
    m_totals.unackedBytes += queuePair.GetUnacknowledgedBytes();
    m_queuePairs.Destroy(id);
}

void
RoceTransport::Post(int64_t now,
                    uint32_t id,
                    uint64_t bytes,
                    const MessageTag& tag,
                    RdmaOperation operation)
{
    NS_ABORT_MSG_IF(bytes == 0, "a message has at least one byte");
    QueuePair& queuePair = *m_queuePairs[id];
    bool isRead = operation == RdmaOperation::READ;
    if (isRead && queuePair.posted == 0)
    {
        const RoceNic& requester = *m_nics[queuePair.destinationNic];
        queuePair.read = std::make_unique<ReadState>();
        queuePair.isRead = true;
        // The requester keeps count of what is outstanding; the responder sends what it is told.
        queuePair.unacked = UINT64_MAX;
        queuePair.window = UINT64_MAX;
        queuePair.baseTimeout = queuePair.timeout = requester.GetRetransmissionTimeout();
    }
    NS_ABORT_MSG_IF(isRead != static_cast<bool>(queuePair.read),
                    "a queue pair has either READs or WRITEs and SENDs");
    NS_ABORT_MSG_IF(isRead && bytes > RoceReader::MAX_BYTES, "a READ has at most 2^31 bytes");
    uint64_t end = isRead                         ? queuePair.read->end
                   : queuePair.messages.IsEmpty() ? queuePair.end
                                                  : queuePair.messages.Back().endFrame;
    RdmaMessage message;
    message.number = queuePair.posted++;
    message.firstFrame = end;
    message.endFrame = end + queuePair.framing->GetFrameCount(bytes);
    message.bytes = bytes;
    message.startPs = now;
    message.tag = tag;
    message.operation = operation;
    if (!isRead && queuePair.messages.IsEmpty())
    {
        queuePair.oldestEnd = message.endFrame;
    }
    queuePair.messages.Push(message);
    ++m_totals.postedMessages;
    m_totals.postedBytes += bytes;
    if (isRead)
    {
        queuePair.read->end = message.endFrame;
    }
    if (queuePair.delays)
    {
        m_completions.ScheduleDelays(id, queuePair);
        return;
    }
    Start(now, id, queuePair, message);
}

void
RoceTransport::Start(int64_t now, uint32_t id, QueuePair& queuePair, const RdmaMessage& message)
{
    if (queuePair.read)
    {
        queuePair.read->started = message.number + 1;
        m_reader.Request(now, id, queuePair);
        return;
    }
    queuePair.end = message.endFrame;
    Activate(now, id, queuePair);
}

void
RoceTransport::Activate(int64_t now, uint32_t id, QueuePair& queuePair)
{
    if (queuePair.place != ArbiterPlace::IDLE || !queuePair.HasFrames())
    {
        return;
    }
    std::unique_ptr<NicArbiter>& arbiter = m_arbiters[queuePair.sourceNic];
    if (!arbiter)
    {
        arbiter = std::make_unique<NicArbiter>();
    }
    arbiter->Add(now, id, m_queuePairs);
    m_fabric->Kick(now, queuePair.sourceNic);
}

uint32_t
RoceTransport::NextFrame(int64_t now, uint32_t port, uint32_t allowed, int64_t& retryAt)
{
    NicArbiter* arbiter = m_arbiters[port].get();
    if (!arbiter)
    {
        return NO_FRAME;
    }
    uint32_t id;
    do
    {
        id = arbiter->Take(now, allowed, m_queuePairs);
        if (id == UINT32_MAX)
        {
            retryAt = arbiter->GetNextTime();
            return NO_FRAME;
        }
        // One that has failed, or was acknowledged in the meantime, has nothing to send.
    } while (!m_queuePairs[id]->HasFrames());

    QueuePair& queuePair = *m_queuePairs[id];
    uint32_t index = m_frames->Allocate();
    Frame& frame = (*m_frames)[index];
    if (queuePair.isRead)
    {
        m_reader.BuildResponse(now, id, queuePair, frame);
    }
    else
    {
        BuildData(now, id, queuePair, frame);
    }
    queuePair.nextTime = now;
    if (queuePair.rate || !queuePair.rateAtCnp)
    {
        queuePair.nextTime += GetRate(queuePair).OnSend(now, frame.wireBytes);
    }
    if (queuePair.changePending && queuePair.next >= queuePair.limit &&
        m_applyDecision == "next-message")
    {
        ApplyChange(now, id, queuePair);
    }
    else if (queuePair.HasFrames())
    {
        arbiter->Add(now, id, m_queuePairs);
    }
    return index;
}

uint32_t
RoceTransport::GetReadyPriorities(int64_t now, uint32_t port)
{
    NicArbiter* arbiter = m_arbiters[port].get();
    return arbiter ? arbiter->GetReady(now, m_queuePairs) : 0;
}

void
RoceTransport::BuildData(int64_t now, uint32_t id, QueuePair& queuePair, Frame& frame)
{
    uint64_t number = queuePair.next;
    if (number < queuePair.messageFirst || number >= queuePair.messageEnd)
    {
        queuePair.EnterMessage();
    }
    bool first = number == queuePair.messageFirst;
    bool last = number + 1 == queuePair.messageEnd;
    uint32_t payload = last ? queuePair.lastPayload : queuePair.framing->mtu;
    frame.kind = FrameKind::DATA;
    frame.time = now;
    frame.flowHash = queuePair.flowHash;
    frame.source = queuePair.sourceNic;
    frame.destination = queuePair.destinationNic;
    frame.queuePair = id;
    frame.psn = static_cast<uint32_t>(number) & PSN_MASK;
    frame.payload = payload;
    bool isSend = queuePair.messageIsSend;
    frame.wireBytes = queuePair.framing->GetDataWireBytes(payload, first && !isSend);
    frame.job = queuePair.frameJob;
    frame.udpSourcePort = queuePair.udpSourcePort;
    frame.priority = queuePair.priority;
    frame.flags = static_cast<uint8_t>(FRAME_ECT | (first ? FRAME_FIRST : 0) |
                                       (last ? FRAME_LAST : 0) | (isSend ? FRAME_SEND : 0));
    frame.markedHere = 0;

    m_totals.sentBytes += payload;
    bool fresh = number == queuePair.sent;
    if (!fresh)
    {
        queuePair.messages.Get(queuePair.currentMessage).retransmittedBytes += payload;
        m_totals.retransmittedBytes += payload;
        if (queuePair.job != NO_ID)
        {
            m_jobs[queuePair.job].retransmittedBytes += payload;
        }
    }
    else
    {
        queuePair.sent = number + 1;
    }
    if (number == queuePair.unacked)
    {
        queuePair.deadline = now + queuePair.timeout;
        // Waiting in the NIC is no attempt that has failed.
        queuePair.lastProgress +=
            now - (fresh ? queuePair.lastProgress
                         : std::max(queuePair.lastProgress, queuePair.waitingSince));
        if (!queuePair.timerArmed)
        {
            queuePair.timerArmed = true;
            m_lane->Schedule(queuePair.deadline, TimeoutKey(id));
        }
    }
    queuePair.next = number + 1;
    if (last)
    {
        ++queuePair.currentMessage;
    }
    if (queuePair.attention)
    {
        m_requester.Attend(queuePair, frame, number, fresh);
    }
}

void
RoceTransport::ReceiveFrame(int64_t now, uint32_t /* port */, uint32_t index)
{
    Frame& frame = (*m_frames)[index];
    uint32_t id = frame.queuePair;
    QueuePair* place = m_queuePairs.GetPlace(id);
    // Each side looks at its own line.
    if (!place ||
        (frame.kind == FrameKind::DATA ? place->life != QueuePairLife::OPEN : place->failed))
    {
        Discard(place, index);
        return;
    }
    QueuePair& queuePair = *place;
    switch (frame.kind)
    {
    case FrameKind::DATA:
        if (frame.flags & FRAME_READ)
        {
            m_reader.ReceiveResponse(now, id, queuePair, index);
            return;
        }
        m_responder.Receive(now, id, queuePair, index);
        return;
    case FrameKind::READ_REQUEST:
        m_reader.ReceiveRequest(now, id, queuePair, index);
        return;
    case FrameKind::CNP:
        ++m_totals.controlFrames;
        m_frames->Free(index);
        GetRate(queuePair).OnCnp(now);
        return;
    default:
        ++m_totals.controlFrames;
        // The copy outlives the frame: what follows may post, and so allocate.
        const Frame copy = frame;
        m_frames->Free(index);
        if (queuePair.isRead)
        {
            m_reader.ReceiveNak(now, id, queuePair, copy.psn);
            return;
        }
        m_requester.ReceiveAck(now, id, queuePair, copy);
    }
}

void
RoceTransport::Discard(const QueuePair* queuePair, uint32_t index)
{
    if (queuePair && queuePair->life != QueuePairLife::NONE)
    {
        const bool isData = (*m_frames)[index].kind == FrameKind::DATA;
        ++(isData ? m_totals.discardedFrames : m_totals.controlFrames);
    }
    m_frames->Free(index);
}

// --- requester ---

RateController&
RoceTransport::GetRate(QueuePair& queuePair) const
{
    if (!queuePair.rate)
    {
        const uint32_t nic = queuePair.sourceNic;
        queuePair.rate = m_nics[nic]->GetCongestionControl()->CreateController(
            m_fabric->GetTopology().GetPortRate(nic));
    }
    return *queuePair.rate;
}

void
RoceTransport::Fail(int64_t now, uint32_t id, QueuePair& queuePair)
{
    queuePair.failed = true;
    queuePair.life = QueuePairLife::FAILED;
    ++m_totals.failures;
    EmitEvent(now, "failed", id, queuePair);
    if (queuePair.client)
    {
        queuePair.client->QueuePairFailed(now, id);
    }
}

void
RoceTransport::EmitEvent(int64_t now,
                         const char* kind,
                         uint32_t id,
                         const QueuePair& queuePair,
                         const char* detail)
{
    if (m_eventTrace.IsEmpty())
    {
        return;
    }
    FabricEventRecord record;
    record.timePs = now;
    record.kind = kind;
    record.node = m_fabric->GetTopology().GetPortNode(queuePair.sourceNic);
    record.link = queuePair.sourceNic;
    record.queuePair = id;
    record.priority = queuePair.priority;
    uint64_t oldest = queuePair.read ? queuePair.expected : queuePair.unacked;
    record.detail = detail ? detail : "oldest frame " + std::to_string(oldest);
    m_fabric->TellEvent(record, m_eventTrace);
}

void
RoceTransport::HandleLaneEvent(int64_t now, uint32_t entity, uint32_t kind)
{
    QueuePair& queuePair = *m_queuePairs[entity];
    switch (kind)
    {
    case TIMEOUT_KIND:
        if (queuePair.read)
        {
            m_reader.HandleTimeout(now, entity, queuePair);
            return;
        }
        m_requester.HandleTimeout(now, entity, queuePair);
        return;
    case DELAY_KIND:
        m_completions.HandleDelays(now, entity, queuePair);
        return;
    case RoceResponder::DELIVERY_KIND:
        m_responder.HandleDeliveries(now, entity, queuePair);
        return;
    default:
        m_responder.EndCnpInterval(now, entity, queuePair);
    }
}

uint32_t
RoceTransport::GetLaneContext(uint32_t entity, uint32_t kind) const
{
    const QueuePair* queuePair = m_queuePairs.Find(entity);
    if (!queuePair)
    {
        // Its client has destroyed it, being told of its failure.
        return LaneHandler::GetLaneContext(entity, kind);
    }
    bool atRequester = kind == TIMEOUT_KIND || kind == DELAY_KIND;
    return m_fabric->GetLaneContext(atRequester && !queuePair->read ? queuePair->sourceNic
                                                                    : queuePair->destinationNic,
                                    Fabric::WAKE);
}

} // namespace ns3
