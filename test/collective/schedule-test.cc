/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/collective/algorithms/ring-collective.h"
#include "../../model/collective/counting-sort.h"

#include "ns3/collective-schedule.h"
#include "ns3/counter-random.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

using namespace ns3;

namespace
{

CollectiveSchedule
MakeRing(CollectiveOperation operation, uint32_t ranks, uint32_t channels)
{
    CollectiveLayout layout;
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        layout.ranks.push_back({rank / 4, rank % 4, rank % 4 / 2});
    }
    return RingCollective().Build(operation, layout, channels);
}

/// Adds a transfer of one chunk from one rank to another.
uint32_t
Add(CollectiveSchedule& schedule,
    uint32_t source,
    uint32_t destination,
    uint32_t chunk,
    ChunkAction action,
    const std::vector<uint32_t>& dependencies)
{
    ChunkTransfer transfer;
    transfer.source = source;
    transfer.destination = destination;
    transfer.sourceChunk = chunk;
    transfer.destinationChunk = chunk;
    transfer.action = action;
    transfer.firstDependency = static_cast<uint32_t>(schedule.dependencies.size());
    transfer.dependencyCount = static_cast<uint32_t>(dependencies.size());
    schedule.dependencies.insert(schedule.dependencies.end(),
                                 dependencies.begin(),
                                 dependencies.end());
    schedule.transfers.push_back(transfer);
    return static_cast<uint32_t>(schedule.transfers.size() - 1);
}

/// An all-reduce through rank 0: all reduce into it, then it copies to all.
CollectiveSchedule
MakeStar(uint32_t ranks)
{
    CollectiveSchedule schedule;
    schedule.ranks = ranks;
    schedule.chunks = 1;
    std::vector<uint32_t> reductions;
    for (uint32_t rank = 1; rank < ranks; rank++)
    {
        reductions.push_back(Add(schedule, rank, 0, 0, ChunkAction::REDUCE, {}));
    }
    for (uint32_t rank = 1; rank < ranks; rank++)
    {
        Add(schedule, 0, rank, 0, ChunkAction::COPY, reductions);
    }
    return schedule;
}

bool
Mentions(const std::vector<std::string>& faults, const std::string& text)
{
    for (const std::string& fault : faults)
    {
        if (fault.find(text) != std::string::npos)
        {
            return true;
        }
    }
    return false;
}

} // namespace

TEST(CollectiveScheduleTest, ReductionsMayComeInAnyOrder)
{
    EXPECT_TRUE(MakeStar(5).Validate().empty());
}

TEST(CollectiveScheduleTest, FindsTheRaceOfAnEarlySend)
{
    // Rank 0 copies to rank 1 before rank 2's contribution is sure to be there.
    CollectiveSchedule schedule = MakeStar(3);
    ASSERT_EQ(schedule.transfers[2].dependencyCount, 2u);
    schedule.transfers[2].dependencyCount = 1;
    EXPECT_TRUE(Mentions(schedule.Validate(),
                         "transfer 1 (rank 2 to rank 0) and transfer 2 (rank 0 to rank 1) race "
                         "for chunk 0 of rank 0"));
}

TEST(CollectiveScheduleTest, FindsACopyOverWhatIsStillBeingSent)
{
    // Two ranks swap: either may overwrite the other's data while they are being sent.
    CollectiveSchedule schedule;
    schedule.ranks = 2;
    schedule.chunks = 1;
    Add(schedule, 0, 1, 0, ChunkAction::COPY, {});
    Add(schedule, 1, 0, 0, ChunkAction::COPY, {});
    EXPECT_TRUE(Mentions(schedule.Validate(), "race for chunk 0"));
}

TEST(CollectiveScheduleTest, FindsContributionsThatCountTwiceOrNotAtAll)
{
    CollectiveSchedule twice;
    twice.ranks = 2;
    twice.chunks = 1;
    const uint32_t first = Add(twice, 0, 1, 0, ChunkAction::REDUCE, {});
    const uint32_t second = Add(twice, 1, 0, 0, ChunkAction::REDUCE, {first});
    EXPECT_TRUE(Mentions(twice.Validate(), "adds a contribution that is already there"));
    twice.transfers[second].action = ChunkAction::COPY;
    EXPECT_TRUE(twice.Validate().empty());

    CollectiveSchedule missing;
    missing.ranks = 2;
    missing.chunks = 1;
    Add(missing, 0, 1, 0, ChunkAction::REDUCE, {});
    EXPECT_EQ(missing.Validate(),
              std::vector<std::string>{"rank 0 ends without the result in chunk 0"});
}

TEST(CollectiveScheduleTest, FindsDataThatNobodyHas)
{
    // All-gather of 3: rank 1 sends portion 0 on before it has it.
    CollectiveSchedule schedule;
    schedule.operation = CollectiveOperation::ALL_GATHER;
    schedule.ranks = 3;
    schedule.chunks = 3;
    Add(schedule, 1, 2, 0, ChunkAction::COPY, {});
    EXPECT_TRUE(Mentions(schedule.Validate(), "sends a chunk that its rank does not have"));
}

