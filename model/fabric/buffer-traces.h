/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_BUFFER_TRACES_H
#define GPU_FABRIC_BUFFER_TRACES_H

#include "ns3/event-id.h"

#include <cstdint>
#include <map>

namespace ns3
{

struct NetworkState;

/**
 * The bytes in the buffers of switches that are traced, exact at any time, whereas a buffer manager
 * books the end of a transmission late (HopPipeline). It only reads the network: it adds what the
 * buffer manager counts and what has ended since, when a frame is admitted and, by an ordinary
 * event, when a transmission ends. A network that is traced thus runs exactly as one that is not.
 */
class BufferTraces
{
  public:
    /// Starts or stops to trace a switch.
    void SetTraced(const NetworkState& net, uint32_t switchIndex, bool traced);
    bool IsTraced(uint32_t switchIndex) const;

    /// Whether no switch is traced.
    bool IsEmpty() const
    {
        return m_levels.empty();
    }

    /// A frame may have been admitted to a traced switch, or have left, or its transmission begun.
    void Update(const NetworkState& net, uint32_t switchIndex);
    void Clear();

  private:
    struct Level
    {
        uint64_t bytes{0};                       ///< as last notified [byte]
        std::map<uint32_t, EventId> transmitted; ///< by port: the end of its transmission
    };

    static uint64_t GetBytes(const NetworkState& net, uint32_t switchIndex, int64_t now);
    void Watch(const NetworkState& net, uint32_t switchIndex, Level& level, int64_t now);

    std::map<uint32_t, Level> m_levels; ///< by switch index
};

} // namespace ns3

#endif // GPU_FABRIC_BUFFER_TRACES_H
