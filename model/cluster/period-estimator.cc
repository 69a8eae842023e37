/* SPDX-License-Identifier: GPL-2.0-only */
#include "period-estimator.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

/// Correlations below this are not peaks.
constexpr double LOWEST_PEAK = 0.3;
/// The minimum of the first peak, relative to the highest one.
constexpr double FIRST_PEAK = 0.9;
/// Fewer samples are not meaningful.
constexpr size_t MIN_SAMPLES = 8;

/// Sums of `group` samples each; a remainder is dropped.
std::vector<double>
AddUp(const std::vector<double>& samples, size_t group)
{
    std::vector<double> sums(samples.size() / group, 0);
    for (size_t i = 0; i < sums.size() * group; i++)
    {
        sums[i / group] += samples[i];
    }
    return sums;
}

/// The maximum of the parabola through a peak and its neighbours, relative to the peak, -0.5 to
/// 0.5.
double
FindTop(double before, double peak, double after)
{
    const double curvature = before - 2 * peak + after;
    return curvature < 0 ? std::clamp(0.5 * (before - after) / curvature, -0.5, 0.5) : 0;
}

} // namespace

std::vector<double>
PeriodEstimator::Correlate(const std::vector<double>& samples)
{
    const size_t n = samples.size();
    // Sums of the first i samples and of their squares, relative to the mean of all for precision.
    double mean = 0;
    for (const double sample : samples)
    {
        mean += sample / static_cast<double>(n);
    }
    std::vector<double> sums(n + 1, 0);
    std::vector<double> squares(n + 1, 0);
    for (size_t i = 0; i < n; i++)
    {
        const double x = samples[i] - mean;
        sums[i + 1] = sums[i] + x;
        squares[i + 1] = squares[i] + x * x;
    }
    std::vector<double> result;
    for (size_t lag = 0; lag <= n * 2 / 3; lag++)
    {
        const size_t count = n - lag;
        const auto m = static_cast<double>(count);
        double product = 0;
        for (size_t i = 0; i < count; i++)
        {
            product += (samples[i] - mean) * (samples[i + lag] - mean);
        }
        const double sumA = sums[count];
        const double sumB = sums[n] - sums[lag];
        const double varianceA = squares[count] - sumA * sumA / m;
        const double varianceB = squares[n] - squares[lag] - sumB * sumB / m;
        const double least = 1e-9 * squares[n];
        const bool varies = varianceA > least && varianceB > least;
        result.push_back(varies ? (product - sumA * sumB / m) / std::sqrt(varianceA * varianceB)
                                : 0);
    }
    return result;
}

int64_t
PeriodEstimator::Estimate(const std::vector<double>& samples, int64_t intervalPs)
{
    const size_t group = (samples.size() + MAX_SAMPLES - 1) / MAX_SAMPLES;
    if (samples.size() < MIN_SAMPLES)
    {
        return 0;
    }
    const std::vector<double> correlation = Correlate(group > 1 ? AddUp(samples, group) : samples);
    size_t first = 1;
    while (first < correlation.size() && correlation[1] > 0 &&
           correlation[first] >= correlation[1] / 2)
    {
        first++;
    }
    // A period spans at least two intervals, and its peak has two neighbours.
    first = std::max<size_t>(first, 2);
    const auto isPeak = [&correlation](size_t lag) {
        return correlation[lag] >= correlation[lag - 1] && correlation[lag] > correlation[lag + 1];
    };
    double highest = 0;
    for (size_t lag = first; lag + 1 < correlation.size(); lag++)
    {
        highest = isPeak(lag) ? std::max(highest, correlation[lag]) : highest;
    }
    if (highest < LOWEST_PEAK)
    {
        return 0;
    }
    size_t lag = first;
    while (!isPeak(lag) || correlation[lag] < FIRST_PEAK * highest)
    {
        lag++;
    }
    const double top = static_cast<double>(lag) +
                       FindTop(correlation[lag - 1], correlation[lag], correlation[lag + 1]);
    return std::llround(top * static_cast<double>(intervalPs) * static_cast<double>(group));
}

} // namespace ns3
