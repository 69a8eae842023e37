/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_ENDPOINT_H
#define GPU_FABRIC_FABRIC_ENDPOINT_H

#include <cstdint>

namespace ns3
{

/// What the fabric knows of the layer above a host's ports.
class FabricEndpoint
{
  public:
    virtual ~FabricEndpoint() = default;

    /// A frame has arrived at a host's port; the endpoint owns it now (and frees it).
    virtual void ReceiveFrame(int64_t now, uint32_t port, uint32_t frame) = 0;

    /**
     * The port is idle: builds the next data frame to send.
     * \param allowed bit p: priority p may be sent
     * \param retryAt set, where none is ready, to when one may be (pacing) [ps], or INT64_MAX
     * \returns a frame with wireBytes and priority set, or NO_FRAME
     */
    virtual uint32_t NextFrame(int64_t now, uint32_t port, uint32_t allowed, int64_t& retryAt) = 0;

    /// Priorities (bit p) for which NextFrame() may have a frame now; those without a bit have
    /// none.
    virtual uint32_t GetReadyPriorities(int64_t now, uint32_t port) = 0;

    /// A priority of a host's port has been paused or has resumed.
    virtual void PauseChanged(int64_t now, uint32_t port, uint32_t pausedMask) = 0;

    /// A data or control frame was dropped in the fabric; it is freed by the fabric.
    virtual void FrameDropped(int64_t now, uint32_t frame) = 0;
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_ENDPOINT_H
