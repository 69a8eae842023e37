/* SPDX-License-Identifier: GPL-2.0-only */
#include "roce-completions.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceCompletions");

RoceCompletions::RoceCompletions(TransportContext& context)
    : m_context(context)
{
}

uint32_t
RoceCompletions::GetRequesterNic(const QueuePair& queuePair)
{
    return queuePair.read ? queuePair.destinationNic : queuePair.sourceNic;
}

bool
RoceCompletions::Complete(int64_t now,
                          uint32_t id,
                          QueuePair& queuePair,
                          const RdmaMessage& message)
{
    NS_LOG_LOGIC(now << " ps: queue pair " << id << " completes message " << message.number);
    ++m_context.totals.completedMessages;
    m_context.totals.completedBytes += message.bytes;
    if (queuePair.delays)
    {
        uint32_t nic = GetRequesterNic(queuePair);
        int64_t reported = now + m_context.nics[nic]->GetCompletionDelay();
        TransferRecord record = queuePair.Describe(id, message, reported);
        if (queuePair.read)
        {
            record.deliveredPs = reported;
        }
        queuePair.delays->completions.push_back({record, message.tag});
        ScheduleDelays(id, queuePair);
        return true;
    }
    if (!m_context.traces.transfer.IsEmpty())
    {
        m_context.traces.transfer(queuePair.Describe(id, message, now));
    }
    return NotifyCompleted(now, id, queuePair, message.tag);
}

bool
RoceCompletions::NotifyCompleted(int64_t now,
                                 uint32_t id,
                                 QueuePair& queuePair,
                                 const MessageTag& tag)
{
    RdmaClient* client = queuePair.client;
    if (!client)
    {
        return true;
    }
    if (queuePair.read)
    {
        client->MessageDelivered(now, id, tag);
        if (!m_context.queuePairs.Find(id))
        {
            return false;
        }
    }
    client->MessageCompleted(now, id, tag);
    return m_context.queuePairs.Find(id) != nullptr;
}

void
RoceCompletions::ScheduleDelays(uint32_t id, QueuePair& queuePair)
{
    const RdmaDelays& delays = *queuePair.delays;
    int64_t due = INT64_MAX;
    if (!delays.completions.empty())
    {
        due = delays.completions.front().record.completedPs;
    }
    if (delays.started < queuePair.posted && !queuePair.failed)
    {
        uint32_t nic = GetRequesterNic(queuePair);
        due = std::min(due,
                       queuePair.messages.Get(delays.started).startPs +
                           m_context.nics[nic]->GetPostDelay());
    }
    if (due != INT64_MAX && (!m_context.lane->IsPending(m_context.DelayKey(id)) ||
                             m_context.lane->GetTime(m_context.DelayKey(id)) > due))
    {
        m_context.lane->Reschedule(due, m_context.DelayKey(id));
    }
}

bool
RoceCompletions::NotifyDue(int64_t now, uint32_t id, QueuePair& queuePair)
{
    RdmaDelays& delays = *queuePair.delays;
    while (!delays.completions.empty() && delays.completions.front().record.completedPs <= now)
    {
        RdmaDelays::Completion completion = delays.completions.front();
        delays.completions.pop_front();
        m_context.traces.transfer(completion.record);
        if (!NotifyCompleted(now, id, queuePair, completion.tag))
        {
            return false;
        }
    }
    return true;
}

const RdmaMessage*
RoceCompletions::TakeDueStart(int64_t now, QueuePair& queuePair) const
{
    RdmaDelays& delays = *queuePair.delays;
    if (delays.started == queuePair.posted || queuePair.failed)
    {
        return nullptr;
    }
    const RdmaMessage& message = queuePair.messages.Get(delays.started);
    if (message.startPs + m_context.nics[GetRequesterNic(queuePair)]->GetPostDelay() > now)
    {
        return nullptr;
    }
    ++delays.started;
    return &message;
}

} // namespace ns3
