/* SPDX-License-Identifier: GPL-2.0-only */
#include "milp-solver.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MilpSolver");

namespace
{

/// A folder that is removed with its contents.
class TemporaryFolder
{
  public:
    TemporaryFolder()
    {
        std::error_code error;
        std::string name =
            (std::filesystem::temp_directory_path(error) / "gpu-fabric-milp-XXXXXX").string();
        m_path = !error && mkdtemp(name.data()) != nullptr ? name : "";
    }

    ~TemporaryFolder()
    {
        std::error_code ignored;
        if (!m_path.empty())
        {
            std::filesystem::remove_all(m_path, ignored);
        }
    }

    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    /// Empty if it could not be created.
    const std::string& GetPath() const
    {
        return m_path;
    }

  private:
    std::string m_path;
};

std::string
ReadFile(const std::string& name)
{
    std::ifstream file(name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// Runs a program with its output redirected to a file. \param seconds after which it is killed
/// \returns whether it exited by itself with status 0
bool
RunProgram(const std::vector<std::string>& arguments, const std::string& output, double seconds)
{
    std::vector<std::string> words = arguments;
    std::vector<char*> pointers;
    for (std::string& word : words)
    {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions,
                                     STDOUT_FILENO,
                                     output.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t child = 0;
    const int failed =
        posix_spawn(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0)
    {
        return false;
    }
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
    int status = 0;
    pid_t ended = 0;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0)
    {
        if (std::chrono::steady_clock::now() > end)
        {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool
Contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

/// The number after the last occurrence of a word; nothing: there is none.
std::optional<double>
FindNumber(const std::string& text, const std::string& word)
{
    const size_t at = text.rfind(word);
    if (at == std::string::npos)
    {
        return std::nullopt;
    }
    const char* const begin = text.c_str() + at + word.size();
    char* end = nullptr;
    const double number = std::strtod(begin, &end);
    return end == begin || !std::isfinite(number) ? std::nullopt : std::optional<double>(number);
}

/// Sets the value of "x17"; \returns whether there is such a variable
bool
SetValue(const std::string& name, double value, std::vector<double>& values)
{
    if (name.size() < 2 || name[0] != 'x' ||
        name.find_first_not_of("0123456789", 1) != std::string::npos || name.size() > 10)
    {
        return false;
    }
    const auto index = static_cast<size_t>(std::stoul(name.substr(1)));
    if (index >= values.size())
    {
        return false;
    }
    values[index] = value;
    return true;
}

/// "Optimal - objective value 2.0", then one line per variable that is not 0.
void
ParseCbc(const std::string& output, const std::string& file, MilpSolution& solution)
{
    std::istringstream text(file);
    std::string first;
    std::getline(text, first);
    // Presolve may detect infeasibility and reports it in other words.
    if (Contains(first, "nfeasible") || Contains(output, "Problem is infeasible") ||
        Contains(output, "proven infeasible"))
    {
        solution.status = MilpSolution::Status::INFEASIBLE;
        return;
    }
    if (!Contains(first, "objective value") || Contains(first, "no integer solution") ||
        Contains(output, "No feasible solution found"))
    {
        return;
    }
    solution.status = first.compare(0, 7, "Optimal") == 0 ? MilpSolution::Status::OPTIMAL
                                                          : MilpSolution::Status::FEASIBLE;
    for (std::string line; std::getline(text, line);)
    {
        std::istringstream words(line);
        std::string word;
        std::string name;
        double value = 0;
        words >> word;
        if (word == "**") // a bound that is violated within the tolerance
        {
            words >> word;
        }
        if (words >> name >> value)
        {
            SetValue(name, value, solution.values);
        }
    }
    const auto bound = FindNumber(output, "Lower bound:");
    if (bound)
    {
        solution.bound = *bound;
    }
}

/// "s mip 1 2 o 2", then "j 1 0" for each variable; "s bas 1 2 f f 2" and "j 1 b 0 0" without
/// integers.
void
ParseGlpsol(const std::string& output, const std::string& file, MilpSolution& solution)
{
    std::istringstream text(file);
    bool basic = false;
    for (std::string line; std::getline(text, line);)
    {
        std::istringstream words(line);
        std::string kind;
        words >> kind;
        if (kind == "s")
        {
            std::string form;
            std::string rows;
            std::string columns;
            std::string status;
            words >> form >> rows >> columns >> status;
            basic = form == "bas";
            if (basic)
            {
                std::string dual;
                words >> dual;
                status = status == "f" && dual == "f" ? "o" : status == "f" ? "f" : status;
            }
            solution.status = status == "o"   ? MilpSolution::Status::OPTIMAL
                              : status == "f" ? MilpSolution::Status::FEASIBLE
                              : status == "n" ? MilpSolution::Status::INFEASIBLE
                                              : MilpSolution::Status::UNKNOWN;
        }
        else if (kind == "j")
        {
            size_t column = 0;
            std::string status;
            double value = 0;
            words >> column;
            if (basic)
            {
                words >> status;
            }
            if (words >> value && column >= 1 && column <= solution.values.size())
            {
                solution.values[column - 1] = value;
            }
        }
    }
    if (Contains(output, "PROBLEM HAS NO PRIMAL FEASIBLE SOLUTION") ||
        Contains(output, "PROBLEM HAS NO INTEGER FEASIBLE SOLUTION") ||
        Contains(output, "LP HAS NO PRIMAL FEASIBLE SOLUTION"))
    {
        solution.status = MilpSolution::Status::INFEASIBLE;
    }
    // "+ 12: mip = 3 >= 2.5 16.7% (4; 0)"; no number once the tree is empty.
    const size_t at = output.rfind("mip =");
    if (at != std::string::npos)
    {
        const std::string line = output.substr(at, output.find('\n', at) - at);
        const auto bound = FindNumber(line, ">=");
        if (bound && !Contains(line, "tree is empty"))
        {
            solution.bound = *bound;
        }
    }
}

/// "Model status", "Optimal", ..., "# Columns 2", then "x0 1" for each variable.
void
ParseHighs(const std::string& output, const std::string& file, MilpSolution& solution)
{
    std::istringstream text(file);
    std::string status;
    bool columns = false;
    bool feasible = false;
    for (std::string line; std::getline(text, line);)
    {
        if (line == "Model status")
        {
            std::getline(text, status);
        }
        else if (line == "# Primal solution values")
        {
            std::getline(text, line);
            feasible = line == "Feasible";
        }
        else if (line.compare(0, 1, "#") == 0)
        {
            columns = line.compare(0, 9, "# Columns") == 0 && feasible;
        }
        else if (columns)
        {
            std::istringstream words(line);
            std::string name;
            double value = 0;
            if (words >> name >> value)
            {
                SetValue(name, value, solution.values);
            }
        }
    }
    solution.status = status == "Infeasible" ? MilpSolution::Status::INFEASIBLE
                      : !feasible            ? MilpSolution::Status::UNKNOWN
                      : status == "Optimal"  ? MilpSolution::Status::OPTIMAL
                                             : MilpSolution::Status::FEASIBLE;
    const auto bound = FindNumber(output, "Dual bound");
    if (bound)
    {
        solution.bound = *bound;
    }
}

} // namespace

const std::vector<std::string>&
MilpSolver::GetNames()
{
    static const std::vector<std::string> names{"cbc", "highs", "glpsol"};
    return names;
}

std::string
MilpSolver::Find(const std::string& program)
{
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
    {
        const std::string file = (folder.empty() ? "." : folder) + "/" + program;
        std::error_code error;
        if (std::filesystem::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0)
        {
            return file;
        }
    }
    return "";
}

std::string
MilpSolver::FindVersion(const std::string& program)
{
    const std::string path = Find(program);
    const TemporaryFolder folder;
    if (path.empty() || folder.GetPath().empty())
    {
        return "";
    }
    // Without a command cbc waits for some.
    const std::string output = folder.GetPath() + "/output.txt";
    RunProgram({path, program == "cbc" ? "-quit" : "--version"}, output, 10);
    const std::string text = ReadFile(output);
    for (size_t dot = text.find('.'); dot != std::string::npos; dot = text.find('.', dot + 1))
    {
        const char* const digits = "0123456789";
        const size_t before = text.find_last_not_of(digits, dot == 0 ? 0 : dot - 1);
        const size_t begin = before == std::string::npos ? 0 : before + 1;
        const size_t end = text.find_first_not_of("0123456789.", dot);
        if (dot > begin && dot + 1 < text.size() && std::isdigit(text[dot + 1]))
        {
            return text.substr(begin, end == std::string::npos ? end : end - begin);
        }
    }
    return "";
}

MilpSolver::MilpSolver(const std::string& name, const Limits& limits)
    : m_limits(limits)
{
    const std::vector<std::string>& names = GetNames();
    NS_ABORT_MSG_IF(name != "auto" && name != "none" &&
                        std::find(names.begin(), names.end(), name) == names.end(),
                    "no MILP solver is called " << name);
    std::string list;
    for (const std::string& candidate : names)
    {
        list += (list.empty() ? "" : ", ") + candidate;
        if (m_name.empty() && (name == "auto" || name == candidate))
        {
            m_path = Find(candidate);
            m_name = m_path.empty() ? "" : candidate;
        }
    }
    if (m_name.empty())
    {
        m_missing = name == "none"   ? "no MILP solver is to be used"
                    : name == "auto" ? "no MILP solver is installed (" + list + ")"
                                     : name + " is not installed";
    }
}

std::vector<std::string>
MilpSolver::MakeArguments(const std::string& folder) const
{
    const std::string model = folder + "/problem.lp";
    const std::string solution = folder + "/solution.txt";
    const std::string seconds = std::to_string(
        std::max<int64_t>(1, static_cast<int64_t>(std::min(std::ceil(m_limits.seconds), 1e6))));
    std::ostringstream gap;
    gap << m_limits.gap;
    if (m_name == "glpsol")
    {
        return {m_path,
                "--lp",
                model,
                "--seed",
                "1",
                "--cuts",
                "--mipgap",
                gap.str(),
                "--tmlim",
                seconds,
                "--write",
                solution};
    }
    if (m_name == "highs")
    {
        std::ofstream(folder + "/options.txt")
            << "threads = 1\nparallel = off\nrandom_seed = 1\nmip_rel_gap = " << gap.str()
            << "\ntime_limit = " << seconds << "\n"
            << (m_limits.nodes > 0 ? "mip_max_nodes = " + std::to_string(m_limits.nodes) + "\n"
                                   : "");
        return {m_path,
                "--model_file",
                model,
                "--options_file",
                folder + "/options.txt",
                "--solution_file",
                solution};
    }
    std::vector<std::string> arguments{m_path,
                                       model,
                                       "-randomSeed",
                                       "1",
                                       "-randomCbcSeed",
                                       "1",
                                       "-ratioGap",
                                       gap.str(),
                                       "-timeMode",
                                       "elapsed",
                                       "-seconds",
                                       seconds};
    if (m_limits.nodes > 0)
    {
        arguments.insert(arguments.end(), {"-maxNodes", std::to_string(m_limits.nodes)});
    }
    arguments.insert(arguments.end(), {"-solve", "-solution", solution});
    return arguments;
}

MilpSolution
MilpSolver::Parse(const std::string& name,
                  const MilpProblem& problem,
                  const std::string& output,
                  const std::string& file)
{
    MilpSolution solution;
    solution.values.assign(problem.GetVariableCount(), 0);
    solution.bound = -std::numeric_limits<double>::infinity();
    (name == "glpsol"  ? ParseGlpsol
     : name == "highs" ? ParseHighs
                       : ParseCbc)(output, file, solution);
    if (!solution.HasValues())
    {
        solution.values.clear();
        solution.bound = 0;
        solution.message = solution.status == MilpSolution::Status::INFEASIBLE
                               ? name + " finds the problem infeasible"
                               : name + " found no solution in its limits";
        return solution;
    }
    solution.objective = problem.GetObjective(solution.values);
    if (solution.status == MilpSolution::Status::OPTIMAL && !std::isfinite(solution.bound))
    {
        solution.bound = solution.objective;
    }
    solution.bound = std::min(solution.bound, solution.objective);
    const double above = solution.objective - solution.bound;
    solution.gap = above <= 0 ? 0 : above / std::abs(solution.objective);
    return solution;
}

MilpSolution
MilpSolver::Solve(const MilpProblem& problem) const
{
    NS_ABORT_MSG_IF(m_name.empty(), m_missing);
    MilpSolution solution;
    const TemporaryFolder folder;
    if (folder.GetPath().empty())
    {
        solution.message = "no temporary folder for " + m_name;
        return solution;
    }
    {
        std::ofstream file(folder.GetPath() + "/problem.lp");
        problem.WriteLp(file);
    }
    const std::string output = folder.GetPath() + "/output.txt";
    // Solvers check their time limit only between nodes.
    if (!RunProgram(MakeArguments(folder.GetPath()), output, 2 * m_limits.seconds + 10))
    {
        solution.message = m_name + " failed or did not end";
        return solution;
    }
    solution =
        Parse(m_name, problem, ReadFile(output), ReadFile(folder.GetPath() + "/solution.txt"));
    NS_LOG_LOGIC(m_name << ": " << (solution.HasValues() ? "a solution " : "none ")
                        << solution.message);
    if (solution.HasValues() && problem.GetViolation(solution.values) > m_limits.tolerance)
    {
        solution = {};
        solution.message = "what " + m_name + " found is no solution";
    }
    return solution;
}

} // namespace ns3
