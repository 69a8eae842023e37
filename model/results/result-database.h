/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RESULT_DATABASE_H
#define GPU_FABRIC_RESULT_DATABASE_H

#include "result-tables.h"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace SQLite
{
class Database;
}

namespace ns3
{

class ResultFile;

/// Results could not be written (disk full, no permission, ...). Programs exit with status 4.
class ResultWriteError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// The output already exists, or another process writes it. Programs exit with status 2.
class ResultExistsError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/**
 * One SQLite file of results.
 *
 * Rows go to `<output>.partial`, which any SQLite program can read during the run (WAL; rows appear
 * batch by batch). Finish() turns it into the output. Until then an existing file of the output's
 * name is unchanged. Every byte of the output depends on the content alone, not on the order of the
 * inserts or the size of the batches. All methods that write throw ResultWriteError.
 */
class ResultDatabase : public ResultWriter
{
  public:
    /// Number of the schema, in the file's user_version.
    static constexpr int SCHEMA_VERSION = 1;
    /// "gpuf", in the file's application_id.
    static constexpr int APPLICATION_ID = 0x67707566;

    /**
     * Opens `<output>.partial` and creates the schema in it. A partial file left behind by a
     * process that has ended is overwritten.
     *
     * \param output the file to create, e.g. "results.db"
     * \param overwrite replace an existing output at Finish()
     * \param batchRows rows written in one transaction
     * \throws ResultExistsError if the output exists and overwrite is false, or if another process
     * is writing the same output
     * \throws ResultWriteError if the partial file cannot be written
     */
    explicit ResultDatabase(const std::string& output,
                            bool overwrite = false,
                            uint32_t batchRows = 10'000);
    /// Closes the partial file and leaves it in place, without the rows of an unwritten batch.
    ~ResultDatabase() override;
    ResultDatabase(const ResultDatabase&) = delete;
    ResultDatabase& operator=(const ResultDatabase&) = delete;

    /// Whether a file of this name exists, for the check before a run.
    static bool Exists(const std::string& output);

    const std::string& GetOutput() const;
    /// "<output>.partial".
    const std::string& GetPartial() const;

    using ResultWriter::Insert;

    /// Inserts a row of a built-in table (result-tables.cc). A row whose key already exists is an
    /// error, or replaces the old row (TableSpec::sameKey).
    template <class Row>
    void Insert(uint32_t run, const Row& row)
    {
        Insert(GetResultTable<Row>(), run, row);
    }

    /// The same for a row that holds its run number.
    template <class Row>
    void Insert(const Row& row)
    {
        Insert(row.run, row);
    }

    void AddTable(const TableSpec& table) override;

    /// Inserts a row of `invariant`.
    void InsertInvariant(uint32_t run, const std::string& name, int64_t expected, int64_t actual);

    /// Commits the rows so far, so that readers of the partial file see them.
    void Flush();

    /**
     * Creates the output: VACUUM INTO a temporary file beside it, fsync, rename, fsync of the
     * folder; then removes the partial file. Nothing can be inserted afterwards.
     * \returns the rows of `invariant` whose numbers differ (the output is written anyway)
     * \throws ResultWriteError; the partial file and an existing output are then intact
     */
    std::vector<InvariantRow> Finish();

    /// Closes and removes the partial file; an existing output is unchanged.
    void Discard();

    /// The open partial file, for queries within the process; Flush() is not required first.
    SQLite::Database& GetHandle();

  private:
    void Write(const TableSpec& table, const std::vector<ResultValue>& values) override;

    std::unique_ptr<ResultFile> m_file;
};

} // namespace ns3

#endif // GPU_FABRIC_RESULT_DATABASE_H
