/* SPDX-License-Identifier: GPL-2.0-only */

// Ranks that are processes:
//   ./ns3 run gpu-fabric-ranks-test --command-template="mpirun -np 2 %s"
// Every rank runs all tests. With --measure, what an exchange costs is printed after them.

#include "../rank-link-checks.h"

#include "ns3/mpi-session.h"
#include "ns3/thread-rank-link.h"

#include <chrono>
#include <cstring>
#include <iostream>

using namespace ns3;

namespace
{

// GoogleTest gives tests no other way to what main() has made.
MpiSession* g_session = nullptr;

class MpiRankLinkTest : public testing::Test
{
  protected:
    std::unique_ptr<RankLink> m_link{g_session->MakeLink()};
};

/// Prints what an exchange of empty buffers, of some frames and of many costs, on rank 0.
void
Measure()
{
    // The least of many: others may use the processors, too.
    constexpr uint32_t TIMES = 40;
    constexpr uint32_t ROUNDS = 500;
    const std::unique_ptr<RankLink> link = g_session->MakeLink();
    const uint32_t self = link->GetRank();
    std::vector<RankBuffer> out(link->GetRankCount());
    std::vector<RankBuffer> in(link->GetRankCount());
    for (const uint32_t words : {0U, 64U, 512U, 8192U})
    {
        double least = std::numeric_limits<double>::max();
        for (uint32_t time = 0; time < TIMES; ++time)
        {
            link->GetMinimum(0); // begin together
            const auto start = std::chrono::steady_clock::now();
            for (uint32_t round = 0; round < ROUNDS; ++round)
            {
                for (uint32_t to = 0; to < out.size(); ++to)
                {
                    for (uint32_t i = 0; to != self && i < words; ++i)
                    {
                        out[to].Put(uint64_t{i});
                    }
                }
                link->Exchange(round, out, in);
            }
            const std::chrono::duration<double, std::micro> passed =
                std::chrono::steady_clock::now() - start;
            least = std::min(least, passed.count() / ROUNDS);
        }
        if (self == 0)
        {
            std::cout << words * sizeof(uint64_t) << " bytes each way: " << least
                      << " us an exchange of " << out.size() << " ranks" << std::endl;
        }
    }
}

} // namespace

TEST_F(MpiRankLinkTest, RanksAreThoseOfTheLauncher)
{
    EXPECT_GE(m_link->GetRankCount(), 2U) << "to be started by mpirun";
    EXPECT_EQ(m_link->GetRankCount(), MpiSession::GetLaunchedRanks());
    EXPECT_EQ(m_link->GetRank(), g_session->GetRank());
    // Each rank is there once: the sum of the ranks is that of 0 to count - 1.
    int64_t sum = 0;
    std::vector<RankBuffer> out(m_link->GetRankCount());
    std::vector<RankBuffer> in(m_link->GetRankCount());
    for (uint32_t to = 0; to < out.size(); ++to)
    {
        if (to != m_link->GetRank())
        {
            out[to].Put(m_link->GetRank());
        }
    }
    m_link->Exchange(0, out, in);
    for (RankBuffer& buffer : in)
    {
        uint32_t rank = 0;
        sum += buffer.Take(rank) ? rank : m_link->GetRank();
    }
    EXPECT_EQ(sum, int64_t{m_link->GetRankCount()} * (m_link->GetRankCount() - 1) / 2);
}

TEST_F(MpiRankLinkTest, EverythingArrivesOnceAndInOrder)
{
    RankLinkChecks(*m_link).EverythingArrives(2000, 40);
    RankLinkChecks(*m_link).EverythingArrives(50, 10000);
}

TEST_F(MpiRankLinkTest, LongBuffersArriveWhole)
{
    RankLinkChecks(*m_link).LongOnesArriveWhole();
}

TEST_F(MpiRankLinkTest, TheMinimumIsTheLeastValue)
{
    RankLinkChecks(*m_link).MinimumIsTheLeast();
}

// A second link takes none of the first one's messages.
TEST_F(MpiRankLinkTest, LinksAreApart)
{
    const std::unique_ptr<RankLink> other = g_session->MakeLink();
    for (int64_t i = 0; i < 100; ++i)
    {
        EXPECT_EQ(m_link->GetMinimum(i), i);
        EXPECT_EQ(other->GetMinimum(-i), -i);
    }
}

TEST_F(MpiRankLinkTest, WindowsGiveTheOrderOfOneRank)
{
    uint64_t visits = 0;
    const auto alone = ThreadRankLink::MakeAll(1);
    const uint64_t expected = RankLinkChecks(*alone[0]).Wander(visits);
    ASSERT_EQ(visits, RankLinkChecks::VISITS);
    const uint64_t hash = RankLinkChecks(*m_link).Wander(visits);
    std::vector<RankBuffer> out(m_link->GetRankCount());
    std::vector<RankBuffer> in(m_link->GetRankCount());
    for (uint32_t to = 0; to < out.size(); ++to)
    {
        if (to != m_link->GetRank())
        {
            out[to].Put(hash);
            out[to].Put(visits);
        }
    }
    m_link->Exchange(0, out, in);
    uint64_t hashes = hash;
    for (RankBuffer& buffer : in)
    {
        uint64_t theirs = 0;
        if (buffer.Take(theirs))
        {
            hashes += theirs;
            ASSERT_TRUE(buffer.Take(theirs));
            visits += theirs;
        }
    }
    EXPECT_EQ(visits, RankLinkChecks::VISITS);
    EXPECT_EQ(hashes, expected);
}

int
main(int argc, char* argv[])
{
    MpiSession session;
    g_session = &session;
    testing::GTEST_FLAG(brief) = session.GetRank() > 0; // failures only
    testing::InitGoogleTest(&argc, argv);
    const int status = RUN_ALL_TESTS();
    if (argc > 1 && std::strcmp(argv[1], "--measure") == 0)
    {
        Measure();
    }
    return status;
}
