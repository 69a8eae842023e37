/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/collective/taccl/milp-solver.h"
#include "../fixture/scenario-fixture.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>

using namespace ns3;

namespace
{

using Sense = MilpProblem::Sense;

/// Sets PATH for the duration of a test.
class SearchPath
{
  public:
    explicit SearchPath(const std::string& path)
        : m_before(std::getenv("PATH"))
    {
        setenv("PATH", path.c_str(), 1);
    }

    ~SearchPath()
    {
        setenv("PATH", m_before.c_str(), 1);
    }

    SearchPath(const SearchPath&) = delete;
    SearchPath& operator=(const SearchPath&) = delete;

  private:
    std::string m_before;
};

/// Which of the items to take, so that their weights are at most a capacity and their values most.
MilpProblem
MakeKnapsack(const std::vector<double>& weights, const std::vector<double>& values, double capacity)
{
    MilpProblem problem;
    MilpProblem::Terms load;
    for (size_t i = 0; i < weights.size(); i++)
    {
        load.emplace_back(problem.AddInteger(0, 1, -values[i]), weights[i]);
    }
    problem.AddConstraint(load, Sense::AT_MOST, capacity);
    return problem;
}

MilpSolver
MakeSolver(const std::string& name)
{
    MilpSolver::Limits limits;
    limits.seconds = 10;
    return MilpSolver(name, limits);
}

/// Those that are installed.
std::vector<std::string>
GetInstalled()
{
    std::vector<std::string> names = MilpSolver::GetNames();
    names.erase(
        std::remove_if(names.begin(),
                       names.end(),
                       [](const std::string& name) { return MilpSolver::Find(name).empty(); }),
        names.end());
    return names;
}

} // namespace

TEST(MilpSolverTest, WritesTheLpFormat)
{
    MilpProblem problem;
    const uint32_t x = problem.AddInteger(0, 3, -2);
    const uint32_t y = problem.AddVariable(0.5, INFINITY, 1);
    const uint32_t z = problem.AddInteger(0, 1, 0);
    problem.AddConstraint({{x, 1}, {y, -0.25}}, Sense::AT_MOST, 1.5);
    problem.AddConstraint({{y, -0.25}, {x, 0.5}, {x, 0.5}}, Sense::AT_MOST, 1.5); // the same
    problem.AddConstraint({{x, 1}, {x, -1}}, Sense::AT_MOST, 0);                  // 0 <= 0
    problem.AddConstraint({{y, 1}}, Sense::AT_LEAST, 1);
    problem.AddConditional({{y, 1}}, 2, z, 10); // y <= 2 where z
    std::ostringstream text;
    problem.WriteLp(text);
    EXPECT_EQ(text.str(),
              "Minimize\n"
              " obj: - 2 x0 + 1 x1 + 0 x2\n"
              "Subject To\n"
              " r0: + 1 x0 - 0.25 x1 <= 1.5\n"
              " r1: + 1 x1 >= 1\n"
              " r2: + 1 x1 + 10 x2 <= 12\n"
              "Bounds\n"
              " 0 <= x0 <= 3\n"
              " 0.5 <= x1\n"
              " 0 <= x2 <= 1\n"
              "General\n"
              " x0\n"
              " x2\n"
              "End\n");
    EXPECT_EQ(problem.GetViolation({1, 1, 1}), 0);
    EXPECT_EQ(problem.GetViolation({1, 4, 1}), 2);     // 4 <= 2
    EXPECT_EQ(problem.GetViolation({1, 0.5, 0}), 0.5); // y >= 1
    EXPECT_EQ(problem.GetViolation({0.75, 1, 0}), 0.25);
    EXPECT_EQ(problem.GetObjective({1, 4, 1}), 2);
}

TEST(MilpSolverTest, KnapsackAsByBruteForce)
{
    const std::vector<double> weights{3, 4, 5, 9, 14, 7, 2};
    const std::vector<double> values{3, 4, 4, 10, 15, 8, 1};
    const MilpProblem problem = MakeKnapsack(weights, values, 23);
    double best = 0;
    for (uint32_t set = 0; set < 1U << weights.size(); set++)
    {
        double weight = 0;
        double value = 0;
        for (size_t i = 0; i < weights.size(); i++)
        {
            weight += set >> i & 1 ? weights[i] : 0;
            value += set >> i & 1 ? values[i] : 0;
        }
        best = weight <= 23 ? std::max(best, value) : best;
    }
    EXPECT_EQ(best, 25); // 9 and 14
    for (const std::string& name : GetInstalled())
    {
        const MilpSolution solution = MakeSolver(name).Solve(problem);
        ASSERT_EQ(solution.status, MilpSolution::Status::OPTIMAL) << name << solution.message;
        EXPECT_NEAR(solution.objective, -best, 1e-6) << name;
        EXPECT_NEAR(solution.bound, -best, 1e-6) << name;
        EXPECT_EQ(problem.GetViolation(solution.values), 0) << name;
        // Again the same.
        EXPECT_EQ(MakeSolver(name).Solve(problem).values, solution.values) << name;
    }
}

