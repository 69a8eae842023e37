/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COMMUNICATOR_H
#define GPU_FABRIC_COMMUNICATOR_H

#include "../base/fifo.h"
#include "chunk-sizes.h"
#include "collective-plan.h"
#include "collective-transport.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// A collective that all ranks have finished.
struct CollectiveOutcome
{
    uint32_t communicator{0};
    uint32_t collective{0}; ///< running number within the communicator
    CollectiveOperation operation{CollectiveOperation::ALL_REDUCE};
    uint64_t bytes{0};     ///< larger buffer of a rank [byte]
    std::string algorithm; ///< CollectiveSchedule::algorithm
    CollectiveProtocol protocol{CollectiveProtocol::SIMPLE};
    uint32_t channels{0};   ///< CollectiveSchedule::channels
    int64_t firstPostPs{0}; ///< when the first rank issued it [ps]
    int64_t lastPostPs{0};  ///< when the last rank issued it [ps]
    int64_t endPs{0};       ///< when the last rank finished it [ps]
};

/// Receives the notifications of a communicator. A callback may call Communicator::Issue().
class CommunicatorListener
{
  public:
    virtual ~CommunicatorListener() = default;
    /**
     * A rank has finished its part of a collective: everything it receives is delivered, everything
     * it sends is completed.
     * \param now [ps]
     * \param communicator index within the job
     * \param rank index within the communicator
     * \param collective running number within the communicator
     * \param lastPostPs when the last rank issued it; now, if some rank has not issued it yet [ps]
     */
    virtual void RankFinished(int64_t now,
                              uint32_t communicator,
                              uint32_t rank,
                              uint32_t collective,
                              int64_t lastPostPs) = 0;

    /// The first rank issues a collective. \param call the collective
    virtual void CollectiveStarted(int64_t /* now */,
                                   uint32_t /* communicator */,
                                   uint32_t /* collective */,
                                   const CollectiveCall& /* call */)
    {
    }

    /// All ranks have finished a collective; called before RankFinished() of the last of them.
    virtual void CollectiveFinished(const CollectiveOutcome& outcome) = 0;
};

/**
 * Runs the collectives of a group of ranks over a transport. Each rank starts them in the order in
 * which they were issued, one at a time or as many as SetDepth() allows.
 *
 * The k-th Issue() of each rank is the same collective. Ranks are not synchronised: a rank posts a
 * transfer once it runs the collective, has launched its part of it
 * (CollectiveExecution::launchPs), and the transfer's own dependencies have arrived. Data that
 * arrive earlier are counted (RDMA WRITE) and taken once their gates have happened. A transfer of 0
 * bytes, or within one rank, is delivered and completed at once without the transport. The state of
 * a collective is freed when all ranks have finished it.
 */
class Communicator
{
  public:
    /**
     * \param index index within the job, used in messages
     * \param ranks by rank of the communicator: rank within the job, as used by the transport
     * \param plans the schedules
     * \param transport carries the transfers
     * \param listener notified of progress
     */
    Communicator(uint32_t index,
                 std::vector<uint32_t> ranks,
                 CollectivePlans plans,
                 CollectiveTransport* transport,
                 CommunicatorListener* listener);

    /// Sets how many collectives a rank runs at a time, at least 1; applies to those that start
    /// from now on.
    void SetDepth(uint32_t depth);

    /**
     * A rank issues its next collective. Aborts if another rank's collective of the same number
     * differs, or if there is no plan for the operation. May call RankFinished() directly, but not
     * when itself called from a callback.
     * \param now [ps]
     * \param rank index within the communicator
     * \param call the collective
     * \returns the running number of the collective
     */
    uint32_t Issue(int64_t now, uint32_t rank, const CollectiveCall& call);

    /// The same for an operation without root or destinations.
    uint32_t Issue(int64_t now, uint32_t rank, CollectiveOperation operation, uint64_t bytes)
    {
        return Issue(now, rank, CollectiveCall{operation, bytes, 0, {}});
    }

    /// A transfer has arrived at its destination.
    void Delivered(int64_t now, const ChunkMessage& message);
    /// A transfer is acknowledged at its source.
    void Completed(int64_t now, const ChunkMessage& message);

    /// A rank has launched its part of a collective.
    void Launched(int64_t now, const CollectiveLaunch& launch);

    /// When the last rank issued a collective that is still pending [ps]; -1: some rank has not
    /// issued it yet.
    int64_t GetLastPostPs(uint32_t collective) const;

