/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/quantity-value.h"
#include "ns3/topology-generator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("LeafSpineTopology");

/**
 * A two-tier Clos network: host0.., leaf0.., spine0... Host i is under leaf i / HostsPerLeaf with
 * all its NICs. The uplinks of a leaf are spread evenly over the spines, in parallel if there are
 * more uplinks than spines.
 *
 * Links, and so ports, come in this order: host by host and NIC by NIC; then leaf by leaf, spine by
 * spine, and the parallel links of such a pair one after the other.
 */
class LeafSpineTopology : public TopologyGenerator
{
  public:
    static TypeId GetTypeId();

    ClusterTopology Generate(std::vector<TopologyFault>& faults) const override;

  private:
    uint32_t m_leaves{0};
    uint32_t m_spines{0};
    uint32_t m_hostsPerLeaf{0};
    uint32_t m_gpusPerHost{0};
    uint32_t m_nicsPerHost{0};
    uint64_t m_nicRate{0}; ///< [bit/s]
    uint32_t m_uplinks{0};
    uint64_t m_uplinkRate{0}; ///< [bit/s]
    Time m_linkDelay;
};

NS_OBJECT_ENSURE_REGISTERED(LeafSpineTopology);

TypeId
LeafSpineTopology::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::LeafSpineTopology")
            .SetParent<TopologyGenerator>()
            .SetGroupName("GpuFabric")
            .AddConstructor<LeafSpineTopology>()
            .AddAttribute("Leaves",
                          "Number of leaf switches.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&LeafSpineTopology::m_leaves),
                          MakeUintegerChecker<uint32_t>(1, 4096))
            .AddAttribute("Spines",
                          "Number of spine switches.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&LeafSpineTopology::m_spines),
                          MakeUintegerChecker<uint32_t>(1, 4096))
            .AddAttribute("HostsPerLeaf",
                          "Hosts under each leaf.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&LeafSpineTopology::m_hostsPerLeaf),
                          MakeUintegerChecker<uint32_t>(1, 4096))
            .AddAttribute("GpusPerHost",
                          "GPUs of each host.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&LeafSpineTopology::m_gpusPerHost),
                          MakeUintegerChecker<uint32_t>(0, 1024))
            .AddAttribute("NicsPerHost",
                          "NICs, and so links to the leaf, of each host.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&LeafSpineTopology::m_nicsPerHost),
                          MakeUintegerChecker<uint32_t>(1, 64))
            .AddAttribute("NicRate",
                          "Rate of a host's link, in each direction.",
                          BitRateValue(100'000'000'000),
                          MakeBitRateAccessor(&LeafSpineTopology::m_nicRate),
                          MakeBitRateChecker())
            .AddAttribute("Uplinks",
                          "Links from each leaf to the spines, in all; a multiple of Spines.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&LeafSpineTopology::m_uplinks),
                          MakeUintegerChecker<uint32_t>(1, 65536))
            .AddAttribute("UplinkRate",
                          "Rate of a link between leaf and spine, in each direction.",
                          BitRateValue(100'000'000'000),
                          MakeBitRateAccessor(&LeafSpineTopology::m_uplinkRate),
                          MakeBitRateChecker())
            .AddAttribute("LinkDelay",
                          "Propagation delay of every link.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&LeafSpineTopology::m_linkDelay),
                          MakeTimeChecker(Seconds(0)));
    return tid;
}

ClusterTopology
LeafSpineTopology::Generate(std::vector<TopologyFault>& faults) const
{
    NS_LOG_FUNCTION(this);
    ClusterTopology topology;
    if (m_uplinks % m_spines != 0)
    {
        faults.push_back(TopologyFault::OfAttribute(
            "Uplinks",
            "is " + std::to_string(m_uplinks) + ", which is not a multiple of Spines (" +
                std::to_string(m_spines) +
                "): the uplinks of a leaf are spread evenly over the spines"));
    }
    if (m_nicRate == 0)
    {
        faults.push_back(TopologyFault::OfAttribute("NicRate", "is 0"));
    }
    if (m_uplinkRate == 0)
    {
        faults.push_back(TopologyFault::OfAttribute("UplinkRate", "is 0"));
    }
    const uint64_t links = static_cast<uint64_t>(m_leaves) *
                           (static_cast<uint64_t>(m_hostsPerLeaf) * m_nicsPerHost + m_uplinks);
    if (links > MAX_LINKS)
    {
        faults.push_back(TopologyFault::OfSize(
            "Leaves, HostsPerLeaf, NicsPerHost and Uplinks make " + std::to_string(links) +
            " links: at most " + std::to_string(MAX_LINKS) + " are supported"));
    }
    const uint64_t gpus = static_cast<uint64_t>(m_leaves) * m_hostsPerLeaf * m_gpusPerHost;
    if (gpus > MAX_GPUS)
    {
        faults.push_back(TopologyFault::OfSize("Leaves, HostsPerLeaf and GpusPerHost make " +
                                               std::to_string(gpus) + " GPUs: at most " +
                                               std::to_string(MAX_GPUS) + " are supported"));
    }
    if (!faults.empty())
    {
        return topology;
    }

    const uint32_t hosts = m_leaves * m_hostsPerLeaf;
    for (uint32_t host = 0; host < hosts; host++)
    {
        topology.AddHost("host" + std::to_string(host), m_gpusPerHost);
    }
    const uint32_t firstLeaf = hosts;
    for (uint32_t leaf = 0; leaf < m_leaves; leaf++)
    {
        topology.AddSwitch("leaf" + std::to_string(leaf));
    }
    const uint32_t firstSpine = firstLeaf + m_leaves;
    for (uint32_t spine = 0; spine < m_spines; spine++)
    {
        topology.AddSwitch("spine" + std::to_string(spine));
    }

    const int64_t delay = m_linkDelay.GetPicoSeconds();
    for (uint32_t host = 0; host < hosts; host++)
    {
        for (uint32_t nic = 0; nic < m_nicsPerHost; nic++)
        {
            topology.AddLink(host, firstLeaf + host / m_hostsPerLeaf, m_nicRate, delay);
        }
    }
    for (uint32_t leaf = 0; leaf < m_leaves; leaf++)
    {
        for (uint32_t spine = 0; spine < m_spines; spine++)
        {
            for (uint32_t parallel = 0; parallel < m_uplinks / m_spines; parallel++)
            {
                topology.AddLink(firstLeaf + leaf, firstSpine + spine, m_uplinkRate, delay);
            }
        }
    }
    return topology;
}

} // namespace ns3
