/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/collective/algorithms/direct-collective.h"
#include "../../model/collective/algorithms/halving-doubling-collective.h"
#include "../../model/collective/algorithms/hierarchical-collective.h"
#include "../../model/collective/algorithms/pairwise-collective.h"
#include "../../model/collective/algorithms/ring-collective.h"
#include "../../model/collective/algorithms/tree-collective.h"
#include "../fixture/collective-fixture.h"

#include "ns3/uinteger.h"

#include <numeric>

using namespace ns3;

namespace
{

constexpr CollectiveOperation ALL_REDUCE = CollectiveOperation::ALL_REDUCE;
constexpr CollectiveOperation ALL_GATHER = CollectiveOperation::ALL_GATHER;
constexpr CollectiveOperation REDUCE_SCATTER = CollectiveOperation::REDUCE_SCATTER;
constexpr CollectiveOperation BROADCAST = CollectiveOperation::BROADCAST;
constexpr CollectiveOperation REDUCE = CollectiveOperation::REDUCE;
constexpr CollectiveOperation ALL_TO_ALL = CollectiveOperation::ALL_TO_ALL;
constexpr uint64_t MIB = 1 << 20;

CollectiveCall
MakeCall(CollectiveOperation operation, uint64_t bytes, uint32_t root = 0)
{
    return {operation, bytes, root, {}};
}

uint64_t
Sum(const std::vector<uint64_t>& values)
{
    return std::accumulate(values.begin(), values.end(), uint64_t{0});
}

} // namespace

TEST(CollectiveAlgorithmsTest, EveryAlgorithmIsProvedOnEveryLayout)
{
    // Layouts of 1 to 17 ranks, 1 to 3 channels, two roots.
    for (const std::string& name : CollectiveAlgorithm::GetNames())
    {
        const Ptr<CollectiveAlgorithm> algorithm = CollectiveAlgorithm::Create(name);
        uint32_t count = 0;
        for (CollectiveOperation operation : GetCollectiveOperations())
        {
            if (operation != CollectiveOperation::SEND_RECEIVE)
            {
                count += ProveOnManyLayouts(*algorithm, operation, 1000);
                count += algorithm->DependsOnBytes(operation)
                             ? ProveOnManyLayouts(*algorithm, operation, 3 * MIB)
                             : 0;
            }
        }
        EXPECT_TRUE(count > 0 || name == "Msccl" || name == "Taccl") << name;
    }
}

TEST(CollectiveAlgorithmsTest, WhatEachCanDo)
{
    const CollectiveLayout layout = MakeEvenLayout(2, 4, 2);
    const std::map<std::string, std::string> expected{
        {"Ring", "all-reduce all-gather reduce-scatter broadcast reduce "},
        {"Tree", "all-reduce broadcast reduce "},
        {"HalvingDoubling", "all-reduce all-gather reduce-scatter "},
        {"Hierarchical", "all-reduce all-gather reduce-scatter "},
        {"Pairwise", "all-to-all "},
        {"Direct", "all-reduce all-gather reduce-scatter broadcast reduce all-to-all "}};
    for (const auto& [name, operations] : expected)
    {
        const Ptr<CollectiveAlgorithm> algorithm = CollectiveAlgorithm::Create(name);
        ASSERT_TRUE(algorithm) << name;
        std::string can;
        for (CollectiveOperation operation : GetCollectiveOperations())
        {
            const std::string reason =
                algorithm->GetUnsupportedReason(MakeCall(operation, 1000), layout);
            if (operation == CollectiveOperation::SEND_RECEIVE)
            {
                continue;
            }
            if (reason.empty())
            {
                can += std::string(GetCollectiveOperationName(operation)) + " ";
            }
            else
            {
                EXPECT_EQ(reason, name + " cannot do " + GetCollectiveOperationName(operation));
            }
        }
        EXPECT_EQ(can, operations) << name;
    }
}

