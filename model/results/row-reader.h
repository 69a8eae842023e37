/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROW_READER_H
#define GPU_FABRIC_ROW_READER_H

#include "result-tables.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Reads rows that hold their run number, by the declaration of their table.
 * \param database with the table
 * \param where condition on its columns, in SQL
 * \returns the rows in the order of their keys
 * \throws SQLite::Exception
 */
template <class Row>
std::vector<Row>
ReadRows(SQLite::Database& database, const std::string& where)
{
    const ResultTable<Row>& table = GetResultTable<Row>();
    std::string names;
    for (const ColumnSpec& column : table.GetSpec().columns)
    {
        names += (names.empty() ? "" : ", ") + column.name;
    }
    std::string order;
    for (const std::string& column : table.GetSpec().key)
    {
        order += (order.empty() ? "" : ", ") + column;
    }
    SQLite::Statement query(database,
                            "SELECT " + names + " FROM " + table.GetSpec().name + " WHERE " +
                                where + " ORDER BY " + order);
    std::vector<Row> rows;
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
        row.run = static_cast<uint32_t>(std::get<int64_t>(values[0]));
        rows.push_back(row);
    }
    return rows;
}

} // namespace ns3

#endif // GPU_FABRIC_ROW_READER_H
