/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/fabric-helper.h"

#include "../model/engine/parallel/rank-link.h"
#include "../model/fabric/device/fabric-address.h"
#include "../model/fabric/fabric-partition.h"
#include "../model/fabric/fabric-split.h"
#include "../model/fabric/host-interconnect.h"
#include "../model/fabric/remote-logical-process.h"
#include "../model/rdma/wire/roce-frame-context.h"
#include "../model/rdma/wire/roce-framing.h"

#include "ns3/log.h"
#include "ns3/names.h"
#include "ns3/node.h"
#include "ns3/roce-nic.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricHelper");

FabricHelper::FabricHelper() = default;

FabricHelper::~FabricHelper() = default;

FabricHelper::FabricHelper(FabricHelper&&) = default;

FabricHelper& FabricHelper::operator=(FabricHelper&&) = default;

std::vector<FabricFault>
FabricHelper::Build(const ClusterTopology& topology, uint64_t seed)
{
    const auto& nodes = topology.GetNodes();
    m_nodes.assign(nodes.size(), nullptr);
    const uint32_t networkNodes = topology.GetNetworkNodeCount();
    for (uint32_t i = 0; i < networkNodes; ++i)
    {
        uint32_t node = m_reverse ? networkNodes - 1 - i : i;
        m_nodes[node] = CreateObject<Node>();
        Names::Add(nodes[node].name, m_nodes[node]);
    }
    // A host is one ns-3 node, whatever its interior.
    for (uint32_t node = networkNodes; node < nodes.size(); ++node)
    {
        m_nodes[node] = m_nodes[nodes[node].host];
    }

    uint32_t ports = topology.GetPortCount();
    std::vector<Ptr<RoceNic>> nics(ports);
    std::vector<Ptr<FabricSwitch>> switches;
    m_devices.assign(ports, nullptr);
    m_fabric = CreateObject<Fabric>();
    m_fabric->SetUsedPriorities(m_usedPriorities);
    m_transport = CreateObject<RoceTransport>();
    uint32_t maxFrame = 0;
    uint32_t gap = 0;
    for (uint32_t node = 0; node < networkNodes; ++node)
    {
        bool isHost = nodes[node].kind == TopologyNodeKind::HOST;
        for (uint32_t port : nodes[node].ports)
        {
            if (isHost)
            {
                nics[port] = CreateObject<RoceNic>();
                m_devices[port] = nics[port];
                RoceFraming framing = nics[port]->GetFraming();
                maxFrame = std::max(maxFrame, framing.GetMaxWireBytes());
                gap = framing.gapBytes;
            }
            else
            {
                m_devices[port] = CreateObject<FabricNetDevice>();
            }
            m_devices[port]->SetAddress(FabricAddress::GetMac(port));
            m_devices[port]->SetPort(m_fabric, port);
            m_nodes[node]->AddDevice(m_devices[port]);
        }
        if (!isHost)
        {
            Ptr<FabricSwitch> configuration = CreateObject<FabricSwitch>();
            m_nodes[node]->AggregateObject(configuration);
            switches.push_back(configuration);
        }
    }
    for (uint32_t link = 0; link < topology.GetNetworkPortCount() / 2; ++link)
    {
        Ptr<FabricChannel> channel = CreateObject<FabricChannel>();
        channel->SetAttribute("Delay", TimeValue(PicoSeconds(topology.GetLinks()[link].delayPs)));
        channel->Attach(m_devices[2 * link]);
        channel->Attach(m_devices[2 * link + 1]);
    }
    // Switches mark as the congestion control is meant to be marked; that of the first NIC, as all
    // usually are alike.
    const auto nic = std::find_if(nics.begin(), nics.end(), [](const auto& n) { return n; });
    if (nic != nics.end())
    {
        for (const Ptr<FabricSwitch>& configuration : switches)
        {
            configuration->SetEcnProfile((*nic)->GetCongestionControl()->GetEcnProfile());
        }
    }
    m_transport->Build(m_fabric, nics, seed);
    m_fabric->SetFrameEncoder(
        Create<FrameCodec>(Create<RoceFrameContext>(*m_fabric, *m_transport)));
    FabricEndpoint* endpoint = &m_transport->GetEndpoint();
    if (topology.HasInsides())
    {
        m_interconnect = CreateObject<HostInterconnect>();
        m_interconnect->Build(m_fabric, topology, endpoint);
        endpoint = PeekPointer(m_interconnect);
    }
    std::vector<FabricFault> faults =
        m_fabric->Build(topology, seed, switches, endpoint, maxFrame, gap);
    std::vector<uint32_t> contexts;
    for (const auto& node : m_nodes)
    {
        contexts.push_back(node->GetId());
    }
    m_fabric->SetNodeContext(contexts);
    NS_LOG_INFO(networkNodes << " nodes, " << ports << " ports, " << switches.size()
                             << " switches");
    return faults.empty() ? Split() : faults;
}

