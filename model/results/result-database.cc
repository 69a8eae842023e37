/* SPDX-License-Identifier: GPL-2.0-only */
#include "result-database.h"

#include "result-file.h"

#include <filesystem>

namespace ns3
{

ResultDatabase::ResultDatabase(const std::string& output, bool overwrite, uint32_t batchRows)
    : m_file(std::make_unique<ResultFile>(output, overwrite, batchRows))
{
}

ResultDatabase::~ResultDatabase() = default;

bool
ResultDatabase::Exists(const std::string& output)
{
    // A dangling symbolic link counts: the rename would replace it.
    std::error_code ignored;
    return std::filesystem::exists(std::filesystem::symlink_status(output, ignored));
}

const std::string&
ResultDatabase::GetOutput() const
{
    return m_file->GetOutput();
}

const std::string&
ResultDatabase::GetPartial() const
{
    return m_file->GetPartial();
}

void
ResultDatabase::AddTable(const TableSpec& table)
{
    m_file->AddTable(table);
}

void
ResultDatabase::Write(const TableSpec& table, const std::vector<ResultValue>& values)
{
    m_file->Write(table, values);
}

void
ResultDatabase::InsertInvariant(uint32_t run,
                                const std::string& name,
                                int64_t expected,
                                int64_t actual)
{
    Insert(InvariantRow{run, name, expected, actual});
}

void
ResultDatabase::Flush()
{
    m_file->Flush();
}

std::vector<InvariantRow>
ResultDatabase::Finish()
{
    return m_file->Finish();
}

void
ResultDatabase::Discard()
{
    m_file->Discard();
}

SQLite::Database&
ResultDatabase::GetHandle()
{
    return m_file->GetHandle();
}

} // namespace ns3
