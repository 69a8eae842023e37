/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DECISION_LOG_H
#define GPU_FABRIC_DECISION_LOG_H

#include "../workload/application/collective-plan-cache.h"

#include "ns3/cluster-view.h"
#include "ns3/scheduler-records.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/// Records decisions about jobs and what cannot be done, numbered from 0; it takes no action
/// itself.
class DecisionLog
{
  public:
    using RecordCallback = std::function<void(const DecisionRecord&)>;
    using WarningCallback = std::function<void(const std::string&)>;

    /// \param topology provides names, must outlive this object \param record receives every record
    void Configure(const ClusterTopology& topology, RecordCallback record);
    /// Called with a sentence for the user.
    void SetWarningCallback(WarningCallback callback);
    /// Warns the user that something the scheduler requested cannot be done.
    void Warn(const std::string& warning) const;

    /**
     * Adds a numbered record.
     * \param base time, scheduler, trigger and job
     * \param kind, value, inputs, reason as in DecisionRecord
     * \returns its number
     */
    uint32_t Record(const DecisionRecord& base,
                    const char* kind,
                    const std::string& value,
                    const std::string& inputs,
                    const std::string& reason);
    /**
     * Records where a job is placed.
     * \param base time, placement as scheduler, trigger and job
     * \param free number of GPUs that were free before
     */
    void RecordPlacement(const DecisionRecord& base,
                         const PlacementRequest& request,
                         uint64_t free,
                         const Placement& placement);
    /**
     * Records what replaces the algorithms of a job's collectives, and warns of it.
     * \param base time, trigger and job
     * \param name of the job
     */
    void RecordFallbacks(const DecisionRecord& base,
                         const std::string& name,
                         const std::vector<CollectiveFallback>& fallbacks);

  private:
    const ClusterTopology* m_topology{nullptr};
    RecordCallback m_record;
    WarningCallback m_warn;
    uint32_t m_records{0};
};

} // namespace ns3

#endif // GPU_FABRIC_DECISION_LOG_H
