/* SPDX-License-Identifier: GPL-2.0-only */
#include "bayesian-search.h"

#include "../../base/ties.h"
#include "gaussian-process.h"

#include "ns3/abort.h"
#include "ns3/counter-random.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace ns3
{

namespace
{

/// Lengths of the kernel that are tried.
constexpr double LENGTHS[] = {0.1, 0.15, 0.2, 0.3, 0.45, 0.7, 1, 1.5};
/// Cells of the grid in each direction, the number of refinements, and the factor of each.
constexpr int GRID = 32;
constexpr int REFINEMENTS = 2;
constexpr double FINER = 8;

/// Normalises values to mean 0 and deviation 1.
std::vector<double>
Normalize(const std::vector<double>& values)
{
    const auto n = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double squares = 0;
    for (const double value : values)
    {
        squares += (value - mean) * (value - mean);
    }
    const double deviation = std::sqrt(squares / n);
    std::vector<double> normal;
    for (const double value : values)
    {
        normal.push_back(deviation > 0 ? (value - mean) / deviation : 0);
    }
    return normal;
}

} // namespace

BayesianSearch::BayesianSearch(const Options& options)
    : m_options(options)
{
    NS_ABORT_MSG_IF(options.randomPoints == 0, "a search that starts nowhere");
}

double
BayesianSearch::GetExpectedImprovement(double mean,
                                       double deviation,
                                       double best,
                                       double exploration)
{
    const double gain = mean - best - exploration;
    if (deviation <= 0)
    {
        return std::max(0.0, gain);
    }
    const double z = gain / deviation;
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * 3.141592653589793);
    return gain * 0.5 * std::erfc(-z / std::sqrt(2.0)) + deviation * density;
}

BayesianSearch::Point
BayesianSearch::Suggest(const std::vector<Point>& points, const std::vector<double>& values) const
{
    const std::vector<double> normal = Normalize(values);
    std::optional<GaussianProcess> process;
    for (const double length : LENGTHS)
    {
        GaussianProcess candidate(points, normal, length, NOISE);
        if (!process || IsAbove(candidate.GetLogLikelihood(), process->GetLogLikelihood()))
        {
            process = std::move(candidate);
        }
    }
    const double best = *std::max_element(normal.begin(), normal.end());
    Point chosen;
    double largest = -1;
    Point center{0.5, 0.5};
    double half = 0.5;
    for (int round = 0; round <= REFINEMENTS; round++)
    {
        for (int i = 0; i <= GRID; i++)
        {
            for (int j = 0; j <= GRID; j++)
            {
                const Point point{std::clamp(center.x + half * (2.0 * i / GRID - 1), 0.0, 1.0),
                                  std::clamp(center.y + half * (2.0 * j / GRID - 1), 0.0, 1.0)};
                const auto [mean, deviation] = process->Predict(point);
                const double improvement =
                    GetExpectedImprovement(mean, deviation, best, m_options.exploration);
                if (IsAbove(improvement, largest))
                {
                    largest = improvement;
                    chosen = point;
                }
            }
        }
        center = chosen;
        half /= FINER;
    }
    return chosen;
}

std::vector<BayesianSearch::Point>
BayesianSearch::GetPoints(const std::vector<double>& values) const
{
    const size_t count = std::min<size_t>(values.size() + 1, GetPointCount());
    std::vector<Point> points;
    while (points.size() < count)
    {
        const size_t next = points.size();
        if (next < m_options.randomPoints)
        {
            points.push_back({CounterUniform(m_options.seed, m_options.stream, 2 * next),
                              CounterUniform(m_options.seed, m_options.stream, 2 * next + 1)});
            continue;
        }
        points.push_back(Suggest(points, {values.begin(), values.begin() + next}));
    }
    return points;
}

} // namespace ns3
