/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/base/attribute-refusal.h"
#include "../fixture/scenario-fixture.h"

#include "ns3/config.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// A value that an attribute must reject, and the message expected.
struct WrongValue
{
    std::string attribute; ///< "ns3::Class::Attribute"
    std::string text;
    std::vector<std::string> said;
};

void
PrintTo(const WrongValue& wrong, std::ostream* os)
{
    *os << wrong.attribute << " = " << wrong.text;
}

/// Name of a value type without "ns3::".
std::string
GetValueType(const TypeId::AttributeInformation& info)
{
    const std::string name = info.checker->GetValueTypeName();
    return name.rfind("ns3::", 0) == 0 ? name.substr(5) : name;
}

std::vector<std::string>
Split(const std::string& text, char separator)
{
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, separator);)
    {
        words.push_back(word);
    }
    return words;
}

/// Wrong values of an attribute that is an enumeration, a size or a rate; of others none.
std::vector<WrongValue>
GetWrongValues(const std::string& name, const TypeId::AttributeInformation& info)
{
    const std::string type = GetValueType(info);
    if (type == "NameValue")
    {
        const auto names = Split(info.checker->GetUnderlyingTypeInformation(), '|');
        return {{name, "nonsense", names}, {name, names.at(0) + "x", names}, {name, "7", names}};
    }
    if (type == "ByteSizeValue")
    {
        const std::vector<std::string> unit{"a size such as", "MB"};
        return {{name, "much", unit}, {name, "12parsecs", unit}, {name, "-1B", {"is negative"}}};
    }
    if (type == "BitRateValue")
    {
        const std::vector<std::string> unit{"a rate such as", "Gbps"};
        return {{name, "fast", unit}, {name, "12MB", unit}, {name, "-1Gbps", {"is negative"}}};
    }
    return {};
}

/// Calls a function with the full name and the information of each attribute of the module that
/// can be set.
template <class Function>
void
ForEachAttribute(Function function)
{
    for (uint16_t t = 0; t < TypeId::GetRegisteredN(); t++)
    {
        const TypeId type = TypeId::GetRegistered(t);
        for (std::size_t a = 0; type.GetGroupName() == "GpuFabric" && a < type.GetAttributeN(); a++)
        {
            const TypeId::AttributeInformation info = type.GetAttribute(a);
            if ((info.flags & TypeId::ATTR_CONSTRUCT) != 0 && info.accessor->HasSetter())
            {
                function(type.GetName() + "::" + info.name, info);
            }
        }
    }
}

std::vector<WrongValue>
GetAllWrongValues()
{
    std::vector<WrongValue> all;
    ForEachAttribute([&all](const std::string& name, const TypeId::AttributeInformation& info) {
        const std::vector<WrongValue> values = GetWrongValues(name, info);
        all.insert(all.end(), values.begin(), values.end());
    });
    return all;
}

/// The value that new objects get.
std::string
GetInitialValue(const std::string& attribute)
{
    const std::size_t cut = attribute.rfind("::");
    TypeId::AttributeInformation info;
    EXPECT_TRUE(TypeId::LookupByName(attribute.substr(0, cut))
                    .LookupAttributeByName(attribute.substr(cut + 2), &info));
    return info.initialValue->SerializeToString(info.checker);
}

class WrongValueTest : public testing::TestWithParam<WrongValue>
{
};

} // namespace

TEST_P(WrongValueTest, IsNoDefault)
{
    const WrongValue& wrong = GetParam();
    const std::string before = GetInitialValue(wrong.attribute);
    const AttributeRefusal refusal;
    EXPECT_FALSE(Config::SetDefaultFailSafe(wrong.attribute, StringValue(wrong.text)));
    EXPECT_EQ(GetInitialValue(wrong.attribute), before);
    for (const std::string& word : wrong.said)
    {
        EXPECT_NE(refusal.GetReason().find(word), std::string::npos) << refusal.GetReason();
    }
}

TEST_P(WrongValueTest, IsRefusedInAScenario)
{
    const WrongValue& wrong = GetParam();
    const ScenarioFolder folder;
    folder.Write("a.yaml",
                 "schema: gpu-fabric/1\ntopology: {type: Star, Hosts: 2}\ndefaults:\n  " +
                     wrong.attribute + ": \"" + wrong.text + "\"\n");
    const std::string messages = ReadScenario(folder, "a.yaml").messages;
    EXPECT_NE(messages.find("a.yaml:4:"), std::string::npos) << messages;
    EXPECT_NE(messages.find(wrong.attribute + ": "), std::string::npos) << messages;
    for (const std::string& word : wrong.said)
    {
        EXPECT_NE(messages.find(word), std::string::npos) << word << " in " << messages;
    }
}

