/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TACCL_SCHEDULING_H
#define GPU_FABRIC_TACCL_SCHEDULING_H

#include "milp-solver.h"
#include "taccl-ordering.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// Chunks that are sent over a link together.
struct TacclMessage
{
    uint32_t source{0};      ///< rank
    uint32_t destination{0}; ///< rank
    bool remote{false};      ///< between hosts
    std::vector<uint32_t> chunks;
    int64_t startPs{0};
    int64_t endPs{0}; ///< when all of them have arrived
};

/// When each chunk is sent over each link; a plain value.
struct TacclTiming
{
    std::vector<TacclMessage> messages; ///< sorted by start
    int64_t makespanPs{0};
    std::string solver;   ///< "cbc", ...; "greedy"; "exact" if there was nothing to choose
    double gap{0};        ///< relative, of the solver's makespan for this order
    std::string fallback; ///< why the greedy method was used, one sentence; empty if it was not
};

/**
 * The third step of TACCL (sec. 5.3; scheduler.py): with the order on links and ports given, it
 * chooses which successive chunks on a link between hosts are sent together, so that the last chunk
 * arrives as early as possible, as a mixed integer linear program, or greedily. k chunks sent
 * together take alpha + beta k; they leave when all of them are there and arrive together.
 *
 * For a given grouping, the time of each message is that of its longest chain of predecessors,
 * which is exact.
 */
class TacclScheduling
{
  public:
    /**
     * \param network must outlive this object
     * \param sends as returned by TacclOrdering::Order()
     * \param maxTogether maximum number of chunks per message
     */
    TacclScheduling(const TacclNetwork& network,
                    std::vector<TacclSend> sends,
                    uint32_t maxTogether);

    /// Schedules by the solver; if there is none or it fails, greedily, which is recorded in the
    /// result.
    TacclTiming Solve(const MilpSolver& solver) const;
    /// Joins and separates chunks one by one as long as this is faster.
    TacclTiming SolveGreedily() const;

  private:
    /// By send: whether it is sent together with the next one on its link.
    using Joins = std::vector<uint8_t>;

    /// Messages and their times; makespan INT64_MAX: they wait for each other in a cycle.
    TacclTiming Evaluate(const Joins& joins) const;
    MilpProblem MakeProblem(int64_t horizonPs, std::vector<uint32_t>& joinVariables) const;
    /// Whether a message would have too many chunks.
    bool IsTooLong(const Joins& joins, uint32_t send) const;

    const TacclNetwork& m_network;
    std::vector<TacclSend> m_sends;
    uint32_t m_maxTogether;
    std::vector<uint32_t> m_next;                   ///< by send: the next one on its link, or FIRST
    std::vector<uint32_t> m_previous;               ///< by send: the previous one, or FIRST
    std::vector<uint32_t> m_joinable;               ///< sends that may be joined with the next one
    std::vector<std::vector<uint32_t>> m_portSends; ///< by port, in order
};

} // namespace ns3

#endif // GPU_FABRIC_TACCL_SCHEDULING_H
