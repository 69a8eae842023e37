/* SPDX-License-Identifier: GPL-2.0-only */
#include "campaign-table.h"

#include "text-table.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// A figure of all jobs, as it is shown.
struct Figure
{
    const char* name;
    const char* title;
    double factor; ///< from the view's unit
    int digits;
};

constexpr Figure FIGURES[]{
    {"gpu_utilization", "GPU utilization [%]", 100, 2},
    {"gpu_utilization_all", "of all GPUs [%]", 100, 2},
    {"flop_utilization", "FLOP utilization [%]", 100, 2},
    {"iteration_ms", "iteration [ms]", 1, 3},
    {"iteration_p99_ms", "iteration p99 [ms]", 1, 3},
    {"jct_s", "JCT [s]", 1, 4},
    {"jct_p95_s", "JCT p95 [s]", 1, 4},
    {"jct_p99_s", "JCT p99 [s]", 1, 4},
    {"slowdown", "slowdown", 1, 3},
    {"fct_us", "FCT of plain flows [us]", 1, 1},
    {"fct_p99_us", "FCT p99 [us]", 1, 1},
    {"marks_per_gb", "ECN marks a GB", 1, 1},
    {"pauses", "pauses", 1, 1},
    {"paused_s", "paused, all links [s]", 1, 4},
};

using Value = std::optional<double>;

/// A row of the view.
struct Comparison
{
    int64_t seeds{0};
    Value mean;
    int64_t pairs{0};
    Value difference;
    Value halfWidth;
    Value relative;
    Value relativeHalfWidth;
};

/// A combination of what was varied beside schedulers and seeds.
struct Combination
{
    std::string name;
    std::vector<std::string> schedulers;
    std::map<std::pair<std::string, std::string>, Comparison> rows; ///< by (scheduler, figure)
};

std::string
WithInterval(const Value& value, const Value& halfWidth, double factor, int digits)
{
    if (!value)
    {
        return "-";
    }
    const std::string text = TextTable::Change(*value * factor, digits);
    return halfWidth ? text + " +- " + TextTable::Number(*halfWidth * factor, digits) : text;
}

void
PrintCombination(std::ostream& os, const Combination& combination)
{
    TextTable table;
    table.AddColumn("figure", false);
    for (const std::string& scheduler : combination.schedulers)
    {
        const bool first = scheduler == combination.schedulers.front();
        table.AddColumn(scheduler);
        if (!first)
        {
            table.AddColumn("difference");
            table.AddColumn("[%]");
        }
    }
    for (const Figure& figure : FIGURES)
    {
        std::vector<std::string> cells{figure.title};
        bool any = false;
        for (const std::string& scheduler : combination.schedulers)
        {
            const auto found = combination.rows.find({scheduler, figure.name});
            const Comparison row = found == combination.rows.end() ? Comparison() : found->second;
            any = any || row.mean;
            cells.push_back(
                TextTable::Number(row.mean ? Value(*row.mean * figure.factor) : row.mean,
                                  figure.digits));
            if (scheduler != combination.schedulers.front())
            {
                cells.push_back(
                    WithInterval(row.difference, row.halfWidth, figure.factor, figure.digits));
                cells.push_back(WithInterval(row.relative, row.relativeHalfWidth, 100, 2));
            }
        }
        if (any)
        {
            table.AddRow(cells);
        }
    }
    table.Print(os);
}

} // namespace

CampaignTable::CampaignTable(const std::string& database)
    : m_database(std::make_unique<SQLite::Database>(std::filesystem::absolute(database).string(),
                                                    SQLite::OPEN_READONLY))
{
}

CampaignTable::~CampaignTable() = default;

void
CampaignTable::Print(std::ostream& os) const
{
    SQLite::Statement query(
        *m_database,
        "WITH first AS (SELECT run, MIN(run) OVER (PARTITION BY campaign_key) AS first FROM run) "
        "SELECT f.first, COALESCE(v.combination, ''), v.scheduler, v.figure, v.seeds, v.mean,"
        " v.pairs, v.difference, v.half_width, v.relative, v.relative_half_width "
        "FROM v_scheduler_comparison AS v JOIN first AS f ON f.run = v.run "
        "WHERE v.job = '' ORDER BY f.first, v.run");
    const auto getNumber = [&query](int column) {
        return query.isColumnNull(column) ? Value() : Value(query.getColumn(column).getDouble());
    };
    std::map<int64_t, Combination> combinations;
    while (query.executeStep())
    {
        Combination& combination = combinations[query.getColumn(0).getInt64()];
        combination.name = query.getColumn(1).getString();
        const std::string scheduler = query.getColumn(2).getString();
        if (combination.schedulers.empty() || combination.schedulers.back() != scheduler)
        {
            combination.schedulers.push_back(scheduler);
        }
        combination.rows[{scheduler, query.getColumn(3).getString()}] =
            Comparison{query.getColumn(4).getInt64(),
                       getNumber(5),
                       query.getColumn(6).getInt64(),
                       getNumber(7),
                       getNumber(8),
                       getNumber(9),
                       getNumber(10)};
    }
    if (combinations.empty())
    {
        os << "No runs.\n";
        return;
    }
    for (const auto& [first, combination] : combinations)
    {
        int64_t seeds = 0;
        for (const auto& [name, row] : combination.rows)
        {
            seeds = std::max(seeds, row.seeds);
        }
        os << (first == combinations.begin()->first ? "" : "\n");
        os << (combination.name.empty() ? "All runs" : combination.name) << ": " << seeds
           << (seeds == 1 ? " seed" : " seeds") << "\n";
        PrintCombination(os, combination);
    }
    os << "\nMeans over seeds. Differences from the first scheduler are means over pairs of the "
          "same\nseed, +- half of the 95 % interval (Student's t).\n";
}

} // namespace ns3
