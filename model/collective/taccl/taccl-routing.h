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

/// The links that each chunk uses; a plain value.
struct TacclRoutes
{
    /// By chunk: its links, each after the link that brings the chunk to its source.
    std::vector<std::vector<uint32_t>> links;
    /// The relaxed time: that of the longest path of a chunk, or that of all chunks on the most
    /// loaded link or port one after the other, whichever is longer [ps].
    int64_t timePs{0};
    std::string solver; ///< "cbc", ...; "greedy"
    double gap{0};      ///< relative, of the solver's objective; 0 if greedy, as no bound is known
    std::string fallback; ///< why the greedy method was used, one sentence; empty if it was not
};

/**
 * The first step of TACCL (sec. 5.1; routing.py): a path for each chunk such that the relaxed time
 * is minimal, as a mixed integer linear program, or greedily.
 *
 * If a slow link determines the time, many routings have the minimal time and most of them are bad;
 * TACCL uses whichever its solver returns. Here the load of the most loaded link within hosts is
 * added to the objective with a small weight (a reconstruction).
 */
class TacclRouting
{
  public:
    struct Options
    {
        TacclCandidates::Ways ways{TacclCandidates::Ways::SHORTEST};
        double loadWeight{0.01}; ///< weight of the load of the most loaded link within hosts
    };

    /// All arguments must outlive this object.
    TacclRouting(const TacclNetwork& network,
                 const TacclSketch& sketch,
                 const std::vector<TacclChunk>& chunks,
                 const Options& options);

    /// The links that may be used; a fault of theirs is a fault of the routing.
    const TacclCandidates& GetCandidates() const
    {
        return m_candidates;
    }

    /// Routes by the solver; if there is none or it fails, greedily, which is recorded in the
    /// result. Must not be called with a fault.
    TacclRoutes Solve(const MilpSolver& solver) const;
    /// See TacclGreedyRouting. Must not be called with a fault.
    TacclRoutes SolveGreedily() const;
    /// The relaxed time of the given links by chunk [ps]; nothing: a destination is not reached, or
    /// more than once.
    std::optional<int64_t> GetTime(const std::vector<std::vector<uint32_t>>& links) const;

  private:
    /// The links of a chunk in the order of TacclRoutes, without those that lead nowhere; empty: a
    /// destination is not reached, or more than once.
    std::vector<uint32_t> Sort(uint32_t chunk, const std::vector<uint32_t>& links) const;

    const TacclNetwork& m_network;
    const std::vector<TacclChunk>& m_chunks;
    Options m_options;
    TacclCandidates m_candidates;
};

} // namespace ns3

#endif // GPU_FABRIC_TACCL_ROUTING_H
