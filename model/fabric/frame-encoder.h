/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FRAME_ENCODER_H
#define GPU_FABRIC_FRAME_ENCODER_H

#include "fabric-frame.h"

#include "ns3/packet.h"
#include "ns3/simple-ref-count.h"

namespace ns3
{

/// Builds the bytes of a frame, which the fabric itself does not need.
class FrameEncoder : public SimpleRefCount<FrameEncoder>
{
  public:
    virtual ~FrameEncoder() = default;

    /**
     * The packet that represents a frame on a wire.
     * \param port the port that puts it on the wire
     * \param hops wires it has crossed before
     * \param fcs whether it ends with the Ethernet frame check sequence
     */
    virtual Ptr<Packet> ToPacket(const Frame& frame,
                                 uint32_t port,
                                 uint32_t hops,
                                 bool fcs) const = 0;
};

} // namespace ns3

#endif // GPU_FABRIC_FRAME_ENCODER_H
