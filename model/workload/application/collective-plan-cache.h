/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COLLECTIVE_PLAN_CACHE_H
#define GPU_FABRIC_COLLECTIVE_PLAN_CACHE_H

#include "../../collective/collective-plan.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

/// Something of a collective that stands in for what was asked for.
struct CollectiveFallback
{
    std::string algorithm; ///< TypeId of what was asked for
    std::string reason;    ///< one sentence
};

/**
 * Plans by what they are made of. Those of algorithms that take long (CollectiveAlgorithm::
 * IsCostly()) are kept as long as the cluster, so that a job that is looked at on many placements,
 * and all jobs like it, have one.
 */
class CollectivePlanCache
{
  public:
    /// Algorithm and its attributes; channels, rate and seats; collective.
    using Key = std::tuple<std::string, std::vector<uint64_t>, CollectiveCall>;

    struct Entry
    {
        std::shared_ptr<const CollectivePlan> plan; ///< null: not made yet
        std::string fallback;                       ///< CollectiveAlgorithm::GetFallback()
    };

    /// The entry of a key, which may be new.
    Entry& Get(const Key& key)
    {
        return m_entries[key];
    }

  private:
    std::map<Key, Entry> m_entries;
};

} // namespace ns3

#endif // GPU_FABRIC_COLLECTIVE_PLAN_CACHE_H
