/* SPDX-License-Identifier: GPL-2.0-only */
#include "transfer-table.h"

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

Value
GetNumber(SQLite::Statement& row, int column)
{
    return row.isColumnNull(column) ? std::nullopt : Value(row.getColumn(column).getDouble());
}

/// The middle of a sorted list, or the mean of the two in the middle.
Value
GetMedian(const std::vector<double>& sorted)
{
    if (sorted.empty())
    {
        return std::nullopt;
    }
    const size_t middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
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
    for (const auto& [run, label] : runs)
    {
        list.AddColumn(runs.size() == 1 ? "completion [us]" : label + " [us]");
    }
    std::map<int64_t, std::vector<std::string>> rows;
    std::vector<std::string> ofJobs;
    bool anyOfJobs = false;
    int64_t posted = 0;
    int64_t hidden = 0;
    for (size_t r = 0; r < runs.size(); ++r)
    {
        SQLite::Statement query(database,
                                "SELECT v.transfer, v.source, v.destination, v.bytes, v.priority, "
                                "v.start_us, v.completed_us - v.start_us, v.retransmitted_bytes "
                                "FROM v_transfer AS v WHERE v.run = ? AND v.job IS NULL "
                                "ORDER BY v.transfer");
        query.bind(1, runs[r].first);
        SQLite::Statement jobs(database,
                               "SELECT COUNT(*) FROM transfer WHERE run = ? AND job IS NOT NULL");
        jobs.bind(1, runs[r].first);
        jobs.executeStep();
        ofJobs.push_back(TextTable::Count(jobs.getColumn(0).getInt64()) +
                         (runs.size() == 1 ? "" : " under " + runs[r].second));
        anyOfJobs = anyOfJobs || jobs.getColumn(0).getInt64() > 0;
        int64_t count = 0;
        int64_t retransmitted = 0;
        std::vector<double> times;
        while (query.executeStep())
        {
            ++count;
            retransmitted += query.getColumn(7).getInt64();
            const Value time = GetNumber(query, 6);
            if (time)
            {
                times.push_back(*time);
            }
            if (static_cast<size_t>(count) > TRANSFERS_SHOWN)
            {
                continue;
            }
            std::vector<std::string>& row = rows[query.getColumn(0).getInt64()];
            if (row.empty())
            {
                row = {std::to_string(query.getColumn(0).getInt64()),
                       query.getColumn(1).getString(),
                       query.getColumn(2).getString(),
                       TextTable::Count(query.getColumn(3).getInt64()),
                       std::to_string(query.getColumn(4).getInt()),
                       TextTable::Number(GetNumber(query, 5), 3)};
            }
            row.resize(6 + r, "-");
            row.push_back(TextTable::Number(time, 3));
        }
        std::sort(times.begin(), times.end());
        posted += count;
        hidden = std::max(hidden, count - static_cast<int64_t>(TRANSFERS_SHOWN));
        summary.AddRow({runs[r].second,
                        TextTable::Count(count),
                        TextTable::Count(static_cast<int64_t>(times.size())),
                        TextTable::Number(times.empty() ? std::nullopt : Value(times.front()), 3),
                        TextTable::Number(GetMedian(times), 3),
                        TextTable::Number(times.empty() ? std::nullopt : Value(times.back()), 3),
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
