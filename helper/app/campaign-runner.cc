/* SPDX-License-Identifier: GPL-2.0-only */
#include "campaign-runner.h"

#include "../../model/results/campaign-database.h"
#include "../../model/results/campaign-table.h"
#include "../../model/results/text-table.h"
#include "scenario-runner.h"

#include "ns3/log.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <sys/file.h>
#include <unistd.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CampaignRunner");

namespace fs = std::filesystem;

namespace
{

/// The lock of a folder, held for the lifetime of the object.
class FolderLock
{
  public:
    explicit FolderLock(const std::string& folder)
        : m_fd(open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666))
    {
        if (m_fd < 0)
        {
            throw ResultWriteError(folder + "/lock: cannot write: " + std::strerror(errno));
        }
        if (flock(m_fd, LOCK_EX | LOCK_NB) != 0)
        {
            close(m_fd);
            throw ResultExistsError(folder + ": another sweep is running there");
        }
    }

    ~FolderLock()
    {
        close(m_fd);
    }

    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

  private:
    int m_fd;
};

std::string
FormatSeconds(double seconds)
{
    const auto whole = static_cast<int64_t>(seconds + 0.5);
    if (whole < 120)
    {
        return std::to_string(whole) + " s";
    }
    return whole < 7200 ? std::to_string((whole + 30) / 60) + " min"
                        : std::to_string((whole + 1800) / 3600) + " h";
}

/// Whether a run ended early, but in an orderly way.
bool
IsInterrupted(int status)
{
    return status == ScenarioRunner::INTERRUPTED + SIGINT ||
           status == ScenarioRunner::INTERRUPTED + SIGTERM ||
           status == ScenarioRunner::INTERRUPTED + SIGHUP;
}

/// The last lines of a text file, joined into one line.
std::string
ReadEnd(const std::string& file)
{
    constexpr size_t LINES = 3;
    std::ifstream stream(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);)
    {
        if (!line.empty())
        {
            lines.push_back(line);
        }
    }
    std::string text;
    for (size_t i = lines.size() - std::min(lines.size(), LINES); i < lines.size(); ++i)
    {
        text += (text.empty() ? "" : "; ") + lines[i];
    }
    return text;
}

} // namespace

CampaignRunner::CampaignRunner(std::ostream& out, std::ostream& err)
    : m_out(out),
      m_err(err)
{
}

std::string
CampaignRunner::GetPath(const std::string& runId, const std::string& ending) const
{
    return m_folder + "/runs/" + runId + ending;
}

bool
CampaignRunner::HasResult(const CampaignPlan::Point& point) const
{
    const std::string file = GetPath(point.runId, ".sqlite");
    return ResultDatabase::Exists(file) && CampaignDatabase::ReadRunId(file) == point.runId;
}

std::string
CampaignRunner::GetChange(const CampaignPlan::Point& point) const
{
    if (!HasResult(point))
    {
        return "";
    }
    std::ifstream stream(GetPath(point.runId, ".made-by"));
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str().empty() ? "it is not known which program made their results"
                              : m_facts.GetChange(text.str());
}

bool
CampaignRunner::IsFinished(const CampaignPlan::Point& point) const
{
    return HasResult(point) && GetChange(point).empty();
}

void
CampaignRunner::ReadFacts(const CampaignPlan& plan)
{
    m_facts = ProgramFacts::OfThisProcess();
    if (plan.NeedsSolver())
    {
        m_facts.AddSolvers();
    }
}

RunCost
CampaignRunner::SumCosts(const CampaignPlan& plan, const std::vector<size_t>& points)
{
    RunCost cost;
    for (const size_t point : points)
    {
        cost.Add(plan.GetPoints()[point].cost);
    }
    return cost;
}

void
CampaignRunner::SayChanges(const CampaignPlan& plan, const std::vector<size_t>& points) const
{
    std::map<std::string, size_t> counts; // by reason
    for (const size_t point : points)
    {
        const std::string change = GetChange(plan.GetPoints()[point]);
        if (!change.empty())
        {
            ++counts[change];
        }
    }
    for (const auto& [change, count] : counts)
    {
        m_err << "gpu-fabric: " << count << (count == 1 ? " point is" : " points are")
              << " run again: " << change << "\n";
    }
}

