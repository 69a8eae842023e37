/* SPDX-License-Identifier: GPL-2.0-only */

// Ranks that exchange buffers: as threads here; test/mpi does the same with processes.

#include "../../model/engine/parallel/thread-rank-link.h"
#include "../fixture/rank-link-checks.h"

#include <functional>
#include <memory>
#include <thread>

using namespace ns3;

namespace
{

class RankLinkTest : public testing::TestWithParam<uint32_t>
{
  protected:
    /// Does the same on all ranks, each a thread.
    static void OnAllRanks(const std::function<void(RankLink&)>& work)
    {
        const std::vector<std::unique_ptr<RankLink>> links = ThreadRankLink::MakeAll(GetParam());
        std::vector<std::thread> threads;
        for (const std::unique_ptr<RankLink>& link : links)
        {
            threads.emplace_back([&work, &link]() { work(*link); });
        }
        for (std::thread& thread : threads)
        {
            thread.join();
        }
    }
};

} // namespace

TEST(RankBufferTest, GivesBackInOrder)
{
    RankBuffer buffer;
    EXPECT_TRUE(buffer.IsTaken());
    buffer.Put(int32_t{7});
    buffer.PutAll(std::vector<double>{2.5, 3.5});
    buffer.PutText("");
    buffer.PutText("nine");
    buffer.PutAll(std::vector<uint16_t>{});
    EXPECT_EQ(buffer.GetByteCount(), 4U + (8U + 16U) + 8U + (8U + 4U) + 8U);
    EXPECT_EQ(buffer.Take<int32_t>(), 7);
    buffer.Put(uint8_t{10}); // while others were taken
    std::vector<double> fractions{1.5};
    buffer.TakeAll(fractions);
    EXPECT_EQ(fractions, (std::vector<double>{1.5, 2.5, 3.5}));
    EXPECT_EQ(buffer.TakeText(), "");
    EXPECT_EQ(buffer.TakeText(), "nine");
    std::vector<uint16_t> none;
    buffer.TakeAll(none);
    EXPECT_TRUE(none.empty());
    EXPECT_FALSE(buffer.IsTaken());
    EXPECT_EQ(buffer.Take<uint8_t>(), 10);
    EXPECT_TRUE(buffer.IsTaken());
    buffer.Clear();
    EXPECT_EQ(buffer.GetByteCount(), 0U);
    EXPECT_TRUE(buffer.IsTaken());
}

TEST(RankBufferDeathTest, ATornStructIsABug)
{
    RankBuffer buffer;
    buffer.Put(uint8_t{1});
    EXPECT_DEATH(buffer.Take<int64_t>(), "8 bytes are wanted where 1 are left");
}

TEST_P(RankLinkTest, KnowsItsRank)
{
    const std::vector<std::unique_ptr<RankLink>> links = ThreadRankLink::MakeAll(GetParam());
    for (uint32_t rank = 0; rank < GetParam(); ++rank)
    {
        EXPECT_EQ(links[rank]->GetRank(), rank);
        EXPECT_EQ(links[rank]->GetRankCount(), GetParam());
    }
}

TEST_P(RankLinkTest, EverythingArrivesOnceAndInOrder)
{
    OnAllRanks([](RankLink& link) { RankLinkChecks(link).EverythingArrives(20, 5); });
}

TEST_P(RankLinkTest, LongBuffersArriveWhole)
{
    OnAllRanks([](RankLink& link) { RankLinkChecks(link).LongOnesArriveWhole(); });
}

TEST_P(RankLinkTest, QuestionsAreAnswered)
{
    OnAllRanks([](RankLink& link) { RankLinkChecks(link).QuestionsAreAnswered(100); });
}

INSTANTIATE_TEST_SUITE_P(Ranks, RankLinkTest, testing::Values(1, 2, 3, 5));

TEST(RankLinkDeathTest, ThereAreNoOtherRanks)
{
    const auto alone = ThreadRankLink::MakeAll(1);
    RankBuffer buffer;
    EXPECT_DEATH(alone[0]->Send(1, buffer), "there is no rank 1");
    EXPECT_DEATH(ThreadRankLink::MakeAll(0), "at least one rank");
}
