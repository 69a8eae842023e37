/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TACCL_ROUTING_H
#define GPU_FABRIC_TACCL_ROUTING_H

#include "milp-solver.h"
#include "taccl-candidates.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// Which links each chunk takes; a plain value.
struct TacclRoutes
{
    /// By chunk: its links, each after the one that brings the chunk to its source.
    std::vector<std::vector<uint32_t>> links;
    /// The relaxed time: of the longest path of a chunk, or of all chunks on the most loaded link
    /// or port, one after the other [ps].
    int64_t timePs{0};
    std::string solver;   ///< "cbc", ...; "greedy"
    double gap{0};        ///< of the solver's objective, relative; greedy: 0, it knows none
    std::string fallback; ///< why it is greedy, one sentence; empty: it is not
};

/**
 * The first step of TACCL (sec. 5.1; routing.py): a way for each chunk, so that the relaxed time is
 * least, as a mixed integer linear program, or greedily.
 *
 * Many routings have the least time where a slow link decides it, and most of them are bad: TACCL
 * takes what its solver gives. Here the load of the most loaded link inside hosts is added to the
 * objective with a small weight (a reconstruction).
 */
class TacclRouting
{
  public:
    struct Options
    {
        TacclCandidates::Ways ways{TacclCandidates::Ways::SHORTEST};
        double loadWeight{0.01}; ///< of the most loaded link inside hosts
    };

    /// All must outlive this.
    TacclRouting(const TacclNetwork& network,
                 const TacclSketch& sketch,
                 const std::vector<TacclChunk>& chunks,
                 const Options& options);

    /// The links it may use; a fault of theirs is one of this.
    const TacclCandidates& GetCandidates() const
    {
        return m_candidates;
    }

    /// By solver; greedily, and says so, where there is none or it fails. Not with a fault.
    TacclRoutes Solve(const MilpSolver& solver) const;
    /// See TacclGreedyRouting. Not with a fault.
    TacclRoutes SolveGreedily() const;
    /// The relaxed time of links by chunk [ps]; nothing: a destination is not reached, or not once.
    std::optional<int64_t> GetTime(const std::vector<std::vector<uint32_t>>& links) const;

  private:
    /// The links of a chunk as TacclRoutes has them, without those that lead nowhere; empty: a
    /// destination is not reached, or not once.
    std::vector<uint32_t> Sort(uint32_t chunk, const std::vector<uint32_t>& links) const;

    const TacclNetwork& m_network;
    const std::vector<TacclChunk>& m_chunks;
    Options m_options;
    TacclCandidates m_candidates;
};

} // namespace ns3

#endif // GPU_FABRIC_TACCL_ROUTING_H
