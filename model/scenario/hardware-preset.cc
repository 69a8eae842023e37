/* SPDX-License-Identifier: GPL-2.0-only */
#include "hardware-preset.h"

#include "../document/attribute-reader.h"
#include "../document/document-loader.h"
#include "scenario-families.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("HardwarePreset");

namespace
{

const std::string FILE_END = ".yaml";

const DocumentTable<HardwarePreset::Entry>&
GetEntryKeys()
{
    using S = HardwarePreset::Entry;
    static const DocumentTable<S> table(
        "hardware-value",
        {Key("set", &S::set, Form::Text(), "ns3::Class::Attribute.").Required(),
         Key("to", &S::to, Form::Text(), "Its default.").Required(),
         Key("kind", &S::kind, Form::Choice<HardwareValueKind>(), "What the value rests on.")
             .Required(),
         Key("source", &S::source, Form::Text(), "Where it is from.").Required()});
    return table;
}

const DocumentTable<HardwarePreset>&
GetPresetKeys()
{
    using S = HardwarePreset;
    static const DocumentTable<S> table(
        "hardware",
        {DocumentKey<S>("schema",
                        Form::Word({"gpu-fabric-hardware/1"}).shape,
                        "Version of this format.")
             .Required(),
         Key("name", &S::name, Form::Text(), "Name of the preset.").Required(),
         Key("about", &S::about, Form::Text(), "What hardware, in a sentence.").Required(),
         Key("collective",
             &S::collective,
             Form::Typed(ScenarioFamilies::COLLECTIVE),
             "Algorithm of jobs that name none."),
         DocumentKey<S>("values",
                        ValueShape::List(ValueShape::Block(GetEntryKeys().GetInfo()), 0),
                        "Defaults of attributes.")});
    return table;
}

} // namespace

std::vector<std::string>
HardwarePreset::GetNames()
{
    std::vector<std::string> names;
    for (const auto& [name, text] : GetFiles())
    {
        names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::optional<HardwarePreset>
HardwarePreset::Load(const std::string& name,
                     const SourceMark& mark,
                     const std::string& scenario,
                     Diagnostics& diagnostics)
{
    NS_LOG_FUNCTION(name);
    if (name.size() > FILE_END.size() &&
        name.compare(name.size() - FILE_END.size(), FILE_END.size(), FILE_END) == 0)
    {
        const std::string file = DocumentLoader::Resolve(name, scenario);
        std::string error;
        const std::optional<std::string> text = DocumentLoader::ReadText(file, error);
        if (!text)
        {
            diagnostics.Error(mark, "hardware", error);
            return std::nullopt;
        }
        return Parse(file, *text, diagnostics);
    }
    for (const auto& [known, text] : GetFiles())
    {
        if (known == name)
        {
            return Parse("preset " + name, text, diagnostics);
        }
    }
    diagnostics.Error(mark, "hardware", Diagnostics::Unknown("preset", name, GetNames()));
    return std::nullopt;
}

std::optional<HardwarePreset>
HardwarePreset::Parse(const std::string& file, const std::string& text, Diagnostics& diagnostics)
{
    const std::optional<DocumentNode> root = DocumentNode::Parse(file, text, diagnostics);
    if (!root)
    {
        return std::nullopt;
    }
    const auto errors = diagnostics.GetErrorCount();
    DocumentContext context{diagnostics};
    HardwarePreset preset;
    const DocumentBlock top = GetPresetKeys().Read(*root, "", context, preset);
    const std::vector<DocumentNode>* list = top.GetList("values");
    for (std::size_t i = 0; list != nullptr && i < list->size(); i++)
    {
        const std::string path = "values[" + std::to_string(i) + "]";
        Entry entry;
        const DocumentBlock block = GetEntryKeys().Read((*list)[i], path, context, entry);
        const DocumentNode* set = block.Find("set");
        const DocumentNode* to = block.Find("to");
        if (set == nullptr || to == nullptr)
        {
            continue; // the fault is told
        }
        DocumentNode setting;
        setting.kind = DocumentNode::Kind::MAP;
        setting.file = root->file;
        setting.keys = {*set};
        setting.items = {*to};
        for (AttributeSetting& value : AttributeReader(diagnostics).ReadDefaults(setting, path))
        {
            preset.values.push_back({std::move(value), entry.kind, entry.source});
        }
    }
    return diagnostics.GetErrorCount() > errors ? std::nullopt
                                                : std::optional<HardwarePreset>(std::move(preset));
}

} // namespace ns3
