/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROW_READER_H
#define GPU_FABRIC_ROW_READER_H

#include "result-tables.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3
{

/// Whether a row holds its run number.
template <class Row, class = void>
struct HoldsRun : std::false_type
{
};

template <class Row>
struct HoldsRun<Row, std::void_t<decltype(std::declval<Row&>().run)>> : std::true_type
{
};

/// Columns as SQL lists them: "gpu, start_ps".
inline std::string
JoinColumns(const std::vector<std::string>& columns)
{
    std::string names;
    for (const std::string& column : columns)
    {
        names += (names.empty() ? "" : ", ") + column;
    }
    return names;
}

/**
 * Passes rows to a function one by one, read by the declaration of their table, so that no value
 * can go to another member than its own.
 * \param database with the table
 * \param where condition on its columns, in SQL
 * \param order columns by which the rows are ordered, in SQL
 * \param use a function of `const Row&`
 * \throws SQLite::Exception, and std::runtime_error on a value that its column does not have
 */
template <class Row, class F>
void
ForEachRow(SQLite::Database& database,
           const std::string& where,
           const std::string& order,
           const F& use)
{
    const ResultTable<Row>& table = GetResultTable<Row>();
    std::vector<std::string> names;
    for (const ColumnSpec& column : table.GetSpec().columns)
    {
        names.push_back(column.name);
    }
    SQLite::Statement query(database,
                            "SELECT " + JoinColumns(names) + " FROM " + table.GetSpec().name +
                                " WHERE " + where + " ORDER BY " + order);
    std::vector<ResultValue> values(table.GetSpec().columns.size());
    std::vector<std::string> texts(values.size());
    while (query.executeStep())
    {
        for (int i = 0; i < query.getColumnCount(); ++i)
        {
            const SQLite::Column column = query.getColumn(i);
            values[i] = {};
            if (column.isInteger())
            {
                values[i] = column.getInt64();
            }
            else if (column.isFloat())
            {
                values[i] = column.getDouble();
            }
            else if (column.isText())
            {
                texts[i] = column.getString();
                values[i] = std::string_view(texts[i]);
            }
        }
        Row row = table.MakeRow(values);
        if constexpr (HoldsRun<Row>::value)
        {
            row.run = static_cast<uint32_t>(std::get<int64_t>(values[0]));
        }
        use(std::as_const(row));
    }
}

/// The rows in the order of their keys; otherwise as ForEachRow.
template <class Row>
std::vector<Row>
ReadRows(SQLite::Database& database, const std::string& where)
{
    std::vector<Row> rows;
    ForEachRow<Row>(database,
                    where,
                    JoinColumns(GetResultTable<Row>().GetSpec().key),
                    [&rows](const Row& row) { rows.push_back(row); });
    return rows;
}

} // namespace ns3

#endif // GPU_FABRIC_ROW_READER_H