TEST(CollectiveAlgorithmsTest, ChainSendsTheBufferOnceAnEdge)
{
    const uint64_t bytes = 6 * MIB;
    const uint32_t n = 8;
    RingCollective ring;
    for (CollectiveOperation operation : {BROADCAST, REDUCE})
    {
        // 3 MiB a channel are 6 pieces of 512 KiB.
        const CollectiveSchedule schedule =
            BuildProved(ring, MakeCall(operation, bytes, 3), MakeEvenLayout(2, 4, 2), 2);
        EXPECT_EQ(schedule.chunks, 12u);
        EXPECT_EQ(GetStepCount(schedule), n - 1);
        const std::vector<uint64_t> egress = GetEgress(schedule, bytes);
        EXPECT_EQ(Sum(egress), (n - 1) * bytes);
        EXPECT_EQ(*std::max_element(egress.begin(), egress.end()), bytes);
    }
    // On one channel: n-1 hops, pieces one after the other: (pieces + n - 2) / pieces * S.
    const CollectiveSchedule chain =
        BuildProved(ring, MakeCall(BROADCAST, bytes, 3), MakeEvenLayout(8, 1, 1), 1);
    EXPECT_EQ(UnitLinkRun(chain, bytes).GetEnd(), static_cast<int64_t>((12 + 8 - 2) * bytes / 12));
}

TEST(CollectiveAlgorithmsTest, TwoTreesAreNccls)
{
    // As drawn in NCCL's src/graph/trees.cc for 14 nodes: parents of 0 to 13.
    const uint32_t none = CollectiveCall::NOBODY;
    const std::vector<uint32_t> first{none, 2, 4, 2, 8, 6, 4, 6, 0, 10, 12, 10, 8, 12};
    for (uint32_t node = 0; node < 14; node++)
    {
        EXPECT_EQ(TreeCollective::GetParent(14, node, 0), first[node]) << node;
        // Even number of nodes: the second is the mirror image.
        const uint32_t mirrored = first[13 - node];
        EXPECT_EQ(TreeCollective::GetParent(14, node, 1), mirrored == none ? none : 13 - mirrored);
    }
    for (uint32_t nodes = 1; nodes <= 64; nodes++)
    {
        std::vector<uint32_t> children[2] = {std::vector<uint32_t>(nodes),
                                             std::vector<uint32_t>(nodes)};
        for (uint32_t tree = 0; tree < 2; tree++)
        {
            uint32_t roots = 0;
            for (uint32_t node = 0; node < nodes; node++)
            {
                uint32_t hops = 0;
                uint32_t up = node;
                for (; TreeCollective::GetParent(nodes, up, tree) != none; hops++)
                {
                    up = TreeCollective::GetParent(nodes, up, tree);
                    ASSERT_LE(hops, nodes);
                }
                // A binary tree: at most ceil(log2 n) below the root.
                EXPECT_LE(uint64_t{1} << hops, 2 * nodes - 1);
                const uint32_t parent = TreeCollective::GetParent(nodes, node, tree);
                roots += parent == none;
                if (parent != none)
                {
                    children[tree][parent]++;
                }
            }
            EXPECT_EQ(roots, 1u);
        }
        for (uint32_t node = 0; node < nodes; node++)
        {
            EXPECT_LE(children[0][node], 2u);
            EXPECT_LE(children[1][node], 2u);
            // An inner node of one is a leaf of the other.
            if (nodes % 2 == 0)
            {
                EXPECT_TRUE(children[0][node] == 0 || children[1][node] == 0);
            }
        }
    }
}

