/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RANK_LINK_CHECKS_H
#define GPU_FABRIC_RANK_LINK_CHECKS_H

#include "ns3/counter-random.h"
#include "ns3/rank-link.h"

#include <cstdint>
#include <gtest/gtest.h>
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
        : m_link(link)
    {
    }

    /// Every rank sends every other one several buffers of random sizes, empty and long ones among
    /// them, before it receives any: all arrive once, whole and in order.
    void EverythingArrives(uint32_t rounds, uint32_t buffers)
    {
        RankBuffer buffer;
        for (uint32_t round = 0; round < rounds; ++round)
        {
            for (uint32_t to = 0; to < m_link.GetRankCount(); ++to)
            {
                for (uint32_t i = 0; to != m_link.GetRank() && i < buffers; ++i)
                {
                    buffer.PutAll(Make(m_link.GetRank(), to, round, i));
                    m_link.Send(to, buffer);
                    ASSERT_EQ(buffer.GetByteCount(), 0U);
                }
            }
            for (uint32_t from = 0; from < m_link.GetRankCount(); ++from)
            {
                for (uint32_t i = 0; from != m_link.GetRank() && i < buffers; ++i)
                {
                    m_link.Receive(from, buffer);
                    std::vector<uint32_t> got;
                    buffer.TakeAll(got);
                    ASSERT_TRUE(buffer.IsTaken());
                    ASSERT_EQ(got, Make(from, m_link.GetRank(), round, i));
                    buffer.Clear();
                }
            }
        }
    }

    /// Sizes around those of one and two pieces of MPI (4,000 bytes, 8 of them a length).
    void LongOnesArriveWhole()
    {
        RankBuffer buffer;
        for (const uint32_t bytes : {3991U, 3992U, 3993U, 7991U, 7992U, 7993U, 3'000'000U, 1U})
        {
            for (uint32_t to = 0; to < m_link.GetRankCount(); ++to)
            {
                for (uint32_t i = 0; to != m_link.GetRank() && i < bytes; ++i)
                {
                    buffer.Put(static_cast<uint8_t>(Hash(m_link.GetRank(), to, bytes, i)));
                }
                if (to != m_link.GetRank())
                {
                    m_link.Send(to, buffer);
                }
            }
            for (uint32_t from = 0; from < m_link.GetRankCount(); ++from)
            {
                if (from == m_link.GetRank())
                {
                    continue;
                }
                m_link.Receive(from, buffer);
                ASSERT_EQ(buffer.GetByteCount(), bytes);
                uint32_t wrong = 0;
                for (uint32_t i = 0; i < bytes; ++i)
                {
                    wrong += buffer.Take<uint8_t>() !=
                             static_cast<uint8_t>(Hash(from, m_link.GetRank(), bytes, i));
                }
                ASSERT_EQ(wrong, 0U);
                buffer.Clear();
            }
        }
    }

    /// One asks, the other answers, many times.
    void QuestionsAreAnswered(uint32_t rounds)
    {
        RankBuffer buffer;
        for (uint32_t round = 0; round < rounds; ++round)
        {
            for (uint32_t other = 1; m_link.GetRank() == 0 && other < m_link.GetRankCount();
                 ++other)
            {
                buffer.Put(round * other);
                m_link.Send(other, buffer);
                m_link.Receive(other, buffer);
                ASSERT_EQ(buffer.Take<uint32_t>(), round * other + 1);
                buffer.Clear();
            }
            if (m_link.GetRank() != 0)
            {
                m_link.Receive(0, buffer);
                const uint32_t asked = buffer.Take<uint32_t>();
                buffer.Clear();
                buffer.Put(asked + 1);
                m_link.Send(0, buffer);
            }
        }
    }

  private:
    static uint64_t Hash(uint32_t from, uint32_t to, uint32_t round, uint32_t i)
    {
        return CounterRandom(uint64_t{from} << 32 | to, round, i);
    }

    static std::vector<uint32_t> Make(uint32_t from, uint32_t to, uint32_t round, uint32_t i)
    {
        const uint64_t hash = Hash(from, to, round, i);
        std::vector<uint32_t> values(hash % 3 == 0 ? 0 : hash >> 8 & 0xfff);
        for (uint32_t k = 0; k < values.size(); ++k)
        {
            values[k] = static_cast<uint32_t>(hash >> 16) + k;
        }
        return values;
    }

    RankLink& m_link;
};

} // namespace ns3

#endif // GPU_FABRIC_RANK_LINK_CHECKS_H
