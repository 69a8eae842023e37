/* SPDX-License-Identifier: GPL-2.0-only */
#include "document-schema.h"

#include "attribute-reader.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace ns3
{

namespace
{

/// A JSON string.
std::string
Text(const std::string& text)
{
    std::string result = "\"";
    for (const char c : text)
    {
        if (c == '"' || c == '\\')
        {
            result += '\\';
        }
        if (static_cast<unsigned char>(c) < 0x20)
        {
            char code[8];
            std::snprintf(code, sizeof(code), "\\u%04x", static_cast<unsigned>(c));
            result += code;
            continue;
        }
        result += c;
    }
    return result + "\"";
}

std::string
Member(const std::string& key, const std::string& value)
{
    return Text(key) + ": " + value;
}

std::string
List(const std::vector<std::string>& texts)
{
    std::string result;
    for (const std::string& text : texts)
    {
        result += (result.empty() ? "" : ", ") + Text(text);
    }
    return "[" + result + "]";
}

/// A string consisting of a number and a unit.
std::string
Quantity(const std::string& units)
{
    return Member("type", Text("string")) + ", " +
           Member("pattern", Text("^[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?(" + units + ")$"));
}

const char* const TIME_UNITS = "ps|ns|us|ms|s|min";
const char* const RATE_UNITS = "[kMGT]?(bps|b/s|B/s)";
const char* const BYTE_UNITS = "B|[kKMGT]B|[KMG]iB";

/// Whether YAML reads a word as a boolean.
bool
IsBoolean(const std::string& word)
{
    return word == "true" || word == "false";
}

/// Permitted words; "true" and "false" are booleans in YAML.
std::string
Choices(const std::vector<std::string>& words)
{
    std::string result;
    for (const std::string& word : words)
    {
        result += (result.empty() ? "" : ", ") + (IsBoolean(word) ? word : Text(word));
    }
    return "[" + result + "]";
}

std::vector<std::string>
ListRequired(const BlockKeys& keys)
{
    std::vector<std::string> names;
    for (const KeyInfo& key : keys.keys)
    {
        if (key.required)
        {
            names.push_back(key.name);
        }
    }
    return names;
}

std::string
JsonObject(const std::string& properties, const std::vector<std::string>& required)
{
    return "{\"type\": \"object\", \"properties\": {" + properties + "}, " +
           (required.empty() ? "" : Member("required", List(required)) + ", ") +
           "\"additionalProperties\": false}";
}

} // namespace

void
DocumentSchema::Print(std::ostream& os, const std::string& title, const BlockKeys& keys)
{
    os << "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
       << "  \"title\": " << Text(title) << ",\n  \"type\": \"object\",\n"
       << "  \"required\": " << List(ListRequired(keys)) << ",\n"
       << "  \"additionalProperties\": false,\n  \"properties\": {";
    const char* separator = "\n";
    for (const KeyInfo& key : keys.keys)
    {
        if (key.supported)
        {
            os << separator << "    " << Text(key.name) << ": " << Value(key);
            separator = ",\n";
        }
    }
    os << "\n  }\n}\n";
}

std::string
DocumentSchema::Block(const BlockKeys& keys)
{
    std::string properties;
    for (const KeyInfo& key : keys.keys)
    {
        if (key.supported)
        {
            properties += (properties.empty() ? "" : ", ") + Member(key.name, Value(key));
        }
    }
    return JsonObject(properties, ListRequired(keys));
}

std::string
DocumentSchema::Value(const KeyInfo& key)
{
    std::string help = key.help;
    std::string value;
    if (!key.defaultWords.empty())
    {
        help += " Default: " + key.defaultWords + ".";
    }
    else if (!key.defaultText.empty())
    {
        const bool bare = key.shape.kind == ValueShape::Kind::INTEGER ||
                          key.shape.kind == ValueShape::Kind::NUMBER ||
                          key.shape.kind == ValueShape::Kind::BOOLEAN || IsBoolean(key.defaultText);
        value = Member("default", bare ? key.defaultText : Text(key.defaultText)) + ", ";
    }
    return "{" + Member("description", Text(help)) + ", " + value + Members(key.shape) + "}";
}

std::string
DocumentSchema::Shape(const ValueShape& shape)
{
    return "{" + Members(shape) + "}";
}

std::string
DocumentSchema::Members(const ValueShape& shape)
{
    using Kind = ValueShape::Kind;
    switch (shape.kind)
    {
    case Kind::TEXT:
        return Member("type", Text("string")) +
               (shape.high == 0 ? ""
                                : ", " + Member("minLength", std::to_string(shape.low)) + ", " +
                                      Member("maxLength", std::to_string(shape.high)));
    case Kind::NAME:
        return Member("type", Text("string")) + ", " +
               Member("pattern",
                      Text("^[A-Za-z0-9._-]{" + std::to_string(shape.low) + "," +
                           std::to_string(shape.high) + "}$"));
    case Kind::INTEGER:
        return Member("type", Text("integer")) + ", " +
               Member("minimum", std::to_string(shape.low)) + ", " +
               Member("maximum", std::to_string(shape.high));
    case Kind::NUMBER:
        return "\"type\": \"number\", \"exclusiveMinimum\": 0";
    case Kind::TIME:
        return Quantity(TIME_UNITS);
    case Kind::BYTES:
        return Quantity(BYTE_UNITS);
    case Kind::RATE:
        return Quantity(RATE_UNITS);
    case Kind::PERCENTAGE:
        return Quantity("%");
    case Kind::FRACTION:
        return "\"oneOf\": [{\"const\": 1}, {\"type\": \"string\", \"pattern\": "
               "\"^[0-9]+/[0-9]+$\"}]";
    case Kind::BOOLEAN:
        return Member("type", Text("boolean"));
    case Kind::CHOICE:
        return Member("enum", Choices(shape.words));
    case Kind::RANGE:
        return Member("type", Text("string")) + ", " +
               Member("pattern", Text("^[0-9]+\\.\\.[0-9]+$"));
    case Kind::TYPE_NAME:
        return Member("enum",
                      List(AttributeReader::ListTypes(shape.family.suffix, shape.family.base)));
    case Kind::TYPED:
        return Typed(shape.family);
    case Kind::ATTRIBUTES:
        return Defaults();
    case Kind::BLOCK: {
        const std::string block = Block(*shape.keys);
        return block.substr(1, block.size() - 2);
    }
    case Kind::STEP: {
        const std::string block = Block(*shape.keys);
        return "\"minProperties\": 1, \"maxProperties\": 1, " + block.substr(1, block.size() - 2);
    }
    case Kind::WORDS:
        return Words(*shape.keys);
    case Kind::FLAG:
        break; // a name alone has no value
    case Kind::FLAG_OR_MAP:
        return Members(shape.parts.at(0));
    case Kind::LIST:
        return Member("type", Text("array")) + ", " + Member("items", Shape(shape.parts.at(0))) +
               ", " + Member("minItems", std::to_string(shape.low)) +
               (shape.high == 0 ? "" : ", " + Member("maxItems", std::to_string(shape.high)));
    case Kind::MAP:
        return Member("type", Text("object")) + ", " +
               Member("additionalProperties", Shape(shape.parts.at(0)));
    case Kind::CHANGES:
        return Member("type", Text("object")) + ", " +
               Member("additionalProperties", "{\"type\": [\"object\", \"null\"]}");
    case Kind::ONE_OF: {
        std::string parts;
        for (const ValueShape& part : shape.parts)
        {
            parts += (parts.empty() ? "" : ", ") + Shape(part);
        }
        // A name can match several of them: a preset and a type.
        return Member(shape.Allows(Kind::TYPED) ? "anyOf" : "oneOf", "[" + parts + "]");
    }
    case Kind::ANYTHING:
        break;
    }
    return "";
}

std::string
DocumentSchema::Words(const BlockKeys& keys)
{
    using Kind = ValueShape::Kind;
    std::vector<std::string> words;
    std::string maps;
    for (const KeyInfo& key : keys.keys)
    {
        if (key.shape.kind == Kind::FLAG || key.shape.kind == Kind::FLAG_OR_MAP)
        {
            words.push_back(key.name);
        }
        if (key.shape.kind != Kind::FLAG)
        {
            maps += ", " + JsonObject(Member(key.name, Value(key)), {key.name});
        }
    }
    return "\"oneOf\": [{" + Member("enum", List(words)) + "}" + maps + "]";
}

std::string
DocumentSchema::Typed(const TypeFamily& family)
{
    const std::vector<std::string> names = AttributeReader::ListTypes(family.suffix, family.base);
    std::string choices = "{\"enum\": " + List(names) + "}";
    for (const std::string& name : names)
    {
        std::string properties = Member("type", "{\"const\": " + Text(name) + "}");
        const TypeId tid = AttributeReader::FindType(name, family.suffix);
        for (const auto& info : AttributeReader::ListAttributes(tid))
        {
            properties += ", " + Member(info.name, Attribute(info));
        }
        choices +=
            ", " + JsonObject(properties, {}); // a variant of another file need not repeat the type
    }
    return "\"anyOf\": [" + choices + "]";
}

std::string
DocumentSchema::Defaults()
{
    // The attributes of this module, for completion; any other ns-3 attribute may be named, too.
    std::vector<std::string> properties;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); i++)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        for (std::size_t a = 0; tid.GetGroupName() == "GpuFabric" && a < tid.GetAttributeN(); a++)
        {
            const TypeId::AttributeInformation info = tid.GetAttribute(a);
            if (AttributeReader::GetForm(info) != AttributeForm::UNSUPPORTED)
            {
                properties.push_back(Member(tid.GetName() + "::" + info.name, Attribute(info)));
            }
        }
    }
    std::sort(properties.begin(), properties.end());
    std::string text;
    for (const std::string& property : properties)
    {
        text += (text.empty() ? "" : ", ") + property;
    }
    return "\"type\": \"object\", \"properties\": {" + text +
           "}, \"propertyNames\": {\"pattern\": \"^ns3::.+::[^:]+$\"}";
}