int
CampaignRunner::Run(const CampaignRunnerOptions& options)
{
    m_folder = options.folder;
    m_failures.clear();
    Diagnostics diagnostics;
    const CampaignPlan plan(options.scenario,
                            options.attributes,
                            options.others,
                            options.solo,
                            diagnostics);
    diagnostics.Print(m_err);
    if (diagnostics.HasErrors())
    {
        return ScenarioRunner::BAD_INPUT;
    }
    ReadFacts(plan);
    if (options.check)
    {
        List(plan);
        return ScenarioRunner::OK;
    }
    try
    {
        std::error_code error;
        for (const std::string& part : {std::string("/runs"), "/solo/" + m_facts.GetHash()})
        {
            fs::create_directories(m_folder + part, error);
            if (error)
            {
                throw ResultWriteError(m_folder + part + ": cannot create: " + error.message());
            }
        }
        const FolderLock lock(m_folder);
        std::vector<size_t> missing;
        for (size_t i = 0; i < plan.GetPoints().size(); ++i)
        {
            if (options.overwrite || !IsFinished(plan.GetPoints()[i]))
            {
                missing.push_back(i);
            }
        }
        NS_LOG_INFO(missing.size() << " of " << plan.GetPoints().size()
                                   << " points are to be run by " << options.program);
        const int signal = RunPoints(plan, missing, options);
        if (signal != 0)
        {
            m_err << "gpu-fabric: interrupted; the same command goes on from here\n";
            return ScenarioRunner::INTERRUPTED + signal;
        }
        return Merge(plan, options);
    }
    catch (const ResultExistsError& error)
    {
        m_err << "gpu-fabric: " << error.what() << std::endl;
        return ScenarioRunner::BAD_INPUT;
    }
    catch (const std::runtime_error& error) // ResultWriteError, and the exceptions of SQLite
    {
        m_err << "gpu-fabric: " << error.what() << std::endl;
        return ScenarioRunner::WRITE_FAILED;
    }
}

int
CampaignRunner::Compare(const std::string& database,
                        const std::string& axis,
                        const std::string& figure,
                        const std::string& job)
{
    try
    {
        const CampaignTable table(database);
        if (figure.empty())
        {
            table.Print(axis, m_out);
        }
        else
        {
            table.PrintFigure(axis, figure, job, m_out);
        }
    }
    catch (const std::runtime_error& error)
    {
        m_err << "gpu-fabric: " << database << ": " << error.what() << std::endl;
        return ScenarioRunner::BAD_INPUT;
    }
    return ScenarioRunner::OK;
}

void
CampaignRunner::List(const CampaignPlan& plan) const
{
    const std::vector<CampaignPlan::Point>& points = plan.GetPoints();
    TextTable table;
    table.AddColumn("point");
    for (const std::string& axis : plan.GetAxes())
    {
        table.AddColumn(axis, false);
    }
    table.AddColumn("result", false);
    size_t finished = 0;
    std::vector<size_t> missing;
    for (size_t i = 0; i < points.size(); ++i)
    {
        std::vector<std::string> cells{std::to_string(i + 1)};
        for (const auto& [axis, value] : points[i].values)
        {
            cells.push_back(value);
        }
        const bool done = IsFinished(points[i]);
        finished += done ? 1 : 0;
        if (!done)
        {
            missing.push_back(i);
        }
        const std::string change = GetChange(points[i]);
        cells.push_back((done             ? ""
                         : change.empty() ? "to be run: "
                                          : "to be run again, as " + change + ": ") +
                        GetPath(points[i].runId, ".sqlite"));
        table.AddRow(cells);
    }
    m_out << points.size() << (points.size() == 1 ? " point" : " points") << ", " << finished
          << " of them finished\n";
    if (!missing.empty())
    {
        m_out << "to be run: " << SumCosts(plan, missing).Describe() << " each\n";
    }
    table.Print(m_out);
}

