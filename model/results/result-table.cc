/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/result-table.h"

#include "ns3/abort.h"

#include <algorithm>
#include <set>

namespace ns3
{

namespace
{

/// Column at which comments start.
constexpr std::size_t COMMENT_AT = 40;
/// Column at which comment lines end.
constexpr std::size_t LINE_END = 100;

const char*
GetTypeName(ColumnType type)
{
    switch (type)
    {
    case ColumnType::INTEGER:
        return "INTEGER";
    case ColumnType::REAL:
        return "REAL";
    case ColumnType::TEXT:
        return "TEXT";
    }
    return "?";
}

bool
IsSqlName(const std::string& name)
{
    return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == std::string::npos;
}

/// A line of SQL with a comment, wrapped over as many lines as needed.
std::string
AddComment(const std::string& sql, const std::string& comment)
{
    std::string text = sql;
    std::size_t column = sql.size();
    std::size_t word = 0;
    while (word < comment.size())
    {
        const std::size_t end = std::min(comment.find(' ', word), comment.size());
        const bool begins = word == 0;
        if (begins || column + 1 + end - word > LINE_END)
        {
            text += begins ? "" : "\n";
            column = begins ? column : 0;
            const std::size_t spaces = column < COMMENT_AT ? COMMENT_AT - column : 1;
            text += std::string(spaces, ' ') + "--";
            column += spaces + 2;
        }
        text += " " + comment.substr(word, end - word);
        column += 1 + end - word;
        word = end + 1;
    }
    return text + "\n";
}

std::string
Join(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
    {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

} // namespace

std::string
MakeColumnName(std::string_view member)
{
    std::string name;
    for (const char c : member)
    {
        if (c >= 'A' && c <= 'Z')
        {
            name += '_';
            name += static_cast<char>(c - 'A' + 'a');
        }
        else
        {
            name += c;
        }
    }
    return name;
}

std::string
TableSpec::GetCreateStatement() const
{
    std::string sql = AddComment("CREATE TABLE " + name + " (", help);
    for (const ColumnSpec& column : columns)
    {
        sql += AddComment("  " + column.name + " " + GetTypeName(column.type) +
                              (column.nullable ? "" : " NOT NULL") + ",",
                          column.help);
    }
    return sql + "  PRIMARY KEY (" + Join(key) + ")\n) STRICT, WITHOUT ROWID;\n";
}

std::string
TableSpec::GetInsertStatement() const
{
    std::vector<std::string> names;
    for (const ColumnSpec& column : columns)
    {
        names.push_back(column.name);
    }
    return std::string(sameKey == SameKey::REPLACE ? "INSERT OR REPLACE INTO " : "INSERT INTO ") +
           name + " (" + Join(names) + ") VALUES (" +
           Join(std::vector<std::string>(names.size(), "?")) + ")";
}

void
TableSpec::Validate() const
{
    NS_ABORT_MSG_UNLESS(IsSqlName(name), "\"" << name << "\" is no name of a table");
    std::set<std::string> names;
    for (const ColumnSpec& column : columns)
    {
        NS_ABORT_MSG_UNLESS(IsSqlName(column.name),
                            "\"" << column.name << "\" is no name of a column of " << name);
        NS_ABORT_MSG_UNLESS(names.insert(column.name).second,
                            "table " << name << " has two columns " << column.name);
        NS_ABORT_MSG_IF(column.nullable &&
                            std::find(key.begin(), key.end(), column.name) != key.end(),
                        "column " << column.name << " of the key of " << name << " may be NULL");
    }
    for (const std::string& part : key)
    {
        NS_ABORT_MSG_IF(names.count(part) == 0,
                        "the key of table " << name << " has no column " << part);
    }
}

} // namespace ns3
