/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_PART_H
#define GPU_FABRIC_FABRIC_PART_H

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

/// An event of a part.
struct FabricPartEvent
{
    FabricEventRecord record;
    uint32_t key{0}; ///< of the lane event in which it happened; 0: in an ordinary one
};

/// What a part of a split fabric has to tell after it has run.
struct FabricPartReport
{
    int64_t firstTime{SlottedWheel::NEVER};            ///< of what is pending [ps]
    int64_t lastTime{0};                               ///< of the last event [ps]
    uint64_t events{0};                                ///< run this time
    EventLane::EventCounts counts{};                   ///< of all that it has run
    int64_t look{std::numeric_limits<int64_t>::max()}; ///< FabricGuard::TakeRequestedLook() [ps]
    std::vector<FrameBatch> sent;                      ///< to other parts
    std::vector<PauseRecord> pauses;
    std::vector<FabricPartEvent> records;
};

/// A part of a split fabric that is not that of the simulator, wherever it runs.
class FabricPart
{
  public:
    virtual ~FabricPart() = default;

    /**
     * Has it take over frames and run all events before a position.
     * \param arriving from other parts; emptied
     * \param much whether it has enough to do that another thread is worth its trouble
     */
    virtual void Start(const EventLane::Position& target, FrameBatch& arriving, bool much) = 0;
    /// Returns when it has done that; once after each Start(). The caller takes out of the report
    /// what it wants.
    virtual FabricPartReport& Wait() = 0;

    /// \name As Fabric does them, while it is not running
    /// @{
    virtual void Read(FabricReadings& sum) = 0;
    virtual void Audit(int64_t now, FabricAudit& sum) = 0;
    virtual void LookAt(int64_t now, int64_t deadlock, bool forStuck, FabricLook& look) = 0;
    virtual void EnableAccounting(bool enable) = 0;
    virtual void FinishPauses(int64_t now) = 0;
    virtual uint64_t Obey(const FabricFaultOrder& order, const std::vector<uint8_t>& down) = 0;
    /// @}
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_PART_H
