/* SPDX-License-Identifier: GPL-2.0-only */
#include "roce-reader.h"

#include "psn.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceReader");

RoceReader::RoceReader(TransportContext& context,
                       RoceCompletions& completions,
                       RocePathChange& pathChange,
                       RoceResponder& responder)
    : m_context(context),
      m_completions(completions),
      m_pathChange(pathChange),
      m_responder(responder)
{
}

// --- requester ---

void
RoceReader::Request(int64_t now, uint32_t id, QueuePair& queuePair)
{
    ReadState& read = *queuePair.read;
    const RoceNic& nic = *m_context.nics[queuePair.destinationNic];
    bool idle = read.requested == queuePair.expected;
    while (!queuePair.failed && read.nextRequest < read.started &&
           read.nextRequest - queuePair.messages.Front().number < nic.GetReadDepth())
    {
        const RdmaMessage& message = queuePair.messages.Get(read.nextRequest);
        if (message.firstFrame >= queuePair.limit)
        {
            break;
        }
        ++read.nextRequest;
        read.requested = message.endFrame;
        SendRequest(now, id, queuePair, message);
    }
    if (idle && read.requested > queuePair.expected)
    {
        queuePair.deadline = now + queuePair.timeout;
        if (queuePair.timeout == queuePair.baseTimeout)
        {
            queuePair.lastProgress = now;
        }
        if (!queuePair.timerArmed)
        {
            queuePair.timerArmed = true;
            m_context.lane->Schedule(queuePair.deadline, m_context.TimeoutKey(id));
        }
    }
}

void
RoceReader::SendRequest(int64_t now, uint32_t id, QueuePair& queuePair, const RdmaMessage& message)
{
    uint64_t first = std::max(message.firstFrame, queuePair.expected);
    uint32_t index = m_context.frames->Allocate();
    Frame& frame = (*m_context.frames)[index];
    frame.kind = FrameKind::READ_REQUEST;
    frame.flowHash = queuePair.reverseHash;
    frame.source = queuePair.destinationNic;
    frame.destination = queuePair.sourceNic;
    frame.queuePair = id;
    frame.psn = static_cast<uint32_t>(first) & PSN_MASK;
    frame.payload =
        static_cast<uint32_t>(message.bytes - message.GetBytesUpTo(first, queuePair.framing->mtu));
    frame.wireBytes = queuePair.framing->GetReadRequestWireBytes();
    frame.job = queuePair.frameJob;
    frame.udpSourcePort = queuePair.udpSourcePort;
    frame.priority = queuePair.priority;
    frame.flags = 0;
    ++m_context.totals.readRequests;
    m_context.fabric->SendControl(now, queuePair.destinationNic, index);
}

void
RoceReader::RequestAgain(int64_t now, uint32_t id, QueuePair& queuePair)
{
    NS_LOG_LOGIC(now << " ps: queue pair " << id << " asks again from response "
                     << queuePair.expected);
    ReadState& read = *queuePair.read;
    read.askedAgain = now;
    read.nextRequest = queuePair.messages.Front().number;
    read.requested = queuePair.expected;
    Request(now, id, queuePair);
}

void
RoceReader::FindGap(int64_t now, uint32_t id, QueuePair& queuePair)
{
    ReadState& read = *queuePair.read;
    if (read.gapSeen)
    {
        return;
    }
    if (read.askedAgain != INT64_MIN &&
        now - read.askedAgain <
            m_context.GetRoundTrip(queuePair, queuePair.framing->GetAckWireBytes()))
    {
        // The missing responses have arrived after their successors: no answer is that quick.
        // Responses that arrive after a round trip will show whether anything is missing.
        if (!read.reordering)
        {
            read.reordering = true;
            m_context.ReportReordering(now, id, queuePair);
        }
        return;
    }
    read.gapSeen = true;
    m_context.EmitEvent(now, "gap", id, queuePair);
    RequestAgain(now, id, queuePair);
}

