/* SPDX-License-Identifier: GPL-2.0-only */
#include "attribute-reader.h"

#include "../base/attribute-refusal.h"
#include "../base/unit-parser.h"
#include "document-loader.h"

#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

const char* const NS3 = "ns3::";

bool
Descends(TypeId tid, const std::string& base)
{
    while (tid.GetName() != base)
    {
        if (!tid.HasParent())
        {
            return false;
        }
        tid = tid.GetParent();
    }
    return true;
}

/// The ancestor just below ns3::Object.
TypeId
GetFamily(TypeId tid)
{
    while (tid.HasParent() && tid.GetParent().GetName() != "ns3::Object" &&
           tid.GetParent().GetName() != "ns3::ObjectBase")
    {
        tid = tid.GetParent();
    }
    return tid;
}

/// Value type of a checker; ns-3 writes some with and some without "ns3::".
std::string
GetValueType(const TypeId::AttributeInformation& info)
{
    const std::string name = info.checker->GetValueTypeName();
    return name.compare(0, 5, NS3) == 0 ? name.substr(5) : name;
}

/// Whether ns-3 can read the text as it is: a plain whole number and a unit known to ns-3.
bool
IsPlainQuantity(const std::string& text, const std::vector<std::string>& units)
{
    const std::size_t unit = text.find_first_not_of("0123456789");
    return unit != std::string::npos && unit > 0 && unit < 16 &&
           std::find(units.begin(), units.end(), text.substr(unit)) != units.end();
}

/// Registered types that pass a test, sorted by name. Left out are abstract types, and types hidden
/// from ns-3's documentation, which can still be named.
template <class Test>
std::vector<std::string>
ListIf(Test test)
{
    std::vector<std::string> names;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); i++)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (tid.HasConstructor() && !tid.MustHideFromDocumentation() && test(tid))
        {
            names.push_back(tid.GetName());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

template <class T>
std::optional<std::string>
ToText(const std::optional<T>& value)
{
    return value ? std::optional<std::string>(std::to_string(*value)) : std::nullopt;
}

/// A whole number in the range of the attribute.
std::optional<std::string>
ConvertInteger(const std::string& text,
               const TypeId::AttributeInformation& info,
               std::string& error)
{
    std::string low;
    std::string high;
    AttributeReader::GetRange(info, low, high);
    std::string ignored;
    if (GetValueType(info) == "UintegerValue")
    {
        constexpr uint64_t max = std::numeric_limits<uint64_t>::max();
        return ToText(UnitParser::ParseUnsigned(
            text,
            UnitParser::ParseUnsigned(low, 0, max, ignored).value_or(0),
            UnitParser::ParseUnsigned(high, 0, max, ignored).value_or(max),
            error));
    }
    constexpr int64_t min = std::numeric_limits<int64_t>::min();
    constexpr int64_t max = std::numeric_limits<int64_t>::max();
    return ToText(
        UnitParser::ParseInteger(text,
                                 UnitParser::ParseInteger(low, min, max, ignored).value_or(min),
                                 UnitParser::ParseInteger(high, min, max, ignored).value_or(max),
                                 error));
}

/// The name of a type that fits a type attribute; as in a typed block, "ns3::" may be left out.
std::optional<std::string>
ConvertType(const std::string& text, const TypeId::AttributeInformation& info, std::string& error)
{
    const std::vector<std::string> family = AttributeReader::ListFamily(info);
    for (const std::string& name : {text, NS3 + text})
    {
        TypeId tid;
        if (TypeId::LookupByNameFailSafe(name, &tid) && tid.HasConstructor() &&
            (family.empty() || GetFamily(tid) == GetFamily(TypeId::LookupByName(family[0]))))
        {
            return name;
        }
    }
    error = Diagnostics::Unknown("type", text, family);
    return std::nullopt;
}

} // namespace

AttributeReader::AttributeReader(Diagnostics& diagnostics, std::vector<std::string> overridden)
    : m_diagnostics(diagnostics),
      m_overridden(std::move(overridden))
{
}

bool
AttributeReader::IsOverridden(TypeId tid, const std::string& attribute) const
{
    // ns-3 stores a default in the class that declares the attribute.
    while (true)
    {
        const std::string name = tid.GetName() + "::" + attribute;
        if (std::find(m_overridden.begin(), m_overridden.end(), name) != m_overridden.end())
        {
            return true;
        }
        if (!tid.HasParent() || tid.GetParent() == tid)
        {
            return false;
        }
        tid = tid.GetParent();
    }
}

