/* SPDX-License-Identifier: GPL-2.0-only */
#include "frame-bitmap.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

void
FrameBitmap::Advance(uint64_t base)
{
    if (base <= m_base)
    {
        return;
    }
    uint64_t end = std::min(base, m_end);
    for (uint64_t frame = m_base; frame < end;)
    {
        // One word, or the rest of it, at a time.
        uint64_t stop = std::min(end, (frame | 63) + 1);
        uint64_t mask = ~uint64_t{0} << (frame & 63);
        if (stop & 63)
        {
            mask &= (uint64_t{1} << (stop & 63)) - 1;
        }
        m_words[Word(frame)] &= ~mask;
        frame = stop;
    }
    m_base = base;
    m_end = std::max(m_end, base);
}

bool
FrameBitmap::Set(uint64_t frame)
{
    NS_ASSERT(frame >= m_base);
    // One word less than the ring: the base may lie anywhere within its word.
    if (m_words.empty() || frame - m_base >= 64 * (m_words.size() - 1))
    {
        Grow(frame);
    }
    uint64_t bit = uint64_t{1} << (frame & 63);
    uint64_t& word = m_words[Word(frame)];
    if (word & bit)
    {
        return false;
    }
    word |= bit;
    m_end = std::max(m_end, frame + 1);
    return true;
}

void
FrameBitmap::Grow(uint64_t frame)
{
    std::size_t size = std::max<std::size_t>(2, m_words.size());
    while (frame - m_base >= 64 * (size - 1))
    {
        size *= 2;
    }
    std::vector<uint64_t> words(size);
    if (!m_words.empty())
    {
        for (uint64_t word = m_base >> 6; word <= m_end >> 6; ++word)
        {
            words[word & (size - 1)] = m_words[word & (m_words.size() - 1)];
        }
    }
    m_words = std::move(words);
}

bool
FrameBitmap::Test(uint64_t frame) const
{
    return frame >= m_base && frame < m_end && (m_words[Word(frame)] >> (frame & 63) & 1);
}

uint64_t
FrameBitmap::FindClear(uint64_t frame) const
{
    while (frame < m_end)
    {
        // Shifted so that bit 0 is the frame; the zeros shifted in are beyond the word.
        uint64_t clear = ~(m_words[Word(frame)] >> (frame & 63));
        uint64_t skip = clear ? static_cast<uint64_t>(__builtin_ctzll(clear)) : 64;
        uint64_t rest = 64 - (frame & 63);
        frame += std::min(skip, rest);
        if (skip < rest)
        {
            break;
        }
    }
    return frame;
}

} // namespace ns3
