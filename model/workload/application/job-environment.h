/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_ENVIRONMENT_H
#define GPU_FABRIC_JOB_ENVIRONMENT_H

#include "../../fabric/host-interconnect.h"
#include "collective-plan-cache.h"
#include "gpu-application.h"
#include "gpu-lane.h"

#include "ns3/cluster-topology.h"
#include "ns3/node.h"
#include "ns3/rdma-verbs.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// What all jobs of a run share. Must outlive them.
class JobEnvironment
{
  public:
    /**
     * \param clusterTopology the cluster, must outlive this object
     * \param queuePairs of the network, must outlive this object
     * \param randomSeed seed of the run
     * \param hostNodes ns-3 node by node id of the topology; empty: jobs have no ns-3 nodes
     */
    JobEnvironment(const ClusterTopology& clusterTopology,
                   RdmaVerbs& queuePairs,
                   uint64_t randomSeed,
                   std::vector<Ptr<Node>> hostNodes = {});

    /// An application for a rank: one whose rank has left, or a new one on the node of the GPU's
    /// host. Nodes keep their applications, so these are reused.
    Ptr<GpuApplication> TakeApplication(uint32_t gpu);
    /// Returns an application whose rank has left.
    void ReturnApplication(uint32_t gpu, Ptr<GpuApplication> application);

    const ClusterTopology& topology;
    RdmaVerbs& network;
    const uint64_t seed;
    const std::vector<Ptr<Node>> nodes;
    GpuLane timers;
    GpuLane nvlinks;
    GpuLane control;
    CollectivePlanCache plans;          ///< of costly algorithms
    uint8_t defaultPriority{0};         ///< of flows for which none is set
    Ptr<HostInterconnect> interconnect; ///< null if the inside of hosts is not modelled

  private:
    std::vector<std::vector<Ptr<GpuApplication>>> m_idle; ///< by node of the topology
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_ENVIRONMENT_H
