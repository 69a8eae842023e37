/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RESULT_FILE_H
#define GPU_FABRIC_RESULT_FILE_H

#include "result-rows.h"

#include "ns3/abort.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace ns3
{

/// Tables of a result database that rows are inserted into.
enum class ResultTable : uint8_t
{
    RUN,
    PARAMETER,
    NODE,
    LINK,
    JOB,
    JOB_EVENT,
    GPU_ALLOCATION,
    GPU_FAILURE,
    ITERATION,
    SPAN,
    JOB_UTILIZATION,
    JOB_WINDOW,
    COLLECTIVE,
    DECISION,
    QUEUE_PAIR,
    QUEUE_PAIR_CHANGE,
    TRANSFER,
    JOB_LINK,
    LINK_SAMPLE,
    LINK_WINDOW,
    PAUSE,
    FABRIC_EVENT,
    INVARIANT,
    BOTTLENECK,
    TABLE_COUNT ///< how many there are
};

/**
 * The file below a ResultDatabase: its life from `<output>.partial` to the output, its lock, and
 * batches of inserts. ResultDatabase says what the methods do and throw; it alone uses this class.
 */
class ResultFile
{
  public:
    ResultFile(const std::string& output, bool overwrite, uint32_t batchRows);
    ~ResultFile();
    ResultFile(const ResultFile&) = delete;
    ResultFile& operator=(const ResultFile&) = delete;

    const std::string& GetOutput() const
    {
        return m_output;
    }

    const std::string& GetPartial() const
    {
        return m_partial;
    }

    SQLite::Database& GetHandle();

    /// Inserts a row. \param values one for each column of the table, in its order
    template <typename... T>
    void Write(ResultTable table, const T&... values);

    void Flush();
    std::vector<InvariantRow> Finish();
    void Discard();

  private:
    static void Bind(SQLite::Statement& statement, int index, const std::string& value);
    static void Bind(SQLite::Statement& statement, int index, const char* value);
    static void Bind(SQLite::Statement& statement, int index, double value);
    template <typename T>
    static std::enable_if_t<std::is_integral_v<T>> Bind(SQLite::Statement& statement,
                                                        int index,
                                                        T value);
    template <typename T>
    static void Bind(SQLite::Statement& statement, int index, const std::optional<T>& value);

    void Lock();
    void Open();
    void Close();
    void RequireOpen() const;
    void Begin();
    void Commit();
    /// Commits where the batch is full.
    void EndRow();
    /// Remembers an error of SQLite, so that no later write succeeds, and throws it on.
    [[noreturn]] void Fail(const std::exception& error);
    /// Makes the output of the temporary file.
    void Publish(const std::string& temporary) const;

    std::string m_output;      ///< as given
    std::string m_partial;     ///< as given, with ".partial"
    std::string m_outputPath;  ///< absolute: SQLite would take "file:x" for a URI
    std::string m_partialPath; ///< absolute
    bool m_overwrite;
    uint32_t m_batchRows;
    int m_lockFd{-1}; ///< holds the lock on the partial file; closed after the database
    std::unique_ptr<SQLite::Database> m_database;
    std::vector<SQLite::Statement> m_statements; ///< by ResultTable
    bool m_inBatch{false};
    uint32_t m_rows{0};    ///< in the open batch
    std::string m_failure; ///< of an earlier write; empty for none
};

template <typename T>
std::enable_if_t<std::is_integral_v<T>>
ResultFile::Bind(SQLite::Statement& statement, int index, T value)
{
    statement.bind(index, static_cast<int64_t>(value));
}

template <typename T>
void
ResultFile::Bind(SQLite::Statement& statement, int index, const std::optional<T>& value)
{
    if (value)
    {
        Bind(statement, index, *value);
    }
    else
    {
        statement.bind(index); // NULL
    }
}

template <typename... T>
void
ResultFile::Write(ResultTable table, const T&... values)
{
    RequireOpen();
    try
    {
        Begin();
        SQLite::Statement& statement = m_statements[static_cast<size_t>(table)];
        NS_ABORT_MSG_IF(statement.getBindParameterCount() != static_cast<int>(sizeof...(values)),
                        "wrong number of columns: " << statement.getQuery());
        int index = 0;
        (Bind(statement, ++index, values), ...);
        statement.exec();
        statement.reset();
        EndRow();
    }
    catch (const SQLite::Exception& error)
    {
        Fail(error);
    }
}

} // namespace ns3

#endif // GPU_FABRIC_RESULT_FILE_H
