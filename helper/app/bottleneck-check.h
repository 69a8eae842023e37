/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_BOTTLENECK_CHECK_H
#define GPU_FABRIC_BOTTLENECK_CHECK_H

#include "../../model/results/result-database.h"
#include "../../model/scenario/scenario.h"

#include "ns3/cluster-view.h"
#include "ns3/fabric-helper.h"

#include <cstdint>
#include <map>
#include <set>

namespace ns3
{

/**
 * Theorem 1 of Crux (SIGCOMM 2024, section 3 and appendix A) on the link that the scenario names as
 * its bottleneck: |U - F| <= sum of W over the jobs that send on it, at the end of the whole run.
 *
 * U is the work that these jobs have done, F = sum of I_j S_j with I_j = W_j / t_j; S_j is the wire
 * time, at the link's declared rate, of the data frames of job j that it has carried, and t_j that
 * of an iteration. Only data frames count, in S as in t: acknowledgements cross a link the other
 * way than the data they answer, and neither they nor CNPs have a fixed number per iteration. S_j /
 * t_j is thus the number of iterations whose traffic the link has carried, whatever the true
 * bottleneck.
 *
 * As the appendix says, it differs from the number of computed iterations by at most one where all
 * ranks are in the same iteration. Where one rank is ahead, which the single-link model does not
 * capture, it differs by as many as lie between the first iteration that not all ranks have ended
 * and the last that one has started. The bound of a job is W_j times that. The law requires that
 * each iteration puts the same bytes on the link; a job for which that does not hold gets a note
 * and is left out of the invariant.
 */
class BottleneckCheck
{
  public:
    /// \param scenario,network must outlive this
    BottleneckCheck(const Scenario& scenario, const FabricHelper& network);

    /**
     * Records the state of a job when it leaves or the run ends.
     * \param view with the flows that it has then
     * \param ended iterations that all its ranks have ended
     * \param current the latest iteration that a rank has started, from 0
     */
    void AddJob(const JobView& view, uint64_t ended, uint64_t current);

    /**
     * Writes the rows of `bottleneck`, and "theorem_1_excess_ppm" of `invariant`: by how many
     * millionths of the bound |U - F| exceeds it (0: within). Writes neither if no bottleneck is
     * named or jobs are not recorded. Call after the rows of jobs are written.
     */
    void Write(ResultDatabase& database, uint32_t run) const;

  private:
    /// A job with data flows over the link.
    struct Job
    {
        double flop;       ///< W [FLOP]
        uint64_t bytes;    ///< data frames of an iteration on the link [byte]
        double computePs;  ///< GPU time per iteration, as declared [ps]
        uint64_t underWay; ///< iterations started but not ended by all ranks
    };

    /// Iterations computed, as a fraction, from `iteration` and `job_utilization`.
    double CountComputed(ResultDatabase& database, uint32_t run, uint32_t id, const Job& job) const;
    /// Jobs with a queue pair that was rerouted onto the link or away from it.
    std::set<uint32_t> FindMoved(ResultDatabase& database, uint32_t run) const;
    std::set<uint32_t> FindRestarted(ResultDatabase& database, uint32_t run) const;
    /// Whether links were scheduled to go down, which changes routes.
    bool HasLinksDown() const;

    const Scenario& m_scenario;
    const FabricHelper& m_network;
    std::map<uint32_t, Job> m_jobs;
};

} // namespace ns3

#endif // GPU_FABRIC_BOTTLENECK_CHECK_H
