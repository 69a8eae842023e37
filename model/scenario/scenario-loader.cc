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

/// Whether `jobs:` maps names of jobs to their keys, or to nothing; a trace has a scalar, its file.
bool
IsChangeOfJobs(const DocumentNode& jobs)
{
    return jobs.IsMap() && std::all_of(jobs.items.begin(), jobs.items.end(), [](const auto& item) {
               return item.IsMap() || item.kind == DocumentNode::Kind::NONE;
           });
}

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
        const auto index = mine - node.keys.begin();
        DocumentNode& item = node.items[index];
        const DocumentNode& inherited = base.items[i];
        if (top && key == "jobs" && inherited.IsList() && IsChangeOfJobs(item))
        {
            InheritJobs(item, inherited);
        }
        if (item.kind == DocumentNode::Kind::NONE || (item.IsList() && item.items.empty()))
        {
            node.keys.erase(node.keys.begin() + index);
            node.items.erase(node.items.begin() + index);
        }
        else if (item.IsMap() && inherited.IsMap())
        {
            const DocumentNode* type = item.Find("type");
            const DocumentNode* baseType = inherited.Find("type");
            if (type == nullptr || baseType == nullptr || type->text == baseType->text)
            {
                Inherit(item, inherited, false);
            }
        }
    }
}

void
ScenarioLoader::InheritJobs(DocumentNode& jobs, const DocumentNode& base)
{
    DocumentNode list = base;
    list.items.clear();
    std::vector<bool> used(jobs.keys.size(), false);
    for (const DocumentNode& job : base.items)
    {
        const DocumentNode* name = job.IsMap() ? job.Find("name") : nullptr;
        const auto change = std::find_if(jobs.keys.begin(), jobs.keys.end(), [name](const auto& k) {
            return name != nullptr && name->IsScalar() && name->text == k.text;
        });
        if (change == jobs.keys.end())
        {
            list.items.push_back(job);
            continue;
        }
        const auto index = change - jobs.keys.begin();
        used[index] = true;
        if (jobs.items[index].IsMap())
        {
            list.items.push_back(jobs.items[index]);
            Inherit(list.items.back(), job, false);
        }
    }
    for (std::size_t i = 0; i < jobs.keys.size(); i++)
    {
        if (used[i])
        {
            continue;
        }
        if (!jobs.items[i].IsMap())
        {
            std::vector<std::string> names;
            for (const DocumentNode& job : base.items)
            {
                const DocumentNode* name = job.IsMap() ? job.Find("name") : nullptr;
                names.push_back(name != nullptr ? name->text : "");
            }
            m_diagnostics.Error(jobs.keys[i].GetMark(),
                                "jobs",
                                Diagnostics::Unknown("job", jobs.keys[i].text, names));
            continue;
        }
        DocumentNode added = jobs.items[i];
        if (added.Find("name") == nullptr)
        {
            DocumentNode key = jobs.keys[i];
            key.text = "name";
            added.keys.insert(added.keys.begin(), key);
            added.items.insert(added.items.begin(), jobs.keys[i]);
        }
        list.items.push_back(added);
    }
    jobs = list;
}

} // namespace ns3
