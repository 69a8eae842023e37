/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RANK_LINK_H
#define GPU_FABRIC_RANK_LINK_H

#include "rank-buffer.h"

#include <cstdint>

namespace ns3
{

/**
 * How the ranks of a simulation in parts reach each other: whole buffers, from one rank to another,
 * in the order of their sending.
 */
class RankLink
{
  public:
    virtual ~RankLink() = default;

    /// Of this process or thread, from 0.
    virtual uint32_t GetRank() const = 0;
    /// How many there are.
    virtual uint32_t GetRankCount() const = 0;
    /// Sends a buffer and empties it; returns before it has arrived.
    virtual void Send(uint32_t to, RankBuffer& buffer) = 0;
    /// Returns when the next buffer of a rank is there. \param [out] buffer
    virtual void Receive(uint32_t from, RankBuffer& buffer) = 0;
};

} // namespace ns3

#endif // GPU_FABRIC_RANK_LINK_H