std::string
DocumentSchema::Attribute(const TypeId::AttributeInformation& info)
{
    return "{" + Member("description", Text(info.help)) + ", " + AttributeMembers(info) + "}";
}

std::string
DocumentSchema::AttributeMembers(const TypeId::AttributeInformation& info)
{
    switch (AttributeReader::GetForm(info))
    {
    case AttributeForm::INTEGER: {
        std::string low;
        std::string high;
        AttributeReader::GetRange(info, low, high);
        return "\"type\": \"integer\", \"minimum\": " + low + ", \"maximum\": " + high;
    }
    case AttributeForm::NUMBER:
        return "\"type\": \"number\"";
    case AttributeForm::BOOLEAN:
        return "\"type\": \"boolean\"";
    case AttributeForm::TIME:
        return Quantity(TIME_UNITS);
    case AttributeForm::RATE:
        return Quantity(RATE_UNITS);
    case AttributeForm::BYTES:
        return Quantity(BYTE_UNITS);
    case AttributeForm::CHOICE:
        return Member("enum", List(AttributeReader::ListChoices(info)));
    case AttributeForm::TYPE: {
        // With and without "ns3::".
        std::vector<std::string> family = AttributeReader::ListFamily(info);
        for (size_t i = family.size(); i-- > 0;)
        {
            family.push_back(family[i].substr(family[i].rfind(':') + 1));
        }
        return family.empty() ? "\"type\": \"string\"" : Member("enum", List(family));
    }
    case AttributeForm::TEXT:
    case AttributeForm::FILE:
    case AttributeForm::UNSUPPORTED:
        break;
    }
    return "\"type\": \"string\"";
}

} // namespace ns3
