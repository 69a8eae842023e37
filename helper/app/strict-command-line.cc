/* SPDX-License-Identifier: GPL-2.0-only */
#include "strict-command-line.h"

#include "../../model/base/diagnostics.h"
#include "../../model/base/unit-parser.h"
#include "../../model/document/attribute-reader.h"
#include "../../model/document/document-node.h"

#include "ns3/global-value.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <memory>

namespace ns3
{

namespace
{

const char* const FILE_NAME = "command line";

/// ns-3's own options, after each of which it ends the program.
const std::vector<std::string> PRINT_OPTIONS{"PrintHelp",
                                             "help",
                                             "PrintVersion",
                                             "version",
                                             "PrintGroups",
                                             "PrintTypeIds",
                                             "PrintGlobals",
                                             "PrintGroup",
                                             "PrintAttributes"};

bool
Contains(const std::vector<std::string>& words, const std::string& word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// Constructible types derived from a type, sorted.
std::vector<std::string>
ListChildren(const std::string& base)
{
    std::vector<std::string> names;
    const TypeId parent = TypeId::LookupByName(base);
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (tid.IsChildOf(parent) && tid.HasConstructor())
        {
            names.push_back(tid.GetName());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

/// Converts a value that --PrintAttributes shows to that of a scenario: "+50000.0ps" to
/// "50000.0ps".
std::string
StripSign(const std::string& value)
{
    return value.size() > 1 && value[0] == '+' ? value.substr(1) : value;
}

/// Whether ns-3 accepts the value but a scenario would not: the bare number that ns-3 shows for an
/// integer attribute with a unit, "1" or "0" for a boolean.
bool
IsNs3Form(const std::string& value, const TypeId::AttributeInformation& info)
{
    constexpr size_t DIGITS = 19; // fit 64 bits
    if (AttributeReader::GetForm(info) == AttributeForm::BOOLEAN)
    {
        return Contains({"0", "1", "t", "f"}, value);
    }
    return !value.empty() && value.size() <= DIGITS &&
           value.find_first_not_of("0123456789") == std::string::npos &&
           Contains({"ns3::UintegerValue",
                     "ns3::IntegerValue",
                     "ns3::ByteSizeValue",
                     "ns3::BitRateValue"},
                    info.checker->GetValueTypeName()) &&
           info.checker->CreateValidValue(StringValue(value));
}

} // namespace

struct StrictCommandLine::Argument
{
    bool option{false}; ///< starts with "-"
    bool hasValue{false};
    std::string name;
    std::string value;
    SourceMark nameMark;
    SourceMark valueMark;

    /// \param number of the argument, from 1
    Argument(const std::string& word, int number)
    {
        const size_t begin = word.compare(0, 2, "--") == 0 ? 2 : word.compare(0, 1, "-") == 0;
        option = begin > 0;
        const size_t equals = word.find('=');
        hasValue = option && equals != std::string::npos;
        name = hasValue ? word.substr(begin, equals - begin) : word.substr(begin);
        value = hasValue ? word.substr(equals + 1) : "";
        nameMark = {FILE_NAME, number, static_cast<int>(begin) + 1};
        valueMark = {FILE_NAME, number, static_cast<int>(hasValue ? equals + 2 : 1)};
    }
};

StrictCommandLine::StrictCommandLine(const std::string& filename)
    : CommandLine(filename)
{
}

void
StrictCommandLine::SetVersion(const std::string& version)
{
    m_version = version;
}

const std::vector<std::string>&
StrictCommandLine::GetAttributes() const
{
    return m_attributes;
}

const std::vector<std::string>&
StrictCommandLine::GetOthers() const
{
    return m_others;
}

bool
StrictCommandLine::IsGiven(const std::string& name) const
{
    return Contains(m_given, name);
}

bool
StrictCommandLine::Parse(int argc, char* argv[], std::ostream& err)
{
    std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    // "--option value"
    for (size_t i = 0; i + 1 < words.size(); ++i)
    {
        const Argument argument(words[i], 0);
        for (const Option& option : m_options)
        {
            if (argument.option && !argument.hasValue && option.name == argument.name &&
                option.kind != Kind::SWITCH && words[i + 1].compare(0, 1, "-") != 0)
            {
                words[i] += "=" + words[i + 1];
                words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
                break;
            }
        }
    }

    Diagnostics diagnostics;
    std::string lines;
    for (const std::string& word : words)
    {
        lines += word + "\n";
    }
    std::replace(lines.begin(), lines.end(), '\r', ' ');
    diagnostics.AddSource(FILE_NAME, lines);
    std::vector<std::string> checked{argc > 0 ? argv[0] : ""};
    size_t nonOptions = 0;
    for (size_t i = 0; i < words.size(); ++i)
    {
        Argument argument(words[i], static_cast<int>(i) + 1);
        checked.push_back(words[i]);
        if (!argument.option)
        {
            if (++nonOptions > m_nonOptions)
            {
                diagnostics.Error(argument.valueMark,
                                  "",
                                  Diagnostics::Quote(words[i]) + " is one name too many");
            }
            continue;
        }
        m_given.push_back(argument.name);
        const auto option =
            std::find_if(m_options.begin(), m_options.end(), [&argument](const Option& o) {
                return o.name == argument.name;
            });
        if (option != m_options.end())
        {
            CheckOption(*option, argument, diagnostics);
        }
        else if (argument.name.find("::") != std::string::npos)
        {
            CheckAttribute(argument, diagnostics);
            checked.back() = "--" + argument.name + "=" + argument.value;
        }
        else if (!CheckPrint(argument, diagnostics) && !CheckGlobal(argument, diagnostics))
        {
            ReportUnknown(argument, diagnostics);
        }
    }
    std::sort(m_attributes.begin(), m_attributes.end());
    std::sort(m_others.begin(), m_others.end());
    diagnostics.Print(err);
    if (diagnostics.HasErrors())
    {
        return false;
    }
    if (!m_version.empty() && (IsGiven("version") || IsGiven("PrintVersion")))
    {
        std::cout << m_version << std::endl;
        std::exit(0);
    }
    CommandLine::Parse(checked);
    return true;
}

bool
StrictCommandLine::CheckPrint(const Argument& argument, Diagnostics& diagnostics) const
{
    TypeId tid;
    if (argument.name == "PrintAttributes" && !TypeId::LookupByNameFailSafe(argument.value, &tid))
    {
        std::vector<std::string> types;
        for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
        {
            types.push_back(TypeId::GetRegistered(i).GetName());
        }
        const std::string nearest = Diagnostics::Nearest(argument.value, types);
        diagnostics.Error(argument.valueMark,
                          argument.name,
                          "unknown class " + Diagnostics::Quote(argument.value) +
                              (nearest.empty() ? "" : ", did you mean \"" + nearest + "\"?"));
    }
    return Contains(PRINT_OPTIONS, argument.name);
}

void
StrictCommandLine::CheckOption(const Option& option,
                               const Argument& argument,
                               Diagnostics& diagnostics)
{
    std::string error;
    switch (option.kind)
    {
    case Kind::SWITCH:
        if (argument.hasValue && !Contains({"0", "1", "t", "f"}, argument.value))
        {
            UnitParser::ParseBoolean(argument.value, error);
        }
        break;
    case Kind::NUMBER:
        UnitParser::ParseUnsigned(argument.value, 0, std::numeric_limits<int64_t>::max(), error);
        break;
    case Kind::TEXT:
        error = argument.value.empty() ? "a value is missing" : "";
        break;
    }
    if (!error.empty())
    {
        diagnostics.Error(argument.valueMark, "--" + option.name, error);
    }
}

void
StrictCommandLine::CheckAttribute(Argument& argument, Diagnostics& diagnostics)
{
    m_attributes.push_back(argument.name);
    const size_t cut = argument.name.rfind("::");
    TypeId tid;
    TypeId::AttributeInformation info;
    if (TypeId::LookupByNameFailSafe(argument.name.substr(0, cut), &tid) &&
        tid.LookupAttributeByName(argument.name.substr(cut + 2), &info))
    {
        if (AttributeReader::GetForm(info) == AttributeForm::UNSUPPORTED)
        {
            m_others.push_back(argument.name + "=" + argument.value);
            return; // of ns-3's other modules, which check it themselves
        }
        if (IsNs3Form(argument.value, info))
        {
            return;
        }
    }
    const auto file = std::make_shared<const std::string>(FILE_NAME);
    const auto makeNode = [&file](const std::string& text, const SourceMark& mark) {
        DocumentNode node;
        node.kind = DocumentNode::Kind::SCALAR;
        node.text = text;
        node.file = file;
        node.line = mark.line;
        node.column = mark.column;
        return node;
    };
    DocumentNode map;
    map.kind = DocumentNode::Kind::MAP;
    map.file = file;
    map.keys.push_back(makeNode(argument.name, argument.nameMark));
    map.items.push_back(makeNode(StripSign(argument.value), argument.valueMark));
    const auto settings = AttributeReader(diagnostics).ReadDefaults(map, "attribute");
    if (!settings.empty())
    {
        argument.value = settings[0].value;
    }
}

bool
StrictCommandLine::CheckGlobal(const Argument& argument, Diagnostics& diagnostics)
{
    const auto global =
        std::find_if(GlobalValue::Begin(), GlobalValue::End(), [&argument](const GlobalValue* g) {
            return g->GetName() == argument.name;
        });
    if (global == GlobalValue::End())
    {
        return false;
    }
    if (argument.name != "RngRun") // the seed, which has its own way
    {
        m_others.push_back(argument.name + "=" + argument.value);
    }
    const std::string type = (*global)->GetChecker()->GetValueTypeName();
    std::string error;
    TypeId tid;
    if (argument.name == "SimulatorImplementationType")
    {
        const std::vector<std::string> types = ListChildren("ns3::SimulatorImpl");
        if (!Contains(types, argument.value))
        {
            error = Diagnostics::Unknown("type", argument.value, types);
        }
    }
    else if (argument.name == "SchedulerType")
    {
        const std::vector<std::string> types = ListChildren("ns3::Scheduler");
        if (!Contains(types, argument.value))
        {
            error = Diagnostics::Unknown("type", argument.value, types);
        }
    }
    else if (type == "ns3::UintegerValue")
    {
        const bool number =
            UnitParser::ParseUnsigned(argument.value, 0, std::numeric_limits<int64_t>::max(), error)
                .has_value();
        if (number && !(*global)->GetChecker()->CreateValidValue(StringValue(argument.value)))
        {
            error = Diagnostics::Quote(argument.value) + " is out of range";
        }
    }
    else if (type == "ns3::BooleanValue" && !Contains({"0", "1", "t", "f"}, argument.value))
    {
        UnitParser::ParseBoolean(argument.value, error);
    }
    if (!error.empty())
    {
        diagnostics.Error(argument.valueMark, "--" + argument.name, error);
    }
    return true;
}

void
StrictCommandLine::ReportUnknown(const Argument& argument, Diagnostics& diagnostics) const
{
    std::vector<std::string> names{"help", "version", "PrintGroup", "PrintAttributes", "RngRun"};
    for (const Option& option : m_options)
    {
        names.push_back(option.name);
    }
    diagnostics.Error(argument.nameMark, "", Diagnostics::Unknown("option", argument.name, names));
}

} // namespace ns3
