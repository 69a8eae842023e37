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

/// What a logical process of a split fabric has to tell after it has run.
struct LogicalProcessReport
{
    int64_t firstTime{SlottedWheel::NEVER};             ///< of what is pending [ps]
    int64_t lastTime{0};                                ///< of the last event [ps]
    uint64_t events{0};                                 ///< run this time
    EventLane::KindCounts counts{};                     ///< of all that it has run
    int64_t check{std::numeric_limits<int64_t>::max()}; ///< PfcGuard::TakeRequestedCheck() [ps]
    std::vector<FrameBatch> sent;                       ///< to other logical processes
    std::vector<PauseRecord> pauses;
    std::vector<LogicalProcessEvent> records;
};

/// A logical process of a split fabric that is not that of the simulator, wherever it runs.
class LogicalProcess
{
  public:
    virtual ~LogicalProcess() = default;

    /**
     * Has it take over frames and run all events before a position.
     * \param arriving from others; emptied
     * \param much whether it has enough to do that another thread is worth its trouble
     */
    virtual void Start(const EventLane::Position& target, FrameBatch& arriving, bool much) = 0;
    /// Returns when it has done that; once after each Start(). The caller takes out of the report
    /// what it wants.
    virtual LogicalProcessReport& Wait() = 0;

    /// \name As Fabric does them, while it is not running
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
