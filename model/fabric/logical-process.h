/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_LOGICAL_PROCESS_H
#define GPU_FABRIC_LOGICAL_PROCESS_H

#include "../engine/event-lane.h"
#include "fabric-fault-order.h"
#include "fabric-readings.h"
#include "frame-batch.h"

#include "ns3/fabric-records.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{

/// An event of a logical process.
struct LogicalProcessEvent
{
    FabricEventRecord record;
    uint32_t key{0}; ///< of the lane event in which it happened; 0: in an ordinary one
};

/// The report of a logical process of a split fabric after it has run.
struct LogicalProcessReport
{
    int64_t firstTime{SlottedWheel::NEVER};             ///< of the first pending event [ps]
    int64_t lastTime{0};                                ///< of the last event [ps]
    uint64_t events{0};                                 ///< in the last run
    EventLane::KindCounts counts{};                     ///< of all events so far
    int64_t check{std::numeric_limits<int64_t>::max()}; ///< PfcGuard::TakeRequestedCheck() [ps]
    std::vector<FrameBatch> sent;                       ///< to other logical processes
    std::vector<PauseRecord> pauses;
    std::vector<LogicalProcessEvent> records;
};

/// A logical process of a split fabric other than the simulator's, wherever it runs.
class LogicalProcess
{
  public:
    virtual ~LogicalProcess() = default;

    /**
     * Starts it: it accepts frames and runs all events before a position.
     * \param arriving frames from others; emptied
     * \param much whether there is enough work to be worth another thread
     */
    virtual void Start(const EventLane::Position& target, FrameBatch& arriving, bool much) = 0;
    /// Returns when it is done; call once after each Start(). The caller takes what it needs out of
    /// the report.
    virtual LogicalProcessReport& Wait() = 0;

    /// \name Same as in Fabric; only while it is not running
    /// @{
    virtual void Read(FabricReadings& sum) = 0;
    virtual void Audit(int64_t now, FabricAudit& sum) = 0;
    virtual void TakeSnapshot(int64_t now,
                              int64_t deadlock,
                              bool forStuck,
                              PauseSnapshot& snapshot) = 0;
    virtual void EnableAccounting(bool enable) = 0;
    virtual void FinishPauses(int64_t now) = 0;
    virtual uint64_t Apply(const FabricFaultOrder& order, const std::vector<uint8_t>& down) = 0;
    /// @}
};

} // namespace ns3

#endif // GPU_FABRIC_LOGICAL_PROCESS_H
