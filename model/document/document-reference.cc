/* SPDX-License-Identifier: GPL-2.0-only */
#include "document-reference.h"

#include <algorithm>
#include <limits>

namespace ns3
{

namespace
{

/// "a, b or c".
std::string
Join(const std::vector<std::string>& words)
{
    std::string text;
    for (std::size_t i = 0; i < words.size(); i++)
    {
        text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    }
    return text;
}

std::string
Literal(const std::string& text)
{
    return "``" + text + "``";
}

/// Text with all special characters escaped.
std::string
Escape(const std::string& text)
{
    std::string escaped;
    for (const char c : text)
    {
        escaped += c == '*' || c == '`' || c == '|' || c == '\\' || c == '_' ? "\\" : "";
        escaped += c;
    }
    return escaped;
}

void
PrintHeading(std::ostream& os, const std::string& text, char line)
{
    os << text << "\n" << std::string(text.size(), line) << "\n\n";
}

} // namespace

void
DocumentReference::Print(std::ostream& os,
                         const std::string& title,
                         const std::string& introduction,
                         const BlockKeys& keys)
{
    PrintHeading(os, title, '=');
    os << introduction << "\n";
    std::vector<const BlockKeys*> blocks{&keys};
    for (std::size_t i = 0; i < blocks.size(); i++) // grows: breadth first
    {
        for (const KeyInfo& key : blocks[i]->keys)
        {
            if (key.supported)
            {
                Collect(key.shape, blocks);
            }
        }
    }
    for (const BlockKeys* block : blocks)
    {
        os << "\n";
        PrintBlock(os, *block);
    }
}

void
DocumentReference::Collect(const ValueShape& shape, std::vector<const BlockKeys*>& blocks)
{
    if (shape.keys != nullptr &&
        std::find(blocks.begin(), blocks.end(), shape.keys) == blocks.end())
    {
        blocks.push_back(shape.keys);
    }
    for (const ValueShape& part : shape.parts)
    {
        Collect(part, blocks);
    }
}

void
DocumentReference::PrintBlock(std::ostream& os, const BlockKeys& keys)
{
    PrintHeading(os, keys.name, '-');
    os << ".. list-table::\n   :header-rows: 1\n   :widths: 18 30 17 35\n\n"
       << "   * - Key\n     - Value\n     - Default\n     - Meaning\n";
    for (const KeyInfo& key : keys.keys)
    {
        if (!key.supported)
        {
            continue;
        }
        os << "   * - " << Literal(key.name) << "\n     - " << Describe(key.shape) << "\n     -";
        if (key.required)
        {
            os << " (required)";
        }
        else if (!key.defaultWords.empty())
        {
            os << " " << Escape(key.defaultWords);
        }
        else if (!key.defaultText.empty())
        {
            os << " " << Literal(key.defaultText);
        }
        os << "\n     - " << Escape(key.help) << "\n";
    }
}

std::string
DocumentReference::Describe(const ValueShape& shape)
{
    using Kind = ValueShape::Kind;
    constexpr uint64_t many = 1'000'000'000; // effectively unlimited
    switch (shape.kind)
    {
    case Kind::TEXT:
        return "text";
    case Kind::NAME:
        return "name";
    case Kind::INTEGER:
        return "integer" +
               (shape.high >= many
                    ? (shape.low == 0 ? "" : ", at least " + std::to_string(shape.low))
                    : " from " + std::to_string(shape.low) + " to " + std::to_string(shape.high));
    case Kind::NUMBER:
        return "number above 0";
    case Kind::TIME:
        return shape.low == 0 ? "time" : "time above 0";
    case Kind::BYTES:
        return "size";
    case Kind::RATE:
        return "rate";
    case Kind::PERCENTAGE:
        return "percentage, at most 100%";
    case Kind::FRACTION:
        return "fraction, at most 1";
    case Kind::BOOLEAN:
        return "``true`` or ``false``";
    case Kind::CHOICE: {
        std::vector<std::string> words;
        for (const std::string& word : shape.words)
        {
            words.push_back(Literal(word));
        }
        return Join(words);
    }
    case Kind::RANGE:
        return "range such as ``1..5``";
    case Kind::TYPE_NAME:
        return "name of a type of " + Literal(shape.family.base);
    case Kind::TYPED:
        return "type of " + Literal(shape.family.base) + ", its name or a map";
    case Kind::ATTRIBUTES:
        return "map of ``ns3::Class::Attribute`` to values";
    case Kind::BLOCK:
        return "map `" + shape.keys->name + "`_";
    case Kind::STEP:
        return "map of one key of `" + shape.keys->name + "`_";
    case Kind::WORDS:
        return "name or map of one key of `" + shape.keys->name + "`_";
    case Kind::FLAG:
        return "the name alone";
    case Kind::FLAG_OR_MAP:
        return "the name alone or " + Describe(shape.parts.at(0));
    case Kind::LIST: {
        const std::string item = Describe(shape.parts.at(0));
        return shape.high == 0 ? "list of: " + item
                               : "list of " + std::to_string(shape.high) + ": " + item;
    }
    case Kind::MAP:
        return "map to: " + Describe(shape.parts.at(0));
    case Kind::CHANGES:
        return "with ``extends``, map of names to keys of `" + shape.keys->name +
               "`_ that change, or to nothing";
    case Kind::ONE_OF: {
        std::vector<std::string> parts;
        for (const ValueShape& part : shape.parts)
        {
            parts.push_back(Describe(part));
        }
        return Join(parts);
    }
    case Kind::ANYTHING:
        return "anything that the key takes";
    }
    return "";
}

} // namespace ns3
