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
 * The routing of TACCL as a mixed integer linear program (sec. 5.1; routing.py), with one binary
 * variable per link that a chunk may use, shared by all candidates that symmetries require to be
 * alike. Times are in us.
 *
 * If chunks use only shortest paths, the time at which a rank has one is known; otherwise it is a
 * variable.
 */
class TacclRoutingModel
{
  public:
    /**
     * \param candidates must outlive this object
     * \param loadWeight weight of the most loaded link within hosts in the objective
     * \param horizonPs upper bound of the time that a chunk needs [ps]
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
    /// A destination receives a chunk exactly once, other ranks at most once, and only ranks that
    /// receive it may send it.
    void AddWays(uint32_t chunk);
    /// When a rank has a chunk: it is forwarded only after it has arrived, so that there are no
    /// cycles.
    /// \param weight of each such time in the objective
    void AddStarts(uint32_t chunk, int64_t horizonPs, double weight);
    /// The load of links and ports bounds the time; also adds what the sketch requires of the load.
    void AddLoads(double weight);
    /// How many links of the first host's switches are used at all.
    void AddHyperedges();

    const TacclCandidates& m_candidates;
    const TacclNetwork& m_network;
    MilpProblem m_problem;
    uint32_t m_time{0};
    std::vector<std::vector<uint32_t>> m_sent; ///< by chunk and candidate: its variable
};

} // namespace ns3

#endif // GPU_FABRIC_TACCL_ROUTING_MODEL_H
