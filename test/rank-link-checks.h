/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RANK_LINK_CHECKS_H
#define GPU_FABRIC_RANK_LINK_CHECKS_H

#include "ns3/counter-random.h"
#include "ns3/rank-link.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <queue>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * What holds for every RankLink, whatever carries it. All ranks call the same functions with links
 * of one set; each looks at what it gets.
 */
class RankLinkChecks
{
  public:
    explicit RankLinkChecks(RankLink& link)
        : m_link(link),
          m_out(link.GetRankCount()),
          m_in(link.GetRankCount())
    {
    }

    /// Something of odd size, to see that structs lie where they should.
    struct Struct
    {
        uint32_t from;
        uint32_t to;
        uint32_t round;
        uint32_t number;
        uint8_t letter;
    };

    /// Random counts of structs, zero among them, in rounds: what was sent arrives, once, in order.
    void EverythingArrives(uint32_t rounds, uint32_t most)
    {
        const uint32_t self = m_link.GetRank();
        const uint32_t ranks = m_link.GetRankCount();
        for (uint32_t round = 0; round < rounds; ++round)
        {
            for (uint32_t to = 0; to < ranks; ++to)
            {
                for (uint32_t i = 0; to != self && i < GetCount(round, self, to, most); ++i)
                {
                    m_out[to].Put(Struct{self, to, round, i, static_cast<uint8_t>(i)});
                }
            }
            // The least is that of another rank each time: (rank + round) mod ranks is 0 for one.
            const int64_t value = (int64_t{self} + round) % ranks - 5;
            ASSERT_EQ(m_link.Exchange(value, m_out, m_in), -5);
            for (uint32_t from = 0; from < ranks; ++from)
            {
                ASSERT_EQ(m_out[from].GetSize(), 0U);
                const uint32_t expected = from == self ? 0 : GetCount(round, from, self, most);
                ASSERT_EQ(m_in[from].GetSize(), expected * sizeof(Struct));
                Struct got;
                for (uint32_t i = 0; i < expected; ++i)
                {
                    ASSERT_TRUE(m_in[from].Take(got));
                    ASSERT_EQ(std::tie(got.from, got.to, got.round, got.number),
                              std::tie(from, self, round, i));
                    ASSERT_EQ(got.letter, i % 256);
                }
                ASSERT_FALSE(m_in[from].Take(got));
            }
        }
    }

    /// Sizes around those of one and two messages of MPI (4,000 bytes, 16 of them a header) and
    /// beyond.
    void LongOnesArriveWhole()
    {
        const uint32_t self = m_link.GetRank();
        for (const uint32_t bytes : {3983U, 3984U, 3985U, 7984U, 7985U, 3000000U, 1U, 100000U})
        {
            for (uint32_t to = 0; to < m_link.GetRankCount(); ++to)
            {
                // Only the last rank's are long, so that the two directions differ.
                const uint32_t count = self + 1 == m_link.GetRankCount() ? bytes : 10;
                for (uint32_t i = 0; to != self && i < count; ++i)
                {
                    m_out[to].Put(GetByte(self, to, i));
                }
            }
            m_link.Exchange(0, m_out, m_in);
            for (uint32_t from = 0; from < m_link.GetRankCount(); ++from)
            {
                if (from == self)
                {
                    continue;
                }
                const uint32_t count = from + 1 == m_link.GetRankCount() ? bytes : 10;
                ASSERT_EQ(m_in[from].GetSize(), count);
                uint32_t wrong = 0;
                uint8_t got = 0;
                for (uint32_t i = 0; m_in[from].Take(got); ++i)
                {
                    wrong += got != GetByte(from, self, i);
                }
                ASSERT_EQ(wrong, 0U);
            }
        }
    }

    /// GetMinimum() of values that differ, at the ends of their range too.
    void MinimumIsTheLeast()
    {
        const auto self = static_cast<int64_t>(m_link.GetRank());
        const auto ranks = static_cast<int64_t>(m_link.GetRankCount());
        constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();
        EXPECT_EQ(m_link.GetMinimum(100 - self), 101 - ranks);
        EXPECT_EQ(m_link.GetMinimum(100 + self), 100);
        EXPECT_EQ(m_link.GetMinimum(NEVER), NEVER);
        EXPECT_EQ(m_link.GetMinimum(self + 1 == ranks ? NEVER - 1 : NEVER), NEVER - 1);
    }

