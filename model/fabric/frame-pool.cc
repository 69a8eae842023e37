/* SPDX-License-Identifier: GPL-2.0-only */
#include "frame-pool.h"

namespace ns3
{

FrameSide&
FramePool::AttachSide(uint32_t index)
{
    Frame& frame = m_frames[index];
    NS_ASSERT_MSG(frame.side == NO_SIDE, "frame " << index << " has a side already");
    if (!m_freeSides.empty())
    {
        frame.side = m_freeSides.back();
        m_freeSides.pop_back();
        return m_sides[frame.side - 1] = FrameSide();
    }
    if (m_sides.size() + 1 < SIDE_BY_FRAME)
    {
        m_sides.emplace_back();
        frame.side = static_cast<uint16_t>(m_sides.size());
        return m_sides.back();
    }
    frame.side = SIDE_BY_FRAME;
    return m_sidesByFrame[index] = FrameSide();
}

void
FramePool::FreeSide(uint32_t index)
{
    Frame& frame = m_frames[index];
    if (frame.side == SIDE_BY_FRAME)
    {
        m_sidesByFrame.erase(index);
    }
    else
    {
        m_freeSides.push_back(frame.side);
    }
    frame.side = NO_SIDE;
}

} // namespace ns3
