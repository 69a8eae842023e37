/* SPDX-License-Identifier: GPL-2.0-only */

// Ranks that meet once a window: as threads here; test/mpi does the same as processes.

#include "rank-link-checks.h"

#include "ns3/thread-rank-link.h"

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

TEST(RankBufferTest, GivesStructsBackInOrder)
{
    RankBuffer buffer;
    int32_t number = 0;
    EXPECT_FALSE(buffer.Take(number));
    buffer.Put(int32_t{7});
    buffer.Put(2.5);
    buffer.Put(uint8_t{9});
    EXPECT_EQ(buffer.GetSize(), 4U + 8U + 1U);
    double fraction = 0;
    uint8_t byte = 0;
    EXPECT_TRUE(buffer.Take(number));
    EXPECT_EQ(number, 7);
    buffer.Put(uint8_t{10}); // while others were taken
    EXPECT_TRUE(buffer.Take(fraction));
    EXPECT_EQ(fraction, 2.5);
    EXPECT_TRUE(buffer.Take(byte));
    EXPECT_EQ(byte, 9);
    EXPECT_TRUE(buffer.Take(byte));
    EXPECT_EQ(byte, 10);
    EXPECT_FALSE(buffer.Take(byte));
    EXPECT_EQ(buffer.GetSize(), 14U);
    buffer.Clear();
    EXPECT_EQ(buffer.GetSize(), 0U);
    EXPECT_FALSE(buffer.Take(byte));
}

TEST(RankBufferDeathTest, ATornStructIsABug)
{
    RankBuffer buffer;
    buffer.Put(uint8_t{1});
    int64_t number = 0;
    EXPECT_DEATH(buffer.Take(number), "a struct of 8 bytes where 1 are left");
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
    OnAllRanks([](RankLink& link) { RankLinkChecks(link).EverythingArrives(100, 40); });
}

TEST_P(RankLinkTest, LongBuffersArriveWhole)
{
    OnAllRanks([](RankLink& link) { RankLinkChecks(link).LongOnesArriveWhole(); });
}

TEST_P(RankLinkTest, TheMinimumIsTheLeastValue)
{
    OnAllRanks([](RankLink& link) { RankLinkChecks(link).MinimumIsTheLeast(); });
}

// One rank is the reference: a plain loop over a queue, whose windows change nothing.
TEST_P(RankLinkTest, WindowsGiveTheOrderOfOneRank)
{
    uint64_t visits = 0;
    const auto alone = ThreadRankLink::MakeAll(1);
    const uint64_t expected = RankLinkChecks(*alone[0]).Wander(visits);
    ASSERT_EQ(visits, RankLinkChecks::VISITS);
    std::vector<uint64_t> hashes(GetParam());
    std::vector<uint64_t> counts(GetParam());
    OnAllRanks([&](RankLink& link) {
        const uint32_t rank = link.GetRank();
        hashes[rank] = RankLinkChecks(link).Wander(counts[rank]);
    });
    uint64_t hash = 0;
    uint64_t sum = 0;
    for (uint32_t rank = 0; rank < GetParam(); ++rank)
    {
        EXPECT_GT(counts[rank], 0U) << "rank " << rank;
        hash += hashes[rank];
        sum += counts[rank];
    }
    EXPECT_EQ(sum, RankLinkChecks::VISITS);
    EXPECT_EQ(hash, expected);
}

INSTANTIATE_TEST_SUITE_P(Ranks, RankLinkTest, testing::Values(1, 2, 3, 5));

TEST(RankLinkDeathTest, BuffersAreForAllRanksAndNoneForOneself)
{
    const auto alone = ThreadRankLink::MakeAll(1);
    std::vector<RankBuffer> one(1);
    std::vector<RankBuffer> in(1);
    std::vector<RankBuffer> two(2);
    EXPECT_DEATH(alone[0]->Exchange(0, two, in), "buffers for 2 and from 1 ranks of 1");
    one[0].Put(uint8_t{1});
    EXPECT_DEATH(alone[0]->Exchange(0, one, in), "rank 0 sends to itself");
    EXPECT_DEATH(ThreadRankLink::MakeAll(0), "at least one rank");
}
