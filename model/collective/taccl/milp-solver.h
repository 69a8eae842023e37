/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_MILP_SOLVER_H
#define GPU_FABRIC_MILP_SOLVER_H

#include "milp-problem.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// What a solver has found.
struct MilpSolution
{
    enum class Status : uint8_t
    {
        OPTIMAL,    ///< to the gap that was asked for
        FEASIBLE,   ///< the best until a limit
        INFEASIBLE, ///< there is none
        UNKNOWN     ///< none until a limit, or the solver failed
    };

    Status status{Status::UNKNOWN};
    std::vector<double> values; ///< by variable, if OPTIMAL or FEASIBLE
    double objective{0};
    double bound{0};     ///< no solution is below; if OPTIMAL or FEASIBLE
    double gap{0};       ///< (objective - bound) / |objective|; 0 where both are 0
    std::string message; ///< one sentence where there are no values

    bool HasValues() const
    {
        return status == Status::OPTIMAL || status == Status::FEASIBLE;
    }
};

/**
 * Solves a mixed integer linear program with an installed program: cbc (COIN-OR), glpsol (GLPK) or
 * highs. The problem goes there as a file in LP format, in a folder that is removed afterwards;
 * what comes back is checked against the problem.
 *
 * Each runs on one thread with a fixed seed and so gives the same solution again, unless it is
 * ended by the limit of time: what it has found until then depends on the machine. A limit of nodes
 * of the search tree does not (cbc and highs; glpsol has none).
 */
class MilpSolver
{
  public:
    struct Limits
    {
        double seconds{60};     ///< [s], elapsed, at least 1
        uint64_t nodes{0};      ///< of the search tree; 0: no limit
        double gap{0};          ///< relative gap at which the search ends
        double tolerance{1e-4}; ///< by which a solution may miss a constraint
    };

    /// The programs, in the order in which they are looked for.
    static const std::vector<std::string>& GetNames();
    /// The path of an executable in PATH; empty: there is none.
    static std::string Find(const std::string& program);

    /**
     * \param name one of GetNames(); "auto": the first that is installed; "none": none
     * \param limits of each Solve()
     */
    MilpSolver(const std::string& name, const Limits& limits);

    /// The program that is used; empty: none.
    const std::string& GetName() const
    {
        return m_name;
    }

    /// Why there is none, one sentence; empty: there is one.
    const std::string& GetMissing() const
    {
        return m_missing;
    }

    MilpSolution Solve(const MilpProblem& problem) const;

    /**
     * Reads what a program has written; for tests.
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