void
RoceReader::ReceiveResponse(int64_t now, uint32_t id, QueuePair& queuePair, uint32_t index)
{
    const Frame& frame = (*m_context.frames)[index];
    uint64_t number = ExpandPsn(frame.psn, queuePair.expected);
    uint32_t payload = frame.payload;
    uint8_t flags = frame.flags;
    if (queuePair.feedback != 0)
    {
        m_responder.KeepFeedback(index);
    }
    m_context.frames->Free(index);
    if (flags & FRAME_CE)
    {
        m_responder.OnCongestionExperienced(now, id, queuePair);
    }
    if (number != queuePair.expected)
    {
        if (number > queuePair.expected)
        {
            ++m_context.totals.discardedFrames;
            FindGap(now, id, queuePair);
        }
        else
        {
            ++m_context.totals.duplicateFrames;
        }
        return;
    }
    ReadState& read = *queuePair.read;
    read.gapSeen = false;
    ++queuePair.expected;
    m_context.totals.deliveredBytes += payload;
    if (queuePair.feedback != 0)
    {
        m_responder.AcknowledgeResponse(now, id, queuePair, flags);
    }
    queuePair.lastProgress = now;
    queuePair.deadline = now + queuePair.baseTimeout;
    if (queuePair.timeout != queuePair.baseTimeout)
    {
        queuePair.timeout = queuePair.baseTimeout;
        if (queuePair.timerArmed)
        {
            m_context.lane->Reschedule(queuePair.deadline, m_context.TimeoutKey(id));
        }
    }
    RdmaMessage message = queuePair.messages.Front();
    if (queuePair.expected < message.endFrame)
    {
        return;
    }
    queuePair.messages.Pop();
    ++queuePair.delivered;
    message.deliveredPs = now;
    if (!m_context.traces.delivered.IsEmpty())
    {
        m_context.traces.delivered(queuePair.DescribeMessage(id, message, now));
    }
    if (!m_completions.Complete(now, id, queuePair, message))
    {
        return;
    }
    if (queuePair.changePending && queuePair.expected >= queuePair.limit)
    {
        m_pathChange.TakeEffect(now, id, queuePair);
        Request(now, id, queuePair);
        m_context.Activate(now, id, queuePair);
        return;
    }
    Request(now, id, queuePair);
}

void
RoceReader::ReceiveNak(int64_t now, uint32_t id, QueuePair& queuePair, uint32_t psn)
{
    ReadState& read = *queuePair.read;
    uint64_t missing = ExpandPsn(psn, queuePair.expected);
    if (queuePair.failed || missing >= read.requested || missing < queuePair.expected)
    {
        return;
    }
    m_context.EmitEvent(now, "nak", id, queuePair);
    read.askedAgain = now;
    read.nextRequest = queuePair.messages.Find(missing);
    Request(now, id, queuePair);
}

void
RoceReader::HandleTimeout(int64_t now, uint32_t id, QueuePair& queuePair)
{
    queuePair.timerArmed = false;
    ReadState& read = *queuePair.read;
    if (queuePair.failed || read.requested == queuePair.expected)
    {
        return;
    }
    if (now >= queuePair.deadline)
    {
        Fabric& fabric = *m_context.fabric;
        uint32_t nic = queuePair.destinationNic;
        if ((fabric.GetPaused(now, nic) >> queuePair.priority & 1) ||
            fabric.GetQueueBytes(nic, queuePair.priority) > 0)
        {
            // Suspended: the request may still be in the NIC. This RTO does not count.
            queuePair.lastProgress += queuePair.timeout;
            queuePair.deadline = now + queuePair.timeout;
        }
        else if (now - queuePair.lastProgress >= m_context.nics[nic]->GetRetryTimeout())
        {
            m_context.Fail(now, id, queuePair);
            return;
        }
        else
        {
            ++m_context.totals.timeouts;
            m_context.EmitEvent(now, "timeout", id, queuePair);
            queuePair.timeout =
                std::min(2 * queuePair.timeout, m_context.nics[nic]->GetMaxRetransmissionTimeout());
            read.gapSeen = false;
            RequestAgain(now, id, queuePair);
            return;
        }
    }
    queuePair.timerArmed = true;
    m_context.lane->Schedule(queuePair.deadline, m_context.TimeoutKey(id));
}

// --- responder ---

void
RoceReader::ReceiveRequest(int64_t now, uint32_t id, QueuePair& queuePair, uint32_t index)
{
    const Frame& frame = (*m_context.frames)[index];
    ReadState& read = *queuePair.read;
    uint64_t first = ExpandPsn(frame.psn, queuePair.end);
    uint64_t bytes = frame.payload;
    m_context.frames->Free(index);
    ++m_context.totals.controlFrames;
    if (first > queuePair.end)
    {
        if (!read.nakSent)
        {
            read.nakSent = true;
            SendNak(now, id, queuePair);
        }
        return;
    }
    read.nakSent = false;
    if (first < queuePair.end)
    {
        // A repeated request: everything requested after it will be repeated, too.
        if (first < queuePair.next)
        {
            m_context.NotifyLoss(now, id, queuePair);
        }
        Withdraw(queuePair, first);
    }
    uint64_t frames = queuePair.framing->GetFrameCount(bytes);
    auto last = static_cast<uint32_t>(bytes - (frames - 1) * queuePair.framing->mtu);
    read.responses.push_back({first, first + frames, last});
    queuePair.end = first + frames;
    m_context.Activate(now, id, queuePair);
}

