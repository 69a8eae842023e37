/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/scenario-fixture.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Whether a name matches a pattern in which "*" stands for anything.
bool
Matches(const char* pattern, const char* name)
{
    if (*pattern == '*')
    {
        return Matches(pattern + 1, name) || (*name != '\0' && Matches(pattern, name + 1));
    }
    return *pattern == *name && (*pattern == '\0' || Matches(pattern + 1, name + 1));
}

/// Names of all tests as "suite.test", as they stand in the sources: they are in several programs.
std::set<std::string>
ListTests()
{
    std::set<std::string> names;
    const std::regex test("\\n(TYPED_)?TEST(_F|_P)?\\(\\s*(\\w+),\\s*(\\w+)\\)");
    const std::regex instance("\\nINSTANTIATE_TEST_SUITE_P\\(\\s*(\\w+),\\s*(\\w+),");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(GetTestFolder()))
    {
        if (entry.path().extension() != ".cc")
        {
            continue;
        }
        std::ifstream file(entry.path());
        std::ostringstream stream;
        stream << file.rdbuf();
        const std::string text = stream.str();
        std::map<std::string, std::vector<std::string>> instances; // of a suite
        for (std::sregex_iterator it(text.begin(), text.end(), instance), end; it != end; ++it)
        {
            instances[(*it)[2]].push_back((*it)[1]);
        }
        for (std::sregex_iterator it(text.begin(), text.end(), test), end; it != end; ++it)
        {
            const std::string suite = (*it)[3];
            const std::string name = suite + "." + (*it)[4].str();
            names.insert(name);
            for (const std::string& prefix : instances[suite])
            {
                names.insert(prefix + "/" + name + "/0");
            }
        }
    }
    return names;
}

} // namespace

TEST(DocValidationTest, EveryTestThatTheTablesNameExists)
{
    std::ifstream file(GetTestFolder() + "/../doc/validation.rst");
    if (!file)
    {
        GTEST_SKIP() << "doc/validation.rst is not here";
    }
    const std::set<std::string> names = ListTests();
    // The last column of a row, e.g. ``Suite.Test``, ``Suite.*`` or ``Instance/Suite.*``.
    const std::regex column("``([A-Za-z0-9_/*]+(\\.[A-Za-z0-9_/*]+)?)``$");
    int found = 0;
    for (std::string line; std::getline(file, line);)
    {
        std::smatch match;
        if (std::regex_search(line, match, column))
        {
            const std::string pattern = match[1];
            EXPECT_TRUE(std::any_of(names.begin(), names.end(), [&](const std::string& name) {
                return Matches(pattern.c_str(), name.c_str());
            })) << pattern;
            ++found;
        }
    }
    EXPECT_GT(found, 60);
}

TEST(DocValidationTest, LinksLeadToFilesAndTheIndexHasAll)
{
    namespace fs = std::filesystem;
    const fs::path project = fs::path(GetTestFolder()) / "..";
    if (!fs::exists(project / "doc/gpu-fabric.rst"))
    {
        GTEST_SKIP() << "doc is not here";
    }
    std::vector<fs::path> files{project / "README.md", project / "scenarios/README.md"};
    std::set<std::string> documents;
    for (const auto& entry : fs::directory_iterator(project / "doc"))
    {
        if (entry.path().extension() == ".rst")
        {
            files.push_back(entry.path());
            documents.insert(entry.path().filename().string());
        }
    }
    // `text <file>`_ and [text](file), not to the net.
    const std::regex link("<([A-Za-z0-9_./-]+)>`_|\\]\\(([A-Za-z0-9_./-]+)\\)");
    std::set<std::string> indexed{"gpu-fabric.rst"};
    int found = 0;
    for (const fs::path& path : files)
    {
        std::ifstream file(path);
        std::ostringstream stream;
        stream << file.rdbuf();
        const std::string text = stream.str();
        for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it)
        {
            const std::string target = (*it)[1].matched ? (*it)[1] : (*it)[2];
            EXPECT_TRUE(fs::exists(path.parent_path() / target)) << path << ": " << target;
            ++found;
            if (path.filename() == "gpu-fabric.rst")
            {
                indexed.insert(target);
            }
        }
    }
    EXPECT_GT(found, 15);
    EXPECT_EQ(indexed, documents);
}

} // namespace ns3
