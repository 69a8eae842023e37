/* SPDX-License-Identifier: GPL-2.0-only */
#include "roce-responder.h"

#include "psn.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceResponder");

RoceResponder::RoceResponder(TransportContext& context)
    : m_context(context)
{
}

void
RoceResponder::Receive(int64_t now, uint32_t id, QueuePair& queuePair, uint32_t index)
{
    const Frame& frame = (*m_context.frames)[index];
    uint64_t number = ExpandPsn(frame.psn, queuePair.expected);
    uint32_t payload = frame.payload;
    uint8_t flags = frame.flags;
    // One branch for all that most frames do not have.
    if (__builtin_expect(queuePair.feedback | frame.side | (flags & FRAME_CE), 0))
    {
        TakeSignals(now, id, queuePair, index);
    }
    else
    {
        m_context.frames->FreeWithoutSide(index);
    }
    if (number > queuePair.expected)
    {
        if (queuePair.selective)
        {
            ReceiveOutOfOrder(now, id, queuePair, number);
            return;
        }
        ++m_context.totals.discardedFrames;
        if (!queuePair.nakSent)
        {
            queuePair.nakSent = true;
            SendControl(now, id, queuePair, FrameKind::NAK, queuePair.expected);
        }
        return;
    }
    bool last = false;
    bool gap = false;
    if (number < queuePair.expected)
    {
        ++m_context.totals.duplicateFrames;
    }
    else
    {
        ++queuePair.expected;
        m_context.totals.deliveredBytes += payload;
        last = flags & FRAME_LAST;
        if (queuePair.nakSent)
        {
            queuePair.nakSent = false;
            gap = queuePair.selective;
            if (gap)
            {
                CloseGap(queuePair);
            }
        }
        if (!(flags & (FRAME_LAST | FRAME_ACK_REQUEST)) && !gap &&
            ++queuePair.sinceAck < queuePair.ackInterval)
        {
            return;
        }
    }
    queuePair.sinceAck = 0;
    SendControl(now, id, queuePair, FrameKind::ACK, queuePair.expected - 1);
    if (last)
    {
        Deliver(now, id, queuePair);
    }
    // Whole messages may have arrived behind the gap.
    while (gap && queuePair.delivered < queuePair.posted &&
           queuePair.messages.Get(queuePair.delivered).endFrame <= queuePair.expected)
    {
        Deliver(now, id, queuePair);
    }
}

void
RoceResponder::TakeSignals(int64_t now, uint32_t id, QueuePair& queuePair, uint32_t index)
{
    const bool congestion = (*m_context.frames)[index].flags & FRAME_CE;
    if (queuePair.feedback != 0)
    {
        KeepFeedback(index);
    }
    m_context.frames->Free(index);
    if (congestion)
    {
        OnCongestionExperienced(now, id, queuePair);
    }
}

void
RoceResponder::KeepFeedback(uint32_t frame)
{
    const FrameSide* side = m_context.frames->FindSide(frame);
    m_hasKept = side != nullptr;
    if (side)
    {
        m_kept = *side;
    }
}

void
RoceResponder::ReturnFeedback(QueuePair& queuePair, uint32_t index)
{
    if (queuePair.marks & MARK_UNECHOED)
    {
        queuePair.marks &= ~MARK_UNECHOED;
        (*m_context.frames)[index].flags |= FRAME_ECN_ECHO;
    }
    if (m_hasKept)
    {
        FrameSide& side = m_context.frames->AttachSide(index);
        side = m_kept;
        side.flags = 0; // they concern the direction of the data only
        m_hasKept = false;
    }
}

void
RoceResponder::AcknowledgeResponse(int64_t now, uint32_t id, QueuePair& queuePair, uint8_t flags)
{
    if (!(flags & (FRAME_LAST | FRAME_ACK_REQUEST)) && ++queuePair.sinceAck < queuePair.ackInterval)
    {
        return;
    }
    queuePair.sinceAck = 0;
    SendControl(now, id, queuePair, FrameKind::ACK, queuePair.expected - 1);
}

void
RoceResponder::Deliver(int64_t now, uint32_t id, QueuePair& queuePair)
{
    RdmaMessage& message = queuePair.messages.Get(queuePair.delivered++);
    message.deliveredPs = now;
    if (!m_context.traces.delivered.IsEmpty())
    {
        m_context.traces.delivered(queuePair.DescribeMessage(id, message, now));
    }
    if (queuePair.delays)
    {
        int64_t reported = now + m_context.nics[queuePair.destinationNic]->GetCompletionDelay();
        message.deliveredPs = reported;
        queuePair.delays->deliveries.push_back({reported, message.tag});
        if (!m_context.lane->IsPending(m_context.DeliveryKey(id)))
        {
            m_context.lane->Schedule(reported, m_context.DeliveryKey(id));
        }
        return;
    }
    if (queuePair.client)
    {
        MessageTag tag = message.tag;
        queuePair.client->MessageDelivered(now, id, tag);
    }
}

void
RoceResponder::HandleDeliveries(int64_t now, uint32_t id, QueuePair& queuePair)
{
    std::deque<RdmaDelays::Delivery>& deliveries = queuePair.delays->deliveries;
    while (!deliveries.empty() && deliveries.front().timePs <= now)
    {
        MessageTag tag = deliveries.front().tag;
        deliveries.pop_front();
        if (queuePair.client)
        {
            queuePair.client->MessageDelivered(now, id, tag);
        }
    }
    if (!deliveries.empty() && !m_context.lane->IsPending(m_context.DeliveryKey(id)))
    {
        m_context.lane->Schedule(deliveries.front().timePs, m_context.DeliveryKey(id));
    }
}

