/* SPDX-License-Identifier: GPL-2.0-only */
#include "roce-requester.h"

#include "psn.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceRequester");

RoceRequester::RoceRequester(TransportContext& context,
                             RoceCompletions& completions,
                             RocePathChange& pathChange)
    : m_context(context),
      m_completions(completions),
      m_pathChange(pathChange)
{
}

void
RoceRequester::BuildData(int64_t now, uint32_t id, QueuePair& queuePair, uint32_t index)
{
    Frame& frame = (*m_context.frames)[index];
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

    m_context.totals.sentBytes += payload;
    bool fresh = number == queuePair.sent;
    if (!fresh)
    {
        queuePair.messages.Get(queuePair.currentMessage).retransmittedBytes += payload;
        m_context.totals.retransmittedBytes += payload;
        if (queuePair.job != NO_ID)
        {
            m_context.jobs[queuePair.job].retransmittedBytes += payload;
        }
    }
    else
    {
        queuePair.sent = number + 1;
    }
    if (number == queuePair.unacked)
    {
        queuePair.deadline = now + queuePair.timeout;
        // Time spent waiting in the NIC does not count as a failed attempt.
        queuePair.lastProgress +=
            now - (fresh ? queuePair.lastProgress
                         : std::max(queuePair.lastProgress, queuePair.waitingSince));
        if (!queuePair.timerArmed)
        {
            queuePair.timerArmed = true;
            m_context.lane->Schedule(queuePair.deadline, m_context.TimeoutKey(id));
        }
    }
    queuePair.next = number + 1;
    if (last)
    {
        ++queuePair.currentMessage;
    }
    if (queuePair.tracksSends)
    {
        TrackSend(now, queuePair, index, number, fresh);
    }
}

void
RoceRequester::TrackSend(int64_t now,
                         QueuePair& queuePair,
                         uint32_t index,
                         uint64_t number,
                         bool fresh)
{
    m_context.AddFeedback(now, queuePair, index);
    bool asks = number + 1 - queuePair.unacked >= queuePair.window;
    if (queuePair.reorderGuard)
    {
        // Few frames are in flight: none may wait for the receiver's next regular acknowledgement.
        asks |= queuePair.reorderGuard->IsReordering();
    }
    else if (queuePair.selectiveRepeat && !fresh)
    {
        asks = true;
        queuePair.selectiveRepeat->OnResend(number);
        SetNextFrame(queuePair);
    }
    (*m_context.frames)[index].flags |= asks ? FRAME_ACK_REQUEST : 0;
}

void
RoceRequester::ReceiveAck(int64_t now,
                          uint32_t id,
                          QueuePair& queuePair,
                          const Frame& frame,
                          const FrameSide* side)
{
    bool nak = frame.kind == FrameKind::NAK;
    // An ACK names the last frame received in order, a NAK the one that is missing.
    uint64_t acked = ExpandPsn(frame.psn, queuePair.unacked) + (nak ? 0 : 1);
    if (queuePair.failed || acked < queuePair.unacked)
    {
        return;
    }
    NS_ASSERT(acked <= queuePair.sent);
    if (acked > queuePair.unacked && !Progress(now, id, queuePair, acked, frame, side))
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
        queuePair.reorderGuard = std::make_unique<ReorderGuard>(
            m_context.GetRoundTrip(queuePair, queuePair.framing->GetAckWireBytes()));
        queuePair.tracksSends = true;
    }
    ReorderGuard& guard = *queuePair.reorderGuard;
    bool known = guard.IsReordering();
    if (guard.OnNak(now, queuePair.unacked, queuePair.next - queuePair.unacked))
    {
        GoBack(now, id, queuePair);
        return;
    }
    m_context.UpdateWindow(now, queuePair);
    if (!known)
    {
        m_context.ReportReordering(now, id, queuePair);
    }
    // Deferred: the timer of the oldest frame checks again.
    queuePair.deadline = std::min(queuePair.deadline, guard.GetDeferredTime());
    queuePair.timerArmed = true;
    m_context.lane->Reschedule(queuePair.deadline, m_context.TimeoutKey(id));
}

void
RoceRequester::ReceiveCnp(int64_t now, uint32_t id, QueuePair& queuePair)
{
    RateController& rate = m_context.GetRate(queuePair);
    rate.OnCnp(now);
    if (!m_context.traces.cnp.IsEmpty())
    {
        m_context.EmitCongestion(now, id, queuePair, m_context.traces.cnp);
    }
    if (!m_context.traces.rate.IsEmpty())
    {
        m_context.EmitCongestion(now, id, queuePair, m_context.traces.rate);
    }
}

void
RoceRequester::GoBack(int64_t now, uint32_t id, QueuePair& queuePair)
{
    if (queuePair.reorderGuard->IsReordering())
    {
        m_context.UpdateWindow(now, queuePair);
    }
    m_context.EmitEvent(now, "nak", id, queuePair);
    m_context.NotifyLoss(now, id, queuePair);
    Rewind(now, id, queuePair);
}

void
RoceRequester::ReceiveSelectiveNak(int64_t now, uint32_t id, QueuePair& queuePair, uint64_t arrived)
{
    EnsureSelectiveRepeat(queuePair);
    bool waiting = queuePair.next == queuePair.unacked;
    if (queuePair.selectiveRepeat->OnNak(queuePair.unacked, queuePair.sent, arrived))
    {
        m_context.EmitEvent(now, "nak", id, queuePair);
        m_context.NotifyLoss(now, id, queuePair);
    }
    SetNextFrame(queuePair);
    queuePair.waitingSince = waiting ? queuePair.waitingSince : now;
    m_context.Activate(now, id, queuePair);
}

