/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PFC_STATE_H
#define GPU_FABRIC_PFC_STATE_H

#include "fabric-port.h"

#include "ns3/fabric-records.h"

#include <array>
#include <vector>

namespace ns3
{

/// PFC state of the ports and priorities that have ever been paused; others cost four bytes per
/// port.
class PfcState
{
  public:
    struct Entry
    {
        int64_t since{0};             ///< start of the pause in force [ps]
        int64_t until{0};             ///< when it expires [ps]
        int64_t totalPs{0};           ///< of ended pauses [ps]
        uint32_t causedByLink{NO_ID}; ///< as given in the pause frame
        uint32_t sentCause{NO_ID};    ///< egress link for which we paused the peer
    };

    void Resize(uint32_t ports)
    {
        m_block.assign(ports, NO_ID);
    }

    /// The entry of a port's priority, created on first use.
    Entry& Get(uint32_t port, uint32_t priority)
    {
        if (m_block[port] == NO_ID)
        {
            m_block[port] = static_cast<uint32_t>(m_blocks.size());
            m_blocks.emplace_back();
        }
        return m_blocks[m_block[port]][priority];
    }

    /// The entry of a priority that already has one.
    const Entry& Peek(uint32_t port, uint32_t priority) const
    {
        return m_blocks[m_block[port]][priority];
    }

    /// Sum of the ended pauses of a priority [ps].
    int64_t GetTotal(uint32_t port, uint32_t priority) const
    {
        return m_block[port] == NO_ID ? 0 : m_blocks[m_block[port]][priority].totalPs;
    }

  private:
    std::vector<uint32_t> m_block;
    std::vector<std::array<Entry, MAX_QUEUES>> m_blocks;
};

} // namespace ns3

#endif // GPU_FABRIC_PFC_STATE_H
