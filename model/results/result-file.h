/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RESULT_FILE_H
#define GPU_FABRIC_RESULT_FILE_H

#include "result-tables.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * The file behind a ResultDatabase: its life cycle from `<output>.partial` to the output, its lock,
 * and batches of inserts. ResultDatabase documents what the methods do and throw; it is the only
 * user of this class.
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

    void AddTable(const TableSpec& table);
    /// Inserts a row. \param values one for each column of the table, in its order
    void Write(const TableSpec& table, const std::vector<ResultValue>& values);

    void Flush();
    std::vector<InvariantRow> Finish();
    void Discard();

  private:
    void Lock();
    void Open();
    void Close();
    void RequireOpen() const;
    void Begin();
    void Commit();
    /// Commits if the batch is full.
    void EndRow();
    /// Remembers an SQLite error, so that no later write succeeds, and rethrows it.
    [[noreturn]] void Fail(const std::exception& error);
    /// Turns the temporary file into the output.
    void Publish(const std::string& temporary) const;

    std::string m_output;      ///< as given
    std::string m_partial;     ///< as given, with ".partial"
    std::string m_outputPath;  ///< absolute: SQLite would take "file:x" for a URI
    std::string m_partialPath; ///< absolute
    bool m_overwrite;
    uint32_t m_batchRows;
    int m_lockFd{-1}; ///< holds the lock on the partial file; closed after the database
    std::unique_ptr<SQLite::Database> m_database;
    std::unordered_map<const TableSpec*, SQLite::Statement> m_inserts; ///< for lookup only
    bool m_inBatch{false};
    uint32_t m_rows{0};    ///< in the open batch
    std::string m_failure; ///< of an earlier write; empty for none
};

} // namespace ns3

#endif // GPU_FABRIC_RESULT_FILE_H
