/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CHUNK_SIZES_H
#define GPU_FABRIC_CHUNK_SIZES_H

#include "collective-plan.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// CollectiveSchedule::GetTransferBytes() of all transfers of a plan in a buffer of one size,
/// prepared without a division a transfer.
class ChunkSizes
{
  public:
    /// \param plan must outlive the use \param bytes size of the buffer [byte]
    void Prepare(const CollectivePlan& plan, uint64_t bytes)
    {
        if (m_plan == &plan && m_bytes == bytes)
        {
            return;
        }
        m_plan = &plan;
        m_bytes = bytes;
        const CollectiveSchedule& schedule = plan.GetSchedule();
        m_numerator = schedule.wireNumerator;
        m_denominator = schedule.wireDenominator;
        // Offset c is floor(bytes c / chunks): each step adds the quotient, and one whenever the
        // remainders add up to a whole chunk.
        const uint64_t quotient = bytes / schedule.chunks;
        const uint64_t remainder = bytes % schedule.chunks;
        m_offsets.resize(plan.GetChunkEnd() + 1);
        uint64_t offset = 0;
        uint64_t rest = 0;
        for (uint64_t& entry : m_offsets)
        {
            entry = offset;
            offset += quotient;
            rest += remainder;
            if (rest >= schedule.chunks)
            {
                rest -= schedule.chunks;
                offset++;
            }
        }
    }

    /// Size of a transfer [byte].
    uint64_t Get(const PlannedTransfer& transfer) const
    {
        const uint64_t size =
            m_offsets[transfer.firstChunk + transfer.chunkCount] - m_offsets[transfer.firstChunk];
        return m_numerator == m_denominator
                   ? size
                   : CollectiveSchedule::GetWireBytes(size, m_numerator, m_denominator);
    }

  private:
    const CollectivePlan* m_plan{nullptr};
    uint64_t m_bytes{0};
    uint32_t m_numerator{1};
    uint32_t m_denominator{1};
    std::vector<uint64_t> m_offsets; ///< by chunk [byte]
};

} // namespace ns3

#endif // GPU_FABRIC_CHUNK_SIZES_H