TEST(CollectiveAlgorithmsTest, TreeSendsTwiceTheBufferForEveryRankButOne)
{
    TreeCollective tree;
    const uint64_t bytes = 4 * MIB;
    for (uint32_t n : {2U, 3U, 7U, 8U, 16U})
    {
        const CollectiveLayout layout = MakeEvenLayout(n, 1, 1);
        const CollectiveSchedule schedule =
            BuildProved(tree, MakeCall(ALL_REDUCE, bytes), layout, 1);
        // 4 MiB on 2 trees in pieces of 512 KiB: 2 * 4.
        EXPECT_EQ(schedule.chunks, 8u);
        const std::vector<uint64_t> egress = GetEgress(schedule, bytes);
        EXPECT_EQ(Sum(egress), 2 * (n - 1) * bytes);
        if (n % 2 == 0)
        {
            // Leaf of one tree, S/2 up; inner node of the other, S/2 up and S/2 to each of two.
            EXPECT_LE(*std::max_element(egress.begin(), egress.end()), 2 * bytes);
        }
        for (CollectiveOperation operation : {BROADCAST, REDUCE})
        {
            for (uint32_t root : {0U, n - 1})
            {
                const CollectiveSchedule rooted =
                    BuildProved(tree, MakeCall(operation, bytes, root), layout, 1);
                EXPECT_EQ(Sum(GetEgress(rooted, bytes)), (n - 1) * bytes);
                if (operation == BROADCAST)
                {
                    // Half of the buffer to each of two trees.
                    EXPECT_EQ(GetEgress(rooted, bytes)[root], bytes);
                }
            }
        }
    }
    // 8 hosts: node 4's two children are 2 and 6, theirs 1, 3, 5, 7; the root is 0: 3 hops from 1
    // to 0 and back.
    const CollectiveSchedule eight =
        BuildProved(tree, MakeCall(ALL_REDUCE, 1000), MakeEvenLayout(8, 1, 1), 1);
    EXPECT_EQ(GetStepCount(eight), 6u);
    // With 4 GPUs a host a chain of 3 more hops each way.
    EXPECT_EQ(
        GetStepCount(BuildProved(tree, MakeCall(ALL_REDUCE, 1000), MakeEvenLayout(8, 4, 1), 1)),
        12u);
}

TEST(CollectiveAlgorithmsTest, TreePipelines)
{
    // 8 hosts, P pieces a tree of S/2: a piece takes 3 hops up and 3 down, and a node's link to
    // its parent or child carries at most both trees' pieces, 2 of S/2/P each way a piece time.
    Ptr<TreeCollective> tree = CreateObject<TreeCollective>();
    tree->SetAttribute("PieceBytes", UintegerValue(1000));
    const uint64_t bytes = 64'000;
    const CollectiveSchedule schedule =
        BuildProved(*tree, MakeCall(ALL_REDUCE, bytes), MakeEvenLayout(8, 1, 1), 1);
    EXPECT_EQ(schedule.chunks, 64u);
    const UnitLinkRun run(schedule, bytes);
    // Unpipelined: 6 hops of S/2. Pipelined: the busiest link plus 6 hops of a piece.
    EXPECT_LE(run.GetEnd(), static_cast<int64_t>(run.GetMaxLinkBytes() + 6 * 1000));
    EXPECT_GE(run.GetEnd(), static_cast<int64_t>(run.GetMaxLinkBytes()));
}

TEST(CollectiveAlgorithmsTest, HalvingDoublingTakesLogarithmicSteps)
{
    HalvingDoublingCollective algorithm;
    for (uint32_t logarithm = 1; logarithm <= 4; logarithm++)
    {
        const uint32_t p = 1 << logarithm;
        const uint64_t bytes = 2 * p * 1000;
        const CollectiveLayout layout = MakeEvenLayout(p, 1, 1);
        for (CollectiveOperation operation : {ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER})
        {
            const uint32_t rounds = operation == ALL_REDUCE ? 2 : 1;
            const CollectiveSchedule schedule =
                BuildProved(algorithm, MakeCall(operation, bytes), layout, 2);
            EXPECT_EQ(GetStepCount(schedule), rounds * logarithm);
            for (uint64_t egress : GetEgress(schedule, bytes))
            {
                // rounds (p-1)/p S
                EXPECT_EQ(egress, rounds * (p - 1) * bytes / p);
            }
            EXPECT_EQ(schedule.transfers.size(), 2u * p * rounds * logarithm);
        }
    }
}

