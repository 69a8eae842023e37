/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/collective/algorithms/ring-collective.h"
#include "../../model/collective/communicator.h"

#include "ns3/counter-random.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>

using namespace ns3;

namespace
{

/// Holds sent messages until the test delivers them.
class HeldTransport : public CollectiveTransport
{
  public:
    struct Message
    {
        uint32_t source;
        uint32_t destination;
        uint32_t channel;
        uint64_t bytes;
        ChunkMessage message;
    };

    uint32_t FindRoute(uint32_t communicator,
                       uint32_t source,
                       uint32_t destination,
                       uint32_t channel,
                       const CollectiveExecution&) override
    {
        EXPECT_EQ(communicator, 3u);
        routes.push_back({source, destination, channel, 0, {}});
        return static_cast<uint32_t>(routes.size() - 1);
    }

    void Send(int64_t, uint32_t route, uint64_t bytes, const ChunkMessage& message) override
    {
        Message& last = sent.emplace_back(routes[route]);
        last.bytes = bytes;
        last.message = message;
        total += bytes;
    }

    void Launch(int64_t now,
                uint32_t rank,
                int64_t delayPs,
                const CollectiveLaunch& launch) override
    {
        launches.push_back({now + delayPs, rank, launch});
    }

    struct LaunchOrder
    {
        int64_t timePs;
        uint32_t rank;
        CollectiveLaunch launch;
    };

    std::vector<LaunchOrder> launches;
    std::vector<Message> routes;
    std::vector<Message> sent;
    uint64_t total{0};
};

class CommunicatorTest : public testing::Test, public CommunicatorListener
{
  protected:
    struct End
    {
        int64_t now;
        uint32_t rank;
        uint32_t collective;
        int64_t lastPostPs;
    };

    void Make(uint32_t ranks, uint32_t channels)
    {
        CollectiveLayout layout;
        std::vector<uint32_t> jobRanks;
        for (uint32_t rank = 0; rank < ranks; rank++)
        {
            layout.ranks.push_back({rank, 0, 0});
            jobRanks.push_back(10 + rank);
        }
        CollectivePlans plans;
        for (CollectiveOperation operation :
             {CollectiveOperation::ALL_REDUCE, CollectiveOperation::ALL_GATHER})
        {
            plans.Add({operation, 0, 0, {}},
                      true,
                      std::make_shared<CollectivePlan>(
                          RingCollective().Build(operation, layout, channels)));
        }
        m_communicator = std::make_unique<Communicator>(3, jobRanks, plans, &m_transport, this);
    }

    void RankFinished(int64_t now,
                      uint32_t communicator,
                      uint32_t rank,
                      uint32_t collective,
                      int64_t lastPostPs) override
    {
        EXPECT_EQ(communicator, 3u);
        m_ends.push_back({now, rank, collective, lastPostPs});
        if (m_onEnd)
        {
            m_onEnd(now, rank, collective);
        }
    }

    void CollectiveFinished(const CollectiveOutcome& outcome) override
    {
        m_outcomes.push_back(outcome);
    }

    /// Delivers and completes one held message.
    void Pass(int64_t now, size_t index)
    {
        const HeldTransport::Message message = m_transport.sent[index];
        m_transport.sent.erase(m_transport.sent.begin() + static_cast<std::ptrdiff_t>(index));
        m_communicator->Delivered(now, message.message);
        m_communicator->Completed(now, message.message);
    }

    /// Delivers everything, oldest first.
    void PassAll(int64_t now)
    {
        while (!m_transport.sent.empty())
        {
            Pass(now, 0);
        }
    }

    HeldTransport m_transport;
    std::unique_ptr<Communicator> m_communicator;
    std::vector<End> m_ends;
    std::vector<CollectiveOutcome> m_outcomes;
    std::function<void(int64_t, uint32_t, uint32_t)> m_onEnd;
};

constexpr CollectiveOperation ALL_REDUCE = CollectiveOperation::ALL_REDUCE;
constexpr CollectiveOperation ALL_GATHER = CollectiveOperation::ALL_GATHER;

} // namespace