void
RoceResponder::ReceiveOutOfOrder(int64_t now, uint32_t id, QueuePair& queuePair, uint64_t number)
{
    if (!queuePair.arrived)
    {
        queuePair.arrived = std::make_unique<FrameBitmap>();
    }
    queuePair.arrived->Advance(queuePair.expected);
    if (queuePair.arrived->Set(number))
    {
        ++m_context.totals.outOfOrderFrames;
    }
    else
    {
        ++m_context.totals.duplicateFrames;
    }
    queuePair.nakSent = true;
    SendControl(now, id, queuePair, FrameKind::NAK, queuePair.expected, number);
}

void
RoceResponder::CloseGap(QueuePair& queuePair)
{
    FrameBitmap& arrived = *queuePair.arrived;
    arrived.Advance(queuePair.expected);
    uint64_t end = arrived.FindClear(queuePair.expected);
    for (uint64_t number = queuePair.delivered; queuePair.expected < end; ++number)
    {
        const RdmaMessage& message = queuePair.messages.Get(number);
        uint64_t stop = std::min(end, message.endFrame);
        if (stop <= queuePair.expected)
        {
            continue;
        }
        m_context.totals.deliveredBytes +=
            message.GetBytesUpTo(stop, queuePair.framing->mtu) -
            message.GetBytesUpTo(queuePair.expected, queuePair.framing->mtu);
        queuePair.expected = stop;
    }
    arrived.Advance(end);
    queuePair.nakSent = !arrived.IsEmpty();
}

void
RoceResponder::SendControl(int64_t now,
                           uint32_t id,
                           QueuePair& queuePair,
                           FrameKind kind,
                           uint64_t number,
                           uint64_t arrived)
{
    uint32_t index = m_context.frames->Allocate();
    Frame& frame = (*m_context.frames)[index];
    const RoceFraming& framing = *queuePair.reverseFraming;
    frame.kind = kind;
    frame.flowHash = queuePair.reverseHash;
    frame.source = queuePair.reverseSource;
    frame.destination = queuePair.reverseDestination;
    frame.queuePair = id;
    frame.psn = static_cast<uint32_t>(number) & PSN_MASK;
    frame.payload = static_cast<uint32_t>(arrived) & PSN_MASK;
    frame.wireBytes =
        kind == FrameKind::CNP ? framing.GetCnpWireBytes() : framing.GetAckWireBytes();
    frame.job = queuePair.reverseJob;
    frame.udpSourcePort = queuePair.reverseUdpPort;
    frame.priority =
        static_cast<uint8_t>(kind == FrameKind::CNP ? m_context.fabric->GetCnpPriority()
                                                    : m_context.fabric->GetControlPriority());
    frame.flags = 0;
    // One branch for all but a plain acknowledgement.
    if (__builtin_expect((static_cast<uint8_t>(kind) ^ static_cast<uint8_t>(FrameKind::ACK)) |
                             queuePair.feedback,
                         0))
    {
        CompleteControl(now, id, queuePair, index);
    }
    else
    {
        ++m_context.totals.acks;
    }
    m_context.fabric->SendControl(now, queuePair.reverseSource, index);
}

void
RoceResponder::CompleteControl(int64_t now, uint32_t id, QueuePair& queuePair, uint32_t index)
{
    const Frame& frame = (*m_context.frames)[index];
    switch (frame.kind)
    {
    case FrameKind::CNP:
        NS_LOG_LOGIC(now << " ps: queue pair " << id << " is sent a CNP");
        ++m_context.totals.cnps;
        return; // carries no feedback
    case FrameKind::NAK:
        NS_LOG_LOGIC(now << " ps: queue pair " << id << " lacks the frame of PSN " << frame.psn);
        ++m_context.totals.naks;
        break;
    default:
        ++m_context.totals.acks;
    }
    if (queuePair.feedback != 0)
    {
        ReturnFeedback(queuePair, index);
    }
}

void
RoceResponder::OnCongestionExperienced(int64_t now, uint32_t id, QueuePair& queuePair)
{
    if (queuePair.reverseJob != 0)
    {
        ++m_context.jobs[queuePair.reverseJob - 1].markedFrames;
    }
    queuePair.marks |= queuePair.feedback & FEEDBACK_ECN_ECHO ? MARK_UNECHOED : 0;
    if (queuePair.cnpInterval < 0)
    {
        return;
    }
    if (now >= queuePair.nextCnp)
    {
        queuePair.nextCnp = now + queuePair.cnpInterval;
        queuePair.marks &= ~MARK_SEEN;
        SendControl(now, id, queuePair, FrameKind::CNP, 0);
        return;
    }
    queuePair.marks |= MARK_SEEN;
    if (!m_context.lane->IsPending(m_context.CnpKey(id)))
    {
        m_context.lane->Schedule(queuePair.nextCnp, m_context.CnpKey(id));
    }
}

void
RoceResponder::EndCnpInterval(int64_t now, uint32_t id, QueuePair& queuePair)
{
    if (queuePair.marks & MARK_SEEN)
    {
        queuePair.marks &= ~MARK_SEEN;
        queuePair.nextCnp = now + queuePair.cnpInterval;
        SendControl(now, id, queuePair, FrameKind::CNP, 0);
    }
}

} // namespace ns3
