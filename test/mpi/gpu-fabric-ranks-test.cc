/* SPDX-License-Identifier: GPL-2.0-only */

// Ranks that are processes:
//   ./ns3 run gpu-fabric-ranks-test --command-template="mpirun -np 2 %s"
// Every rank runs all tests. With --measure, the cost of an exchange is printed after them.

#include "../../helper/app/mpi-session.h"
#include "../fixture/rank-link-checks.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iostream>
#include <limits>
#include <memory>

using namespace ns3;

namespace
{

// GoogleTest gives tests no other access to what main() has created.
MpiSession* g_session = nullptr;

class MpiRankLinkTest : public testing::Test
{
  protected:
    std::unique_ptr<RankLink> m_link{g_session->MakeLink()};
};

/// Prints what a question and its answer cost, on rank 0.
void
Measure()
{
    // The least of many: others may use the processors, too.
    constexpr uint32_t TIMES = 40;
    constexpr uint32_t ROUNDS = 500;
    const std::unique_ptr<RankLink> link = g_session->MakeLink();
    RankBuffer buffer;
    for (const std::size_t bytes : {8U, 512U, 4096U, 65536U})
    {
        const std::vector<uint8_t> sent(bytes);
        std::vector<uint8_t> received;
        double least = std::numeric_limits<double>::max();
        for (uint32_t time = 0; time < TIMES && link->GetRank() < 2; ++time)
        {
            const auto start = std::chrono::steady_clock::now();
            for (uint32_t round = 0; round < ROUNDS; ++round)
            {
                for (const bool send : {link->GetRank() == 0, link->GetRank() == 1})
                {
                    if (send)
                    {
                        buffer.PutAll(sent);
                        link->Send(1 - link->GetRank(), buffer);
                    }
                    else
                    {
                        received.clear();
                        link->Receive(1 - link->GetRank(), buffer);
                        buffer.TakeAll(received);
                        buffer.Clear();
                    }
                }
            }
            const std::chrono::duration<double, std::micro> passed =
                std::chrono::steady_clock::now() - start;
            least = std::min(least, passed.count() / ROUNDS);
        }
        if (link->GetRank() == 0)
        {
            std::cout << bytes << " bytes there and back: " << least << " us" << std::endl;
        }
    }
}

} // namespace

TEST_F(MpiRankLinkTest, RanksAreThoseOfTheLauncher)
{
    EXPECT_GE(m_link->GetRankCount(), 2U) << "to be started by mpirun";
    EXPECT_EQ(m_link->GetRankCount(), MpiSession::GetLaunchedRanks());
    EXPECT_EQ(m_link->GetRank(), g_session->GetRank());
}

TEST_F(MpiRankLinkTest, EverythingArrivesOnceAndInOrder)
{
    RankLinkChecks(*m_link).EverythingArrives(200, 5);
    RankLinkChecks(*m_link).EverythingArrives(3, 200);
}

TEST_F(MpiRankLinkTest, LongBuffersArriveWhole)
{
    RankLinkChecks(*m_link).LongOnesArriveWhole();
}

TEST_F(MpiRankLinkTest, QuestionsAreAnswered)
{
    RankLinkChecks(*m_link).QuestionsAreAnswered(1000);
}

// A second link takes none of the first one's messages.
TEST_F(MpiRankLinkTest, LinksAreApart)
{
    const std::unique_ptr<RankLink> other = g_session->MakeLink();
    RankBuffer buffer;
    for (uint32_t i = 0; i < 100; ++i)
    {
        const uint32_t peer = 1 - m_link->GetRank();
        if (peer > 1)
        {
            return; // two are enough
        }
        buffer.Put(i);
        m_link->Send(peer, buffer);
        buffer.Put(1000 + i);
        other->Send(peer, buffer);
        other->Receive(peer, buffer);
        EXPECT_EQ(buffer.Take<uint32_t>(), 1000 + i);
        m_link->Receive(peer, buffer);
        EXPECT_EQ(buffer.Take<uint32_t>(), i);
        buffer.Clear();
    }
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
