/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CLUSTER_TOPOLOGY_H
#define GPU_FABRIC_CLUSTER_TOPOLOGY_H

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/// What a node of the topology is.
enum class TopologyNodeKind : uint8_t
{
    HOST,
    SWITCH
};

/// A host or a switch.
struct TopologyNode
{
    std::string name; ///< unique, e.g. "host3", "leaf0", "n7"
    TopologyNodeKind kind{TopologyNodeKind::HOST};
    uint32_t gpus{0};            ///< GPUs of a host; 0 for a switch
    std::vector<uint32_t> ports; ///< port ids in the order the links were added
};

/// A full-duplex cable. Parallel links between the same nodes are allowed.
struct TopologyLink
{
    uint32_t nodeA{0};   ///< index of a node
    uint32_t nodeB{0};   ///< index of a node
    uint64_t rateBps{0}; ///< [bit/s] in each direction
    int64_t delayPs{0};  ///< [ps] propagation in each direction
};

/**
 * The graph of a cluster, as plain values; no simulator is needed to build, check or test it.
 *
 * Ids are dense and in the order of construction ("topology order"), the same on every rank and
 * for every engine. Link i owns two ports: port 2i at nodeA and port 2i+1 at nodeB. A port is also
 * the id of the directed link that leaves it: directed link 2i runs from nodeA to nodeB. The k-th
 * port of a host is its NIC k ("host3.nic1"). GPU ids are dense over hosts in node order.
 */
class ClusterTopology
{
  public:
    /// Adds a host with gpus GPUs; returns its node id.
    uint32_t AddHost(const std::string& name, uint32_t gpus);
    /// Adds a switch; returns its node id.
    uint32_t AddSwitch(const std::string& name);
    /// Adds a full-duplex link of rateBps [bit/s] and delayPs [ps]; returns its link id.
    uint32_t AddLink(uint32_t nodeA, uint32_t nodeB, uint64_t rateBps, int64_t delayPs);

    const std::vector<TopologyNode>& GetNodes() const
    {
        return m_nodes;
    }

    const std::vector<TopologyLink>& GetLinks() const
    {
        return m_links;
    }

    uint32_t GetPortCount() const
    {
        return 2 * static_cast<uint32_t>(m_links.size());
    }

    /// The node that owns a port.
    uint32_t GetPortNode(uint32_t port) const
    {
        const TopologyLink& link = m_links[port / 2];
        return port % 2 == 0 ? link.nodeA : link.nodeB;
    }

    /// The port at the other end of the cable.
    static uint32_t GetPeerPort(uint32_t port)
    {
        return port ^ 1;
    }

    uint64_t GetPortRate(uint32_t port) const
    {
        return m_links[port / 2].rateBps;
    }

    int64_t GetPortDelay(uint32_t port) const
    {
        return m_links[port / 2].delayPs;
    }

    /// "host0.nic1" for a host's port, "leaf0.port3" for a switch's.
    std::string GetPortName(uint32_t port) const;
    /// "leaf0-spine1", parallel ones "leaf0-spine1#2" (second link from leaf0 to spine1), in the
    /// direction of the directed link.
    std::string GetDirectedLinkName(uint32_t port) const;
    /// Node id by name, or -1.
    int64_t FindNode(const std::string& name) const;
    /// Directed link id by the name GetDirectedLinkName gives, or -1.
    int64_t FindDirectedLink(const std::string& name) const;

    uint32_t GetGpuCount() const
    {
        return static_cast<uint32_t>(m_gpuHost.size());
    }

    /// Node id of the host of a GPU.
    uint32_t GetGpuHost(uint32_t gpu) const
    {
        return m_gpuHost[gpu];
    }

    /// First GPU id of a host (meaningless where it has none).
    uint32_t GetFirstGpu(uint32_t node) const
    {
        return m_firstGpu[node];
    }

    /// The NIC (port id) of GPU g of a host with G GPUs and N NICs: NIC floor(g N / G).
    uint32_t GetGpuNic(uint32_t gpu) const;
    /// The switch a host's NIC 0 hangs on (its leaf), or the host itself if cabled to a host.
    uint32_t GetLeaf(uint32_t host) const;

    /**
     * Checks what every topology must satisfy: at least one host, unique names, no self-loops,
     * positive rates, non-negative delays, every host reachable from every other.
     * \returns one sentence for each fault; empty if there is none.
     */
    std::vector<std::string> Validate() const;

  private:
    /// Adds a fault if two hosts have no path through switches.
    void CheckReachability(const std::vector<uint32_t>& hosts,
                           std::vector<std::string>& faults) const;

    std::vector<TopologyNode> m_nodes;
    std::unordered_map<std::string, uint32_t> m_nodeOfName; ///< looked up, never iterated
    std::vector<TopologyLink> m_links;
    std::vector<uint32_t> m_gpuHost;
    std::vector<uint32_t> m_firstGpu;
};

} // namespace ns3

#endif // GPU_FABRIC_CLUSTER_TOPOLOGY_H
