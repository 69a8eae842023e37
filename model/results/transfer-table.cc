/* SPDX-License-Identifier: GPL-2.0-only */
#include "transfer-table.h"

#include "named-columns.h"
#include "text-table.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <algorithm>
#include <map>
#include <optional>

namespace ns3
{

namespace
{

constexpr size_t TRANSFERS_SHOWN = 20;

using Value = std::optional<double>;

/// The middle of the sorted times of completed transfers among all posted ones, or the mean of the
/// two in the middle. Those not completed take longer than all others; none: it is one of them.
Value
GetMedian(const std::vector<double>& sorted, size_t posted)
{
    const size_t middle = posted / 2;
    if (middle >= sorted.size())
    {
        return std::nullopt;
    }
    return posted % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/// Whether a plain flow of a run was not acknowledged.
bool
HasUnfinished(SQLite::Database& database, int64_t run)
{
    SQLite::Statement query(database,
                            "SELECT 1 FROM transfer WHERE run = ? AND job IS NULL AND "
                            "completed_ps IS NULL LIMIT 1");
    query.bind(1, run);
    return query.executeStep();
}

} // namespace

void
TransferTable::Print(std::ostream& os,
                     SQLite::Database& database,
                     const std::vector<std::pair<int64_t, std::string>>& runs)
{
    TextTable summary;
    summary.AddColumn("run", false);
    summary.AddColumn("posted");
    summary.AddColumn("completed");
    summary.AddColumn("min [us]");
    summary.AddColumn("median [us]");
    summary.AddColumn("max [us]");
    summary.AddColumn("retransmitted [byte]");
    TextTable list;
    list.AddColumn("transfer");
    list.AddColumn("source", false);
    list.AddColumn("destination", false);
    list.AddColumn("size [byte]");
    list.AddColumn("priority");
    list.AddColumn("start [us]");
    const bool delivered = runs.size() == 1 && HasUnfinished(database, runs.front().first);
    for (const auto& [run, label] : runs)
    {
        list.AddColumn(runs.size() == 1 ? "completion [us]" : label + " [us]");
    }
    if (delivered)
    {
        list.AddColumn("delivered [byte]");
    }
    std::map<int64_t, std::vector<std::string>> rows;
    std::vector<std::string> ofJobs;
    bool anyOfJobs = false;
    int64_t posted = 0;
    int64_t unfinished = 0;
    int64_t hidden = 0;
    for (size_t r = 0; r < runs.size(); ++r)
    {
        SQLite::Statement query(database,
                                "SELECT v.transfer AS transfer, v.source AS source, "
                                "v.destination AS destination, v.bytes AS bytes, "
                                "v.priority AS priority, v.start_us AS start_us, "
                                "v.completed_us - v.start_us AS time_us, "
                                "v.retransmitted_bytes AS retransmitted, "
                                "v.delivered_bytes AS delivered "
                                "FROM v_transfer AS v WHERE v.run = ? AND v.job IS NULL "
                                "ORDER BY v.transfer");
        query.bind(1, runs[r].first);
        SQLite::Statement jobs(database,
                               "SELECT COUNT(*) AS posted, COUNT(*) - COUNT(completed_ps) AS open "
                               "FROM transfer "
                               "WHERE run = ? AND job IS NOT NULL");
        jobs.bind(1, runs[r].first);
        jobs.executeStep();
        const int64_t postedByJobs = GetInteger(jobs, "posted");
        const int64_t open = GetInteger(jobs, "open");
        ofJobs.push_back(TextTable::Count(postedByJobs) +
                         (runs.size() == 1 ? "" : " under " + runs[r].second) +
                         (open == 0 ? "" : ", " + TextTable::Count(open) + " not completed"));
        anyOfJobs = anyOfJobs || postedByJobs > 0;
        int64_t count = 0;
        int64_t retransmitted = 0;
        std::vector<double> times;
        while (query.executeStep())
        {
            ++count;
            retransmitted += GetInteger(query, "retransmitted");
            const Value time = GetNumber(query, "time_us");
            if (time)
            {
                times.push_back(*time);
            }
            if (static_cast<size_t>(count) > TRANSFERS_SHOWN)
            {
                continue;
            }
            std::vector<std::string>& row = rows[GetInteger(query, "transfer")];
            if (row.empty())
            {
                row = {std::to_string(GetInteger(query, "transfer")),
                       GetText(query, "source"),
                       GetText(query, "destination"),
                       TextTable::Count(GetInteger(query, "bytes")),
                       std::to_string(GetInteger(query, "priority")),
                       TextTable::Number(GetNumber(query, "start_us"), 3)};
            }
            row.resize(6 + r, "-");
            row.push_back(TextTable::Number(time, 3));
            if (delivered)
            {
                row.push_back(TextTable::Count(GetInteger(query, "delivered")));
            }
        }
        std::sort(times.begin(), times.end());
        posted += count;
        const bool all = static_cast<int64_t>(times.size()) == count;
        unfinished += count - static_cast<int64_t>(times.size());
        hidden = std::max(hidden, count - static_cast<int64_t>(TRANSFERS_SHOWN));
        summary.AddRow({runs[r].second,
                        TextTable::Count(count),
                        TextTable::Count(static_cast<int64_t>(times.size())),
                        TextTable::Number(times.empty() ? std::nullopt : Value(times.front()), 3),
                        TextTable::Number(GetMedian(times, static_cast<size_t>(count)), 3),
                        TextTable::Number(times.empty() || !all ? Value() : times.back(), 3),
                        TextTable::Count(retransmitted)});
    }
    if (anyOfJobs)
    {
        os << "\nTransfers of jobs: ";
        for (size_t r = 0; r < ofJobs.size(); ++r)
        {
            os << (r == 0 ? "" : ", ") << ofJobs[r];
        }
        os << " (view v_transfer)\n";
    }
    if (posted == 0)
    {
        return;
    }
    os << "\nTransfers of plain flows, time from posting to the acknowledgement\n";
    summary.Print(os);
    if (unfinished > 0)
    {
        os << "  " << TextTable::Count(unfinished)
           << " not completed, which take longer than all others (-)\n";
    }
    os << "\n";
    for (const auto& [transfer, row] : rows)
    {
        list.AddRow(row);
    }
    list.Print(os);
    if (hidden > 0)
    {
        os << "  and " << TextTable::Count(hidden) << " more (view v_transfer)\n";
    }
}

} // namespace ns3
