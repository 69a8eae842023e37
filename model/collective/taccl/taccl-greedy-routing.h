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
 * A routing without a solver. Each destination receives each chunk on a shortest path, over the
 * links least loaded at the time of the choice. Then a chunk is moved to another link into a rank,
 * for that rank and all ranks downstream, as long as this reduces the sum of squares of the loads
 * of links and ports. Symmetries are ignored.
 */
class TacclGreedyRouting
{
  public:
    /// \param candidates must outlive this object
    explicit TacclGreedyRouting(const TacclCandidates& candidates);

    /// Links by chunk.
    std::vector<std::vector<uint32_t>> GetLinks() const;

  private:
    /// Calls a function for the load of a link and those of its ports.
    template <class Function>
    void ForLoads(uint32_t link, Function function);
    /// Adds a chunk to a link, or removes it (sign -1).
    void Load(uint32_t link, double sign);
    /// The increase of the sum of squares of the loads if a link carries one more chunk.
    double GetGrowth(uint32_t link);
    uint32_t GetBest(const std::vector<uint32_t>& links);
    /// Adds paths from each destination, nearest first, back to a rank that has the chunk.
    void Grow(uint32_t chunk);
    /// Improves choices. \returns whether any was changed
    bool Level();
    bool LevelRank(uint32_t chunk, uint32_t rank);
    /// When a rank on the path of a chunk has it [ps].
    int64_t GetStart(uint32_t chunk, uint32_t rank) const;
    /// Whether a rank may receive a chunk over another link, without creating a cycle or making any
    /// arrival too late.
    bool MayEnter(uint32_t chunk, uint32_t rank, uint32_t link) const;

    const TacclCandidates& m_candidates;
    std::vector<double> m_loads; ///< of links, then of ports [us]
    std::vector<std::vector<uint32_t>>
        m_entry; ///< by chunk and rank: the link over which it arrives
    /// By chunk and rank: the links over which it may arrive.
    std::vector<std::map<uint32_t, std::vector<uint32_t>>> m_entries;
};

} // namespace ns3

#endif // GPU_FABRIC_TACCL_GREEDY_ROUTING_H
