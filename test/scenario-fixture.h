/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_FIXTURE_H
#define GPU_FABRIC_SCENARIO_FIXTURE_H

#include "ns3/scenario-reader.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

/// A folder of its own for the scenario files of a test.
class ScenarioFolder
{
  public:
    explicit ScenarioFolder(
        const std::filesystem::path& parent = std::filesystem::temp_directory_path())
    {
        std::string name = (parent / "gpu-fabric-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr)
        {
            throw std::runtime_error("no temporary folder");
        }
        m_path = name;
    }

    ~ScenarioFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }

    ScenarioFolder(const ScenarioFolder&) = delete;
    ScenarioFolder& operator=(const ScenarioFolder&) = delete;

    /// Writes a file and returns its path.
    std::string Write(const std::string& name, const std::string& text) const
    {
        std::filesystem::create_directories((m_path / name).parent_path());
        // A new file: some file systems write an old one to the disk when it is cut.
        std::filesystem::remove(m_path / name);
        std::ofstream((m_path / name), std::ios::binary) << text;
        return (m_path / name).string();
    }

    std::string GetPath(const std::string& name) const
    {
        return (m_path / name).string();
    }

  private:
    std::filesystem::path m_path;
};

/// Reads one scenario text; the messages are without the folder.
struct ReadResult
{
    std::optional<ns3::Scenario> scenario;
    std::string messages;
};

inline ReadResult
ReadScenario(const ScenarioFolder& folder,
             const std::string& name,
             const ns3::ScenarioReader::ModelCheck& check = nullptr)
{
    ns3::ScenarioDiagnostics diagnostics;
    ns3::ScenarioReader reader(diagnostics);
    reader.SetModelCheck(check);
    ReadResult result;
    result.scenario = reader.Read(folder.GetPath(name));
    std::ostringstream messages;
    diagnostics.Print(messages);
    result.messages = messages.str();
    const std::string prefix = folder.GetPath("");
    for (auto at = result.messages.find(prefix); at != std::string::npos;
         at = result.messages.find(prefix))
    {
        result.messages.erase(at, prefix.size());
    }
    // An error and a scenario exclude each other.
    EXPECT_EQ(result.scenario.has_value(), !diagnostics.HasErrors());
    return result;
}

/// The folder of the tests in the source tree.
inline std::string
GetTestFolder()
{
#ifdef NS_TEST_SOURCEDIR
    // Relative to the top of the tree where ns-3's build sets it.
    if (std::filesystem::is_directory(NS_TEST_SOURCEDIR "/invalid"))
    {
        return NS_TEST_SOURCEDIR;
    }
#endif
    return std::filesystem::path(__FILE__).parent_path().string();
}

#endif // GPU_FABRIC_SCENARIO_FIXTURE_H
