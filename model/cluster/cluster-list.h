/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CLUSTER_LIST_H
#define GPU_FABRIC_CLUSTER_LIST_H

#include "ns3/ptr.h"

namespace ns3
{

class ClusterManager;

/// The clusters of the simulation, accessible through ns-3's Config paths: /ClusterList/C/JobEvent,
/// /ClusterList/C/JobList/J/Iteration, ... C is the index of the cluster, from 0. The list is
/// cleared when the simulator is destroyed.
class ClusterList
{
  public:
    static void Add(Ptr<ClusterManager> cluster);
    /// No effect if it is not in the list.
    static void Remove(const ClusterManager* cluster);

  private:
    /// Called at the end of the simulation, or when the last cluster is removed.
    static void Clear();
};

} // namespace ns3

#endif // GPU_FABRIC_CLUSTER_LIST_H
