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
    std::vector<Ptr<FabricNetDevice>> ports;
    for (const TopologyNode& node : m_scenario.graph.GetNodes())
    {
        const bool named = std::find(names.begin(), names.end(), node.name) != names.end();
        if (named || (names.empty() && node.kind == TopologyNodeKind::HOST))
        {
            for (const uint32_t port : node.ports)
            {
                ports.push_back(m_network.GetDevice(port));
            }
        }
    }
    return ports;
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
    for (const auto& port : GetPorts())
    {
        const std::string name = FabricTraceHelper::GetPcapName(prefix, port);
        // ns-3 would abort otherwise.
        if (!std::ofstream(name, std::ios::binary))
        {
            throw ResultWriteError(name + ": cannot write: " + std::strerror(errno));
        }
        NS_LOG_INFO("frames of " << port->GetAddress() << " go to " << name);
        m_traces.EnablePcap(name, port, true, true);
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
