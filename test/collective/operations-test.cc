/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/collective/algorithms/direct-collective.h"
#include "../../model/collective/algorithms/ring-collective.h"
#include "../../model/collective/collective-builder.h"
#include "../fixture/collective-fixture.h"

using namespace ns3;

namespace
{

constexpr uint32_t NOBODY = CollectiveCall::NOBODY;
constexpr ChunkBuffer IN = ChunkBuffer::INPUT;
constexpr ChunkBuffer OUT = ChunkBuffer::OUTPUT;
constexpr ChunkBuffer SCRATCH = ChunkBuffer::SCRATCH;
constexpr ChunkAction COPY = ChunkAction::COPY;
constexpr ChunkAction REDUCE = ChunkAction::REDUCE;

std::string
GetFirstFault(const CollectiveSchedule& schedule)
{
    const std::vector<std::string> faults = schedule.Validate();
    return faults.empty() ? "" : faults.front();
}

CollectiveCall
MakeCall(CollectiveOperation operation, uint32_t root = 0)
{
    return {operation, 1000, root, {}};
}

} // namespace

TEST(CollectiveOperationsTest, NamesAreThoseOfScenarios)
{
    std::string names;
    for (CollectiveOperation operation : GetCollectiveOperations())
    {
        names += std::string(GetCollectiveOperationName(operation)) + " ";
    }
    EXPECT_EQ(names,
              "all-reduce all-gather reduce-scatter broadcast reduce all-to-all send-receive ");
}

TEST(CollectiveOperationsTest, BroadcastGivesAllTheRootsData)
{
    CollectiveBuilder builder("Test", MakeCall(CollectiveOperation::BROADCAST, 1), 3, 1);
    builder.SetChunks(1, true);
    builder.Move({1, OUT, 0}, {0, OUT, 0}, 1, 0, COPY);
    CollectiveSchedule schedule = builder.Finish();
    EXPECT_EQ(GetFirstFault(schedule), "rank 2 ends without the result in chunk 0");
    schedule.root = 2;
    EXPECT_EQ(GetFirstFault(schedule),
              "transfer 0 (rank 1 to rank 0) sends a chunk that its rank does not have");
    schedule.root = 3;
    EXPECT_EQ(GetFirstFault(schedule), "the root is rank 3 of 3");
}

TEST(CollectiveOperationsTest, ReduceGivesTheRootTheSum)
{
    CollectiveBuilder builder("Test", MakeCall(CollectiveOperation::REDUCE, 1), 3, 1);
    builder.SetChunks(1, true);
    builder.Move({0, OUT, 0}, {1, OUT, 0}, 1, 0, REDUCE);
    const CollectiveSchedule partial = builder.Finish();
    EXPECT_EQ(GetFirstFault(partial), "rank 1 ends without the result in chunk 0");

    CollectiveBuilder whole("Test", MakeCall(CollectiveOperation::REDUCE, 1), 3, 1);
    whole.SetChunks(1, true);
    whole.Move({0, OUT, 0}, {1, OUT, 0}, 1, 0, REDUCE);
    whole.Move({2, OUT, 0}, {1, OUT, 0}, 1, 0, REDUCE);
    CollectiveSchedule schedule = whole.Finish();
    EXPECT_EQ(GetFirstFault(schedule), "");
    // What is right for one root is wrong for another.
    schedule.root = 0;
    EXPECT_EQ(GetFirstFault(schedule), "rank 0 ends without the result in chunk 0");
}

