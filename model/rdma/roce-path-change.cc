/* SPDX-License-Identifier: GPL-2.0-only */
#include "roce-path-change.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RocePathChange");

RocePathChange::RocePathChange(TransportContext& context)
    : m_context(context)
{
}

void
RocePathChange::SetTiming(ApplyTiming timing)
{
    m_timing = timing;
}

bool
RocePathChange::Ask(QueuePair& queuePair,
                    uint16_t udpSourcePort,
                    uint8_t priority,
                    uint32_t decision)
{
    if (queuePair.failed || (!queuePair.changePending && queuePair.priority == priority &&
                             queuePair.udpSourcePort == udpSourcePort))
    {
        return false;
    }
    queuePair.changePending = true;
    queuePair.newUdpSourcePort = udpSourcePort;
    queuePair.newPriority = priority;
    queuePair.newDecision = decision;
    bool started;
    uint64_t done = queuePair.unacked;
    if (queuePair.read)
    {
        // A boundary between requests.
        done = queuePair.expected;
        queuePair.limit = queuePair.read->requested;
        started = queuePair.limit > done;
    }
    else
    {
        started = queuePair.currentMessage < queuePair.posted &&
                  queuePair.next > queuePair.messages.Get(queuePair.currentMessage).firstFrame;
        queuePair.limit =
            started ? queuePair.messages.Get(queuePair.currentMessage).endFrame : queuePair.next;
    }
    return m_timing == ApplyTiming::AT_ONCE || done >= queuePair.limit ||
           (m_timing == ApplyTiming::NEXT_MESSAGE && !started);
}

void
RocePathChange::TakeEffect(int64_t now, uint32_t id, QueuePair& queuePair)
{
    queuePair.changePending = false;
    queuePair.limit = UINT64_MAX;
    if (queuePair.priority == queuePair.newPriority &&
        queuePair.udpSourcePort == queuePair.newUdpSourcePort)
    {
        return;
    }
    NS_LOG_INFO(now << " ps: queue pair " << id << " goes from priority " << +queuePair.priority
                    << ", UDP source port " << queuePair.udpSourcePort << " to "
                    << +queuePair.newPriority << ", " << queuePair.newUdpSourcePort);
    m_context.traces.change({id,
                             now,
                             queuePair.udpSourcePort,
                             queuePair.newUdpSourcePort,
                             queuePair.priority,
                             queuePair.newPriority,
                             queuePair.newDecision});
    if (queuePair.priority != queuePair.newPriority && queuePair.place != ArbiterPlace::IDLE)
    {
        // The NIC has one ring per priority.
        m_context.arbiters[queuePair.sourceNic]->Remove(id, m_context.queuePairs);
    }
    queuePair.priority = queuePair.newPriority;
    queuePair.udpSourcePort = queuePair.newUdpSourcePort;
    queuePair.SetPath();
}

} // namespace ns3
