/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/counter-random.h"

#include <array>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Chi-square of counts that should be equal.
double
ChiSquare(const std::vector<uint64_t>& counts, double expected)
{
    double sum = 0;
    for (uint64_t count : counts)
    {
        sum += (count - expected) * (count - expected) / expected;
    }
    return sum;
}

} // namespace

TEST(CounterRandomTest, PhiloxGivesThePublishedVectors)
{
    // Random123 1.14, tests/kat_vectors, lines "philox2x64 10": counter, key, result.
    EXPECT_EQ(Philox2x64(0, 0, 0),
              (std::array<uint64_t, 2>{0xca00a0459843d731, 0x66c24222c9a845b5}));
    const uint64_t ones = ~uint64_t{0};
    EXPECT_EQ(Philox2x64(ones, ones, ones),
              (std::array<uint64_t, 2>{0x65b021d60cd8310f, 0x4d02f3222f86df20}));
    EXPECT_EQ(Philox2x64(0xa4093822299f31d0, 0x243f6a8885a308d3, 0x13198a2e03707344),
              (std::array<uint64_t, 2>{0x0a5e742c2997341c, 0xb0f883d38000de5d}));
    // The count is the first word of the counter, the stream the second, the seed the key.
    EXPECT_EQ(CounterRandom(0xa4093822299f31d0, 0x13198a2e03707344, 0x243f6a8885a308d3),
              0x0a5e742c2997341cU);
}

TEST(CounterRandomTest, HashNameIsFnv1a)
{
    // From the authors' test suite (RFC 9923, appendix).
    EXPECT_EQ(HashName(""), 0xcbf29ce484222325U);
    EXPECT_EQ(HashName("a"), 0xaf63dc4c8601ec8cU);
    EXPECT_EQ(HashName("foobar"), 0x85944171f73967e8U);
    // Bytes above 127 count as 128 to 255 whatever the sign of char:
    // (0xcbf29ce484222325 ^ 0xff) * 0x100000001b3 mod 2^64.
    EXPECT_EQ(HashName("\xff"), (0xcbf29ce484222325U ^ 0xffU) * 0x100000001b3U);
}

TEST(CounterRandomTest, DrawsDoNotDependOnTheOrderOfCalls)
{
    const uint64_t streams = 20;
    const uint64_t count = 50;
    std::vector<uint64_t> forward;
    std::vector<uint64_t> backward(streams * count);
    for (uint64_t s = 0; s < streams; s++)
    {
        for (uint64_t i = 0; i < count; i++)
        {
            forward.push_back(CounterRandom(7, s, i));
        }
    }
    for (uint64_t i = count; i-- > 0;)
    {
        for (uint64_t s = streams; s-- > 0;)
        {
            backward[s * count + i] = CounterRandom(7, s, i);
        }
    }
    EXPECT_EQ(forward, backward);
}

TEST(CounterRandomTest, SeedStreamAndCountAllMatter)
{
    // A bijection of (stream, count) for one seed: 64 of its 128 bits repeat among the
    // 3 x 50 x 50 = 7500 draws with probability 7500^2 / 2 / 2^64 = 1.5e-12.
    std::set<uint64_t> seen;
    for (uint64_t seed = 1; seed <= 3; seed++)
    {
        for (uint64_t stream = 0; stream < 50; stream++)
        {
            for (uint64_t i = 0; i < 50; i++)
            {
                seen.insert(CounterRandom(seed, stream, i));
            }
        }
    }
    EXPECT_EQ(seen.size(), 7500U);
    EXPECT_NE(CounterRandom(1, 2, 3), CounterRandom(1, 3, 2));
    EXPECT_NE(CounterRandom(1, 2, 3), CounterRandom(2, 1, 3));
}

TEST(CounterRandomTest, UniformWithinAStreamAndAcrossStreams)
{
    // Chi-square with 99 degrees of freedom: 0.1 % lie above 148.2, 0.1 % below 61.1.
    const int draws = 100000;
    for (uint64_t seed = 1; seed <= 3; seed++)
    {
        std::vector<uint64_t> within(100);
        std::vector<uint64_t> across(100);
        std::vector<uint64_t> pairs(100);
        for (int i = 0; i < draws; i++)
        {
            const double u = CounterUniform(seed, HashName("host3"), i);
            const double v = CounterUniform(seed, i, 0);
            ASSERT_GE(u, 0.0);
            ASSERT_LT(u, 1.0);
            within[static_cast<int>(u * 100)]++;
            across[static_cast<int>(v * 100)]++;
            const double w = CounterUniform(seed, HashName("host3"), i + 1);
            pairs[static_cast<int>(u * 10) * 10 + static_cast<int>(w * 10)]++;
        }
        for (const auto* counts : {&within, &across, &pairs})
        {
            const double chi = ChiSquare(*counts, draws / 100.0);
            EXPECT_GT(chi, 61.1) << "seed " << seed;
            EXPECT_LT(chi, 148.2) << "seed " << seed;
        }
    }
}

TEST(CounterRandomTest, EveryBitIsHalfOfTheTimeSet)
{
    // Standard deviation of a count is sqrt(100000) / 2 = 158; 5 of them are 791.
    std::array<int, 64> ones{};
    for (uint64_t i = 0; i < 100000; i++)
    {
        const uint64_t bits = CounterRandom(42, HashName("leaf0"), i);
        for (int b = 0; b < 64; b++)
        {
            ones[b] += bits >> b & 1;
        }
    }
    for (int b = 0; b < 64; b++)
    {
        EXPECT_NEAR(ones[b], 50000, 791) << "bit " << b;
    }
}

TEST(CounterRandomTest, NormalHasTheMomentsAndTails)
{
    const int draws = 200000;
    double sum = 0;
    double squares = 0;
    double cubes = 0;
    int beyondOne = 0;
    int beyondThree = 0;
    for (int i = 0; i < draws; i++)
    {
        const double x = CounterNormal(5, HashName("job0"), i);
        sum += x;
        squares += x * x;
        cubes += x * x * x;
        beyondOne += std::abs(x) > 1;
        beyondThree += std::abs(x) > 3;
    }
    // Five standard errors: 1, sqrt(2) and sqrt(15) over sqrt(200000), times 5.
    EXPECT_NEAR(sum / draws, 0, 0.0112);
    EXPECT_NEAR(squares / draws, 1, 0.0159);
    EXPECT_NEAR(cubes / draws, 0, 0.0433);
    // 31.731 % and 0.26998 %, within five of sqrt(n p (1 - p)) = 208 and 23.2.
    EXPECT_NEAR(beyondOne, 0.31731 * draws, 1041);
    EXPECT_NEAR(beyondThree, 0.0026998 * draws, 116);
}

TEST(CounterRandomTest, IsAConstantExpression)
{
    constexpr uint64_t draw = CounterRandom(1, HashName("spine1"), 0);
    static_assert(CounterUniform(1, HashName("spine1"), 0) < 1);
    EXPECT_EQ(draw, CounterRandom(1, HashName(std::string("spine") + "1"), 0));
}
