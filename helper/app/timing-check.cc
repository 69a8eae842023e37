/* SPDX-License-Identifier: GPL-2.0-only */
#include "timing-check.h"

#include "../../model/fabric/switch/routing-table.h"
#include "../../model/rdma/wire/roce-framing.h"

#include "ns3/fabric-switch.h"
#include "ns3/fabric.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/roce-nic.h"
#include "ns3/roce-transport.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace ns3
{

namespace
{

/// Hosts among which the longest path of jobs is looked for: all pairs of a large cluster would
/// take longer than its build, and hosts of a tier are alike.
constexpr std::size_t SAMPLED_HOSTS = 64;

/// A time in microseconds, or in whole picoseconds if that is shorter.
std::string
ToText(int64_t timePs)
{
    constexpr int64_t MICROSECOND = 1'000'000;
    std::string text = std::to_string(timePs / MICROSECOND);
    if (timePs % MICROSECOND != 0)
    {
        std::string fraction = std::to_string(timePs % MICROSECOND + MICROSECOND).substr(1);
        fraction.erase(fraction.find_last_not_of('0') + 1);
        text += "." + fraction;
    }
    return text + " us";
}

} // namespace

TimingCheck::TimingCheck(const Scenario& scenario, const FabricHelper& network)
    : m_scenario(scenario),
      m_network(network)
{
}

std::pair<int64_t, const char*>
TimingCheck::GetTimeout(uint32_t nic) const
{
    const Ptr<RoceNic> device = DynamicCast<RoceNic>(m_network.GetDevice(nic));
    if (device->IsSelective())
    {
        return {device->GetIrnTimeoutLow(), "IrnTimeoutLow"};
    }
    return {device->GetRetransmissionTimeout(), "RetransmissionTimeout"};
}

int64_t
TimingCheck::GetRoundTrip(uint32_t sourceNic, uint32_t destinationNic, uint64_t bytes) const
{
    const Fabric& fabric = *m_network.GetFabric();
    const ClusterTopology& topology = m_scenario.graph;
    const RoceFraming framing = m_network.GetTransport()->GetFraming(sourceNic);
    const uint64_t payload = std::clamp<uint64_t>(bytes, 1, framing.mtu);
    const uint32_t dataBytes = framing.GetDataWireBytes(static_cast<uint32_t>(payload), false);
    const uint32_t ackBytes = framing.GetAckWireBytes();
    int64_t time = 0;
    int64_t slowest = 0;
    for (const uint32_t port :
         fabric.GetRouting().GetPath(sourceNic, destinationNic, 0, fabric.GetPathSelector()))
    {
        const int64_t wire = fabric.GetWireTime(port, dataBytes);
        time += 2 * topology.GetPortDelay(port) + wire + fabric.GetWireTime(port, ackBytes);
        slowest = std::max(slowest, wire);
        const Ptr<Node> node = m_network.GetNode(topology.GetPortNode(port));
        if (const Ptr<FabricSwitch> configuration = node->GetObject<FabricSwitch>())
        {
            time += 2 * configuration->GetSwitchDelay();
        }
    }
    const uint64_t interval =
        DynamicCast<RoceNic>(m_network.GetDevice(destinationNic))->GetAckInterval();
    const uint64_t frames = (bytes + framing.mtu - 1) / framing.mtu;
    const uint64_t waited = std::min(interval, std::max<uint64_t>(frames, 1)) - 1;
    return time + static_cast<int64_t>(waited) * slowest;
}

void
TimingCheck::Check(const std::vector<PlainFlow>& flows, Diagnostics& diagnostics) const
{
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        const PlainFlow& flow = flows[i];
        const auto [timeout, attribute] = GetTimeout(flow.sourceNic);
        const int64_t roundTrip = GetRoundTrip(flow.sourceNic, flow.destinationNic, flow.bytes);
        if (timeout < roundTrip)
        {
            diagnostics.Warning(m_scenario.flows[i].mark,
                                "flows",
                                "the flow from " + m_scenario.flows[i].from + " to " +
                                    m_scenario.flows[i].to + " has an RTT of " + ToText(roundTrip) +
                                    ", which is above the RTO of " + ToText(timeout) +
                                    " (ns3::RoceNic::" + attribute +
                                    "): its frames are sent again before they can be "
                                    "acknowledged");
        }
    }
    CheckJobs(diagnostics);
    CheckOutages(diagnostics);
}

