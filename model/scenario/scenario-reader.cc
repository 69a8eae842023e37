/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-reader.h"

#include "../document/document-reference.h"
#include "../document/document-schema.h"
#include "input-digests.h"
#include "scenario-loader.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ScenarioReader");

ScenarioReader::ScenarioReader(Diagnostics& diagnostics)
    : m_diagnostics(diagnostics)
{
}

const BlockKeys&
ScenarioReader::GetKeys()
{
    return ScenarioTreeReader::GetKeys().GetInfo();
}

void
ScenarioReader::PrintSchema(std::ostream& os)
{
    DocumentSchema::Print(os, "gpu-fabric scenario", GetKeys());
}

void
ScenarioReader::PrintReference(std::ostream& os)
{
    DocumentReference::Print(
        os,
        "Keys of scenario files",
        "``./gpu-fabric run --print-reference`` prints this page from the declarations by which\n"
        "scenarios are read; `scenario.rst <scenario.rst>`_ and `jobs.rst <jobs.rst>`_ explain\n"
        "the keys. A map with a type has the attributes of that type beside the keys below:\n"
        "``--print-schema`` lists them. Times, sizes and rates have a unit: ``5us``, ``25MB``,\n"
        "``100Gbps``.",
        GetKeys());
}

void
ScenarioReader::SetModelCheck(ModelCheck check)
{
    m_modelCheck = std::move(check);
}

void
ScenarioReader::SetOverridden(std::vector<std::string> attributes)
{
    m_overridden = std::move(attributes);
}

std::optional<Scenario>
ScenarioReader::Read(const std::string& file, Diagnostics& diagnostics)
{
    return ScenarioReader(diagnostics).Read(file);
}

std::optional<Scenario>
ScenarioReader::ReadTree(const DocumentNode& root, const std::string& file, const std::string& text)
{
    return ScenarioTreeReader({m_diagnostics, m_overridden}, m_modelCheck).Read(root, file, text);
}

std::optional<Scenario>
ScenarioReader::Read(const std::string& file, const std::optional<uint64_t>& point)
{
    ScenarioLoader loader(m_diagnostics);
    const std::optional<DocumentNode> root = loader.Load(file);
    if (!root)
    {
        return std::nullopt;
    }
    const DocumentNode* const node = root->Find("sweep");
    if (node == nullptr)
    {
        if (point)
        {
            m_diagnostics.Error({file, 0, 0}, "", "there is no sweep, and so no point of it");
            return std::nullopt;
        }
        std::optional<Scenario> scenario = ReadTree(*root, file, loader.GetText());
        if (scenario)
        {
            scenario->commonText += InputDigests().GetText(*root);
        }
        return scenario;
    }
    const std::optional<ScenarioSweep> sweep = ScenarioSweep::Read(*root, m_diagnostics);
    if (!sweep)
    {
        return std::nullopt;
    }
    const std::string last = std::to_string(sweep->GetPointCount());
    if (point && *point < sweep->GetPointCount())
    {
        return ReadPoint(*sweep, *point, file);
    }
    if (point)
    {
        m_diagnostics.Error(node->GetMark(),
                            "sweep",
                            "there is no point " + std::to_string(*point + 1) +
                                ": they are numbered 1 to " + last);
    }
    else if (CheckPoints(*sweep, file, nullptr))
    {
        m_diagnostics.Error(node->GetMark(),
                            "sweep",
                            "is not one run but " + last +
                                ": `gpu-fabric sweep` runs them, --point=1 the first");
    }
    return std::nullopt;
}

bool
ScenarioReader::HasSweep(const std::string& file)
{
    Diagnostics ignored;
    const std::optional<DocumentNode> root = ScenarioLoader(ignored).Load(file);
    return root && root->Find("sweep") != nullptr;
}

std::optional<ScenarioSweep>
ScenarioReader::ReadSweep(const std::string& file, const PointCheck& check)
{
    const std::optional<DocumentNode> root = ScenarioLoader(m_diagnostics).Load(file);
    if (!root)
    {
        return std::nullopt;
    }
    if (root->Find("sweep") == nullptr)
    {
        m_diagnostics.Error({file, 0, 0}, "sweep", "is missing: there is nothing to vary");
        return std::nullopt;
    }
    std::optional<ScenarioSweep> sweep = ScenarioSweep::Read(*root, m_diagnostics);
    return sweep && CheckPoints(*sweep, file, check) ? sweep : std::nullopt;
}

std::optional<Scenario>
ScenarioReader::ReadPoint(const ScenarioSweep& sweep, std::size_t point, const std::string& file)
{
    const std::optional<DocumentNode> tree = sweep.GetTree(point, m_diagnostics);
    if (!tree)
    {
        return std::nullopt;
    }
    const std::string text = sweep.GetText(*tree);
    std::optional<Scenario> scenario = ReadTree(*tree, file, text);
    if (scenario)
    {
        // Text that was read in addition to the tree belongs to both.
        scenario->commonText = sweep.GetCommonText(*tree) + scenario->text.substr(text.size());
    }
    return scenario;
}

bool
ScenarioReader::CheckPoints(const ScenarioSweep& sweep,
                            const std::string& file,
                            const PointCheck& check)
{
    std::vector<Diagnostics::Variant> variants;
    for (std::size_t point = 0; point < sweep.GetPointCount(); point += sweep.GetSeedCount())
    {
        const std::string name =
            "point " + std::to_string(point + 1) + " (" + sweep.GetLabel(point) + ")";
        variants.push_back({name, {}});
        Diagnostics& diagnostics = variants.back().diagnostics;
        ScenarioReader reader(diagnostics);
        reader.SetModelCheck(m_modelCheck);
        reader.SetOverridden(m_overridden);
        NS_LOG_INFO(name);
        std::optional<Scenario> scenario = reader.ReadPoint(sweep, point, file);
        if (scenario && check)
        {
            check(point, *scenario, diagnostics);
        }
    }
    m_diagnostics.Merge(variants);
    return std::none_of(variants.begin(), variants.end(), [](const auto& variant) {
        return variant.diagnostics.HasErrors();
    });
}

} // namespace ns3
