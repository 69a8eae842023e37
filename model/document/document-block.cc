/* SPDX-License-Identifier: GPL-2.0-only */
#include "document-block.h"

#include "value-form.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

DocumentBlock::DocumentBlock(const DocumentNode& node,
                             const BlockKeys& keys,
                             const std::string& path,
                             Diagnostics& diagnostics)
    : m_node(node),
      m_keys(keys),
      m_path(path),
      m_diagnostics(diagnostics)
{
    std::vector<std::string> names = keys.ListNames();
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
        const KeyInfo* known = keys.Find(key.text);
        const std::string keyPath = GetPath(key.text);
        if (known == nullptr)
        {
            m_unknown = true;
            m_diagnostics.Error(key.GetMark(), path, Diagnostics::Unknown("key", key.text, names));
        }
        else if (!known->supported)
        {
            m_diagnostics.Error(key.GetMark(), keyPath, "is not supported yet");
        }
        else if (node.items[i].kind == DocumentNode::Kind::NONE)
        {
            m_diagnostics.Error(key.GetMark(), keyPath, "has no value");
            m_complete = m_complete && !known->required;
        }
    }
    for (const KeyInfo& key : keys.keys)
    {
        if (key.required && node.Find(key.name) == nullptr)
        {
            m_diagnostics.Error(node.GetMark(), path, key.name + " is missing");
            m_complete = false;
        }
    }
}

const DocumentNode*
DocumentBlock::Find(const std::string& key) const
{
    NS_ASSERT_MSG(m_keys.Find(key), key << " is not a key of " << m_keys.name);
    const DocumentNode* value = m_node.Find(key);
    return value == nullptr || value->kind == DocumentNode::Kind::NONE ? nullptr : value;
}

std::vector<std::string>
DocumentBlock::ListWritten(const std::vector<std::string>& keys) const
{
    std::vector<std::string> written;
    for (const std::string& key : keys)
    {
        if (Has(key))
        {
            written.push_back(key);
        }
    }
    return written;
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

const std::vector<DocumentNode>*
DocumentBlock::GetList(const std::string& key) const
{
    const DocumentNode* value = Find(key);
    return value != nullptr && Form::CheckList(*value, GetPath(key), m_diagnostics) ? &value->items
                                                                                    : nullptr;
}

} // namespace ns3
