/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TACCL_CANDIDATES_H
#define GPU_FABRIC_TACCL_CANDIDATES_H

#include "taccl-network.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * The links that each chunk of a collective may use (routing.py, shortest_path_sets.py).
 *
 * The sketch permits a chunk the links of its own host and those of its destinations' hosts, and
 * links from its own host to theirs through the permitted senders. Ways selects which of these it
 * may use.
 */
class TacclCandidates
{
  public:
    enum class Ways : uint8_t
    {
        SHORTEST, ///< those on its shortest paths, by time
        DETOURS,  ///< a rank may receive it later than at best, by the longest path through a host
        SETS      ///< all links between the ranks on its paths with the fewest links (TACCL)
    };

    /// A link that a chunk may use.
    struct Candidate
    {
        uint32_t chunk{0};
        uint32_t link{0};
    };

    /**
     * \param network, sketch, chunks must outlive this object
     * \param ways that chunks may use
     */
    TacclCandidates(const TacclNetwork& network,
                    const TacclSketch& sketch,
                    const std::vector<TacclChunk>& chunks,
                    Ways ways);

    /// Why there is no routing, one sentence; empty if there is one.
    const std::string& GetFault() const
    {
        return m_fault;
    }

    /// The links of a chunk, sorted.
    const std::vector<uint32_t>& GetLinks(uint32_t chunk) const
    {
        return m_links[chunk];
    }

    /// By rank: time of the shortest path of a chunk [ps]; INT64_MAX: none.
    const std::vector<int64_t>& GetDistances(uint32_t chunk) const
    {
        return m_distances[chunk];
    }

    /// Whether a link is on a shortest path of a chunk from its source.
    bool IsShortest(uint32_t chunk, uint32_t link) const;

    /// By how much later than at best a rank may receive a chunk [ps]; INT64_MAX: no limit.
    int64_t GetSlack() const
    {
        return m_slack;
    }

    /// A lower bound of the time: the longest of the shortest paths to a destination [ps].
    int64_t GetBound() const;
    /// The candidates to which a symmetry maps a candidate and which must be chosen alike; nothing:
    /// the symmetry does not apply to it.
    std::vector<Candidate> Move(const Candidate& candidate,
                                const std::pair<uint32_t, uint32_t>& symmetry) const;

    const TacclNetwork& network;
    const TacclSketch& sketch;
    const std::vector<TacclChunk>& chunks;

  private:
    using ChunkKey = std::pair<uint32_t, std::vector<uint32_t>>;

    std::vector<uint32_t> GetPermitted(const TacclChunk& chunk) const;
    /// \param backward distances to the source rather than from it
    std::vector<int64_t> FindDistances(uint32_t source,
                                       const std::vector<uint32_t>& links,
                                       bool backward = false) const;
    /// The longest of the shortest paths within a host.
    int64_t FindDiameter() const;
    std::vector<int64_t> CountHops(uint32_t source, const std::vector<uint32_t>& links) const;
    void Admit(uint32_t chunk);
    std::vector<uint32_t> FindDetours(uint32_t chunk, const std::vector<uint32_t>& links) const;
    void CheckSymmetries();

    Ways m_ways;
    int64_t m_slack{0};
    std::string m_fault;
    std::vector<std::vector<uint32_t>> m_links;
    std::vector<std::vector<int64_t>> m_distances;
    std::map<ChunkKey, uint32_t> m_first; ///< the first chunk with this source and destinations
};

} // namespace ns3

#endif // GPU_FABRIC_TACCL_CANDIDATES_H
