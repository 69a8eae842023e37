/* SPDX-License-Identifier: GPL-2.0-only */
#include "result-file.h"

#include "result-database.h"
#include "result-schema.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <unistd.h>

namespace ns3
{

namespace
{

/// How rows get into a table.
struct TableInsert
{
    const char* name;
    bool replace; ///< a row of the same key gives way
};

/// By ResultTable.
constexpr std::array<TableInsert, static_cast<size_t>(ResultTable::TABLE_COUNT)> INSERTS{{
    {"run", true},
    {"parameter", false},
    {"node", false},
    {"link", false},
    {"job", true},
    {"job_event", false},
    {"gpu_allocation", false},
    {"gpu_failure", false},
    {"iteration", false},
    {"span", false},
    {"job_utilization", false},
    {"job_window", true},
    {"collective", false},
    {"decision", false},
    {"queue_pair", false},
    {"queue_pair_change", false},
    {"transfer", false},
    {"job_link", false},
    {"link_sample", false},
    {"link_window", true},
    {"pause", false},
    {"fabric_event", false},
    {"invariant", false},
    {"bottleneck", false},
}};

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
        Close(); // the destructor of an object that never was does not run
        throw;
    }
}

ResultFile::~ResultFile()
{
    Close();
}

void
ResultFile::Bind(SQLite::Statement& statement, int index, const std::string& value)
{
    statement.bindNoCopy(index, value); // alive until the statement has run
}

void
ResultFile::Bind(SQLite::Statement& statement, int index, const char* value)
{
    statement.bindNoCopy(index, value);
}

void
ResultFile::Bind(SQLite::Statement& statement, int index, double value)
{
    statement.bind(index, value);
}

void
ResultFile::Lock()
{
    m_lockFd = open(m_partialPath.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (m_lockFd < 0)
    {
        ThrowErrno(m_partial, "cannot write");
    }
    // flock() and SQLite's own locks do not see each other.
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
    try
    {
        constexpr int BUSY_TIMEOUT_MS = 10'000;
        m_database =
            std::make_unique<SQLite::Database>(m_partialPath,
                                               SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                                               BUSY_TIMEOUT_MS);
        // Fixed, whatever SQLite was built with: the output must not depend on it. Overwritten
        // content is wiped so that no rest of it can reach the output.
        m_database->exec(
            "PRAGMA page_size = 4096; PRAGMA encoding = 'UTF-8';"
            "PRAGMA auto_vacuum = NONE; PRAGMA secure_delete = ON;"
            "PRAGMA application_id = " +
            std::to_string(ResultDatabase::APPLICATION_ID) +
            "; PRAGMA user_version = " + std::to_string(ResultDatabase::SCHEMA_VERSION) + ";");
        m_database->exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
        m_database->exec(std::string("BEGIN;") + GetResultSchema() + "COMMIT;");
        for (const TableInsert& insert : INSERTS)
        {
            SQLite::Statement columns(*m_database,
                                      std::string("SELECT COUNT(*) FROM pragma_table_info('") +
                                          insert.name + "')");
            columns.executeStep();
            std::string sql = insert.replace ? "INSERT OR REPLACE INTO " : "INSERT INTO ";
            sql += std::string(insert.name) + " VALUES (?";
            for (int column = 1; column < columns.getColumn(0).getInt(); ++column)
            {
                sql += ",?";
            }
            m_statements.emplace_back(*m_database, sql + ")");
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
    m_statements.clear();
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
    Flush();
    std::vector<InvariantRow> violated;
    const std::string temporary = m_partialPath + ".vacuum";
    std::error_code ignored;
    try
    {
        SQLite::Statement query(*m_database,
                                "SELECT run, name, expected, actual FROM invariant "
                                "WHERE expected <> actual ORDER BY run, name");
        while (query.executeStep())
        {
            violated.push_back({query.getColumn(0).getUInt(),
                                query.getColumn(1).getString(),
                                query.getColumn(2).getInt64(),
                                query.getColumn(3).getInt64()});
        }
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
    if (m_lockFd < 0)
    {
        return; // not ours any more
    }
    // The file goes before its lock does: nobody else can have begun to write to it.
    m_statements.clear();
    m_database.reset();
    RemovePartial(m_partialPath);
    Close();
}

} // namespace ns3
