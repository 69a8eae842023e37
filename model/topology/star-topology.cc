/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/quantity-value.h"
#include "ns3/topology-generator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("StarTopology");

/**
 * Hosts around one switch: host0, host1, ... and switch0. Host i is link i and port i of the
 * switch.
 */
class StarTopology : public TopologyGenerator
{
  public:
    static TypeId GetTypeId();

    ClusterTopology Generate(std::vector<TopologyFault>& faults) const override;

  private:
    uint32_t m_hosts{0};
    uint32_t m_gpusPerHost{0};
    uint64_t m_nicRate{0}; ///< [bit/s]
    uint64_t m_oldRate{0}; ///< by its deprecated name; 0: not given [bit/s]
    Time m_linkDelay;
};

NS_OBJECT_ENSURE_REGISTERED(StarTopology);

TypeId
StarTopology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::StarTopology")
                            .SetParent<TopologyGenerator>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<StarTopology>()
                            .AddAttribute("Hosts",
                                          "Number of hosts.",
                                          UintegerValue(16),
                                          MakeUintegerAccessor(&StarTopology::m_hosts),
                                          MakeUintegerChecker<uint32_t>(1, 65536))
                            .AddAttribute("GpusPerHost",
                                          "GPUs of each host.",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&StarTopology::m_gpusPerHost),
                                          MakeUintegerChecker<uint32_t>(0, 1024))
                            .AddAttribute("NicRate",
                                          "Rate of every link, in each direction.",
                                          BitRateValue(100'000'000'000),
                                          MakeBitRateAccessor(&StarTopology::m_nicRate),
                                          MakeBitRateChecker())
                            .AddAttribute("LinkDelay",
                                          "Propagation delay of every link.",
                                          TimeValue(MicroSeconds(1)),
                                          MakeTimeAccessor(&StarTopology::m_linkDelay),
                                          MakeTimeChecker(Seconds(0)))
                            .AddAttribute("Rate",
                                          "Deprecated name of NicRate; 0: not given.",
                                          BitRateValue(0),
                                          MakeBitRateAccessor(&StarTopology::m_oldRate),
                                          MakeBitRateChecker(),
                                          TypeId::SupportLevel::DEPRECATED,
                                          "NicRate");
    return tid;
}

ClusterTopology
StarTopology::Generate(std::vector<TopologyFault>& faults) const
{
    NS_LOG_FUNCTION(this);
    ClusterTopology topology;
    const uint64_t rate = m_oldRate > 0 ? m_oldRate : m_nicRate;
    if (rate == 0)
    {
        faults.push_back(TopologyFault::OfAttribute("NicRate", "is 0"));
    }
    const uint64_t gpus = static_cast<uint64_t>(m_hosts) * m_gpusPerHost;
    if (gpus > MAX_GPUS)
    {
        faults.push_back(TopologyFault::OfSize("Hosts and GpusPerHost make " +
                                               std::to_string(gpus) + " GPUs: at most " +
                                               std::to_string(MAX_GPUS) + " are supported"));
    }
    if (!faults.empty())
    {
        return topology;
    }
    for (uint32_t host = 0; host < m_hosts; host++)
    {
        topology.AddHost("host" + std::to_string(host), m_gpusPerHost);
    }
    const uint32_t center = topology.AddSwitch("switch0");
    for (uint32_t host = 0; host < m_hosts; host++)
    {
        topology.AddLink(host, center, rate, m_linkDelay.GetPicoSeconds());
    }
    return topology;
}

} // namespace ns3
