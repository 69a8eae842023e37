/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FRAME_BITMAP_H
#define GPU_FABRIC_FRAME_BITMAP_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * A set of frame numbers in a sliding window: a ring of 64-bit words that grows to the widest
 * window seen.
 */
class FrameBitmap
{
  public:
    /// Forgets all frames below base; no effect if they are already forgotten.
    void Advance(uint64_t base);
    /// Adds a frame at or above the base. \returns false if it is already in the set
    bool Set(uint64_t frame);
    /// Whether a frame is in the set; frames below the base are not.
    bool Test(uint64_t frame) const;
    /// The first frame not in the set at or after the given one, which must not be below the base.
    uint64_t FindClear(uint64_t frame) const;

    /// One past the highest frame in the set, or the base if the set is empty.
    uint64_t GetEnd() const
    {
        return m_end;
    }

    bool IsEmpty() const
    {
        return m_end == m_base;
    }

  private:
    uint64_t Word(uint64_t frame) const
    {
        return (frame >> 6) & (m_words.size() - 1);
    }

    void Grow(uint64_t frame);

    std::vector<uint64_t> m_words; ///< the number of words is a power of two
    uint64_t m_base{0};
    uint64_t m_end{0};
};

} // namespace ns3

#endif // GPU_FABRIC_FRAME_BITMAP_H
