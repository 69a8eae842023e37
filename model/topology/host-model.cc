/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/host-model.h"

#include "ns3/log.h"
#include "ns3/quantity-value.h"
#include "ns3/topology-generator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("HostModel");

NS_OBJECT_ENSURE_REGISTERED(HostModel);

TypeId
HostModel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::HostModel")
            .SetParent<Object>()
            .SetGroupName("GpuFabric")
            .AddAttribute(
                "PcieRate",
                "Rate of a PCIe link of 16 lanes in each direction, after line coding; 0: "
                "that of the model.",
                BitRateValue(0),
                MakeBitRateAccessor(&HostModel::m_pcieRate),
                MakeBitRateChecker())
            .AddAttribute("PcieDelay",
                          "Time that a PCIe link and the switch behind it take. An assumption: "
                          "figures of switches go from 100 to 200 ns.",
                          TimeValue(NanoSeconds(150)),
                          MakeTimeAccessor(&HostModel::m_pcieDelay),
                          MakeTimeChecker(PicoSeconds(0)))
            .AddAttribute("PciePayload",
                          "Most payload of a PCIe packet (Max_Payload_Size).",
                          ByteSizeValue(256),
                          MakeByteSizeAccessor(&HostModel::m_pciePayload),
                          MakeByteSizeChecker(1, UINT32_MAX))
            .AddAttribute("PcieHeader",
                          "What a PCIe packet has beside its payload: 4 bytes of framing, 16 of "
                          "header with 64-bit addresses, 4 of LCRC.",
                          ByteSizeValue(24),
                          MakeByteSizeAccessor(&HostModel::m_pcieHeader),
                          MakeByteSizeChecker(0, 4096))
            .AddAttribute("NvlinkRate",
                          "Rate at which a GPU sends over all its NVLinks to NVSwitches, or over "
                          "one direct NVLink; 0: that of the model.",
                          BitRateValue(0),
                          MakeBitRateAccessor(&HostModel::m_nvlinkRate),
                          MakeBitRateChecker())
            .AddAttribute("NvlinkDelay",
                          "Time that an NVLink, and an NVSwitch behind it, takes. An assumption.",
                          TimeValue(NanoSeconds(150)),
                          MakeTimeAccessor(&HostModel::m_nvlinkDelay),
                          MakeTimeChecker(PicoSeconds(0)))
            .AddAttribute("NvlinkPayload",
                          "Most payload of an NVLink packet.",
                          ByteSizeValue(256),
                          MakeByteSizeAccessor(&HostModel::m_nvlinkPayload),
                          MakeByteSizeChecker(1, UINT32_MAX))
            .AddAttribute("NvlinkHeader",
                          "What an NVLink packet has beside its payload: a flit.",
                          ByteSizeValue(16),
                          MakeByteSizeAccessor(&HostModel::m_nvlinkHeader),
                          MakeByteSizeChecker(0, 4096));
    return tid;
}

