/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RESULT_TABLE_H
#define GPU_FABRIC_RESULT_TABLE_H

#include "ns3/enum-names.h"
#include "ns3/fabric-records.h"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace ns3
{

/// A value of a column as SQLite stores it; std::monostate is NULL. Text is not copied; it is
/// NUL-terminated and contains no other NUL.
using ResultValue = std::variant<std::monostate, int64_t, double, std::string_view>;

/// Type of a column, as SQLite names it.
enum class ColumnType : uint8_t
{
    INTEGER,
    REAL,
    TEXT
};

/// Schema and documentation of a column.
struct ColumnSpec
{
    std::string name;
    std::string member; ///< the member of the row that the column is bound to: "startPs"
    ColumnType type{ColumnType::INTEGER};
    bool nullable{false};
    std::string help; ///< meaning, with the unit unless the name gives it; may be empty
};

/// What happens to a row whose key is already in the table.
enum class SameKey : uint8_t
{
    REFUSE, ///< an error
    REPLACE ///< the new row replaces it
};

/// Schema and documentation of a table.
struct TableSpec
{
    std::string name;
    std::string help;
    std::vector<std::string> key; ///< columns of the primary key, `run` first
    SameKey sameKey{SameKey::REFUSE};
    std::vector<ColumnSpec> columns; ///< `run`, which every table starts with, then those of its
                                     ///< row

    /// The CREATE TABLE statement, with the documentation as comments, which `.schema` shows.
    std::string GetCreateStatement() const;
    /// The INSERT statement, with a parameter for each column, in order.
    std::string GetInsertStatement() const;
    /// Aborts on a key that is not a column, an invalid SQL name or a duplicate name.
    void Validate() const;
};

/// How a member of type T is stored: an integer, a floating-point number, text, or an enumeration
/// value by its name (EnumNames).
template <class T>
struct ColumnValue
{
    static constexpr bool NULLABLE = false;
    static constexpr ColumnType TYPE = std::is_integral_v<T>         ? ColumnType::INTEGER
                                       : std::is_floating_point_v<T> ? ColumnType::REAL
                                                                     : ColumnType::TEXT;

    static ResultValue Get(const T& value)
    {
        if constexpr (std::is_integral_v<T>)
        {
            return static_cast<int64_t>(value);
        }
        else if constexpr (std::is_floating_point_v<T>)
        {
            return static_cast<double>(value);
        }
        else if constexpr (std::is_enum_v<T>)
        {
            return std::string_view(ToName(value));
        }
        else
        {
            return std::string_view(value);
        }
    }

    /// \throws std::runtime_error on text that names no value of the enumeration
    static void Set(T& member, const ResultValue& value)
    {
        if constexpr (std::is_integral_v<T>)
        {
            member = static_cast<T>(std::get<int64_t>(value));
        }
        else if constexpr (std::is_floating_point_v<T>)
        {
            member = static_cast<T>(std::get<double>(value));
        }
        else if constexpr (std::is_enum_v<T>)
        {
            const std::string name(std::get<std::string_view>(value));
            const std::optional<T> read = FromName<T>(name);
            if (!read)
            {
                throw std::runtime_error("\"" + name + "\" is not a value of its column");
            }
            member = *read;
        }
        else
        {
            member = std::get<std::string_view>(value);
        }
    }
};

/// Nothing is NULL.
template <class T>
struct ColumnValue<std::optional<T>>
{
    static constexpr bool NULLABLE = true;
    static constexpr ColumnType TYPE = ColumnValue<T>::TYPE;

    static ResultValue Get(const std::optional<T>& value)
    {
        return value ? ColumnValue<T>::Get(*value) : ResultValue();
    }

    static void Set(std::optional<T>& member, const ResultValue& value)
    {
        member.reset();
        if (value.index() != 0)
        {
            ColumnValue<T>::Set(member.emplace(), value);
        }
    }
};

/**
 * The name of a data member, "startPs" for &SpanRecord::startPs: C++17 offers only one way to
 * obtain it: the compiler's name for a function with the member as a template argument. Column
 * rejects a compiler that spells it differently from GCC and Clang.
 */
template <auto MEMBER>
constexpr std::string_view
GetMemberName()
{
    constexpr std::string_view MARK = "MEMBER = ";
    std::string_view text = __PRETTY_FUNCTION__; // "... MEMBER = &ns3::SpanRecord::startPs; ..."
    text.remove_prefix(text.find(MARK) + MARK.size());
    text = text.substr(0, text.find_first_of(",;]"));
    return text.substr(text.rfind(':') + 1);
}

/// The name of a column that is bound to a member: "start_ps" for "startPs".
std::string MakeColumnName(std::string_view member);

/**
 * A column: a member of the row, named after it. A column thus cannot be bound to the wrong member:
 * there are no two lists that could disagree. A column gets another name only where the member's
 * name is unsuitable.
 *
 * \tparam MEMBER the member, e.g. &IterationRow::startPs
 * \tparam NONE if given, the value of the member that is stored as NULL, e.g. NO_ID
 */
template <auto MEMBER, auto... NONE>
class Column
{
    static_assert(sizeof...(NONE) <= 1, "one value is NULL");
    static_assert(!GetMemberName<MEMBER>().empty() &&
                      GetMemberName<MEMBER>().find_first_of(" &()<>") == std::string_view::npos,
                  "the compiler does not tell the names of members as expected");

    template <class Row, class T>
    static T GetType(T Row::*);

  public:
    using Value = decltype(GetType(MEMBER));

    /// \param help meaning; may be empty
    explicit Column(const char* help)
        : m_help(help)
    {
    }

    /// \param name if different from the member's
    Column(const char* name, const char* help)
        : m_name(name),
          m_help(help)
    {
    }

    ColumnSpec GetSpec() const
    {
        const std::string member(GetMemberName<MEMBER>());
        return {m_name == nullptr ? MakeColumnName(member) : m_name,
                member,
                ColumnValue<Value>::TYPE,
                ColumnValue<Value>::NULLABLE || sizeof...(NONE) > 0,
                m_help};
    }

    template <class Row>
    static ResultValue Get(const Row& row)
    {
        const Value& value = row.*MEMBER;
        if (((value == static_cast<Value>(NONE)) || ...))
        {
            return {};
        }
        return ColumnValue<Value>::Get(value);
    }

    template <class Row>
    static void Set(Row& row, const ResultValue& value)
    {
        if constexpr (sizeof...(NONE) > 0)
        {
            if (value.index() == 0)
            {
                ((row.*MEMBER = static_cast<Value>(NONE)), ...);
                return;
            }
        }
        ColumnValue<Value>::Set(row.*MEMBER, value);
    }

  private:
    const char* m_name{nullptr};
    const char* m_help;
};

/// A column for an id that is part of a key, which cannot be NULL: NO_ID is stored as -1.
template <auto MEMBER>
class KeyIdColumn
{
  public:
    /// \param help meaning
    explicit KeyIdColumn(const char* help)
        : m_column(help)
    {
    }

    ColumnSpec GetSpec() const
    {
        return m_column.GetSpec();
    }

    template <class Row>
    static ResultValue Get(const Row& row)
    {
        const uint32_t id = row.*MEMBER;
        return id == NO_ID ? int64_t{-1} : int64_t{id};
    }

    template <class Row>
    static void Set(Row& row, const ResultValue& value)
    {
        row.*MEMBER = static_cast<uint32_t>(std::get<int64_t>(value)); // -1 means NO_ID
    }

  private:
    Column<MEMBER> m_column;
};

/**
 * A table of a result database: its columns are declared once, each bound to a member of Row.
 * CREATE TABLE, INSERT, the order in which values are bound, and the documentation follow. Every
 * table starts with a column `run`, which is not a member of the row, so that databases can be
 * merged.
 *
 * \code
 * const ResultTable<PauseRecord> PAUSES("pause",
 *                                       "PFC pauses.",
 *                                       {"link", "priority", "start_ps"},
 *                                       SameKey::REFUSE,
 *                                       Column<&PauseRecord::link>("the one paused"), ...);
 * \endcode
 */
template <class Row>
class ResultTable
{
  public:
    /**
     * \param name of the table
     * \param help what its rows are
     * \param key columns of the primary key, without `run`
     * \param sameKey what happens to a row whose key already exists
     * \param columns objects of class Column or KeyIdColumn, in the order of the table
     */
    template <class... Columns>
    ResultTable(const char* name,
                const char* help,
                const std::vector<std::string>& key,
                SameKey sameKey,
                const Columns&... columns)
        : m_spec{name, help, {"run"}, sameKey, {MakeRunColumn()}}
    {
        m_spec.key.insert(m_spec.key.end(), key.begin(), key.end());
        (m_spec.columns.push_back(columns.GetSpec()), ...);
        (m_members.push_back({&Columns::template Get<Row>, &Columns::template Set<Row>}), ...);
        m_spec.Validate();
    }

    const TableSpec& GetSpec() const
    {
        return m_spec;
    }

    /// The values of a row, `run` first; texts point into the row.
    void GetValues(uint32_t run, const Row& row, std::vector<ResultValue>& values) const
    {
        values.clear();
        values.emplace_back(int64_t{run});
        for (const Member& member : m_members)
        {
            values.push_back(member.get(row));
        }
    }

    /// The row with these values.
    Row MakeRow(const std::vector<ResultValue>& values) const
    {
        Row row{};
        for (std::size_t i = 0; i < m_members.size(); ++i)
        {
            m_members[i].set(row, values[i + 1]);
        }
        return row;
    }

  private:
    /// How a column reads and writes its member.
    struct Member
    {
        ResultValue (*get)(const Row&);
        void (*set)(Row&, const ResultValue&);
    };

    static ColumnSpec MakeRunColumn()
    {
        return {"run", "", ColumnType::INTEGER, false, "simulation of this file, from 1"};
    }

    TableSpec m_spec;
    std::vector<Member> m_members;
};

/// Receives rows.
class ResultWriter
{
  public:
    virtual ~ResultWriter() = default;

    /// Creates a table unless an identical one exists; aborts if a different one has its name. Add
    /// the tables of a database always in the same order.
    virtual void AddTable(const TableSpec& table) = 0;

    /**
     * Inserts a row.
     * \param table an object that outlives this
     * \param run number of the run
     * \param row of the table
     */
    template <class Row>
    void Insert(const ResultTable<Row>& table, uint32_t run, const Row& row)
    {
        table.GetValues(run, row, m_values);
        Write(table.GetSpec(), m_values);
    }

  private:
    virtual void Write(const TableSpec& table, const std::vector<ResultValue>& values) = 0;

    std::vector<ResultValue> m_values; ///< the values of a row; kept so that rows do not allocate
};

} // namespace ns3

#endif // GPU_FABRIC_RESULT_TABLE_H
