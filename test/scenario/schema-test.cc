/* SPDX-License-Identifier: GPL-2.0-only */

#include "../../model/scenario/scenario-job-reader.h"
#include "../../model/scenario/scenario-reader.h"
#include "../fixture/scenario-fixture.h"

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
    ScenarioReader::PrintSchema(text);
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
    for (const auto& [properties, keys] :
         {std::make_pair(schema["properties"], &ScenarioReader::GetKeys()),
          std::make_pair(job["properties"], &ScenarioJobReader::GetKeys().GetInfo())})
    {
        EXPECT_GT(keys->keys.size(), 20U);
        for (const KeyInfo& key : keys->keys)
        {
            EXPECT_EQ(properties[key.name].IsDefined(), key.supported) << key.name;
        }
        EXPECT_EQ(properties.size(), keys->ListNames().size());
    }
}

TEST(ScenarioSchemaTest, DefaultsAreThoseOfTheValues)
{
    const YAML::Node job = Load()["properties"]["jobs"]["oneOf"][0]["items"]["properties"];
    EXPECT_EQ(job["batch-per-gpu"]["default"].as<int>(), 1);
    EXPECT_EQ(job["bucket"]["default"].as<std::string>(), "25MiB");
    EXPECT_EQ(job["overlap"]["default"].as<std::string>(), "backward");
    // A trace has another one.
    const YAML::Node trace = Load()["properties"]["jobs"]["oneOf"][1]["properties"];
    EXPECT_EQ(trace["overlap"]["default"].as<std::string>(), "none");
    EXPECT_EQ(Load()["properties"]["placement"]["default"].as<std::string>(), "Consolidate");
    EXPECT_EQ(Load()["properties"]["seed"]["default"].as<int>(), 1);
}

// doc/scenario-reference.rst is the page that --print-reference prints. With UPDATE_EXPECTED=1 in
// the environment the file is written instead.
TEST(ScenarioSchemaTest, TheReferenceInTheDocumentationIsUpToDate)
{
    std::ostringstream page;
    ScenarioReader::PrintReference(page);
    const std::filesystem::path file = GetTestFolder() + "/../doc/scenario-reference.rst";
    if (std::getenv("UPDATE_EXPECTED") != nullptr)
    {
        std::ofstream(file, std::ios::binary) << page.str();
    }
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    EXPECT_EQ(page.str(), text.str());
}

TEST(ScenarioSchemaTest, ListsTypesAndAttributes)
{
    // Either a type, or a graph that is written out.
    const YAML::Node topology = Load()["properties"]["topology"]["anyOf"][0]["anyOf"];
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
