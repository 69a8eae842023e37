/* SPDX-License-Identifier: GPL-2.0-only */
#include "campaign-table.h"

#include "named-columns.h"
#include "text-table.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// A figure of all jobs, as displayed.
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

const Figure*
FindFigure(const std::string& name)
{
    for (const Figure& figure : FIGURES)
    {
        if (name == figure.name)
        {
            return &figure;
        }
    }
    return nullptr;
}

const char* const FOOTNOTE =
    "\nMeans over seeds. Differences from the first one are means over pairs of the same seed, "
    "+- half of\nthe 95 % interval (Student's t).\n";

} // namespace

/// A row of the view.
struct CampaignTable::Comparison
{
    int64_t seeds{0};
    Value mean;
    Value difference;
    Value halfWidth;
    Value relative;
    Value relativeHalfWidth;
};

/// A combination of the varied values other than the compared one and the seed.
struct CampaignTable::Combination
{
    std::string name;
    std::vector<std::string> labels;                                ///< the compared value
    std::map<std::pair<std::string, std::string>, Comparison> rows; ///< by (label, figure)

    int64_t GetSeeds() const
    {
        int64_t seeds = 0;
        for (const auto& [key, row] : rows)
        {
            seeds = std::max(seeds, row.seeds);
        }
        return seeds;
    }

    Comparison Get(const std::string& label, const std::string& figure) const
    {
        const auto found = rows.find({label, figure});
        return found == rows.end() ? Comparison() : found->second;
    }

    /// The cells of a figure: the mean and, except in the first column, the differences.
    std::vector<std::string> GetCells(const std::string& label,
                                      const std::string& figure,
                                      double factor,
                                      int digits,
                                      bool isFirst) const
    {
        const Comparison row = Get(label, figure);
        std::vector<std::string> cells{
            TextTable::Number(row.mean ? Value(*row.mean * factor) : row.mean, digits)};
        if (!isFirst)
        {
            cells.push_back(WithInterval(row.difference, row.halfWidth, factor, digits));
            cells.push_back(WithInterval(row.relative, row.relativeHalfWidth, 100, 2));
        }
        return cells;
    }
};

CampaignTable::CampaignTable(const std::string& database)
    : m_database(std::make_unique<SQLite::Database>(std::filesystem::absolute(database).string(),
                                                    SQLite::OPEN_READONLY))
{
}

CampaignTable::~CampaignTable() = default;

std::map<int64_t, CampaignTable::Combination>
CampaignTable::Read(const std::string& axis, const std::string& job) const
{
    const std::string columns = "v.figure AS figure, v.seeds AS seeds, v.mean AS mean, "
                                "v.difference AS difference, v.half_width AS half_width, "
                                "v.relative AS relative, "
                                "v.relative_half_width AS relative_half_width ";
    // Without a sweep there are no axes, but schedulers may have been compared.
    SQLite::Statement query(
        *m_database,
        axis == "scheduler"
            ? "WITH first AS (SELECT run, MIN(run) OVER (PARTITION BY campaign_key) AS first "
              "FROM run) SELECT f.first AS first, COALESCE(v.combination, '') AS combination, "
              "v.scheduler AS label, " +
                  columns +
                  "FROM v_scheduler_comparison AS v JOIN first AS f ON f.run = v.run "
                  "WHERE v.job = ?1 ORDER BY f.first, v.run"
            : "SELECT v.first AS first, COALESCE(v.combination, '') AS combination, "
              "v.value AS label, " +
                  columns +
                  "FROM v_axis_comparison AS v WHERE v.job = ?1 AND v.axis = ?2 "
                  "ORDER BY v.first, v.run");
    query.bind(1, job);
    if (axis != "scheduler")
    {
        query.bind(2, axis);
    }
    std::map<int64_t, Combination> combinations;
    while (query.executeStep())
    {
        Combination& combination = combinations[GetInteger(query, "first")];
        combination.name = GetText(query, "combination");
        const std::string label = GetText(query, "label");
        if (combination.labels.empty() || combination.labels.back() != label)
        {
            combination.labels.push_back(label);
        }
        combination.rows[{label, GetText(query, "figure")}] =
            Comparison{GetInteger(query, "seeds"),
                       GetNumber(query, "mean"),
                       GetNumber(query, "difference"),
                       GetNumber(query, "half_width"),
                       GetNumber(query, "relative"),
                       GetNumber(query, "relative_half_width")};
    }
    if (combinations.empty() && axis != "scheduler")
    {
        std::string names;
        SQLite::Statement axes(*m_database,
                               "SELECT DISTINCT axis AS axis FROM campaign WHERE axis <> 'seed' "
                               "ORDER BY axis");
        while (axes.executeStep())
        {
            names += (names.empty() ? "" : ", ") + GetText(axes, "axis");
        }
        throw std::runtime_error("no axis \"" + axis + "\" in this database" +
                                 (names.empty() ? "; it has no sweep" : "; it has " + names));
    }
    return combinations;
}

