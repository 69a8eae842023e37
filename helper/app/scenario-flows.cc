/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-flows.h"

#include "../../model/topology/nic-islands.h"

#include "ns3/abort.h"

#include <string>

namespace ns3
{

namespace
{

/// The port of "host3" (its first NIC) or "host3.nic2".
uint32_t
FindNic(const Scenario& scenario, const std::string& name)
{
    const size_t dot = name.rfind(".nic");
    uint32_t nic = 0;
    int64_t node = scenario.graph.FindNode(name);
    if (node < 0 && dot != std::string::npos)
    {
        node = scenario.graph.FindNode(name.substr(0, dot));
        nic = static_cast<uint32_t>(std::stoul(name.substr(dot + 4)));
    }
    NS_ABORT_MSG_IF(node < 0, "no host " << name);
    return scenario.graph.GetNodes()[static_cast<size_t>(node)].ports.at(nic);
}

} // namespace

std::string
ListPriorities(uint32_t mask)
{
    std::string list;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
    {
        list += (list.empty() ? "" : ", ") + std::to_string(__builtin_ctz(rest));
    }
    return list.empty() ? "none" : list;
}

std::vector<PlainFlow>
MakeScenarioFlows(const Scenario& scenario,
                  const Fabric& fabric,
                  uint8_t priority,
                  Diagnostics& diagnostics)
{
    std::vector<PlainFlow> flows;
    // Control frames are never paused; which data is not, the mask of the switches says.
    uint32_t known = fabric.GetLosslessMask() | 1U << fabric.GetControlPriority();
    for (const FlowSpec& flow : scenario.flows)
    {
        if (fabric.GetLosslessMask() != 0 && flow.priority >= 0 && !(known >> flow.priority & 1))
        {
            known |= 1U << flow.priority;
            diagnostics.Warning(flow.mark,
                                "flows",
                                "flows of priority " + std::to_string(flow.priority) +
                                    " are lossy: PFC holds back the priorities of "
                                    "ns3::FabricSwitch::LosslessMask only, which are " +
                                    ListPriorities(fabric.GetLosslessMask()));
        }
        const uint32_t from = FindNic(scenario, flow.from);
        const uint32_t to = FindNic(scenario, flow.to);
        // Every host can reach every other, but a NIC of one rail cannot always reach one of
        // another.
        if (!fabric.IsReachable(from, to))
        {
            diagnostics.Error(flow.mark, "flows", NicIslands(scenario.graph).Explain(from, to));
        }
        if (flow.priority >= static_cast<int64_t>(fabric.GetQueueCount()))
        {
            diagnostics.Error(flow.mark,
                              "flows",
                              "the flow has priority " + std::to_string(flow.priority) +
                                  ", but ports have only " +
                                  std::to_string(fabric.GetQueueCount()) +
                                  " queues (ns3::Fabric::Queues)");
        }
        flows.push_back({from,
                         to,
                         flow.bytes.Get(),
                         flow.at.GetPicoSeconds(),
                         flow.priority < 0 ? priority : static_cast<uint8_t>(flow.priority)});
    }
    return flows;
}

} // namespace ns3
