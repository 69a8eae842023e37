/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_REMOTE_LOGICAL_PROCESS_H
#define GPU_FABRIC_REMOTE_LOGICAL_PROCESS_H

#include "../engine/parallel/rank-link.h"
#include "logical-process.h"

namespace ns3
{

/// A request of the simulator to a logical process in another rank; arguments and results follow
/// it.
struct LogicalProcessRequest
{
    enum Kind : uint32_t
    {
        BUILD, ///< `number` identifies the run; the answer is a text: "" on success, else the fault
        RUN,
        READ,
        AUDIT,
        SNAPSHOT,
        ACCOUNT, ///< `number` 0 or 1
        FINISH,
        APPLY, ///< an order and a list follow; the answer is a number
        END,   ///< of the run; no answer
        QUIT   ///< no run will follow; no answer
    };

    Kind kind{QUIT};
    uint32_t number{0};
    int64_t now{0};      ///< [ps]
    int64_t deadlock{0}; ///< [ps]
    EventLane::Position target{0, 0};
};

/// A logical process of a split fabric in another rank, where a LogicalProcessServer runs it.
class RemoteLogicalProcess : public LogicalProcess
{
  public:
    /// \param link outlives it \param rank has built the logical process
    RemoteLogicalProcess(RankLink& link, uint32_t rank, std::size_t processes);
    /// Notifies the other rank that the run is over.
    ~RemoteLogicalProcess() override;

    /// Requests that a rank build its logical process for a run; GetBuildFault() receives the
    /// answer.
    static void Build(RankLink& link, uint32_t rank, uint32_t run);
    /// Why a rank failed to build it; "": it succeeded.
    static std::string GetBuildFault(RankLink& link, uint32_t rank);
    /// Notifies a rank that no further run will follow.
    static void Quit(RankLink& link, uint32_t rank);

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
    void Send(const LogicalProcessRequest& request);
    RankBuffer& Ask(const LogicalProcessRequest& request);

    RankLink& m_link;
    uint32_t m_rank;
    RankBuffer m_buffer;
    LogicalProcessReport m_report;
};

} // namespace ns3

#endif // GPU_FABRIC_REMOTE_LOGICAL_PROCESS_H
