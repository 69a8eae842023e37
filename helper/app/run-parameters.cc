/* SPDX-License-Identifier: GPL-2.0-only */
#include "run-parameters.h"

#include "../../model/document/attribute-reader.h"
#include "../../model/scenario/input-digests.h"

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

/// Calls f with each attribute of all registered types, its type and its full name.
void
ForEachAttribute(const std::function<
                 void(const TypeId&, const std::string&, const TypeId::AttributeInformation&)>& f)
{
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        for (std::size_t a = 0; a < tid.GetAttributeN(); ++a)
        {
            // A deprecated attribute is the old name of another one.
            if (tid.GetAttribute(a).supportLevel == TypeId::SupportLevel::SUPPORTED)
            {
                f(tid, tid.GetAttributeFullName(a), tid.GetAttribute(a));
            }
        }
    }
}

/// Whether a type is one of this module, or of a user's program that extends it.
bool
IsOfModule(const TypeId& tid)
{
    return tid.GetGroupName() == "GpuFabric";
}

/// Whether the value can be written as text that ns-3 reads back; that of a pointer is an address.
bool
HasText(const TypeId::AttributeInformation& info)
{
    const std::string type = info.checker->GetValueTypeName();
    return type != "ns3::PointerValue" && type != "ns3::CallbackValue" &&
           type != "ns3::ObjectPtrContainerValue";
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
                     const std::vector<std::string>& others,
                     bool seedGiven)
{
    m_seedGiven = seedGiven;
    // ns-3's own types too: a user's congestion control may be built of them.
    ForEachAttribute(
        [&](const TypeId&, const std::string& name, const TypeId::AttributeInformation& info) {
            const bool isGiven = std::find(given.begin(), given.end(), name) != given.end();
            // The same object: ns-3 replaces it when a default is set. There are thousands of them.
            if (!HasText(info) || (!isGiven && info.initialValue == info.originalInitialValue))
            {
                return;
            }
            const std::string value = GetText(info.initialValue, info);
            if (isGiven || value != GetText(info.originalInitialValue, info))
            {
                m_overridden.push_back(name);
                m_overrides.push_back(name + "=" + value);
                if (AttributeReader::GetForm(info) == AttributeForm::FILE)
                {
                    m_digests.push_back("digest of " + name + "=" + InputDigests::Digest(value));
                }
            }
        });
    m_overrides.insert(m_overrides.end(), others.begin(), others.end());
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
            m_scenario[setting.name] = setting.origin;
        }
    }
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
    // Which engine runs the events does not change a result.
    const auto isOfEngine = [](const std::string& setting) {
        const std::string name = setting.substr(0, setting.find('='));
        return name == "SimulatorImplementationType" || name == "SchedulerType";
    };
    identity.overrides.erase(
        std::remove_if(identity.overrides.begin(), identity.overrides.end(), isOfEngine),
        identity.overrides.end());
    identity.overrides.insert(identity.overrides.end(), m_digests.begin(), m_digests.end());
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
RunParameters::GetRows(const Scenario& scenario,
                       const TypedBlock& scheduler,
                       uint32_t run,
                       const std::vector<PresetValue>& presets) const
{
    std::vector<ParameterRow> rows;
    ForEachAttribute(
        [&](const TypeId& tid, const std::string& name, const TypeId::AttributeInformation& info) {
            if (!(info.flags & TypeId::ATTR_SET) && !(info.flags & TypeId::ATTR_CONSTRUCT))
            {
                return;
            }
            if (!IsOfModule(tid) && !Contains(m_overridden, name) && m_scenario.count(name) == 0)
            {
                return;
            }
            std::string origin = "default";
            if (Contains(m_overridden, name))
            {
                origin = "command line";
            }
            else if (const auto set = m_scenario.find(name); set != m_scenario.end())
            {
                origin = set->second;
            }
            const auto preset =
                std::find_if(presets.begin(), presets.end(), [&name](const PresetValue& value) {
                    return value.attribute == name;
                });
            if (preset != presets.end())
            {
                rows.push_back({run, name, GetText(preset->value, info), "preset"});
                return;
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
