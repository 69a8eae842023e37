/* SPDX-License-Identifier: GPL-2.0-only */
#include "milp-problem.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <tuple>

namespace ns3
{

namespace
{

/// Terms per line: solvers limit the length of a line.
constexpr size_t TERMS_OF_LINE = 8;

std::string
ToText(double number)
{
    char text[40];
    std::snprintf(text, sizeof(text), "%.15g", number);
    return text;
}

void
WriteTerms(std::ostream& os, const MilpProblem::Terms& terms)
{
    for (size_t i = 0; i < terms.size(); i++)
    {
        const auto& [variable, coefficient] = terms[i];
        os << (i > 0 && i % TERMS_OF_LINE == 0 ? "\n  " : " ")
           << (std::signbit(coefficient) ? "- " : "+ ") << ToText(std::abs(coefficient)) << " x"
           << variable;
    }
}

} // namespace

bool
MilpProblem::Constraint::operator<(const Constraint& other) const
{
    return std::tie(terms, sense, bound) < std::tie(other.terms, other.sense, other.bound);
}

uint32_t
MilpProblem::AddVariable(double low, double high, double objective)
{
    NS_ABORT_MSG_IF(!std::isfinite(low) || std::isnan(high) || !std::isfinite(objective),
                    "a variable has a finite lower bound and coefficient");
    m_variables.push_back({low, high, objective, false});
    return GetVariableCount() - 1;
}

uint32_t
MilpProblem::AddInteger(double low, double high, double objective)
{
    const uint32_t variable = AddVariable(low, high, objective);
    m_variables[variable].integer = true;
    return variable;
}

void
MilpProblem::AddConstraint(const Terms& terms, Sense sense, double bound)
{
    std::map<uint32_t, double> sums;
    for (const auto& [variable, coefficient] : terms)
    {
        NS_ABORT_MSG_IF(variable >= m_variables.size(), "no variable " << variable);
        sums[variable] += coefficient;
    }
    Constraint constraint;
    constraint.sense = sense;
    constraint.bound = bound;
    for (const auto& [variable, coefficient] : sums)
    {
        if (coefficient != 0)
        {
            constraint.terms.emplace_back(variable, coefficient);
        }
    }
    if (constraint.terms.empty())
    {
        if ((sense != Sense::AT_LEAST && bound < 0) || (sense != Sense::AT_MOST && bound > 0))
        {
            // Written in a form that a solver recognises as infeasible: a variable with two
            // different values.
            const uint32_t variable = AddVariable(0, 0, 0);
            m_constraints.push_back({{{variable, 1}}, Sense::AT_LEAST, 1});
        }
        return;
    }
    if (m_known.insert(constraint).second)
    {
        m_constraints.push_back(std::move(constraint));
    }
}

void
MilpProblem::AddConditional(const Terms& terms, double bound, uint32_t binary, double big)
{
    Terms all = terms;
    all.emplace_back(binary, big);
    AddConstraint(all, Sense::AT_MOST, bound + big);
}

uint32_t
MilpProblem::GetIntegerCount() const
{
    return static_cast<uint32_t>(
        std::count_if(m_variables.begin(), m_variables.end(), [](const Variable& variable) {
            return variable.integer;
        }));
}

double
MilpProblem::GetObjective(const std::vector<double>& values) const
{
    double sum = 0;
    for (size_t i = 0; i < m_variables.size(); i++)
    {
        sum += m_variables[i].objective * values.at(i);
    }
    return sum;
}

double
MilpProblem::GetViolation(const std::vector<double>& values) const
{
    double most = 0;
    for (size_t i = 0; i < m_variables.size(); i++)
    {
        const Variable& variable = m_variables[i];
        most = std::max({most, variable.low - values.at(i), values.at(i) - variable.high});
        if (variable.integer)
        {
            most = std::max(most, std::abs(values[i] - std::round(values[i])));
        }
    }
    for (const Constraint& constraint : m_constraints)
    {
        double sum = -constraint.bound;
        for (const auto& [variable, coefficient] : constraint.terms)
        {
            sum += coefficient * values.at(variable);
        }
        most = std::max({most,
                         constraint.sense != Sense::AT_LEAST ? sum : 0,
                         constraint.sense != Sense::AT_MOST ? -sum : 0});
    }
    return most;
}

void
MilpProblem::WriteLp(std::ostream& os) const
{
    NS_ABORT_MSG_IF(m_variables.empty(), "a problem without variables");
    Terms objective;
    for (uint32_t i = 0; i < m_variables.size(); i++)
    {
        objective.emplace_back(i, m_variables[i].objective);
    }
    os << "Minimize\n obj:";
    WriteTerms(os, objective);
    os << "\nSubject To\n";
    for (size_t i = 0; i < m_constraints.size(); i++)
    {
        const Constraint& constraint = m_constraints[i];
        os << " r" << i << ":";
        WriteTerms(os, constraint.terms);
        os << (constraint.sense == Sense::AT_MOST    ? " <= "
               : constraint.sense == Sense::AT_LEAST ? " >= "
                                                     : " = ")
           << ToText(constraint.bound) << "\n";
    }
    if (m_constraints.empty())
    {
        os << " r0: x0 >= " << ToText(m_variables[0].low) << "\n";
    }
    os << "Bounds\n";
    for (size_t i = 0; i < m_variables.size(); i++)
    {
        os << " " << ToText(m_variables[i].low) << " <= x" << i;
        if (std::isfinite(m_variables[i].high))
        {
            os << " <= " << ToText(m_variables[i].high);
        }
        os << "\n";
    }
    if (GetIntegerCount() > 0)
    {
        os << "General\n";
        for (size_t i = 0; i < m_variables.size(); i++)
        {
            if (m_variables[i].integer)
            {
                os << " x" << i << "\n";
            }
        }
    }
    os << "End\n";
}

} // namespace ns3
