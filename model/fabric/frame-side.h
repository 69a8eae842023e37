/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FRAME_SIDE_H
#define GPU_FABRIC_FRAME_SIDE_H

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * What one switch reports about the egress port by which a frame leaves it: in-band network
 * telemetry as used by HPCC (Li et al., SIGCOMM 2019, section 4: B, ts, txBytes and qLen).
 *
 * It is recorded when the frame leaves its queue. Neither count includes the frame itself or PFC
 * frames.
 */
struct IntRecord
{
    uint64_t txBytes{0};    ///< previously sent by the port, on the wire, all priorities [byte]
    uint64_t queueBytes{0}; ///< waiting at the port, in all its queues [byte]
    int64_t timePs{0};      ///< when it was recorded [ps]
    uint64_t rateBps{0};    ///< current rate of the port [bit/s]
};

/// Bits of FrameSide::flags.
enum FrameSideFlag : uint8_t
{
    FRAME_SIDE_INT = 1 ///< switches append an IntRecord
};

/// Data that few frames need besides a Frame: see FramePool::AttachSide().
struct FrameSide
{
    /// More switches than any path of a topology here has; further switches append nothing.
    static constexpr std::size_t MAX_HOPS = 8;

    int64_t sentPs{0};                        ///< time stamp of the sender [ps]
    uint8_t flags{0};                         ///< FrameSideFlag
    uint8_t hops{0};                          ///< records that are valid
    std::array<IntRecord, MAX_HOPS> record{}; ///< by hop, the sender's switch first

    /// Appends a record if there is room.
    void Append(const IntRecord& hop)
    {
        if (hops < MAX_HOPS)
        {
            record[hops++] = hop;
        }
    }
};

} // namespace ns3

#endif // GPU_FABRIC_FRAME_SIDE_H
