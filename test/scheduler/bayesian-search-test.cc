/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/scheduler/bytescheduler/bayesian-search.h"
#include "../../model/scheduler/bytescheduler/gaussian-process.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3;

namespace
{

/// The largest value that a search finds.
double
Search(uint64_t seed, const std::function<double(double, double)>& value)
{
    BayesianSearch::Options options;
    options.seed = seed;
    const BayesianSearch search(options);
    std::vector<double> values;
    while (values.size() < search.GetPointCount())
    {
        const std::vector<BayesianSearch::Point> points = search.GetPoints(values);
        EXPECT_EQ(points.size(), values.size() + 1);
        EXPECT_TRUE(points.back().x >= 0 && points.back().x <= 1);
        EXPECT_TRUE(points.back().y >= 0 && points.back().y <= 1);
        values.push_back(value(points.back().x, points.back().y));
    }
    // There are no others.
    EXPECT_EQ(search.GetPoints(values).size(), 25u);
    return *std::max_element(values.begin(), values.end());
}

/// The negative of Branin's function on [-5, 10] x [0, 15]: at most -0.397887, at three points.
double
Branin(double u, double v)
{
    const double pi = std::acos(-1.0);
    const double x = 15 * u - 5;
    const double y = 15 * v;
    const double a = y - 5.1 / (4 * pi * pi) * x * x + 5 / pi * x - 6;
    return -(a * a + 10 * (1 - 1 / (8 * pi)) * std::cos(x) + 10);
}

} // namespace

// EI = g Phi(g / s) + s phi(g / s), g = mean - best - xi. With tables of the normal distribution:
// g = 0, s = 1: phi(0) = 0.398942.
// g = 1, s = 1: Phi(1) = 0.841345, phi(1) = 0.241971: 1.083315.
// g = -0.1, s = 0.5: -0.1 Phi(-0.2) + 0.5 phi(0.2) = -0.1 x 0.420740 + 0.5 x 0.391043 = 0.153447.
TEST(BayesianSearchTest, ExpectedImprovementByHand)
{
    EXPECT_NEAR(BayesianSearch::GetExpectedImprovement(0, 1, 0, 0), 0.398942, 1e-6);
    EXPECT_NEAR(BayesianSearch::GetExpectedImprovement(1.1, 1, 0, 0.1), 1.083315, 1e-6);
    EXPECT_NEAR(BayesianSearch::GetExpectedImprovement(2, 0.5, 2, 0.1), 0.153447, 1e-6);
    EXPECT_EQ(BayesianSearch::GetExpectedImprovement(1, 0, 0.5, 0.1), 0.4);
    EXPECT_EQ(BayesianSearch::GetExpectedImprovement(0.5, 0, 0.5, 0.1), 0);
}

// One value v at a point, noise s: mean v / (1 + s), variance 1 - 1 / (1 + s) there; k(r) away from
// it, with k(r) = (1 + a + a^2 / 3) exp(-a), a = sqrt(5) r / length. r = length: a = 2.236068,
// 4.902735 x 0.106878 = 0.523994.
TEST(BayesianSearchTest, GaussianProcessOfOneValue)
{
    const GaussianProcess process({{0.25, 0.5}}, {2}, 0.5, 0.25);
    EXPECT_NEAR(process.Predict({0.25, 0.5}).mean, 1.6, 1e-12);
    EXPECT_NEAR(process.Predict({0.25, 0.5}).deviation, std::sqrt(0.2), 1e-12);
    EXPECT_NEAR(process.Predict({0.75, 0.5}).mean, 1.6 * 0.523994, 1e-5);
    EXPECT_NEAR(process.Predict({0.75, 0.5}).deviation,
                std::sqrt(1 - 0.523994 * 0.523994 / 1.25),
                1e-5);
    // -v^2 / (2 (1 + s)) - log(1 + s) / 2 = -1.6 - 0.111572.
    EXPECT_NEAR(process.GetLogLikelihood(), -1.711572, 1e-6);
}

TEST(BayesianSearchTest, GaussianProcessGoesThroughValuesWithoutNoise)
{
    const std::vector<BayesianSearch::Point> points{{0, 0}, {0.5, 0.25}, {1, 1}, {0.1, 0.9}};
    const std::vector<double> values{1, -2, 0.5, 3};
    const GaussianProcess process(points, values, 0.3, 0);
    for (size_t i = 0; i < points.size(); i++)
    {
        EXPECT_NEAR(process.Predict(points[i]).mean, values[i], 1e-9);
        EXPECT_NEAR(process.Predict(points[i]).deviation, 0, 1e-6);
    }
}

// A paraboloid of height 1 with its top inside: 15 steps come within 1 % of it from any start.
TEST(BayesianSearchTest, FindsTheTopOfAParaboloid)
{
    for (uint64_t seed = 1; seed <= 4; seed++)
    {
        const double found = Search(seed, [](double x, double y) {
            return 1 - (x - 0.3) * (x - 0.3) - 2 * (y - 0.8) * (y - 0.8);
        });
        EXPECT_GT(found, 0.99) << "seed " << seed;
        EXPECT_LE(found, 1);
    }
}

// Values of Branin's function go from -308 to -0.4: 25 points come within 1 % of that range.
TEST(BayesianSearchTest, FindsATopOfBraninsFunction)
{
    for (uint64_t seed = 1; seed <= 4; seed++)
    {
        const double found = Search(seed, Branin);
        EXPECT_GT(found, -0.397887 - 3.08) << "seed " << seed;
        EXPECT_LE(found, -0.3978);
    }
}

// A search of equal values has no direction, but an end.
TEST(BayesianSearchTest, TakesEqualValues)
{
    EXPECT_EQ(Search(1, [](double, double) { return 5.0; }), 5);
}

TEST(BayesianSearchTest, IsAFunctionOfSeedAndStream)
{
    BayesianSearch::Options options;
    const auto first = BayesianSearch(options).GetPoints({1, 2}).back();
    EXPECT_EQ(BayesianSearch(options).GetPoints({1, 2}).back().x, first.x);
    options.stream = 1;
    EXPECT_NE(BayesianSearch(options).GetPoints({1, 2}).back().x, first.x);
    options.stream = 0;
    options.seed = 2;
    EXPECT_NE(BayesianSearch(options).GetPoints({1, 2}).back().x, first.x);
}
