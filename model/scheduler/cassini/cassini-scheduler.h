/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CASSINI_SCHEDULER_H
#define GPU_FABRIC_CASSINI_SCHEDULER_H

#include "cassini-plan.h"

#include "ns3/communication-scheduler.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * Shifts jobs in time so that they take turns communicating (CASSINI, NSDI 2024). One level, paths
 * by ECMP.
 *
 * The iterations of a job should start when those of the root of its component start (the job that
 * arrived first), plus the shift of the plan, modulo its iteration time. A job that deviates from
 * this idles for the difference before its next iteration: at each arrival and departure, and every
 * `Period` if the difference exceeds the fraction `Drift` of its iteration. The start of the
 * iteration represents the start of its communication, which follows at a fixed distance. Jobs of a
 * component with a loop are not shifted.
 */
class CassiniScheduler : public CommunicationScheduler
{
  public:
    static TypeId GetTypeId();

    ScheduleDecision Decide(const ClusterView& view) const override;

    bool UsesLevels() const override
    {
        return false;
    }

    int64_t GetPeriodPs() const override;

  private:
    void SetAngles(uint32_t angles);
    uint32_t GetAngles() const;
    void SetRestarts(uint32_t restarts);
    uint32_t GetRestarts() const;
    /// How long a job of a component idles before its next iteration [ps].
    int64_t GetWaitPs(const ClusterView& view,
                      const CassiniPlan& plan,
                      const CassiniPlan::Component& component,
                      uint32_t job) const;

    CassiniPlan::Options m_options;
    Time m_period;
    double m_drift{0};
};

} // namespace ns3

#endif // GPU_FABRIC_CASSINI_SCHEDULER_H
