/* SPDX-License-Identifier: GPL-2.0-only */
#include "run-capture.h"

#include "../../model/rdma/wire/roce-framing.h"
#include "../../model/results/result-database.h"

#include "ns3/log.h"
#include "ns3/roce-nic.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RunCapture");

RunCapture::RunCapture(const Scenario& scenario, const FabricHelper& network)
    : m_scenario(scenario),
      m_network(network)
{
}

std::vector<Ptr<FabricNetDevice>>
RunCapture::GetPorts() const
{
    const std::vector<std::string>& names = m_scenario.record.pcapNodes;
    const bool allHosts = names.empty() && m_scenario.record.pcapLinks.empty();
    std::set<uint32_t> ports; // each once, though a node and its link may both be named
    for (const TopologyNode& node : m_scenario.graph.GetNodes())
    {
        const bool named = std::find(names.begin(), names.end(), node.name) != names.end();
        if (named || (allHosts && node.kind == TopologyNodeKind::HOST))
        {
            ports.insert(node.ports.begin(), node.ports.end());
        }
    }
    for (const std::string& link : m_scenario.record.pcapLinks)
    {
        ports.insert(static_cast<uint32_t>(m_scenario.graph.FindDirectedLink(link)));
    }
    std::vector<Ptr<FabricNetDevice>> devices;
    for (const uint32_t port : ports)
    {
        devices.push_back(m_network.GetDevice(port));
    }
    return devices;
}

std::string
RunCapture::FindFault() const
{
    // All NICs: their frames also cross ports of other nodes.
    for (uint32_t port = 0; IsWanted() && port < m_scenario.graph.GetPortCount(); ++port)
    {
        if (Ptr<RoceNic> nic = DynamicCast<RoceNic>(m_network.GetDevice(port)))
        {
            const std::string fault = FabricTraceHelper::FindFault(nic->GetFraming());
            if (!fault.empty())
            {
                return fault;
            }
        }
    }
    return "";
}

bool
RunCapture::IsForced() const
{
    for (uint32_t port = 0; IsWanted() && port < m_scenario.graph.GetPortCount(); ++port)
    {
        Ptr<RoceNic> nic = DynamicCast<RoceNic>(m_network.GetDevice(port));
        if (nic && FabricTraceHelper::IsForced(nic->GetFraming()))
        {
            return true;
        }
    }
    return false;
}

void
RunCapture::Open(const std::string& prefix)
{
    if (!IsWanted())
    {
        return;
    }
    const RecordSpec& record = m_scenario.record;
    PcapSelection selection;
    selection.sent = record.pcapDirection != CaptureDirection::RECEIVED;
    selection.received = record.pcapDirection != CaptureDirection::SENT;
    selection.from = record.pcapFrom;
    selection.to = record.pcapTo;
    selection.snapLength = record.pcapSnap.value_or(ByteSize());
    for (const auto& port : GetPorts())
    {
        const std::string name = FabricTraceHelper::GetPcapName(prefix, port);
        // ns-3 would abort otherwise.
        if (!std::ofstream(name, std::ios::binary))
        {
            throw ResultWriteError(name + ": cannot write: " + std::strerror(errno));
        }
        NS_LOG_INFO("frames of " << port->GetAddress() << " go to " << name);
        m_traces.EnableSelection(name, port, selection);
    }
}

void
RunCapture::Close()
{
    if (!m_traces.ClosePcap())
    {
        throw ResultWriteError("a pcap file could not be written to its end");
    }
}

} // namespace ns3
