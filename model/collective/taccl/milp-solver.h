/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_MILP_SOLVER_H
#define GPU_FABRIC_MILP_SOLVER_H

#include "milp-problem.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// The result of a solver.
struct MilpSolution
{
    enum class Status : uint8_t
    {
        OPTIMAL,    ///< within the requested gap
        FEASIBLE,   ///< the best found before a limit
        INFEASIBLE, ///< no solution exists
        UNKNOWN     ///< nothing found before a limit, or the solver failed
    };

    Status status{Status::UNKNOWN};
    std::vector<double> values; ///< by variable, if OPTIMAL or FEASIBLE
    double objective{0};
    double bound{0};     ///< lower bound of the objective; if OPTIMAL or FEASIBLE
    double gap{0};       ///< (objective - bound) / |objective|; 0 if both are 0
    std::string message; ///< one sentence if there are no values

    bool HasValues() const
    {
        return status == Status::OPTIMAL || status == Status::FEASIBLE;
    }
};

/**
 * Solves a mixed integer linear program with an installed program: cbc (COIN-OR), glpsol (GLPK) or
 * highs. The problem is passed as a file in LP format, in a folder that is removed afterwards; the
 * result is checked against the problem.
 *
 * Each program runs on one thread with a fixed seed and is therefore reproducible, unless the time
 * limit stops it: what it has found by then depends on the machine. A limit on the nodes of the
 * search tree is reproducible (cbc and highs; glpsol has none).
 */
class MilpSolver
{
  public:
    struct Limits
    {
        double seconds{60};     ///< [s], elapsed, at least 1
        uint64_t nodes{0};      ///< nodes of the search tree; 0: no limit
        double gap{0};          ///< relative gap at which the search ends
        double tolerance{1e-4}; ///< by how much a solution may violate a constraint
    };

    /// The programs, in the order in which they are tried.
    static const std::vector<std::string>& GetNames();
    /// The path of an executable in PATH, or empty.
    static std::string Find(const std::string& program);
    /// The version that a program of GetNames() tells, such as "2.10.8"; empty if it is not
    /// installed or tells none.
    static std::string FindVersion(const std::string& program);

    /**
     * \param name one of GetNames(); "auto": the first one installed; "none": none
     * \param limits of each Solve()
     */
    MilpSolver(const std::string& name, const Limits& limits);

    /// The program in use, or empty.
    const std::string& GetName() const
    {
        return m_name;
    }

    /// Why there is no program, one sentence; empty if there is one.
    const std::string& GetMissing() const
    {
        return m_missing;
    }

    MilpSolution Solve(const MilpProblem& problem) const;

    /**
     * Parses the output of a program; for tests.
     * \param name of the program
     * \param output what it printed \param solution its solution file
     */
    static MilpSolution Parse(const std::string& name,
                              const MilpProblem& problem,
                              const std::string& output,
                              const std::string& solution);

  private:
    std::vector<std::string> MakeArguments(const std::string& folder) const;

    std::string m_name;
    std::string m_path;
    std::string m_missing;
    Limits m_limits;
};

} // namespace ns3

#endif // GPU_FABRIC_MILP_SOLVER_H
