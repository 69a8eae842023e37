/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PATH_CHOICE_H
#define GPU_FABRIC_PATH_CHOICE_H

#include "ns3/job-order.h"
#include "ns3/object.h"

namespace ns3
{

/// Chooses the paths of flows. A subclass is found by its TypeId.
class PathChoice : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Fills paths, pathInputs, pathReason and fallbacks. A pure function of its arguments and the
     * attributes.
     * \param view as passed to CommunicationScheduler::Decide
     * \param ranking the order of the jobs
     * \param paths candidate paths of NIC pairs
     * \param decision one entry for each job of the view
     */
    virtual void Choose(const ClusterView& view,
                        const JobRanking& ranking,
                        CandidatePaths& paths,
                        ScheduleDecision& decision) const = 0;
};

} // namespace ns3

#endif // GPU_FABRIC_PATH_CHOICE_H
