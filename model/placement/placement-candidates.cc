/* SPDX-License-Identifier: GPL-2.0-only */
#include "placement-candidates.h"

#include "ns3/abort.h"
#include "ns3/object-factory.h"

#include <algorithm>
#include <deque>
#include <set>

namespace ns3
{

namespace
{

/// Calls of the policy for each requested candidate.
constexpr size_t TRIES = 4;

} // namespace

std::vector<Placement>
PlacementCandidates::Get(const PlacementPolicy& policy,
                         const PlacementView& view,
                         const PlacementRequest& request,
                         uint32_t count)
{
    using Hosts = std::set<uint32_t>;
    std::vector<Placement> candidates;
    std::set<std::vector<uint32_t>> known;
    std::deque<Hosts> open{{}};
    std::set<Hosts> asked{{}};
    for (size_t tries = 0; !open.empty() && candidates.size() < count && tries < TRIES * count;
         tries++)
    {
        const Hosts without = open.front();
        open.pop_front();
        PlacementView masked = view;
        for (uint32_t gpu = 0; gpu < masked.gpuFree.size(); gpu++)
        {
            if (without.count(view.topology->GetGpuHost(gpu)) > 0)
            {
                masked.gpuFree[gpu] = 0;
            }
        }
        for (Placement& placement : policy.Rank(masked, request))
        {
            if (candidates.size() >= count || !known.insert(placement.gpus).second)
            {
                continue;
            }
            Hosts used;
            for (const uint32_t gpu : placement.gpus)
            {
                used.insert(view.topology->GetGpuHost(gpu));
            }
            for (const uint32_t host : used)
            {
                Hosts more = without;
                more.insert(host);
                if (asked.insert(more).second)
                {
                    open.push_back(std::move(more));
                }
            }
            candidates.push_back(std::move(placement));
        }
    }
    return candidates;
}

Ptr<PlacementPolicy>
PlacementCandidates::Make(const std::string& name)
{
    TypeId type;
    NS_ABORT_MSG_IF(!TypeId::LookupByNameFailSafe("ns3::" + name + "Placement", &type) ||
                        !type.IsChildOf(PlacementPolicy::GetTypeId()),
                    "no placement " << name);
    ObjectFactory factory;
    factory.SetTypeId(type);
    return factory.Create<PlacementPolicy>();
}

} // namespace ns3
