/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_ENDPOINT_H
#define GPU_FABRIC_FABRIC_ENDPOINT_H

#include <cstdint>

namespace ns3
{

/// The purpose for which a queue pair is prefetched.
enum class QueuePairUse : uint8_t
{
    SEND,    ///< a frame of its own
    RECEIVE, ///< a data frame
    FINISH,  ///< the last data frame of a message
    CONTROL  ///< an acknowledgement or a CNP
};

/// The fabric's interface to the layer above a host's ports.
class FabricEndpoint
{
  public:
    virtual ~FabricEndpoint() = default;

    /// A frame has arrived at a host's port; the endpoint now owns it (and frees it).
    virtual void ReceiveFrame(int64_t now, uint32_t port, uint32_t frame) = 0;

    /// \name Prefetching
    /// Fetch data that will be needed soon into the cache, and change nothing. A stage may read
    /// data that the previous one has fetched.
    /// @{
    /// A frame of a queue pair will arrive or be sent. \param stage 0: its state, 1: data that it
    /// refers to
    virtual void PrefetchQueuePair(uint32_t /* queuePair */,
                                   QueuePairUse /* use */,
                                   uint32_t /* stage */) const
    {
    }

    /// A port will send. \param stage 0 and 1: the data that determine the next queue pair
    virtual void PrefetchPort(uint32_t /* port */, uint32_t /* stage */) const
    {
    }

    /// The queue pair that a port will query first; UINT32_MAX: unknown. Starts to prefetch the
    /// data linked to it. \param [out] priority its priority, as far as known
    virtual uint32_t GetNextQueuePair(uint32_t /* port */, uint32_t& /* priority */) const
    {
        return UINT32_MAX;
    }

    /// @}

    /**
     * The port is idle: builds the next data frame to send.
     * \param allowed bit p: priority p may be sent
     * \param retryAt if no frame is ready, set to when one may be (pacing) [ps], or INT64_MAX
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
