/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/collective-algorithm.h"

#include "ns3/object-factory.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CollectiveAlgorithm);

TypeId
CollectiveAlgorithm::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CollectiveAlgorithm").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

Ptr<CollectiveAlgorithm>
CollectiveAlgorithm::Create(const std::string& name)
{
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe("ns3::" + name + "Collective", &tid) ||
        !tid.IsChildOf(GetTypeId()) || !tid.HasConstructor())
    {
        return nullptr;
    }
    ObjectFactory factory;
    factory.SetTypeId(tid);
    return factory.Create<CollectiveAlgorithm>();
}

} // namespace ns3