INSTANTIATE_TEST_SUITE_P(AllAttributes,
                         WrongValueTest,
                         testing::ValuesIn(GetAllWrongValues()),
                         [](const testing::TestParamInfo<WrongValue>& info) {
                             std::string name =
                                 std::to_string(info.index) + "_" + info.param.attribute;
                             std::replace_if(
                                 name.begin(),
                                 name.end(),
                                 [](char c) { return c == ':' || c == '-'; },
                                 '_');
                             return name;
                         });

// An object is made without a value that its own checker refuses, and nothing says so.
TEST(WrongValuesTest, InitialValuesAreGood)
{
    ForEachAttribute([](const std::string& name, const TypeId::AttributeInformation& info) {
        EXPECT_TRUE(info.checker->CreateValidValue(*info.originalInitialValue)) << name;
        const std::string text = info.originalInitialValue->SerializeToString(info.checker);
        if (GetValueType(info) == "TextValue")
        {
            EXPECT_TRUE(info.checker->CreateValidValue(StringValue(text))) << name;
        }
    });
}

TEST(WrongValuesTest, AreOfAllLayers)
{
    const std::vector<WrongValue> all = GetAllWrongValues();
    EXPECT_GE(all.size(), 30U);
    for (const char* attribute : {"ns3::SelectedPaths::Load",
                                  "ns3::TacclCollective::Solver",
                                  "ns3::CropPlacement::Algorithm",
                                  "ns3::RingCollective::PieceBytes",
                                  "ns3::StarTopology::NicRate",
                                  "ns3::HostModel::PciePayload"})
    {
        EXPECT_TRUE(std::any_of(all.begin(), all.end(), [attribute](const WrongValue& wrong) {
            return wrong.attribute == attribute;
        })) << attribute;
    }
}

// What a value is stands in its type: nothing reads it out of the help text.
TEST(WrongValuesTest, NoHelpTextStandsForAType)
{
    std::size_t asked = 0;
    for (uint16_t t = 0; t < TypeId::GetRegisteredN(); t++)
    {
        const TypeId type = TypeId::GetRegistered(t);
        for (std::size_t a = 0; type.GetGroupName() == "GpuFabric" && a < type.GetAttributeN(); a++)
        {
            const TypeId::AttributeInformation info = type.GetAttribute(a);
            const std::string name = type.GetName() + "::" + info.name;
            const std::string value = GetValueType(info);
            const auto says = [&info](const char* word) {
                return info.help.find(word) != std::string::npos;
            };
            asked++;
            EXPECT_NE(value, "StringValue") << name
                                            << ": which text? TextValue, FileNameValue, "
                                               "NameValue or TypeIdValue says it";
            EXPECT_FALSE(value.compare(0, 9, "EnumValue") == 0) << name << ": use NameValue";
            EXPECT_FALSE(value != "NameValue" && says("One of")) << name;
            if (value == "UintegerValue" || value == "IntegerValue" || value == "DoubleValue")
            {
                for (const char* unit : {"[byte",
                                         "[kB]",
                                         "[MB]",
                                         "[KiB]",
                                         "[MiB]",
                                         "[bit",
                                         "[Mb",
                                         "[Gb",
                                         "[ps]",
                                         "[ns]",
                                         "[us]",
                                         "[ms]",
                                         "[s]",
                                         "[file]"})
                {
                    EXPECT_FALSE(says(unit)) << name << ": " << info.help;
                }
            }
        }
    }
    EXPECT_GT(asked, 200U);
}

// As ns-3 does it, the program ends, but the valid names and the range are said before.
TEST(WrongValuesDeathTest, EndTheProgramWithTheValidOnes)
{
    EXPECT_DEATH(Config::SetDefault("ns3::SelectedPaths::Load", StringValue("nonsense")),
                 "\"nonsense\" is not one of: rate, peak-rate, volume, intensity");
    EXPECT_DEATH(Config::SetDefault("ns3::HostModel::PciePayload", StringValue("0B")),
                 "0B is out of range: from 1B to 4294967295B is wanted");
    EXPECT_DEATH(Config::SetDefault("ns3::StarTopology::NicRate", StringValue("4parsecs")),
                 "\"4parsecs\" has an unknown unit \"parsecs\": write a rate such as");
}

TEST(WrongValuesTest, TypesOfAnotherFamilyAreRefused)
{
    const AttributeRefusal refusal;
    EXPECT_FALSE(
        Config::SetDefaultFailSafe("ns3::ComposedScheduler::Order", StringValue("ns3::EcmpPaths")));
    EXPECT_NE(refusal.GetReason().find("\"ns3::EcmpPaths\" is not one of: ns3::"),
              std::string::npos)
        << refusal.GetReason();
    EXPECT_NE(refusal.GetReason().find("ns3::BssiOrder"), std::string::npos);
    EXPECT_FALSE(
        Config::SetDefaultFailSafe("ns3::ComposedScheduler::Order", StringValue("ns3::Nothing")));
    EXPECT_FALSE(
        Config::SetDefaultFailSafe("ns3::ComposedScheduler::Order", StringValue("ns3::JobOrder")));
}
