/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TACCL_SCHEDULE_WRITER_H
#define GPU_FABRIC_TACCL_SCHEDULE_WRITER_H

#include "../collective-builder.h"
#include "taccl-network.h"
#include "taccl-scheduling.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * Converts the messages of a collective to a CollectiveSchedule.
 *
 * Chunks that are sent together but are not contiguous are copied to scratch memory, sent as one
 * message, and copied or reduced from there, which takes no time. In an all-to-all, scratch memory
 * also holds the chunks that a rank forwards.
 */
class TacclScheduleWriter
{
  public:
    /**
     * \param operation all-gather, reduce-scatter, all-reduce or all-to-all
     * \param chunks of the all-gather or all-to-all; must outlive this object
     * \param chunksOfRank chunks of a portion
     * \param nicOfRank by rank: channel of its messages to and from other hosts
     */
    TacclScheduleWriter(CollectiveOperation operation,
                        uint32_t ranks,
                        const std::vector<TacclChunk>& chunks,
                        uint32_t chunksOfRank,
                        std::vector<uint32_t> nicOfRank);

    /**
     * \param algorithm name
     * \param reductions messages that reduce, sorted by start; come first
     * \param copies messages that copy, sorted by start
     */
    CollectiveSchedule Write(const std::string& algorithm,
                             const std::vector<TacclMessage>& reductions,
                             const std::vector<TacclMessage>& copies);

  private:
    /// The arguments of CollectiveBuilder::Move().
    struct Move
    {
        ChunkPlace from;
        ChunkPlace to;
        uint32_t count{1};
        uint32_t channel{0};
        ChunkAction action{ChunkAction::COPY};
    };

    /// The location of a chunk at a rank.
    ChunkPlace GetPlace(uint32_t chunk, uint32_t rank);
    /// Allocates scratch memory of a rank.
    ChunkPlace TakeScratch(uint32_t rank, uint32_t count);
    void WriteMessage(const TacclMessage& message, ChunkAction action);

    CollectiveOperation m_operation;
    uint32_t m_ranks;
    const std::vector<TacclChunk>& m_chunks;
    uint32_t m_chunksOfRank;
    std::vector<uint32_t> m_nicOfRank;
    std::vector<uint32_t> m_scratch;                               ///< by rank: chunks allocated
    std::map<std::pair<uint32_t, uint32_t>, ChunkPlace> m_relayed; ///< by chunk and rank
    std::vector<Move> m_moves;
};

} // namespace ns3

#endif // GPU_FABRIC_TACCL_SCHEDULE_WRITER_H