FabricCut
FabricHelper::MakeCut(uint32_t processes) const
{
    FabricCut cut(*m_fabric,
                  PartitionFabric(m_fabric->GetTopology(), processes, m_fabric->GetPartition()));
    cut.much = m_much;
    return cut;
}

std::vector<FabricFault>
FabricHelper::Split()
{
    const uint32_t count = m_link ? m_link->GetRankCount() : m_threads;
    if (count < 2)
    {
        return {};
    }
    const FabricCut cut = MakeCut(count);
    m_threadFault = FabricSplit::FindFault(*m_fabric, cut);
    if (!m_threadFault.empty())
    {
        NS_LOG_LOGIC("one thread: " << m_threadFault);
        return {};
    }
    std::vector<std::unique_ptr<LogicalProcess>> others;
    if (m_link)
    {
        std::vector<FabricFault> faults = BuildRemotely(cut, others);
        if (!faults.empty())
        {
            return faults;
        }
    }
    for (auto number = static_cast<uint32_t>(others.size() + 1); number < cut.count; ++number)
    {
        others.push_back(std::make_unique<LocalLogicalProcess>(*m_fabric, cut, number, true));
    }
    m_split = std::make_unique<FabricSplit>(m_fabric, cut, std::move(others));
    return {};
}

std::vector<FabricFault>
FabricHelper::BuildRemotely(const FabricCut& cut,
                            std::vector<std::unique_ptr<LogicalProcess>>& processes) const
{
    for (uint32_t rank = 1; rank < cut.count; ++rank)
    {
        RemoteLogicalProcess::Build(*m_link, rank, m_run);
    }
    std::vector<FabricFault> faults;
    for (uint32_t rank = 1; rank < cut.count; ++rank)
    {
        const std::string fault = RemoteLogicalProcess::GetBuildFault(*m_link, rank);
        if (fault.empty())
        {
            processes.push_back(std::make_unique<RemoteLogicalProcess>(*m_link, rank, cut.count));
        }
        else
        {
            faults.push_back(FabricFault::OfRank(rank, fault));
        }
    }
    return faults;
}

Ptr<HostInterconnect>
FabricHelper::GetInterconnect() const
{
    return m_interconnect;
}

std::unique_ptr<LogicalProcess>
FabricHelper::MakeLogicalProcess(const RankLink& link) const
{
    return std::make_unique<LocalLogicalProcess>(*m_fabric,
                                                 MakeCut(link.GetRankCount()),
                                                 link.GetRank(),
                                                 false);
}

void
FabricHelper::Dispose()
{
    m_split = nullptr;
    if (m_transport)
    {
        m_transport->Dispose();
        if (m_interconnect)
        {
            m_interconnect->Dispose();
        }
        m_fabric->Dispose();
    }
    m_transport = nullptr;
    m_interconnect = nullptr;
    m_fabric = nullptr;
    m_devices.clear();
    m_nodes.clear();
    Names::Clear();
}

} // namespace ns3
