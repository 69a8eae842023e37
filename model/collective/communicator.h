/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COMMUNICATOR_H
#define GPU_FABRIC_COMMUNICATOR_H

#include "collective-plan.h"
#include "collective-transport.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// A collective that all ranks have ended.
struct CollectiveOutcome
{
    uint32_t communicator{0};
    uint32_t collective{0}; ///< running number within the communicator
    CollectiveOperation operation{CollectiveOperation::ALL_REDUCE};
    uint64_t bytes{0};      ///< larger buffer of a rank [byte]
    std::string algorithm;  ///< CollectiveSchedule::algorithm
    uint32_t channels{0};   ///< CollectiveSchedule::channels
    int64_t firstPostPs{0}; ///< the first rank issued it [ps]
    int64_t lastPostPs{0};  ///< the last rank issued it [ps]
    int64_t endPs{0};       ///< the last rank ended it [ps]
};

/// Told of what happens in a communicator. A callback may call Communicator::Issue().
class CommunicatorListener
{
  public:
    virtual ~CommunicatorListener() = default;
    /**
     * A rank's part of a collective has ended: all it receives is delivered, all it sends is
     * completed.
     * \param now [ps]
     * \param communicator index within the job
     * \param rank index within the communicator
     * \param collective running number within the communicator
     * \param lastPostPs when the last rank issued it; now, if one has not yet [ps]
     */
    virtual void RankFinished(int64_t now,
                              uint32_t communicator,
                              uint32_t rank,
                              uint32_t collective,
                              int64_t lastPostPs) = 0;

    /// The first rank issues a collective. \param call what it is
    virtual void CollectiveStarted(int64_t /* now */,
                                   uint32_t /* communicator */,
                                   uint32_t /* collective */,
                                   const CollectiveCall& /* call */)
    {
    }

    /// All ranks have ended a collective; called before RankFinished() of the last of them.
    virtual void CollectiveFinished(const CollectiveOutcome& outcome) = 0;
};

/**
 * Runs the collectives of a group of ranks over a transport: started in issue order on every rank,
 * one at a time a rank, or as many as SetDepth() says.
 *
 * The k-th Issue() of each rank is the same collective. Ranks are not synchronised: a rank posts
 * a transfer as soon as it runs the collective and the transfer's own dependencies have arrived;
 * data that arrive before are counted (RDMA WRITE), and taken once their gates have happened. A
 * transfer of 0 bytes, or within one rank, is delivered and completed at once without the
 * transport. State of a collective is freed when all have ended it.
 */
class Communicator
{
  public:
    /**
     * \param index index within the job, used in messages
     * \param ranks rank within the job, as the transport knows it, by rank of the communicator
     * \param plans the schedules
     * \param transport carries the transfers
     * \param listener is told of the progress
     */
    Communicator(uint32_t index,
                 std::vector<uint32_t> ranks,
                 CollectivePlans plans,
                 CollectiveTransport* transport,
                 CommunicatorListener* listener);

    /// How many collectives a rank runs at a time, at least 1; for those that start from now on.
    void SetDepth(uint32_t depth);

    /**
     * A rank issues its next collective. Aborts if another rank's collective of the same number
     * differs, or an operation without a plan is asked for. RankFinished() may be called from
     * inside, though never from inside a callback.
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
    /// A transfer is acknowledged to its source.
    void Completed(int64_t now, const ChunkMessage& message);

    /// When the last rank issued a collective that is still known [ps]; -1: not all have.
    int64_t GetLastPostPs(uint32_t collective) const;

    /// Rank within the job by rank of the communicator.
    const std::vector<uint32_t>& GetRanks() const
    {
        return m_ranks;
    }

    /// Collectives that some rank has issued and not all have ended.
    size_t GetPendingCount() const
    {
        return m_pending.size();
    }

  private:
    /// What a rank has still to do in a collective.
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
        uint32_t issued{0};          ///< ranks that have issued it
        uint32_t unfinished{0};      ///< ranks that have not ended it
        std::vector<uint16_t> waits; ///< by transfer: what it waits for; POSTED
        std::vector<uint16_t> gates; ///< by transfer, of a staged plan: until it is taken
        std::vector<RankState> ranks;
    };

    /// The place of a rank in the sequence of collectives.
    struct RankPosition
    {
        uint32_t issued{0}; ///< collectives issued
        uint32_t next{0};   ///< the one that starts next
        uint32_t running{0};
    };

    enum class TaskKind : uint8_t
    {
        START_NEXT, ///< start the next collectives of a rank, as they may
        ARRIVED,    ///< a transfer of 0 bytes, or within a rank
        POSTED,     ///< a transfer of a staged plan
        TAKEN,      ///< a transfer of a staged plan
        RANK_ENDED
    };

    struct Task
    {
        TaskKind kind;
        uint32_t collective;
        uint32_t index; ///< rank or transfer
    };

    static constexpr uint16_t POSTED = UINT16_MAX; ///< instead of a number of waits

    Collective& Get(uint32_t collective);

    std::unique_ptr<Collective> MakeCollective(int64_t now, const CollectiveCall& call);
    void StartNext(int64_t now, uint32_t rank);
    void Start(int64_t now, uint32_t rank, uint32_t number);
    /// Posts a transfer that waits for nothing, and those behind it that waited only for it.
    void Post(int64_t now, uint32_t number, Collective& collective, uint32_t transfer);
    void TakeDelivery(int64_t now, uint32_t number, uint32_t transfer);
    /// The data of a transfer are where they belong.
    void Take(int64_t now, uint32_t number, uint32_t transfer);
    /// Counts down what transfers wait for, and posts those of a running rank that may go.
    void Release(int64_t now, uint32_t number, uint32_t rank, IndexRange transfers);
    /// Counts down what transfers wait for to be taken.
    void OpenGates(uint32_t number, IndexRange transfers);
    void OpenGate(uint32_t number, uint32_t transfer);
    void TakeCompletion(uint32_t number, uint32_t transfer);
    void CheckEnded(uint32_t number, const Collective& collective, uint32_t rank);
    void EndRank(int64_t now, uint32_t number, uint32_t rank);
    /// Works off the tasks, unless a caller further up is doing so.
    void RunTasks(int64_t now);

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
    std::deque<Task> m_tasks;
    bool m_runningTasks{false};
};

} // namespace ns3

#endif // GPU_FABRIC_COMMUNICATOR_H