TEST(MilpSolverTest, InfeasibleAndWithoutIntegers)
{
    MilpProblem infeasible;
    const uint32_t a = infeasible.AddInteger(0, 1, 1);
    const uint32_t b = infeasible.AddInteger(0, 1, 1);
    infeasible.AddConstraint({{a, 2}, {b, 2}}, Sense::EQUAL, 1); // by integers only
    MilpProblem empty;
    empty.AddInteger(0, 1, 1);
    empty.AddConstraint({}, Sense::AT_LEAST, 1);
    // x + y >= 3, x <= 2 at cost 1, y at cost 2: 2 + 2 x 1.
    MilpProblem linear;
    const uint32_t x = linear.AddVariable(0, 2, 1);
    const uint32_t y = linear.AddVariable(0, INFINITY, 2);
    linear.AddConstraint({{x, 1}, {y, 1}}, Sense::AT_LEAST, 3);
    for (const std::string& name : GetInstalled())
    {
        for (const MilpProblem* problem : {&infeasible, &empty})
        {
            const MilpSolution solution = MakeSolver(name).Solve(*problem);
            EXPECT_EQ(solution.status, MilpSolution::Status::INFEASIBLE) << name;
            EXPECT_EQ(solution.message, name + " finds the problem infeasible");
        }
        const MilpSolution solution = MakeSolver(name).Solve(linear);
        ASSERT_EQ(solution.status, MilpSolution::Status::OPTIMAL) << name;
        EXPECT_NEAR(solution.objective, 4, 1e-9) << name;
        EXPECT_EQ(solution.gap, 0) << name;
    }
}

// What the programs print when a limit of time ends them: the gap is (12 - 9) / 12.
TEST(MilpSolverTest, LimitsGiveTheGap)
{
    MilpProblem problem;
    problem.AddInteger(0, 20, 1);
    problem.AddInteger(0, 20, 1);
    const std::string cbc =
        "Result - Stopped on time limit\n\nObjective value:                12.0\n"
        "Lower bound:                    9.000\nGap:  0.33\n";
    const std::string glpsol = "+  10: mip =     not found yet >=   8.0 (1; 0)\n"
                               "+ 100: mip =   1.200000000e+01 >=   9.000000000e+00  25.0% (5; 1)\n"
                               "TIME LIMIT EXCEEDED; SEARCH TERMINATED\n";
    const std::string highs = "  Primal bound      12\n  Dual bound        9\n  Gap    25%\n";
    const MilpSolution solutions[] = {
        MilpSolver::Parse("cbc",
                          problem,
                          cbc,
                          "Stopped on time - objective value 12.00000000\n"
                          "      0 x0                     12                       1\n"),
        MilpSolver::Parse("glpsol",
                          problem,
                          glpsol,
                          "s mip 1 2 f 12\ni 1 1\nj 1 12\nj 2 0\ne o f\n"),
        MilpSolver::Parse("highs",
                          problem,
                          highs,
                          "Model status\nTime limit reached\n\n# Primal solution values\nFeasible\n"
                          "Objective 12\n# Columns 2\nx0 12\nx1 0\n# Rows 0\n")};
    for (const MilpSolution& solution : solutions)
    {
        EXPECT_EQ(solution.status, MilpSolution::Status::FEASIBLE);
        EXPECT_EQ(solution.values, (std::vector<double>{12, 0}));
        EXPECT_EQ(solution.objective, 12);
        EXPECT_EQ(solution.bound, 9);
        EXPECT_EQ(solution.gap, 0.25);
    }
    // None until then.
    const std::string none = "Stopped on time (no integer solution - continuous used) - objective "
                             "value 9\n";
    EXPECT_EQ(MilpSolver::Parse("cbc", problem, "", none).status, MilpSolution::Status::UNKNOWN);
    EXPECT_EQ(MilpSolver::Parse("glpsol", problem, "", "s mip 1 2 u 0\n").status,
              MilpSolution::Status::UNKNOWN);
    EXPECT_EQ(MilpSolver::Parse("highs", problem, "", "Model status\nTime limit reached\n").message,
              "highs found no solution in its limits");
}

TEST(MilpSolverTest, MissingAndWrongPrograms)
{
    EXPECT_EQ(MakeSolver("none").GetMissing(), "no MILP solver is to be used");
    const ScenarioFolder folder;
    const SearchPath path(folder.GetPath(""));
    EXPECT_EQ(MakeSolver("auto").GetMissing(), "no MILP solver is installed (cbc, highs, glpsol)");
    EXPECT_EQ(MakeSolver("glpsol").GetMissing(), "glpsol is not installed");
    // One that says 0 is a solution, and one that fails.
    MilpProblem problem;
    const uint32_t x = problem.AddInteger(0, 1, 1);
    problem.AddConstraint({{x, 1}}, Sense::AT_LEAST, 1);
    const auto install = [&folder](const std::string& script) {
        std::filesystem::permissions(folder.Write("cbc", "#!/bin/sh\n" + script),
                                     std::filesystem::perms::owner_all);
    };
    install("for last; do :; done\necho 'Optimal - objective value 0' >\"$last\"\n");
    EXPECT_EQ(MakeSolver("auto").GetName(), "cbc");
    EXPECT_EQ(MakeSolver("cbc").Solve(problem).message, "what cbc found is no solution");
    install("exit 3\n");
    EXPECT_EQ(MakeSolver("cbc").Solve(problem).message, "cbc failed or did not end");
}
