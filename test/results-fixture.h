/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RESULTS_FIXTURE_H
#define GPU_FABRIC_RESULTS_FIXTURE_H

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{
namespace tests
{

/// A test with a folder of its own, removed at its end.
class ResultsFixture : public testing::Test
{
  protected:
    void SetUp() override
    {
        std::string folder =
            (std::filesystem::temp_directory_path() / "gpu-fabric-results-XXXXXX").string();
        ASSERT_NE(mkdtemp(folder.data()), nullptr);
        m_folder = folder;
    }

    void TearDown() override
    {
        std::filesystem::remove_all(m_folder);
    }

    /// A path in the folder.
    std::string Path(const std::string& name) const
    {
        return (m_folder / name).string();
    }

    static std::string ReadBytes(const std::string& path)
    {
        std::ifstream file(path, std::ios::binary);
        std::ostringstream bytes;
        bytes << file.rdbuf();
        return bytes.str();
    }

    static void WriteBytes(const std::string& path, const std::string& bytes)
    {
        std::ofstream(path, std::ios::binary) << bytes;
    }

    /// The rows of a query, columns separated by "|", NULL as "NULL".
    static std::vector<std::string> Query(SQLite::Database& database, const std::string& sql)
    {
        std::vector<std::string> rows;
        SQLite::Statement query(database, sql);
        while (query.executeStep())
        {
            std::string row;
            for (int column = 0; column < query.getColumnCount(); ++column)
            {
                row += (column > 0 ? "|" : "") + (query.isColumnNull(column)
                                                      ? std::string("NULL")
                                                      : query.getColumn(column).getString());
            }
            rows.push_back(row);
        }
        return rows;
    }

    /// The same of a database file.
    static std::vector<std::string> Query(const std::string& path, const std::string& sql)
    {
        SQLite::Database database(path, SQLite::OPEN_READONLY);
        return Query(database, sql);
    }

    using Rows = std::vector<std::string>;

    std::filesystem::path m_folder;
};

} // namespace tests
} // namespace ns3

#endif // GPU_FABRIC_RESULTS_FIXTURE_H
