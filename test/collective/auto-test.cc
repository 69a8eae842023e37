/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/collective/algorithms/auto-collective.h"
#include "../fixture/collective-fixture.h"

#include "ns3/double.h"
#include "ns3/string.h"

using namespace ns3;

namespace
{

CollectiveLayout
MakeHosts(uint32_t hosts)
{
    CollectiveLayout layout = MakeEvenLayout(hosts, 8, 4);
    layout.nicRateBps = 100'000'000'000;
    return layout;
}

CollectiveCall
MakeCall(CollectiveOperation operation, uint64_t bytes)
{
    return {operation, bytes, 0, {}};
}

} // namespace

TEST(AutoCollectiveTest, ExpectedTimesAreTheTuners)
{
    const Ptr<AutoCollective> tuner = CreateObject<AutoCollective>();
    // 16 hosts of 8 GPUs, 4 NICs of 100 Gb/s, 1 KB. LL is the better protocol of both.
    // Tree: 4.4 + 2 (7 * .52 * 1.8 + 4 * 5.0) = 57.504 us; bandwidth 400 Gb/s * .9 / 3.8 / 2 at
    // factor .9 (2^4 * 64 B): 42.632 Gb/s, 8000 bit / it = .187652 us.
    EXPECT_NEAR(tuner->GetExpectedTime(1024, MakeHosts(16), 4, true),
                57.504 + 8192 / 42'631.579,
                1e-6);
    // Ring: 3.6 + (254 - 30) * .47 * 1.8 + 30 * 2.7 = 274.104 us; 400 Gb/s / 4 * 128/254.
    EXPECT_NEAR(tuner->GetExpectedTime(1024, MakeHosts(16), 4, false),
                274.104 + 8192 / (100'000.0 * 128 / 254),
                1e-6);
    // 1 GB: Simple. Ring: (8.4 + 224 * 3.4 + 30 * 9.6) * 1.9 + 8e9 / (400,000 * 128/254).
    EXPECT_NEAR(tuner->GetExpectedTime(1'000'000'000, MakeHosts(16), 4, false),
                (8.4 + 224 * 3.4 + 30 * 9.6) * 1.9 + 8e9 / (400'000.0 * 128 / 254),
                1e-3);
    // Tree: 2 (7 * 28 + 4 * 50) + 8e9 / (400,000 * .45); beyond the table of factors.
    EXPECT_NEAR(tuner->GetExpectedTime(1'000'000'000, MakeHosts(16), 4, true),
                2 * (7 * 28 + 4 * 50) + 8e9 / (400'000.0 * 0.45),
                1e-3);
}

TEST(AutoCollectiveTest, TreesForSmallAndRingsForLarge)
{
    const Ptr<AutoCollective> tuner = CreateObject<AutoCollective>();
    uint64_t last = 0;
    for (uint32_t hosts : {2U, 4U, 16U, 64U})
    {
        const CollectiveLayout layout = MakeHosts(hosts);
        const auto choose = [&](uint64_t bytes) {
            return tuner->Choose(MakeCall(CollectiveOperation::ALL_REDUCE, bytes), layout, 4);
        };
        // Not one change only: the plateau of the ring begins within the range of the tree.
        EXPECT_EQ(choose(64), "Tree") << hosts;
        EXPECT_EQ(choose(uint64_t{1} << 34), "Ring") << hosts;
        uint64_t largest = 0;
        for (uint64_t bytes = 64; bytes <= uint64_t{1} << 34; bytes *= 2)
        {
            largest = choose(bytes) == "Tree" ? bytes : largest;
        }
        // Trees gain with the number of hosts: log2 h hops instead of h.
        EXPECT_GT(largest, last) << hosts;
        last = largest;
    }
}

// Without latencies and at equal bandwidths the two take equally long but for rounding, at any
// size.
TEST(AutoCollectiveTest, EqualTimesAreARingsAtAnySize)
{
    for (const uint32_t hosts : {3U, 7U, 11U})
    {
        const Ptr<AutoCollective> tuner = CreateObject<AutoCollective>();
        for (const char* part : {"RingSimpleBase",
                                 "RingSimpleIntra",
                                 "RingSimpleInter",
                                 "TreeSimpleBase",
                                 "TreeSimpleIntra",
                                 "TreeSimpleInter"})
        {
            tuner->SetAttribute(part, TimeValue(Time(0)));
        }
        const CollectiveLayout layout = MakeHosts(hosts);
        const auto ranks = static_cast<double>(layout.ranks.size());
        tuner->SetAttribute("TreeShare", DoubleValue(ranks / (ranks - 1) / 0.7));
        tuner->SetAttribute(
            "TreeFactorsSimple",
            StringValue(".7 .7 .7 .7 .7 .7 .7 .7 .7 .7 .7 .7 .7 .7 .7 .7 .7 .7 .7 .7 .7 .7"));
        uint32_t apart = 0;
        for (uint64_t k = 0; k < 400; ++k)
        {
            const uint64_t bytes = 1'000'000 + k * k * 1'601;
            const auto call = MakeCall(CollectiveOperation::ALL_REDUCE, bytes);
            apart += tuner->GetExpectedTime(bytes, layout, 4, true) !=
                     tuner->GetExpectedTime(bytes, layout, 4, false);
            ASSERT_EQ(tuner->Choose(call, layout, 4), "Ring") << bytes;
        }
        // Rounding tells them apart for most sizes, otherwise this would show nothing.
        EXPECT_GT(apart, 50U) << hosts;
    }
}

TEST(AutoCollectiveTest, OtherOperationsTakeWhatNcclTakes)
{
    const Ptr<AutoCollective> tuner = CreateObject<AutoCollective>();
    const CollectiveLayout layout = MakeHosts(2);
    for (const auto& [operation, name] :
         std::map<CollectiveOperation, std::string>{{CollectiveOperation::ALL_GATHER, "Ring"},
                                                    {CollectiveOperation::REDUCE_SCATTER, "Ring"},
                                                    {CollectiveOperation::BROADCAST, "Ring"},
                                                    {CollectiveOperation::REDUCE, "Ring"},
                                                    {CollectiveOperation::ALL_TO_ALL, "Direct"}})
    {
        EXPECT_EQ(tuner->Choose(MakeCall(operation, 1000), layout, 4), name);
        EXPECT_EQ(tuner->Build(MakeCall(operation, 1000), layout, 4).algorithm, name);
    }
}

TEST(AutoCollectiveTest, EveryConstantCanBeSet)
{
    const Ptr<AutoCollective> tuner = CreateObject<AutoCollective>();
    const CollectiveCall call = MakeCall(CollectiveOperation::ALL_REDUCE, 1024);
    EXPECT_EQ(tuner->Choose(call, MakeHosts(16), 4), "Tree");
    tuner->SetAttribute("TreeLlInter", TimeValue(MicroSeconds(500)));
    tuner->SetAttribute("TreeSimpleInter", TimeValue(MicroSeconds(500)));
    EXPECT_EQ(tuner->Choose(call, MakeHosts(16), 4), "Ring");
    TimeValue value;
    tuner->GetAttribute("TreeLlInter", value);
    EXPECT_EQ(value.Get(), MicroSeconds(500));
    // A rate of its own instead of that of the NICs: 1 Gb/s on each of 4 NICs.
    tuner->SetAttribute("Bandwidth", StringValue("1Gbps"));
    EXPECT_NEAR(tuner->GetExpectedTime(1024, MakeHosts(16), 4, false),
                274.104 + 8192 / (1000.0 * 128 / 254),
                1e-6);
}
