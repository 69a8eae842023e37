/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-list.h"

#include "hop-pipeline.h"

#include "ns3/config.h"
#include "ns3/fabric.h"
#include "ns3/log.h"
#include "ns3/object-vector.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricList");

namespace
{

/// The object at the root of the paths; it exists while there are fabrics.
class FabricListRoot : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::FabricListRoot")
                                .SetParent<Object>()
                                .SetGroupName("GpuFabric")
                                .AddAttribute("FabricList",
                                              "The fabrics of the simulation.",
                                              TypeId::ATTR_GET,
                                              ObjectVectorValue(),
                                              MakeObjectVectorAccessor(&FabricListRoot::m_fabrics),
                                              MakeObjectVectorChecker<Fabric>());
        return tid;
    }

    std::vector<Ptr<Fabric>> m_fabrics;
};

Ptr<FabricListRoot>&
GetRoot()
{
    static Ptr<FabricListRoot> root;
    return root;
}

} // namespace

void
FabricList::Add(Ptr<Fabric> fabric)
{
    Ptr<FabricListRoot>& root = GetRoot();
    if (!root)
    {
        root = CreateObject<FabricListRoot>();
        Config::RegisterRootNamespaceObject(root);
        // As in NodeList; fabrics that nobody disposes of must not leak into the next simulation.
        Simulator::ScheduleDestroy(&FabricList::Clear);
    }
    NS_LOG_LOGIC("/FabricList/" << root->m_fabrics.size());
    root->m_fabrics.push_back(fabric);
}

void
FabricList::Remove(const Fabric* fabric)
{
    const Ptr<FabricListRoot> root = GetRoot();
    if (!root)
    {
        return;
    }
    std::vector<Ptr<Fabric>>& fabrics = root->m_fabrics;
    fabrics.erase(std::remove_if(fabrics.begin(),
                                 fabrics.end(),
                                 [fabric](const Ptr<Fabric>& listed) {
                                     return PeekPointer(listed) == fabric;
                                 }),
                  fabrics.end());
    if (fabrics.empty())
    {
        Clear();
    }
}

bool
FabricList::IsOtherSplit(const Fabric& fabric)
{
    const Ptr<FabricListRoot> root = GetRoot();
    return root && std::any_of(root->m_fabrics.begin(),
                               root->m_fabrics.end(),
                               [&fabric](const Ptr<Fabric>& listed) {
                                   return PeekPointer(listed) != &fabric &&
                                          listed->GetPipeline().GetNetwork().others != nullptr;
                               });
}

void
FabricList::Clear()
{
    // Fabrics that are destroyed with the list call Remove().
    const Ptr<FabricListRoot> root = GetRoot();
    GetRoot() = nullptr;
    if (root)
    {
        Config::UnregisterRootNamespaceObject(root);
    }
}

} // namespace ns3
