/* SPDX-License-Identifier: GPL-2.0-only */
#include "benchmark-collective.h"

#include "ns3/collective-algorithm.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <cstdio>
#include <cstdlib>
#include <numeric>

using namespace ns3;

BenchmarkCollective::BenchmarkCollective(Ptr<RoceTransport> transport,
                                         const std::vector<uint32_t>& nics,
                                         uint8_t priority,
                                         const std::string& algorithm,
                                         const CollectiveCall& call)
    : m_transport(transport),
      m_nics(nics),
      m_priority(priority),
      m_call(call),
      m_queuePairs(nics.size() * nics.size(), NO_ID)
{
    CollectiveLayout layout;
    for (uint32_t host = 0; host < nics.size(); ++host)
    {
        layout.ranks.push_back({host, 0, 0});
    }
    CollectivePlans plans;
    plans.Add(call,
              true,
              std::make_shared<CollectivePlan>(
                  CollectiveAlgorithm::Create(algorithm)->Build(call, layout, 1)));
    std::vector<uint32_t> ranks(nics.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    m_communicator = std::make_unique<Communicator>(0, ranks, plans, this, this);
}

void
BenchmarkCollective::Start(int64_t atPs)
{
    for (uint32_t rank = 0; rank < m_nics.size(); ++rank)
    {
        Simulator::Schedule(PicoSeconds(atPs), &BenchmarkCollective::Issue, this, rank);
    }
}

void
BenchmarkCollective::Issue(uint32_t rank)
{
    m_communicator->Issue(Simulator::Now().GetTimeStep(), rank, m_call);
}

uint32_t
BenchmarkCollective::FindRoute(uint32_t /* communicator */,
                               uint32_t source,
                               uint32_t destination,
                               uint32_t /* channel */,
                               const CollectiveExecution& /* execution */)
{
    return static_cast<uint32_t>(source * m_nics.size() + destination);
}

void
BenchmarkCollective::Launch(int64_t, uint32_t, int64_t, const CollectiveLaunch&)
{
    NS_ABORT_MSG("the algorithms of the benchmarks launch at once");
}

void
BenchmarkCollective::Send(int64_t now, uint32_t route, uint64_t bytes, const ChunkMessage& message)
{
    uint32_t& queuePair = m_queuePairs[route];
    if (queuePair == NO_ID)
    {
        QueuePairConfig config;
        config.sourceNic = m_nics[route / m_nics.size()];
        config.destinationNic = m_nics[route % m_nics.size()];
        config.priority = m_priority;
        config.client = this;
        queuePair = m_transport->CreateQueuePair(now, config);
    }
    m_transport->Post(now,
                      queuePair,
                      bytes,
                      {message.communicator, message.collective, message.transfer});
}

void
BenchmarkCollective::RankFinished(int64_t, uint32_t, uint32_t, uint32_t, int64_t)
{
}

void
BenchmarkCollective::CollectiveFinished(const CollectiveOutcome& /* outcome */)
{
    m_ended = true;
}

void
BenchmarkCollective::MessageDelivered(int64_t now, uint32_t /* queuePair */, const MessageTag& tag)
{
    m_communicator->Delivered(now, {tag.communicator, tag.collective, tag.step});
}

void
BenchmarkCollective::MessageCompleted(int64_t now, uint32_t /* queuePair */, const MessageTag& tag)
{
    m_communicator->Completed(now, {tag.communicator, tag.collective, tag.step});
}

void
BenchmarkCollective::QueuePairFailed(int64_t /* now */, uint32_t queuePair)
{
    std::fprintf(stderr, "queue pair %u has failed\n", queuePair);
    std::exit(1);
}
