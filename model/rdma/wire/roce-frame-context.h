/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROCE_FRAME_CONTEXT_H
#define GPU_FABRIC_ROCE_FRAME_CONTEXT_H

#include "frame-codec.h"

#include "ns3/fabric.h"
#include "ns3/roce-transport.h"

namespace ns3
{

/**
 * Context of a frame taken from a running transport and its fabric.
 *
 * Messages lie one behind the other, as if the queue pair had a single buffer: the address is the
 * number of the first frame times the MTU. The length of a message is no longer known once the
 * sender has completed it or its queue pair has been destroyed.
 */
class RoceFrameContext : public FrameContext
{
  public:
    /// Both arguments must outlive this object.
    RoceFrameContext(const Fabric& fabric, const RoceTransport& transport);

    RdmaMemory GetMemory(const Frame& frame) const override;
    uint32_t GetMessageSequenceNumber(const Frame& frame) const override;
    bool IsSelective(const Frame& frame) const override;
    uint16_t GetPauseQuanta() const override;
    uint32_t GetGapBytes() const override;
    const DscpMap& GetDscpMap() const override;

  private:
    const Fabric& m_fabric;
    const RoceTransport& m_transport;
};

} // namespace ns3

#endif // GPU_FABRIC_ROCE_FRAME_CONTEXT_H
