/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/scheduler/sincronia/coflow-admission.h"

#include "ns3/counter-random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace ns3
{
namespace
{

constexpr double TOLERANCE = 1e-9;

/// The best sum over all vertices: points at which three of the constraints hold with equality.
double
FindBestSum(const CoflowDemands& demands, double horizon)
{
    // a x <= b: ports, x >= 0, x <= 1.
    std::vector<std::array<double, 4>> constraints;
    for (size_t port = 0; port < demands[0].size(); port++)
    {
        constraints.push_back({demands[0][port], demands[1][port], demands[2][port], horizon});
    }
    for (size_t c = 0; c < 3; c++)
    {
        std::array<double, 4> bound{};
        bound.at(c) = -1;
        constraints.push_back(bound);
        bound.at(c) = 1;
        bound[3] = 1;
        constraints.push_back(bound);
    }
    const auto getDeterminant = [](const std::array<std::array<double, 3>, 3>& m) {
        return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
               m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
               m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    };
    double best = 0;
    for (size_t i = 0; i < constraints.size(); i++)
    {
        for (size_t j = 0; j < i; j++)
        {
            for (size_t k = 0; k < j; k++)
            {
                const std::array<size_t, 3> rows{i, j, k};
                std::array<std::array<double, 3>, 3> matrix{};
                for (size_t row = 0; row < 3; row++)
                {
                    std::copy_n(constraints[rows.at(row)].begin(), 3, matrix.at(row).begin());
                }
                const double determinant = getDeterminant(matrix);
                if (std::abs(determinant) < 1e-9)
                {
                    continue;
                }
                std::array<double, 3> x{};
                for (size_t column = 0; column < 3; column++)
                {
                    auto replaced = matrix;
                    for (size_t row = 0; row < 3; row++)
                    {
                        replaced.at(row).at(column) = constraints[rows.at(row)][3];
                    }
                    x.at(column) = getDeterminant(replaced) / determinant;
                }
                const bool feasible =
                    std::all_of(constraints.begin(), constraints.end(), [&x](const auto& a) {
                        return a[0] * x[0] + a[1] * x[1] + a[2] * x[2] <= a[3] + 1e-9;
                    });
                if (feasible)
                {
                    best = std::max(best, x[0] + x[1] + x[2]);
                }
            }
        }
    }
    return best;
}

// The coflows of C16: A needs 2 of the first input and output, B 1 of all four, C 3 of the others.
// With 2 for each port, 2 A + B <= 2 and B + 3 C <= 2: B = 1, A = 1/2, C = 1/3.
TEST(CoflowAdmissionTest, ByHand)
{
    const CoflowDemands demands{{2, 0, 2, 0}, {1, 1, 1, 1}, {0, 3, 0, 3}};
    const std::vector<double> fractions = GetAdmittedFractions(demands, 2);
    ASSERT_EQ(fractions.size(), 3U);
    EXPECT_NEAR(fractions[0], 0.5, TOLERANCE);
    EXPECT_NEAR(fractions[1], 1, TOLERANCE);
    EXPECT_NEAR(fractions[2], 1.0 / 3, TOLERANCE);
    // 4 takes all, 0 nothing but what needs nothing.
    EXPECT_EQ(GetAdmittedFractions(demands, 4), (std::vector<double>{1, 1, 1}));
    EXPECT_EQ(GetAdmittedFractions({{1}, {0}}, 0), (std::vector<double>{0, 1}));
    EXPECT_TRUE(GetAdmittedFractions({}, 1).empty());
}

TEST(CoflowAdmissionTest, TheBestOfAllVertices)
{
    for (uint64_t number = 0; number < 300; number++)
    {
        uint64_t count = 0;
        const auto random = [number, &count](uint64_t n) {
            return static_cast<double>(CounterRandom(5, number, count++) % n);
        };
        CoflowDemands demands(3, std::vector<double>(3));
        for (std::vector<double>& demand : demands)
        {
            std::generate(demand.begin(), demand.end(), [&random]() { return random(10); });
        }
        const double horizon = 1 + random(12);
        const std::vector<double> fractions = GetAdmittedFractions(demands, horizon);
        for (size_t port = 0; port < 3; port++)
        {
            double used = 0;
            for (size_t c = 0; c < 3; c++)
            {
                used += fractions[c] * demands[c][port];
            }
            EXPECT_LE(used, horizon + TOLERANCE);
        }
        EXPECT_NEAR(std::accumulate(fractions.begin(), fractions.end(), 0.0),
                    FindBestSum(demands, horizon),
                    1e-6)
            << number;
    }
}

// Of 10, 20, 40: rounds of 70.
TEST(CoflowAdmissionTest, EpochsGrowAndStartAgain)
{
    const auto check = [](int64_t now, uint32_t number, int64_t start, int64_t horizon) {
        const CoflowEpoch epoch = CoflowEpoch::At(now, 10, 3);
        EXPECT_EQ(epoch.number, number) << now;
        EXPECT_EQ(epoch.startPs, start) << now;
        EXPECT_EQ(epoch.horizonPs, horizon) << now;
    };
    check(0, 0, 0, 10);
    check(9, 0, 0, 10);
    check(10, 1, 10, 20);
    check(30, 2, 30, 40);
    check(69, 2, 30, 40);
    check(70, 0, 70, 10);
    check(100, 2, 100, 40);
}

} // namespace
} // namespace ns3
