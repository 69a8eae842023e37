/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/topology-generator.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TopologyGenerator);

TypeId
TopologyGenerator::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TopologyGenerator").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

void
TopologyGenerator::CheckSize(const std::string& linkKeys,
                             uint64_t links,
                             const std::string& gpuKeys,
                             uint64_t gpus,
                             std::vector<TopologyFault>& faults)
{
    if (links > MAX_LINKS)
    {
        faults.push_back(TopologyFault::OfSize(linkKeys + " make " + std::to_string(links) +
                                               " links: at most " + std::to_string(MAX_LINKS) +
                                               " are supported"));
    }
    if (gpus > MAX_GPUS)
    {
        faults.push_back(TopologyFault::OfSize(gpuKeys + " make " + std::to_string(gpus) +
                                               " GPUs: at most " + std::to_string(MAX_GPUS) +
                                               " are supported"));
    }
}

} // namespace ns3