TEST_F(CommunicatorTest, RunsAnAllReduce)
{
    Make(4, 2);
    for (uint32_t rank = 0; rank < 4; rank++)
    {
        EXPECT_EQ(m_communicator->Issue(100 + rank, rank, ALL_REDUCE, 8000), 0u);
    }
    // The first step: each of 4 ranks on each of 2 channels a chunk of 8000 / 8 B.
    ASSERT_EQ(m_transport.sent.size(), 8u);
    EXPECT_EQ(m_transport.sent[0].source, 10u);
    EXPECT_EQ(m_transport.sent[0].destination, 11u);
    EXPECT_EQ(m_transport.sent[0].bytes, 1000u);
    EXPECT_EQ(m_transport.sent[0].message.communicator, 3u);
    PassAll(500);
    // 2 (n-1) S = 2 * 3 * 8000 B over all edges.
    EXPECT_EQ(m_transport.total, 48'000u);
    ASSERT_EQ(m_ends.size(), 4u);
    for (const End& end : m_ends)
    {
        EXPECT_EQ(end.now, 500);
        EXPECT_EQ(end.collective, 0u);
        EXPECT_EQ(end.lastPostPs, 103);
    }
    ASSERT_EQ(m_outcomes.size(), 1u);
    EXPECT_EQ(m_outcomes[0].firstPostPs, 100);
    EXPECT_EQ(m_outcomes[0].lastPostPs, 103);
    EXPECT_EQ(m_outcomes[0].endPs, 500);
    EXPECT_EQ(m_outcomes[0].bytes, 8000u);
    EXPECT_EQ(m_communicator->GetPendingCount(), 0u);
}

TEST_F(CommunicatorTest, ARankThatHasNotIssuedReceivesButDoesNotSend)
{
    Make(2, 1);
    m_communicator->Issue(1, 0, ALL_REDUCE, 100);
    ASSERT_EQ(m_transport.sent.size(), 1u);
    EXPECT_EQ(m_communicator->GetLastPostPs(0), -1);
    Pass(2, 0);
    EXPECT_TRUE(m_transport.sent.empty());
    EXPECT_TRUE(m_ends.empty());
    // Now its own first chunk and, since rank 0's has arrived, the reduced one.
    m_communicator->Issue(9, 1, ALL_REDUCE, 100);
    EXPECT_EQ(m_communicator->GetLastPostPs(0), 9);
    ASSERT_EQ(m_transport.sent.size(), 2u);
    EXPECT_EQ(m_transport.sent[0].source, 11u);
    EXPECT_EQ(m_transport.sent[1].source, 11u);
    PassAll(20);
    EXPECT_EQ(m_ends.size(), 2u);
}

TEST_F(CommunicatorTest, ARankEndsWhenAllIsDeliveredAndCompleted)
{
    Make(2, 1);
    m_communicator->Issue(0, 0, ALL_GATHER, 100);
    m_communicator->Issue(0, 1, ALL_GATHER, 100);
    ASSERT_EQ(m_transport.sent.size(), 2u);
    const ChunkMessage zero = m_transport.sent[0].message;
    const ChunkMessage one = m_transport.sent[1].message;
    m_communicator->Delivered(1, zero);
    m_communicator->Delivered(2, one);
    EXPECT_TRUE(m_ends.empty());
    m_communicator->Completed(3, one);
    ASSERT_EQ(m_ends.size(), 1u);
    EXPECT_EQ(m_ends[0].rank, 1u);
    EXPECT_TRUE(m_outcomes.empty());
    m_communicator->Completed(4, zero);
    EXPECT_EQ(m_ends.size(), 2u);
    EXPECT_EQ(m_outcomes.size(), 1u);
}

TEST_F(CommunicatorTest, CollectivesOfARankRunOneAtATime)
{
    Make(2, 1);
    for (uint32_t rank = 0; rank < 2; rank++)
    {
        EXPECT_EQ(m_communicator->Issue(0, rank, ALL_GATHER, 100), 0u);
        EXPECT_EQ(m_communicator->Issue(0, rank, ALL_GATHER, 200), 1u);
    }
    ASSERT_EQ(m_transport.sent.size(), 2u);
    const std::vector<HeldTransport::Message> first = m_transport.sent;
    m_transport.sent.clear();
    // Rank 1 has all of collective 0, so it begins collective 1; rank 0 not.
    m_communicator->Delivered(1, first[0].message);
    m_communicator->Delivered(1, first[1].message);
    m_communicator->Completed(1, first[1].message);
    ASSERT_EQ(m_transport.sent.size(), 1u);
    EXPECT_EQ(m_transport.sent[0].source, 11u);
    EXPECT_EQ(m_transport.sent[0].message.collective, 1u);
    // Its data for collective 1 arrive at rank 0, which still runs collective 0.
    Pass(2, 0);
    EXPECT_EQ(m_ends.size(), 1u);
    m_communicator->Completed(3, first[0].message);
    PassAll(4);
    ASSERT_EQ(m_ends.size(), 4u);
    EXPECT_EQ(m_communicator->GetPendingCount(), 0u);
}

TEST_F(CommunicatorTest, EndsWhateverTheOrderOfDeliveries)
{
    // Messages pass in random order, though in order on each (source, destination, channel).
    for (uint64_t round = 0; round < 50; round++)
    {
        Make(5, 2);
        m_transport.total = 0;
        m_ends.clear();
        uint64_t count = 0;
        std::vector<uint32_t> issued(5);
        while (true)
        {
            const uint64_t draw = CounterRandom(5, round, count++);
            const auto rank = static_cast<uint32_t>(draw % 5);
            if (issued[rank] < 3 && draw / 5 % 4 == 0)
            {
                m_communicator->Issue(static_cast<int64_t>(count), rank, ALL_REDUCE, 1000);
                issued[rank]++;
            }
            else if (!m_transport.sent.empty())
            {
                size_t index = draw / 20 % m_transport.sent.size();
                const HeldTransport::Message& drawn = m_transport.sent[index];
                index = std::find_if(m_transport.sent.begin(),
                                     m_transport.sent.end(),
                                     [&drawn](const HeldTransport::Message& m) {
                                         return m.source == drawn.source &&
                                                m.destination == drawn.destination &&
                                                m.channel == drawn.channel;
                                     }) -
                        m_transport.sent.begin();
                Pass(static_cast<int64_t>(count), index);
            }
            else if (std::count(issued.begin(), issued.end(), 3U) == 5)
            {
                break;
            }
        }
        EXPECT_EQ(m_ends.size(), 15u);
        // Three all-reduces: 3 * 2 (n-1) S.
        EXPECT_EQ(m_transport.total, 3u * 2 * 4 * 1000);
        EXPECT_EQ(m_communicator->GetPendingCount(), 0u);
    }
}

TEST_F(CommunicatorTest, EmptyTransfersNeedNoTransport)
{
    // 3 bytes over 4 ranks: one of the four portions is empty, the others have a byte.
    Make(4, 1);
    for (uint32_t rank = 0; rank < 4; rank++)
    {
        m_communicator->Issue(0, rank, ALL_REDUCE, 3);
    }
    PassAll(1);
    EXPECT_EQ(m_transport.total, 2u * 3 * 3);
    EXPECT_EQ(m_ends.size(), 4u);
    // Nothing at all.
    for (uint32_t rank = 0; rank < 4; rank++)
    {
        m_communicator->Issue(2, rank, ALL_REDUCE, 0);
    }
    EXPECT_EQ(m_ends.size(), 8u);
    EXPECT_EQ(m_transport.total, 18u);
}

TEST_F(CommunicatorTest, ManyEmptyCollectivesDoNotRecurse)
{
    // Each end issues the next from inside the callback: 200,000 deep, were it recursion.
    Make(1, 1);
    m_onEnd = [this](int64_t now, uint32_t rank, uint32_t collective) {
        if (collective < 200'000)
        {
            m_communicator->Issue(now, rank, ALL_REDUCE, 1000);
        }
    };
    m_communicator->Issue(7, 0, ALL_REDUCE, 1000);
    EXPECT_EQ(m_ends.size(), 200'001u);
    EXPECT_EQ(m_communicator->GetPendingCount(), 0u);

    Make(64, 4);
    m_ends.clear();
    m_onEnd = nullptr;
    for (uint32_t rank = 0; rank < 64; rank++)
    {
        m_communicator->Issue(7, rank, ALL_REDUCE, 0);
    }
    EXPECT_EQ(m_ends.size(), 64u);
}

TEST_F(CommunicatorTest, DifferentCollectivesOfOneNumberAbort)
{
    Make(2, 1);
    m_communicator->Issue(0, 0, ALL_REDUCE, 100);
    EXPECT_DEATH(m_communicator->Issue(0, 1, ALL_REDUCE, 101), "another rank");
    EXPECT_DEATH(m_communicator->Issue(0, 1, ALL_GATHER, 100), "another rank");
    EXPECT_DEATH(m_communicator->Issue(0, 0, CollectiveOperation::REDUCE_SCATTER, 100), "no plan");
}
