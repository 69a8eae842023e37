/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TACCL_ORDERING_H
#define GPU_FABRIC_TACCL_ORDERING_H

#include "taccl-network.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// A chunk on a link.
struct TacclSend
{
    /// In `after`: the chunk is there from the beginning.
    static constexpr uint32_t FIRST = UINT32_MAX;

    uint32_t chunk{0};
    uint32_t link{0};
    uint32_t after{FIRST}; ///< index of the send that brings the chunk to the link's source
    int64_t startPs{0};    ///< as the heuristic has it [ps]
};

/**
 * The second step of TACCL (sec. 5.2; heuristic_ordering.py): the order of chunks on each link and
 * port, by one of TACCL's heuristics, which have numbers there.
 *
 * 10, 12 and 14 choose one send after the other among those whose chunk has come to the link's
 * source; a link and its ports carry one at a time. 10 (switches): the longest path still to go
 * first, then the earliest possible, then by ranks. 14 (several hosts, no switch): the earliest
 * possible, then chunks of the own host, then the longest path to go. 12 (an all-gather that is to
 * be reversed): as 10 with the sum over the branches of the path to go, and a rank sends a chunk to
 * one after the other, since it will have to reduce them so. 5 (one host, no switch) goes backward
 * from the last sends: what has least to go, and has gone farthest, is sent last.
 */
class TacclOrdering
{
  public:
    /// The heuristic that TACCL takes (cli/common.py). \param reverse it is to be reversed
    static uint32_t Choose(const TacclSketch& sketch, bool reverse);

    /**
     * \param network, sketch, chunks must outlive this
     * \param routes by chunk: links, as TacclRoutes::links
     */
    TacclOrdering(const TacclNetwork& network,
                  const TacclSketch& sketch,
                  const std::vector<TacclChunk>& chunks,
                  const std::vector<std::vector<uint32_t>>& routes);

    /// The sends, sorted by time, which is the order on each link and port.
    /// \param heuristic 5, 10, 12 or 14
    std::vector<TacclSend> Order(uint32_t heuristic);

  private:
    /// What heuristics depend on, by send.
    struct Facts
    {
        int64_t toGo{0};    ///< time of the longest path from the link's source on [ps]
        int64_t toGoSum{0}; ///< the same over all ends of the path [ps]
        int64_t gone{0};    ///< time of the path to the link's source [ps]
        uint32_t height{0}; ///< links of the longest path from the link's destination on
        uint32_t ends{0};   ///< ranks where the path ends
    };

    void OrderForward(uint32_t heuristic);
    void OrderBackward();
    /// Whether it takes the sender's own chunk to another host.
    bool IsOwn(uint32_t send) const;
    std::vector<int64_t> MakeKey(uint32_t heuristic, uint32_t send, int64_t earliest) const;

    const TacclNetwork::Link& GetLink(uint32_t send) const
    {
        return m_network.links[m_sends[send].link];
    }

    const TacclNetwork& m_network;
    const TacclSketch& m_sketch;
    const std::vector<TacclChunk>& m_chunks;
    std::vector<TacclSend> m_sends; ///< by chunk, each after that of `after`
    std::vector<Facts> m_facts;
};

} // namespace ns3

#endif // GPU_FABRIC_TACCL_ORDERING_H
