/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/ecn-marker.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

namespace ns3
{

namespace
{

constexpr uint64_t G = 1'000'000'000;
constexpr double ONE = 4294967296.0; // 2^32

double
Probability(Ptr<RedEcnMarker> marker, uint32_t queue, uint64_t rate)
{
    return marker->GetMarkProbability(queue, rate) / ONE;
}

} // namespace

TEST(RedEcnMarkerTest, Profile)
{
    // Defaults: 400 / 1600 KB / 0.2 at 100 Gb/s.
    auto marker = CreateObject<RedEcnMarker>();
    EXPECT_EQ(marker->GetUnmarkedBytes(100 * G), 400'000u);
    EXPECT_EQ(marker->GetMarkProbability(0, 100 * G), 0u);
    EXPECT_EQ(marker->GetMarkProbability(399'999, 100 * G), 0u);
    EXPECT_EQ(marker->GetMarkProbability(400'000, 100 * G), 0u);
    EXPECT_NEAR(Probability(marker, 400'001, 100 * G), 0.2 / 1.2e6, 1e-9);
    EXPECT_NEAR(Probability(marker, 1'000'000, 100 * G), 0.1, 1e-9);
    EXPECT_NEAR(Probability(marker, 1'600'000, 100 * G), 0.2, 1e-9);
    EXPECT_EQ(marker->GetMarkProbability(1'600'001, 100 * G), uint64_t{1} << 32);
    EXPECT_EQ(marker->GetMarkProbability(UINT32_MAX, 100 * G), uint64_t{1} << 32);
}

TEST(RedEcnMarkerTest, ThresholdsScaleWithTheRate)
{
    // 100/400 KB at 25G, 400/1600 KB at 100G, 1600/6400 KB at 400G.
    auto marker = CreateObject<RedEcnMarker>();
    for (uint64_t rate : {25 * G, 100 * G, 400 * G})
    {
        auto kmin = static_cast<uint32_t>(4'000 * (rate / G));
        EXPECT_EQ(marker->GetUnmarkedBytes(rate), kmin);
        EXPECT_EQ(marker->GetMarkProbability(kmin, rate), 0u);
        EXPECT_NEAR(Probability(marker, 4 * kmin, rate), 0.2, 1e-9);
        EXPECT_EQ(Probability(marker, 4 * kmin + 1, rate), 1.0);
    }
    marker->SetAttribute("ReferenceRate", UintegerValue(0));
    marker->SetAttribute("Kmin", UintegerValue(400'000));
    marker->SetAttribute("Kmax", UintegerValue(1'600'000));
    EXPECT_EQ(marker->GetUnmarkedBytes(400 * G), 400'000u);
    EXPECT_NEAR(Probability(marker, 1'000'000, 25 * G), 0.1, 1e-9);
}

TEST(RedEcnMarkerTest, PaperValues)
{
    // DCQCN at 40 Gb/s: 5 KB, 200 KB, 1 %.
    auto marker = CreateObject<RedEcnMarker>();
    marker->SetAttribute("Kmin", UintegerValue(5'000));
    marker->SetAttribute("Kmax", UintegerValue(200'000));
    marker->SetAttribute("Pmax", DoubleValue(0.01));
    marker->SetAttribute("ReferenceRate", UintegerValue(40 * G));
    // The fluid model's fixed points: 20.2 KB at .00078, 41.8 KB at .00189, 93.8 KB at .00455.
    EXPECT_NEAR(Probability(marker, 20'200, 40 * G), 0.00078, 0.000005);
    EXPECT_NEAR(Probability(marker, 41'800, 40 * G), 0.00189, 0.000005);
    EXPECT_NEAR(Probability(marker, 93'800, 40 * G), 0.00455, 0.000005);
}

TEST(RedEcnMarkerTest, NothingIsMarkedUpToTheUnmarkedBytes)
{
    // The fabric asks for a probability only above this; below it must be 0, whatever the rate.
    auto marker = CreateObject<RedEcnMarker>();
    for (uint64_t rate = 1 * G; rate < 1600 * G; rate = rate * 7 / 5)
    {
        uint32_t unmarked = marker->GetUnmarkedBytes(rate);
        EXPECT_EQ(marker->GetMarkProbability(unmarked, rate), 0u) << rate;
        EXPECT_GT(marker->GetMarkProbability(unmarked + 2, rate), 0u) << rate;
    }
}

TEST(RedEcnMarkerTest, StepAndDisabled)
{
    auto marker = CreateObject<RedEcnMarker>();
    marker->SetAttribute("Kmax", UintegerValue(400'000));
    EXPECT_EQ(marker->GetMarkProbability(399'999, 100 * G), 0u);
    EXPECT_EQ(marker->GetMarkProbability(400'001, 100 * G), uint64_t{1} << 32);
    marker->SetAttribute("Enabled", BooleanValue(false));
    EXPECT_EQ(marker->GetUnmarkedBytes(100 * G), UINT32_MAX);
    EXPECT_EQ(marker->GetMarkProbability(UINT32_MAX, 100 * G), 0u);
    // Thresholds beyond 4 GB do not wrap.
    marker->SetAttribute("Enabled", BooleanValue(true));
    marker->SetAttribute("Kmin", UintegerValue(10'000'000'000));
    EXPECT_EQ(marker->GetUnmarkedBytes(100 * G), UINT32_MAX - 1);
    EXPECT_EQ(marker->GetMarkProbability(UINT32_MAX, 100 * G), 0u);
}

TEST(RedEcnMarkerTest, AttributesBeatTheProfile)
{
    // DCQCN's at 40 Gb/s: 5 and 200 KB, 1 %; at 100 Gb/s 12.5 and 500 KB.
    auto marker = CreateObject<RedEcnMarker>();
    marker->SetProfile({5'000, 200'000, 0.01, 40 * G});
    EXPECT_EQ(marker->GetUnmarkedBytes(40 * G), 5'000u);
    EXPECT_EQ(marker->GetUnmarkedBytes(100 * G), 12'500u);
    EXPECT_NEAR(Probability(marker, 500'000, 100 * G), 0.01, 1e-9);
    EXPECT_EQ(Probability(marker, 500'001, 100 * G), 1.0);
    EXPECT_EQ(marker->GetPresetValues().size(), 3u);
    // Each of them alone; those that are set hold at ReferenceRate, 100 Gb/s, or at every rate.
    marker->SetAttribute("Kmin", UintegerValue(100'000));
    EXPECT_EQ(marker->GetUnmarkedBytes(40 * G), 40'000u);
    EXPECT_NEAR(Probability(marker, 200'000, 40 * G), 0.01, 1e-9);
    marker->SetAttribute("Pmax", DoubleValue(0.5));
    EXPECT_NEAR(Probability(marker, 200'000, 40 * G), 0.5, 1e-9);
    marker->SetAttribute("ReferenceRate", UintegerValue(0));
    EXPECT_EQ(marker->GetUnmarkedBytes(40 * G), 100'000u);
    EXPECT_EQ(Probability(marker, 200'001, 40 * G), 1.0);
    EXPECT_EQ(marker->GetPresetValues().size(), 1u);
}

} // namespace ns3
