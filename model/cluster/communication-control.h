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
 * Has the scheduler decide about the jobs that have GPUs, and the actuator do it. It decides when
 * the cluster manager says that jobs came or went, when a job has been measured, and when the
 * scheduler's period is over.
 *
 * Where the scheduler wants jobs measured, a new job has its turn at being measured (JobProfiler).
 */
class CommunicationControl
{
  public:
    /// Asks to be woken (Wake()) at a time [ps].
    using WakeCallback = std::function<void(int64_t timePs)>;
    /// Notified that a job has been measured. \param detail what was measured, a phrase
    using ProfiledCallback =
        std::function<void(int64_t nowPs, uint32_t job, const std::string& detail)>;

    /// \name Set-up
    /// \{
    /// All of it outlives this.
    void SetCluster(const ClusterTopology& topology, const PathOracle& paths);
    void SetScheduler(Ptr<CommunicationScheduler> scheduler);
    void SetSeed(uint64_t seed);
    /// Who counts what jobs send, for schedulers that have jobs measured.
    void SetLinkSource(JobProfiler::LinkSource source);
    /// Starts to measure jobs, if the scheduler wants it. \param jobs by id, of the manager
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

    /// A job has got its GPUs. \param base time, placement as scheduler, trigger \param free GPUs
    /// that were free before
    void JobPlaced(const DecisionRecord& base,
                   const Job& job,
                   uint64_t free,
                   const Placement& placement);
    /// A job has ended.
    void JobEnded(uint32_t job);
    /**
     * Decides, if there is a reason to.
     * \param nowPs [ps]
     * \param changed whether jobs came or went
     * \param trigger what is said of such a decision
     */
    void Update(int64_t nowPs, bool changed, const std::string& trigger);
    /// The jobs that have GPUs, as the scheduler sees them. \param startPs as Job::GetView()
    ClusterView GetView(int64_t nowPs, const std::string& trigger, int64_t startPs) const;
    /// A placed job as a scheduler sees (or would see) it. \param startPs as Job::GetView()
    JobView GetJobView(const Job& job, int64_t startPs) const;
    /// Forgets the scheduler and all that is under way.
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
