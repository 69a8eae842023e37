/* SPDX-License-Identifier: GPL-2.0-only */
#include "document-block.h"

#include "../base/unit-parser.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr std::size_t MAX_TEXT = 200; ///< characters of a name or text

bool
IsName(const std::string& text)
{
    return !text.empty() &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._-") == std::string::npos;
}

} // namespace

DocumentBlock::DocumentBlock(const DocumentNode& node,
                             const std::string& block,
                             const std::string& path,
                             Diagnostics& diagnostics)
    : m_node(node),
      m_block(block),
      m_path(path),
      m_diagnostics(diagnostics)
{
    const std::vector<ScenarioKey>& table = ScenarioKeys::Get(block);
    std::vector<std::string> names;
    for (const ScenarioKey& key : table)
    {
        if (key.form != KeyForm::NOT_SUPPORTED)
        {
            names.emplace_back(key.name);
        }
    }
    if (!node.IsMap())
    {
        std::sort(names.begin(), names.end());
        std::string list;
        for (const std::string& name : names)
        {
            list += (list.empty() ? "" : ", ") + name;
        }
        m_diagnostics.Error(node.GetMark(),
                            path,
                            "wants a map of keys (" + list + "), not " + node.GetKindName());
        m_complete = false;
        return;
    }
    for (std::size_t i = 0; i < node.keys.size(); i++)
    {
        const DocumentNode& key = node.keys[i];
        const ScenarioKey* known = ScenarioKeys::Find(block, key.text);
        const std::string keyPath = GetPath(key.text);
        if (known == nullptr)
        {
            m_unknown = true;
            m_diagnostics.Error(key.GetMark(), path, Diagnostics::Unknown("key", key.text, names));
        }
        else if (known->form == KeyForm::NOT_SUPPORTED)
        {
            m_diagnostics.Error(key.GetMark(), keyPath, "is not supported yet");
        }
        else if (node.items[i].kind == DocumentNode::Kind::NONE)
        {
            m_diagnostics.Error(key.GetMark(), keyPath, "has no value");
            m_complete = m_complete && !known->required;
        }
    }
    for (const ScenarioKey& key : table)
    {
        if (key.required && node.Find(key.name) == nullptr)
        {
            m_diagnostics.Error(node.GetMark(), path, std::string(key.name) + " is missing");
            m_complete = false;
        }
    }
}

const DocumentNode*
DocumentBlock::Find(const std::string& key) const
{
    NS_ASSERT_MSG(ScenarioKeys::Find(m_block, key), key << " is not in table " << m_block);
    const DocumentNode* value = m_node.Find(key);
    return value == nullptr || value->kind == DocumentNode::Kind::NONE ? nullptr : value;
}

SourceMark
DocumentBlock::GetMark(const std::string& key) const
{
    const DocumentNode* value = Find(key);
    return value == nullptr ? m_node.GetMark() : value->GetMark();
}

std::string
DocumentBlock::GetPath(const std::string& key) const
{
    return m_path.empty() ? key : m_path + "." + key;
}

void
DocumentBlock::Error(const std::string& key, const std::string& what) const
{
    m_diagnostics.Error(GetMark(key), GetPath(key), what);
}

const DocumentNode*
DocumentBlock::FindScalar(const std::string& key) const
{
    const DocumentNode* value = Find(key);
    if (value == nullptr || value->IsScalar())
    {
        return value;
    }
    Error(key, "wants a single value, not " + value->GetKindName());
    return nullptr;
}

template <class T, class Parser>
std::optional<T>
DocumentBlock::Parse(const std::string& key, Parser parser) const
{
    const DocumentNode* value = FindScalar(key);
    if (value == nullptr)
    {
        return std::nullopt;
    }
    std::string error;
    const std::optional<T> result = parser(value->text, error);
    if (!result)
    {
        Error(key, error);
    }
    return result;
}

std::optional<std::string>
DocumentBlock::GetText(const std::string& key) const
{
    const ScenarioKey& spec = *ScenarioKeys::Find(m_block, key);
    return Parse<std::string>(key, [&spec](const std::string& text, std::string& error) {
        std::optional<std::string> result = text;
        if (spec.form == KeyForm::CHOICE)
        {
            const std::vector<std::string> words = ScenarioKeys::Split(spec.detail);
            if (std::find(words.begin(), words.end(), text) == words.end())
            {
                error = Diagnostics::Unknown("value", text, words);
                result.reset();
            }
        }
        else if (text.empty() || text.size() > MAX_TEXT)
        {
            error =
                text.empty() ? "is empty" : "is longer than " + std::to_string(MAX_TEXT) + " bytes";
            result.reset();
        }
        else if (spec.form == KeyForm::NAME && !IsName(text))
        {
            error = Diagnostics::Quote(text) +
                    " is not a name: use letters, digits, \"-\", \"_\" and \".\"";
            result.reset();
        }
        return result;
    });
}

