/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COMMUNICATION_CONTROL_H
#define GPU_FABRIC_COMMUNICATION_CONTROL_H

#include "actuator.h"
#include "decision-log.h"
#include "job-profiler.h"
#include "job.h"

#include "ns3/cluster-view.h"
#include "ns3/communication-scheduler.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Calls the scheduler to decide about the jobs that have GPUs, and the actuator to apply the
 * decision. A decision is made when the cluster manager reports that jobs came or went, when a job
 * has been measured, and when the scheduler's period is over.
 *
 * If the scheduler requires measured jobs, new jobs are measured in turn (JobProfiler).
 */
class CommunicationControl
{
  public:
    /// Requests a Wake() at a time [ps].
    using WakeCallback = std::function<void(int64_t timePs)>;
    /// Notified that a job has been measured. \param detail what was measured, a phrase
    using ProfiledCallback =
        std::function<void(int64_t nowPs, uint32_t job, const std::string& detail)>;

    /// \name Set-up
    /// \{
    /// All of it must outlive this object.
    void SetCluster(const ClusterTopology& topology, const PathOracle& paths);
    void SetScheduler(Ptr<CommunicationScheduler> scheduler);
    void SetSeed(uint64_t seed);
    /// Source of the bytes that jobs send, for schedulers that measure jobs.
    void SetLinkSource(JobProfiler::LinkSource source);
    /// Starts to measure jobs, if the scheduler requires it. \param jobs by id, of the manager
    /// \param latencyPs from a decision to its effect [ps]
    void Start(const std::vector<Ptr<Job>>& jobs,
               int64_t latencyPs,
               WakeCallback wake,
               ProfiledCallback profiled);

    /// \}

    Ptr<CommunicationScheduler> GetScheduler() const
    {
        return m_scheduler;
    }

    Actuator& GetActuator()
    {
        return m_actuator;
    }

    DecisionLog& GetLog()
    {
        return m_log;
    }

    /// A job has been placed. \param base time, placement as scheduler, trigger \param free number
    /// of GPUs that were free before
    void JobPlaced(const DecisionRecord& base,
                   const Job& job,
                   uint64_t free,
                   const Placement& placement);
    /// A job has ended.
    void JobEnded(uint32_t job);
    /**
     * Makes a decision, if there is a reason to.
     * \param nowPs [ps]
     * \param changed whether jobs came or went
     * \param trigger of a decision that is due to that change
     */
    void Update(int64_t nowPs, bool changed, const std::string& trigger);
    /// The jobs that have GPUs, as the scheduler sees them. \param startPs as Job::GetView()
    ClusterView GetView(int64_t nowPs, const std::string& trigger, int64_t startPs) const;
    /// A placed job as a scheduler sees (or would see) it. \param startPs as Job::GetView()
    JobView GetJobView(const Job& job, int64_t startPs) const;
    /// Releases the scheduler and discards everything pending.
    void Dispose();

  private:
    void Decide(int64_t nowPs, const std::string& trigger);

    const ClusterTopology* m_topology{nullptr};
    const PathOracle* m_paths{nullptr};
    Ptr<CommunicationScheduler> m_scheduler;
    uint64_t m_seed{1};
    const std::vector<Ptr<Job>>* m_jobs{nullptr};
    int64_t m_latencyPs{0};
    WakeCallback m_wake;
    DecisionLog m_log;
    Actuator m_actuator;
    JobProfiler m_profiler;
    JobProfiler::LinkSource m_linkSource;
    int64_t m_periodicPs{0}; ///< when a decision is due though none came or went [ps]; 0: never
};

} // namespace ns3

#endif // GPU_FABRIC_COMMUNICATION_CONTROL_H
