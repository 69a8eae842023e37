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

/// A substitution made in a collective for what was requested.
struct CollectiveFallback
{
    std::string algorithm; ///< TypeId of the requested algorithm
    std::string reason;    ///< one sentence
};

/**
 * Plans by their inputs. Those of costly algorithms (CollectiveAlgorithm::IsCostly()) are kept as
 * long as the cluster, so that a job that is tried on many placements, and all jobs like it, share
 * one plan.
 */
class CollectivePlanCache
{
  public:
    /// Algorithm and its attributes; channels, rate and layout; collective.
    using Key = std::tuple<std::string, std::vector<uint64_t>, CollectiveCall>;

    struct Entry
    {
        std::shared_ptr<const CollectivePlan> plan; ///< null: not built yet
        std::string fallback;                       ///< CollectiveAlgorithm::GetFallback()
    };

    /// The entry of a key, created if necessary.
    Entry& Get(const Key& key)
    {
        return m_entries[key];
    }

  private:
    std::map<Key, Entry> m_entries;
};

} // namespace ns3

#endif // GPU_FABRIC_COLLECTIVE_PLAN_CACHE_H
