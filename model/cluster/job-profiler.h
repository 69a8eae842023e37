/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_PROFILER_H
#define GPU_FABRIC_JOB_PROFILER_H

#include "../scheduler/profile-plan.h"

#include "ns3/cluster-view.h"
#include "ns3/job-records.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * Measures new jobs one after the other, in the order in which they got their GPUs, each while it
 * runs alone in the top level (Crux, SIGCOMM 2024, section 5; semantics.md).
 *
 * Of a job the iteration under way when its turn comes is dropped (of one that starts then, the
 * first), and the next `iterations` - 1 are measured: bytes on each link from counters, compute
 * from the spans of its GPUs, the mean over its ranks, and the period from the autocorrelation of
 * what its NICs (and GPUs, where the inside of hosts is modelled) have sent, read every
 * `intervalPs` (PeriodEstimator).
 *
 * A job that leaves gives up its turn.
 */
class JobProfiler
{
  public:
    /// (directed link, bytes [byte]) by link.
    using LinkBytes = std::vector<std::pair<uint32_t, uint64_t>>;
    /// Gives the bytes that a job has sent on each link so far.
    using LinkSource = std::function<LinkBytes(uint32_t job)>;
    /// Notified of a job that has its profile. \param detail what was measured, a phrase
    using ProfiledCallback =
        std::function<void(int64_t nowPs, uint32_t job, const std::string& detail)>;

    /// What a job has sent on each link. \param counters by job and link
    static LinkBytes GetLinkBytes(const std::vector<JobLinkCounters>& counters, uint32_t job);

    /// Before jobs are added. Aborts where a plan has fewer than two iterations or no interval, or
    /// no source is given. \param topology must outlive this
    void Configure(const ProfilePlan& plan,
                   const ClusterTopology& topology,
                   LinkSource source,
                   ProfiledCallback profiled);

    /// Whether jobs are measured at all.
    bool IsEnabled() const
    {
        return m_plan.iterations > 0;
    }

    /**
     * A job has got its GPUs; what was known of it is forgotten. One without traffic has its
     * profile at once.
     * \param gpus number of its GPUs
     */
    void Add(int64_t nowPs, uint32_t job, uint32_t gpus, bool hasTraffic);
    /// A job has ended. No effect where it is not to be measured.
    void Remove(uint32_t job);
    /**
     * Gives the next job its turn, if none has it.
     * \param fromPs when it has the top level [ps], not before now
     */
    void Advance(int64_t fromPs);
    /// A job has ended an iteration.
    void IterationEnded(const IterationRecord& record);
    /// What is known of a job.
    void Describe(JobView& view) const;

    /// Whether a job has got its profile since Advance().
    bool IsDue() const
    {
        return m_due;
    }

  private:
    struct Waiting
    {
        uint32_t job;
        uint32_t gpus;
    };

    /// Reads what the job has sent, and again an interval later. \param turn the job's
    void Sample(uint64_t turn);
    void Finish(int64_t nowPs, LinkBytes end);

    ProfilePlan m_plan;
    const ClusterTopology* m_topology{nullptr};
    LinkSource m_source;
    ProfiledCallback m_profiled;
    std::deque<Waiting> m_waiting;
    std::map<uint32_t, JobProfile> m_profiles; ///< by job
    bool m_due{false};

    /// \name The job that has its turn
    /// \{
    uint32_t m_job{NO_ID};
    uint32_t m_gpus{0};
    uint64_t m_turn{0}; ///< number of the turn, for samples that come late
    int64_t m_fromPs{0};
    uint32_t m_ended{0}; ///< iterations, the dropped one included
    int64_t m_computePs{0};
    LinkBytes m_start;            ///< at the end of the dropped iteration
    std::vector<uint64_t> m_sent; ///< by its NICs and GPUs since then [byte], every interval
    /// \}
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_PROFILER_H
