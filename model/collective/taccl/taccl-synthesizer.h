/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TACCL_SYNTHESIZER_H
#define GPU_FABRIC_TACCL_SYNTHESIZER_H

#include "milp-solver.h"
#include "taccl-network.h"
#include "taccl-routing.h"
#include "taccl-scheduling.h"

#include "ns3/enum-names.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// The links that a chunk may use.
enum class TacclPaths : uint8_t
{
    AUTO,     ///< SHORTEST, and DETOURS if these may be faster
    SHORTEST, ///< those of its shortest paths
    DETOURS,  ///< also those of paths longer by at most the longest path within a host
    SETS      ///< all links between the ranks of its paths with the fewest links
};

template <>
struct EnumNames<TacclPaths>
{
    static constexpr EnumName<TacclPaths> TABLE[] = {{TacclPaths::AUTO, "auto"},
                                                     {TacclPaths::SHORTEST, "shortest"},
                                                     {TacclPaths::DETOURS, "detours"},
                                                     {TacclPaths::SETS, "sets"}};
};

/// A synthesized collective and its properties; a plain value.
struct TacclSynthesis
{
    CollectiveSchedule schedule;
    /// In the alpha-beta model [ps]. For an all-reduce it is the sum of its reduce-scatter and its
    /// all-gather in sequence (`taccl combine`); the schedule lets them overlap.
    int64_t makespanPs{0};
    int64_t boundPs{0}; ///< TacclSynthesizer::GetBound(), of each phase [ps]
    TacclRoutes routes; ///< of the all-gather or all-to-all
    /// By phase: its messages, reductions first; times are relative to the start of the phase.
    std::vector<TacclTiming> phases;
    /// What was done without a solver and why, one sentence; empty if nothing was.
    std::string fallback;
};

/**
 * Synthesizes collectives from a sketch: routing, ordering, contiguity and exact schedule (TACCL,
 * Shah et al., NSDI 2023).
 *
 * A reduce-scatter is an all-gather with time and links reversed; an all-reduce is the two in
 * sequence.
 */
class TacclSynthesizer
{
  public:
    struct Options
    {
        TacclRouting::Options routing; ///< the paths in it are tried first
        /// Whether to try detours as well if the schedule takes more than 1.05 times the bound, and
        /// use the faster one (a reconstruction).
        bool tryDetours{true};
        uint32_t maxTogether{6}; ///< chunks per message, at most (scheduler.py, max_contig)
        /// The heuristic of TacclOrdering; 0: TACCL's choice, and for a reduce-scatter also that of
        /// the all-gather, whichever is faster.
        uint32_t heuristic{0};

        void SetPaths(TacclPaths paths);
    };

    /// All arguments must outlive this object.
    TacclSynthesizer(const TacclNetwork& network,
                     const TacclSketch& sketch,
                     const MilpSolver& solver,
                     const Options& options);

    /// Whether an operation can be synthesized: all-gather, reduce-scatter, all-reduce or
    /// all-to-all.
    static bool CanDo(CollectiveOperation operation);
    /// Why an operation cannot be synthesized, one sentence; empty if it can.
    std::string GetFault(CollectiveOperation operation) const;
    /**
     * Synthesizes a collective that has no such fault.
     * \param operation the operation
     * \param nicOfRank by rank: channel of its messages to and from other hosts
     */
    TacclSynthesis Run(CollectiveOperation operation, const std::vector<uint32_t>& nicOfRank) const;
    /**
     * A lower bound of the time of any schedule on this network, and for an all-reduce of either
     * phase [ps]: the longest of the shortest paths, or the time in which everything that a rank or
     * a host must receive can arrive over its links and ports in a single message. If everything
     * that a host receives arrives at one rank, the path from there to the farthest rank is added.
     */
    int64_t GetBound(CollectiveOperation operation) const;

  private:
    int64_t GetCutBound(const std::vector<TacclChunk>& chunks,
                        uint32_t firstRank,
                        uint32_t rankCount) const;
    /// Routing and phases of an operation.
    TacclSynthesis TryWays(CollectiveOperation operation,
                           const std::vector<TacclChunk>& chunks,
                           TacclCandidates::Ways ways) const;
    TacclTiming MakePhase(const std::vector<TacclChunk>& chunks,
                          const TacclRoutes& routes,
                          bool reverse) const;

    const TacclNetwork& m_network;
    const TacclSketch& m_sketch;
    const MilpSolver& m_solver;
    Options m_options;
};

} // namespace ns3

#endif // GPU_FABRIC_TACCL_SYNTHESIZER_H
