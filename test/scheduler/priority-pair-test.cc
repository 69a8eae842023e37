/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/scheduler/crux/priority-pair.h"

#include "ns3/counter-random.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace ns3
{
namespace
{

constexpr int64_t SECOND = 1'000'000'000'000;

/// A job with times in whole seconds.
PeriodicJob
Seconds(double compute, double link, double startFraction)
{
    return {static_cast<int64_t>(compute * SECOND),
            static_cast<int64_t>(link * SECOND),
            startFraction};
}

/// k of the second job.
double
GetFactor(const PeriodicJob& first, const PeriodicJob& second)
{
    return PriorityPair(first, second).Measure(64, 40).GetFactor(10);
}

// Crux, section 4.2, example 1: J1 W=10, C=2, t=2; J2 W=5, C=1, t=1; no overlap; I = 5 both.
const PeriodicJob EX1_FIRST = Seconds(2, 2, 1);
const PeriodicJob EX1_SECOND = Seconds(1, 1, 1);
// Example 2: J1 W=10, C=4, t=1, 2 GPUs; J2 W=30, C=2, t=3, 12 GPUs; both communicate from half the
// compute on.
const PeriodicJob EX2_FIRST = Seconds(4, 1, 0.5);
const PeriodicJob EX2_SECOND = Seconds(2, 3, 0.5);

TEST(PriorityPairTest, ExampleOneInASteadyWindow)
{
    const PriorityPair pair(EX1_FIRST, EX1_SECOND);
    // 12 s. J1 first: 6 s and 3 s of link time; J2 first: 4 s and 6 s.
    const PriorityPair::LinkTimes first = pair.Run(false, 0, 24 * SECOND, 36 * SECOND);
    const PriorityPair::LinkTimes second = pair.Run(true, 0, 24 * SECOND, 36 * SECOND);
    EXPECT_EQ(first.first, 6 * SECOND);
    EXPECT_EQ(first.second, 3 * SECOND);
    EXPECT_EQ(second.first, 4 * SECOND);
    EXPECT_EQ(second.second, 6 * SECOND);
    // F = I S = 5 (6 + 3) = 45 and 5 (4 + 6) = 50; k_2 = (6 - 3) / (6 - 4).
    PriorityPair::Gain gain;
    gain.firstSeconds = 2;
    gain.secondSeconds = 3;
    gain.horizonSeconds = 12;
    EXPECT_EQ(gain.GetFactor(10), 1.5);
}

TEST(PriorityPairTest, ExampleOneOverAllPhases)
{
    // The paper's 1.5 is a steady window's; phases of a finite horizon give 1.48 to 1.49.
    EXPECT_NEAR(GetFactor(EX1_FIRST, EX1_SECOND), 1.49, 0.02);
}

TEST(PriorityPairTest, ExampleTwo)
{
    const PriorityPair pair(EX2_FIRST, EX2_SECOND);
    // Link time of J2 in 13 s: 2 s compute, then 3 s; idle 13 - computing.
    // J1 first: J1 has the link 2..3, 6..7, 10..11; J2 1..2, 3..5, then it computes 5..7, sends
    // 7..10, computes 10..12, sends 11..13.
    const PriorityPair::LinkTimes first = pair.Run(false, 0, 0, 13 * SECOND);
    EXPECT_EQ(first.first, 3 * SECOND);
    EXPECT_EQ(first.second, 8 * SECOND);
    // J2 first: J2 1..4, 5..8, 9..12; J1 4..5, 8..9 and 12..13.
    const PriorityPair::LinkTimes second = pair.Run(true, 0, 0, 13 * SECOND);
    EXPECT_EQ(second.second, 9 * SECOND);
    // The reference is J2, of more traffic: k_1 = 0.45 to 0.47, P_1 = 4.5 < P_2 = 10.
    EXPECT_NEAR(GetFactor(EX2_SECOND, EX2_FIRST), 0.46, 0.02);
}

TEST(PriorityPairTest, WhoCostsNothingGoesFirst)
{
    // Reference C=6, t=1, from half on; the other C=1.5, t=1, without overlap: the reference loses
    // nothing, the other 15.7 s of 240.
    const PriorityPair pair(Seconds(6, 1, 0.5), Seconds(1.5, 1, 1));
    const PriorityPair::Gain gain = pair.Measure(64, 40);
    EXPECT_EQ(gain.horizonSeconds, 240);
    EXPECT_NEAR(gain.secondSeconds, 15.7, 0.05);
    EXPECT_LT(gain.firstSeconds, 1e-6 * 240);
    EXPECT_EQ(gain.GetFactor(10), 10);
    EXPECT_EQ(gain.GetFactor(4), 4);
    EXPECT_EQ(GetFactor(Seconds(1.5, 1, 1), Seconds(6, 1, 0.5)), 0.1);
}

TEST(PriorityPairTest, RulesOfTheFactor)
{
    PriorityPair::Gain gain;
    gain.horizonSeconds = 1e6; // 10^-6 of it is 1 s
    const auto factor = [&gain](double first, double second) {
        gain.firstSeconds = first;
        gain.secondSeconds = second;
        return gain.GetFactor(10);
    };
    EXPECT_EQ(factor(0.5, 0.5), 1);
    EXPECT_EQ(factor(0.5, 2), 10);
    EXPECT_EQ(factor(2, 0.5), 0.1);
    EXPECT_EQ(factor(2, 3), 1.5);
    EXPECT_EQ(factor(2, 30), 10);
    EXPECT_EQ(factor(30, 2), 0.1);
    // To lose by going first is to gain nothing.
    EXPECT_EQ(factor(-2, -3), 1);
    EXPECT_EQ(factor(-2, 3), 10);
}

TEST(PriorityPairTest, EqualJobsAreEqual)
{
    // schedulers.md C7: under strict priority the loser is delayed once.
    const PeriodicJob job = Seconds(1, 1, 1);
    const PriorityPair pair(job, job);
    EXPECT_EQ(pair.Run(false, 0, 0, 20 * SECOND).first, 10 * SECOND);
    EXPECT_EQ(pair.Run(false, 0, 0, 20 * SECOND).second, 9 * SECOND);
    EXPECT_EQ(GetFactor(job, job), 1);
}

TEST(PriorityPairTest, LinkTimeIsConserved)
{
    for (uint64_t number = 0; number < 100; number++)
    {
        uint64_t count = 0;
        const auto random = [number, &count](int64_t low, int64_t high) {
            return low + static_cast<int64_t>(CounterRandom(5, number, count++) % (high - low + 1));
        };
        PeriodicJob jobs[2];
        for (PeriodicJob& job : jobs)
        {
            job = {random(0, 1000), random(1, 1000), static_cast<double>(random(0, 4)) / 4};
        }
        const PriorityPair pair(jobs[0], jobs[1]);
        const int64_t start = random(0, 1000);
        const auto whole = pair.Run(true, start, 0, 20000);
        const auto early = pair.Run(true, start, 0, 7000);
        const auto late = pair.Run(true, start, 7000, 20000);
        EXPECT_EQ(whole.first, early.first + late.first);
        EXPECT_EQ(whole.second, early.second + late.second);
        EXPECT_LE(whole.first + whole.second, 20000);
        // Who has priority runs as if alone: an iteration of link time each solo period.
        const int64_t iterations = (20000 - start) / jobs[1].GetSoloPeriod();
        EXPECT_GE(whole.second, iterations * jobs[1].linkPs);
        EXPECT_LE(whole.second, (iterations + 1) * jobs[1].linkPs);
    }
}

TEST(PriorityPairTest, TheHorizonIsBounded)
{
    // 40 s are 4 x 10^9 iterations of the other.
    const PriorityPair pair({SECOND, SECOND, 0}, {0, 10'000, 1});
    const PriorityPair::Gain gain = pair.Measure(2, 40);
    EXPECT_TRUE(gain.shortened);
    EXPECT_EQ(gain.horizonSeconds, 40000 * 10'000 * 1e-12);
    EXPECT_FALSE(PriorityPair(EX1_FIRST, EX1_SECOND).Measure(2, 40).shortened);
}

} // namespace
} // namespace ns3