void
RoceRequester::EnsureSelectiveRepeat(QueuePair& queuePair)
{
    if (!queuePair.selectiveRepeat)
    {
        queuePair.selectiveRepeat = std::make_unique<SelectiveRepeat>(
            m_context.nics[queuePair.sourceNic]->GetIrnLossDistance());
        queuePair.tracksSends = true;
    }
}

void
RoceRequester::SetNextFrame(QueuePair& queuePair)
{
    queuePair.next = queuePair.selectiveRepeat->GetNext(queuePair.unacked, queuePair.sent);
    queuePair.currentMessage =
        queuePair.messages.IsEmpty() ? queuePair.posted : queuePair.messages.Find(queuePair.next);
}

bool
RoceRequester::Progress(int64_t now,
                        uint32_t id,
                        QueuePair& queuePair,
                        uint64_t acked,
                        const Frame& frame,
                        const FrameSide* side)
{
    uint64_t frames = acked - queuePair.unacked;
    bool behind = queuePair.next < acked;
    int64_t timeout = queuePair.baseTimeout;
    if (queuePair.reorderGuard && queuePair.reorderGuard->IsReordering())
    {
        queuePair.reorderGuard->OnProgress(frames);
        m_context.UpdateWindow(now, queuePair);
    }
    queuePair.unacked = acked;
    queuePair.deadline = now + timeout;
    if (queuePair.timeout != timeout)
    {
        queuePair.timeout = timeout;
        if (queuePair.timerArmed)
        {
            // The event is set for a timeout that had been doubled.
            m_context.lane->Reschedule(queuePair.deadline, m_context.TimeoutKey(id));
        }
    }
    queuePair.lastProgress = now;
    queuePair.next = std::max(queuePair.next, acked);
    if (queuePair.rate)
    {
        m_context.NotifyAck(now, id, queuePair, frames, frame, side);
    }
    while (queuePair.oldestEnd <= acked)
    {
        RdmaMessage message = queuePair.messages.Front();
        queuePair.messages.Pop();
        queuePair.oldestEnd =
            queuePair.messages.IsEmpty() ? UINT64_MAX : queuePair.messages.Front().endFrame;
        queuePair.currentMessage = std::max(queuePair.currentMessage, message.number + 1);
        if (!m_completions.Complete(now, id, queuePair, message))
        {
            return false;
        }
    }
    if (queuePair.selectiveRepeat)
    {
        queuePair.selectiveRepeat->OnProgress(acked);
        SetNextFrame(queuePair);
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
        m_pathChange.TakeEffect(now, id, queuePair);
    }
    // The window may have been full.
    m_context.Activate(now, id, queuePair);
    return true;
}

void
RoceRequester::Rewind(int64_t now, uint32_t id, QueuePair& queuePair)
{
    NS_LOG_LOGIC(now << " ps: queue pair " << id << " goes back to frame " << queuePair.unacked);
    queuePair.next = queuePair.unacked;
    queuePair.waitingSince = now;
    queuePair.currentMessage = queuePair.messages.Front().number;
    m_context.Activate(now, id, queuePair);
}

void
RoceRequester::RepeatOldest(int64_t now, uint32_t id, QueuePair& queuePair)
{
    NS_LOG_LOGIC(now << " ps: queue pair " << id << " repeats frame " << queuePair.unacked);
    EnsureSelectiveRepeat(queuePair);
    queuePair.selectiveRepeat->OnTimeout(queuePair.unacked, queuePair.sent);
    SetNextFrame(queuePair);
    queuePair.waitingSince = now;
    m_context.Activate(now, id, queuePair);
}

int64_t
RoceRequester::GetHighTimeout(const QueuePair& queuePair) const
{
    const RoceNic& nic = *m_context.nics[queuePair.sourceNic];
    int64_t factor = queuePair.timeout / queuePair.baseTimeout;
    return std::min(factor * nic.GetIrnTimeoutHigh(), nic.GetMaxRetransmissionTimeout());
}

bool
RoceRequester::ExtendTimeout(int64_t now, QueuePair& queuePair) const
{
    const RoceNic& nic = *m_context.nics[queuePair.sourceNic];
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
        // Nothing is outstanding, or the oldest frame is waiting in the NIC: the next send arms it.
        return;
    }
    if (queuePair.reorderGuard && queuePair.reorderGuard->TakeDeferred(now, queuePair.unacked))
    {
        GoBack(now, id, queuePair);
        return;
    }
    if (now >= queuePair.deadline && !(queuePair.selective && ExtendTimeout(now, queuePair)))
    {
        if (m_context.fabric->GetPaused(now, queuePair.sourceNic) >> queuePair.priority & 1)
        {
            // Suspended: the network has paused the NIC. This RTO does not count.
            NS_LOG_LOGIC(now << " ps: queue pair " << id << " is paused, its timeout suspended");
            queuePair.lastProgress += queuePair.extended == queuePair.deadline
                                          ? GetHighTimeout(queuePair)
                                          : queuePair.timeout;
            queuePair.deadline = now + queuePair.timeout;
        }
        else if (now - queuePair.lastProgress >=
                 m_context.nics[queuePair.sourceNic]->GetRetryTimeout())
        {
            m_context.Fail(now, id, queuePair);
            return;
        }
        else
        {
            ++m_context.totals.timeouts;
            m_context.EmitEvent(now, "timeout", id, queuePair);
            queuePair.timeout =
                std::min(2 * queuePair.timeout,
                         m_context.nics[queuePair.sourceNic]->GetMaxRetransmissionTimeout());
            m_context.NotifyLoss(now, id, queuePair);
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
    m_context.lane->Schedule(queuePair.deadline, m_context.TimeoutKey(id));
}

} // namespace ns3