std::optional<uint64_t>
DocumentBlock::GetInteger(const std::string& key) const
{
    const ScenarioKey& spec = *ScenarioKeys::Find(m_block, key);
    NS_ASSERT(spec.form == KeyForm::INTEGER);
    return Parse<uint64_t>(key, [&spec](const std::string& text, std::string& error) {
        return UnitParser::ParseUnsigned(text, spec.low, spec.high, error);
    });
}

std::optional<double>
DocumentBlock::GetNumber(const std::string& key) const
{
    return Parse<double>(key, [](const std::string& text, std::string& error) {
        std::optional<double> result = UnitParser::ParseDouble(text, error);
        if (result && *result <= 0)
        {
            error = Diagnostics::Quote(text) + " must be above 0";
            result.reset();
        }
        return result;
    });
}

std::optional<int64_t>
DocumentBlock::GetTime(const std::string& key) const
{
    const ScenarioKey& spec = *ScenarioKeys::Find(m_block, key);
    NS_ASSERT(spec.form == KeyForm::TIME);
    return Parse<int64_t>(key, [&spec](const std::string& text, std::string& error) {
        std::optional<int64_t> result = UnitParser::ParseTime(text, error);
        if (result && *result < static_cast<int64_t>(spec.low))
        {
            error = Diagnostics::Quote(text) + " must be above 0";
            result.reset();
        }
        return result;
    });
}

std::optional<uint64_t>
DocumentBlock::GetBytes(const std::string& key) const
{
    const ScenarioKey& spec = *ScenarioKeys::Find(m_block, key);
    NS_ASSERT(spec.form == KeyForm::BYTES);
    return Parse<uint64_t>(key, [&spec](const std::string& text, std::string& error) {
        std::optional<uint64_t> result = UnitParser::ParseBytes(text, error);
        if (result && *result < spec.low)
        {
            error = Diagnostics::Quote(text) + " must be above 0";
            result.reset();
        }
        return result;
    });
}

std::optional<uint64_t>
DocumentBlock::GetRate(const std::string& key) const
{
    return Parse<uint64_t>(key, [](const std::string& text, std::string& error) {
        std::optional<uint64_t> result = UnitParser::ParseRate(text, error);
        if (result && *result == 0)
        {
            error = Diagnostics::Quote(text) + " must be above 0";
            result.reset();
        }
        return result;
    });
}

std::optional<double>
DocumentBlock::GetPercentage(const std::string& key) const
{
    return Parse<double>(key, [](const std::string& text, std::string& error) {
        std::optional<double> result = UnitParser::ParsePercentage(text, error);
        if (result && *result > 1)
        {
            error = Diagnostics::Quote(text) + " is out of range: at most 100% is wanted";
            result.reset();
        }
        return result;
    });
}

std::optional<std::pair<uint32_t, uint32_t>>
DocumentBlock::GetFraction(const std::string& key) const
{
    return Parse<std::pair<uint32_t, uint32_t>>(key, UnitParser::ParseFraction);
}

std::optional<bool>
DocumentBlock::GetBoolean(const std::string& key) const
{
    return Parse<bool>(key, UnitParser::ParseBoolean);
}

std::optional<std::vector<const DocumentNode*>>
DocumentBlock::GetScalars(const std::string& key) const
{
    const std::vector<DocumentNode>* list = GetList(key);
    if (list == nullptr)
    {
        return std::nullopt;
    }
    std::vector<const DocumentNode*> result;
    for (std::size_t i = 0; i < list->size(); i++)
    {
        const DocumentNode& item = (*list)[i];
        if (!item.IsScalar())
        {
            m_diagnostics.Error(item.GetMark(),
                                GetPath(key) + "[" + std::to_string(i) + "]",
                                "wants a single value, not " + item.GetKindName());
            return std::nullopt;
        }
        result.push_back(&item);
    }
    if (ScenarioKeys::Find(m_block, key)->form == KeyForm::PAIR && result.size() != 2)
    {
        Error(key, "wants a list of two values, not " + std::to_string(result.size()));
        return std::nullopt;
    }
    return result;
}

const std::vector<DocumentNode>*
DocumentBlock::GetList(const std::string& key) const
{
    const DocumentNode* value = Find(key);
    if (value == nullptr)
    {
        return nullptr;
    }
    if (!value->IsList() || value->items.empty())
    {
        Error(key,
              value->IsList() ? "is an empty list" : "wants a list, not " + value->GetKindName());
        return nullptr;
    }
    return &value->items;
}

} // namespace ns3
