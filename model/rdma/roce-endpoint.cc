/* SPDX-License-Identifier: GPL-2.0-only */
#include "roce-endpoint.h"

#include "queue-pair-prefetch.h"

#include "ns3/abort.h"
#include "ns3/counter-random.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceEndpoint");

RoceEndpoint::RoceEndpoint(const RdmaTraces& traces)
    : m_context(traces)
{
}

void
RoceEndpoint::Clear()
{
    m_context.queuePairs.Clear();
    m_context.arbiters.clear();
    m_context.nics.clear();
    m_context.fabric = nullptr;
    m_context.lane = nullptr;
}

void
RoceEndpoint::Build(Ptr<Fabric> fabric,
                    const std::vector<Ptr<RoceNic>>& nics,
                    uint64_t seed,
                    ApplyTiming timing)
{
    m_context.fabric = fabric;
    m_context.lane = EventLane::Get();
    m_context.frames = &fabric->GetFrames();
    m_context.nics = nics;
    m_context.arbiters.resize(nics.size());
    m_pathChange.SetTiming(timing);
    m_seed = seed;
    uint32_t count = 0;
    for (const auto& nic : nics)
    {
        if (nic)
        {
            ++count;
        }
    }
    NS_LOG_INFO("transport of " << count << " NICs");
    fabric->GetLaneClass(); // events of the fabric precede those of the transport at the same time
    m_context.laneClass = m_context.lane->AllocateClass(this);
}

uint16_t
RoceEndpoint::GetDefaultUdpSourcePort(uint32_t queuePair) const
{
    return static_cast<uint16_t>(
        49'152 + CounterRandom(m_seed, HashName("udp-source-port"), queuePair) % 16'384);
}

