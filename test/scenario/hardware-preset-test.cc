/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/scenario/hardware-preset.h"
#include "../fixture/scenario-run-fixture.h"

using namespace ns3;

namespace
{

class HardwarePresetTest : public ScenarioRunFixture
{
  protected:
    static std::string Job(const std::string& hardware, const std::string& more = "")
    {
        return "topology: {type: Star, Hosts: 2, NicRate: 100Gbps}\nhardware: " + hardware + "\n" +
               more +
               "jobs: [{name: a, gpus: 2, iterations: 1, iteration: [{all-reduce: {bytes: "
               "1MB}}]}]\n";
    }
};

} // namespace

TEST_F(HardwarePresetTest, AllPresetsSayWhereEveryValueIsFrom)
{
    EXPECT_EQ(HardwarePreset::GetNames(),
              (std::vector<std::string>{"a100-hdr200",
                                        "b200-cx7",
                                        "h100-cx7",
                                        "h200-roce",
                                        "ideal",
                                        "rtx-pcie"}));
    for (const std::string& name : HardwarePreset::GetNames())
    {
        Diagnostics diagnostics;
        const auto preset = HardwarePreset::Load(name, {}, "", diagnostics);
        ASSERT_TRUE(preset) << name;
        EXPECT_EQ(preset->name, name);
        EXPECT_FALSE(preset->about.empty());
        EXPECT_EQ(preset->values.empty(), name == "ideal");
        for (const HardwareValue& value : preset->values)
        {
            EXPECT_FALSE(value.source.empty()) << name << " " << value.setting.name;
        }
    }
}

TEST_F(HardwarePresetTest, ItsDefaultsHoldUnlessTheFileSaysOtherwise)
{
    Run(Job("b200-cx7", "defaults: {\"ns3::RoceNic::AckInterval\": 4}\n"));
    const auto get = [this](const std::string& name) {
        return Rows("SELECT value, origin FROM parameter WHERE name = 'ns3::" + name + "'");
    };
    EXPECT_EQ(get("RoceNic::AckInterval"), std::vector<std::string>{"4|scenario"});
    EXPECT_EQ(get("RoceNic::PathMtu"), std::vector<std::string>{"4096|hardware b200-cx7: assumed"});
    EXPECT_EQ(get("NcclCollective::LlLaunch"),
              std::vector<std::string>{"10000000ps|hardware b200-cx7: fitted"});
    EXPECT_EQ(Rows("SELECT algorithm, protocol FROM collective").size(), 1u);
    EXPECT_NE(Rows("SELECT protocol FROM collective")[0], "");
}

TEST_F(HardwarePresetTest, IdealIsNoPreset)
{
    Run(Job("ideal"));
    const auto ideal = Rows("SELECT * FROM collective");
    Run("topology: {type: Star, Hosts: 2, NicRate: 100Gbps}\n"
        "jobs: [{name: a, gpus: 2, iterations: 1, iteration: [{all-reduce: {bytes: 1MB}}]}]\n");
    EXPECT_EQ(Rows("SELECT * FROM collective"), ideal);
}

TEST_F(HardwarePresetTest, WrongOnesAreRefused)
{
    EXPECT_EQ(Try(Job("h100")), 2);
    EXPECT_NE(messages.find("hardware: unknown preset \"h100\""), std::string::npos) << messages;
    EXPECT_NE(messages.find("h100-cx7"), std::string::npos) << messages;
    EXPECT_EQ(Try(Job("own.yaml")), 2);
    EXPECT_NE(messages.find("own.yaml"), std::string::npos) << messages;
    const std::string head = "schema: gpu-fabric-hardware/1\nname: own\nabout: mine\nvalues:\n";
    for (const auto& [value, expected] :
         {std::make_pair("{set: \"ns3::RoceNic::PathMtu\", to: 4096B, kind: guessed, source: x}",
                         "\"guessed\""),
          std::make_pair("{set: \"ns3::RoceNic::PathMtu\", to: 4096B, kind: fitted}",
                         "source is missing"),
          std::make_pair("{set: \"ns3::RoceNic::PathMtu\", to: 4096 B/s, kind: fitted, source: x}",
                         "PathMtu"),
          std::make_pair("{set: \"ns3::RoceNic::Mtu\", to: 1, kind: fitted, source: x}", "Mtu")})
    {
        Diagnostics diagnostics;
        EXPECT_FALSE(HardwarePreset::Parse("own.yaml", head + "  - " + value + "\n", diagnostics));
        std::ostringstream text;
        diagnostics.Print(text);
        EXPECT_NE(text.str().find(expected), std::string::npos) << text.str();
    }
}