void
CampaignTable::Print(const std::string& axis, std::ostream& os) const
{
    const std::map<int64_t, Combination> combinations = Read(axis, "");
    if (combinations.empty())
    {
        os << "No runs.\n";
        return;
    }
    for (const auto& [first, combination] : combinations)
    {
        const int64_t seeds = combination.GetSeeds();
        os << (first == combinations.begin()->first ? "" : "\n");
        os << (combination.name.empty() ? "All runs" : combination.name) << ": " << seeds
           << (seeds == 1 ? " seed" : " seeds") << "\n";
        PrintAll(combination, os);
    }
    os << FOOTNOTE;
}

void
CampaignTable::PrintAll(const Combination& combination, std::ostream& os)
{
    TextTable table;
    table.AddColumn("figure", false);
    for (const std::string& label : combination.labels)
    {
        table.AddColumn(label);
        if (label != combination.labels.front())
        {
            table.AddColumn("difference");
            table.AddColumn("[%]");
        }
    }
    for (const Figure& figure : FIGURES)
    {
        std::vector<std::string> cells{figure.title};
        bool any = false;
        for (const std::string& label : combination.labels)
        {
            any = any || combination.Get(label, figure.name).mean;
            for (std::string& cell : combination.GetCells(label,
                                                          figure.name,
                                                          figure.factor,
                                                          figure.digits,
                                                          label == combination.labels.front()))
            {
                cells.push_back(std::move(cell));
            }
        }
        if (any)
        {
            table.AddRow(cells);
        }
    }
    table.Print(os);
}

void
CampaignTable::PrintFigure(const std::string& axis,
                           const std::string& figure,
                           const std::string& job,
                           std::ostream& os) const
{
    const std::map<int64_t, Combination> combinations = Read(axis, job);
    // Combinations may have been run with different values.
    std::vector<std::string> labels;
    bool any = false;
    for (const auto& [first, combination] : combinations)
    {
        for (const std::string& label : combination.labels)
        {
            any = any || combination.Get(label, figure).mean;
            if (std::find(labels.begin(), labels.end(), label) == labels.end())
            {
                labels.push_back(label);
            }
        }
    }
    if (!any)
    {
        throw std::runtime_error("no figure \"" + figure + "\" of " +
                                 (job.empty() ? "all jobs" : "a job \"" + job + "\"") +
                                 " in this database; see v_run_figure");
    }
    const Figure* known = FindFigure(figure);
    const double factor = known ? known->factor : 1;
    const int digits = known ? known->digits : 4;
    TextTable table;
    table.AddColumn("combination", false);
    table.AddColumn("seeds");
    for (const std::string& label : labels)
    {
        table.AddColumn(label);
        if (label != labels.front())
        {
            table.AddColumn("difference");
            table.AddColumn("[%]");
        }
    }
    for (const auto& [first, combination] : combinations)
    {
        std::vector<std::string> cells{combination.name.empty() ? "all runs" : combination.name,
                                       std::to_string(combination.GetSeeds())};
        for (const std::string& label : labels)
        {
            for (std::string& cell :
                 combination.GetCells(label, figure, factor, digits, label == labels.front()))
            {
                cells.push_back(std::move(cell));
            }
        }
        table.AddRow(cells);
    }
    os << (known ? known->title : figure.c_str()) << (job.empty() ? "" : " of " + job) << "\n";
    table.Print(os);
    os << FOOTNOTE;
}

} // namespace ns3
