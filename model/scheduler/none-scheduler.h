/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_NONE_SCHEDULER_H
#define GPU_FABRIC_NONE_SCHEDULER_H

#include "ns3/communication-scheduler.h"

namespace ns3
{

/// No scheduling, the baseline: every job has the best level, and paths are left to ECMP.
class NoneScheduler : public CommunicationScheduler
{
  public:
    static TypeId GetTypeId();

    ScheduleDecision Decide(const ClusterView& view) const override;

    bool UsesLevels() const override
    {
        return false;
    }
};

} // namespace ns3

#endif // GPU_FABRIC_NONE_SCHEDULER_H
