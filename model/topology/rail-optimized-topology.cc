/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/quantity-value.h"
#include "ns3/topology-generator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RailOptimizedTopology");

/**
 * A rail-optimized network: host0.., rail0.., spine0... Hosts come in groups; NIC k of every host
 * of group g is cabled to rail switch g NicsPerHost + k, so that equal NICs of a group are one
 * switch apart. Spines connect all rail switches.
 *
 * With RailOnly (Wang et al., "Rail-only: A Low-Cost High-Performance Network for Training LLMs
 * with Trillions of Parameters", HotI 2024) a spine belongs to one rail: Spines is the number per
 * rail, spine k Spines + s connects rail switch k of every group, and NICs of different rails
 * cannot reach each other at all.
 *
 * Links, and so ports, come in this order: host by host and NIC by NIC; then rail switch by rail
 * switch, spine by spine, and the parallel links of such a pair one after the other.
 */
class RailOptimizedTopology : public TopologyGenerator
{
  public:
    static TypeId GetTypeId();

    ClusterTopology Generate(std::vector<TopologyFault>& faults) const override;

  private:
    void Check(std::vector<TopologyFault>& faults) const;

    uint32_t m_groups{0};
    uint32_t m_hostsPerGroup{0};
    uint32_t m_gpusPerHost{0};
    uint32_t m_nicsPerHost{0};
    uint64_t m_nicRate{0}; ///< [bit/s]
    uint32_t m_spines{0};
    uint32_t m_uplinks{0};
    uint64_t m_uplinkRate{0}; ///< [bit/s]
    Time m_linkDelay;
    bool m_railOnly{false};
};

NS_OBJECT_ENSURE_REGISTERED(RailOptimizedTopology);