std::vector<std::string>
AttributeReader::ListTypes(const std::string& suffix, const std::string& base)
{
    std::vector<std::string> names = ListIf([&](TypeId tid) { return Descends(tid, base); });
    for (std::string& name : names)
    {
        name.erase(0, name.compare(0, 5, NS3) == 0 ? 5 : 0);
        if (name.size() > suffix.size() &&
            name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0)
        {
            name.erase(name.size() - suffix.size());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

TypeId
AttributeReader::FindType(const std::string& name, const std::string& suffix)
{
    TypeId tid;
    if (name.compare(0, 5, NS3) == 0)
    {
        TypeId::LookupByNameFailSafe(name, &tid);
        return tid;
    }
    // "dgx-a100" is DgxA100.
    std::string pascal;
    bool starts = true;
    for (const char c : name)
    {
        if (c != '-')
        {
            pascal += starts && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        }
        starts = c == '-';
    }
    TypeId::LookupByNameFailSafe(NS3 + pascal + suffix, &tid);
    return tid;
}

std::vector<TypeId::AttributeInformation>
AttributeReader::ListAttributes(TypeId tid)
{
    std::vector<TypeId::AttributeInformation> attributes;
    while (true)
    {
        for (std::size_t i = 0; i < tid.GetAttributeN(); i++)
        {
            const TypeId::AttributeInformation info = tid.GetAttribute(i);
            if ((info.flags & TypeId::ATTR_CONSTRUCT) != 0 && info.accessor->HasSetter() &&
                GetForm(info) != AttributeForm::UNSUPPORTED)
            {
                attributes.push_back(info);
            }
        }
        if (!tid.HasParent() || tid.GetParent() == tid)
        {
            break;
        }
        tid = tid.GetParent();
    }
    std::sort(attributes.begin(), attributes.end(), [](const auto& a, const auto& b) {
        return a.name < b.name;
    });
    return attributes;
}

AttributeForm
AttributeReader::GetForm(const TypeId::AttributeInformation& info)
{
    const std::string type = GetValueType(info);
    return type == "UintegerValue"                ? AttributeForm::INTEGER
           : type == "IntegerValue"               ? AttributeForm::INTEGER
           : type == "DoubleValue"                ? AttributeForm::NUMBER
           : type == "BooleanValue"               ? AttributeForm::BOOLEAN
           : type == "TimeValue"                  ? AttributeForm::TIME
           : type == "DataRateValue"              ? AttributeForm::RATE
           : type == "BitRateValue"               ? AttributeForm::RATE
           : type == "ByteSizeValue"              ? AttributeForm::BYTES
           : type == "FileNameValue"              ? AttributeForm::FILE
           : type == "StringValue"                ? AttributeForm::TEXT
           : type == "TextValue"                  ? AttributeForm::TEXT
           : type == "NameValue"                  ? AttributeForm::CHOICE
           : type == "TypeIdValue"                ? AttributeForm::TYPE
           : type.compare(0, 9, "EnumValue") == 0 ? AttributeForm::CHOICE
                                                  : AttributeForm::UNSUPPORTED;
}

void
AttributeReader::GetRange(const TypeId::AttributeInformation& info,
                          std::string& low,
                          std::string& high)
{
    // Checkers describe themselves as "uint32_t 1:65536".
    const std::string text = info.checker->GetUnderlyingTypeInformation();
    const std::size_t colon = text.rfind(':');
    const std::size_t blank = text.rfind(' ', colon);
    if (colon != std::string::npos)
    {
        low = text.substr(blank + 1, colon - blank - 1);
        high = text.substr(colon + 1);
    }
}

std::vector<std::string>
AttributeReader::ListFamily(const TypeId::AttributeInformation& info)
{
    const auto value = DynamicCast<const TypeIdValue>(info.originalInitialValue);
    if (!value || value->Get().GetUid() == 0)
    {
        return {};
    }
    const std::string family = GetFamily(value->Get()).GetName();
    return ListIf([&family](TypeId tid) { return Descends(tid, family); });
}

std::vector<std::string>
AttributeReader::ListChoices(const TypeId::AttributeInformation& info)
{
    std::vector<std::string> words;
    if (GetForm(info) != AttributeForm::CHOICE)
    {
        return words;
    }
    std::istringstream text(info.checker->GetUnderlyingTypeInformation());
    for (std::string word; std::getline(text, word, '|');)
    {
        words.push_back(word);
    }
    return words;
}

std::optional<std::string>
AttributeReader::Convert(const DocumentNode& node,
                         const TypeId::AttributeInformation& info,
                         std::string& error)
{
    const std::string& text = node.text;
    std::optional<std::string> result;
    switch (GetForm(info))
    {
    case AttributeForm::INTEGER:
        return ConvertInteger(text, info, error);
    case AttributeForm::BYTES:
        result = ToText(UnitParser::ParseBytes(text, error));
        break;
    case AttributeForm::TIME: {
        const auto time = UnitParser::ParseTime(text, error);
        const bool plain = IsPlainQuantity(text, {"ps", "ns", "us", "ms", "s", "min"});
        if (time)
        {
            result = plain ? text : std::to_string(*time) + "ps";
        }
        break;
    }
    case AttributeForm::RATE: {
        const auto rate = UnitParser::ParseRate(text, error);
        const bool plain = IsPlainQuantity(text, {"bps", "kbps", "Mbps", "Gbps"});
        if (rate)
        {
            result = plain ? text : std::to_string(*rate) + "bps";
        }
        break;
    }
    case AttributeForm::NUMBER:
        result = UnitParser::ParseDouble(text, error) ? std::make_optional(text) : std::nullopt;
        break;
    case AttributeForm::BOOLEAN:
        return UnitParser::ParseBoolean(text, error) ? std::make_optional(text) : std::nullopt;
    case AttributeForm::TYPE:
        return ConvertType(text, info, error);
    case AttributeForm::CHOICE: {
        const auto words = ListChoices(info);
        if (std::find(words.begin(), words.end(), text) != words.end())
        {
            return text;
        }
        error = Diagnostics::Unknown("value", text, words);
        return std::nullopt;
    }
    case AttributeForm::FILE: {
        const std::string file = DocumentLoader::Resolve(text, *node.file);
        if (text.empty() || !DocumentLoader::ReadText(file, error))
        {
            error =
                text.empty() ? "wants the name of a file" : Diagnostics::Quote(file) + ": " + error;
            return std::nullopt;
        }
        return file;
    }
    case AttributeForm::TEXT:
        result = text;
        break;
    case AttributeForm::UNSUPPORTED:
        error = "an attribute of type " + info.checker->GetValueTypeName() +
                " cannot be set in a scenario";
        return std::nullopt;
    }
    // The form is valid, so ns-3 can parse it; its checker checks the range.
    const AttributeRefusal collector;
    if (result && !info.checker->CreateValidValue(StringValue(*result)))
    {
        if (GetForm(info) == AttributeForm::TEXT && !collector.GetReason().empty())
        {
            error = collector.GetReason();
            return std::nullopt;
        }
        std::string low;
        std::string high;
        GetRange(info, low, high);
        error = Diagnostics::Quote(text) + " is out of range" +
                (low.empty()
                     ? ""
                     : ": from " + low + " to " + high +
                           (GetForm(info) == AttributeForm::BYTES ? " bytes" : "") + " is wanted");
        return std::nullopt;
    }
    return result;
}

void
AttributeReader::ReadValue(const DocumentNode& node,
                           const std::string& path,
                           const std::string& name,
                           const TypeId::AttributeInformation& info,
                           std::vector<AttributeSetting>& settings)
{
    std::string error;
    if (!node.IsScalar())
    {
        error = "wants a single value, not " + node.GetKindName();
    }
    else if (const auto value = Convert(node, info, error))
    {
        settings.push_back({name, *value, node.GetMark()});
        return;
    }
    m_diagnostics.Error(node.GetMark(), path, error);
}

std::optional<TypedBlock>
AttributeReader::ReadTyped(const DocumentNode& node,
                           const std::string& path,
                           const std::string& suffix,
                           const std::string& base,
                           const std::vector<std::string>& others)
{
    TypedBlock block;
    block.mark = node.GetMark();
    const DocumentNode* type = node.IsMap() ? node.Find("type") : &node;
    if (type == nullptr || !type->IsScalar() || type->text.empty())
    {
        m_diagnostics.Error(type == nullptr ? node.GetMark() : type->GetMark(),
                            path,
                            "wants a name, or a map with \"type: name\" and its attributes");
        return std::nullopt;
    }
    block.typeName = type->text;
    const TypeId tid = FindType(type->text, suffix);
    if (tid.GetUid() == 0 || !Descends(tid, base) || !tid.HasConstructor())
    {
        std::vector<std::string> names = ListTypes(suffix, base);
        names.insert(names.end(), others.begin(), others.end());
        m_diagnostics.Error(type->GetMark(),
                            node.IsMap() ? path + ".type" : path,
                            Diagnostics::Unknown("type", type->text, names));
        return std::nullopt;
    }
    block.typeId = tid.GetName();
    const std::vector<TypeId::AttributeInformation> attributes = ListAttributes(tid);
    bool good = true;
    for (std::size_t i = 0; i < node.keys.size(); i++)
    {
        const std::string& key = node.keys[i].text;
        const auto info = std::find_if(attributes.begin(), attributes.end(), [&key](const auto& a) {
            return a.name == key;
        });
        if (key == "type")
        {
            continue;
        }
        const std::string keyPath = path + "." + key;
        if (info == attributes.end())
        {
            std::vector<std::string> names{"type"};
            for (const auto& attribute : attributes)
            {
                if (attribute.supportLevel == TypeId::SupportLevel::SUPPORTED)
                {
                    names.push_back(attribute.name);
                }
            }
            m_diagnostics.Error(node.keys[i].GetMark(),
                                path,
                                Diagnostics::Unknown("key", key, names));
            good = false;
            continue;
        }
        std::string name = key;
        if (info->supportLevel == TypeId::SupportLevel::DEPRECATED)
        {
            name = info->supportMsg;
            if (node.Find(name) != nullptr)
            {
                m_diagnostics.Error(node.keys[i].GetMark(),
                                    keyPath,
                                    "is the deprecated name of " + name + ", which is given, too");
                good = false;
                continue;
            }
            m_diagnostics.Warning(node.keys[i].GetMark(), keyPath, "is deprecated, write " + name);
        }
        const std::size_t before = block.attributes.size();
        ReadValue(node.items[i], keyPath, name, *info, block.attributes);
        good = good && block.attributes.size() > before;
        if (block.attributes.size() > before && IsOverridden(tid, name))
        {
            block.attributes.pop_back();
        }
    }
    return good ? std::optional<TypedBlock>(block) : std::nullopt;
}

std::vector<AttributeSetting>
AttributeReader::ReadDefaults(const DocumentNode& node, const std::string& path)
{
    std::vector<AttributeSetting> settings;
    if (!node.IsMap())
    {
        m_diagnostics.Error(node.GetMark(),
                            path,
                            "wants a map of ns3::Class::Attribute to a value, not " +
                                node.GetKindName());
        return settings;
    }
    for (std::size_t i = 0; i < node.keys.size(); i++)
    {
        const DocumentNode& key = node.keys[i];
        const std::string keyPath = path + "." + key.text;
        const std::size_t cut = key.text.rfind("::");
        const std::string type = key.text.substr(0, cut);
        const std::string name = cut == std::string::npos ? "" : key.text.substr(cut + 2);
        if (cut == std::string::npos || type.compare(0, 5, NS3) != 0 || name.empty())
        {
            m_diagnostics.Error(key.GetMark(),
                                path,
                                Diagnostics::Quote(key.text) +
                                    " does not name an attribute: write ns3::Class::Attribute");
            continue;
        }
        TypeId tid;
        if (!TypeId::LookupByNameFailSafe(type, &tid))
        {
            std::vector<std::string> types;
            for (uint16_t t = 0; t < TypeId::GetRegisteredN(); t++)
            {
                types.push_back(TypeId::GetRegistered(t).GetName());
            }
            const std::string nearest = Diagnostics::Nearest(type, types);
            m_diagnostics.Error(key.GetMark(),
                                keyPath,
                                "unknown class " + Diagnostics::Quote(type) +
                                    (nearest.empty() ? "" : ", did you mean \"" + nearest + "\"?"));
            continue;
        }
        // ns-3 stores a default in the class that declares the attribute.
        TypeId owner = tid;
        const TypeId::AttributeInformation* found = nullptr;
        TypeId::AttributeInformation info;
        while (found == nullptr)
        {
            for (std::size_t a = 0; a < owner.GetAttributeN(); a++)
            {
                if (owner.GetAttribute(a).name == name)
                {
                    info = owner.GetAttribute(a);
                    found = &info;
                }
            }
            if (found != nullptr || !owner.HasParent() || owner.GetParent() == owner)
            {
                break;
            }
            owner = owner.GetParent();
        }
        if (found == nullptr)
        {
            std::vector<std::string> names;
            for (const auto& attribute : ListAttributes(tid))
            {
                names.push_back(attribute.name);
            }
            m_diagnostics.Error(key.GetMark(),
                                keyPath,
                                Diagnostics::Unknown("attribute", name, names));
        }
        else if (owner != tid)
        {
            m_diagnostics.Error(key.GetMark(),
                                keyPath,
                                "this attribute belongs to a parent class: write " +
                                    owner.GetName() + "::" + name);
        }
        else if ((info.flags & TypeId::ATTR_CONSTRUCT) == 0 || !info.accessor->HasSetter())
        {
            m_diagnostics.Error(key.GetMark(), keyPath, "this attribute cannot be given a default");
        }
        else
        {
            ReadValue(node.items[i], keyPath, key.text, info, settings);
        }
    }
    return settings;
}

} // namespace ns3
