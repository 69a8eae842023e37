/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_BOTTLENECK_CHECK_H
#define GPU_FABRIC_BOTTLENECK_CHECK_H

#include "../../model/cluster/job-runner.h"
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
 * Theorem 1 of Crux (SIGCOMM 2024, section 3 and appendix A) on the link that the scenario calls
 * its bottleneck: |U - F| <= sum of W over the jobs that send on it, at the end of the whole run.
 *
 * U is the work that these jobs have done, F = sum of I_j S_j with I_j = W_j / t_j; S_j is the wire
 * time at the link's declared rate of the data frames that it has carried of job j, t_j that of an
 * iteration. Only data frames count, in S as in t: acknowledgements cross a link the other way than
 * the data they answer, and neither they nor CNPs have a fixed number an iteration. S_j / t_j is
 * thus the number of iterations whose traffic the link has carried, whatever the true bottleneck.
 *
 * It differs from the number of computed iterations by at most one, as the appendix says, where all
 * ranks are in the same iteration; where one is ahead (to which the single-link model is blind) by
 * as many as lie between the first that not all ranks have ended and the last that one has started.
 * Hence the bound of a job: W_j times that. The law needs that each iteration puts the same bytes
 * on the link; a job of which that does not hold has a note and no part in the invariant.
 */
class BottleneckCheck
{
  public:
    /// \param scenario,network must outlive this
    BottleneckCheck(const Scenario& scenario, const FabricHelper& network);

    /**
     * Takes what is known of a job when it leaves or the run ends.
     * \param view with the flows it has then
     * \param ranks tells its iterations; not kept
     */
    void AddJob(const JobView& view, const JobRunner& ranks);

    /**
     * Writes the rows of `bottleneck`, and "theorem_1_excess_ppm" of `invariant`: by how many
     * millionths of the bound |U - F| is beyond it (0: within). Neither where no bottleneck is
     * named or jobs are not recorded. After the rows of jobs.
     */
    void Write(ResultDatabase& database, uint32_t run) const;

  private:
    /// A job with data flows over the link.
    struct Job
    {
        double flop;       ///< W [FLOP]
        uint64_t bytes;    ///< data frames of an iteration on the link [byte]
        double computePs;  ///< GPU time an iteration, as declared [ps]
        uint64_t underWay; ///< iterations started and not ended by all ranks
    };

    /// Iterations computed, as a fraction: `iteration` and `job_utilization` tell.
    double CountComputed(ResultDatabase& database, uint32_t run, uint32_t id, const Job& job) const;
    /// Jobs of which a queue pair was led onto the link, or away from it.
    std::set<uint32_t> FindMoved(ResultDatabase& database, uint32_t run) const;
    std::set<uint32_t> FindRestarted(ResultDatabase& database, uint32_t run) const;
    /// Whether links were to go down, which changes routes.
    bool HasLinksDown() const;

    const Scenario& m_scenario;
    const FabricHelper& m_network;
    std::map<uint32_t, Job> m_jobs;
};

} // namespace ns3

#endif // GPU_FABRIC_BOTTLENECK_CHECK_H
