/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_RECORDER_H
#define GPU_FABRIC_FABRIC_RECORDER_H

#include "record-spec.h"
#include "result-database.h"

#include "ns3/cluster-topology.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ns3
{

/// Counters of one directed link and priority.
struct LinkReading
{
    uint32_t link{0};
    uint8_t priority{0};
    LinkCounters counters;
};

/**
 * Writes what the network does: `node`, `link`, `queue_pair`, `queue_pair_change`, `transfer`,
 * `pause`, `fabric_event`, `link_sample` as it comes; `link_window` and `job_link` at the end.
 *
 * Readings are in any order, and those whose counters are all zero may be left out.
 */
class FabricRecorder
{
  public:
    /**
     * Writes `node` and `link`.
     * \param database where to write; outlives the recorder
     * \param run number of the run
     * \param topology the graph; outlives the recorder
     * \param record what to write; transfers of plain flows are written always
     */
    FabricRecorder(ResultDatabase& database,
                   uint32_t run,
                   const ClusterTopology& topology,
                   const RecordSpec& record);

    void OnQueuePair(const QueuePairRecord& record);
    void OnQueuePairChange(const QueuePairChangeRecord& record);
    void OnTransfer(const TransferRecord& record);
    void OnPause(const PauseRecord& record);
    void OnFabricEvent(const FabricEventRecord& record);

    /// Rows of `link_sample`, one for each reading that is not all zero.
    void SampleLinks(int64_t nowPs, const std::vector<LinkReading>& readings);

    /// The measuring window opens: link_window counts from here (without this call from 0).
    void OpenWindow(int64_t nowPs, const std::vector<LinkReading>& readings);
    /// The measuring window closes: link_window and job_link count up to here (without this call
    /// up to the end of the run).
    void CloseWindow(int64_t nowPs,
                     const std::vector<LinkReading>& readings,
                     const std::vector<JobLinkCounters>& jobs);

    /// Writes the rest. \param endPs simulated time [ps]
    void FinishRun(int64_t endPs,
                   const std::vector<LinkReading>& readings,
                   const std::vector<JobLinkCounters>& jobs);

  private:
    using Readings = std::map<std::pair<uint32_t, uint8_t>, LinkCounters>;

    static Readings ToMap(const std::vector<LinkReading>& readings);

    /// Last event of a node, to number those of one instant.
    struct LastEvent
    {
        int64_t timePs{-1};
        uint32_t events{0};
    };

    ResultDatabase& m_database;
    uint32_t m_run;
    const ClusterTopology& m_topology;
    RecordSpec m_record;
    std::map<uint32_t, LastEvent> m_lastEvents;
    std::map<uint32_t, uint32_t> m_changes; ///< changes so far by queue pair
    int64_t m_fromPs{0};
    Readings m_from;
    std::optional<int64_t> m_toPs;
    Readings m_to;
    std::vector<JobLinkCounters> m_jobs;
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_RECORDER_H
