/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FRAME_BATCH_H
#define GPU_FABRIC_FRAME_BATCH_H

#include "ns3/fabric-frame.h"
#include "ns3/frame-side.h"

#include <utility>
#include <vector>

namespace ns3
{

/// Frames outside of a pool, on their way from one part of a split fabric to another, in the order
/// of their sending. Frame::next is the port that sent it.
struct FrameBatch
{
    std::vector<Frame> frames;
    /// Of the frames whose Frame::side is not 0, in the same order.
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

    /// Moves what is in another one behind what is in this one.
    void TakeFrom(FrameBatch& other)
    {
        if (frames.empty())
        {
            Swap(other); // both keep the room that they have grown to
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
