/* SPDX-License-Identifier: GPL-2.0-only */
#include "congestion-check.h"

#include "ns3/fabric-switch.h"
#include "ns3/node.h"
#include "ns3/roce-nic.h"

#include <map>
#include <string>

namespace ns3
{

namespace
{

/// A rate in Gb/s, with up to three decimals.
std::string
ToGigabits(uint64_t rateBps)
{
    constexpr uint64_t MEGABIT = 1'000'000;
    std::string text = std::to_string(rateBps / (1'000 * MEGABIT));
    if (const uint64_t rest = rateBps / MEGABIT % 1'000; rest != 0)
    {
        std::string fraction = std::to_string(1'000 + rest).substr(1);
        fraction.erase(fraction.find_last_not_of('0') + 1);
        text += "." + fraction;
    }
    return text + " Gb/s";
}

} // namespace

CongestionCheck::CongestionCheck(const Scenario& scenario, const FabricHelper& network)
    : m_scenario(scenario),
      m_network(network)
{
    std::map<uint64_t, uint32_t> byRate;
    const ClusterTopology& topology = scenario.graph;
    for (uint32_t node = 0; node < topology.GetNetworkNodeCount(); ++node)
    {
        if (topology.GetNodes()[node].kind == TopologyNodeKind::HOST)
        {
            for (const uint32_t port : topology.GetNodes()[node].ports)
            {
                byRate.emplace(topology.GetPortRate(port), port);
            }
        }
    }
    for (const auto& [rate, port] : byRate)
    {
        m_nics.push_back(port);
    }
}

void
CongestionCheck::Check(Diagnostics& diagnostics) const
{
    for (const uint32_t nic : m_nics)
    {
        const DesignRates rates = DynamicCast<RoceNic>(m_network.GetDevice(nic))
                                      ->GetCongestionControl()
                                      ->GetDesignRates();
        const uint64_t rate = m_scenario.graph.GetPortRate(nic);
        if (!rates.IsFar(rate))
        {
            continue;
        }
        SourceMark mark;
        for (const AttributeSetting& setting : m_scenario.defaults)
        {
            if (setting.name == "ns3::Dcqcn::Preset" ||
                (setting.name == "ns3::RoceNic::CongestionControl" && mark.line == 0))
            {
                mark = setting.mark;
            }
        }
        const std::string meant =
            rates.lowBps == rates.highBps
                ? ToGigabits(rates.lowBps)
                : ToGigabits(rates.lowBps) + " to " + ToGigabits(rates.highBps);
        diagnostics.Warning(mark,
                            "defaults",
                            rates.parameters + " is meant for NICs of " + meant + ", and " +
                                m_scenario.graph.GetPortName(nic) + " has " + ToGigabits(rate) +
                                ": flows get their rates back too slowly, or do not share evenly "
                                "(doc/validation.rst has a table; preset scaled fits every rate)");
    }
}

std::vector<PresetValue>
CongestionCheck::GetPresetValues() const
{
    std::vector<PresetValue> values;
    if (!m_nics.empty())
    {
        const uint32_t nic = m_nics.back();
        values = DynamicCast<RoceNic>(m_network.GetDevice(nic))
                     ->GetCongestionControl()
                     ->GetPresetValues(m_scenario.graph.GetPortRate(nic));
    }
    for (uint32_t node = 0; node < m_scenario.graph.GetNetworkNodeCount(); ++node)
    {
        if (const auto configuration = m_network.GetNode(node)->GetObject<FabricSwitch>())
        {
            const auto marking = configuration->GetEcnMarker()->GetPresetValues();
            values.insert(values.end(), marking.begin(), marking.end());
            break;
        }
    }
    return values;
}

} // namespace ns3
