/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_LOCAL_LOGICAL_PROCESS_H
#define GPU_FABRIC_LOCAL_LOGICAL_PROCESS_H

#include "../engine/parallel/window-worker.h"
#include "hop-pipeline.h"
#include "logical-process.h"

#include "ns3/fabric.h"

#include <memory>

namespace ns3
{

/// The partition of a split fabric, the same for all its logical processes.
struct FabricCut
{
    std::vector<uint32_t> processes; ///< logical process of each node of the network
    uint32_t count{1};               ///< number of logical processes
    std::vector<uint8_t> crossings;  ///< FabricPort::crossing, by port
    int64_t lookahead{0};            ///< smallest delay of a wire between logical processes [ps]
    /// Number of events of a logical process in a window that justifies another thread: it then
    /// works several times as long as it takes to notify it.
    uint64_t much{64};

    /// \param processes logical process of each node of the network; all nodes but switches are in
    /// 0
    FabricCut(const Fabric& fabric, const std::vector<uint32_t>& processes);
    /// Which nodes are in a logical process.
    std::vector<bool> GetNodes(uint32_t process) const;
};

/// A logical process of a split fabric in this operating-system process: a hop pipeline on an event
/// lane of its own.
class LocalLogicalProcess : public LogicalProcess
{
  public:
    /**
     * \param whole has been built and has not yet run
     * \param process its number in the cut, from 1
     * \param ownThread whether it may run in a thread of its own
     */
    LocalLogicalProcess(const Fabric& whole,
                        const FabricCut& cut,
                        uint32_t process,
                        bool ownThread);
    ~LocalLogicalProcess() override;

    void Start(const EventLane::Position& target, FrameBatch& arriving, bool much) override;
    LogicalProcessReport& Wait() override;
    void Read(FabricReadings& sum) override;
    void Audit(int64_t now, FabricAudit& sum) override;
    void TakeSnapshot(int64_t now,
                      int64_t deadlock,
                      bool forStuck,
                      PauseSnapshot& snapshot) override;
    void EnableAccounting(bool enable) override;
    void FinishPauses(int64_t now) override;
    uint64_t Apply(const FabricFaultOrder& order, const std::vector<uint8_t>& down) override;

  private:
    void Run();
    void OnPause(const PauseRecord& record);
    void OnEvent(const FabricEventRecord& record);

    Ptr<EventLane> m_lane;
    TracedCallback<const FabricEventRecord&> m_eventTrace;
    TracedCallback<const PauseRecord&> m_pauseTrace;
    TracedCallback<uint32_t, bool> m_linkStateTrace;
    HopPipeline m_pipeline;
    EventLane::Position m_target{0, 0};
    FrameBatch m_arriving;
    LogicalProcessReport m_report;
    std::unique_ptr<WindowWorker> m_worker; ///< may be null
};

} // namespace ns3

#endif // GPU_FABRIC_LOCAL_LOGICAL_PROCESS_H
