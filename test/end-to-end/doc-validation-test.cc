/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/scenario-fixture.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
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

/// Names of all tests of this program as "suite.test".
std::set<std::string>
ListTests()
{
    std::set<std::string> names;
    const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
    for (int i = 0; i < all.total_test_suite_count(); ++i)
    {
        const ::testing::TestSuite& suite = *all.GetTestSuite(i);
        for (int k = 0; k < suite.total_test_count(); ++k)
        {
            names.insert(std::string(suite.name()) + "." + suite.GetTestInfo(k)->name());
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