TEST(CollectiveScheduleTest, FindsWhatIsOutOfRange)
{
    CollectiveSchedule schedule = MakeStar(3);
    schedule.transfers[0].source = 3;
    schedule.transfers[1].sourceChunk = 1;
    schedule.transfers[2].channel = 1;
    schedule.transfers[3].source = 1;
    const std::vector<std::string> faults = schedule.Validate();
    EXPECT_TRUE(Mentions(faults, "transfer 0 does not go from one rank to another"));
    EXPECT_TRUE(Mentions(faults, "transfer 1 moves chunks that the buffer does not have"));
    EXPECT_TRUE(Mentions(faults, "transfer 2 uses channel 1 of 1"));
    EXPECT_TRUE(Mentions(faults,
                         "transfer 3 depends on transfer 1, which is neither delivered to nor sent "
                         "by its sender, rank 1"));
    schedule = MakeStar(3);
    schedule.dependencies[0] = 9;
    EXPECT_TRUE(Mentions(schedule.Validate(), "depends on transfer 9, which does not exist"));
    schedule = MakeStar(3);
    schedule.dependencies.pop_back();
    EXPECT_TRUE(Mentions(schedule.Validate(), "dependencies beyond the end"));
    schedule = MakeStar(3);
    schedule.operation = CollectiveOperation::ALL_GATHER;
    EXPECT_TRUE(Mentions(schedule.Validate(), "the buffer has 1 chunks"));
}

TEST(CollectiveScheduleTest, FindsACycle)
{
    CollectiveSchedule schedule;
    schedule.ranks = 2;
    schedule.chunks = 1;
    Add(schedule, 0, 1, 0, ChunkAction::REDUCE, {1});
    Add(schedule, 1, 0, 0, ChunkAction::COPY, {0});
    EXPECT_TRUE(Mentions(schedule.Validate(), "waits for itself"));
}

TEST(CollectiveScheduleTest, FindsEveryMutationThatBreaksARing)
{
    // In a ring every transfer and every dependency is needed, and none more: each of these
    // mutations of any of them breaks it.
    const CollectiveOperation operations[] = {CollectiveOperation::ALL_REDUCE,
                                              CollectiveOperation::ALL_GATHER,
                                              CollectiveOperation::REDUCE_SCATTER};
    uint64_t count = 0;
    const auto draw = [&count](uint64_t below) { return CounterRandom(7, 1, count++) % below; };
    for (int round = 0; round < 400; round++)
    {
        const auto ranks = static_cast<uint32_t>(3 + draw(6));
        const auto channels = static_cast<uint32_t>(1 + draw(3));
        CollectiveSchedule schedule = MakeRing(operations[draw(3)], ranks, channels);
        ASSERT_TRUE(schedule.Validate().empty());
        const auto victim = static_cast<uint32_t>(draw(schedule.transfers.size()));
        ChunkTransfer& transfer = schedule.transfers[victim];
        const char* what = "";
        switch (round % 6)
        {
        case 0: {
            what = "drop a transfer";
            // Its dependants then depend on what it depended on, if anything, or nothing.
            for (ChunkTransfer& other : schedule.transfers)
            {
                if (other.dependencyCount > 0 &&
                    schedule.dependencies[other.firstDependency] == victim)
                {
                    other.dependencyCount = 0;
                }
            }
            schedule.transfers.erase(schedule.transfers.begin() + victim);
            for (uint32_t& dependency : schedule.dependencies)
            {
                dependency -= dependency > victim ? 1 : 0;
            }
            break;
        }
        case 1:
            what = "duplicate a transfer";
            schedule.transfers.push_back(ChunkTransfer(transfer));
            break;
        case 2:
            what = "redirect a transfer";
            transfer.destination = (transfer.destination + 1) % ranks;
            if (transfer.destination == transfer.source)
            {
                transfer.destination = (transfer.destination + 1) % ranks;
            }
            break;
        case 3: {
            what = "drop a dependency";
            uint32_t index = victim;
            while (schedule.transfers[index].dependencyCount == 0)
            {
                index = (index + 1) % schedule.transfers.size();
            }
            schedule.transfers[index].dependencyCount = 0;
            break;
        }
        case 4:
            what = "send another chunk";
            transfer.sourceChunk = (transfer.sourceChunk + 1) % schedule.chunks;
            break;
        default:
            what = "reduce instead of copy, or the other way";
            transfer.action =
                transfer.action == ChunkAction::COPY ? ChunkAction::REDUCE : ChunkAction::COPY;
        }
        EXPECT_FALSE(schedule.Validate().empty())
            << what << ", transfer " << victim << ", " << ranks << " ranks, " << channels
            << " channels, " << GetCollectiveOperationName(schedule.operation);
    }
}

