/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FRAME_POOL_H
#define GPU_FABRIC_FRAME_POOL_H

#include "ns3/assert.h"
#include "ns3/fabric-frame.h"
#include "ns3/frame-side.h"

#include <deque>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * Frames by index, recycled in last-in-first-out order, so that the next one is still cached.
 *
 * A frame may have a side (FrameSide) with data that few frames need. The sender attaches it; it
 * travels with the frame, also to another logical process of a split fabric, and is freed with it.
 * Where a branch for each frame without one would be felt, FreeWithoutSide() does without.
 */
class FramePool
{
  public:
    /// Takes a frame without a side; its other fields are unset. Invalidates references to frames.
    uint32_t Allocate()
    {
        if (m_free != NO_FRAME)
        {
            uint32_t frame = m_free;
            m_free = m_frames[frame].next;
            ++m_inUse;
            return frame;
        }
        m_frames.emplace_back(); // all zeros
        ++m_inUse;
        return static_cast<uint32_t>(m_frames.size() - 1);
    }

    void Free(uint32_t frame)
    {
        if (__builtin_expect(m_frames[frame].side != NO_SIDE, 0))
        {
            FreeSide(frame);
        }
        FreeWithoutSide(frame);
    }

    /// Frees a frame that is known to have no side.
    void FreeWithoutSide(uint32_t frame)
    {
        NS_ASSERT_MSG(m_frames[frame].side == NO_SIDE, "frame " << frame << " has a side");
        m_frames[frame].next = m_free;
        m_free = frame;
        --m_inUse;
    }

    Frame& operator[](uint32_t frame)
    {
        return m_frames[frame];
    }

    const Frame& operator[](uint32_t frame) const
    {
        return m_frames[frame];
    }

    /// \name Sides
    /// References to sides stay valid until the frame is freed, whatever is allocated or attached.
    /// @{
    /// Gives a frame that has no side an empty one.
    FrameSide& AttachSide(uint32_t frame);

    /// The side of a frame that has one.
    FrameSide& Side(uint32_t frame)
    {
        const uint16_t side = m_frames[frame].side;
        NS_ASSERT_MSG(side != NO_SIDE, "frame " << frame << " has no side");
        return side == SIDE_BY_FRAME ? m_sidesByFrame.at(frame) : m_sides[side - 1];
    }

    /// The side of a frame, or null.
    FrameSide* FindSide(uint32_t frame)
    {
        return m_frames[frame].side == NO_SIDE ? nullptr : &Side(frame);
    }

    /// Sides attached and not yet freed.
    uint64_t GetSidesInUse() const
    {
        return m_sides.size() - m_freeSides.size() + m_sidesByFrame.size();
    }

    /// @}

    /// Brings a frame into the cache. \param frame may be NO_FRAME
    void Prefetch(uint32_t frame) const
    {
        __builtin_prefetch(m_frames.data() + (frame == NO_FRAME ? 0 : frame), 1);
    }

    /// Frames allocated and not yet freed.
    uint64_t GetInUse() const
    {
        return m_inUse;
    }

  private:
    /// Value of Frame::side when 65,534 other frames have a side: it is found by the number of its
    /// frame.
    static constexpr uint16_t SIDE_BY_FRAME = UINT16_MAX;

    void FreeSide(uint32_t frame);

    std::vector<Frame> m_frames;
    uint32_t m_free{NO_FRAME};
    uint64_t m_inUse{0};
    std::deque<FrameSide> m_sides; ///< by Frame::side - 1; at most 65,534
    std::vector<uint16_t> m_freeSides;
    std::unordered_map<uint32_t, FrameSide> m_sidesByFrame; ///< the rest
};

} // namespace ns3

#endif // GPU_FABRIC_FRAME_POOL_H
