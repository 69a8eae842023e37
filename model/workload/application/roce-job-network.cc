/* SPDX-License-Identifier: GPL-2.0-only */
#include "roce-job-network.h"

namespace ns3
{

RoceJobNetwork::RoceJobNetwork(Ptr<RoceTransport> transport, uint8_t defaultPriority)
    : m_transport(transport),
      m_defaultPriority(defaultPriority)
{
}

uint8_t
RoceJobNetwork::GetPriority(const FlowSetting& setting) const
{
    return setting.priority == FlowSetting::DEFAULT_PRIORITY ? m_defaultPriority : setting.priority;
}

uint32_t
RoceJobNetwork::CreateQueuePair(int64_t now,
                                uint32_t job,
                                const JobFlow& flow,
                                const FlowSetting& setting,
                                RdmaClient* client)
{
    QueuePairConfig config;
    config.sourceNic = flow.sourceNic;
    config.destinationNic = flow.destinationNic;
    config.job = job;
    config.channel = flow.channel;
    config.udpSourcePort = setting.udpSourcePort;
    config.priority = GetPriority(setting);
    config.client = client;
    return m_transport->CreateQueuePair(now, config);
}

void
RoceJobNetwork::DestroyQueuePair(int64_t now, uint32_t queuePair)
{
    m_transport->DestroyQueuePair(now, queuePair);
}

bool
RoceJobNetwork::AbortQueuePair(uint32_t queuePair)
{
    m_transport->Abort(queuePair);
    return true;
}

void
RoceJobNetwork::Post(int64_t now, uint32_t queuePair, uint64_t bytes, const MessageTag& tag)
{
    m_transport->Post(now, queuePair, bytes, tag);
}

void
RoceJobNetwork::Apply(int64_t now,
                      uint32_t queuePair,
                      const FlowSetting& setting,
                      uint32_t decision)
{
    const uint16_t port = setting.udpSourcePort > 0
                              ? setting.udpSourcePort
                              : m_transport->GetDefaultUdpSourcePort(queuePair);
    m_transport->Apply(now, queuePair, port, GetPriority(setting), decision);
}

} // namespace ns3
