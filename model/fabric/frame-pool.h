/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FRAME_POOL_H
#define GPU_FABRIC_FRAME_POOL_H

#include "fabric-frame.h"

#include <vector>

namespace ns3
{

/// Frames by index, recycled in last-out-first-in order, so that the next one is still cached.
class FramePool
{
  public:
    /// Takes a frame; all its fields are unset. Invalidates references to frames.
    uint32_t Allocate()
    {
        if (m_free != NO_FRAME)
        {
            uint32_t frame = m_free;
            m_free = m_frames[frame].next;
            ++m_inUse;
            return frame;
        }
        m_frames.emplace_back();
        ++m_inUse;
        return static_cast<uint32_t>(m_frames.size() - 1);
    }

    void Free(uint32_t frame)
    {
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

    /// Brings a frame into the cache. \param frame may be NO_FRAME
    void Prefetch(uint32_t frame) const
    {
        __builtin_prefetch(m_frames.data() + (frame == NO_FRAME ? 0 : frame), 1);
    }

    /// Frames taken and not given back.
    uint64_t GetInUse() const
    {
        return m_inUse;
    }

  private:
    std::vector<Frame> m_frames;
    uint32_t m_free{NO_FRAME};
    uint64_t m_inUse{0};
};

} // namespace ns3

#endif // GPU_FABRIC_FRAME_POOL_H