TEST(CollectiveScheduleTest, ProvesOrderOverManyBlocks)
{
    // One chain of 2 * 6,000 transfers: data go to and fro between two ranks, so the first and
    // the last access of a chunk are ordered by all in between (and by no shorter way).
    CollectiveSchedule schedule;
    schedule.operation = CollectiveOperation::ALL_GATHER;
    schedule.ranks = 2;
    schedule.chunks = 2;
    uint32_t last = Add(schedule, 0, 1, 0, ChunkAction::COPY, {});
    for (uint32_t i = 0; i < 6000; i++)
    {
        last = Add(schedule, 1, 0, 0, ChunkAction::COPY, {last});
        last = Add(schedule, 0, 1, 0, ChunkAction::COPY, {last});
    }
    Add(schedule, 1, 0, 1, ChunkAction::COPY, {});
    EXPECT_TRUE(schedule.Validate().empty());
    // Cut in the middle, the halves race.
    schedule.transfers[6000].dependencyCount = 0;
    EXPECT_TRUE(Mentions(schedule.Validate(), "race"));
}

TEST(CollectiveScheduleTest, BigRingIsProved)
{
    // 2 * 31 * 32 * 4 transfers.
    const CollectiveSchedule schedule = MakeRing(CollectiveOperation::ALL_REDUCE, 32, 4);
    EXPECT_EQ(schedule.transfers.size(), 7936u);
    EXPECT_TRUE(schedule.Validate().empty());
}

// Sets of contributors are words of 64 bits: the last one is full, has one bit, or all but one.
TEST(CollectiveScheduleTest, FindsOneMissingContributorOfMany)
{
    for (uint32_t ranks : {63, 64, 65, 127, 128, 129, 192})
    {
        EXPECT_TRUE(MakeStar(ranks).Validate().empty()) << ranks;
        for (uint32_t absent : {1U, ranks / 2, ranks - 1})
        {
            CollectiveSchedule schedule = MakeStar(ranks);
            schedule.transfers.erase(schedule.transfers.begin() + absent - 1);
            schedule.dependencies.clear();
            for (uint32_t t = 0; t < ranks - 2; t++)
            {
                schedule.dependencies.push_back(t);
            }
            for (uint32_t t = ranks - 2; t < schedule.transfers.size(); t++)
            {
                schedule.transfers[t].firstDependency = 0;
                schedule.transfers[t].dependencyCount = ranks - 2;
            }
            // The reductions of ranks - 2 others, and no more: all end without the result.
            const std::vector<std::string> faults = schedule.Validate();
            ASSERT_FALSE(faults.empty()) << ranks << ", without " << absent;
            EXPECT_EQ(faults.front(), "rank 0 ends without the result in chunk 0");
        }
    }
}

TEST(CollectiveScheduleTest, PredecessorsAreTheLastOfTheSameStream)
{
    for (uint64_t round = 0; round < 50; round++)
    {
        uint64_t draws = 0;
        const auto draw = [round, &draws](uint32_t bound) {
            return static_cast<uint32_t>(CounterRandom(1, round, draws++) % bound);
        };
        CollectiveSchedule schedule;
        schedule.ranks = 1 + draw(6);
        schedule.channels = 1 + draw(3);
        schedule.transfers.resize(draw(200));
        for (ChunkTransfer& transfer : schedule.transfers)
        {
            transfer.source = draw(schedule.ranks);
            transfer.destination = draw(schedule.ranks);
            transfer.channel = draw(schedule.channels);
        }
        std::vector<uint32_t> expected(schedule.transfers.size(), CollectiveSchedule::NONE);
        for (uint32_t t = 0; t < schedule.transfers.size(); t++)
        {
            for (uint32_t other = 0; other < t; other++)
            {
                const ChunkTransfer& a = schedule.transfers[other];
                const ChunkTransfer& b = schedule.transfers[t];
                if (!b.IsLocal() && a.source == b.source && a.destination == b.destination &&
                    a.channel == b.channel)
                {
                    expected[t] = other;
                }
            }
        }
        ASSERT_EQ(schedule.GetPredecessors(), expected) << "round " << round;
    }
    CollectiveSchedule schedule = MakeStar(2);
    schedule.transfers[0].channel = 1;
    EXPECT_DEATH(schedule.GetPredecessors(), "transfer 0 goes to no rank, or by no channel");
}

TEST(CountingSortTest, IsAStableSort)
{
    EXPECT_TRUE(CountingSort(0, 0, [](uint32_t) { return 0; }).empty());
    for (uint64_t round = 0; round < 50; round++)
    {
        const auto count = static_cast<uint32_t>(CounterRandom(2, round, 0) % 300);
        const auto bound = static_cast<uint32_t>(1 + CounterRandom(2, round, 1) % 400);
        const auto key = [round, bound](uint32_t i) {
            return static_cast<uint32_t>(CounterRandom(3, round, i) % bound);
        };
        std::vector<uint32_t> expected(count);
        std::iota(expected.begin(), expected.end(), 0);
        std::stable_sort(expected.begin(), expected.end(), [&key](uint32_t a, uint32_t b) {
            return key(a) < key(b);
        });
        ASSERT_EQ(CountingSort(count, bound, key), expected) << "round " << round;
    }
}