void
TimingCheck::CheckJobs(Diagnostics& diagnostics) const
{
    if (m_scenario.jobs.empty())
    {
        return;
    }
    std::vector<uint32_t> nics; // the first of each host with GPUs
    for (const TopologyNode& node : m_scenario.graph.GetNodes())
    {
        if (node.kind == TopologyNodeKind::HOST && node.gpus > 0 && !node.ports.empty())
        {
            nics.push_back(node.ports[0]);
        }
    }
    const std::size_t count = std::min(nics.size(), SAMPLED_HOSTS);
    int64_t longest = 0;
    uint32_t from = 0;
    uint32_t to = 0;
    for (std::size_t i = 0; i < count; ++i)
    {
        for (std::size_t j = 0; j < count; ++j)
        {
            // Evenly spread, so that the farthest tiers are among them.
            const uint32_t source = nics[i * nics.size() / count];
            const uint32_t destination = nics[j * nics.size() / count];
            const int64_t time =
                i == j ? 0
                       : GetRoundTrip(source, destination, std::numeric_limits<uint32_t>::max());
            if (time > longest)
            {
                longest = time;
                from = source;
                to = destination;
            }
        }
    }
    if (longest == 0)
    {
        return;
    }
    const auto [timeout, attribute] = GetTimeout(from);
    if (timeout < longest)
    {
        diagnostics.Warning(m_scenario.jobs[0].mark,
                            "jobs",
                            "from " + m_scenario.graph.GetPortName(from) + " to " +
                                m_scenario.graph.GetPortName(to) +
                                ", which jobs can use, the RTT is " + ToText(longest) +
                                ", which is above the RTO of " + ToText(timeout) +
                                " (ns3::RoceNic::" + attribute +
                                "): frames are sent again before they can be acknowledged");
    }
}

void
TimingCheck::CheckOutages(Diagnostics& diagnostics) const
{
    TimeValue value;
    m_network.GetFabric()->GetAttribute("ConvergenceTime", value);
    const Time convergence = value.Get();
    std::map<std::pair<FaultTarget, std::string>, std::set<Time>> ups;
    for (const FaultSpec& fault : m_scenario.faults)
    {
        if (fault.action == FaultAction::UP)
        {
            ups[{fault.kind, fault.target}].insert(fault.at);
        }
    }
    for (const FaultSpec& fault : m_scenario.faults)
    {
        // The end of a NIC's or a host's outage changes no route to any other.
        const bool flapping = fault.action == FaultAction::FLAPPING;
        const bool down = fault.action == FaultAction::DOWN &&
                          (fault.kind == FaultTarget::LINK || fault.kind == FaultTarget::SWITCH);
        std::optional<Time> outage;
        if (flapping)
        {
            outage = fault.down;
        }
        else if (down && fault.end)
        {
            outage = *fault.end - fault.at;
        }
        else if (down)
        {
            const std::set<Time>& times = ups[{fault.kind, fault.target}];
            const auto up = times.upper_bound(fault.at);
            if (up != times.end())
            {
                outage = *up - fault.at;
            }
        }
        if (outage && *outage < convergence)
        {
            diagnostics.Warning(fault.mark,
                                fault.path,
                                fault.target + " is down for " + ToText(outage->GetPicoSeconds()) +
                                    ", but switches send by other routes only after " +
                                    ToText(convergence.GetPicoSeconds()) +
                                    " (ns3::Fabric::ConvergenceTime): what goes that way "
                                    "meanwhile is lost, and nothing is rerouted");
        }
    }
}

} // namespace ns3