HostLayout
HostModel::MakeLayout() const
{
    Plan plan = MakePlan();
    plan.pcieBps = m_pcieRate > 0 ? m_pcieRate : plan.pcieBps;
    plan.nvlinkBps = m_nvlinkRate > 0 ? m_nvlinkRate : plan.nvlinkBps;

    HostLayout layout;
    layout.name = GetModelName();
    layout.gpus = plan.gpus;
    layout.nics = plan.nics;
    layout.pciePayload = m_pciePayload;
    layout.pcieHeader = m_pcieHeader;
    layout.nvlinkPayload = m_nvlinkPayload;
    layout.nvlinkHeader = m_nvlinkHeader;
    const auto add = [&layout](const char* name, TopologyNodeKind kind, uint32_t count) {
        const auto first = static_cast<uint32_t>(layout.parts.size());
        for (uint32_t i = 0; i < count; i++)
        {
            layout.parts.push_back({name + std::to_string(i), kind});
        }
        return first;
    };
    const uint32_t gpu = add("gpu", TopologyNodeKind::GPU, plan.gpus);
    const uint32_t nic = add("nic", TopologyNodeKind::NIC, plan.nics);
    const uint32_t pcie = add("pcie", TopologyNodeKind::PCIE_SWITCH, plan.pcieSwitches);
    const uint32_t root = add("root", TopologyNodeKind::ROOT_COMPLEX, plan.roots);
    const uint32_t nvswitch = add("nvswitch", TopologyNodeKind::NVSWITCH, plan.nvswitches);
    const auto join = [&layout](uint32_t a, uint32_t b, uint64_t bps, Time delay, bool nvlink) {
        layout.links.push_back({a,
                                b,
                                bps,
                                delay.GetPicoSeconds(),
                                nvlink ? TopologyLinkKind::NVLINK : TopologyLinkKind::PCIE});
    };
    // Spread evenly, with neighbours together: GPU g and NIC floor(g N / G) share a switch.
    for (uint32_t i = 0; i < plan.gpus; i++)
    {
        join(gpu + i, pcie + i * plan.pcieSwitches / plan.gpus, plan.pcieBps, m_pcieDelay, false);
    }
    for (uint32_t i = 0; i < plan.nics; i++)
    {
        join(nic + i, pcie + i * plan.pcieSwitches / plan.nics, plan.pcieBps, m_pcieDelay, false);
    }
    for (uint32_t i = 0; i < plan.pcieSwitches; i++)
    {
        join(pcie + i, root + i * plan.roots / plan.pcieSwitches, plan.pcieBps, m_pcieDelay, false);
    }
    for (uint32_t i = 0; i < plan.roots; i++)
    {
        for (uint32_t j = i + 1; j < plan.roots; j++)
        {
            join(root + i, root + j, plan.socketBps, m_pcieDelay, false);
        }
    }
    for (uint32_t i = 0; i < plan.gpus; i++)
    {
        for (uint32_t plane = 0; plane < plan.nvswitches; plane++)
        {
            join(gpu + i, nvswitch + plane, plan.nvlinkBps / plan.nvswitches, m_nvlinkDelay, true);
        }
    }
    for (const auto& [pair, count] : plan.mesh)
    {
        join(gpu + pair.first, gpu + pair.second, plan.nvlinkBps * count, m_nvlinkDelay, true);
    }
    return layout;
}

std::vector<std::string>
HostModel::AddTo(ClusterTopology& topology) const
{
    NS_LOG_FUNCTION(this << GetModelName());
    if (topology.HasInsides())
    {
        return {"the topology says itself what is inside its hosts: leave host out"};
    }
    const HostLayout layout = MakeLayout();
    std::vector<std::string> faults = layout.Validate();
    std::vector<uint32_t> hosts;
    for (uint32_t node = 0; node < topology.GetNetworkNodeCount(); node++)
    {
        const TopologyNode& host = topology.GetNodes()[node];
        if (host.kind != TopologyNodeKind::HOST)
        {
            continue;
        }
        hosts.push_back(node);
        if (faults.empty() && (host.gpus != layout.gpus || host.ports.size() != layout.nics))
        {
            faults.push_back(layout.name + " has " + std::to_string(layout.gpus) + " GPUs and " +
                             std::to_string(layout.nics) + " NICs, but " + host.name + " has " +
                             std::to_string(host.gpus) + " and " +
                             std::to_string(host.ports.size()));
        }
    }
    const uint64_t links = topology.GetLinks().size() + hosts.size() * layout.links.size();
    if (links > TopologyGenerator::MAX_LINKS)
    {
        faults.push_back("with the insides of hosts there are " + std::to_string(links) +
                         " links: at most " + std::to_string(TopologyGenerator::MAX_LINKS) +
                         " are supported");
    }
    if (faults.empty())
    {
        for (const uint32_t host : hosts)
        {
            topology.AddInside(host, layout);
        }
    }
    return faults;
}

} // namespace ns3
