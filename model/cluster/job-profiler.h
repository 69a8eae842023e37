/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_PROFILER_H
#define GPU_FABRIC_JOB_PROFILER_H

#include "ns3/cluster-view.h"
#include "ns3/communication-scheduler.h"
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
 * Measures new jobs one at a time, in the order in which they got their GPUs, each while it is
 * alone in the top level (Crux, SIGCOMM 2024, section 5; semantics.md).
 *
 * The iteration in progress when the turn of a job comes is discarded (for a job that starts then,
 * its first one), and the next `iterations` - 1 are measured: bytes on each link from counters;
 * compute time from the spans of its GPUs, as the mean over its ranks; and the period from the
 * autocorrelation of the bytes that its NICs (and GPUs, if the inside of hosts is modelled) have
 * sent, sampled every `intervalPs` (PeriodEstimator).
 *
 * A job that leaves gives up its turn.
 */
class JobProfiler
{
  public:
    /// (directed link, bytes [byte]) by link.
    using LinkBytes = std::vector<std::pair<uint32_t, uint64_t>>;
    /// Returns the bytes that a job has sent on each link so far.
    using LinkSource = std::function<LinkBytes(uint32_t job)>;
    /// Notified when a job has its profile. \param detail what was measured, a phrase
    using ProfiledCallback =
        std::function<void(int64_t nowPs, uint32_t job, const std::string& detail)>;

    /// The bytes that a job has sent on each link. \param counters by job and link
    static LinkBytes GetLinkBytes(const std::vector<JobLinkCounters>& counters, uint32_t job);

    /// To be called before jobs are added. Aborts if the plan has fewer than two iterations or no
    /// interval, or if no source is given. \param topology must outlive this object
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
     * A job has been placed; its previous profile is discarded. A job without traffic gets its
     * profile at once.
     * \param gpus number of its GPUs
     */
    void Add(int64_t nowPs, uint32_t job, uint32_t gpus, bool hasTraffic);
    /// A job has ended. No effect if it is not to be measured.
    void Remove(uint32_t job);
    /**
     * Gives the next job its turn, if none has it.
     * \param fromPs when it gets the top level [ps], not before now
     */
    void Advance(int64_t fromPs);
    /// A job has completed an iteration.
    void IterationEnded(const IterationRecord& record);
    /// Sets the profile of a job and its state in the view of the job.
    void Describe(JobView& view) const;

    /// Whether a job has obtained its profile since Advance().
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

    /// Samples the bytes that the job has sent, and schedules the next sample. \param turn of the
    /// job
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
    uint64_t m_turn{0}; ///< number of the turn, to recognise late samples
    int64_t m_fromPs{0};
    uint32_t m_ended{0}; ///< iterations, including the discarded one
    int64_t m_computePs{0};
    LinkBytes m_start;            ///< at the end of the discarded iteration
    std::vector<uint64_t> m_sent; ///< by its NICs and GPUs since then, at every interval [byte]
    /// \}
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_PROFILER_H
