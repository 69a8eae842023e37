/* SPDX-License-Identifier: GPL-2.0-only */
#include "result-file.h"

#include "named-columns.h"
#include "result-database.h"
#include "result-views.h"
#include "row-reader.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <unistd.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ResultFile");

namespace
{

/// Binds a value to a parameter, from 1.
void
Bind(SQLite::Statement& statement, int index, const ResultValue& value)
{
    if (const auto* integer = std::get_if<int64_t>(&value))
    {
        statement.bind(index, *integer);
    }
    else if (const auto* text = std::get_if<std::string_view>(&value))
    {
        statement.bindNoCopy(index, text->data()); // the text outlives the execution of the
                                                   // statement
    }
    else if (const auto* number = std::get_if<double>(&value))
    {
        statement.bind(index, *number);
    }
    else
    {
        statement.bind(index); // NULL
    }
}

void
RemovePartial(const std::string& partial)
{
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    std::filesystem::remove(partial + "-wal", ignored);
    std::filesystem::remove(partial + "-shm", ignored);
}

[[noreturn]] void
ThrowErrno(const std::string& path, const char* what)
{
    throw ResultWriteError(path + ": " + what + ": " + std::strerror(errno));
}

/// fsync of a file or folder.
void
Sync(const std::string& path)
{
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
    {
        ThrowErrno(path, "cannot open");
    }
    const int status = fsync(fd);
    const int error = errno;
    close(fd);
    if (status != 0)
    {
        errno = error;
        ThrowErrno(path, "cannot sync");
    }
}

} // namespace

ResultFile::ResultFile(const std::string& output, bool overwrite, uint32_t batchRows)
    : m_output(output),
      m_partial(output + ".partial"),
      m_outputPath(std::filesystem::absolute(output).string()),
      m_partialPath(m_outputPath + ".partial"),
      m_overwrite(overwrite),
      m_batchRows(batchRows)
{
    NS_ABORT_MSG_IF(output.empty() || batchRows == 0, "a result database needs a name and batches");
    if (!overwrite && ResultDatabase::Exists(output))
    {
        throw ResultExistsError(output + ": exists already (--overwrite replaces it)");
    }
    std::error_code ignored;
    if (std::filesystem::is_directory(m_outputPath, ignored))
    {
        throw ResultWriteError(output + ": is a folder");
    }
    try
    {
        Lock();
        Open();
    }
    catch (...)
    {
        Close(); // the destructor does not run if the constructor throws
        throw;
    }
}

ResultFile::~ResultFile()
{
    Close();
}

