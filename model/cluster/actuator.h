/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ACTUATOR_H
#define GPU_FABRIC_ACTUATOR_H

#include "decision-log.h"
#include "job.h"

#include "ns3/cluster-view.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/// Maps the levels of a scheduler to priorities of the fabric: level l is priority highest - l.
struct PriorityMap
{
    uint8_t highest{6}; ///< the best data priority
    uint32_t levels{6}; ///< data priorities, at most highest + 1
};

/**
 * Applies decisions: determines what they change for the queue pairs of each job (priority, path as
 * UDP source port), for its gradients and for its next iteration, and applies the changes after the
 * control latency. The log records what was decided and what could not be done.
 */
class Actuator
{
  public:
    /// \param topology provides names \param log records decisions; both must outlive this object
    void Configure(const ClusterTopology& topology, DecisionLog& log);
    void SetPriorityMap(const PriorityMap& map);
    const PriorityMap& GetPriorityMap() const;

    /**
     * Accepts a decision about all jobs of a view.
     * \param base time, scheduler and trigger
     * \param view what was decided about
     * \param decision valid
     * \param jobs by id
     * \param duePs when it takes effect [ps]
     * \returns whether it changes anything then
     */
    bool Apply(const DecisionRecord& base,
               const ClusterView& view,
               const ScheduleDecision& decision,
               const std::vector<Ptr<Job>>& jobs,
               int64_t duePs);
    /// Applies the changes that are due, in the order of the decisions; the first one starts a job.
    /// \param nowPs [ps]
    void ApplyDue(int64_t nowPs);

    /**
     * Determines what a decision changes for a job, and records it.
     * \param base time, scheduler, trigger and job
     * \param decision valid; null if it does not concern the job
     * \param job receives its new state
     */
    JobUpdate Plan(const DecisionRecord& base, const JobDecision* decision, JobSteering& job) const;

  private:
    /// A change that reaches the ranks of a job later.
    struct Effect
    {
        Ptr<Job> job;
        JobUpdate update;
    };

    /// Plans how gradients are sent.
    void PlanTensors(const DecisionRecord& base,
                     const JobDecision& decision,
                     JobSteering& job,
                     JobUpdate& update) const;
    /// Steers one flow; returns the number of the record that changes its port, else NO_ID.
    uint32_t PlanPath(const DecisionRecord& base,
                      const JobDecision& decision,
                      JobSteering& job,
                      uint32_t flow) const;

    const ClusterTopology* m_topology{nullptr};
    DecisionLog* m_log{nullptr};
    PriorityMap m_priorities;
    std::multimap<int64_t, Effect>
        m_effects; ///< by due time [ps], then in the order of the decisions
};

} // namespace ns3

#endif // GPU_FABRIC_ACTUATOR_H
