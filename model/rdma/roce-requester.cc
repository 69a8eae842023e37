/* SPDX-License-Identifier: GPL-2.0-only */
#include "roce-requester.h"

#include "ns3/roce-transport.h"

#include <algorithm>

namespace ns3
{

RoceRequester::RoceRequester(RoceTransport& transport)
    : m_transport(transport)
{
}

void
RoceRequester::Attend(QueuePair& queuePair, Frame& frame, uint64_t number, bool fresh)
{
    bool asks = number + 1 - queuePair.unacked >= queuePair.window;
    if (queuePair.reorderGuard)
    {
        // Few frames are in flight: none may wait for the receiver's next acknowledgement.
        asks |= queuePair.reorderGuard->IsReordering();
    }
    else if (!fresh)
    {
        asks = true;
        queuePair.selectiveRepeat->OnResend(number);
        Seek(queuePair);
    }
    frame.flags |= asks ? FRAME_ACK_REQUEST : 0;
}

void
RoceRequester::ReceiveAck(int64_t now, uint32_t id, QueuePair& queuePair, const Frame& frame)
{
    bool nak = frame.kind == FrameKind::NAK;
    // An ACK names the last frame received in order, a NAK the one that is missing.
    uint64_t acked = ExpandPsn(frame.psn, queuePair.unacked) + (nak ? 0 : 1);
    if (queuePair.failed || acked < queuePair.unacked)
    {
        return;
    }
    NS_ASSERT(acked <= queuePair.sent);
    if (acked > queuePair.unacked && !Progress(now, id, queuePair, acked))
    {
        return;
    }
    if (nak && queuePair.selective)
    {
        ReceiveSelectiveNak(now, id, queuePair, ExpandPsn(frame.payload, queuePair.unacked));
    }
    else if (nak && acked == queuePair.unacked && queuePair.next > acked)
    {
        ReceiveNak(now, id, queuePair);
    }
}

void
RoceRequester::ReceiveNak(int64_t now, uint32_t id, QueuePair& queuePair)
{
    if (!queuePair.reorderGuard)
    {
        queuePair.reorderGuard = std::make_unique<ReorderGuard>(GetRoundTrip(queuePair));
        queuePair.attention = true;
    }
    ReorderGuard& guard = *queuePair.reorderGuard;
    bool known = guard.IsReordering();
    if (guard.OnNak(now, queuePair.unacked, queuePair.next - queuePair.unacked))
    {
        GoBack(now, id, queuePair);
        return;
    }
    queuePair.window = std::min(guard.GetWindow(), QueuePair::MAX_OUTSTANDING);
    if (!known)
    {
        ReportReordering(now, id, queuePair);
    }
    // Put off: the timer that runs for the oldest frame asks again.
    queuePair.deadline = std::min(queuePair.deadline, guard.GetDeferredTime());
    queuePair.timerArmed = true;
    m_transport.m_lane->Reschedule(queuePair.deadline, RoceTransport::TimeoutKey(id));
}

void
RoceRequester::TellLoss(int64_t now, QueuePair& queuePair)
{
    if (queuePair.rate)
    {
        queuePair.rate->OnLoss(now);
    }
}

void
RoceRequester::GoBack(int64_t now, uint32_t id, QueuePair& queuePair)
{
    if (queuePair.reorderGuard->IsReordering())
    {
        queuePair.window =
            std::min(queuePair.reorderGuard->GetWindow(), QueuePair::MAX_OUTSTANDING);
    }
    m_transport.EmitEvent(now, "nak", id, queuePair);
    TellLoss(now, queuePair);
    Rewind(now, id, queuePair);
}

void
RoceRequester::ReceiveSelectiveNak(int64_t now, uint32_t id, QueuePair& queuePair, uint64_t arrived)
{
    Select(queuePair);
    bool waiting = queuePair.next == queuePair.unacked;
    if (queuePair.selectiveRepeat->OnNak(queuePair.unacked, queuePair.sent, arrived))
    {
        m_transport.EmitEvent(now, "nak", id, queuePair);
        TellLoss(now, queuePair);
    }
    Seek(queuePair);
    queuePair.waitingSince = waiting ? queuePair.waitingSince : now;
    m_transport.Activate(now, id, queuePair);
}

void
RoceRequester::Select(QueuePair& queuePair)
{
    if (!queuePair.selectiveRepeat)
    {
        queuePair.selectiveRepeat = std::make_unique<SelectiveRepeat>(
            m_transport.m_nics[queuePair.sourceNic]->GetIrnLossDistance());
        queuePair.attention = true;
    }
}

void
RoceRequester::Seek(QueuePair& queuePair)
{
    queuePair.next = queuePair.selectiveRepeat->GetNext(queuePair.unacked, queuePair.sent);
    queuePair.currentMessage =
        queuePair.messages.IsEmpty() ? queuePair.posted : queuePair.messages.Find(queuePair.next);
}

bool
RoceRequester::Progress(int64_t now, uint32_t id, QueuePair& queuePair, uint64_t acked)
{
    uint64_t frames = acked - queuePair.unacked;
    bool behind = queuePair.next < acked;
    int64_t timeout = queuePair.baseTimeout;
    if (queuePair.reorderGuard && queuePair.reorderGuard->IsReordering())
    {
        queuePair.reorderGuard->OnProgress(frames);
        queuePair.window =
            std::min(queuePair.reorderGuard->GetWindow(), QueuePair::MAX_OUTSTANDING);
    }
    queuePair.unacked = acked;
    queuePair.deadline = now + timeout;
    if (queuePair.timeout != timeout)
    {
        queuePair.timeout = timeout;
        if (queuePair.timerArmed)
        {
            // It is set for a time that had been doubled.
            m_transport.m_lane->Reschedule(queuePair.deadline, RoceTransport::TimeoutKey(id));
        }
    }
    queuePair.lastProgress = now;
    queuePair.next = std::max(queuePair.next, acked);
    if (queuePair.rate)
    {
        queuePair.rate->OnAck(now, frames * queuePair.framing->mtu);
    }
    while (queuePair.oldestEnd <= acked)
    {
        RdmaMessage message = queuePair.messages.Front();
        queuePair.messages.Pop();
        queuePair.oldestEnd =
            queuePair.messages.IsEmpty() ? UINT64_MAX : queuePair.messages.Front().endFrame;
        queuePair.currentMessage = std::max(queuePair.currentMessage, message.number + 1);
        if (!m_transport.m_completions.Complete(now, id, queuePair, message))
        {
            return false;
        }
    }
    if (queuePair.selectiveRepeat)
    {
        queuePair.selectiveRepeat->OnProgress(acked);
        Seek(queuePair);
    }
    else if (behind && !queuePair.messages.IsEmpty())
    {
        // After a rewind, frames may be acknowledged that have not been sent again.
        while (queuePair.currentMessage < queuePair.posted &&
               queuePair.messages.Get(queuePair.currentMessage).endFrame <= queuePair.next)
        {
            ++queuePair.currentMessage;
        }
    }
    if (queuePair.changePending && acked >= queuePair.limit)
    {
        m_transport.ApplyChange(now, id, queuePair);
    }
    // The window may have been full.
    m_transport.Activate(now, id, queuePair);
    return true;
}

void
RoceRequester::Rewind(int64_t now, uint32_t id, QueuePair& queuePair)
{
    queuePair.next = queuePair.unacked;
    queuePair.waitingSince = now;
    queuePair.currentMessage = queuePair.messages.Front().number;
    m_transport.Activate(now, id, queuePair);
}

void
RoceRequester::RepeatOldest(int64_t now, uint32_t id, QueuePair& queuePair)
{
    Select(queuePair);
    queuePair.selectiveRepeat->OnTimeout(queuePair.unacked, queuePair.sent);
    Seek(queuePair);
    queuePair.waitingSince = now;
    m_transport.Activate(now, id, queuePair);
}

int64_t
RoceRequester::GetHighTimeout(const QueuePair& queuePair) const
{
    const RoceNic& nic = *m_transport.m_nics[queuePair.sourceNic];
    int64_t factor = queuePair.timeout / queuePair.baseTimeout;
    return std::min(factor * nic.GetIrnTimeoutHigh(), nic.GetMaxRetransmissionTimeout());
}

bool
RoceRequester::ExtendTimeout(int64_t now, QueuePair& queuePair) const
{
    const RoceNic& nic = *m_transport.m_nics[queuePair.sourceNic];
    if (queuePair.sent - queuePair.unacked <= nic.GetIrnFewFrames() ||
        queuePair.extended == queuePair.deadline)
    {
        return false;
    }
    int64_t deadline = queuePair.deadline - queuePair.timeout + GetHighTimeout(queuePair);
    if (deadline <= now)
    {
        return false;
    }
    queuePair.deadline = deadline;
    queuePair.extended = deadline;
    return true;
}

void
RoceRequester::HandleTimeout(int64_t now, uint32_t id, QueuePair& queuePair)
{
    queuePair.timerArmed = false;
    if (queuePair.failed || queuePair.unacked == queuePair.next)
    {
        // Nothing is outstanding, or its oldest frame waits in the NIC: the next send arms it.
        return;
    }
    if (queuePair.reorderGuard && queuePair.reorderGuard->TakeDeferred(now, queuePair.unacked))
    {
        GoBack(now, id, queuePair);
        return;
    }
    if (now >= queuePair.deadline && !(queuePair.selective && ExtendTimeout(now, queuePair)))
    {
        if (m_transport.m_fabric->GetPaused(now, queuePair.sourceNic) >> queuePair.priority & 1)
        {
            // Held: the network has told the NIC to wait. This RTO counts for nothing.
            queuePair.lastProgress += queuePair.extended == queuePair.deadline
                                          ? GetHighTimeout(queuePair)
                                          : queuePair.timeout;
            queuePair.deadline = now + queuePair.timeout;
        }
        else if (now - queuePair.lastProgress >=
                 m_transport.m_nics[queuePair.sourceNic]->GetRetryTimeout())
        {
            m_transport.Fail(now, id, queuePair);
            return;
        }
        else
        {
            ++m_transport.m_totals.timeouts;
            m_transport.EmitEvent(now, "timeout", id, queuePair);
            queuePair.timeout =
                std::min(2 * queuePair.timeout,
                         m_transport.m_nics[queuePair.sourceNic]->GetMaxRetransmissionTimeout());
            TellLoss(now, queuePair);
            if (queuePair.selective)
            {
                RepeatOldest(now, id, queuePair);
                return;
            }
            Rewind(now, id, queuePair);
            return;
        }
    }
    queuePair.timerArmed = true;
    m_transport.m_lane->Schedule(queuePair.deadline, RoceTransport::TimeoutKey(id));
}

int64_t
RoceRequester::GetRoundTrip(const QueuePair& queuePair) const
{
    int64_t time = 0;
    for (uint32_t port :
         m_transport.m_fabric->GetRouting().GetPath(queuePair.sourceNic,
                                                    queuePair.destinationNic,
                                                    queuePair.flowHash,
                                                    m_transport.m_fabric->GetPathSelector()))
    {
        time += m_transport.m_fabric->GetTopology().GetPortDelay(port) +
                m_transport.m_fabric->GetWireTime(port, queuePair.framing->GetAckWireBytes());
    }
    return 2 * time;
}

void
RoceRequester::ReportReordering(int64_t now, uint32_t id, const QueuePair& queuePair)
{
    ++m_transport.m_totals.reorderings;
    m_transport.EmitEvent(
        now,
        "reordering",
        id,
        queuePair,
        "frames overtake each other, which go-back-n takes for loss: fewer are in flight");
}

} // namespace ns3