TEST(CollectiveOperationsTest, AllToAllTransposes)
{
    // 2 ranks, portions of 2 chunks: portion q of rank p goes to portion p of rank q.
    const auto build = [](uint32_t target) {
        CollectiveBuilder builder("Test", MakeCall(CollectiveOperation::ALL_TO_ALL), 2, 1);
        builder.SetChunks(4, false);
        builder.Move({0, IN, 0}, {0, OUT, 0}, 2, 0, COPY);
        builder.Move({1, IN, 2}, {1, OUT, 2}, 2, 0, COPY);
        builder.Move({0, IN, 2}, {1, OUT, 0}, 2, 0, COPY);
        builder.Move({1, IN, 0}, {0, OUT, target}, 2, 0, COPY);
        return builder.Finish();
    };
    EXPECT_EQ(GetFirstFault(build(2)), "");
    EXPECT_EQ(GetFirstFault(build(0)),
              "transfer 0 (within rank 0) and transfer 3 (rank 1 to rank 0) race for output "
              "chunk 0 of rank 0");
    // The right portion, its two chunks swapped.
    CollectiveSchedule swapped = build(2);
    swapped.transfers.back().chunkCount = 1;
    swapped.transfers.back().sourceChunk = 1;
    EXPECT_EQ(GetFirstFault(swapped), "rank 0 ends without the result in chunk 2");
    swapped.chunks = 3;
    EXPECT_EQ(GetFirstFault(swapped), "the buffer has 3 chunks, not a multiple of the 2 ranks");
}

TEST(CollectiveOperationsTest, PointToPointIsTheSameUnderEveryAlgorithm)
{
    // One pair, a pair each way, a shift of all, and one that keeps its data.
    const std::vector<std::vector<uint32_t>> patterns{{NOBODY, NOBODY, 0, NOBODY},
                                                      {1, 0, NOBODY, NOBODY},
                                                      {1, 2, 3, 0},
                                                      {0, NOBODY, NOBODY, NOBODY}};
    const CollectiveLayout layout = MakeEvenLayout(2, 2, 2);
    for (const std::string& name : CollectiveAlgorithm::GetNames())
    {
        const Ptr<CollectiveAlgorithm> algorithm = CollectiveAlgorithm::Create(name);
        for (const std::vector<uint32_t>& destinations : patterns)
        {
            const CollectiveCall call{CollectiveOperation::SEND_RECEIVE, 1000, 0, destinations};
            const CollectiveSchedule schedule = BuildProved(*algorithm, call, layout, 2);
            const std::vector<uint64_t> egress = GetEgress(schedule, 1000);
            const uint64_t wire = 1000 * schedule.wireNumerator / schedule.wireDenominator;
            for (uint32_t rank = 0; rank < 4; rank++)
            {
                const bool sends = destinations[rank] != NOBODY && destinations[rank] != rank;
                EXPECT_EQ(egress[rank], sends ? wire : 0u);
            }
        }
    }
}

TEST(CollectiveOperationsTest, PointToPointKnowsWhatCannotBe)
{
    const CollectiveLayout layout = MakeEvenLayout(1, 3, 1);
    RingCollective ring;
    const auto reason = [&](const std::vector<uint32_t>& destinations) {
        return ring.GetUnsupportedReason({CollectiveOperation::SEND_RECEIVE, 1, 0, destinations},
                                         layout);
    };
    EXPECT_EQ(reason({1, 2, 0}), "");
    EXPECT_EQ(reason({1, 2}), "2 destinations for 3 ranks");
    EXPECT_EQ(reason({1, 1, NOBODY}), "rank 1 receives from two ranks at once");
    EXPECT_EQ(reason({3, NOBODY, NOBODY}), "rank 3 cannot receive among 3 ranks");

    CollectiveSchedule schedule;
    schedule.operation = CollectiveOperation::SEND_RECEIVE;
    schedule.ranks = 2;
    schedule.chunks = 1;
    schedule.destinations = {1, 1};
    EXPECT_EQ(GetFirstFault(schedule),
              "not every rank has one destination that is no other's, or nobody");
    schedule.destinations = {1, NOBODY};
    EXPECT_EQ(GetFirstFault(schedule), "rank 1 ends without the result in chunk 0");
}

TEST(CollectiveOperationsTest, RootsAndRanksAreChecked)
{
    RingCollective ring;
    EXPECT_EQ(ring.GetUnsupportedReason(MakeCall(CollectiveOperation::BROADCAST, 2),
                                        MakeEvenLayout(1, 2, 1)),
              "rank 2 cannot be the root among 2 ranks");
    EXPECT_EQ(ring.GetUnsupportedReason(MakeCall(CollectiveOperation::ALL_REDUCE), {}),
              "a collective needs at least one rank");
}

