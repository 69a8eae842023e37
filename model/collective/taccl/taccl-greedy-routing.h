/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TACCL_GREEDY_ROUTING_H
#define GPU_FABRIC_TACCL_GREEDY_ROUTING_H

#include "taccl-candidates.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/**
 * A routing without a solver: each destination gets each chunk on a shortest path, by the links
 * that are least loaded when it is chosen; then a chunk comes to a rank by another link, and to all
 * that get it from there, while that makes the sum of squares of the loads of links and ports less.
 * Symmetries are not looked at.
 */
class TacclGreedyRouting
{
  public:
    /// \param candidates must outlive this
    explicit TacclGreedyRouting(const TacclCandidates& candidates);

    /// Links by chunk.
    std::vector<std::vector<uint32_t>> GetLinks() const;

  private:
    /// Calls for the load of a link and those of its ports.
    template <class Function>
    void ForLoads(uint32_t link, Function function);
    /// Puts a chunk on a link, or takes it away (sign -1).
    void Load(uint32_t link, double sign);
    /// By how much the sum of squares of the loads grows with a chunk more on a link.
    double GetGrowth(uint32_t link);
    uint32_t GetBest(const std::vector<uint32_t>& links);
    /// From each destination, the nearest first, back to a rank that has the chunk.
    void Grow(uint32_t chunk);
    /// Changes choices. \returns whether one was changed
    bool Level();
    bool LevelRank(uint32_t chunk, uint32_t rank);
    /// When a rank has a chunk that is on its path to it [ps].
    int64_t GetStart(uint32_t chunk, uint32_t rank) const;
    /// Whether a rank may get a chunk by another link: no cycle, and nothing comes too late.
    bool MayEnter(uint32_t chunk, uint32_t rank, uint32_t link) const;

    const TacclCandidates& m_candidates;
    std::vector<double> m_loads;                ///< of links, then of ports [us]
    std::vector<std::vector<uint32_t>> m_entry; ///< by chunk and rank: the link it comes by
    /// By chunk and rank: the links it may come by.
    std::vector<std::map<uint32_t, std::vector<uint32_t>>> m_entries;
};

} // namespace ns3

#endif // GPU_FABRIC_TACCL_GREEDY_ROUTING_H