    /// Rank within the job by rank of the communicator.
    const std::vector<uint32_t>& GetRanks() const
    {
        return m_ranks;
    }

    /// Number of collectives that some rank has issued and some rank has not finished.
    size_t GetPendingCount() const
    {
        return m_pending.size();
    }

  private:
    /// What a rank has yet to do in a collective.
    struct RankState
    {
        uint32_t receptions{0};
        uint32_t sends{0};
        bool running{false};
    };

    /// A collective that some rank has issued.
    struct Collective
    {
        CollectiveCall call;
        std::shared_ptr<const CollectivePlan> plan;
        CollectiveOutcome outcome;
        ChunkSizes sizes;
        const std::vector<uint32_t>* routes{nullptr}; ///< by stream of the plan
        uint32_t issued{0};                           ///< ranks that have issued it
        uint32_t unfinished{0};                       ///< ranks that have not finished it
        std::vector<uint16_t>
            waits; ///< by transfer: number of waits before it is posted, or POSTED
        std::vector<uint16_t>
            gates; ///< by transfer, if the plan is staged: number of waits before it is taken
        std::vector<RankState> ranks;
    };

    /// The position of a rank in the sequence of collectives.
    struct RankPosition
    {
        uint32_t issued{0}; ///< collectives issued
        uint32_t next{0};   ///< the collective that starts next
        uint32_t running{0};
    };

    enum class TaskKind : uint8_t
    {
        START_NEXT, ///< start the next collectives of a rank, as far as permitted
        ARRIVED,    ///< a transfer of 0 bytes, or within a rank, has arrived
        POSTED,     ///< a transfer of a staged plan has been posted
        TAKEN,      ///< a transfer of a staged plan has been taken
        RANK_ENDED
    };

    struct Task
    {
        TaskKind kind{TaskKind::START_NEXT};
        uint32_t collective{0};
        uint32_t index{0}; ///< rank or transfer
    };

    static constexpr uint16_t POSTED = UINT16_MAX; ///< in place of a number of waits

    Collective& Get(uint32_t collective);

    std::unique_ptr<Collective> MakeCollective(int64_t now, const CollectiveCall& call);
    /// Starts the next collectives of a rank, as far as permitted.
    void StartNext(int64_t now, uint32_t rank);
    /// Posts what a rank's part of a collective begins with.
    void Begin(int64_t now, uint32_t number, uint32_t rank);
    /// Posts a transfer that waits for nothing, and the following ones that waited only for it.
    void Post(int64_t now, uint32_t number, Collective& collective, uint32_t transfer);
    void TakeDelivery(int64_t now, uint32_t number, Collective& collective, uint32_t transfer);
    /// The data of a transfer are in their final place.
    void Take(int64_t now, uint32_t number, Collective& collective, uint32_t transfer);
    /// Decrements the waits of transfers, and posts those of a running rank that are ready.
    void Release(int64_t now,
                 uint32_t number,
                 Collective& collective,
                 uint32_t rank,
                 IndexRange transfers);
    /// Decrements the waits of transfers to be taken.
    void OpenGates(uint32_t number, Collective& collective, IndexRange transfers);
    void OpenGate(uint32_t number, Collective& collective, uint32_t transfer);
    void TakeCompletion(uint32_t number, Collective& collective, uint32_t transfer);
    void CheckEnded(uint32_t number, const Collective& collective, uint32_t rank);
    void EndRank(int64_t now, uint32_t number, uint32_t rank);
    /// Processes the tasks, unless a caller further up the stack is doing so.
    void RunTasks(int64_t now);
    void RunTask(int64_t now, const Task& task);
    /// The routes of a plan, by stream.
    const std::vector<uint32_t>& GetRoutes(const CollectivePlan& plan);

    uint32_t m_index;
    std::vector<uint32_t> m_ranks;
    CollectivePlans m_plans;
    CollectiveTransport* m_transport;
    CommunicatorListener* m_listener;
    uint32_t m_depth{1};
    uint32_t m_first{0}; ///< running number of m_pending[0]
    std::deque<std::unique_ptr<Collective>> m_pending;
    std::vector<std::unique_ptr<Collective>> m_spare;
    std::vector<RankPosition> m_positions;
    Fifo<Task> m_tasks;
    std::map<const CollectivePlan*, std::vector<uint32_t>> m_routes; ///< only looked up
    bool m_runningTasks{false};
};

} // namespace ns3

#endif // GPU_FABRIC_COMMUNICATOR_H