TEST(CollectiveOperationsTest, LocalOperationsAndScratchAreProved)
{
    // All-reduce of 2 in place: each sends its data to the other's scratch buffer, which adds them
    // once it has posted its own.
    const auto build = [] {
        CollectiveBuilder builder("Test", MakeCall(CollectiveOperation::ALL_REDUCE), 2, 1);
        builder.SetChunks(1, true, 1);
        builder.Move({0, OUT, 0}, {1, SCRATCH, 0}, 1, 0, COPY);
        builder.Move({1, OUT, 0}, {0, SCRATCH, 0}, 1, 0, COPY);
        builder.Move({0, SCRATCH, 0}, {0, OUT, 0}, 1, 0, REDUCE);
        builder.Move({1, SCRATCH, 0}, {1, OUT, 0}, 1, 0, REDUCE);
        return builder.Finish();
    };
    const CollectiveSchedule schedule = build();
    EXPECT_TRUE(schedule.IsStaged());
    EXPECT_EQ(GetFirstFault(schedule), "");

    // Rank 0 adds before it has sent: its dependencies are transfers 0 (posted) and 1 (taken).
    CollectiveSchedule early = build();
    ASSERT_EQ(early.transfers[2].dependencyCount, 2u);
    early.dependencies[early.transfers[2].firstDependency] = 1;
    EXPECT_EQ(GetFirstFault(early),
              "transfer 0 (rank 0 to rank 1) and transfer 2 (within rank 0) race for chunk 0 of "
              "rank 0");
    // Adds before the data are there.
    early = build();
    early.dependencies[early.transfers[2].firstDependency + 1] = 0;
    EXPECT_EQ(GetFirstFault(early),
              "transfer 2 (within rank 0) and transfer 1 (rank 1 to rank 0) race for scratch "
              "chunk 0 of rank 0");
    // Adds what nobody has put there.
    CollectiveSchedule empty = build();
    empty.scratchChunks = 2;
    empty.transfers[2].sourceChunk = 1;
    EXPECT_EQ(GetFirstFault(empty),
              "transfer 2 (within rank 0) sends a chunk that its rank does not have");
    empty.scratchChunks = 1;
    EXPECT_EQ(GetFirstFault(empty), "transfer 2 moves chunks that the buffer does not have");
    // Adds the same data twice.
    CollectiveSchedule twice = build();
    twice.transfers.push_back(ChunkTransfer(twice.transfers[2]));
    EXPECT_EQ(GetFirstFault(twice),
              "transfer 4 (within rank 0) adds a contribution that is already there");
    // Copies onto itself.
    CollectiveSchedule overlapping = build();
    overlapping.transfers[2].sourceBuffer = OUT;
    EXPECT_EQ(GetFirstFault(overlapping), "transfer 2 overlaps itself within rank 0");
}

TEST(CollectiveOperationsTest, GatesHoldBackWhatArrives)
{
    // All-gather of 2 by way of one scratch chunk that both of rank 0's chunks go through: the
    // second may be taken only when the first has been moved on.
    const auto build = [](bool gated) {
        CollectiveBuilder builder("Test", MakeCall(CollectiveOperation::ALL_GATHER), 2, 1);
        builder.SetChunks(4, true, 1);
        builder.Move({0, OUT, 0}, {1, SCRATCH, 0}, 1, 0, COPY);
        builder.Move({1, SCRATCH, 0}, {1, OUT, 0}, 1, 0, COPY);
        builder.Move({0, OUT, 1}, {1, SCRATCH, 0}, 1, 0, COPY);
        builder.Move({1, SCRATCH, 0}, {1, OUT, 1}, 1, 0, COPY);
        builder.Move({1, OUT, 2}, {0, OUT, 2}, 2, 0, COPY);
        CollectiveSchedule schedule = builder.Finish();
        if (gated)
        {
            schedule.transfers[2].firstGate = static_cast<uint32_t>(schedule.dependencies.size());
            schedule.transfers[2].gateCount = 1;
            schedule.dependencies.push_back(1);
        }
        return schedule;
    };
    EXPECT_EQ(GetFirstFault(build(false)),
              "transfer 1 (within rank 1) and transfer 2 (rank 0 to rank 1) race for scratch "
              "chunk 0 of rank 1");
    EXPECT_EQ(GetFirstFault(build(true)), "");
    // 2 chunks of 1000 B one after the other on a link.
    EXPECT_EQ(UnitLinkRun(build(true), 4000).GetEnd(), 2000);
    // A gate that never opens is a cycle.
    CollectiveSchedule stuck = build(true);
    stuck.dependencies.back() = 3;
    EXPECT_NE(GetFirstFault(stuck).find("waits for itself"), std::string::npos);
    // A gate is at the receiver.
    stuck = build(true);
    stuck.ranks = 2;
    stuck.transfers[0].gateCount = 1;
    stuck.transfers[0].firstGate = 100;
    EXPECT_EQ(GetFirstFault(stuck), "transfer 0 has dependencies beyond the end of the list");
}

