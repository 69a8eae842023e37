/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/roce-responder.h"

namespace ns3
{

void
RoceResponder::Build(Fabric* fabric,
                     EventLane* lane,
                     RdmaTotals* totals,
                     std::vector<JobRdmaCounters>* jobs)
{
    m_fabric = fabric;
    m_lane = lane;
    m_frames = &fabric->GetFrames();
    m_totals = totals;
    m_jobs = jobs;
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
        ++m_totals->discardedFrames;
        if (!queuePair.nakSent)
        {
            queuePair.nakSent = true;
            SendControl(now,
                        id,
                        queuePair,
                        FrameKind::NAK,
                        static_cast<uint32_t>(queuePair.expected));
        }
        return;
    }
    bool last = false;
    if (number < queuePair.expected)
    {
        ++m_totals->duplicateFrames;
    }
    else
    {
        queuePair.nakSent = false;
        ++queuePair.expected;
        m_totals->deliveredBytes += payload;
        last = flags & FRAME_LAST;
        if (!last && ++queuePair.sinceAck < queuePair.ackInterval)
        {
            return;
        }
    }
    queuePair.sinceAck = 0;
    SendControl(now, id, queuePair, FrameKind::ACK, static_cast<uint32_t>(queuePair.expected - 1));
    if (last)
    {
        RdmaMessage& message = queuePair.messages.Get(queuePair.delivered++);
        message.deliveredPs = now;
        if (queuePair.client)
        {
            MessageTag tag = message.tag;
            queuePair.client->MessageDelivered(now, id, tag);
        }
    }
}

void
RoceResponder::SendControl(int64_t now,
                           uint32_t id,
                           QueuePair& queuePair,
                           FrameKind kind,
                           uint32_t psn)
{
    uint32_t index = m_frames->Allocate();
    Frame& frame = (*m_frames)[index];
    const RoceFraming& framing = queuePair.framing;
    frame.kind = kind;
    frame.flowHash = queuePair.reverseHash;
    frame.source = queuePair.destinationNic;
    frame.destination = queuePair.sourceNic;
    frame.queuePair = id;
    frame.psn = psn & PSN_MASK;
    frame.payload = 0;
    frame.wireBytes =
        kind == FrameKind::CNP ? framing.GetCnpWireBytes() : framing.GetAckWireBytes();
    frame.job = static_cast<uint16_t>(queuePair.job + 1);
    frame.udpSourcePort = queuePair.udpSourcePort;
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
    m_fabric->SendControl(now, queuePair.destinationNic, index);
}

void
RoceResponder::SeeCongestion(int64_t now, uint32_t id, QueuePair& queuePair)
{
    if (queuePair.job != NO_ID)
    {
        ++(*m_jobs)[queuePair.job].markedFrames;
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
