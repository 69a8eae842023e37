/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-loader.h"

#include "../document/document-loader.h"

#include "ns3/log.h"

#include <algorithm>
#include <filesystem>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ScenarioLoader");

namespace fs = std::filesystem;

namespace
{

constexpr std::size_t MAX_EXTENDS = 16; ///< length of a chain of files, to bound the stack

} // namespace

ScenarioLoader::ScenarioLoader(Diagnostics& diagnostics)
    : m_diagnostics(diagnostics)
{
}

std::optional<DocumentNode>
ScenarioLoader::Load(const std::string& file)
{
    m_open.clear();
    m_text.clear();
    return LoadOne(file, nullptr);
}

std::optional<DocumentNode>
ScenarioLoader::LoadOne(const std::string& file, const DocumentNode* extends)
{
    const SourceMark from = extends == nullptr ? SourceMark{file, 0, 0} : extends->GetMark();
    const std::string path = extends == nullptr ? "" : "extends";
    const std::string subject = extends == nullptr ? "" : Diagnostics::Quote(file) + ": ";
    std::string error;
    const std::optional<std::string> text = DocumentLoader::ReadText(file, error);
    if (!text)
    {
        m_diagnostics.Error(from, path, subject + error);
        return std::nullopt;
    }
    std::error_code code;
    const std::string canonical = fs::weakly_canonical(file, code).string();
    if (std::find(m_open.begin(), m_open.end(), canonical) != m_open.end())
    {
        m_diagnostics.Error(from, path, subject + "the files extend each other in a circle");
        return std::nullopt;
    }
    if (m_open.size() >= MAX_EXTENDS)
    {
        m_diagnostics.Error(from,
                            path,
                            subject + "more than " + std::to_string(MAX_EXTENDS) +
                                " files extend each other");
        return std::nullopt;
    }
    NS_LOG_INFO("read " << file << ", " << text->size() << " bytes");
    m_text += (extends == nullptr ? "" : "\n# extends: " + extends->text + "\n") + *text;
    std::optional<DocumentNode> node = DocumentNode::Parse(file, *text, m_diagnostics);
    if (!node)
    {
        return std::nullopt;
    }
    if (!node->IsMap())
    {
        m_diagnostics.Error(node->GetMark(),
                            "",
                            "a scenario is a map of keys, not " + node->GetKindName());
        return std::nullopt;
    }

    const std::string wanted = std::string("write \"schema: ") + SCHEMA + "\"";
    const DocumentNode* schema = node->Find("schema");
    if (schema == nullptr || !schema->IsScalar() || schema->text != SCHEMA)
    {
        // Another version may give every other key another meaning: report nothing more.
        m_diagnostics.Error(schema == nullptr ? SourceMark{file, 1, 1} : schema->GetMark(),
                            "schema",
                            schema == nullptr    ? "is missing: " + wanted
                            : schema->IsScalar() ? Diagnostics::Quote(schema->text) +
                                                       " is not a schema of this version: " + wanted
                                                 : "is " + schema->GetKindName() + ": " + wanted);
        return std::nullopt;
    }
    const DocumentNode* base = node->Find("extends");
    if (base == nullptr)
    {
        return node;
    }
    if (!base->IsScalar() || base->text.empty())
    {
        m_diagnostics.Error(base->GetMark(), "extends", "wants the name of a scenario file");
        return std::nullopt;
    }
    m_open.push_back(canonical);
    const std::optional<DocumentNode> inherited =
        LoadOne(DocumentLoader::Resolve(base->text, file), base);
    m_open.pop_back();
    if (!inherited)
    {
        return std::nullopt;
    }
    Inherit(*node, *inherited, true);
    return node;
}

void
ScenarioLoader::Inherit(DocumentNode& node, const DocumentNode& base, bool top)
{
    for (std::size_t i = 0; i < base.keys.size(); i++)
    {
        const std::string& key = base.keys[i].text;
        const auto mine = std::find_if(node.keys.begin(), node.keys.end(), [&key](const auto& k) {
            return k.text == key;
        });
        if (mine == node.keys.end())
        {
            const bool replaced = top && ((key == "scheduler" && node.Find("compare")) ||
                                          (key == "compare" && node.Find("scheduler")));
            if (!replaced)
            {
                node.keys.push_back(base.keys[i]);
                node.items.push_back(base.items[i]);
            }
            continue;
        }
        DocumentNode& item = node.items[mine - node.keys.begin()];
        if (item.IsMap() && base.items[i].IsMap())
        {
            const DocumentNode* type = item.Find("type");
            const DocumentNode* baseType = base.items[i].Find("type");
            if (type == nullptr || baseType == nullptr || type->text == baseType->text)
            {
                Inherit(item, base.items[i], false);
            }
        }
    }
}

} // namespace ns3
