/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FRAME_BITMAP_H
#define GPU_FABRIC_FRAME_BITMAP_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * A set of frame numbers within a window that moves forward: a ring of 64-bit words, which grows
 * to the widest window seen.
 */
class FrameBitmap
{
  public:
    /// Forgets all frames below base; does nothing if they are forgotten already.
    void Advance(uint64_t base);
    /// Adds a frame not below the base. \returns false if it is there already
    bool Set(uint64_t frame);
    /// Whether a frame is there; one below the base is not.
    bool Test(uint64_t frame) const;
    /// The first frame not there, from a frame on that is not below the base.
    uint64_t FindClear(uint64_t frame) const;

    /// One past the highest frame there, or the base.
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

    std::vector<uint64_t> m_words; ///< a power of two of them
    uint64_t m_base{0};
    uint64_t m_end{0};
};

} // namespace ns3

#endif // GPU_FABRIC_FRAME_BITMAP_H
