/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/results/named-columns.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// The values of the only row of a query, in words.
std::string
Describe(SQLite::Database& database, const std::string& select)
{
    SQLite::Statement row(database, "SELECT " + select + " FROM t");
    EXPECT_TRUE(row.executeStep());
    const std::optional<double> part = GetNumber(row, "part");
    return GetText(row, "name") + ' ' + std::to_string(GetInteger(row, "size")) + ' ' +
           std::to_string(GetId(row, "id")) + ' ' + (part ? std::to_string(*part) : "none");
}

} // namespace

TEST(NamedColumns, ReadTheSameInWhateverOrderTheyAreSelected)
{
    SQLite::Database database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec("CREATE TABLE t (a, b, c, d)");
    database.exec("INSERT INTO t VALUES ('link', 5000000000, 7, 0.5)");
    const std::string expected = "link 5000000000 7 0.500000";
    EXPECT_EQ(Describe(database, "a AS name, b AS size, c AS id, d AS part"), expected);
    EXPECT_EQ(Describe(database, "d AS part, c AS id, b AS size, a AS name"), expected);
    EXPECT_EQ(Describe(database, "c AS id, a AS name, NULL AS part, b AS size"),
              "link 5000000000 7 none");
}

TEST(NamedColumns, RefuseANameThatTheQueryDoesNotHave)
{
    SQLite::Database database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec("CREATE TABLE t (a)");
    database.exec("INSERT INTO t VALUES (1)");
    SQLite::Statement row(database, "SELECT a AS size FROM t");
    ASSERT_TRUE(row.executeStep());
    EXPECT_THROW(GetInteger(row, "bytes"), SQLite::Exception);
    EXPECT_THROW(GetNumber(row, "bytes"), SQLite::Exception);
}
