/* SPDX-License-Identifier: GPL-2.0-only */
#include "clos-plan.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/quantity-value.h"
#include "ns3/topology-generator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ThreeTierClosTopology");

/**
 * A three-tier Clos network of equal pods, cabled according to ClosPlan: host0.., tor0.., agg0..,
 * core0... Over-subscription follows from the numbers of links and their rates.
 *
 * DoubleSided hosts are attached to two ToRs, as in the production cluster of Crux (SIGCOMM 2024: 6
 * ToR, 12 aggregation and 32 core switches, eight links from a host to two ToRs): ToRs 2i and 2i +
 * 1 share HostsPerTor hosts, whose NICs alternate between them. Without cores, a single pod is a
 * two-tier network.
 */
class ThreeTierClosTopology : public TopologyGenerator
{
  public:
    static TypeId GetTypeId();

    ClusterTopology Generate(std::vector<TopologyFault>& faults) const override;

  private:
    uint32_t m_pods{0};
    uint32_t m_torsPerPod{0};
    uint32_t m_aggsPerPod{0};
    uint32_t m_cores{0};
    uint32_t m_hostsPerTor{0};
    uint32_t m_gpusPerHost{0};
    uint32_t m_nicsPerHost{0};
    uint64_t m_nicRate{0}; ///< [bit/s]
    uint32_t m_torUplinks{0};
    uint64_t m_torUplinkRate{0}; ///< [bit/s]
    uint32_t m_aggUplinks{0};
    uint64_t m_aggUplinkRate{0}; ///< [bit/s]
    Time m_linkDelay;
    bool m_doubleSided{false};
};

NS_OBJECT_ENSURE_REGISTERED(ThreeTierClosTopology);

TypeId
ThreeTierClosTopology::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ThreeTierClosTopology")
            .SetParent<TopologyGenerator>()
            .SetGroupName("GpuFabric")
            .AddConstructor<ThreeTierClosTopology>()
            .AddAttribute("Pods",
                          "Number of pods.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&ThreeTierClosTopology::m_pods),
                          MakeUintegerChecker<uint32_t>(1, 4096))
            .AddAttribute("TorsPerPod",
                          "ToR switches of each pod; with DoubleSided an even number.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&ThreeTierClosTopology::m_torsPerPod),
                          MakeUintegerChecker<uint32_t>(1, 4096))
            .AddAttribute("AggsPerPod",
                          "Aggregation switches of each pod.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&ThreeTierClosTopology::m_aggsPerPod),
                          MakeUintegerChecker<uint32_t>(1, 4096))
            .AddAttribute("Cores",
                          "Number of core switches; 0 for a single pod without cores.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&ThreeTierClosTopology::m_cores),
                          MakeUintegerChecker<uint32_t>(0, 4096))
            .AddAttribute("HostsPerTor",
                          "Hosts under each ToR; with DoubleSided shared by two ToRs.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&ThreeTierClosTopology::m_hostsPerTor),
                          MakeUintegerChecker<uint32_t>(1, 4096))
            .AddAttribute("GpusPerHost",
                          "GPUs of each host.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&ThreeTierClosTopology::m_gpusPerHost),
                          MakeUintegerChecker<uint32_t>(0, 1024))
            .AddAttribute("NicsPerHost",
                          "NICs, and so links to ToRs, of each host; with DoubleSided an even "
                          "number.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&ThreeTierClosTopology::m_nicsPerHost),
                          MakeUintegerChecker<uint32_t>(1, 64))
            .AddAttribute("NicRate",
                          "Rate of a host's link, in each direction.",
                          BitRateValue(100'000'000'000),
                          MakeBitRateAccessor(&ThreeTierClosTopology::m_nicRate),
                          MakeBitRateChecker())
            .AddAttribute("TorUplinks",
                          "Links from each ToR to its pod, in all; a multiple of AggsPerPod.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&ThreeTierClosTopology::m_torUplinks),
                          MakeUintegerChecker<uint32_t>(1, 65536))
            .AddAttribute("TorUplinkRate",
                          "Rate of a link between ToR and aggregation switch, in each direction.",
                          BitRateValue(100'000'000'000),
                          MakeBitRateAccessor(&ThreeTierClosTopology::m_torUplinkRate),
                          MakeBitRateChecker())
            .AddAttribute("AggUplinks",
                          "Links from each aggregation switch to cores, in all; AggsPerPod times "
                          "as many are a multiple of Cores.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&ThreeTierClosTopology::m_aggUplinks),
                          MakeUintegerChecker<uint32_t>(1, 65536))
            .AddAttribute("AggUplinkRate",
                          "Rate of a link between aggregation switch and core, in each direction.",
                          BitRateValue(100'000'000'000),
                          MakeBitRateAccessor(&ThreeTierClosTopology::m_aggUplinkRate),
                          MakeBitRateChecker())
            .AddAttribute("LinkDelay",
                          "Propagation delay of every link.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&ThreeTierClosTopology::m_linkDelay),
                          MakeTimeChecker(Seconds(0)))
            .AddAttribute("DoubleSided",
                          "Whether each host hangs on two ToRs, its NICs in turn.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&ThreeTierClosTopology::m_doubleSided),
                          MakeBooleanChecker());
    return tid;
}

ClusterTopology
ThreeTierClosTopology::Generate(std::vector<TopologyFault>& faults) const
{
    NS_LOG_FUNCTION(this);
    const uint32_t sides = m_doubleSided ? 2 : 1;
    if (m_torsPerPod % sides != 0)
    {
        faults.push_back(TopologyFault::OfAttribute(
            "TorsPerPod",
            "is " + std::to_string(m_torsPerPod) +
                ", which is not even: DoubleSided hosts hang on pairs of ToRs"));
    }
    const uint64_t tors = static_cast<uint64_t>(m_pods) * m_torsPerPod;
    const uint64_t hosts = tors / sides * m_hostsPerTor;
    const uint64_t aggLinks =
        m_cores > 0 ? static_cast<uint64_t>(m_pods) * m_aggsPerPod * m_aggUplinks : 0;
    // Before building the plan, so that its size is bounded.
    CheckSize("Pods, TorsPerPod, HostsPerTor, NicsPerHost, TorUplinks and AggUplinks",
              hosts * m_nicsPerHost + tors * m_torUplinks + aggLinks,
              "Pods, TorsPerPod, HostsPerTor and GpusPerHost",
              hosts * m_gpusPerHost,
              faults);
    if (!faults.empty())
    {
        return {};
    }
    ClosPlan plan;
    for (uint64_t host = 0; host < hosts; host++)
    {
        plan.torOfHost.push_back(static_cast<uint32_t>(host / m_hostsPerTor) * sides);
    }
    for (uint32_t tor = 0; tor < tors; tor++)
    {
        plan.podOfTor.push_back(tor / m_torsPerPod);
    }
    plan.doubleSided = m_doubleSided;
    plan.gpusPerHost = m_gpusPerHost;
    plan.nicsPerHost = m_nicsPerHost;
    plan.nicBps = m_nicRate;
    plan.aggsPerPod = m_aggsPerPod;
    plan.torUplinks = m_torUplinks;
    plan.torUplinkBps = m_torUplinkRate;
    plan.cores = m_cores;
    plan.aggUplinks = m_aggUplinks;
    plan.aggUplinkBps = m_aggUplinkRate;
    plan.delayPs = m_linkDelay.GetPicoSeconds();
    plan.Check(faults);
    return faults.empty() ? plan.Build() : ClusterTopology();
}

} // namespace ns3