TEST(CollectiveAlgorithmsTest, HalvingDoublingFoldsTheRestIntoAPowerOfTwo)
{
    // 11 ranks: 8 exchange, ranks 0, 2 and 4 hand theirs to 1, 3 and 5.
    HalvingDoublingCollective algorithm;
    const uint64_t bytes = 8 * 11 * 1000;
    const CollectiveLayout layout = MakeEvenLayout(11, 1, 1);
    const CollectiveSchedule schedule =
        BuildProved(algorithm, MakeCall(ALL_REDUCE, bytes), layout, 1);
    EXPECT_EQ(GetStepCount(schedule), 1u + 2 * 3 + 1);
    const std::vector<uint64_t> egress = GetEgress(schedule, bytes);
    const uint64_t exchange = 2 * bytes * 7 / 8;
    for (uint32_t rank = 0; rank < 11; rank++)
    {
        const bool folded = rank < 6;
        EXPECT_EQ(egress[rank], !folded ? exchange : rank % 2 > 0 ? exchange + bytes : bytes);
    }
    // A gather: rank 0 gives its 1/11 and gets 10/11.
    const std::vector<uint64_t> gathered =
        GetEgress(BuildProved(algorithm, MakeCall(ALL_GATHER, bytes), layout, 1), bytes);
    EXPECT_EQ(gathered[0], bytes / 11);
    // Rank 1 stands for portions 0 and 1: sends 2, then 4, then 6 (places 0 to 2 stand for 2
    // each, place 3 for 1: 2, 4, 7), then 10 to rank 0.
    EXPECT_EQ(gathered[1], (2 + 4 + 7 + 10) * bytes / 11);
}

TEST(CollectiveAlgorithmsTest, HierarchicalUsesEachNicForItsGpus)
{
    // 3 hosts of 4 GPUs on 4 NICs. Inside a host 2 (g-1)/g S, between hosts 2 (h-1)/h S/g.
    HierarchicalCollective algorithm;
    const uint32_t g = 4;
    const uint32_t h = 3;
    const uint64_t bytes = g * h * 1000;
    for (CollectiveOperation operation : {ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER})
    {
        const uint64_t rounds = operation == ALL_REDUCE ? 2 : 1;
        const CollectiveLayout layout = MakeEvenLayout(h, g, 4);
        const CollectiveSchedule schedule =
            BuildProved(algorithm, MakeCall(operation, bytes), layout, 1);
        EXPECT_EQ(schedule.channels, 4u);
        EXPECT_EQ(GetStepCount(schedule), rounds * (g - 1 + h - 1));
        std::vector<uint64_t> inside(g * h);
        std::vector<uint64_t> between(g * h);
        for (const ChunkTransfer& transfer : schedule.transfers)
        {
            const CollectiveLayout::Rank& from = layout.ranks[transfer.source];
            const CollectiveLayout::Rank& to = layout.ranks[transfer.destination];
            const uint64_t size = schedule.GetTransferBytes(transfer, bytes);
            if (from.host == to.host)
            {
                inside[transfer.source] += size;
                continue;
            }
            between[transfer.source] += size;
            // The same GPU of the other host, by the NIC of both.
            EXPECT_EQ(from.gpu, to.gpu);
            EXPECT_EQ(layout.GetChannelNic(from.host, transfer.channel), from.nic);
            EXPECT_EQ(layout.GetChannelNic(to.host, transfer.channel), to.nic);
        }
        for (uint32_t rank = 0; rank < g * h; rank++)
        {
            EXPECT_EQ(inside[rank], rounds * (g - 1) * bytes / g);
            EXPECT_EQ(between[rank], rounds * (h - 1) * bytes / h / g);
        }
    }
    EXPECT_EQ(algorithm.GetUnsupportedReason(MakeCall(ALL_REDUCE, 1),
                                             MakeCollectiveLayout({4, 4, 3}, 4, 4)),
              "Hierarchical needs as many GPUs on every host, not 4 on the first and 3 on host 3 "
              "of 3");
}

