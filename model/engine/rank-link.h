/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RANK_LINK_H
#define GPU_FABRIC_RANK_LINK_H

#include "ns3/rank-buffer.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * How the ranks of a simulation in parts meet, once a conservative window: every rank sends a
 * buffer to every other one, and all learn the least of their values. Both in one step, for what
 * a window costs is the latency of a message.
 *
 * Where the value is the time of a rank's next event or of the earliest frame that it sends along,
 * whichever is first, the least of them is the time before which nothing can happen anywhere, and
 * every rank may run on to that time plus the smallest delay of a link between ranks (Chandy and
 * Misra, CACM 24(4), 1981; the windows are those of Nicol, JACM 40(2), 1993).
 */
class RankLink
{
  public:
    virtual ~RankLink() = default;

    /// Of this process or thread, from 0.
    virtual uint32_t GetRank() const = 0;
    /// How many there are.
    virtual uint32_t GetRankCount() const = 0;

    /**
     * Sends to and receives from all other ranks; returns when all that is for this rank is there.
     * All ranks call it equally often.
     * \param earliest a value of this rank, such as a time [ps]
     * \param [in,out] out by rank, what it is sent, nothing for this one; cleared
     * \param [out] in by rank, what it has sent; nothing from this one
     * \return the least value of all ranks, the same on all of them
     */
    int64_t Exchange(int64_t earliest, std::vector<RankBuffer>& out, std::vector<RankBuffer>& in);

    /// The least value of all ranks. All ranks call it equally often.
    int64_t GetMinimum(int64_t value);

  protected:
    /// Moves whole buffers, header included. \param out by rank \param [out] in by rank
    virtual void Swap(std::vector<RankBuffer>& out, std::vector<RankBuffer>& in) = 0;

  private:
    std::vector<RankBuffer> m_noneOut; ///< for GetMinimum()
    std::vector<RankBuffer> m_noneIn;  ///< for GetMinimum()
};

} // namespace ns3

#endif // GPU_FABRIC_RANK_LINK_H
