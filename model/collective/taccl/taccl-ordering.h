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
    /// In `after`: the chunk is there from the start.
    static constexpr uint32_t FIRST = UINT32_MAX;

    uint32_t chunk{0};
    uint32_t link{0};
    uint32_t after{FIRST}; ///< index of the send that brings the chunk to the link's source
    int64_t startPs{0};    ///< according to the heuristic [ps]
};

/**
 * The second step of TACCL (sec. 5.2; heuristic_ordering.py): the order of chunks on each link and
 * port, by one of TACCL's numbered heuristics.
 *
 * 10, 12 and 14 repeatedly choose one send among those whose chunk has reached the link's source; a
 * link and its ports carry one at a time. 10 (switches): the longest remaining path first, then the
 * earliest possible, then by ranks. 14 (several hosts, no switch): the earliest possible, then
 * chunks of the sender's own host, then the longest remaining path. 12 (an all-gather that will be
 * reversed): as 10, but with the remaining path summed over its branches; a rank sends a chunk to
 * one rank after the other, because it will have to reduce them in this way. 5 (one host, no
 * switch) works backward from the last sends: those with the shortest remaining path, and then the
 * longest path so far, are sent last.
 */
class TacclOrdering
{
  public:
    /// The heuristic that TACCL chooses (cli/common.py). \param reverse the result will be reversed
    static uint32_t Choose(const TacclSketch& sketch, bool reverse);

    /**
     * \param network, sketch, chunks must outlive this object
     * \param routes by chunk: links, as TacclRoutes::links
     */
    TacclOrdering(const TacclNetwork& network,
                  const TacclSketch& sketch,
                  const std::vector<TacclChunk>& chunks,
                  const std::vector<std::vector<uint32_t>>& routes);

    /// The sends sorted by time, which is the order on each link and port.
    /// \param heuristic 5, 10, 12 or 14
    std::vector<TacclSend> Order(uint32_t heuristic);

  private:
    /// The inputs of the heuristics, by send.
    struct Facts
    {
        int64_t toGo{0};    ///< time of the longest path onward from the link's source [ps]
        int64_t toGoSum{0}; ///< the same, summed over all ends of the path [ps]
        int64_t gone{0};    ///< time of the path to the link's source [ps]
        uint32_t height{0}; ///< links on the longest path from the link's destination on
        uint32_t ends{0};   ///< number of ranks at which the path ends
    };

    void OrderForward(uint32_t heuristic);
    void OrderBackward();
    /// Whether the send takes the sender's own chunk to another host.
    bool IsOwn(uint32_t send) const;
    std::vector<int64_t> MakeKey(uint32_t heuristic, uint32_t send, int64_t earliest) const;

    const TacclNetwork::Link& GetLink(uint32_t send) const
    {
        return m_network.links[m_sends[send].link];
    }

    const TacclNetwork& m_network;
    const TacclSketch& m_sketch;
    const std::vector<TacclChunk>& m_chunks;
    std::vector<TacclSend> m_sends; ///< by chunk, each after its `after`
    std::vector<Facts> m_facts;
};

} // namespace ns3

#endif // GPU_FABRIC_TACCL_ORDERING_H
