/* SPDX-License-Identifier: GPL-2.0-only */
#include "host-job-network.h"

#include "../../base/quantity-value.h"

#include "ns3/simulator.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HostJobNetwork);

TypeId
HostJobNetwork::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::HostJobNetwork")
            .SetParent<Object>()
            .SetGroupName("GpuFabric")
            .AddConstructor<HostJobNetwork>()
            .AddAttribute("BufferBytes",
                          "Most payload of a queue pair between the two GPUs; default: "
                          "NCCL's buffer (NCCL_BUFFSIZE).",
                          ByteSizeValue(4'194'304),
                          MakeByteSizeAccessor(&HostJobNetwork::m_bufferBytes),
                          MakeByteSizeChecker(1))
            .AddAttribute("CreditDelay",
                          "Time from a segment being in the memory of the receiving GPU to the "
                          "sender knowing it.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&HostJobNetwork::m_creditDelay),
                          MakeTimeChecker(NanoSeconds(1)));
    return tid;
}

void
HostJobNetwork::Build(RdmaVerbs* network, Ptr<HostInterconnect> interconnect, Ptr<Fabric> fabric)
{
    m_network = network;
    m_interconnect = interconnect;
    m_fabric = fabric;
}

uint32_t
HostJobNetwork::CreateQueuePair(int64_t now, const QueuePairConfig& config)
{
    QueuePairConfig between = config;
    between.client = this;
    const uint32_t queuePair = m_network->CreateQueuePair(now, between);
    Pipe& pipe = m_pipes[queuePair];
    pipe.client = config.client;
    pipe.serial = m_serial++;
    pipe.sourceNic = config.sourceNic;
    pipe.toNic = m_interconnect->OpenChannel(config.job,
                                             m_interconnect->GetGpuPart(config.sourceGpu),
                                             m_interconnect->GetNicPart(config.sourceNic),
                                             config.priority,
                                             m_interconnect->GetSegments(m_bufferBytes),
                                             this,
                                             true);
    pipe.toGpu = m_interconnect->OpenChannel(config.job,
                                             m_interconnect->GetNicPart(config.destinationNic),
                                             m_interconnect->GetGpuPart(config.destinationGpu),
                                             config.priority,
                                             UINT32_MAX,
                                             this);
    m_pairOfChannel[pipe.toNic] = queuePair;
    m_pairOfChannel[pipe.toGpu] = queuePair;
    return queuePair;
}

void
HostJobNetwork::DestroyQueuePair(int64_t now, uint32_t queuePair)
{
    const auto entry = m_pipes.find(queuePair);
    for (const uint32_t channel : {entry->second.toNic, entry->second.toGpu})
    {
        m_pairOfChannel.erase(channel);
        m_interconnect->CloseChannel(channel);
    }
    m_pipes.erase(entry);
    m_network->DestroyQueuePair(now, queuePair);
}

void
HostJobNetwork::Abort(uint32_t queuePair)
{
    m_network->Abort(queuePair);
}

void
HostJobNetwork::Post(int64_t now, uint32_t queuePair, uint64_t bytes, const MessageTag& tag)
{
    Pipe& pipe = m_pipes.at(queuePair);
    pipe.fetched.push_back(tag);
    m_interconnect->Post(now, pipe.toNic, bytes, 0);
}

void
HostJobNetwork::Apply(int64_t now,
                      uint32_t queuePair,
                      uint16_t udpSourcePort,
                      uint8_t priority,
                      uint32_t decision)
{
    const Pipe& pipe = m_pipes.at(queuePair);
    m_interconnect->SetPriority(pipe.toNic, priority);
    m_interconnect->SetPriority(pipe.toGpu, priority);
    m_network->Apply(now, queuePair, udpSourcePort, priority, decision);
}

void
HostJobNetwork::SegmentArrived(int64_t now, uint32_t channel, const HostSegment& segment)
{
    const uint32_t queuePair = m_pairOfChannel.at(channel);
    Pipe& pipe = m_pipes.at(queuePair);
    if (channel == pipe.toNic)
    {
        const Segment next{pipe.fetched.front(), segment.bytes, segment.last};
        if (segment.last)
        {
            pipe.fetched.pop_front();
        }
        pipe.inNetwork.push_back(next);
        pipe.unacknowledged.push_back(next);
        m_network->Post(now, queuePair, next.bytes, next.tag);
        return;
    }
    const Segment arrived = pipe.stored.front();
    pipe.stored.pop_front();
    Simulator::ScheduleWithContext(m_fabric->GetPortContext(pipe.sourceNic),
                                   m_creditDelay,
                                   &HostJobNetwork::ReturnCredit,
                                   this,
                                   queuePair,
                                   pipe.serial);
    if (arrived.last)
    {
        // May end the job and destroy the pipe.
        pipe.client->MessageDelivered(now, queuePair, arrived.tag);
    }
}

void
HostJobNetwork::ReturnCredit(uint32_t queuePair, uint64_t serial)
{
    const auto entry = m_pipes.find(queuePair);
    if (entry != m_pipes.end() && entry->second.serial == serial)
    {
        m_interconnect->ReturnCredit(Simulator::Now().GetTimeStep(), entry->second.toNic);
    }
}

void
HostJobNetwork::MessageDelivered(int64_t now, uint32_t queuePair, const MessageTag&)
{
    Pipe& pipe = m_pipes.at(queuePair);
    const Segment segment = pipe.inNetwork.front();
    pipe.inNetwork.pop_front();
    pipe.stored.push_back(segment);
    m_interconnect->Post(now, pipe.toGpu, segment.bytes, 0);
}

void
HostJobNetwork::MessageCompleted(int64_t now, uint32_t queuePair, const MessageTag&)
{
    Pipe& pipe = m_pipes.at(queuePair);
    const Segment segment = pipe.unacknowledged.front();
    pipe.unacknowledged.pop_front();
    if (segment.last)
    {
        pipe.client->MessageCompleted(now, queuePair, segment.tag);
    }
}

void
HostJobNetwork::QueuePairFailed(int64_t now, uint32_t queuePair)
{
    m_pipes.at(queuePair).client->QueuePairFailed(now, queuePair);
}

void
HostJobNetwork::DoDispose()
{
    m_pipes.clear();
    m_pairOfChannel.clear();
    m_interconnect = nullptr;
    m_fabric = nullptr;
    Object::DoDispose();
}

} // namespace ns3