TEST(CollectiveAlgorithmsTest, PairwiseGoesStepByStep)
{
    PairwiseCollective pairwise;
    DirectCollective direct;
    for (uint32_t n : {2U, 5U, 8U})
    {
        const uint64_t bytes = n * 2000;
        const CollectiveLayout layout = MakeEvenLayout(n, 1, 1);
        const CollectiveSchedule steps =
            BuildProved(pairwise, MakeCall(ALL_TO_ALL, bytes), layout, 2);
        const CollectiveSchedule once = BuildProved(direct, MakeCall(ALL_TO_ALL, bytes), layout, 2);
        EXPECT_EQ(GetStepCount(steps), n - 1);
        EXPECT_EQ(GetStepCount(once), 1u);
        for (const CollectiveSchedule& schedule : {steps, once})
        {
            for (uint64_t egress : GetEgress(schedule, bytes))
            {
                // (n-1)/n S
                EXPECT_EQ(egress, (n - 1) * bytes / n);
            }
        }
        // Every link carries one portion; the steps wait for each other.
        EXPECT_EQ(UnitLinkRun(steps, bytes).GetEnd(), (n - 1) * 2000);
        EXPECT_EQ(UnitLinkRun(once, bytes).GetEnd(), 2000);
    }
}

TEST(CollectiveAlgorithmsTest, DirectAllReduceIsOneStepWhereSmall)
{
    DirectCollective direct;
    const uint32_t n = 8;
    const CollectiveLayout layout = MakeEvenLayout(1, n, 1);
    const CollectiveSchedule small = BuildProved(direct, MakeCall(ALL_REDUCE, 32'768), layout, 1);
    EXPECT_EQ(GetStepCount(small), 1u);
    for (uint64_t egress : GetEgress(small, 32'768))
    {
        EXPECT_EQ(egress, (n - 1) * 32'768u);
    }
    const CollectiveSchedule large = BuildProved(direct, MakeCall(ALL_REDUCE, 32'776), layout, 1);
    EXPECT_EQ(GetStepCount(large), 2u);
    for (uint64_t egress : GetEgress(large, 32'776))
    {
        // 2 (n-1)/n S = 1.75 S
        EXPECT_EQ(egress, 2 * (n - 1) * 32'776u / n);
    }
    for (CollectiveOperation operation : {ALL_GATHER, REDUCE_SCATTER})
    {
        const CollectiveSchedule schedule =
            BuildProved(direct, MakeCall(operation, 8000), layout, 1);
        EXPECT_EQ(GetStepCount(schedule), 1u);
        for (uint64_t egress : GetEgress(schedule, 8000))
        {
            EXPECT_EQ(egress, 7000u);
        }
    }
}

TEST(CollectiveAlgorithmsTest, AllRunToTheirEnd)
{
    // Every link carries what it must and no rank waits for ever, whatever the algorithm.
    const CollectiveLayout layout = MakeEvenLayout(3, 4, 2);
    for (const std::string& name : CollectiveAlgorithm::GetNames())
    {
        const Ptr<CollectiveAlgorithm> algorithm = CollectiveAlgorithm::Create(name);
        for (CollectiveOperation operation : GetCollectiveOperations())
        {
            for (uint64_t bytes : {uint64_t{3}, uint64_t{12'345}, 2 * MIB})
            {
                const CollectiveCall call = MakeCall(operation, bytes, 5);
                if (operation == CollectiveOperation::SEND_RECEIVE ||
                    !algorithm->GetUnsupportedReason(call, layout).empty())
                {
                    continue;
                }
                const UnitLinkRun run(algorithm->Build(call, layout, 2), bytes);
                EXPECT_GE(run.GetEnd(), static_cast<int64_t>(run.GetMaxLinkBytes()))
                    << name << " " << GetCollectiveOperationName(operation) << " " << bytes;
            }
        }
    }
}
