/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/path-selector.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace ns3
{

namespace
{

/// Chi-square of counts against a uniform distribution.
double
ChiSquare(const std::vector<uint32_t>& counts)
{
    double total = 0;
    for (uint32_t count : counts)
    {
        total += count;
    }
    double expected = total / counts.size();
    double sum = 0;
    for (uint32_t count : counts)
    {
        sum += (count - expected) * (count - expected) / expected;
    }
    return sum;
}

/// A value that chi-square with k - 1 degrees of freedom exceeds with probability 1 in 10,000
/// (Wilson and Hilferty's approximation, 3.719 standard deviations).
double
Limit(size_t k)
{
    double n = k - 1;
    double cube = 1 - 2 / (9 * n) + 3.719 * std::sqrt(2 / (9 * n));
    return n * cube * cube * cube;
}

uint64_t
SeedOf(uint32_t node)
{
    return MixBits(0x9e3779b97f4a7c15ull + node + 1);
}

} // namespace

TEST(EcmpPathSelectorTest, UniformOverSourcePorts)
{
    auto selector = CreateObject<EcmpPathSelector>();
    for (uint32_t count : {2u, 3u, 4u, 7u, 16u, 64u})
    {
        std::vector<uint32_t> counts(count, 0);
        for (uint32_t port = 49'152; port < 65'536; ++port)
        {
            uint32_t choice = selector->Select(HashFiveTuple(0, 30, port), SeedOf(40), count);
            ASSERT_LT(choice, count);
            ++counts[choice];
        }
        EXPECT_LT(ChiSquare(counts), Limit(count)) << count << " paths";
    }
}

TEST(EcmpPathSelectorTest, UniformOverHosts)
{
    // Neighbouring NIC ids with one source port: what a job's flows look like.
    auto selector = CreateObject<EcmpPathSelector>();
    std::vector<uint32_t> counts(8, 0);
    for (uint32_t source = 0; source < 200; source += 2)
    {
        for (uint32_t destination = 0; destination < 200; destination += 2)
        {
            ++counts[selector->Select(HashFiveTuple(source, destination, 50'000), SeedOf(3), 8)];
        }
    }
    EXPECT_LT(ChiSquare(counts), Limit(8));
}

TEST(EcmpPathSelectorTest, TwoStagesChooseIndependently)
{
    // Polarisation would leave most of the 64 combinations empty.
    auto selector = CreateObject<EcmpPathSelector>();
    for (uint32_t second = 1; second < 20; ++second)
    {
        std::vector<uint32_t> counts(64, 0);
        for (uint32_t port = 49'152; port < 65'536; ++port)
        {
            uint64_t hash = HashFiveTuple(2, 90, port);
            ++counts[selector->Select(hash, SeedOf(0), 8) * 8 +
                     selector->Select(hash, SeedOf(second), 8)];
        }
        EXPECT_LT(ChiSquare(counts), Limit(64)) << "switches 0 and " << second;
    }
}

TEST(EcmpPathSelectorTest, ThreeStagesChooseIndependently)
{
    auto selector = CreateObject<EcmpPathSelector>();
    std::vector<uint32_t> counts(64, 0);
    for (uint32_t port = 1; port < 65'536; ++port)
    {
        uint64_t hash = HashFiveTuple(7, 8, port);
        ++counts[selector->Select(hash, SeedOf(1), 4) * 16 +
                 selector->Select(hash, SeedOf(2), 4) * 4 + selector->Select(hash, SeedOf(3), 4)];
    }
    EXPECT_LT(ChiSquare(counts), Limit(64));
}

TEST(EcmpPathSelectorTest, HashTellsEveryFieldApart)
{
    // Injective on a sample, and each field alone changes about half of the bits.
    std::set<uint64_t> hashes;
    for (uint32_t source = 0; source < 32; ++source)
    {
        for (uint32_t destination = 0; destination < 32; ++destination)
        {
            for (uint32_t port = 49'152; port < 49'152 + 32; ++port)
            {
                hashes.insert(HashFiveTuple(source, destination, port));
            }
        }
    }
    EXPECT_EQ(hashes.size(), 32u * 32u * 32u);
    double bits[3] = {0, 0, 0};
    const uint32_t samples = 2000;
    for (uint32_t i = 0; i < samples; ++i)
    {
        uint64_t base = HashFiveTuple(i, i + 5, 50'000 + i);
        bits[0] += __builtin_popcountll(base ^ HashFiveTuple(i + 1, i + 5, 50'000 + i));
        bits[1] += __builtin_popcountll(base ^ HashFiveTuple(i, i + 6, 50'000 + i));
        bits[2] += __builtin_popcountll(base ^ HashFiveTuple(i, i + 5, 50'001 + i));
    }
    for (double sum : bits)
    {
        // 64 fair coins: mean 32, standard deviation 4; of 2,000 samples 0.09.
        EXPECT_NEAR(sum / samples, 32.0, 0.45);
    }
    // Direction matters: acknowledgements may take another path.
    EXPECT_NE(HashFiveTuple(1, 2, 50'000), HashFiveTuple(2, 1, 50'000));
}

TEST(EcmpPathSelectorTest, CollisionsFollowTheBirthdayFormula)
{
    // m flows over n paths: P(no collision) = n! / ((n-m)! n^m). 4 over 4: .09375; 4 over 8: .4102.
    auto selector = CreateObject<EcmpPathSelector>();

    struct Row
    {
        uint32_t flows;
        uint32_t paths;
        double expected;
        double maxLoad;
    };

    for (const Row& row : {Row{2, 2, 0.5, 1.5},
                           Row{4, 4, 0.09375, 2.125},
                           Row{4, 8, 0.4102, 1.648},
                           Row{8, 16, 0.1208, 2.063}})
    {
        const uint32_t trials = 20'000;
        uint32_t free = 0;
        uint64_t load = 0;
        for (uint32_t trial = 0; trial < trials; ++trial)
        {
            std::vector<uint32_t> counts(row.paths, 0);
            uint32_t most = 0;
            for (uint32_t flow = 0; flow < row.flows; ++flow)
            {
                uint64_t hash = HashFiveTuple(2 * flow, 100, 1 + trial);
                most = std::max(most, ++counts[selector->Select(hash, SeedOf(9), row.paths)]);
            }
            free += most == 1;
            load += most;
        }
        // Four standard deviations of a proportion of 20,000, and of a load whose own is below 0.7.
        double sigma = std::sqrt(row.expected * (1 - row.expected) / trials);
        EXPECT_NEAR(free / double(trials), row.expected, 4 * sigma + 0.00005);
        EXPECT_NEAR(load / double(trials), row.maxLoad, 4 * 0.7 / std::sqrt(trials) + 0.0005);
    }
}

} // namespace ns3
