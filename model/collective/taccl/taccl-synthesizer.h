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

/// Links that a chunk may take.
enum class TacclPaths : uint8_t
{
    AUTO,     ///< SHORTEST, and DETOURS where these may be faster
    SHORTEST, ///< those of its shortest paths
    DETOURS,  ///< also those of paths longer by the longest inside a host
    SETS      ///< all between the ranks of its paths of fewest links
};

template <>
struct EnumNames<TacclPaths>
{
    static constexpr EnumName<TacclPaths> TABLE[] = {{TacclPaths::AUTO, "auto"},
                                                     {TacclPaths::SHORTEST, "shortest"},
                                                     {TacclPaths::DETOURS, "detours"},
                                                     {TacclPaths::SETS, "sets"}};
};

/// A collective that has been synthesized, and what is known of it; a plain value.
struct TacclSynthesis
{
    CollectiveSchedule schedule;
    /// In the alpha-beta model, [ps]. Of an all-reduce that of its reduce-scatter and its
    /// all-gather, one after the other (`taccl combine`); its schedule lets them overlap.
    int64_t makespanPs{0};
    int64_t boundPs{0}; ///< TacclSynthesizer::GetBound(), of each phase [ps]
    TacclRoutes routes; ///< of the all-gather or all-to-all
    /// By phase: its messages, reductions first; times begin with the phase.
    std::vector<TacclTiming> phases;
    /// What was done without a solver and why, one sentence; empty: nothing.
    std::string fallback;
};

/**
 * Synthesizes collectives from a sketch: routing, ordering, contiguity and exact schedule
 * (TACCL, Shah et al., NSDI 2023).
 *
 * A reduce-scatter is an all-gather with time and links reversed; an all-reduce is both.
 */
class TacclSynthesizer
{
  public:
    struct Options
    {
        TacclRouting::Options routing; ///< its paths: those that are tried first
        /// Whether detours are tried, too, where the schedule takes more than 1.05 times the
        /// bound, and the faster one is taken (a reconstruction).
        bool tryDetours{true};
        uint32_t maxTogether{6}; ///< chunks of a message (scheduler.py, max_contig)
        /// Of TacclOrdering; 0: TACCL's choice; of a reduce-scatter also that of the all-gather,
        /// whichever is faster.
        uint32_t heuristic{0};

        void SetPaths(TacclPaths paths);
    };

    /// All must outlive this.
    TacclSynthesizer(const TacclNetwork& network,
                     const TacclSketch& sketch,
                     const MilpSolver& solver,
                     const Options& options);

    /// All-gather, reduce-scatter, all-reduce or all-to-all.
    static bool CanDo(CollectiveOperation operation);
    /// Why an operation cannot be synthesized, one sentence; empty: it can.
    std::string GetFault(CollectiveOperation operation) const;
    /**
     * Synthesizes a collective without such a fault.
     * \param operation what is to be achieved
     * \param nicOfRank by rank: channel of what it exchanges with other hosts
     */
    TacclSynthesis Run(CollectiveOperation operation, const std::vector<uint32_t>& nicOfRank) const;
    /**
     * A time below which no schedule on this network is, of an all-reduce neither of its phases
     * [ps]: the longest of the shortest ways, or the time in which all that has to come to a rank
     * or a host can come over its links and ports, all together in one message; where all that
     * comes to a host comes to one rank, the way from there to the farthest rank is added.
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
