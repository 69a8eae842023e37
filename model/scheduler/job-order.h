/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_ORDER_H
#define GPU_FABRIC_JOB_ORDER_H

#include "ns3/cluster-view.h"
#include "ns3/gpu-intensity.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// A job of the view with its position in the order of jobs.
struct RankedJob
{
    const JobView* job;
    size_t index;           ///< of the job in ClusterView::jobs
    GpuIntensity intensity; ///< with equal shares on the candidate paths
    double priority{0};     ///< the greater goes first; its unit depends on the order
    std::string inputs;     ///< JSON object: what the priority is derived from
    std::string details;    ///< JSON object: further figures, for analysis

    /// Whether the job uses no link that another job can use, so that no other job waits for it.
    bool IsQuiet() const
    {
        return !intensity.CanContend();
    }

    /// Whether it has not been measured yet, so that it has no position in the order.
    bool IsUnknown() const
    {
        return job->profileState == ProfileState::WAITING ||
               job->profileState == ProfileState::RUNNING;
    }

    /// Whether it has a position among the jobs that contend.
    bool IsRanked() const
    {
        return !IsQuiet() && !IsUnknown();
    }
};

/// The jobs of a view in the order in which the network serves them.
struct JobRanking
{
    bool ordered{true};                 ///< else all jobs are equal
    std::string by;                     ///< what orders them, e.g. "GPU intensity"
    std::vector<RankedJob> jobs;        ///< first to last, then unknown ones, then quiet ones
    std::vector<std::string> fallbacks; ///< what could not be done, one sentence each

    /// The jobs of a view with their intensities, not yet ordered.
    static JobRanking Make(const ClusterView& view, CandidatePaths& paths);
    /// Sorts by priority; those that differ by rounding only (TIE_TOLERANCE) are equal, and of them
    /// the one with more traffic goes first, then the one that arrived first, then that of the
    /// lower id. Jobs that have not been measured yet follow, quiet ones come last.
    void Sort();
    /// Number of jobs that share links and have been measured: the first ones, once sorted.
    uint32_t GetLoudCount() const;
};

/**
 * Orders jobs, independently of the choice of their paths (PathChoice) and of the number of levels
 * (LevelCompression). A subclass is found by its TypeId.
 */
class JobOrder : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Sets the priorities and sorts. A pure function of its arguments and the attributes.
     * \param view as passed to CommunicationScheduler::Decide
     * \param paths candidate paths of NIC pairs
     * \param ranking of JobRanking::Make; gets priorities, inputs and its order
     */
    virtual void Rank(const ClusterView& view,
                      CandidatePaths& paths,
                      JobRanking& ranking) const = 0;

    /// As CommunicationScheduler::GetPeriodPs.
    virtual int64_t GetPeriodPs() const
    {
        return 0;
    }
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_ORDER_H
