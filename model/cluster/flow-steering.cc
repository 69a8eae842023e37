/* SPDX-License-Identifier: GPL-2.0-only */
#include "flow-steering.h"

#include "ns3/abort.h"
#include "ns3/counter-random.h"
#include "ns3/log.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FlowSteering");

FlowSteering::FlowSteering(uint64_t seed,
                           const std::string& job,
                           const PathOracle& oracle,
                           std::vector<FlowView> flows)
    : m_oracle(&oracle),
      m_flows(std::move(flows)),
      m_steered(m_flows.size(), false)
{
    m_defaults.reserve(m_flows.size());
    for (uint32_t i = 0; i < m_flows.size(); i++)
    {
        FlowView& flow = m_flows[i];
        NS_ABORT_MSG_IF(flow.flow != i, "flow " << flow.flow << " of " << job << " at index " << i);
        flow.udpSourcePort = GetDefaultPort(seed, job, i);
        flow.path = oracle.GetEcmpPath(flow.sourceNic, flow.destinationNic, flow.udpSourcePort);
        m_defaults.push_back({flow.udpSourcePort, flow.path});
    }
}

uint16_t
FlowSteering::GetDefaultPort(uint64_t seed, const std::string& job, uint32_t flow)
{
    const uint64_t random = CounterRandom(seed, HashName("udp-source-port " + job), flow);
    return static_cast<uint16_t>(FIRST_PORT + random % (65536 - FIRST_PORT));
}

const std::vector<FlowView>&
FlowSteering::GetFlows() const
{
    return m_flows;
}

bool
FlowSteering::IsSteered(uint32_t flow) const
{
    return m_steered[flow];
}

FlowSteering::Outcome
FlowSteering::Steer(uint32_t flow, const LinkPath& path)
{
    FlowView& view = m_flows[flow];
    if (path.empty())
    {
        return Reset(flow) ? Outcome::CHANGED : Outcome::KEPT;
    }
    if (path == view.path)
    {
        m_steered[flow] = true;
        return Outcome::KEPT;
    }
    const int32_t port = m_oracle->FindUdpSourcePort(view.sourceNic, view.destinationNic, path);
    if (port < 0)
    {
        NS_LOG_LOGIC("no port takes flow " << flow << " along its path: it keeps the default");
        Reset(flow);
        return Outcome::UNREACHABLE;
    }
    NS_LOG_LOGIC("flow " << flow << " is sent from UDP port " << port);
    m_steered[flow] = true;
    view.udpSourcePort = static_cast<uint16_t>(port);
    view.path = path;
    return Outcome::CHANGED;
}

bool
FlowSteering::Reset(uint32_t flow)
{
    FlowView& view = m_flows[flow];
    const bool changed = view.udpSourcePort != m_defaults[flow].udpSourcePort;
    view.udpSourcePort = m_defaults[flow].udpSourcePort;
    view.path = m_defaults[flow].path;
    m_steered[flow] = false;
    return changed;
}

} // namespace ns3
