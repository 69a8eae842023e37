/* SPDX-License-Identifier: GPL-2.0-only */
#include "plain-flows.h"

#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PlainFlows");

NS_OBJECT_ENSURE_REGISTERED(PlainFlows);

TypeId
PlainFlows::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PlainFlows")
                            .SetParent<Object>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<PlainFlows>();
    return tid;
}

void
PlainFlows::DoDispose()
{
    m_transport = nullptr;
    m_done = nullptr;
    Object::DoDispose();
}

void
PlainFlows::Start(Ptr<RoceTransport> transport,
                  const std::vector<PlainFlow>& flows,
                  std::function<void(int64_t)> done)
{
    m_transport = transport;
    m_flows = flows;
    m_done = std::move(done);
    NS_LOG_INFO(m_flows.size() << " flows without a job");
    for (const PlainFlow& flow : m_flows)
    {
        Simulator::Schedule(PicoSeconds(flow.atPs) - Simulator::Now(),
                            &PlainFlows::Post,
                            this,
                            flow);
    }
}

void
PlainFlows::Post(const PlainFlow& flow)
{
    int64_t now = Simulator::Now().GetTimeStep();
    ++m_posted;
    QueuePairConfig config;
    config.sourceNic = flow.sourceNic;
    config.destinationNic = flow.destinationNic;
    config.priority = flow.priority;
    config.client = this;
    uint32_t queuePair = m_transport->CreateQueuePair(now, config);
    m_transport->Post(now, queuePair, flow.bytes, MessageTag());
}

void
PlainFlows::MessageDelivered(int64_t /* now */,
                             uint32_t /* queuePair */,
                             const MessageTag& /* tag */)
{
}

void
PlainFlows::MessageCompleted(int64_t now, uint32_t /* queuePair */, const MessageTag& /* tag */)
{
    End(now);
}

void
PlainFlows::QueuePairFailed(int64_t now, uint32_t /* queuePair */)
{
    ++m_failed;
    End(now);
}

void
PlainFlows::End(int64_t now)
{
    if (++m_ended == m_flows.size() && m_done)
    {
        m_done(now);
    }
}

} // namespace ns3
