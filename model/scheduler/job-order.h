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

/// A job of the view with its place in the order of jobs.
struct RankedJob
{
    const JobView* job;
    size_t index;           ///< of the job in ClusterView::jobs
    GpuIntensity intensity; ///< by equal shares of the candidate paths
    double priority{0};     ///< the greater goes first; its unit depends on the order
    std::string inputs;     ///< JSON object: what the priority follows from
    std::string details;    ///< JSON object: further figures, for analysis

    /// Whether the job uses no link that another job can use, so that nothing waits for it.
    bool IsQuiet() const
    {
        return !intensity.CanContend();
    }

    /// Whether its figures are still to be measured, so that it has no place in the order.
    bool IsUnknown() const
    {
        return job->profileState == ProfileState::WAITING ||
               job->profileState == ProfileState::RUNNING;
    }

    /// Whether it has a place among those that wait for each other.
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
    /// Orders by priority; equal ones by traffic (more first), then by job. Jobs that
    /// are still to be measured come behind those, quiet ones last.
    void Sort();
    /// Jobs that use links of others and are known: the first ones, once sorted.
    uint32_t GetLoudCount() const;
};

/**
 * Puts jobs into an order, apart from which paths they take (PathChoice) and how many levels there
 * are for it (LevelCompression). A subclass is found by its TypeId.
 */
class JobOrder : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Gives the priorities and sorts. A pure function of its arguments and the attributes.
     * \param view as CommunicationScheduler::Decide gets it
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
