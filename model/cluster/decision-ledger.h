/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DECISION_LEDGER_H
#define GPU_FABRIC_DECISION_LEDGER_H

#include "flow-steering.h"
#include "managed-job.h"

#include "ns3/cluster-view.h"
#include "ns3/scheduler-records.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/// How levels of a scheduler become priorities of the fabric: level l is priority highest - l.
struct PriorityMap
{
    uint8_t highest{6}; ///< the best data priority
    uint32_t levels{6}; ///< data priorities, at most highest + 1
};

/// What a job has been told about the network.
struct JobSteering
{
    std::string name; ///< of the job
    FlowSteering flows;
    uint32_t level{0};
    std::optional<TensorSchedule> tensors{}; ///< nothing: none was decided
    std::set<std::string> told{};            ///< fallbacks that the user was told of
    bool decided{false}; ///< a decision about the job (or none, but its start) has been booked
};

/// What a decision changes for a job.
struct JobUpdate
{
    bool start{false};             ///< the first: its ranks start with it
    std::vector<FlowUpdate> flows; ///< that change; all of them at the start
    int64_t shiftPs{0};
    std::optional<uint8_t> localPriority{};  ///< inside hosts, if it changes; at the start
    std::optional<TensorSchedule> tensors{}; ///< one that differs from that before

    bool IsEmpty() const
    {
        return !start && flows.empty() && shiftPs <= 0 && !localPriority && !tensors;
    }
};

/**
 * Turns decisions about jobs into what changes for their queue pairs, and records both what was
 * decided and what could not be done. Records are numbered from 0.
 */
class DecisionLedger
{
  public:
    using RecordCallback = std::function<void(const DecisionRecord&)>;
    using WarningCallback = std::function<void(const std::string&)>;

    /// \param topology gives names, must outlive this \param record gets every record
    void Configure(const ClusterTopology& topology, RecordCallback record);
    void SetPriorityMap(const PriorityMap& map);
    const PriorityMap& GetPriorityMap() const;
    /// Called with a sentence where a path cannot be had.
    void SetWarningCallback(WarningCallback callback);

    /**
     * Records something, numbered.
     * \param base time, scheduler, trigger and job
     * \param kind, value, inputs, reason as in DecisionRecord
     * \returns the number
     */
    uint32_t Record(const DecisionRecord& base,
                    const char* kind,
                    const std::string& value,
                    const std::string& inputs,
                    const std::string& reason);
    /**
     * Records where a job is placed.
     * \param base time, placement as scheduler, trigger and job
     * \param free GPUs that were free before
     */
    void RecordPlacement(const DecisionRecord& base,
                         const PlacementRequest& request,
                         uint64_t free,
                         const Placement& placement);
    /**
     * Records what stands in for the algorithms of a job's collectives, and warns of it.
     * \param base time, trigger and job
     * \param name of the job
     */
    void RecordFallbacks(const DecisionRecord& base,
                         const std::string& name,
                         const std::vector<CollectiveFallback>& fallbacks);
    /**
     * Books a decision about a job.
     * \param base time, scheduler, trigger and job
     * \param decision valid; null where the scheduler does not speak of the job
     * \param job gets its new state
     */
    JobUpdate Apply(const DecisionRecord& base, const JobDecision* decision, JobSteering& job);

  private:
    /// Books how gradients are sent.
    void ApplyTensors(const DecisionRecord& base,
                      const JobDecision& decision,
                      JobSteering& job,
                      JobUpdate& update);
    /// Steers one flow; returns the number of the record that changes its port, else NO_ID.
    uint32_t ApplyPath(const DecisionRecord& base,
                       const JobDecision& decision,
                       JobSteering& job,
                       uint32_t flow);

    const ClusterTopology* m_topology{nullptr};
    PriorityMap m_priorities;
    RecordCallback m_record;
    WarningCallback m_warn;
    uint32_t m_records{0};
};

} // namespace ns3

#endif // GPU_FABRIC_DECISION_LEDGER_H
