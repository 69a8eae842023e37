/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CLUSTER_TOPOLOGY_H
#define GPU_FABRIC_CLUSTER_TOPOLOGY_H

#include "ns3/host-layout.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/// The cause of a topology fault.
enum class TopologyFaultKind : uint8_t
{
    ATTRIBUTE, ///< the value of an attribute of its generator
    FILE,      ///< the contents of a file
    SIZE,      ///< it has more links or GPUs than are supported
    GRAPH      ///< it is not a valid cluster, for example because a host has no link
};

/// Something wrong with a topology.
struct TopologyFault
{
    /// The part of the user's input that is at fault.
    struct Place
    {
        std::string attribute{}; ///< of the generator, if the kind is ATTRIBUTE
        std::string file{};      ///< if the kind is FILE
        int line{0};             ///< in that file, counted from 1
        int column{0};           ///< in that line, counted from 1 [byte]
    };

    TopologyFaultKind kind{TopologyFaultKind::GRAPH};
    Place place{};
    std::string text{}; ///< one sentence without a full stop; for an attribute, without its name

    static TopologyFault OfAttribute(const std::string& attribute, const std::string& text);
    static TopologyFault InFile(const std::string& file,
                                int line,
                                int column,
                                const std::string& text);
    static TopologyFault OfSize(const std::string& text);
    static TopologyFault InGraph(const std::string& text);
    /// The place and the text: "Uplinks is 3, which ...", "cluster.txt:3:5: the rate is 0".
    std::string ToSentence() const;
};

/// A host, a switch, or a part of a host.
struct TopologyNode
{
    static constexpr uint32_t NO_HOST = UINT32_MAX;

    std::string name; ///< unique, e.g. "host3", "leaf0", "n7", "host3.gpu0"
    TopologyNodeKind kind{TopologyNodeKind::HOST};
    uint32_t gpus{0};            ///< GPUs of a host; 0 for a switch
    std::vector<uint32_t> ports; ///< port ids in the order the links were added
    uint32_t host{NO_HOST};      ///< node id of the host that this is a part of
};

/// A full-duplex cable. Parallel links between the same nodes are allowed.
struct TopologyLink
{
    uint32_t nodeA{0};   ///< index of a node
    uint32_t nodeB{0};   ///< index of a node
    uint64_t rateBps{0}; ///< [bit/s] in each direction
    int64_t delayPs{0};  ///< [ps] propagation in each direction
    TopologyLinkKind kind{TopologyLinkKind::NETWORK};
};

/**
 * The graph of a cluster, as plain values; no simulator is needed to build, check or test it.
 *
 * Ids are dense and in the order of construction ("topology order"), the same on every rank and
 * for every engine. Link i owns two ports: port 2i at nodeA and port 2i+1 at nodeB. A port is also
 * the id of the directed link that leaves it: directed link 2i runs from nodeA to nodeB. The k-th
 * port of a host is its NIC k ("host3.nic1"). GPU ids are dense over hosts in node order.
 *
 * The inside of hosts, if it is modelled, follows the whole network: the nodes from
 * GetNetworkNodeCount() and the ports from GetNetworkPortCount() on are parts of hosts. Hence ids
 * of the network are the same with and without it.
 */
class ClusterTopology
{
  public:
    /// Maximum number of ports of a node: the fabric numbers them with 16 bits.
    static constexpr std::size_t MAX_PORTS = 65'536;
    /// Maximum delay of a link [ps]: 1,000 s, so that sums along paths stay within 64 bits.
    static constexpr int64_t MAX_DELAY_PS = 1'000'000'000'000'000;

    /// Adds a host with gpus GPUs; returns its node id.
    uint32_t AddHost(const std::string& name, uint32_t gpus);
    /// Adds a switch; returns its node id.
    uint32_t AddSwitch(const std::string& name);
    /// Adds a full-duplex link of rateBps [bit/s] and delayPs [ps]; returns its link id.
    uint32_t AddLink(uint32_t nodeA, uint32_t nodeB, uint64_t rateBps, int64_t delayPs);

    /// Adds the inside of a host, after all hosts, switches and network links. Its nodes are named
    /// HOST.gpu0, HOST.nic0, ... Aborts if the host and the layout differ in GPUs or NICs.
    void AddInside(uint32_t host, const HostLayout& layout);

    /// Number of hosts and switches: the nodes with smaller ids.
    uint32_t GetNetworkNodeCount() const
    {
        return m_networkNodes;
    }

    /// Number of network ports: the ports with smaller ids.
    uint32_t GetNetworkPortCount() const
    {
        return 2 * m_networkLinks;
    }

    /// Whether the inside of hosts is modelled.
    bool HasInsides() const
    {
        return m_networkLinks < m_links.size();
    }

    /// The inside of a host, or null.
    const HostLayout* GetLayout(uint32_t host) const;

    /// Node id of a part of a host. \param part index into the nodes of its layout
    uint32_t GetPart(uint32_t host, uint32_t part) const
    {
        return m_insides[m_insideOfHost[host]].firstNode + part;
    }

    /// Port id of a port of a part of a host. \param port as in its layout
    uint32_t GetInsidePort(uint32_t host, uint32_t port) const
    {
        return m_insides[m_insideOfHost[host]].firstPort + port;
    }

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
    /// Node id of a host or switch by name, or -1.
    int64_t FindNode(const std::string& name) const;
    /// Node id by name, parts of hosts included, or -1.
    int64_t FindAnyNode(const std::string& name) const;
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

    /// First GPU id of a host (meaningless if it has none).
    uint32_t GetFirstGpu(uint32_t node) const
    {
        return m_firstGpu[node];
    }

    /// The NIC (port id) of GPU g of a host with G GPUs and N NICs: NIC floor(g N / G).
    uint32_t GetGpuNic(uint32_t gpu) const;
    /// The switch that a host's NIC 0 is connected to (its leaf), or the host itself if cabled to a
    /// host.
    uint32_t GetLeaf(uint32_t host) const;

    /**
     * Checks the requirements on every topology: at least one host, unique names without "/", no
     * self-loops, positive rates, delays from 0 to MAX_DELAY_PS, at most MAX_PORTS ports of a node,
     * a link of every host if there are several, every host reachable from every other.
     * \returns faults of the graph; empty if there is none.
     */
    std::vector<TopologyFault> Validate() const;

  private:
    /// Position of the inside of a host.
    struct Inside
    {
        uint32_t firstNode{0};
        uint32_t firstPort{0};
        uint32_t layout{0}; ///< index into m_layouts
    };

    /// Adds a fault if two hosts have no path through switches.
    void CheckReachability(const std::vector<uint32_t>& hosts,
                           std::vector<TopologyFault>& faults) const;

    std::vector<TopologyNode> m_nodes;
    std::unordered_map<std::string, uint32_t> m_nodeOfName; ///< looked up, never iterated
    std::vector<TopologyLink> m_links;
    std::vector<uint32_t> m_gpuHost;
    std::vector<uint32_t> m_firstGpu;
    uint32_t m_networkNodes{0};
    uint32_t m_networkLinks{0};
    std::vector<HostLayout> m_layouts;    ///< each distinct layout once
    std::vector<Inside> m_insides;        ///< in insertion order
    std::vector<uint32_t> m_insideOfHost; ///< by node id of the network; NO_HOST: none
};

} // namespace ns3

#endif // GPU_FABRIC_CLUSTER_TOPOLOGY_H
