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
 * The links that each chunk of a collective may take (routing.py, shortest_path_sets.py).
 *
 * The sketch permits a chunk the links of its own host and of those of its destinations, and from
 * its own to theirs by the permitted senders. Of these it may take some, see Ways.
 */
class TacclCandidates
{
  public:
    enum class Ways : uint8_t
    {
        SHORTEST, ///< those on its shortest paths, by time
        DETOURS,  ///< a rank may get it later than at best, by the longest path through a host
        SETS      ///< all between the ranks that are on its paths of fewest links (TACCL)
    };

    /// A link that a chunk may take.
    struct Candidate
    {
        uint32_t chunk{0};
        uint32_t link{0};
    };

    /**
     * \param network, sketch, chunks must outlive this
     * \param ways that chunks may take
     */
    TacclCandidates(const TacclNetwork& network,
                    const TacclSketch& sketch,
                    const std::vector<TacclChunk>& chunks,
                    Ways ways);

    /// Why there is no routing, one sentence; empty: there is one.
    const std::string& GetFault() const
    {
        return m_fault;
    }

    /// The links of a chunk, sorted.
    const std::vector<uint32_t>& GetLinks(uint32_t chunk) const
    {
        return m_links[chunk];
    }

    /// By rank: time of the shortest path of a chunk; INT64_MAX: none [ps].
    const std::vector<int64_t>& GetDistances(uint32_t chunk) const
    {
        return m_distances[chunk];
    }

    /// Whether a link is on a shortest path of a chunk from its source.
    bool IsShortest(uint32_t chunk, uint32_t link) const;

    /// By how much later than at best a rank may get a chunk [ps]; INT64_MAX: not limited.
    int64_t GetSlack() const
    {
        return m_slack;
    }

    /// Nothing is faster: the longest of the shortest paths to a destination [ps].
    int64_t GetBound() const;
    /// Where a symmetry moves a candidate: it is to be the same; nothing: it says nothing of it.
    std::vector<Candidate> Move(const Candidate& candidate,
                                const std::pair<uint32_t, uint32_t>& symmetry) const;

    const TacclNetwork& network;
    const TacclSketch& sketch;
    const std::vector<TacclChunk>& chunks;

  private:
    using ChunkKey = std::pair<uint32_t, std::vector<uint32_t>>;

    std::vector<uint32_t> GetPermitted(const TacclChunk& chunk) const;
    /// \param backward distances to the source instead
    std::vector<int64_t> FindDistances(uint32_t source,
                                       const std::vector<uint32_t>& links,
                                       bool backward = false) const;
    /// The longest of the shortest paths inside a host.
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