TypeId
RailOptimizedTopology::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RailOptimizedTopology")
            .SetParent<TopologyGenerator>()
            .SetGroupName("GpuFabric")
            .AddConstructor<RailOptimizedTopology>()
            .AddAttribute("Groups",
                          "Groups of hosts, each with rail switches of its own.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RailOptimizedTopology::m_groups),
                          MakeUintegerChecker<uint32_t>(1, 4096))
            .AddAttribute("HostsPerGroup",
                          "Hosts of each group.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&RailOptimizedTopology::m_hostsPerGroup),
                          MakeUintegerChecker<uint32_t>(1, 65536))
            .AddAttribute("GpusPerHost",
                          "GPUs of each host.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&RailOptimizedTopology::m_gpusPerHost),
                          MakeUintegerChecker<uint32_t>(0, 1024))
            .AddAttribute("NicsPerHost",
                          "NICs of each host, and rail switches of each group.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&RailOptimizedTopology::m_nicsPerHost),
                          MakeUintegerChecker<uint32_t>(1, 64))
            .AddAttribute("NicRate",
                          "Rate of a host's link, in each direction.",
                          BitRateValue(100'000'000'000),
                          MakeBitRateAccessor(&RailOptimizedTopology::m_nicRate),
                          MakeBitRateChecker())
            .AddAttribute("Spines",
                          "Number of spine switches; with RailOnly of each rail, and then 0 is one "
                          "group without spines.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&RailOptimizedTopology::m_spines),
                          MakeUintegerChecker<uint32_t>(0, 4096))
            .AddAttribute("Uplinks",
                          "Links from each rail switch to its spines, in all; a multiple of "
                          "Spines.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&RailOptimizedTopology::m_uplinks),
                          MakeUintegerChecker<uint32_t>(1, 65536))
            .AddAttribute("UplinkRate",
                          "Rate of a link between rail switch and spine, in each direction.",
                          BitRateValue(100'000'000'000),
                          MakeBitRateAccessor(&RailOptimizedTopology::m_uplinkRate),
                          MakeBitRateChecker())
            .AddAttribute("LinkDelay",
                          "Propagation delay of every link.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&RailOptimizedTopology::m_linkDelay),
                          MakeTimeChecker(Seconds(0)))
            .AddAttribute("RailOnly",
                          "Whether spines join switches of one rail only, so that NICs of "
                          "different rails do not reach each other.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RailOptimizedTopology::m_railOnly),
                          MakeBooleanChecker());
    return tid;
}

void
RailOptimizedTopology::Check(std::vector<TopologyFault>& faults) const
{
    if (m_spines == 0 && !m_railOnly)
    {
        faults.push_back(
            TopologyFault::OfAttribute("Spines",
                                       "is 0, and then rails do not meet: write RailOnly: true"));
    }
    if (m_spines == 0 && m_railOnly && m_groups > 1)
    {
        faults.push_back(TopologyFault::OfAttribute(
            "Spines",
            "is 0, and then the " + std::to_string(m_groups) + " groups do not meet"));
    }
    if (m_spines > 0 && m_uplinks % m_spines != 0)
    {
        faults.push_back(TopologyFault::OfAttribute(
            "Uplinks",
            "is " + std::to_string(m_uplinks) + ", which is not a multiple of Spines (" +
                std::to_string(m_spines) +
                "): the uplinks of a rail switch are spread evenly over the spines"));
    }
    if (m_nicRate == 0)
    {
        faults.push_back(TopologyFault::OfAttribute("NicRate", "is 0"));
    }
    if (m_uplinkRate == 0)
    {
        faults.push_back(TopologyFault::OfAttribute("UplinkRate", "is 0"));
    }
    const uint64_t uplinks = m_spines > 0 ? m_uplinks : 0;
    const uint64_t hosts = static_cast<uint64_t>(m_groups) * m_hostsPerGroup;
    CheckSize("Groups, HostsPerGroup, NicsPerHost and Uplinks",
              (hosts + m_groups * uplinks) * m_nicsPerHost,
              "Groups, HostsPerGroup and GpusPerHost",
              hosts * m_gpusPerHost,
              faults);
}

ClusterTopology
RailOptimizedTopology::Generate(std::vector<TopologyFault>& faults) const
{
    NS_LOG_FUNCTION(this);
    ClusterTopology topology;
    Check(faults);
    if (!faults.empty())
    {
        return topology;
    }
    const uint32_t hosts = m_groups * m_hostsPerGroup;
    const uint32_t rails = m_groups * m_nicsPerHost;
    const uint32_t spines = m_railOnly ? m_nicsPerHost * m_spines : m_spines;
    for (uint32_t host = 0; host < hosts; host++)
    {
        topology.AddHost("host" + std::to_string(host), m_gpusPerHost);
    }
    for (uint32_t rail = 0; rail < rails; rail++)
    {
        topology.AddSwitch("rail" + std::to_string(rail));
    }
    for (uint32_t spine = 0; spine < spines; spine++)
    {
        topology.AddSwitch("spine" + std::to_string(spine));
    }

    const int64_t delay = m_linkDelay.GetPicoSeconds();
    for (uint32_t host = 0; host < hosts; host++)
    {
        const uint32_t firstRail = hosts + host / m_hostsPerGroup * m_nicsPerHost;
        for (uint32_t nic = 0; nic < m_nicsPerHost; nic++)
        {
            topology.AddLink(host, firstRail + nic, m_nicRate, delay);
        }
    }
    for (uint32_t rail = 0; rail < rails; rail++)
    {
        const uint32_t firstSpine =
            hosts + rails + (m_railOnly ? rail % m_nicsPerHost * m_spines : 0);
        for (uint32_t spine = 0; spine < m_spines; spine++)
        {
            for (uint32_t parallel = 0; parallel < m_uplinks / m_spines; parallel++)
            {
                topology.AddLink(hosts + rail, firstSpine + spine, m_uplinkRate, delay);
            }
        }
    }
    return topology;
}

} // namespace ns3
