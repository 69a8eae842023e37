/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_BUFFER_MANAGER_H
#define GPU_FABRIC_BUFFER_MANAGER_H

#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// The verdict of a BufferManager on an arriving frame.
enum class BufferVerdict : uint8_t
{
    ADMIT,    ///< counted
    PAUSE,    ///< counted, and the ingress priority must now be paused
    DROP,     ///< not counted
    UNCERTAIN ///< not counted: it would pause or drop, but releases of ended transmissions may be
              ///< outstanding
};

/// What a buffer manager needs to know about a port of its switch.
struct BufferPort
{
    std::string name;       ///< for messages
    uint64_t rateBps{0};    ///< [bit/s]
    int64_t delayPs{0};     ///< propagation [ps]
    uint32_t frameBytes{0}; ///< largest frame on the port, on the wire [byte]
};

/**
 * The shared buffer of one switch: admission, PFC state and headroom as pure accounting on (ingress
 * port, egress port, priority, bytes). It handles no frames and no events. The end of a
 * transmission (Release) may be reported late; its numbers are then upper bounds, and it must
 * answer UNCERTAIN if exact ones could change a verdict and `certain` is false.
 */
class BufferManager : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Sets up the accounts.
     * \param size packet memory of the switch [byte]
     * \param losslessMask bit p: priority p is lossless (PFC)
     * \returns an empty string, or why the buffer is too small, naming the port
     */
    virtual std::string Configure(uint64_t size,
                                  const std::vector<BufferPort>& ports,
                                  uint32_t priorities,
                                  uint32_t losslessMask) = 0;
    /// Judges and, unless DROP or UNCERTAIN, counts an arriving frame of `bytes` [byte].
    virtual BufferVerdict Admit(uint32_t ingress,
                                uint32_t egress,
                                uint32_t priority,
                                uint32_t bytes,
                                bool certain) = 0;

    /// A frame will soon be judged or leave: prefetches its account.
    virtual void Prefetch(uint32_t /* ingress */, uint32_t /* priority */) const
    {
    }

    /// A frame has left.
    virtual void Release(uint32_t ingress, uint32_t priority, uint32_t bytes) = 0;
    /// Whether a paused ingress priority may resume; if so it is no longer paused.
    virtual bool Resume(uint32_t ingress, uint32_t priority) = 0;
    /// Whether it guarantees that no frame of a lossless priority is dropped.
    virtual bool IsLossless() const = 0;
    /// Bytes counted now [byte].
    virtual uint64_t GetUsedBytes() const = 0;
    /// Peak number of bytes counted [byte] (an upper bound if releases came late).
    virtual uint64_t GetPeakBytes() const = 0;
};

} // namespace ns3

#endif // GPU_FABRIC_BUFFER_MANAGER_H