int
CampaignRunner::RunPoints(const CampaignPlan& plan,
                          const std::vector<size_t>& points,
                          const CampaignRunnerOptions& options)
{
    const size_t all = plan.GetPoints().size();
    if (!options.quiet)
    {
        m_err << "gpu-fabric: " << all << " points, " << all - points.size()
              << " of them finished before\n";
        SayChanges(plan, points);
        if (!points.empty())
        {
            m_err << "gpu-fabric: the other points take " << SumCosts(plan, points).Describe()
                  << " each\n";
        }
    }
    std::vector<ProcessPool::Task> tasks;
    for (const size_t point : points)
    {
        const std::string& runId = plan.GetPoints()[point].runId;
        std::error_code ignored;
        fs::remove(GetPath(runId, ".sqlite"), ignored);
        fs::remove(GetPath(runId, ".made-by"), ignored);
        ProcessPool::Task task;
        task.arguments = {options.program,
                          "--scenario=" + options.scenario,
                          "--point=" + std::to_string(point + 1),
                          "--out=" + GetPath(runId, ".new"),
                          "--solo-cache=" + m_folder + "/solo/" + m_facts.GetHash(),
                          "--overwrite",
                          "--quiet"};
        if (options.solo)
        {
            task.arguments.emplace_back("--solo");
        }
        for (const std::string& setting : plan.GetOverrides())
        {
            task.arguments.push_back("--" + setting);
        }
        task.errorFile = GetPath(runId, ".stderr");
        tasks.push_back(std::move(task));
    }
    const auto start = std::chrono::steady_clock::now();
    size_t ended = 0;
    return ProcessPool(options.parallel).Run(tasks, [&](size_t task, int status) {
        const CampaignPlan::Point& point = plan.GetPoints()[points[task]];
        const std::string wrong = Take(point, status);
        if (!wrong.empty())
        {
            m_failures.push_back({points[task], wrong});
        }
        ++ended;
        if (!options.quiet)
        {
            const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
            const auto left = static_cast<double>(points.size() - ended);
            m_err << "gpu-fabric: " << all - points.size() + ended << " of " << all << " points, "
                  << (wrong.empty()           ? ""
                      : IsInterrupted(status) ? "interrupted: "
                                              : "FAILED: ")
                  << point.label << "; "
                  << (ended == points.size()
                          ? "took " + FormatSeconds(spent.count())
                          : "about " +
                                FormatSeconds(spent.count() / static_cast<double>(ended) * left) +
                                " left")
                  << std::endl;
        }
    });
}

std::string
CampaignRunner::Take(const CampaignPlan::Point& point, int status) const
{
    const std::string result = GetPath(point.runId, ".new");
    const std::string said = GetPath(point.runId, ".stderr");
    std::error_code ignored;
    if (status != 0)
    {
        fs::remove(result, ignored);
        const std::string how = status < 0 ? std::string("ended by signal ") + strsignal(-status)
                                           : "exit status " + std::to_string(status);
        const std::string end = ReadEnd(said);
        return how + (end.empty() ? "" : ": " + end);
    }
    if (CampaignDatabase::ReadRunId(result) != point.runId)
    {
        fs::remove(result, ignored);
        return "its result is that of another run: the scenario has changed";
    }
    if (m_facts.HasChangedSince())
    {
        fs::remove(result, ignored);
        return "the program or one of its libraries has been replaced while the sweep ran";
    }
    std::error_code error;
    fs::rename(result + ".log", GetPath(point.runId, ".sqlite.log"), ignored);
    fs::rename(result, GetPath(point.runId, ".sqlite"), error);
    if (error)
    {
        return result + ": cannot rename: " + error.message();
    }
    // Last: a result without it is made again.
    if (!m_facts.WriteFor(GetPath(point.runId, ".sqlite")))
    {
        return GetPath(point.runId, ".made-by") + ": cannot write";
    }
    if (fs::file_size(said, ignored) == 0)
    {
        fs::remove(said, ignored);
    }
    return "";
}

int
CampaignRunner::Merge(const CampaignPlan& plan, const CampaignRunnerOptions& options)
{
    const std::string output = m_folder + "/campaign.sqlite";
    const std::vector<CampaignPlan::Point>& points = plan.GetPoints();
    std::sort(m_failures.begin(), m_failures.end(), [](const Failure& a, const Failure& b) {
        return a.point < b.point;
    });
    CampaignDatabase database(output);
    uint32_t runs = 0;
    size_t warned = 0;
    for (size_t i = 0; i < points.size(); ++i)
    {
        const bool failed = std::any_of(m_failures.begin(),
                                        m_failures.end(),
                                        [i](const Failure& failure) { return failure.point == i; });
        if (!failed)
        {
            database.Add(GetPath(points[i].runId, ".sqlite"),
                         ++runs,
                         static_cast<uint32_t>(i + 1),
                         points[i].values);
            warned += fs::exists(GetPath(points[i].runId, ".stderr")) ? 1 : 0;
        }
    }
    database.Finish();
    if (!options.quiet)
    {
        if (runs > 0)
        {
            CampaignTable(output).Print("scheduler", m_out);
        }
        m_err << "gpu-fabric: results of " << runs << " of " << points.size() << " points are in "
              << output << "\n";
        if (warned > 0)
        {
            m_err << "gpu-fabric: " << warned << " of them gave warnings: " << m_folder
                  << "/runs/*.stderr\n";
        }
    }
    for (const Failure& failure : m_failures)
    {
        m_err << "gpu-fabric: point " << failure.point + 1 << " (" << points[failure.point].label
              << ") failed: " << failure.message << "\n";
    }
    return m_failures.empty() ? static_cast<int>(ScenarioRunner::OK) : SOME_FAILED;
}

} // namespace ns3
