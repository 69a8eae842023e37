/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_NAMED_COLUMNS_H
#define GPU_FABRIC_NAMED_COLUMNS_H

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>
#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

/**
 * \name Values of the current row of a query
 * By the names that its SELECT gives to its columns with AS, so that their order does not matter.
 * An unknown name throws SQLite::Exception. Rows of a declared table are read by ForEachRow().
 * @{
 */

/// Nothing if it is NULL.
inline std::optional<double>
GetNumber(SQLite::Statement& row, const char* column)
{
    return row.isColumnNull(column) ? std::nullopt
                                    : std::optional<double>(row.getColumn(column).getDouble());
}

/// 0 if it is NULL.
inline int64_t
GetInteger(SQLite::Statement& row, const char* column)
{
    return row.getColumn(column).getInt64();
}

/// An id: of a job, a port, ...
inline uint32_t
GetId(SQLite::Statement& row, const char* column)
{
    return row.getColumn(column).getUInt();
}

/// Empty if it is NULL.
inline std::string
GetText(SQLite::Statement& row, const char* column)
{
    return row.getColumn(column).getString();
}

/// @}

} // namespace ns3

#endif // GPU_FABRIC_NAMED_COLUMNS_H
