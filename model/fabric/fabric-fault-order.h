/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_FAULT_ORDER_H
#define GPU_FABRIC_FABRIC_FAULT_ORDER_H

#include <cstdint>

namespace ns3
{

/// Loss of frames on a directed link: each frame of given kinds is lost with a probability.
struct FrameLoss
{
    uint32_t kinds{0};     ///< bit k: frames of FrameKind k
    double probability{0}; ///< 0 to 1
};

/// A change made by a fault at one instant in all logical processes of a fabric. Each has the state
/// of some ports and wires only, and changes that.
struct FabricFaultOrder
{
    enum Kind : uint32_t
    {
        TAKE_DOWN,   ///< a link goes down
        GIVE_BACK,   ///< a link comes up
        FLUSH,       ///< a port of a dead switch loses what its queues hold
        SET_RATE,    ///< of a link in both directions
        ADD_LOSS,    ///< at the end of the wire of a port; numbered in order
        REMOVE_LOSS, ///< by its number
        REROUTE,     ///< around links that are down
        MARK_FAULTED ///< a link on which PFC may have failed to hold back frames
    };

    Kind kind{TAKE_DOWN};
    uint32_t id{0};      ///< a link, a port or the number of a loss, as above
    int64_t now{0};      ///< [ps]
    uint64_t rateBps{0}; ///< of SET_RATE [bit/s]; 0: the link's own rate
    FrameLoss loss;      ///< of ADD_LOSS
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_FAULT_ORDER_H
