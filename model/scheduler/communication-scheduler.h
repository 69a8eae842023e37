/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COMMUNICATION_SCHEDULER_H
#define GPU_FABRIC_COMMUNICATION_SCHEDULER_H

#include "ns3/cluster-view.h"
#include "ns3/object.h"

namespace ns3
{

/// How new jobs are measured for a scheduler.
struct ProfilePlan
{
    uint32_t iterations{0}; ///< in the top level; the first is discarded; 0: no job is
                            ///< measured
    int64_t intervalPs{0};  ///< between two readings of the bytes that a job has sent [ps]
};

/**
 * Decides how the jobs of a cluster share its network. A subclass ns3::XScheduler is found by
 * `scheduler: {type: X}`; its attributes are the keys of that block.
 */
class CommunicationScheduler : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Decides anew for all running jobs. A pure function of the view and the attributes: the same
     * view gives the same decision, and no state is kept.
     * \param view the known state; its topology and paths are set
     * \returns one entry for each job that it concerns, in job order, with levels below
     *          view.priorityLevels
     */
    virtual ScheduleDecision Decide(const ClusterView& view) const = 0;

    /// How programs are built for jobs whose gradients can be sent as tensors; nothing: gradients
    /// are reduced as the jobs specify, and no decision concerns tensors.
    virtual std::optional<TensorProgramOptions> GetTensorOptions() const
    {
        return std::nullopt;
    }

    /// Time between two decisions while jobs run and none arrives or departs [ps]; such decisions
    /// have the trigger "period"; 0 (the default): none.
    virtual int64_t GetPeriodPs() const
    {
        return 0;
    }

    /// Whether decisions give jobs levels below the highest, so that data of jobs can have any
    /// priority; the default: yes.
    virtual bool UsesLevels() const
    {
        return true;
    }

    /// How new jobs are measured, so that their views have a profile; the default: not at all.
    virtual ProfilePlan GetProfilePlan() const
    {
        return {};
    }
};

} // namespace ns3

#endif // GPU_FABRIC_COMMUNICATION_SCHEDULER_H
