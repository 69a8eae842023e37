/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_HELPER_H
#define GPU_FABRIC_FABRIC_HELPER_H

#include "ns3/cluster-topology.h"
#include "ns3/fabric-fault.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-switch.h"
#include "ns3/fabric.h"
#include "ns3/node.h"
#include "ns3/roce-transport.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class LogicalProcess;
class FabricSplit;
class HostInterconnect;
class RankLink;
struct FabricCut;

/**
 * Builds the network of a cluster from its graph: a Node for each host and switch (found by name
 * with ns3::Names), a RoceNic or FabricNetDevice for each port, a FabricChannel for each cable, a
 * FabricSwitch aggregated to each switch, and the fabric and transport that hold their state.
 */
class FabricHelper
{
  public:
    FabricHelper();
    ~FabricHelper();
    FabricHelper(FabricHelper&&);
    FabricHelper& operator=(FabricHelper&&);

    /// Creates the ns-3 nodes in reverse order; ids change, results do not.
    void SetReverseNodes(bool reverse)
    {
        m_reverse = reverse;
    }

    /// Simulates the network in up to this many threads where that is possible (GetThreadFault());
    /// the results are the same. Call before Build().
    /// \param much FabricCut::much; a test may want threads in a small network
    void SetThreads(uint32_t threads, uint64_t much = 64)
    {
        m_threads = threads;
        m_much = much;
    }

    /// Simulates the network on the ranks of a link instead of in threads. On rank 0; the others
    /// have a LogicalProcessServer.
    /// \param link null: on this rank alone
    /// \param run number by which the ranks identify the run
    void SetRanks(RankLink* link, uint32_t run)
    {
        m_link = link;
        m_run = run;
    }

    /// The logical process that this rank, 1 or above, simulates for rank 0. Call after Build();
    /// this helper must outlive it.
    std::unique_ptr<LogicalProcess> MakeLogicalProcess(const RankLink& link) const;

    /// Why one thread is used although more were requested; "" if more are used, or none were
    /// requested.
    const std::string& GetThreadFault() const
    {
        return m_threadFault;
    }

    /// The simulation in several threads; null if there is none.
    const FabricSplit* GetSplit() const
    {
        return m_split.get();
    }

    /**
     * Builds the network.
     * \param topology must outlive this helper
     * \param seed of all random streams of the network
     * \returns the faults of the configuration
     */
    std::vector<FabricFault> Build(const ClusterTopology& topology, uint64_t seed);

    /// The network; null before Build().
    Ptr<Fabric> GetFabric() const
    {
        return m_fabric;
    }

    /// The RoCEv2 transport of all NICs of the network; null before Build().
    Ptr<RoceTransport> GetTransport() const
    {
        return m_transport;
    }

    /// The interiors of hosts; null where they are not modelled.
    Ptr<HostInterconnect> GetInterconnect() const;

    /// The ns-3 node of a topology node; for a component of a host, that of the host.
    Ptr<Node> GetNode(uint32_t node) const
    {
        return m_nodes[node];
    }

    /// The device of a port of the network; null for one inside a host.
    Ptr<FabricNetDevice> GetDevice(uint32_t port) const
    {
        return m_devices[port];
    }

    /// Disposes of what does not belong to a node, and removes the names. Call before
    /// Simulator::Destroy().
    void Dispose();

  private:
    /// How the network is partitioned for this many logical processes.
    FabricCut MakeCut(uint32_t processes) const;
    /// \returns the faults of other ranks
    std::vector<FabricFault> Split();
    /// Makes the other ranks build their logical processes.
    /// \param [out] processes those that were built \returns a fault for each that was not
    std::vector<FabricFault> BuildRemotely(
        const FabricCut& cut,
        std::vector<std::unique_ptr<LogicalProcess>>& processes) const;

    bool m_reverse{false};
    std::vector<Ptr<Node>> m_nodes;
    std::vector<Ptr<FabricNetDevice>> m_devices;
    Ptr<Fabric> m_fabric;
    Ptr<RoceTransport> m_transport;
    Ptr<HostInterconnect> m_interconnect;
    uint32_t m_threads{1};
    uint64_t m_much{64};
    RankLink* m_link{nullptr};
    uint32_t m_run{0};
    std::string m_threadFault;
    std::unique_ptr<FabricSplit> m_split;
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_HELPER_H
