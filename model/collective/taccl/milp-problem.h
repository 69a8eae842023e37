/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_MILP_PROBLEM_H
#define GPU_FABRIC_MILP_PROBLEM_H

#include <cstdint>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * A mixed integer linear program, a plain value: variables with bounds, some of them integer,
 * linear constraints, and a linear objective to be minimised.
 *
 * Variables are written as x0, x1, ... in the order of their numbers.
 */
class MilpProblem
{
  public:
    /// (variable, coefficient); a variable may occur more than once.
    using Terms = std::vector<std::pair<uint32_t, double>>;

    enum class Sense : uint8_t
    {
        AT_MOST,
        AT_LEAST,
        EQUAL
    };

    /**
     * Adds a variable.
     * \param low lower bound; finite
     * \param high upper bound; may be infinity
     * \param objective coefficient in the objective
     * \returns its number
     */
    uint32_t AddVariable(double low, double high, double objective);
    /// Adds an integer variable.
    uint32_t AddInteger(double low, double high, double objective);
    /// Adds `terms` sense `bound`. Duplicates are omitted, as are constraints without terms that
    /// hold; one without terms that does not hold makes the problem infeasible.
    void AddConstraint(const Terms& terms, Sense sense, double bound);

    /// Adds `terms` <= `bound` + big (1 - x), which is binding if the binary variable x is 1.
    void AddConditional(const Terms& terms, double bound, uint32_t binary, double big);

    uint32_t GetVariableCount() const
    {
        return static_cast<uint32_t>(m_variables.size());
    }

    uint32_t GetIntegerCount() const;

    uint32_t GetConstraintCount() const
    {
        return static_cast<uint32_t>(m_constraints.size());
    }

    double GetObjective(const std::vector<double>& values) const;
    /// The largest violation of a bound, a constraint or integrality; 0: feasible.
    double GetViolation(const std::vector<double>& values) const;
    /// Writes the problem in CPLEX's LP format; the objective names every variable.
    void WriteLp(std::ostream& os) const;

  private:
    struct Variable
    {
        double low{0};
        double high{0};
        double objective{0};
        bool integer{false};
    };

    struct Constraint
    {
        Terms terms; ///< sorted by variable, no duplicates, no zeros
        Sense sense{Sense::AT_MOST};
        double bound{0};

        bool operator<(const Constraint& other) const;
    };

    std::vector<Variable> m_variables;
    std::vector<Constraint> m_constraints;
    std::set<Constraint> m_known; ///< the same, to find duplicates
};

} // namespace ns3

#endif // GPU_FABRIC_MILP_PROBLEM_H
