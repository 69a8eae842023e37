/* SPDX-License-Identifier: GPL-2.0-only */
#include "run-table.h"

#include "named-columns.h"
#include "text-table.h"
#include "transfer-table.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <algorithm>
#include <iomanip>
#include <map>

namespace ns3
{

namespace
{

constexpr size_t JOBS_SHOWN = 40;
constexpr int LINKS_SHOWN = 5;

/// Simulated time in a suitable unit.
std::string
FormatTime(int64_t timePs)
{
    const auto time = static_cast<double>(timePs);
    if (time >= 1e12)
    {
        return TextTable::Number(time / 1e12, 3) + " s";
    }
    return time >= 1e9 ? TextTable::Number(time / 1e9, 3) + " ms"
                       : TextTable::Number(time / 1e6, 3) + " us";
}

std::string
Plural(int64_t count, const std::string& noun)
{
    return TextTable::Count(count) + " " + noun + (count == 1 ? "" : "s");
}

} // namespace

/// A row of v_job.
struct RunTable::Job
{
    std::string status;
    int64_t gpus{0};
    int64_t iterations{0};
    Value iterationMs;
    Value gpuUtilization;
    Value exposedFraction;
    Value slowdown;
    Value jctS;
    std::string measured{"-"}; ///< "2..6, +- 0.3 %": iterations that its time is the mean of
    bool enough{true};         ///< they are, for their mean
};

/// A row of `run` and v_cluster_utilization.
struct RunTable::Run
{
    int64_t run{0};
    std::string scenario;
    std::string scheduler;
    std::string placement;
    std::string variant;
    int64_t seed{0};
    std::string status;
    int64_t endPs{0};
    int64_t events{0};
    int64_t fromPs{0};
    int64_t toPs{0};
    std::string note;
    Value gpuUtilization;
    Value gpuUtilizationAll;
    Value flopUtilization;
    std::string label; ///< of its columns: the scheduler, with a number if several runs use it
    std::map<std::string, Job> jobs;
};

/// A link and its load in each run.
struct RunTable::Link
{
    std::string name;
    double rateGbps{0};
    std::vector<Value> utilization; ///< by run
    int64_t markedFrames{0};        ///< of the last run read
    double pausedFraction{0};       ///< likewise
};

RunTable::RunTable(const std::string& database)
{
    // A name that begins with "file:" would be a URI for SQLite.
    const std::string path = database.compare(0, 5, "file:") == 0 ? "./" + database : database;
    m_database = std::make_unique<SQLite::Database>(path, SQLite::OPEN_READONLY);
    ReadRuns();
    ReadJobs();
    ReadLinks();
}

RunTable::~RunTable() = default;

void
RunTable::ReadRuns()
{
    SQLite::Statement query(
        *m_database,
        "SELECT r.run AS run, r.scenario AS scenario, r.scheduler AS scheduler,"
        " r.placement AS placement, r.variant AS variant, r.seed AS seed, r.status AS status,"
        " r.end_ps AS end_ps, r.events AS events, r.measure_from_ps AS measure_from_ps,"
        " r.measure_to_ps AS measure_to_ps, r.measure_note AS measure_note,"
        " u.gpu_utilization AS gpu_utilization, u.gpu_utilization_all AS gpu_utilization_all,"
        " u.flop_utilization AS flop_utilization "
        "FROM run AS r JOIN v_cluster_utilization AS u ON u.run = r.run ORDER BY r.run");
    std::map<std::string, int> labels;
    while (query.executeStep())
    {
        Run run;
        run.run = GetInteger(query, "run");
        run.scenario = GetText(query, "scenario");
        run.scheduler = GetText(query, "scheduler");
        run.placement = GetText(query, "placement");
        run.variant = GetText(query, "variant");
        run.seed = GetInteger(query, "seed");
        run.status = GetText(query, "status");
        run.endPs = GetInteger(query, "end_ps");
        run.events = GetInteger(query, "events");
        run.fromPs = GetInteger(query, "measure_from_ps");
        run.toPs = GetInteger(query, "measure_to_ps");
        run.note = GetText(query, "measure_note");
        run.gpuUtilization = GetNumber(query, "gpu_utilization");
        run.gpuUtilizationAll = GetNumber(query, "gpu_utilization_all");
        run.flopUtilization = GetNumber(query, "flop_utilization");
        run.label = run.scheduler;
        ++labels[run.label];
        m_runs.push_back(run);
    }
    for (Run& run : m_runs)
    {
        if (labels[run.label] > 1)
        {
            run.label += " #" + std::to_string(run.run);
        }
    }
}

void
RunTable::ReadJobs()
{
    for (Run& run : m_runs)
    {
        SQLite::Statement query(
            *m_database,
            "SELECT v.job AS name, v.status AS status, v.gpus AS gpus, v.iterations AS iterations,"
            " v.iteration_ms AS iteration_ms, v.gpu_utilization AS gpu_utilization,"
            " v.exposed_fraction AS exposed_fraction, v.slowdown AS slowdown, v.jct_s AS jct_s "
            "FROM v_job AS v JOIN job AS j ON j.run = v.run AND j.name = v.job "
            "WHERE v.run = ? ORDER BY j.job");
        query.bind(1, run.run);
        while (query.executeStep())
        {
            const std::string name = GetText(query, "name");
            Job& job = run.jobs[name];
            job.status = GetText(query, "status");
            job.gpus = GetInteger(query, "gpus");
            job.iterations = GetInteger(query, "iterations");
            job.iterationMs = GetNumber(query, "iteration_ms");
            job.gpuUtilization = GetNumber(query, "gpu_utilization");
            job.exposedFraction = GetNumber(query, "exposed_fraction");
            job.slowdown = GetNumber(query, "slowdown");
            job.jctS = GetNumber(query, "jct_s");
            if (std::find(m_jobNames.begin(), m_jobNames.end(), name) == m_jobNames.end())
            {
                m_jobNames.push_back(name);
            }
        }
        ReadMeasured(run);
    }
}

void
RunTable::ReadMeasured(Run& run)
{
    SQLite::Statement query(*m_database,
                            "SELECT job AS job, first_iteration AS first, last_iteration AS last, "
                            "within AS within, half_width AS half_width, enough AS enough FROM "
                            "v_iteration_interval WHERE run = ?");
    query.bind(1, run.run);
    while (query.executeStep())
    {
        Job& job = run.jobs[GetText(query, "job")];
        const int64_t first = GetInteger(query, "first");
        const int64_t last = GetInteger(query, "last");
        job.measured = std::to_string(first) + (first == last ? "" : ".." + std::to_string(last));
        if (const std::optional<double> halfWidth = GetNumber(query, "half_width"))
        {
            job.measured += ", +- " + TextTable::Number(*halfWidth * 100, 1) + " %";
        }
        job.enough = GetInteger(query, "enough") != 0;
        if (!job.enough)
        {
            job.measured += GetInteger(query, "within") != 0 ? " (few)" : " (none in window)";
        }
    }
}

void
RunTable::ReadLinks()
{
    SQLite::Statement busiest(
        *m_database,
        "SELECT name AS name, MAX(utilization) AS peak FROM v_link_utilization "
        "GROUP BY name HAVING peak > 0 ORDER BY peak DESC, MIN(link) LIMIT ?");
    busiest.bind(1, LINKS_SHOWN);
    while (busiest.executeStep())
    {
        Link link;
        link.name = GetText(busiest, "name");
        for (const Run& run : m_runs)
        {
            SQLite::Statement query(*m_database,
                                    "SELECT rate_gbps AS rate_gbps, utilization AS utilization, "
                                    "marked_frames AS marked_frames, paused_fraction AS "
                                    "paused_fraction "
                                    "FROM v_link_utilization WHERE run = ? AND name = ?");
            query.bind(1, run.run);
            query.bind(2, link.name);
            if (!query.executeStep())
            {
                link.utilization.emplace_back();
                continue;
            }
            link.rateGbps = GetNumber(query, "rate_gbps").value_or(0);
            link.utilization.push_back(GetNumber(query, "utilization"));
            link.markedFrames = GetInteger(query, "marked_frames");
            link.pausedFraction = GetNumber(query, "paused_fraction").value_or(0);
        }
        m_links.push_back(link);
    }
}

void
RunTable::Print(std::ostream& os) const
{
    if (m_runs.empty())
    {
        os << "No runs.\n";
        return;
    }
    PrintHead(os);
    PrintJobs(os);
    PrintCluster(os);
    std::vector<std::pair<int64_t, std::string>> runs;
    for (const Run& run : m_runs)
    {
        runs.emplace_back(run.run, run.label);
    }
    TransferTable::Print(os, *m_database, runs);
    PrintLinks(os);
    PrintInvariants(os);
}

void
RunTable::PrintHead(std::ostream& os) const
{
    const Run& first = m_runs.front();
    os << first.scenario;
    if (m_runs.size() == 1)
    {
        os << ": scheduler " << first.scheduler << (first.variant.empty() ? "" : " ")
           << first.variant << ", placement " << first.placement << ", seed " << first.seed << "\n";
        os << FormatTime(first.endPs) << " simulated, " << Plural(first.events, "event");
        os << (first.status == "finished" ? "" : ", " + first.status) << "\n";
    }
    else
    {
        os << ": " << m_runs.size() << " runs\n\n";
        TextTable table;
        table.AddColumn("run");
        table.AddColumn("scheduler", false);
        table.AddColumn("placement", false);
        table.AddColumn("seed");
        table.AddColumn("simulated");
        table.AddColumn("events");
        table.AddColumn("status", false);
        const bool variants = std::any_of(m_runs.begin(), m_runs.end(), [](const Run& run) {
            return !run.variant.empty();
        });
        if (variants)
        {
            table.AddColumn("attributes", false);
        }
        for (const Run& run : m_runs)
        {
            std::vector<std::string> cells{std::to_string(run.run),
                                           run.scheduler,
                                           run.placement,
                                           std::to_string(run.seed),
                                           FormatTime(run.endPs),
                                           TextTable::Count(run.events),
                                           run.status};
            if (variants)
            {
                cells.push_back(run.variant);
            }
            table.AddRow(cells);
        }
        table.Print(os);
    }
    if (m_jobNames.empty())
    {
        return; // all flows are shown, regardless of the window
    }
    os << (m_runs.size() == 1 ? "" : "\n");
    const bool same = std::all_of(m_runs.begin(), m_runs.end(), [&](const Run& run) {
        return run.fromPs == first.fromPs && run.toPs == first.toPs;
    });
    const bool alike = same && std::all_of(m_runs.begin(), m_runs.end(), [&](const Run& run) {
                           return run.note == first.note;
                       });
    for (const Run& run : m_runs)
    {
        os << TextTable::Wrap(std::string("Measured") + (alike ? "" : " under " + run.label) +
                              ": " + FormatTime(run.fromPs) + " to " + FormatTime(run.toPs) + " (" +
                              run.note + ")");
        if (alike)
        {
            break;
        }
    }
}

void
RunTable::PrintComparison(std::ostream& os,
                          const Figure& figure,
                          const std::string& nameHeader,
                          const std::vector<std::string>& names,
                          const std::vector<std::vector<Value>>& values) const
{
    os << "\n" << figure.title << "\n";
    TextTable table;
    table.AddColumn(nameHeader, false);
    for (size_t run = 0; run < m_runs.size(); ++run)
    {
        table.AddColumn(m_runs[run].label);
        if (run > 0)
        {
            table.AddColumn(figure.points ? "change [points]" : "change [%]");
        }
    }
    for (size_t name = 0; name < names.size(); ++name)
    {
        std::vector<std::string> cells{names[name]};
        const Value& base = values[name].front();
        for (size_t run = 0; run < m_runs.size(); ++run)
        {
            const Value& value = values[name][run];
            cells.push_back(
                TextTable::Number(value ? Value(*value * figure.factor) : value, figure.digits));
            if (run == 0)
            {
                continue;
            }
            Value change;
            if (value && base && figure.points)
            {
                change = (*value - *base) * figure.factor;
            }
            else if (value && base && *base != 0)
            {
                change = (*value / *base - 1) * 100;
            }
            cells.push_back(TextTable::Change(change, figure.points ? figure.digits : 1));
        }
        table.AddRow(cells);
    }
    table.Print(os);
}

void
RunTable::PrintJobs(std::ostream& os) const
{
    if (m_jobNames.empty())
    {
        return;
    }
    std::vector<std::string> names = m_jobNames;
    names.resize(std::min(names.size(), JOBS_SHOWN));
    const bool inMs = std::all_of(m_runs.begin(), m_runs.end(), [](const Run& run) {
        return std::all_of(run.jobs.begin(), run.jobs.end(), [](const auto& job) {
            return job.second.jctS.value_or(0) < 1;
        });
    });
    if (m_runs.size() == 1)
    {
        os << "\nJobs\n";
        TextTable table;
        table.AddColumn("job", false);
        table.AddColumn("GPUs");
        table.AddColumn("iterations");
        table.AddColumn("iteration [ms]");
        table.AddColumn("mean of", false);
        table.AddColumn("GPU utilization [%]");
        table.AddColumn("exposed [%]");
        table.AddColumn("slowdown");
        table.AddColumn(inMs ? "JCT [ms]" : "JCT [s]");
        table.AddColumn("status", false);
        for (const std::string& name : names)
        {
            const Job& job = m_runs.front().jobs.at(name);
            const auto percent = [](const Value& value) {
                return TextTable::Number(value ? Value(*value * 100) : value, 1);
            };
            table.AddRow(
                {name,
                 std::to_string(job.gpus),
                 TextTable::Count(job.iterations),
                 TextTable::Number(job.iterationMs, 3),
                 job.measured,
                 percent(job.gpuUtilization),
                 percent(job.exposedFraction),
                 TextTable::Number(job.slowdown, 3),
                 TextTable::Number(job.jctS ? Value(*job.jctS * (inMs ? 1e3 : 1)) : job.jctS, 3),
                 job.status});
        }
        table.Print(os);
    }
    else
    {
        const auto compare = [&](const Figure& figure, Value Job::*member) {
            std::vector<std::vector<Value>> values;
            bool any = false;
            for (const std::string& name : names)
            {
                values.emplace_back();
                for (const Run& run : m_runs)
                {
                    const auto job = run.jobs.find(name);
                    values.back().push_back(job == run.jobs.end() ? Value() : job->second.*member);
                    any = any || values.back().back();
                }
            }
            if (any)
            {
                PrintComparison(os, figure, "job", names, values);
            }
        };
        compare({"Iteration time [ms]", 1, 3, false}, &Job::iterationMs);
        PrintMeasured(os, names);
        compare({"GPU utilization of the job [%]", 100, 1, true}, &Job::gpuUtilization);
        compare({"Exposed communication of the job [% of GPU time]", 100, 1, true},
                &Job::exposedFraction);
        compare({"Slowdown against the job alone", 1, 3, false}, &Job::slowdown);
        compare(inMs ? Figure{"Job completion time [ms]", 1e3, 3, false}
                     : Figure{"Job completion time [s]", 1, 3, false},
                &Job::jctS);
    }
    const bool enough = std::all_of(m_runs.begin(), m_runs.end(), [](const Run& run) {
        return std::all_of(run.jobs.begin(), run.jobs.end(), [](const auto& job) {
            return job.second.enough;
        });
    });
    if (!enough)
    {
        os << "  Too few iterations for their mean to be known to 5 %: see (few), (none in "
              "window)\n";
    }
    if (m_jobNames.size() > names.size())
    {
        os << "  and " << Plural(static_cast<int64_t>(m_jobNames.size() - names.size()), "more job")
           << " (view v_job)\n";
    }
}

void
RunTable::PrintMeasured(std::ostream& os, const std::vector<std::string>& names) const
{
    os << "\nIterations that it is the mean of, and its 95 % interval\n";
    TextTable table;
    table.AddColumn("job", false);
    for (const Run& run : m_runs)
    {
        table.AddColumn(run.label, false);
    }
    for (const std::string& name : names)
    {
        std::vector<std::string> cells{name};
        for (const Run& run : m_runs)
        {
            const auto job = run.jobs.find(name);
            cells.push_back(job == run.jobs.end() ? "-" : job->second.measured);
        }
        table.AddRow(cells);
    }
    table.Print(os);
}

void
RunTable::PrintCluster(std::ostream& os) const
{
    if (m_jobNames.empty())
    {
        return;
    }
    const std::vector<std::pair<std::string, Value Run::*>> figures{
        {"GPU utilization, allocated GPUs", &Run::gpuUtilization},
        {"GPU utilization, all GPUs", &Run::gpuUtilizationAll},
        {"FLOP utilization, all GPUs", &Run::flopUtilization},
    };
    if (m_runs.size() > 1)
    {
        std::vector<std::string> names;
        std::vector<std::vector<Value>> values;
        for (const auto& [name, member] : figures)
        {
            names.push_back(name);
            values.emplace_back();
            for (const Run& run : m_runs)
            {
                values.back().push_back(run.*member);
            }
        }
        PrintComparison(os, {"Cluster [%]", 100, 2, true}, "figure", names, values);
        return;
    }
    os << "\nCluster\n";
    TextTable table;
    table.AddColumn("figure", false);
    table.AddColumn("[%]");
    for (const auto& [name, member] : figures)
    {
        const Value& value = m_runs.front().*member;
        table.AddRow({name, TextTable::Number(value ? Value(*value * 100) : value, 2)});
    }
    table.Print(os);
}

void
RunTable::PrintLinks(std::ostream& os) const
{
    if (m_links.empty())
    {
        return;
    }
    if (m_runs.size() > 1)
    {
        std::vector<std::string> names;
        std::vector<std::vector<Value>> values;
        for (const Link& link : m_links)
        {
            names.push_back(link.name);
            values.push_back(link.utilization);
        }
        PrintComparison(os, {"Busiest links [% of rate]", 100, 1, true}, "link", names, values);
        return;
    }
    os << "\nBusiest links\n";
    TextTable table;
    table.AddColumn("link", false);
    table.AddColumn("rate [Gbit/s]");
    table.AddColumn("utilization [%]");
    table.AddColumn("marked frames");
    table.AddColumn("paused [%]");
    for (const Link& link : m_links)
    {
        table.AddRow({link.name,
                      TextTable::Number(link.rateGbps, 0),
                      TextTable::Number(*link.utilization.front() * 100, 1),
                      TextTable::Count(link.markedFrames),
                      TextTable::Number(link.pausedFraction * 100, 1)});
    }
    table.Print(os);
}

void
RunTable::PrintInvariants(std::ostream& os) const
{
    SQLite::Statement query(
        *m_database,
        "SELECT run AS run, name AS name, expected AS expected, actual AS actual "
        "FROM invariant "
        "WHERE expected <> actual ORDER BY run, name");
    TextTable table;
    table.AddColumn("run");
    table.AddColumn("invariant", false);
    table.AddColumn("expected");
    table.AddColumn("actual");
    bool any = false;
    while (query.executeStep())
    {
        any = true;
        table.AddRow({std::to_string(GetInteger(query, "run")),
                      GetText(query, "name"),
                      TextTable::Count(GetInteger(query, "expected")),
                      TextTable::Count(GetInteger(query, "actual"))});
    }
    if (any)
    {
        os << "\nVIOLATED INVARIANTS: do not use these results\n";
        table.Print(os);
    }
}

} // namespace ns3
