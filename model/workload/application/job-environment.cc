/* SPDX-License-Identifier: GPL-2.0-only */
#include "job-environment.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"

namespace ns3
{

namespace
{

std::vector<uint32_t>
GetContexts(const ClusterTopology& topology, const std::vector<Ptr<Node>>& nodes)
{
    NS_ABORT_MSG_IF(!nodes.empty() && nodes.size() != topology.GetNodes().size(),
                    nodes.size() << " ns-3 nodes for " << topology.GetNodes().size()
                                 << " nodes of the topology");
    std::vector<uint32_t> contexts(topology.GetGpuCount(), Simulator::NO_CONTEXT);
    for (uint32_t gpu = 0; gpu < contexts.size() && !nodes.empty(); gpu++)
    {
        const Ptr<Node> node = nodes[topology.GetGpuHost(gpu)];
        contexts[gpu] = node ? node->GetId() : Simulator::NO_CONTEXT;
    }
    return contexts;
}

} // namespace

JobEnvironment::JobEnvironment(const ClusterTopology& clusterTopology,
                               RdmaVerbs& queuePairs,
                               uint64_t randomSeed,
                               std::vector<Ptr<Node>> hostNodes)
    : topology(clusterTopology),
      network(queuePairs),
      seed(randomSeed),
      nodes(std::move(hostNodes)),
      timers(EventLane::Get(), GetContexts(topology, nodes)),
      nvlinks(EventLane::Get(), GetContexts(topology, nodes)),
      control(EventLane::Get(), GetContexts(topology, nodes)),
      m_idle(nodes.size())
{
}

Ptr<GpuApplication>
JobEnvironment::TakeApplication(uint32_t gpu)
{
    if (nodes.empty())
    {
        return CreateObject<GpuApplication>();
    }
    const uint32_t host = topology.GetGpuHost(gpu);
    if (!m_idle[host].empty())
    {
        const Ptr<GpuApplication> application = m_idle[host].back();
        m_idle[host].pop_back();
        return application;
    }
    const Ptr<GpuApplication> application = CreateObject<GpuApplication>();
    nodes[host]->AddApplication(application);
    return application;
}

void
JobEnvironment::ReturnApplication(uint32_t gpu, Ptr<GpuApplication> application)
{
    if (!nodes.empty())
    {
        m_idle[topology.GetGpuHost(gpu)].push_back(application);
    }
}

} // namespace ns3
