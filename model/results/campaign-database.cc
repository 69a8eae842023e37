/* SPDX-License-Identifier: GPL-2.0-only */
#include "campaign-database.h"

#include "run-figures.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <filesystem>
#include <map>

namespace ns3
{

CampaignDatabase::CampaignDatabase(const std::string& output)
    : m_database(output, true)
{
    SQLite::Statement tables(m_database.GetHandle(),
                             "SELECT name FROM sqlite_schema WHERE type = 'table' "
                             "AND name <> 'campaign' ORDER BY name");
    while (tables.executeStep())
    {
        m_tables.push_back(tables.getColumn(0).getString());
    }
}

std::string
CampaignDatabase::ReadRunId(const std::string& file)
{
    try
    {
        // Absolute: SQLite would take "file:x" for a URI.
        SQLite::Database database(std::filesystem::absolute(file).string(), SQLite::OPEN_READONLY);
        SQLite::Statement query(database, "SELECT run_id, run FROM run");
        if (query.executeStep() && query.getColumn(1).getInt64() == 1)
        {
            std::string runId = query.getColumn(0).getString();
            return query.executeStep() ? "" : runId;
        }
    }
    catch (const SQLite::Exception&)
    {
        return "";
    }
    return "";
}

void
CampaignDatabase::Add(const std::string& file,
                      uint32_t run,
                      uint32_t point,
                      const std::vector<std::pair<std::string, std::string>>& values)
{
    SQLite::Database& handle = m_database.GetHandle();
    try
    {
        m_database.Flush();
        SQLite::Statement attach(handle, "ATTACH ? AS part");
        attach.bind(1, std::filesystem::absolute(file).string());
        attach.exec();
        handle.exec("BEGIN");
        for (const std::string& table : m_tables)
        {
            // The number leads every table; the other columns follow as they are.
            std::string columns = std::to_string(run);
            SQLite::Statement info(handle, "SELECT name FROM pragma_table_info(?) WHERE cid > 0");
            info.bind(1, table);
            while (info.executeStep())
            {
                columns += ", " + info.getColumn(0).getString();
            }
            handle.exec("INSERT INTO main." + table + " SELECT " + columns + " FROM part." + table +
                        " WHERE run = 1");
        }
        SQLite::Statement insert(handle, "INSERT INTO campaign VALUES (?, ?, ?, ?)");
        for (const auto& [axis, value] : values)
        {
            insert.bind(1, run);
            insert.bind(2, point);
            insert.bind(3, axis);
            insert.bind(4, value);
            insert.exec();
            insert.reset();
        }
        handle.exec("COMMIT");
        handle.exec("DETACH part");
    }
    catch (const SQLite::Exception& error)
    {
        throw ResultWriteError(file + ": cannot be merged: " + error.what());
    }
}

std::vector<InvariantRow>
CampaignDatabase::Finish()
{
    std::map<std::pair<std::string, std::string>, std::vector<uint32_t>> groups;
    try
    {
        SQLite::Statement query(m_database.GetHandle(),
                                "SELECT campaign_key, seed, run FROM run ORDER BY run");
        while (query.executeStep())
        {
            groups[{query.getColumn(0).getString(), query.getColumn(1).getString()}].push_back(
                query.getColumn(2).getUInt());
        }
    }
    catch (const SQLite::Exception& error)
    {
        throw ResultWriteError(m_database.GetPartial() + ": " + error.what());
    }
    for (const auto& [group, runs] : groups)
    {
        if (runs.size() > 1)
        {
            RunFigures::UnifyMeasuringWindows(m_database, runs);
        }
    }
    return m_database.Finish();
}

} // namespace ns3
