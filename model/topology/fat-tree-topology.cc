/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/quantity-value.h"
#include "ns3/topology-generator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FatTreeTopology");

/**
 * A three-tier fat-tree of switches with K ports (Al-Fares, Loukissas and Vahdat, SIGCOMM 2008):
 * host0.., edge0.., agg0.., core0... Each of K pods has K/2 edge and K/2 aggregation switches, all
 * of them linked; aggregation switch j of every pod is linked to the K/2 cores from j K/2 on. An
 * edge has Oversubscription x K/2 hosts, one after the other, so that without over-subscription
 * K^3/4 hosts of one link each get their full rate.
 *
 * Links, and so ports, come in this order: host by host; then pod by pod, edge by edge, aggregation
 * switch by aggregation switch; then aggregation switch by aggregation switch, core by core.
 */
class FatTreeTopology : public TopologyGenerator
{
  public:
    static TypeId GetTypeId();

    ClusterTopology Generate(std::vector<TopologyFault>& faults) const override;

  private:
    uint32_t m_k{0};
    uint32_t m_oversubscription{0};
    uint32_t m_gpusPerHost{0};
    uint64_t m_nicRate{0}; ///< [bit/s]
    uint64_t m_oldRate{0}; ///< by its deprecated name; 0: not given [bit/s]
    Time m_linkDelay;
};

NS_OBJECT_ENSURE_REGISTERED(FatTreeTopology);

TypeId
FatTreeTopology::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FatTreeTopology")
            .SetParent<TopologyGenerator>()
            .SetGroupName("GpuFabric")
            .AddConstructor<FatTreeTopology>()
            .AddAttribute("K",
                          "Ports of a switch, an even number; also the number of pods.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&FatTreeTopology::m_k),
                          MakeUintegerChecker<uint32_t>(2, 512))
            .AddAttribute("Oversubscription",
                          "Hosts of an edge switch for each of its uplinks.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&FatTreeTopology::m_oversubscription),
                          MakeUintegerChecker<uint32_t>(1, 64))
            .AddAttribute("GpusPerHost",
                          "GPUs of each host.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&FatTreeTopology::m_gpusPerHost),
                          MakeUintegerChecker<uint32_t>(0, 1024))
            .AddAttribute("NicRate",
                          "Rate of every link, in each direction.",
                          BitRateValue(100'000'000'000),
                          MakeBitRateAccessor(&FatTreeTopology::m_nicRate),
                          MakeBitRateChecker())
            .AddAttribute("LinkDelay",
                          "Propagation delay of every link.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&FatTreeTopology::m_linkDelay),
                          MakeTimeChecker(Seconds(0)))
            .AddAttribute("LinkRate",
                          "Deprecated name of NicRate; 0: not given.",
                          BitRateValue(0),
                          MakeBitRateAccessor(&FatTreeTopology::m_oldRate),
                          MakeBitRateChecker(),
                          TypeId::SupportLevel::DEPRECATED,
                          "NicRate");
    return tid;
}

ClusterTopology
FatTreeTopology::Generate(std::vector<TopologyFault>& faults) const
{
    NS_LOG_FUNCTION(this);
    ClusterTopology topology;
    const uint64_t half = m_k / 2;
    const uint64_t hostsPerEdge = half * m_oversubscription;
    const uint64_t edges = m_k * half;
    const uint64_t hosts = edges * hostsPerEdge;
    if (m_k % 2 != 0)
    {
        faults.push_back(TopologyFault::OfAttribute(
            "K",
            "is " + std::to_string(m_k) +
                ", which is not even: half of a switch's ports go up, half down"));
    }
    const uint64_t rate = m_oldRate > 0 ? m_oldRate : m_nicRate;
    if (rate == 0)
    {
        faults.push_back(TopologyFault::OfAttribute("NicRate", "is 0"));
    }
    const uint64_t links = hosts + 2 * edges * half;
    if (links > MAX_LINKS)
    {
        faults.push_back(TopologyFault::OfSize("K and Oversubscription make " +
                                               std::to_string(links) + " links: at most " +
                                               std::to_string(MAX_LINKS) + " are supported"));
    }
    if (hosts * m_gpusPerHost > MAX_GPUS)
    {
        faults.push_back(TopologyFault::OfSize(
            "K, Oversubscription and GpusPerHost make " + std::to_string(hosts * m_gpusPerHost) +
            " GPUs: at most " + std::to_string(MAX_GPUS) + " are supported"));
    }
    if (!faults.empty())
    {
        return topology;
    }

    for (uint32_t host = 0; host < hosts; host++)
    {
        topology.AddHost("host" + std::to_string(host), m_gpusPerHost);
    }
    const auto firstEdge = static_cast<uint32_t>(hosts);
    const auto firstAggregation = static_cast<uint32_t>(hosts + edges);
    const auto firstCore = static_cast<uint32_t>(hosts + 2 * edges);
    for (uint32_t edge = 0; edge < edges; edge++)
    {
        topology.AddSwitch("edge" + std::to_string(edge));
    }
    for (uint32_t aggregation = 0; aggregation < edges; aggregation++)
    {
        topology.AddSwitch("agg" + std::to_string(aggregation));
    }
    for (uint32_t core = 0; core < half * half; core++)
    {
        topology.AddSwitch("core" + std::to_string(core));
    }

    const int64_t delay = m_linkDelay.GetPicoSeconds();
    for (uint32_t host = 0; host < hosts; host++)
    {
        topology.AddLink(host, firstEdge + host / hostsPerEdge, rate, delay);
    }
    for (uint32_t edge = 0; edge < edges; edge++)
    {
        for (uint32_t j = 0; j < half; j++)
        {
            topology.AddLink(firstEdge + edge,
                             firstAggregation + edge / half * half + j,
                             rate,
                             delay);
        }
    }
    for (uint32_t aggregation = 0; aggregation < edges; aggregation++)
    {
        for (uint32_t j = 0; j < half; j++)
        {
            topology.AddLink(firstAggregation + aggregation,
                             firstCore + aggregation % half * half + j,
                             rate,
                             delay);
        }
    }
    return topology;
}

} // namespace ns3