void
RoceReader::Withdraw(QueuePair& queuePair, uint64_t first)
{
    std::deque<ReadState::Responses>& responses = queuePair.read->responses;
    while (!responses.empty() && responses.back().first >= first)
    {
        responses.pop_back();
    }
    if (queuePair.next >= first)
    {
        responses.clear();
        queuePair.next = first;
        if (queuePair.feedback != 0)
        {
            queuePair.unacked = std::min(queuePair.unacked, first);
        }
    }
    else if (!responses.empty() && responses.back().end > first)
    {
        responses.back().end = first;
        responses.back().lastPayload = queuePair.framing->mtu;
    }
}

void
RoceReader::SendNak(int64_t now, uint32_t id, QueuePair& queuePair)
{
    uint32_t index = m_context.frames->Allocate();
    Frame& frame = (*m_context.frames)[index];
    frame.kind = FrameKind::NAK;
    frame.flowHash = queuePair.flowHash;
    frame.source = queuePair.sourceNic;
    frame.destination = queuePair.destinationNic;
    frame.queuePair = id;
    frame.psn = static_cast<uint32_t>(queuePair.end) & PSN_MASK;
    frame.payload = 0;
    frame.wireBytes = queuePair.framing->GetAckWireBytes();
    frame.job = queuePair.frameJob;
    frame.udpSourcePort = queuePair.udpSourcePort;
    frame.priority = static_cast<uint8_t>(m_context.fabric->GetControlPriority());
    frame.flags = 0;
    ++m_context.totals.naks;
    m_context.fabric->SendControl(now, queuePair.sourceNic, index);
}

void
RoceReader::ReceiveAck(int64_t now,
                       uint32_t id,
                       QueuePair& queuePair,
                       const Frame& frame,
                       const FrameSide* side)
{
    // Acknowledgements may arrive for late responses that are queued to be sent again.
    const uint64_t acked = std::min(ExpandPsn(frame.psn, queuePair.unacked) + 1, queuePair.next);
    if (queuePair.feedback == 0 || acked <= queuePair.unacked)
    {
        return;
    }
    const uint64_t frames = acked - queuePair.unacked;
    queuePair.unacked = acked;
    m_context.NotifyAck(now, id, queuePair, frames, frame, side);
    // The window may have been full.
    m_context.Activate(now, id, queuePair);
}

void
RoceReader::BuildResponse(int64_t now, uint32_t id, QueuePair& queuePair, uint32_t index)
{
    Frame& frame = (*m_context.frames)[index];
    std::deque<ReadState::Responses>& responses = queuePair.read->responses;
    const ReadState::Responses& range = responses.front();
    uint64_t number = queuePair.next;
    bool first = number == range.first;
    bool last = number + 1 == range.end;
    uint32_t payload = last ? range.lastPayload : queuePair.framing->mtu;
    frame.kind = FrameKind::DATA;
    frame.time = now;
    frame.flowHash = queuePair.flowHash;
    frame.source = queuePair.sourceNic;
    frame.destination = queuePair.destinationNic;
    frame.queuePair = id;
    frame.psn = static_cast<uint32_t>(number) & PSN_MASK;
    frame.payload = payload;
    frame.wireBytes = queuePair.framing->GetResponseWireBytes(payload, first || last);
    frame.job = queuePair.frameJob;
    frame.udpSourcePort = queuePair.udpSourcePort;
    frame.priority = queuePair.priority;
    frame.flags = static_cast<uint8_t>(FRAME_ECT | FRAME_READ | (first ? FRAME_FIRST : 0) |
                                       (last ? FRAME_LAST : 0));
    frame.markedHere = 0;
    m_context.totals.sentBytes += payload;
    if (number < queuePair.sent)
    {
        m_context.totals.retransmittedBytes += payload;
        if (queuePair.job != NO_ID)
        {
            m_context.jobs[queuePair.job].retransmittedBytes += payload;
        }
        if (!queuePair.messages.IsEmpty() && number >= queuePair.messages.Front().firstFrame)
        {
            queuePair.messages.Get(queuePair.messages.Find(number)).retransmittedBytes += payload;
        }
    }
    else
    {
        queuePair.sent = number + 1;
    }
    queuePair.next = number + 1;
    if (last)
    {
        responses.pop_front();
    }
    if (queuePair.tracksSends)
    {
        m_context.AddFeedback(now, queuePair, index);
        frame.flags |=
            queuePair.next - queuePair.unacked >= queuePair.window ? FRAME_ACK_REQUEST : 0;
    }
}

} // namespace ns3
