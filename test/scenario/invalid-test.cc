/* SPDX-License-Identifier: GPL-2.0-only */

// Every wrong scenario of test/invalid gives exactly the messages of its .expected file. With
// UPDATE_EXPECTED=1 in the environment, the files are written instead: review the difference.

#include "../../model/scenario/scenario-reader.h"
#include "../fixture/scenario-fixture.h"

#include <algorithm>

using namespace ns3;

namespace
{

std::string
ReadFile(const std::filesystem::path& path)
{
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// Enters a folder for the duration of a test, as messages name files as they were given.
class WorkingFolder
{
  public:
    explicit WorkingFolder(const std::string& path)
        : m_before(std::filesystem::current_path())
    {
        std::filesystem::current_path(path);
    }

    ~WorkingFolder()
    {
        std::filesystem::current_path(m_before);
    }

  private:
    std::filesystem::path m_before;
};

} // namespace

TEST(ScenarioInvalidTest, MessagesAreAsExpected)
{
    const WorkingFolder folder(GetTestFolder() + "/invalid");
    const char* const update = std::getenv("UPDATE_EXPECTED");
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator("."))
    {
        if (entry.path().extension() == ".yaml")
        {
            names.push_back(entry.path().filename().string());
        }
    }
    std::sort(names.begin(), names.end());
    EXPECT_GE(names.size(), 28U);
    for (const std::string& name : names)
    {
        Diagnostics diagnostics;
        const auto scenario = ScenarioReader::Read(name, diagnostics);
        EXPECT_FALSE(scenario.has_value()) << name;
        EXPECT_TRUE(diagnostics.HasErrors()) << name;
        std::ostringstream messages;
        diagnostics.Print(messages);
        const std::string expected = std::filesystem::path(name).stem().string() + ".expected";
        if (update != nullptr && std::string(update) == "1")
        {
            std::ofstream(expected, std::ios::binary) << messages.str();
        }
        EXPECT_TRUE(std::filesystem::exists(expected)) << expected;
        EXPECT_EQ(messages.str(), ReadFile(expected)) << name;
    }
}

TEST(ScenarioInvalidTest, EveryExpectedFileHasItsScenario)
{
    for (const auto& entry : std::filesystem::directory_iterator(GetTestFolder() + "/invalid"))
    {
        if (entry.path().extension() == ".expected")
        {
            auto scenario = entry.path();
            scenario.replace_extension(".yaml");
            EXPECT_TRUE(std::filesystem::exists(scenario)) << scenario;
        }
    }
}

TEST(ScenarioInvalidTest, FilesThatCannotBeRead)
{
    const ScenarioFolder folder;
    EXPECT_EQ(ReadScenario(folder, "none.yaml").messages, "none.yaml: no such file\n");
    folder.Write("sub/a.yaml", "schema: gpu-fabric/1\n");
    EXPECT_EQ(ReadScenario(folder, "sub").messages, "sub: is a directory, not a file\n");
    folder.Write("large.yaml", std::string((16 << 20) + 1, '#'));
    EXPECT_EQ(ReadScenario(folder, "large.yaml").messages, "large.yaml: is larger than 16 MiB\n");
    folder.Write("empty.yaml", "");
    EXPECT_EQ(ReadScenario(folder, "empty.yaml").messages, "empty.yaml: the file is empty\n");
    folder.Write("comments.yaml", "# nothing\n");
    EXPECT_EQ(ReadScenario(folder, "comments.yaml").messages,
              "comments.yaml: the file holds only comments\n");
    if (std::filesystem::exists("/dev/zero"))
    {
        Diagnostics diagnostics;
        EXPECT_FALSE(ScenarioReader::Read("/dev/zero", diagnostics));
        std::ostringstream messages;
        diagnostics.Print(messages);
        EXPECT_EQ(messages.str(), "/dev/zero: is not a regular file\n");
    }
}

TEST(ScenarioInvalidTest, SixteenBitTextIsRefused)
{
    // yaml-cpp would take both byte orders, and positions would then be wrong.
    const ScenarioFolder folder;
    folder.Write("bom.yaml", std::string("\xff\xfes\0c\0h\0", 8));
    EXPECT_EQ(ReadScenario(folder, "bom.yaml").messages.substr(0, 43),
              "bom.yaml:1:1: the file is not UTF-8 text\n 1");
    folder.Write("plain.yaml", std::string("s\0c\0h\0", 6));
    EXPECT_NE(ReadScenario(folder, "plain.yaml").messages.find("control character"),
              std::string::npos);
}
