/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FRAME_BATCH_H
#define GPU_FABRIC_FRAME_BATCH_H

#include "fabric-frame.h"

#include "ns3/frame-side.h"

#include <utility>
#include <vector>

namespace ns3
{

/// Frames outside a pool, in transit between logical processes of a split fabric, in the order of
/// sending. Frame::next is the port that sent the frame.
struct FrameBatch
{
    std::vector<Frame> frames;
    /// Sides of the frames whose Frame::side is not 0, in the same order.
    std::vector<FrameSide> sides;

    void Clear()
    {
        frames.clear();
        sides.clear();
    }

    void Swap(FrameBatch& other)
    {
        frames.swap(other.frames);
        sides.swap(other.sides);
    }

    /// Appends the contents of another batch and empties that one.
    void TakeFrom(FrameBatch& other)
    {
        if (frames.empty())
        {
            Swap(other); // both keep the capacity that they have grown to
        }
        else
        {
            frames.insert(frames.end(), other.frames.begin(), other.frames.end());
            sides.insert(sides.end(), other.sides.begin(), other.sides.end());
        }
        other.Clear();
    }
};

} // namespace ns3

#endif // GPU_FABRIC_FRAME_BATCH_H
