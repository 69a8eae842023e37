/* SPDX-License-Identifier: GPL-2.0-only */
#include "clos-plan.h"

#include <algorithm>

namespace ns3
{

uint32_t
ClosPlan::GetPodCount() const
{
    return podOfTor.empty() ? 0 : 1 + *std::max_element(podOfTor.begin(), podOfTor.end());
}

uint64_t
ClosPlan::GetLinkCount() const
{
    const uint64_t aggs = static_cast<uint64_t>(GetPodCount()) * aggsPerPod;
    return static_cast<uint64_t>(torOfHost.size()) * nicsPerHost +
           static_cast<uint64_t>(podOfTor.size()) * torUplinks +
           (cores > 0 ? aggs * aggUplinks : 0);
}

void
ClosPlan::Check(std::vector<TopologyFault>& faults) const
{
    if (torUplinks % aggsPerPod != 0)
    {
        faults.push_back(TopologyFault::OfAttribute(
            "TorUplinks",
            "is " + std::to_string(torUplinks) + ", which is not a multiple of AggsPerPod (" +
                std::to_string(aggsPerPod) +
                "): the uplinks of a ToR are spread evenly over its pod"));
    }
    const uint64_t up = static_cast<uint64_t>(aggsPerPod) * aggUplinks;
    if (cores > 0 && up % cores != 0)
    {
        faults.push_back(TopologyFault::OfAttribute(
            "AggUplinks",
            "is " + std::to_string(aggUplinks) + ", which makes " + std::to_string(up) +
                " links from a pod: not a multiple of Cores (" + std::to_string(cores) + ")"));
    }
    if (cores == 0 && GetPodCount() > 1)
    {
        faults.push_back(TopologyFault::OfAttribute(
            "Cores",
            "is 0, and then the " + std::to_string(GetPodCount()) + " pods do not meet"));
    }
    if (doubleSided && nicsPerHost % 2 != 0)
    {
        faults.push_back(TopologyFault::OfAttribute(
            "NicsPerHost",
            "is " + std::to_string(nicsPerHost) +
                ", which is not even: DoubleSided hosts split them over two ToRs"));
    }
    if (nicBps == 0)
    {
        faults.push_back(TopologyFault::OfAttribute("NicRate", "is 0"));
    }
    if (torUplinkBps == 0)
    {
        faults.push_back(TopologyFault::OfAttribute("TorUplinkRate", "is 0"));
    }
    if (aggUplinkBps == 0)
    {
        faults.push_back(TopologyFault::OfAttribute("AggUplinkRate", "is 0"));
    }
}

ClusterTopology
ClosPlan::Build() const
{
    ClusterTopology topology;
    const auto hosts = static_cast<uint32_t>(torOfHost.size());
    const auto tors = static_cast<uint32_t>(podOfTor.size());
    const uint32_t aggs = GetPodCount() * aggsPerPod;
    for (uint32_t host = 0; host < hosts; host++)
    {
        topology.AddHost("host" + std::to_string(host), gpusPerHost);
    }
    for (uint32_t tor = 0; tor < tors; tor++)
    {
        topology.AddSwitch("tor" + std::to_string(tor));
    }
    for (uint32_t agg = 0; agg < aggs; agg++)
    {
        topology.AddSwitch("agg" + std::to_string(agg));
    }
    for (uint32_t core = 0; core < cores; core++)
    {
        topology.AddSwitch("core" + std::to_string(core));
    }

    const uint32_t firstAgg = hosts + tors;
    for (uint32_t host = 0; host < hosts; host++)
    {
        for (uint32_t nic = 0; nic < nicsPerHost; nic++)
        {
            const uint32_t side = doubleSided ? nic % 2 : 0;
            topology.AddLink(host, hosts + torOfHost[host] + side, nicBps, delayPs);
        }
    }
    for (uint32_t tor = 0; tor < tors; tor++)
    {
        for (uint32_t j = 0; j < aggsPerPod; j++)
        {
            for (uint32_t parallel = 0; parallel < torUplinks / aggsPerPod; parallel++)
            {
                topology.AddLink(hosts + tor,
                                 firstAgg + podOfTor[tor] * aggsPerPod + j,
                                 torUplinkBps,
                                 delayPs);
            }
        }
    }
    for (uint32_t agg = 0; cores > 0 && agg < aggs; agg++)
    {
        for (uint64_t u = 0; u < aggUplinks; u++)
        {
            const uint64_t core =
                (agg % aggsPerPod * static_cast<uint64_t>(aggUplinks) + u) % cores;
            topology.AddLink(firstAgg + agg,
                             firstAgg + aggs + static_cast<uint32_t>(core),
                             aggUplinkBps,
                             delayPs);
        }
    }
    return topology;
}

} // namespace ns3
