/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-schema.h"

#include "../document/attribute-reader.h"

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

/// A string that is a number and a unit.
std::string
Quantity(const std::string& units)
{
    return Member("type", Text("string")) + ", " +
           Member("pattern", Text("^[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?(" + units + ")$"));
}

const char* const TIME_UNITS = "ps|ns|us|ms|s|min";
const char* const RATE_UNITS = "[kMGT]?(bps|b/s|B/s)";
const char* const BYTE_UNITS = "B|[kKMGT]B|[KMG]iB";

std::string
Array(const std::string& items, const std::string& more = "")
{
    return Member("type", Text("array")) + ", " + Member("items", items) +
           (more.empty() ? ", \"minItems\": 1" : ", " + more);
}

std::string
Object(const std::string& properties, const std::vector<std::string>& required)
{
    return "{\"type\": \"object\", \"properties\": {" + properties + "}, " +
           (required.empty() ? "" : Member("required", List(required)) + ", ") +
           "\"additionalProperties\": false}";
}

} // namespace

void
ScenarioSchema::Print(std::ostream& os)
{
    os << "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
       << "  \"title\": \"gpu-fabric scenario\",\n  \"type\": \"object\",\n"
       << "  \"required\": [\"schema\"],\n  \"additionalProperties\": false,\n"
       << "  \"properties\": {";
    const char* separator = "\n";
    for (const ScenarioKey& key : ScenarioKeys::Get("scenario"))
    {
        if (key.form != KeyForm::NOT_SUPPORTED)
        {
            os << separator << "    " << Text(key.name) << ": " << Value(key);
            separator = ",\n";
        }
    }
    os << "\n  }\n}\n";
}

std::string
ScenarioSchema::Block(const std::string& block)
{
    std::string properties;
    std::vector<std::string> required;
    for (const ScenarioKey& key : ScenarioKeys::Get(block))
    {
        if (key.form == KeyForm::NOT_SUPPORTED)
        {
            continue;
        }
        properties += (properties.empty() ? "" : ", ") + Member(key.name, Value(key));
        if (key.required)
        {
            required.emplace_back(key.name);
        }
    }
    return Object(properties, required);
}

std::string
ScenarioSchema::Value(const ScenarioKey& key)
{
    return "{" + Member("description", Text(key.help)) + ", " + Members(key) + "}";
}

