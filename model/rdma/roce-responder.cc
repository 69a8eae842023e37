/* SPDX-License-Identifier: GPL-2.0-only */
#include "roce-responder.h"

#include <algorithm>

namespace ns3
{

void
RoceResponder::Build(Fabric* fabric,
                     EventLane* lane,
                     RdmaTotals* totals,
                     std::vector<JobRdmaCounters>* jobs,
                     const std::vector<Ptr<RoceNic>>* nics)
{
    m_fabric = fabric;
    m_lane = lane;
    m_frames = &fabric->GetFrames();
    m_totals = totals;
    m_jobs = jobs;
    m_nics = nics;
}

void
RoceResponder::Receive(int64_t now, uint32_t id, QueuePair& queuePair, uint32_t index)
{
    const Frame& frame = (*m_frames)[index];
    uint64_t number = ExpandPsn(frame.psn, queuePair.expected);
    uint32_t payload = frame.payload;
    uint8_t flags = frame.flags;
    m_frames->Free(index);
    if (flags & FRAME_CE)
    {
        SeeCongestion(now, id, queuePair);
    }
    if (number > queuePair.expected)
    {
        if (queuePair.selective)
        {
            ReceiveOutOfOrder(now, id, queuePair, number);
            return;
        }
        ++m_totals->discardedFrames;
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
        ++m_totals->duplicateFrames;
    }
    else
    {
        ++queuePair.expected;
        m_totals->deliveredBytes += payload;
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
    // Behind a gap there may have been whole messages.
    while (gap && queuePair.delivered < queuePair.posted &&
           queuePair.messages.Get(queuePair.delivered).endFrame <= queuePair.expected)
    {
        Deliver(now, id, queuePair);
    }
}

void
RoceResponder::Deliver(int64_t now, uint32_t id, QueuePair& queuePair)
{
    RdmaMessage& message = queuePair.messages.Get(queuePair.delivered++);
    message.deliveredPs = now;
    if (queuePair.delays)
    {
        int64_t told = now + (*m_nics)[queuePair.destinationNic]->GetCompletionDelay();
        message.deliveredPs = told;
        queuePair.delays->deliveries.push_back({told, message.tag});
        if (!m_lane->IsPending(DeliveryKey(id)))
        {
            m_lane->Schedule(told, DeliveryKey(id));
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
    if (!deliveries.empty() && !m_lane->IsPending(DeliveryKey(id)))
    {
        m_lane->Schedule(deliveries.front().timePs, DeliveryKey(id));
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
        ++m_totals->outOfOrderFrames;
    }
    else
    {
        ++m_totals->duplicateFrames;
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
        m_totals->deliveredBytes +=
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
    uint32_t index = m_frames->Allocate();
    Frame& frame = (*m_frames)[index];
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
    frame.priority = static_cast<uint8_t>(m_fabric->GetControlPriority());
    frame.flags = 0;
    switch (kind)
    {
    case FrameKind::CNP:
        ++m_totals->cnps;
        break;
    case FrameKind::NAK:
        ++m_totals->naks;
        break;
    default:
        ++m_totals->acks;
    }
    m_fabric->SendControl(now, queuePair.reverseSource, index);
}

void
RoceResponder::SeeCongestion(int64_t now, uint32_t id, QueuePair& queuePair)
{
    if (queuePair.reverseJob != 0)
    {
        ++(*m_jobs)[queuePair.reverseJob - 1].markedFrames;
    }
    if (queuePair.cnpInterval < 0)
    {
        return;
    }
    if (now >= queuePair.nextCnp)
    {
        queuePair.nextCnp = now + queuePair.cnpInterval;
        queuePair.congestionSeen = false;
        SendControl(now, id, queuePair, FrameKind::CNP, 0);
        return;
    }
    queuePair.congestionSeen = true;
    if (!m_lane->IsPending(CnpKey(id)))
    {
        m_lane->Schedule(queuePair.nextCnp, CnpKey(id));
    }
}

void
RoceResponder::EndCnpInterval(int64_t now, uint32_t id, QueuePair& queuePair)
{
    if (queuePair.congestionSeen)
    {
        queuePair.congestionSeen = false;
        queuePair.nextCnp = now + queuePair.cnpInterval;
        SendControl(now, id, queuePair, FrameKind::CNP, 0);
    }
}

} // namespace ns3