TEST(CollectiveOperationsTest, MessagesOfAChannelKeepTheirOrder)
{
    // Rank 1 copies both chunks on when the second has arrived: the first came before it on the
    // same channel, and may not have on another one.
    const auto build = [](uint32_t channel) {
        CollectiveBuilder builder("Test", MakeCall(CollectiveOperation::BROADCAST), 2, 2);
        builder.SetChunks(2, true, 2);
        builder.Move({0, OUT, 0}, {1, SCRATCH, 0}, 1, 0, COPY);
        builder.Move({0, OUT, 1}, {1, SCRATCH, 1}, 1, channel, COPY);
        builder.Move({1, SCRATCH, 0}, {1, OUT, 0}, 2, 0, COPY);
        CollectiveSchedule schedule = builder.Finish();
        EXPECT_EQ(schedule.transfers[2].dependencyCount, 2u);
        schedule.transfers[2].firstDependency++;
        schedule.transfers[2].dependencyCount--;
        return schedule;
    };
    EXPECT_EQ(GetFirstFault(build(0)), "");
    EXPECT_NE(GetFirstFault(build(1)).find("race for scratch chunk 0"), std::string::npos);
    // A message sent again changes nothing, and is a fault all the same.
    CollectiveBuilder again("Test", MakeCall(CollectiveOperation::BROADCAST), 2, 1);
    again.SetChunks(2, true, 1);
    again.Move({0, OUT, 0}, {1, OUT, 0}, 1, 0, COPY);
    again.Move({0, OUT, 0}, {1, OUT, 0}, 1, 0, COPY);
    again.Move({0, OUT, 1}, {1, OUT, 1}, 1, 0, COPY);
    EXPECT_EQ(GetFirstFault(again.Finish()),
              "transfer 1 (rank 0 to rank 1) brings what is already there");
}

TEST(CollectiveOperationsTest, CanonicalOrderKeepsTheProof)
{
    for (CollectiveOperation operation : GetCollectiveOperations())
    {
        if (operation == CollectiveOperation::SEND_RECEIVE)
        {
            continue;
        }
        const CollectiveSchedule schedule =
            DirectCollective().Build(operation, MakeEvenLayout(2, 3, 3), 2);
        const CollectiveSchedule canonical = schedule.GetCanonical();
        EXPECT_EQ(GetFirstFault(canonical), "");
        EXPECT_TRUE(canonical == canonical.GetCanonical());
        EXPECT_EQ(canonical.transfers.size(), schedule.transfers.size());
        CollectiveSchedule other = canonical;
        other.transfers.back().destinationChunk++;
        EXPECT_FALSE(other == canonical);
    }
}

TEST(CollectiveOperationsTest, WireBytesOfAProtocolRoundUp)
{
    CollectiveSchedule schedule =
        RingCollective().Build(CollectiveOperation::ALL_REDUCE, MakeEvenLayout(1, 4, 1), 1);
    EXPECT_EQ(schedule.GetTransferBytes(schedule.transfers[0], 4000), 1000u);
    // 16 lines of 8 B on the wire for 15 of data: ceil(1000 * 16 / 15) = ceil(1066.7)
    schedule.wireNumerator = 16;
    schedule.wireDenominator = 15;
    EXPECT_EQ(schedule.GetTransferBytes(schedule.transfers[0], 4000), 1067u);
}
