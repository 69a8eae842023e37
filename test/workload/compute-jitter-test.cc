/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/workload/program/compute-jitter.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

using namespace ns3;

TEST(ComputeJitterTest, IsAPureFunctionOfItsNames)
{
    const int64_t duration = 1'000'000'000;
    const ComputeJitter jitter(1, "gpt", 3, 0.01, true);
    const int64_t first = jitter.Apply(duration, 5, 2);
    jitter.Apply(duration, 6, 0);
    EXPECT_EQ(jitter.Apply(duration, 5, 2), first);
    EXPECT_EQ(ComputeJitter(1, "gpt", 3, 0.01, true).Apply(duration, 5, 2), first);
    // Anything else gives another factor.
    std::set<int64_t> others{first,
                             jitter.Apply(duration, 5, 3),
                             jitter.Apply(duration, 6, 2),
                             ComputeJitter(2, "gpt", 3, 0.01, true).Apply(duration, 5, 2),
                             ComputeJitter(1, "gpt", 4, 0.01, true).Apply(duration, 5, 2),
                             ComputeJitter(1, "bert", 3, 0.01, true).Apply(duration, 5, 2)};
    EXPECT_EQ(others.size(), 6u);
}

TEST(ComputeJitterTest, ScopeJobIsTheSameOnAllRanks)
{
    const ComputeJitter zero(1, "gpt", 0, 0.1, false);
    const ComputeJitter seven(1, "gpt", 7, 0.1, false);
    EXPECT_EQ(zero.Apply(1'000'000, 9, 1), seven.Apply(1'000'000, 9, 1));
}

TEST(ComputeJitterTest, NoneWithoutVariation)
{
    EXPECT_EQ(ComputeJitter(1, "gpt", 0, 0, true).Apply(12'345, 1, 1), 12'345);
    EXPECT_EQ(ComputeJitter(1, "gpt", 0, 0.5, true).Apply(0, 1, 1), 0);
}

TEST(ComputeJitterTest, HasTheMomentsAskedFor)
{
    const double cv = 0.1;
    const ComputeJitter jitter(3, "gpt", 0, cv, true);
    const int draws = 20'000;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < draws; i++)
    {
        const double factor =
            static_cast<double>(jitter.Apply(1'000'000'000, static_cast<uint64_t>(i), 0)) / 1e9;
        sum += factor;
        squares += factor * factor;
    }
    const double mean = sum / draws;
    const double deviation = std::sqrt(squares / draws - mean * mean);
    // Standard errors: cv / sqrt(20,000) = 0.0007 of the mean, about 0.0005 of the deviation;
    // tolerances of five of them.
    EXPECT_NEAR(mean, 1, 0.0035);
    EXPECT_NEAR(deviation, cv, 0.0027);
}
