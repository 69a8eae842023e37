/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COLLECTIVE_BUILDER_H
#define GPU_FABRIC_COLLECTIVE_BUILDER_H

#include "ns3/collective-schedule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// A chunk of a rank.
struct ChunkPlace
{
    uint32_t rank{0};
    ChunkBuffer buffer{ChunkBuffer::OUTPUT};
    uint32_t chunk{0};
};

/**
 * Builds a CollectiveSchedule move by move and derives the dependencies of each move from its data:
 * the data moved have been written by all earlier moves to that place, and a move within a rank
 * does not overwrite data that the rank has yet to post. CollectiveSchedule::Validate() checks that
 * there are no other races. The order of the moves is the order of messages on a channel, so it
 * should roughly follow time.
 */
class CollectiveBuilder
{
  public:
    /// \param algorithm name \param call the collective
    CollectiveBuilder(const std::string& algorithm,
                      const CollectiveCall& call,
                      uint32_t ranks,
                      uint32_t channels);

    /// Sets the shape of the buffers, before the first Move().
    void SetChunks(uint32_t chunks, bool inPlace, uint32_t scratchChunks = 0);

    /**
     * Moves chunks from one rank to another, or within a rank.
     * \param from first chunk
     * \param to first chunk
     * \param count number of chunks
     * \param channel the channel of a message
     * \param action what happens at the destination
     * \param after moves that must have happened at the source before, in addition to those of the
     * data
     * \returns index of the move
     */
    uint32_t Move(const ChunkPlace& from,
                  const ChunkPlace& to,
                  uint32_t count,
                  uint32_t channel,
                  ChunkAction action,
                  const std::vector<uint32_t>& after = {});

    CollectiveSchedule Finish();

  private:
    /// The moves that have touched a chunk since it was last overwritten.
    struct Touches
    {
        std::vector<uint32_t> writers;
        std::vector<uint32_t> posts;
    };

    Touches& Get(const ChunkPlace& place, uint32_t offset);

    CollectiveSchedule m_schedule;
    std::vector<Touches> m_touches;
};

} // namespace ns3

#endif // GPU_FABRIC_COLLECTIVE_BUILDER_H