    /// A visit of a node by a token, as it crosses.
    struct Visit
    {
        int64_t time; ///< [ps]
        uint32_t node;
        uint32_t token;
        uint32_t hops;

        bool operator<(const Visit& other) const
        {
            return std::tie(time, node, token) < std::tie(other.time, other.node, other.token);
        }

        bool operator>(const Visit& other) const
        {
            return other < *this;
        }
    };

    /**
     * Tokens wander over 12 nodes that are dealt out to the ranks, in conservative windows of the
     * smallest delay. What a node does next depends on all that it has seen so far, so that one
     * visit in another order changes everything after it.
     * \return a hash of what the nodes of this rank have seen, added up over the nodes: the sum
     * over all ranks is that of one rank
     */
    uint64_t Wander(uint64_t& visits)
    {
        constexpr uint32_t NODES = 12;
        constexpr uint32_t TOKENS = 40;
        constexpr uint32_t HOPS = 80;
        constexpr int64_t DELAY = 1000;
        constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();
        const uint32_t self = m_link.GetRank();
        const uint32_t ranks = m_link.GetRankCount();
        std::priority_queue<Visit, std::vector<Visit>, std::greater<>> queue;
        for (uint32_t token = 0; token < TOKENS; ++token)
        {
            if (token % NODES % ranks == self)
            {
                queue.push({0, token % NODES, token, HOPS}); // all at the same time
            }
        }
        std::vector<uint64_t> seen(NODES, 0);
        visits = 0;
        int64_t sent = NEVER;
        while (true)
        {
            const int64_t own = queue.empty() ? NEVER : queue.top().time;
            const int64_t first = m_link.Exchange(std::min(own, sent), m_out, m_in);
            sent = NEVER;
            if (first == NEVER)
            {
                break;
            }
            Visit visit;
            for (RankBuffer& buffer : m_in)
            {
                while (buffer.Take(visit))
                {
                    queue.push(visit);
                }
            }
            while (!queue.empty() && queue.top().time < first + DELAY)
            {
                visit = queue.top();
                queue.pop();
                ++visits;
                seen[visit.node] = CounterRandom(seen[visit.node], visit.token, visit.time);
                if (visit.hops == 0)
                {
                    continue;
                }
                const uint64_t random = seen[visit.node];
                const auto next = static_cast<uint32_t>(random % NODES);
                const int64_t step = DELAY + static_cast<int64_t>(random >> 32) % 3 * DELAY / 2;
                const Visit following{visit.time + step, next, visit.token, visit.hops - 1};
                if (next % ranks == self)
                {
                    queue.push(following);
                }
                else
                {
                    m_out[next % ranks].Put(following);
                    sent = std::min(sent, following.time);
                }
            }
        }
        uint64_t hash = 0;
        for (uint32_t node = self; node < NODES; node += ranks)
        {
            hash += seen[node];
        }
        return hash;
    }

    /// The visits of Wander() on all ranks: each of 40 tokens is seen 81 times.
    static constexpr uint64_t VISITS = 40 * 81;

  private:
    /// How many structs a rank sends to another in a round; every third time none.
    static uint32_t GetCount(uint32_t round, uint32_t from, uint32_t to, uint32_t most)
    {
        const uint64_t random = CounterRandom(round, from, to);
        return random % 3 == 0 ? 0 : static_cast<uint32_t>((random >> 8) % most);
    }

    static uint8_t GetByte(uint32_t from, uint32_t to, uint32_t index)
    {
        return static_cast<uint8_t>(index * 7 + index / 251 + from * 3 + to * 5);
    }

    RankLink& m_link;
    std::vector<RankBuffer> m_out;
    std::vector<RankBuffer> m_in;
};

} // namespace ns3

#endif // GPU_FABRIC_RANK_LINK_CHECKS_H
