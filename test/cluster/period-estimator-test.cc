/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/cluster/period-estimator.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace ns3
{
namespace
{

constexpr int64_t US = 1'000'000; // [ps]

/// Samples per interval of a job that sends at rate 1 in the last part of each period.
std::vector<double>
MakeBursts(double periods, double period, double share)
{
    std::vector<double> samples;
    // Amount sent up to a time, in intervals.
    const auto sent = [=](double time) {
        const double whole = std::floor(time / period);
        const double rest = time - whole * period;
        return whole * share * period + std::max(0.0, rest - (1 - share) * period);
    };
    for (int i = 0; i + 1 <= periods * period; i++)
    {
        samples.push_back(sent(i + 1) - sent(i));
    }
    return samples;
}

TEST(PeriodEstimatorTest, CorrelationOfAnAlternation)
{
    // 0 1 0 1 ...: opposite at odd distances, equal at even ones.
    const std::vector<double> correlation =
        PeriodEstimator::Correlate({0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
    ASSERT_EQ(correlation.size(), 9U); // 0 to 2/3 x 12
    for (size_t lag = 0; lag < correlation.size(); lag++)
    {
        EXPECT_NEAR(correlation[lag], lag % 2 == 0 ? 1 : -1, 1e-12) << lag;
    }
}

TEST(PeriodEstimatorTest, BurstsOfAnyShareAndPeriod)
{
    for (const double period : {20.0, 33.3, 77.7, 200.0})
    {
        for (const double share : {0.1, 0.3, 0.5, 0.8})
        {
            for (const double periods : {2.0, 3.0, 7.0})
            {
                const int64_t found =
                    PeriodEstimator::Estimate(MakeBursts(periods, period, share), 100 * US);
                EXPECT_NEAR(static_cast<double>(found), period * 100 * US, 0.02 * period * 100 * US)
                    << period << " " << share << " " << periods;
            }
        }
    }
}

TEST(PeriodEstimatorTest, NoiseOfAFifthOfTheSignal)
{
    std::mt19937 random(1);
    // Sums of twelve, so that the results do not depend on a library's normal distribution.
    const auto draw = [&random] {
        double sum = -6;
        for (int i = 0; i < 12; i++)
        {
            sum += static_cast<double>(random()) / 4294967296.0;
        }
        return sum;
    };
    for (int run = 0; run < 50; run++)
    {
        std::vector<double> samples = MakeBursts(3, 195, 0.3);
        for (double& sample : samples)
        {
            sample += 0.2 * draw();
        }
        const int64_t found = PeriodEstimator::Estimate(samples, 100 * US);
        EXPECT_NEAR(static_cast<double>(found), 195 * 100 * US, 0.02 * 195 * 100 * US) << run;
    }
}

TEST(PeriodEstimatorTest, BurstsWithinAPeriodAreNotThePeriod)
{
    // Buckets of a backward pass: 5 bursts of 4 intervals, one each 8, in the last 40 of 60.
    std::vector<double> samples;
    for (int i = 0; i < 4 * 60; i++)
    {
        samples.push_back(i % 60 >= 20 && (i % 60 - 20) % 8 < 4 ? 1 : 0);
    }
    EXPECT_NEAR(PeriodEstimator::Estimate(samples, US) / static_cast<double>(US), 60, 0.5);
}

TEST(PeriodEstimatorTest, ManySamplesAreAddedUp)
{
    const std::vector<double> samples = MakeBursts(3, 30'000, 0.2);
    EXPECT_NEAR(PeriodEstimator::Estimate(samples, US) / static_cast<double>(US), 30'000, 30);
}

TEST(PeriodEstimatorTest, WhereThereIsNoneThereIsNone)
{
    EXPECT_EQ(PeriodEstimator::Estimate({}, US), 0);
    EXPECT_EQ(PeriodEstimator::Estimate({0, 1, 0, 1}, US), 0);
    EXPECT_EQ(PeriodEstimator::Estimate(std::vector<double>(100, 7), US), 0);
    std::mt19937 random(2);
    std::vector<double> noise(600);
    for (double& sample : noise)
    {
        sample = static_cast<double>(random());
    }
    // Of 200 samples or more a correlation of noise is 0 +- 1/14, peaks begin at 0.3.
    EXPECT_EQ(PeriodEstimator::Estimate(noise, US), 0);
}

} // namespace
} // namespace ns3
