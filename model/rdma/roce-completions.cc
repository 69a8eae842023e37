/* SPDX-License-Identifier: GPL-2.0-only */
#include "roce-completions.h"

#include "ns3/roce-transport.h"

#include <algorithm>

namespace ns3
{

RoceCompletions::RoceCompletions(RoceTransport& transport)
    : m_transport(transport)
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
    ++m_transport.m_totals.completedMessages;
    m_transport.m_totals.completedBytes += message.bytes;
    if (queuePair.delays)
    {
        uint32_t nic = GetRequesterNic(queuePair);
        int64_t told = now + m_transport.m_nics[nic]->GetCompletionDelay();
        TransferRecord record = queuePair.Describe(id, message, told);
        if (queuePair.read)
        {
            record.deliveredPs = told;
        }
        queuePair.delays->completions.push_back({record, message.tag});
        ScheduleDelays(id, queuePair);
        return true;
    }
    if (!m_transport.m_transferTrace.IsEmpty())
    {
        m_transport.m_transferTrace(queuePair.Describe(id, message, now));
    }
    return TellCompleted(now, id, queuePair, message.tag);
}

bool
RoceCompletions::TellCompleted(int64_t now,
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
        if (!m_transport.m_queuePairs.Find(id))
        {
            return false;
        }
    }
    client->MessageCompleted(now, id, tag);
    return m_transport.m_queuePairs.Find(id) != nullptr;
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
                           m_transport.m_nics[nic]->GetPostDelay());
    }
    if (due != INT64_MAX && (!m_transport.m_lane->IsPending(RoceTransport::DelayKey(id)) ||
                             m_transport.m_lane->GetTime(RoceTransport::DelayKey(id)) > due))
    {
        m_transport.m_lane->Reschedule(due, RoceTransport::DelayKey(id));
    }
}

void
RoceCompletions::HandleDelays(int64_t now, uint32_t id, QueuePair& queuePair)
{
    RdmaDelays& delays = *queuePair.delays;
    while (!delays.completions.empty() && delays.completions.front().record.completedPs <= now)
    {
        RdmaDelays::Completion completion = delays.completions.front();
        delays.completions.pop_front();
        m_transport.m_transferTrace(completion.record);
        if (!TellCompleted(now, id, queuePair, completion.tag))
        {
            return;
        }
    }
    uint32_t nic = GetRequesterNic(queuePair);
    while (delays.started < queuePair.posted && !queuePair.failed)
    {
        const RdmaMessage& message = queuePair.messages.Get(delays.started);
        if (message.startPs + m_transport.m_nics[nic]->GetPostDelay() > now)
        {
            break;
        }
        ++delays.started;
        m_transport.Start(now, id, queuePair, message);
    }
    ScheduleDelays(id, queuePair);
}

} // namespace ns3