uint32_t
RoceEndpoint::CreateQueuePair(int64_t now, const QueuePairConfig& config)
{
    NS_ABORT_MSG_IF(config.sourceNic >= m_context.nics.size() ||
                        !m_context.nics[config.sourceNic] ||
                        config.destinationNic >= m_context.nics.size() ||
                        !m_context.nics[config.destinationNic],
                    "a queue pair needs two NICs");
    NS_ABORT_MSG_IF(config.priority >= m_context.fabric->GetQueueCount(),
                    "a queue pair of priority " << +config.priority << ": there are "
                                                << m_context.fabric->GetQueueCount());
    NS_ABORT_MSG_IF(config.job != NO_ID && config.job >= UINT16_MAX,
                    "a frame names its job with 16 bits: " << config.job << " is too large");
    const uint32_t id = m_context.queuePairs.Create();
    QueuePair& queuePair = *m_context.queuePairs[id];
    const RoceNic& source = *m_context.nics[config.sourceNic];
    const RoceNic& destination = *m_context.nics[config.destinationNic];
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
    NS_ABORT_MSG_IF(!m_context.fabric->IsReachable(config.sourceNic, config.destinationNic),
                    "no path from "
                        << m_context.fabric->GetTopology().GetPortName(config.sourceNic) << " to "
                        << m_context.fabric->GetTopology().GetPortName(config.destinationNic));
    queuePair.selective = source.IsSelective();
    queuePair.baseTimeout =
        queuePair.selective ? source.GetIrnTimeoutLow() : source.GetRetransmissionTimeout();
    queuePair.timeout = queuePair.baseTimeout;
    if (source.GetPostDelay() + source.GetCompletionDelay() + destination.GetPostDelay() +
            destination.GetCompletionDelay() >
        0)
    {
        queuePair.delays = std::make_unique<RdmaDelays>();
    }
    const CongestionFeedback feedback = source.GetCongestionControl()->GetFeedback();
    queuePair.ackInterval = feedback.ackInterval != 0
                                ? std::min(feedback.ackInterval, destination.GetAckInterval())
                                : destination.GetAckInterval();
    queuePair.cnpInterval = feedback.kinds & FEEDBACK_CNP ? feedback.cnpIntervalPs : -1;
    queuePair.feedback = feedback.kinds & CongestionFeedback::IN_ACKS;
    queuePair.rateAtCnp = source.GetCongestionControl()->IsIdleUntilCnp();
    queuePair.tracksSends =
        queuePair.feedback != 0 || (queuePair.selective && source.GetIrnWindow() > 0);
    if (queuePair.feedback != 0)
    {
        // The window is needed with the first frame.
        m_context.GetRate(queuePair);
    }
    m_context.UpdateWindow(now, queuePair);
    if (config.job != NO_ID && config.job >= m_context.jobs.size())
    {
        m_context.jobs.resize(config.job + 1);
    }
    m_context.lane->Reserve(m_context.laneClass, id + 1);
    if (!m_context.traces.queuePair.IsEmpty())
    {
        m_context.traces.queuePair({id,
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
RoceEndpoint::DestroyQueuePair(int64_t now, uint32_t id)
{
    QueuePair& queuePair = *m_context.queuePairs[id];
    NS_ABORT_MSG_IF(!queuePair.failed && !queuePair.messages.IsEmpty(),
                    "a queue pair is destroyed with messages outstanding");
    NS_ABORT_MSG_IF(
        !queuePair.failed && queuePair.delays &&
            !(queuePair.delays->completions.empty() && queuePair.delays->deliveries.empty()),
        "a queue pair is destroyed before its client is notified of all messages");
    EmitUnfinished(now, id, queuePair);
    if (queuePair.place != ArbiterPlace::IDLE)
    {
        // It has failed, or the frames to retransmit have been acknowledged in the meantime.
        m_context.arbiters[queuePair.sourceNic]->Remove(id, m_context.queuePairs);
    }
    m_context.lane->Cancel(m_context.TimeoutKey(id));
    m_context.lane->Cancel(m_context.CnpKey(id));
    m_context.lane->Cancel(m_context.DeliveryKey(id));
    m_context.lane->Cancel(m_context.DelayKey(id));
    m_context.totals.undeliveredBytes += queuePair.GetUndeliveredBytes();
    m_context.totals.unackedBytes += queuePair.GetUnacknowledgedBytes();
    m_context.queuePairs.Destroy(id);
}

void
RoceEndpoint::EmitUnfinished(int64_t now, uint32_t id, const QueuePair& queuePair) const
{
    if (m_finished || m_context.traces.unfinished.IsEmpty())
    {
        return;
    }
    if (queuePair.delays)
    {
        for (const RdmaDelays::Completion& completion : queuePair.delays->completions)
        {
            TransferRecord record = completion.record;
            record.completedPs = 0;
            record.deliveredPs = record.deliveredPs <= now ? record.deliveredPs : 0;
            m_context.traces.unfinished(record);
        }
    }
    queuePair.messages.ForEach([&](const RdmaMessage& message) {
        m_context.traces.unfinished(queuePair.DescribeUnfinished(id, message, now));
    });
}

void
RoceEndpoint::FinishTransfers(int64_t now)
{
    for (uint32_t id = 0; id < m_context.queuePairs.GetCount(); ++id)
    {
        if (const QueuePair* queuePair = m_context.queuePairs.Find(id))
        {
            EmitUnfinished(now, id, *queuePair);
        }
    }
    m_finished = true;
}

void
RoceEndpoint::Post(int64_t now,
                   uint32_t id,
                   uint64_t bytes,
                   const MessageTag& tag,
                   RdmaOperation operation)
{
    NS_ABORT_MSG_IF(bytes == 0, "a message has at least one byte");
    QueuePair& queuePair = *m_context.queuePairs[id];
    bool isRead = operation == RdmaOperation::READ;
    if (isRead && queuePair.posted == 0)
    {
        const RoceNic& requester = *m_context.nics[queuePair.destinationNic];
        queuePair.read = std::make_unique<ReadState>();
        queuePair.isRead = true;
        // The requester tracks what is outstanding; the responder sends whatever is requested.
        if (queuePair.feedback == 0)
        {
            // Responses are not acknowledged, so no window holds them back.
            queuePair.unacked = UINT64_MAX;
            queuePair.window = UINT64_MAX;
            queuePair.tracksSends = false;
        }
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
    ++m_context.totals.postedMessages;
    m_context.totals.postedBytes += bytes;
    if (isRead)
    {
        queuePair.read->end = message.endFrame;
    }
    if (!m_context.traces.posted.IsEmpty())
    {
        m_context.traces.posted(queuePair.DescribeMessage(id, message, now));
    }
    if (queuePair.delays)
    {
        m_completions.ScheduleDelays(id, queuePair);
        return;
    }
    Start(now, id, queuePair, message);
}

void
RoceEndpoint::Start(int64_t now, uint32_t id, QueuePair& queuePair, const RdmaMessage& message)
{
    if (queuePair.read)
    {
        queuePair.read->started = message.number + 1;
        m_reader.Request(now, id, queuePair);
        return;
    }
    queuePair.end = message.endFrame;
    m_context.Activate(now, id, queuePair);
}

uint32_t
RoceEndpoint::NextFrame(int64_t now, uint32_t port, uint32_t allowed, int64_t& retryAt)
{
    NicArbiter* arbiter = m_context.arbiters[port].get();
    if (!arbiter)
    {
        return NO_FRAME;
    }
    uint32_t id;
    do
    {
        id = arbiter->Take(now, allowed, m_context.queuePairs);
        if (id == UINT32_MAX)
        {
            retryAt = arbiter->GetNextTime();
            return NO_FRAME;
        }
        // A queue pair that has failed, or whose frames were acknowledged in the meantime, has
        // nothing to send.
    } while (!m_context.queuePairs[id]->HasFrames());

    QueuePair& queuePair = *m_context.queuePairs[id];
    uint32_t index = m_context.frames->Allocate();
    Frame& frame = (*m_context.frames)[index];
    if (queuePair.isRead)
    {
        m_reader.BuildResponse(now, id, queuePair, index);
    }
    else
    {
        m_requester.BuildData(now, id, queuePair, index);
    }
    queuePair.nextTime = now;
    if (queuePair.rate || !queuePair.rateAtCnp)
    {
        const double rate =
            m_context.GetRate(queuePair).OnSend({now, frame.wireBytes, frame.payload});
        if (rate != RateController::UNPACED)
        {
            queuePair.nextTime += RateController::GetGap(rate, frame.wireBytes);
        }
        if (!m_context.traces.rate.IsEmpty())
        {
            m_context.EmitCongestion(now, id, queuePair, m_context.traces.rate);
        }
    }
    if (m_pathChange.IsDueWhenSent(queuePair))
    {
        TakeChange(now, id, queuePair);
    }
    else if (queuePair.HasFrames())
    {
        arbiter->Add(now, id, m_context.queuePairs);
    }
    return index;
}

uint32_t
RoceEndpoint::GetReadyPriorities(int64_t now, uint32_t port)
{
    NicArbiter* arbiter = m_context.arbiters[port].get();
    return arbiter ? arbiter->GetReady(now, m_context.queuePairs) : 0;
}

inline void
RoceEndpoint::ReceiveAck(int64_t now,
                         uint32_t id,
                         QueuePair& queuePair,
                         const Frame& frame,
                         const FrameSide* side)
{
    if (!queuePair.isRead)
    {
        m_requester.ReceiveAck(now, id, queuePair, frame, side);
    }
    else if (frame.kind == FrameKind::NAK)
    {
        m_reader.ReceiveNak(now, id, queuePair, frame.psn);
    }
    else
    {
        m_reader.ReceiveAck(now, id, queuePair, frame, side);
    }
}

void
RoceEndpoint::ReceiveFrame(int64_t now, uint32_t /* port */, uint32_t index)
{
    Frame& frame = (*m_context.frames)[index];
    uint32_t id = frame.queuePair;
    QueuePair* place = m_context.queuePairs.GetPlace(id);
    // Each side reads its own cache line.
    if (!place ||
        (frame.kind == FrameKind::DATA ? place->life != QueuePairLife::OPEN : place->failed))
    {
        Discard(place, index);
        return;
    }
    QueuePair& queuePair = *place;
    if (frame.kind == FrameKind::DATA)
    {
        if (frame.flags & FRAME_READ)
        {
            m_reader.ReceiveResponse(now, id, queuePair, index);
            return;
        }
        m_responder.Receive(now, id, queuePair, index);
        return;
    }
    // A side is part of what is distinguished here, so that the many without one pay no branch.
    constexpr uint32_t WITH_SIDE = 8;
    switch (static_cast<uint32_t>(frame.kind) + WITH_SIDE * (frame.side != NO_SIDE))
    {
    case static_cast<uint32_t>(FrameKind::ACK):
    case static_cast<uint32_t>(FrameKind::NAK): {
        ++m_context.totals.controlFrames;
        // The copy outlives the frame: the code that follows may post, and thus allocate.
        const Frame copy = frame;
        m_context.frames->FreeWithoutSide(index);
        ReceiveAck(now, id, queuePair, copy, nullptr);
        return;
    }
    case static_cast<uint32_t>(FrameKind::READ_REQUEST):
        m_reader.ReceiveRequest(now, id, queuePair, index);
        return;
    case static_cast<uint32_t>(FrameKind::CNP):
        ++m_context.totals.controlFrames;
        m_context.frames->Free(index);
        m_requester.ReceiveCnp(now, id, queuePair);
        return;
    default:
        // The side is read where it is, so that the frame is freed afterwards.
        ++m_context.totals.controlFrames;
        const Frame copy = frame;
        ReceiveAck(now, id, queuePair, copy, m_context.frames->FindSide(index));
        m_context.frames->Free(index);
    }
}

void
RoceEndpoint::Discard(const QueuePair* queuePair, uint32_t index)
{
    if (queuePair && queuePair->life != QueuePairLife::NONE)
    {
        const bool isData = (*m_context.frames)[index].kind == FrameKind::DATA;
        ++(isData ? m_context.totals.discardedFrames : m_context.totals.controlFrames);
    }
    m_context.frames->Free(index);
}

void
RoceEndpoint::Apply(int64_t now,
                    uint32_t id,
                    uint16_t udpSourcePort,
                    uint8_t priority,
                    uint32_t decision)
{
    NS_ABORT_MSG_IF(priority >= m_context.fabric->GetQueueCount(),
                    "priority " << +priority << ": there are "
                                << m_context.fabric->GetQueueCount());
    QueuePair& queuePair = *m_context.queuePairs[id];
    if (m_pathChange.Ask(queuePair, udpSourcePort, priority, decision))
    {
        TakeChange(now, id, queuePair);
    }
}

void
RoceEndpoint::TakeChange(int64_t now, uint32_t id, QueuePair& queuePair)
{
    m_pathChange.TakeEffect(now, id, queuePair);
    if (queuePair.read)
    {
        m_reader.Request(now, id, queuePair);
    }
    m_context.Activate(now, id, queuePair);
}

void
RoceEndpoint::HandleDelays(int64_t now, uint32_t id, QueuePair& queuePair)
{
    if (!m_completions.NotifyDue(now, id, queuePair))
    {
        return;
    }
    while (const RdmaMessage* message = m_completions.TakeDueStart(now, queuePair))
    {
        Start(now, id, queuePair, *message);
    }
    m_completions.ScheduleDelays(id, queuePair);
}

void
RoceEndpoint::PrefetchQueuePair(uint32_t id, QueuePairUse use, uint32_t stage) const
{
    QueuePairPrefetch::FetchQueuePair(m_context.queuePairs.GetPlace(id), use, stage);
}

void
RoceEndpoint::PrefetchPort(uint32_t port, uint32_t stage) const
{
    if (port < m_context.arbiters.size())
    {
        QueuePairPrefetch::FetchArbiter(m_context.arbiters[port], stage);
    }
}

uint32_t
RoceEndpoint::GetNextQueuePair(uint32_t port, uint32_t& priority) const
{
    if (port >= m_context.arbiters.size() || !m_context.arbiters[port])
    {
        return UINT32_MAX;
    }
    return QueuePairPrefetch::FindNext(*m_context.arbiters[port], m_context.queuePairs, priority);
}

void
RoceEndpoint::HandleLaneEvent(int64_t now, uint32_t entity, uint32_t kind)
{
    QueuePair& queuePair = *m_context.queuePairs[entity];
    switch (kind)
    {
    case TransportContext::TIMEOUT_KIND:
        if (queuePair.read)
        {
            m_reader.HandleTimeout(now, entity, queuePair);
            return;
        }
        m_requester.HandleTimeout(now, entity, queuePair);
        return;
    case TransportContext::DELAY_KIND:
        HandleDelays(now, entity, queuePair);
        return;
    case TransportContext::DELIVERY_KIND:
        m_responder.HandleDeliveries(now, entity, queuePair);
        return;
    default:
        m_responder.EndCnpInterval(now, entity, queuePair);
    }
}

uint32_t
RoceEndpoint::GetLaneContext(uint32_t entity, uint32_t kind) const
{
    const QueuePair* queuePair = m_context.queuePairs.Find(entity);
    if (!queuePair)
    {
        // The client destroyed it when notified of its failure.
        return LaneHandler::GetLaneContext(entity, kind);
    }
    bool atRequester =
        kind == TransportContext::TIMEOUT_KIND || kind == TransportContext::DELAY_KIND;
    return m_context.fabric->GetPortContext(
        atRequester && !queuePair->read ? queuePair->sourceNic : queuePair->destinationNic);
}

} // namespace ns3
