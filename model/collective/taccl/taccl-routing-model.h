/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TACCL_ROUTING_MODEL_H
#define GPU_FABRIC_TACCL_ROUTING_MODEL_H

#include "milp-problem.h"
#include "taccl-candidates.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * The routing of TACCL as a mixed integer linear program (sec. 5.1; routing.py), with a binary for
 * each link that a chunk may take, and one for all that symmetries make alike. Times are in us.
 *
 * Where chunks take shortest paths only, the time at which a rank has one is known; else there is a
 * variable for it.
 */
class TacclRoutingModel
{
  public:
    /**
     * \param candidates must outlive this
     * \param loadWeight weight of the most loaded link inside hosts in the objective
     * \param horizonPs no chunk need be on its way for longer [ps]
     */
    TacclRoutingModel(const TacclCandidates& candidates, double loadWeight, int64_t horizonPs);

    const MilpProblem& GetProblem() const
    {
        return m_problem;
    }

    /// Links by chunk. \param values by variable
    std::vector<std::vector<uint32_t>> GetLinks(const std::vector<double>& values) const;

  private:
    void MergeSymmetric();
    /// A destination gets a chunk once; others at most once, and only they need it to send it.
    void AddWays(uint32_t chunk);
    /// When a rank has a chunk: it is passed on after it has come, so that there are no cycles.
    /// \param weight of each such time in the objective
    void AddStarts(uint32_t chunk, int64_t horizonPs, double weight);
    /// The load of links and ports bounds the time, and what the sketch asks for of it.
    void AddLoads(double weight);
    /// How many links of the switches of the first host are used at all.
    void AddHyperedges();

    const TacclCandidates& m_candidates;
    const TacclNetwork& m_network;
    MilpProblem m_problem;
    uint32_t m_time{0};
    std::vector<std::vector<uint32_t>> m_sent; ///< by chunk and candidate: variable
};

} // namespace ns3

#endif // GPU_FABRIC_TACCL_ROUTING_MODEL_H
