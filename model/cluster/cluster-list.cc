/* SPDX-License-Identifier: GPL-2.0-only */
#include "cluster-list.h"

#include "cluster-manager.h"

#include "ns3/config.h"
#include "ns3/log.h"
#include "ns3/object-vector.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ClusterList");

namespace
{

/// The object at the root of the paths; it exists while there are clusters.
class ClusterListRoot : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::ClusterListRoot")
                .SetParent<Object>()
                .SetGroupName("GpuFabric")
                .AddAttribute("ClusterList",
                              "The clusters of the simulation.",
                              TypeId::ATTR_GET,
                              ObjectVectorValue(),
                              MakeObjectVectorAccessor(&ClusterListRoot::m_clusters),
                              MakeObjectVectorChecker<ClusterManager>());
        return tid;
    }

    std::vector<Ptr<ClusterManager>> m_clusters;
};

Ptr<ClusterListRoot>&
GetRoot()
{
    static Ptr<ClusterListRoot> root;
    return root;
}

} // namespace

void
ClusterList::Add(Ptr<ClusterManager> cluster)
{
    NS_LOG_FUNCTION(cluster);
    Ptr<ClusterListRoot>& root = GetRoot();
    if (!root)
    {
        root = CreateObject<ClusterListRoot>();
        Config::RegisterRootNamespaceObject(root);
        // As in NodeList; clusters that nobody disposes of must not leak into the next simulation.
        Simulator::ScheduleDestroy(&ClusterList::Clear);
    }
    root->m_clusters.push_back(cluster);
}

void
ClusterList::Remove(const ClusterManager* cluster)
{
    NS_LOG_FUNCTION(cluster);
    const Ptr<ClusterListRoot> root = GetRoot();
    if (!root)
    {
        return;
    }
    std::vector<Ptr<ClusterManager>>& clusters = root->m_clusters;
    clusters.erase(std::remove_if(clusters.begin(),
                                  clusters.end(),
                                  [cluster](const Ptr<ClusterManager>& listed) {
                                      return PeekPointer(listed) == cluster;
                                  }),
                   clusters.end());
    if (clusters.empty())
    {
        Clear();
    }
}

void
ClusterList::Clear()
{
    // Clusters that are destroyed with the list call Remove().
    const Ptr<ClusterListRoot> root = GetRoot();
    GetRoot() = nullptr;
    if (root)
    {
        Config::UnregisterRootNamespaceObject(root);
    }
}

} // namespace ns3
