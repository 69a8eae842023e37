/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PLACEMENT_POLICY_H
#define GPU_FABRIC_PLACEMENT_POLICY_H

#include "ns3/cluster-view.h"
#include "ns3/object.h"

#include <vector>

namespace ns3
{

/**
 * Decides which GPUs a job gets. A subclass ns3::XPlacement is found by `placement: {type: X}`; its
 * attributes are the keys of that block.
 */
class PlacementPolicy : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Finds placements for a job. A pure function of its arguments and the attributes.
     * \returns one or more placements, best first, each with exactly request.gpus free GPUs and
     *          within the hosts and GPUs that the user named; empty if the job must wait
     */
    virtual std::vector<Placement> Rank(const PlacementView& view,
                                        const PlacementRequest& request) const = 0;

    /**
     * Finds placements for several waiting jobs together. A pure function, like Rank().
     * \param requests in the order of the queue
     * \returns a placement for each request, without GPUs if the job must wait; empty (the default)
     *          if jobs are placed one at a time, by Rank()
     */
    virtual std::vector<Placement> PlaceTogether(
        const PlacementView& view,
        const std::vector<PlacementRequest>& requests) const;
};

} // namespace ns3

#endif // GPU_FABRIC_PLACEMENT_POLICY_H