void
ResultFile::Lock()
{
    m_lockFd = open(m_partialPath.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (m_lockFd < 0)
    {
        ThrowErrno(m_partial, "cannot write");
    }
    // flock() and SQLite's own locks do not conflict.
    if (flock(m_lockFd, LOCK_EX | LOCK_NB) != 0)
    {
        throw ResultExistsError(m_partial + ": another process is writing this output");
    }
    std::error_code ignored;
    std::filesystem::remove(m_partialPath + "-wal", ignored);
    std::filesystem::remove(m_partialPath + "-shm", ignored);
    if (ftruncate(m_lockFd, 0) != 0)
    {
        ThrowErrno(m_partial, "cannot write");
    }
}

void
ResultFile::Open()
{
    NS_LOG_FUNCTION(this << m_partialPath);
    try
    {
        constexpr int BUSY_TIMEOUT_MS = 10'000;
        m_database =
            std::make_unique<SQLite::Database>(m_partialPath,
                                               SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                                               BUSY_TIMEOUT_MS);
        // Fixed, independent of SQLite's build options: the output must not depend on them.
        // Overwritten content is wiped so that no remainder of it can reach the output.
        m_database->exec(
            "PRAGMA page_size = 4096; PRAGMA encoding = 'UTF-8';"
            "PRAGMA auto_vacuum = NONE; PRAGMA secure_delete = ON;"
            "PRAGMA application_id = " +
            std::to_string(ResultDatabase::APPLICATION_ID) +
            "; PRAGMA user_version = " + std::to_string(ResultDatabase::SCHEMA_VERSION) + ";");
        m_database->exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
        m_database->exec(std::string("BEGIN;") + GetResultSchema() + "COMMIT;");
        for (const TableSpec* table : GetResultTables())
        {
            m_inserts.emplace(table, SQLite::Statement(*m_database, table->GetInsertStatement()));
        }
    }
    catch (const SQLite::Exception& error)
    {
        Fail(error);
    }
}

void
ResultFile::Close()
{
    m_inserts.clear();
    m_database.reset(); // an open batch is rolled back
    m_inBatch = false;
    if (m_lockFd >= 0)
    {
        close(m_lockFd);
        m_lockFd = -1;
    }
}

void
ResultFile::RequireOpen() const
{
    NS_ABORT_MSG_IF(!m_database, "result database " << m_output << " is closed");
    if (!m_failure.empty())
    {
        throw ResultWriteError(m_failure);
    }
}

void
ResultFile::Begin()
{
    if (!m_inBatch)
    {
        m_database->exec("BEGIN");
        m_inBatch = true;
    }
}

void
ResultFile::Commit()
{
    if (m_inBatch)
    {
        m_database->exec("COMMIT");
        m_inBatch = false;
        m_rows = 0;
    }
}

void
ResultFile::AddTable(const TableSpec& table)
{
    NS_LOG_FUNCTION(this << table.name);
    RequireOpen();
    if (m_inserts.count(&table) != 0)
    {
        return;
    }
    try
    {
        Commit();
        std::string create = table.GetCreateStatement();
        SQLite::Statement known(*m_database, "SELECT sql AS sql FROM sqlite_schema WHERE name = ?");
        known.bind(1, table.name);
        if (known.executeStep())
        {
            NS_ABORT_MSG_IF(GetText(known, "sql") + ";\n" != create,
                            "two tables have the name " << table.name);
        }
        else
        {
            m_database->exec(create);
        }
        m_inserts.emplace(&table, SQLite::Statement(*m_database, table.GetInsertStatement()));
    }
    catch (const SQLite::Exception& error)
    {
        Fail(error);
    }
}

void
ResultFile::Write(const TableSpec& table, const std::vector<ResultValue>& values)
{
    RequireOpen();
    const auto insert = m_inserts.find(&table);
    NS_ABORT_MSG_IF(insert == m_inserts.end(), "no table " << table.name << " has been added");
    try
    {
        Begin();
        SQLite::Statement& statement = insert->second;
        int index = 0;
        for (const ResultValue& value : values)
        {
            Bind(statement, ++index, value);
        }
        statement.exec();
        statement.reset();
        EndRow();
    }
    catch (const SQLite::Exception& error)
    {
        Fail(error);
    }
}

void
ResultFile::EndRow()
{
    if (++m_rows >= m_batchRows)
    {
        Commit();
    }
}

void
ResultFile::Fail(const std::exception& error)
{
    m_failure = m_partial + ": " + error.what();
    throw ResultWriteError(m_failure);
}

SQLite::Database&
ResultFile::GetHandle()
{
    NS_ABORT_MSG_IF(!m_database, "result database " << m_output << " is closed");
    return *m_database;
}

void
ResultFile::Flush()
{
    RequireOpen();
    try
    {
        Commit();
    }
    catch (const SQLite::Exception& error)
    {
        Fail(error);
    }
}

void
ResultFile::Publish(const std::string& temporary) const
{
    Sync(temporary);
    if (!m_overwrite && ResultDatabase::Exists(m_outputPath))
    {
        throw ResultWriteError(m_output + ": has come into being during the run");
    }
    if (std::rename(temporary.c_str(), m_outputPath.c_str()) != 0)
    {
        ThrowErrno(m_output, "cannot replace");
    }
}

std::vector<InvariantRow>
ResultFile::Finish()
{
    NS_LOG_FUNCTION(this << m_output);
    Flush();
    std::vector<InvariantRow> violated;
    const std::string temporary = m_partialPath + ".vacuum";
    std::error_code ignored;
    try
    {
        violated = ReadRows<InvariantRow>(*m_database, "expected <> actual");
        std::filesystem::remove(temporary, ignored);
        SQLite::Statement vacuum(*m_database, "VACUUM INTO ?");
        vacuum.bind(1, temporary);
        vacuum.exec();
    }
    catch (const SQLite::Exception& error)
    {
        std::filesystem::remove(temporary, ignored);
        Fail(error);
    }
    try
    {
        Publish(temporary);
    }
    catch (const ResultWriteError&)
    {
        std::filesystem::remove(temporary, ignored);
        throw;
    }
    Sync(std::filesystem::path(m_outputPath).parent_path().string());
    Discard();
    return violated;
}

void
ResultFile::Discard()
{
    NS_LOG_FUNCTION(this << m_partial);
    if (m_lockFd < 0)
    {
        return; // no longer ours
    }
    // The file is removed before its lock is released, so that nobody else can have begun to write
    // to it.
    m_inserts.clear();
    m_database.reset();
    RemovePartial(m_partialPath);
    Close();
}

} // namespace ns3
