/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/scheduler/cassini/cassini-circle.h"

#include "ns3/counter-random.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3
{
namespace
{

using Job = CassiniCircle::Job;

/// Jobs that communicate at the start of their iterations over one link.
CassiniCircle
MakeCircle(const std::vector<std::pair<uint32_t, double>>& periodsAndUps,
           const std::vector<double>& demands = {},
           double capacity = 1)
{
    std::vector<Job> jobs;
    for (const auto& [period, up] : periodsAndUps)
    {
        jobs.push_back(Job::Make(period, 0, up));
    }
    const std::vector<double> full(jobs.size(), capacity);
    return {jobs, {{capacity, demands.empty() ? full : demands, 1}}};
}

double
GetUnshifted(const CassiniCircle& circle, size_t jobs)
{
    return circle.GetScore(std::vector<uint32_t>(jobs, 0));
}

TEST(CassiniCircleTest, PhasesOfFractionsOfCells)
{
    EXPECT_EQ(Job::Make(4, 1, 2).up, (std::vector<double>{0, 1, 1, 0}));
    EXPECT_EQ(Job::Make(4, 0.5, 2).up, (std::vector<double>{0.5, 1, 0.5, 0}));
    EXPECT_EQ(Job::Make(4, 3, 2).up, (std::vector<double>{1, 0, 0, 1}));
    EXPECT_EQ(Job::Make(2, 0, 2).up, (std::vector<double>{1, 1}));
    // From 1.5 for all of it: cell 1 from both ends.
    EXPECT_EQ(Job::Make(2, 1.5, 2).up, (std::vector<double>{1, 1}));
    EXPECT_EQ(Job::Make(4, 1.25, 0.5).up, (std::vector<double>{0, 0.5, 0, 0}));
}

TEST(CassiniCircleTest, TwoJobsOfOnePeriod)
{
    // score = 1 - max(0, 2 f - 1); unshifted 1 - f.
    const CassiniCircle half = MakeCircle({{10, 5}, {10, 5}});
    EXPECT_DOUBLE_EQ(half.FindBest({}).score, 1);
    EXPECT_EQ(half.FindBest({}).cells, (std::vector<uint32_t>{0, 5}));
    EXPECT_DOUBLE_EQ(GetUnshifted(half, 2), 0.5);
    const CassiniCircle more = MakeCircle({{10, 6}, {10, 6}});
    EXPECT_DOUBLE_EQ(more.FindBest({}).score, 0.8);
    EXPECT_DOUBLE_EQ(GetUnshifted(more, 2), 0.4);
    EXPECT_TRUE(more.FindBest({}).exact);
}

TEST(CassiniCircleTest, ThreeAndFourJobs)
{
    EXPECT_DOUBLE_EQ(MakeCircle({{9, 3}, {9, 3}, {9, 3}}).FindBest({}).score, 1);
    // Three halves: 1.5 of demand on 1: half of the time two of them.
    EXPECT_DOUBLE_EQ(MakeCircle({{10, 5}, {10, 5}, {10, 5}}).FindBest({}).score, 0.5);
    // Four always up: 1 - 3.
    EXPECT_DOUBLE_EQ(MakeCircle({{6, 6}, {6, 6}, {6, 6}, {6, 6}}).FindBest({}).score, -2);
}

TEST(CassiniCircleTest, PartialRates)
{
    // 40 + 30 Gb/s at duty 0.8 on 50 Gb/s: 0.6 of the time both at least, 20 too much: 1 - 0.24.
    const CassiniCircle circle = MakeCircle({{10, 8}, {10, 8}}, {40e9, 30e9}, 50e9);
    EXPECT_DOUBLE_EQ(circle.FindBest({}).score, 0.76);
    EXPECT_DOUBLE_EQ(GetUnshifted(circle, 2), 1 - 0.8 * 20 / 50);
}

TEST(CassiniCircleTest, DifferentPeriods)
{
    // 40 and 60 ms, cells of 1 ms: bursts fit iff D1 + D2 <= gcd = 20.
    const CassiniCircle circle = MakeCircle({{40, 10}, {60, 10}});
    EXPECT_EQ(circle.GetPerimeter(), 120U);
    const CassiniCircle::Rotation best = circle.FindBest({});
    EXPECT_DOUBLE_EQ(best.score, 1);
    EXPECT_EQ(best.cells, (std::vector<uint32_t>{0, 10}));
    for (uint32_t cell = 0; cell < 60; cell++)
    {
        EXPECT_EQ(circle.GetScore({0, cell}) > 1 - 1e-12, cell % 20 == 10) << cell;
    }
    EXPECT_NEAR(GetUnshifted(circle, 2), 1 - 10. / 120, 1e-12);                            // .9167
    EXPECT_NEAR(MakeCircle({{40, 12}, {60, 12}}).FindBest({}).score, 1 - 4. / 120, 1e-12); // .9667
}

TEST(CassiniCircleTest, SeveralLinksHaveTheirMean)
{
    // On the second link the jobs ask for half of it each: never too much.
    const std::vector<Job> jobs{Job::Make(10, 0, 6), Job::Make(10, 0, 6)};
    const CassiniCircle circle(jobs, {{1, {1, 1}, 3}, {2, {1, 1}, 1}});
    EXPECT_DOUBLE_EQ(circle.FindBest({}).score, 1 - 0.2 * 3 / 4);
}

/// Jobs of random periods, phases and rates.
CassiniCircle
MakeRandom(uint32_t number, size_t jobCount, const std::vector<uint32_t>& periods)
{
    auto random = [number, count = uint64_t{0}](uint32_t bound) mutable {
        return static_cast<uint32_t>(CounterRandom(5, number, count++) % bound);
    };
    std::vector<Job> jobs;
    CassiniCircle::Link link{10, {}, 1};
    for (size_t j = 0; j < jobCount; j++)
    {
        const uint32_t period = periods[random(static_cast<uint32_t>(periods.size()))];
        jobs.push_back(Job::Make(period, random(period), 1 + random(period)));
        link.demands.push_back(1 + random(10));
    }
    return {jobs, {link}};
}

/// The best score of all rotations of whole cells.
double
GetBestOfAll(const CassiniCircle& circle, const std::vector<uint32_t>& periods)
{
    std::vector<uint32_t> cells(periods.size(), 0);
    double best = circle.GetScore(cells);
    for (bool more = true; more;)
    {
        more = false;
        for (size_t j = 0; j < cells.size() && !more; j++)
        {
            cells[j]++;
            more = cells[j] < periods[j];
            cells[j] = more ? cells[j] : 0;
        }
        best = std::max(best, circle.GetScore(cells));
    }
    return best;
}

TEST(CassiniCircleTest, UpToThreeJobsAgainstBruteForce)
{
    for (uint32_t number = 0; number < 60; number++)
    {
        const size_t jobs = 2 + number % 2;
        const CassiniCircle circle = MakeRandom(number, jobs, {4, 6, 8, 9});
        // Every job may have any of the periods: rotations up to the largest cover all.
        const double best = GetBestOfAll(circle, std::vector<uint32_t>(jobs, 9));
        const CassiniCircle::Rotation found = circle.FindBest({});
        EXPECT_NEAR(found.score, best, 1e-9) << number;
        EXPECT_NEAR(circle.GetScore(found.cells), found.score, 1e-9) << number;
        EXPECT_TRUE(found.exact);
    }
}

TEST(CassiniCircleTest, CoordinateDescentAgainstBruteForce)
{
    uint32_t optimal = 0;
    for (uint32_t number = 0; number < 40; number++)
    {
        const CassiniCircle circle = MakeRandom(number, 4, {4, 6, 8});
        const double best = GetBestOfAll(circle, {1, 8, 8, 8});
        const CassiniCircle::Rotation found = circle.FindBest({});
        EXPECT_LE(found.score, best + 1e-9) << number;
        EXPECT_GE(found.score, GetUnshifted(circle, 4) - 1e-9) << number;
        EXPECT_NEAR(circle.GetScore(found.cells), found.score, 1e-9) << number;
        optimal += found.score > best - 1e-9;
    }
    EXPECT_GE(optimal, 38U);
}

TEST(CassiniCircleTest, ASmallBudgetIsSaid)
{
    const CassiniCircle circle = MakeCircle({{64, 32}, {64, 32}, {64, 20}});
    EXPECT_TRUE(circle.FindBest({}).exact);
    const CassiniCircle::Rotation rough = circle.FindBest({8, 64 * 256, 3});
    EXPECT_FALSE(rough.exact);
    EXPECT_LE(rough.score, circle.FindBest({}).score + 1e-9);
    EXPECT_GE(rough.score, GetUnshifted(circle, 3));
}

TEST(CassiniCircleTest, CommonMultiples)
{
    EXPECT_EQ(CassiniCircle::GetCommonMultiple({40, 60, 90}, 1000), 360U);
    EXPECT_EQ(CassiniCircle::GetCommonMultiple({40, 60, 90}, 359), 0U);
}

} // namespace
} // namespace ns3
