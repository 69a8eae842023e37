/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/abort.h"
#include "ns3/roce-transport.h"

namespace ns3
{

void
RoceTransport::Apply(int64_t now,
                     uint32_t id,
                     uint16_t udpSourcePort,
                     uint8_t priority,
                     uint32_t decision)
{
    NS_ABORT_MSG_IF(priority >= m_fabric->GetQueueCount(),
                    "priority " << +priority << ": there are " << m_fabric->GetQueueCount());
    QueuePair& queuePair = *m_queuePairs[id];
    if (queuePair.failed || (!queuePair.changePending && queuePair.priority == priority &&
                             queuePair.udpSourcePort == udpSourcePort))
    {
        return;
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
    if (m_applyDecision == "at-once" || done >= queuePair.limit ||
        (m_applyDecision == "next-message" && !started))
    {
        ApplyChange(now, id, queuePair);
    }
}

void
RoceTransport::ApplyChange(int64_t now, uint32_t id, QueuePair& queuePair)
{
    queuePair.changePending = false;
    queuePair.limit = UINT64_MAX;
    if (queuePair.priority != queuePair.newPriority ||
        queuePair.udpSourcePort != queuePair.newUdpSourcePort)
    {
        m_changeTrace({id,
                       now,
                       queuePair.udpSourcePort,
                       queuePair.newUdpSourcePort,
                       queuePair.priority,
                       queuePair.newPriority,
                       queuePair.newDecision});
        if (queuePair.priority != queuePair.newPriority && queuePair.place != ArbiterPlace::IDLE)
        {
            // The NIC keeps a ring for each priority.
            m_arbiters[queuePair.sourceNic]->Remove(id, m_queuePairs);
        }
        queuePair.priority = queuePair.newPriority;
        queuePair.udpSourcePort = queuePair.newUdpSourcePort;
        queuePair.SetPath();
    }
    if (queuePair.read)
    {
        m_reader.Request(now, id, queuePair);
    }
    Activate(now, id, queuePair);
}

} // namespace ns3
