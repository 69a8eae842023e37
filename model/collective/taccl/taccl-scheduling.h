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

/// Chunks that go over a link together.
struct TacclMessage
{
    uint32_t source{0};      ///< rank
    uint32_t destination{0}; ///< rank
    bool remote{false};      ///< between hosts
    std::vector<uint32_t> chunks;
    int64_t startPs{0};
    int64_t endPs{0}; ///< all of them have arrived
};

/// When each chunk goes over each link; a plain value.
struct TacclTiming
{
    std::vector<TacclMessage> messages; ///< sorted by start
    int64_t makespanPs{0};
    std::string solver;   ///< "cbc", ...; "greedy"; "exact": there was nothing to choose
    double gap{0};        ///< of the solver's makespan with this order, relative
    std::string fallback; ///< why it is greedy, one sentence; empty: it is not
};

/**
 * The third step of TACCL (sec. 5.3; scheduler.py): the order on links and ports is given; which
 * successive chunks on a link between hosts go together is chosen, so that the last chunk arrives
 * soonest, as a mixed integer linear program, or greedily. k chunks together take alpha + beta k;
 * they leave when all of them are there and arrive together.
 *
 * Given what goes together, the time of each message is that of its longest chain of predecessors,
 * which is exact.
 */
class TacclScheduling
{
  public:
    /**
     * \param network must outlive this
     * \param sends as TacclOrdering::Order() has them
     * \param maxTogether chunks of a message, at most
     */
    TacclScheduling(const TacclNetwork& network,
                    std::vector<TacclSend> sends,
                    uint32_t maxTogether);

    /// By solver; greedily, and says so, where there is none or it fails.
    TacclTiming Solve(const MilpSolver& solver) const;
    /// Joins chunks one by one, and separates them, while that makes it faster.
    TacclTiming SolveGreedily() const;

  private:
    /// Which sends go with the next one on their link, by send.
    using Joins = std::vector<uint8_t>;

    /// Messages and their times; makespan INT64_MAX: they wait for each other.
    TacclTiming Evaluate(const Joins& joins) const;
    MilpProblem MakeProblem(int64_t horizonPs, std::vector<uint32_t>& joinVariables) const;
    /// Whether a message would have too many chunks.
    bool IsTooLong(const Joins& joins, uint32_t send) const;

    const TacclNetwork& m_network;
    std::vector<TacclSend> m_sends;
    uint32_t m_maxTogether;
    std::vector<uint32_t> m_next;                   ///< by send: the next on its link, or FIRST
    std::vector<uint32_t> m_previous;               ///< by send: the one before, or FIRST
    std::vector<uint32_t> m_joinable;               ///< sends that may go with the next one
    std::vector<std::vector<uint32_t>> m_portSends; ///< by port, in order
};

} // namespace ns3

#endif // GPU_FABRIC_TACCL_SCHEDULING_H
