/* SPDX-License-Identifier: GPL-2.0-only */

#include "../../model/document/scenario-keys.h"
#include "../../model/scenario/scenario-schema.h"

#include <gtest/gtest.h>
#include <sstream>
#include <yaml-cpp/yaml.h>

using namespace ns3;

namespace
{

/// JSON is YAML, so that yaml-cpp reads the schema back.
YAML::Node
Load()
{
    std::ostringstream text;
    ScenarioSchema::Print(text);
    return YAML::Load(text.str());
}

} // namespace

TEST(ScenarioSchemaTest, ListsTheKeysOfTheReader)
{
    const YAML::Node schema = Load();
    EXPECT_EQ(schema["$schema"].as<std::string>(), "https://json-schema.org/draft/2020-12/schema");
    EXPECT_EQ(schema["required"][0].as<std::string>(), "schema");
    const YAML::Node job = schema["properties"]["jobs"]["oneOf"][0]["items"];
    EXPECT_EQ(job["required"][0].as<std::string>(), "name");
    EXPECT_FALSE(job["additionalProperties"].as<bool>());
    for (const auto& [properties, block] : {std::make_pair(schema["properties"], "scenario"),
                                            std::make_pair(job["properties"], "job")})
    {
        std::size_t supported = 0;
        for (const ScenarioKey& key : ScenarioKeys::Get(block))
        {
            supported += key.form != KeyForm::NOT_SUPPORTED ? 1 : 0;
            EXPECT_EQ(properties[key.name].IsDefined(), key.form != KeyForm::NOT_SUPPORTED)
                << key.name;
        }
        EXPECT_EQ(properties.size(), supported);
    }
}

TEST(ScenarioSchemaTest, ListsTypesAndAttributes)
{
    const YAML::Node topology = Load()["properties"]["topology"]["anyOf"];
    bool found = false;
    for (const YAML::Node& choice : topology)
    {
        const YAML::Node properties = choice["properties"];
        if (properties && properties["type"]["const"] &&
            properties["type"]["const"].as<std::string>() == "LeafSpine")
        {
            found = true;
            EXPECT_EQ(properties["Leaves"]["type"].as<std::string>(), "integer");
            EXPECT_EQ(properties["Leaves"]["maximum"].as<int>(), 4096);
            EXPECT_NE(properties["NicRate"]["pattern"].as<std::string>().find("bps"),
                      std::string::npos);
        }
    }
    EXPECT_TRUE(found);
    const YAML::Node defaults = Load()["properties"]["defaults"]["properties"];
    EXPECT_NE(defaults["ns3::RedEcnMarker::Kmin"]["pattern"].as<std::string>().find("KMG"),
              std::string::npos);
}
