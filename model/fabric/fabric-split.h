/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_SPLIT_H
#define GPU_FABRIC_FABRIC_SPLIT_H

#include "../engine/lane-horizon.h"
#include "fabric-event-order.h"
#include "local-logical-process.h"
#include "logical-process.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class FabricSimulatorImpl;

/**
 * Runs switches of a fabric beside the simulator, which runs the hosts, in other threads or
 * processes: the same events in the same order at each node, so that all results are the same.
 *
 * A frame on a wire from one logical process to another is copied there when a window ends. With L
 * the smallest delay of such a wire (the lookahead), an event in one logical process affects
 * another no earlier than L later, so that both may run independently for a while (conservative
 * windows, LaneHorizon). The windows are L/2 long, and the simulator runs L/2 ahead of the others:
 *
 *     others       [S, S + L/2)          need the frames that the simulator sends before S - L/2
 *     simulator    [S + L/2, S + L)      needs the frames that the others send before S
 *
 * Thus no action of a host, such as the end of a job that ends the run, comes too late for a
 * switch: before the state of a switch is read, CatchUp() brings it up to exactly the event that is
 * running.
 *
 * A window with little work for a logical process is run by the simulator's own thread.
 */
class FabricSplit : public LaneHorizon, private OtherProcesses
{
  public:
    /// Splits a fabric that has been built and has not yet run.
    FabricSplit(Ptr<Fabric> fabric,
                const FabricCut& cut,
                std::vector<std::unique_ptr<LogicalProcess>> others);
    ~FabricSplit() override;
    FabricSplit(const FabricSplit&) = delete;
    FabricSplit& operator=(const FabricSplit&) = delete;

    /// Why a fabric cannot be split in this way; "": it can.
    static std::string FindFault(const Fabric& fabric, const FabricCut& cut);

    int64_t Extend(int64_t ordinary) override;
    void CatchUp() override;
    bool IsIdle() const override;
    int64_t GetLastTime() const override;

    /// Windows run so far that had work for another logical process.
    uint64_t GetWindows() const
    {
        return m_windows;
    }

    /// Of these, by logical process, the windows with enough work to run in a thread of its own.
    uint64_t GetBusyWindows() const
    {
        return m_busyWindows;
    }

  private:
    struct Other
    {
        std::unique_ptr<LogicalProcess> process;
        FrameBatch arriving; ///< to be given to it
        int64_t firstTime{SlottedWheel::NEVER};
        int64_t lastTime{0};
        uint64_t lastEvents{0};
        EventLane::KindCounts counts{};
        bool started{false};
    };

    void FrameSent() override;
    bool IsHere(uint32_t portId) const override;
    const FabricReadings& GetReadings() override;
    const FabricAudit& GetAudit(int64_t now) override;
    void TakeSnapshot(int64_t now,
                      int64_t deadlock,
                      bool forStuck,
                      PauseSnapshot& snapshot) override;
    void EnableAccounting(bool enable) override;
    void FinishPauses(int64_t now) override;
    void Gather() override;
    uint64_t Apply(const FabricFaultOrder& order, const std::vector<uint8_t>& down) override;
    void NotifyInOrder(const FabricEventRecord& record,
                       const FabricEventOrder::Trace& trace) override;

    void SetHorizon(LaneHorizon* horizon);
    /// Waits for the logical processes that are running and exchanges frames and events between
    /// all.
    void Meet();
    LogicalProcessReport& TakeReport(Other& other);
    /// Passes on frames. \param sent by logical process; emptied
    void Deliver(FrameBatch& sent, std::size_t process);
    void NotifyPauses(LogicalProcessReport& report);
    int64_t GetFirstTimeOfOthers() const;
    /// Starts logical processes up to a position: those with work before it, or all.
    void Start(const EventLane::Position& target, bool all);

    Ptr<Fabric> m_fabric;
    HopPipeline& m_pipeline;         ///< of the fabric
    Ptr<FabricSimulatorImpl> m_impl; ///< null under another implementation
    Ptr<EventLane> m_lane;
    std::vector<bool> m_isHere; ///< by port
    std::vector<Other> m_others;
    int64_t m_lookahead;  ///< [ps]
    uint64_t m_much;      ///< FabricCut::much
    int64_t m_done{0};    ///< the other logical processes have run everything before [ps]
    int64_t m_horizon{0}; ///< of the simulator [ps]
    bool m_catchingUp{false};
    std::vector<LogicalProcessReport*> m_reports; ///< of those that have run
    FabricEventOrder m_events;                    ///< of all logical processes, not yet notified
    std::optional<EventLane::Position> m_readAt;
    FabricReadings m_readings; ///< of the other logical processes, at m_readAt
    FabricAudit m_audit;
    uint64_t m_windows{0};
    uint64_t m_busyWindows{0};
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_SPLIT_H
