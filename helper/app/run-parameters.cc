/* SPDX-License-Identifier: GPL-2.0-only */
#include "run-parameters.h"

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <charconv>
#include <functional>

namespace ns3
{

namespace
{

/// Calls f with each attribute of the module's types and its full name.
void
ForEachAttribute(
    const std::function<void(const std::string&, const TypeId::AttributeInformation&)>& f)
{
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        TypeId tid = TypeId::GetRegistered(i);
        if (tid.GetGroupName() != "GpuFabric")
        {
            continue;
        }
        for (std::size_t a = 0; a < tid.GetAttributeN(); ++a)
        {
            // A deprecated attribute is the old name of another one.
            if (tid.GetAttribute(a).supportLevel == TypeId::SupportLevel::SUPPORTED)
            {
                f(tid.GetAttributeFullName(a), tid.GetAttribute(a));
            }
        }
    }
}

/// The value as ns-3 reads it back, exactly: ns-3 writes only six digits of a time or a number.
std::string
GetText(const Ptr<const AttributeValue>& value, const TypeId::AttributeInformation& info)
{
    if (const auto time = DynamicCast<const TimeValue>(value))
    {
        return std::to_string(time->Get().GetTimeStep()) + "ps";
    }
    if (const auto number = DynamicCast<const DoubleValue>(value))
    {
        char text[32];
        const auto end = std::to_chars(text, text + sizeof(text), number->Get()).ptr;
        return std::string(text, end);
    }
    return value->SerializeToString(info.checker);
}

bool
Contains(const std::vector<std::string>& sorted, const std::string& name)
{
    return std::binary_search(sorted.begin(), sorted.end(), name);
}

} // namespace

void
RunParameters::Apply(const Scenario& scenario,
                     const std::vector<std::string>& given,
                     bool seedGiven)
{
    m_seedGiven = seedGiven;
    ForEachAttribute([&](const std::string& name, const TypeId::AttributeInformation& info) {
        std::string value = GetText(info.initialValue, info);
        if (std::find(given.begin(), given.end(), name) != given.end() ||
            value != GetText(info.originalInitialValue, info))
        {
            m_overridden.push_back(name);
            m_overrides.push_back(name + "=" + value);
        }
    });
    std::sort(m_overridden.begin(), m_overridden.end());
    std::sort(m_overrides.begin(), m_overrides.end());
    for (const AttributeSetting& setting : scenario.defaults)
    {
        if (!Contains(m_overridden, setting.name))
        {
            const std::size_t colons = setting.name.rfind("::");
            TypeId::AttributeInformation info;
            if (TypeId::LookupByName(setting.name.substr(0, colons))
                    .LookupAttributeByName(setting.name.substr(colons + 2), &info))
            {
                m_before.emplace_back(setting.name, info.initialValue);
            }
            Config::SetDefault(setting.name, StringValue(setting.value));
            m_scenario.push_back(setting.name);
        }
    }
    std::sort(m_scenario.begin(), m_scenario.end());
}

void
RunParameters::Restore()
{
    for (auto before = m_before.rbegin(); before != m_before.rend(); ++before)
    {
        Config::SetDefault(before->first, *before->second);
    }
    m_before.clear();
}

RunIdentity
RunParameters::GetIdentity(const Scenario& scenario,
                           const TypedBlock& scheduler,
                           const std::string& version) const
{
    RunIdentity identity{scenario.commonText,
                         GetBlockText(scheduler),
                         scenario.seed,
                         m_overrides,
                         version};
    if (scenario.solo != SoloPaths::NONE)
    {
        // The command line can request it.
        identity.overrides.push_back(scenario.solo == SoloPaths::ECMP ? "solo=ecmp"
                                                                      : "solo=selected");
    }
    return identity;
}

std::string
RunParameters::GetBlockText(const TypedBlock& block)
{
    std::string text = block.typeName;
    for (const AttributeSetting& setting : block.attributes)
    {
        text += " " + setting.name + "=" + setting.value;
    }
    return text;
}

std::vector<ParameterRow>
RunParameters::GetRows(const Scenario& scenario, const TypedBlock& scheduler, uint32_t run) const
{
    std::vector<ParameterRow> rows;
    ForEachAttribute([&](const std::string& name, const TypeId::AttributeInformation& info) {
        if (!(info.flags & TypeId::ATTR_SET) && !(info.flags & TypeId::ATTR_CONSTRUCT))
        {
            return;
        }
        std::string origin = "default";
        if (Contains(m_overridden, name))
        {
            origin = "command line";
        }
        else if (Contains(m_scenario, name))
        {
            origin = "scenario";
        }
        rows.push_back({run, name, GetText(info.initialValue, info), origin});
    });
    const auto addBlock = [&](const std::string& key, const TypedBlock& block) {
        rows.push_back({run, key + ".type", block.typeName, "scenario"});
        for (const AttributeSetting& setting : block.attributes)
        {
            rows.push_back({run, key + "." + setting.name, setting.value, "scenario"});
        }
    };
    addBlock("topology", scenario.topology);
    if (!scenario.host.typeId.empty())
    {
        addBlock("host", scenario.host);
    }
    addBlock("placement", scenario.placement);
    addBlock("scheduler", scheduler);
    rows.push_back(
        {run, "seed", std::to_string(scenario.seed), m_seedGiven ? "command line" : "scenario"});
    return rows;
}

} // namespace ns3
