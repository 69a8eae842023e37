/* SPDX-License-Identifier: GPL-2.0-only */
#include "sweep-path.h"

#include "scenario-job-reader.h"
#include "scenario-tree-reader.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace ns3
{

namespace
{

/// Splits "faults[0].at" into "faults", "[0]", "at".
std::vector<std::string>
Cut(const std::string& path)
{
    std::vector<std::string> parts{""};
    for (const char c : path)
    {
        if (c == '.')
        {
            parts.emplace_back();
            continue;
        }
        if (c == '[' && !parts.back().empty())
        {
            parts.emplace_back();
        }
        parts.back() += c;
    }
    return parts;
}

/// The entry of a list, or nullptr with a sentence.
DocumentNode*
FindEntry(DocumentNode& list, const std::string& part, std::string& error)
{
    if (part[0] == '[')
    {
        std::size_t index = 0;
        const char* const end = part.data() + part.size();
        const auto [last, code] = std::from_chars(part.data() + 1, end, index);
        if (code == std::errc() && last + 1 == end && *last == ']' && index < list.items.size())
        {
            return &list.items[index];
        }
        error = "there is no entry " + part + ": the list has " +
                std::to_string(list.items.size()) + ", the first is [0]";
        return nullptr;
    }
    std::vector<std::string> names;
    for (DocumentNode& item : list.items)
    {
        const DocumentNode* name = item.IsMap() ? item.Find("name") : nullptr;
        if (name != nullptr && name->text == part)
        {
            return &item;
        }
        if (name != nullptr)
        {
            names.push_back(name->text);
        }
    }
    error = Diagnostics::Unknown("name", part, names);
    error += names.empty() ? " with a name, write [0] for the first" : "";
    return nullptr;
}

/// Whether a key may be written as a name, or as a map with that type.
bool
IsTyped(const std::string& key)
{
    for (const BlockKeys* keys :
         {&ScenarioTreeReader::GetKeys().GetInfo(), &ScenarioJobReader::GetKeys().GetInfo()})
    {
        const KeyInfo* const known = keys->Find(key);
        if (known != nullptr && known->shape.Allows(ValueShape::Kind::TYPED))
        {
            return true;
        }
    }
    return false;
}

/// Whether a top-level key holds a map that may be omitted.
bool
IsPlainMap(const std::string& key)
{
    const KeyInfo* const known = ScenarioTreeReader::GetKeys().GetInfo().Find(key);
    return known != nullptr && (known->shape.kind == ValueShape::Kind::BLOCK ||
                                known->shape.kind == ValueShape::Kind::ATTRIBUTES);
}

/// The value of a key of a map; added if it is absent.
DocumentNode&
Require(DocumentNode& map, const std::string& name, const DocumentNode& place)
{
    for (std::size_t i = 0; i < map.keys.size(); i++)
    {
        if (map.keys[i].text == name)
        {
            return map.items[i];
        }
    }
    map.keys.push_back(place);
    map.keys.back().text = name;
    map.items.emplace_back();
    map.items.back().file = place.file;
    map.items.back().line = place.line;
    map.items.back().column = place.column;
    return map.items.back();
}

/// Converts a typed block that is just a name to a map.
void
Spread(DocumentNode& node)
{
    DocumentNode map = node;
    map.kind = DocumentNode::Kind::MAP;
    map.text.clear();
    map.keys.push_back(node);
    map.keys.back().text = "type";
    map.items.push_back(node);
    node = std::move(map);
}

} // namespace

bool
SweepPath::Set(DocumentNode& root,
               const DocumentNode& key,
               const DocumentNode& value,
               Diagnostics& diagnostics)
{
    const std::vector<std::string> parts = Cut(key.text);
    const auto fail = [&](const std::string& error) {
        diagnostics.Error(key.GetMark(), "sweep.set." + key.text, error);
        return false;
    };
    if (std::find(parts.begin(), parts.end(), "") != parts.end())
    {
        return fail("is not a path: write, for example, topology.Uplinks");
    }
    DocumentNode* node = &root;
    std::string done;
    for (std::size_t i = 0; i < parts.size(); i++)
    {
        const std::string& part = parts[i];
        const bool last = i + 1 == parts.size();
        std::string error;
        if (node->IsList())
        {
            node = FindEntry(*node, part, error);
            if (node == nullptr)
            {
                return fail(error);
            }
        }
        else if (node->IsMap() && part[0] != '[')
        {
            // An unknown last key is left to the reader of the tree.
            if (!last && node->Find(part) == nullptr && !(i == 0 && IsPlainMap(part)))
            {
                std::vector<std::string> names;
                for (const DocumentNode& name : node->keys)
                {
                    names.push_back(name.text);
                }
                return fail(Diagnostics::Unknown("key", part, names) +
                            " (only the last key of a path may be new)");
            }
            node = &Require(*node, part, key);
            if (!last && node->kind == DocumentNode::Kind::NONE)
            {
                node->kind = DocumentNode::Kind::MAP;
            }
            else if (!last && node->IsScalar() && IsTyped(part))
            {
                Spread(*node);
            }
        }
        else
        {
            return fail(Diagnostics::Quote(done) + " is " + node->GetKindName() + ": " +
                        Diagnostics::Quote(part) + " is not in it");
        }
        done += (done.empty() || part[0] == '[' ? "" : ".") + part;
    }
    *node = value;
    return true;
}

} // namespace ns3