std::string
ScenarioSchema::Members(const ScenarioKey& key)
{
    switch (key.form)
    {
    case KeyForm::TEXT:
        return "\"type\": \"string\", \"minLength\": 1, \"maxLength\": 200";
    case KeyForm::NAME:
        return Member("type", Text("string")) + ", " +
               Member("pattern", Text("^[A-Za-z0-9._-]{1,200}$"));
    case KeyForm::INTEGER:
        return Member("type", Text("integer")) + ", " + Member("minimum", std::to_string(key.low)) +
               ", " + Member("maximum", std::to_string(key.high));
    case KeyForm::NUMBER:
        return "\"type\": \"number\", \"exclusiveMinimum\": 0";
    case KeyForm::TIME:
        return Quantity(TIME_UNITS);
    case KeyForm::BYTES:
        return Quantity(BYTE_UNITS);
    case KeyForm::RATE:
        return Quantity(RATE_UNITS);
    case KeyForm::PERCENTAGE:
        return Quantity("%");
    case KeyForm::FRACTION:
        return "\"oneOf\": [{\"const\": 1}, {\"type\": \"string\", \"pattern\": "
               "\"^[0-9]+/[0-9]+$\"}]";
    case KeyForm::BOOLEAN:
        return "\"type\": \"boolean\"";
    case KeyForm::CHOICE:
        return Member("enum", List(ScenarioKeys::Split(key.detail)));
    case KeyForm::NAMES:
        return Array("{\"type\": \"string\"}");
    case KeyForm::PAIR:
        return Array("{\"type\": \"string\"}", "\"minItems\": 2, \"maxItems\": 2");
    case KeyForm::WORD_OR_BLOCK:
    case KeyForm::BLOCK: {
        const std::string block = Block(key.detail);
        return block.substr(1, block.size() - 2);
    }
    case KeyForm::LIST:
        return Array(Block(key.detail));
    case KeyForm::TYPED:
        return Typed(key.detail);
    case KeyForm::TYPED_LIST:
        return Array("{" + Typed(key.detail) + "}");
    case KeyForm::MODEL:
        return "\"anyOf\": [{\"type\": \"string\", \"minLength\": 1, \"maxLength\": 200}, {" +
               Typed(key.detail) + "}]";
    case KeyForm::ATTRIBUTES:
        return Defaults();
    case KeyForm::ARRIVAL:
        return "\"oneOf\": [{" + Quantity(TIME_UNITS) + "}, " + Block("arrival") + "]";
    case KeyForm::HOSTS: {
        const std::string names = Array("{\"type\": \"string\"}");
        return "\"oneOf\": [{" + names + "}, {" + Array("{" + names + "}") + "}]";
    }
    case KeyForm::STEPS: {
        std::string step = Block(key.detail);
        step.insert(1, "\"minProperties\": 1, \"maxProperties\": 1, ");
        return Array(step);
    }
    case KeyForm::FLOWS:
        return Array("{\"oneOf\": [" + Block("flow") + ", " + Block("flow-file") + "]}");
    case KeyForm::RECORDS: {
        std::vector<std::string> words;
        for (const ScenarioKey& word : ScenarioKeys::Get(key.detail))
        {
            if (word.form == KeyForm::TEXT || word.form == KeyForm::WORD_OR_BLOCK)
            {
                words.emplace_back(word.name);
            }
        }
        std::string forms = "{\"enum\": " + List(words) + "}";
        for (const ScenarioKey& word : ScenarioKeys::Get(key.detail))
        {
            if (word.form != KeyForm::TEXT)
            {
                forms += ", " + Object(Member(word.name, Value(word)), {word.name});
            }
        }
        forms += ", {" + Typed("Recorder|ns3::Recorder") + "}";
        return Array("{\"oneOf\": [" + forms + "]}");
    }
    case KeyForm::JOBS:
        return "\"oneOf\": [{" + Array(Block(key.detail)) + "}, " + Block("job-trace") + "]";
    case KeyForm::FORMAT: {
        const std::vector<std::string> parts = ScenarioKeys::Split(key.detail);
        return Member("enum", List(AttributeReader::ListTypes(parts.at(0), parts.at(1))));
    }
    case KeyForm::MODELS:
        return Member("type", Text("object")) +
               ", \"additionalProperties\": {\"oneOf\": [{\"type\": \"string\"}, " +
               Block(key.detail) + "]}";
    case KeyForm::SETTINGS:
        return Member("type", Text("object")) +
               ", \"additionalProperties\": {\"type\": \"array\", \"minItems\": 1}";
    case KeyForm::SEEDS:
        return "\"oneOf\": [{\"type\": \"string\", \"pattern\": \"^[0-9]+\\\\.\\\\.[0-9]+$\"}, {" +
               Array("{\"type\": \"integer\", \"minimum\": 0}") + "}]";
    case KeyForm::NOT_SUPPORTED:
        break;
    }
    return "";
}

std::string
ScenarioSchema::Typed(const std::string& detail)
{
    const std::vector<std::string> parts = ScenarioKeys::Split(detail);
    const std::vector<std::string> names = AttributeReader::ListTypes(parts.at(0), parts.at(1));
    std::string choices = "{\"enum\": " + List(names) + "}";
    for (const std::string& name : names)
    {
        std::string properties = Member("type", "{\"const\": " + Text(name) + "}");
        const TypeId tid = AttributeReader::FindType(name, parts.at(0));
        for (const auto& info : AttributeReader::ListAttributes(tid))
        {
            properties += ", " + Member(info.name, Attribute(info));
        }
        choices +=
            ", " + Object(properties, {}); // a variant of another file need not repeat the type
    }
    if (parts.at(0) == "Topology")
    {
        choices += ", " + Block("explicit");
    }
    return "\"anyOf\": [" + choices + "]";
}

std::string
ScenarioSchema::Defaults()
{
    // Those of this module, for completion; any other attribute of ns-3 may be named, too.
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
ScenarioSchema::Attribute(const TypeId::AttributeInformation& info)
{
    return "{" + Member("description", Text(info.help)) + ", " + AttributeMembers(info) + "}";
}

std::string
ScenarioSchema::AttributeMembers(const TypeId::AttributeInformation& info)
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
