/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CLUSTER_LIST_H
#define GPU_FABRIC_CLUSTER_LIST_H

#include "ns3/ptr.h"

namespace ns3
{

class ClusterManager;

/// The clusters of the simulation as ns-3's Config paths reach them: /ClusterList/C/JobEvent,
/// /ClusterList/C/JobList/J/Iteration, ... C counts the clusters that there are, from 0. It is
/// empty again when the simulator is destroyed.
class ClusterList
{
  public:
    static void Add(Ptr<ClusterManager> cluster);
    /// No effect where it is not in the list.
    static void Remove(const ClusterManager* cluster);

  private:
    /// At the end of the simulation, or with the last cluster.
    static void Clear();
};

} // namespace ns3

#endif // GPU_FABRIC_CLUSTER_LIST_H
