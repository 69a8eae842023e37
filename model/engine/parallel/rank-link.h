/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RANK_LINK_H
#define GPU_FABRIC_RANK_LINK_H

#include "rank-buffer.h"

#include <cstdint>

namespace ns3
{

/// Communication between the ranks of a parallel simulation: whole buffers from one rank to
/// another, in the order of sending.
class RankLink
{
  public:
    virtual ~RankLink() = default;

    /// Rank of this process or thread, from 0.
    virtual uint32_t GetRank() const = 0;
    /// Number of ranks.
    virtual uint32_t GetRankCount() const = 0;
    /// Sends a buffer and empties it; returns before it has arrived.
    virtual void Send(uint32_t to, RankBuffer& buffer) = 0;
    /// Returns once the next buffer from a rank has arrived. \param [out] buffer
    virtual void Receive(uint32_t from, RankBuffer& buffer) = 0;
};

} // namespace ns3

#endif // GPU_FABRIC_RANK_LINK_H
