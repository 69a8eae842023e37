/* SPDX-License-Identifier: GPL-2.0-only */
#include "campaign-database.h"

#include "named-columns.h"
#include "run-figures.h"

#include "ns3/log.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <filesystem>
#include <map>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CampaignDatabase");

CampaignDatabase::CampaignDatabase(const std::string& output)
    : m_database(output, true)
{
}

std::string
CampaignDatabase::ReadRunId(const std::string& file)
{
    try
    {
        // Absolute: SQLite would take "file:x" for a URI.
        SQLite::Database database(std::filesystem::absolute(file).string(), SQLite::OPEN_READONLY);
        SQLite::Statement query(database, "SELECT run_id AS run_id, run AS run FROM run");
        if (query.executeStep() && GetInteger(query, "run") == 1)
        {
            std::string runId = GetText(query, "run_id");
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
CampaignDatabase::CopyTables(uint32_t run)
{
    NS_LOG_FUNCTION(this << run);
    SQLite::Database& handle = m_database.GetHandle();
    // Tables of recorders, which not every run has, are created by the first run that has them.
    SQLite::Statement missing(
        handle,
        "SELECT sql AS sql FROM part.sqlite_schema AS p WHERE type = 'table' AND "
        "NOT EXISTS (SELECT 1 FROM main.sqlite_schema AS m WHERE m.name = "
        "p.name) ORDER BY name");
    std::vector<std::string> creates;
    while (missing.executeStep())
    {
        creates.push_back(GetText(missing, "sql"));
    }
    for (const std::string& create : creates)
    {
        handle.exec(create);
    }
    SQLite::Statement tables(handle,
                             "SELECT name AS name FROM part.sqlite_schema WHERE type = 'table' "
                             "AND name <> 'campaign' ORDER BY name");
    std::vector<std::string> names;
    while (tables.executeStep())
    {
        names.push_back(GetText(tables, "name"));
    }
    for (const std::string& table : names)
    {
        // The run number is the first column of every table; the other columns are copied
        // unchanged.
        std::string others;
        SQLite::Statement info(handle,
                               "SELECT name AS name FROM pragma_table_info(?, 'part') WHERE name "
                               "<> 'run' ORDER BY cid");
        info.bind(1, table);
        while (info.executeStep())
        {
            others += ", " + GetText(info, "name");
        }
        handle.exec("INSERT INTO main." + table + " (run" + others + ") SELECT " +
                    std::to_string(run) + others + " FROM part." + table + " WHERE run = 1");
    }
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
        CopyTables(run);
        handle.exec("COMMIT");
        handle.exec("DETACH part");
        for (const auto& [axis, value] : values)
        {
            m_database.Insert(CampaignRow{run, point, axis, value});
        }
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
                                "SELECT campaign_key AS campaign_key, seed AS seed, run AS run "
                                "FROM run ORDER BY run");
        while (query.executeStep())
        {
            groups[{GetText(query, "campaign_key"), GetText(query, "seed")}].push_back(
                GetId(query, "run"));
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
