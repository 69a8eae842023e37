/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_GPU_APPLICATION_H
#define GPU_FABRIC_GPU_APPLICATION_H

#include "../program/compute-jitter.h"
#include "../program/program-index.h"
#include "gpu-lane.h"

#include "ns3/application.h"
#include "ns3/job-records.h"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

/// An iteration of one rank.
struct RankIteration
{
    uint64_t iteration{0};
    int64_t startPs{0};
    int64_t endPs{0};
    std::array<int64_t, 4> spansPs{}; ///< by GpuTimeKind: compute to shift [ps]
};

class GradientExchange;

/// The interface that a GpuApplication requires of its job.
class GpuApplicationOwner
{
  public:
    virtual ~GpuApplicationOwner() = default;
    virtual void RankSpan(const SpanRecord& span) = 0;
    virtual void RankIterationEnded(uint32_t rank, const RankIteration& iteration) = 0;
    /// The rank has finished its last iteration.
    virtual void RankEnded(int64_t now, uint32_t rank) = 0;
};

/**
 * One rank of a job on its GPU: runs the program, iteration after iteration, and divides the time
 * of the GPU into compute, exposed communication, peer wait and shift, without gaps.
 *
 * An idle period is attributed to the dependency that was satisfied last. If that is a collective,
 * the time after its last participant posted it is exposed communication; the time before, back to
 * when this rank itself posted it, is peer wait. Before that the rank waited for whatever the
 * collective waited for, to which the same rule applies.
 */
class GpuApplication : public Application, LaneHandler
{
  public:
    static TypeId GetTypeId();

    static constexpr int64_t NEVER = -1; ///< a time that has not come yet

    /// The number of iterations of a job that ends when another job does.
    static constexpr uint64_t OPEN_ENDED = UINT64_MAX - 1;

    struct Setup
    {
        uint32_t job{0};
        uint32_t rank{0};
        uint32_t gpu{0};
        const ProgramIndex* program{nullptr};
        uint64_t lastIteration{OPEN_ENDED};
        uint64_t firstIteration{0}; ///< of the job; those of this start are added to it
        GpuLane* timers{nullptr};
        GradientExchange* exchange{nullptr}; ///< carries its collectives
        GpuApplicationOwner* owner{nullptr};
        std::optional<ComputeJitter> jitter;
    };

    /// Assigns a rank; may be repeated once the rank of another job has left.
    void Configure(const Setup& setup);
    /// Takes the GPU at allocationPs (<= now) and starts iteration 0 at startPs (>= now). [ps]
    void Start(int64_t allocationPs, int64_t startPs);
    /// The rank's part of a collective has ended. \param communicator as the rank's steps name it
    /// \param lastPostPs when the last rank issued it [ps]
    void CollectiveEnded(int64_t now,
                         uint32_t communicator,
                         uint64_t collective,
                         int64_t lastPostPs);
    /// Sets the idle time before the first compute step of an iteration that has not started [ps].
    void SetShift(uint64_t iteration, int64_t shiftPs);
    /// Sets the last iteration, which must not be before GetCurrentIteration().
    void SetLastIteration(int64_t now, uint64_t iteration);
    /// The job ends: emits the last span and releases the GPU.
    void Finish(int64_t now);
    /// The job has failed: accounts for the time until now and stops.
    void Abandon(int64_t now);

    /// The latest iteration in which a step has started.
    uint64_t GetCurrentIteration() const
    {
        return m_currentIteration;
    }

    /// When the current iteration started [ps]; NEVER: none has.
    int64_t GetIterationStartPs() const
    {
        return m_inIteration ? m_iteration.startPs : NEVER;
    }

    /// The number of the current iteration; meaningless if none has started.
    uint64_t GetIteration() const
    {
        return m_iteration.iteration;
    }

    /// The first iteration in which neither a compute step nor the shift before it has started.
    uint64_t GetNextIteration() const;

    bool HasEnded() const
    {
        return m_phase == Phase::ENDED;
    }

  private:
    static constexpr uint32_t KIND_COMPUTE_END = 0;
    static constexpr uint32_t KIND_START = 1;

    enum class Phase : uint8_t
    {
        CONFIGURED,
        WAITING_FOR_START,
        RUNNING,
        ENDED, ///< has finished its last iteration
        GONE   ///< its job has ended
    };

    /// A step of an iteration; iteration is NO_ITERATION for none.
    struct StepId
    {
        uint64_t iteration{NO_ITERATION};
        uint32_t step{0};
    };

    static constexpr uint64_t NO_ITERATION = UINT64_MAX;

    /// The iteration that the cause of a step belongs to.
    enum CauseKind : uint32_t
    {
        CAUSE_NONE,
        CAUSE_SAME,    ///< that of the step itself
        CAUSE_PREVIOUS ///< the previous one
    };

    /// Kept small, because long programs have one per step, iteration and rank.
    struct StepState
    {
        StepState()
            : waits(0),
              causeKind(CAUSE_NONE),
              ended(0)
        {
        }

        uint32_t waits : 29;
        uint32_t causeKind : 2;
        uint32_t ended : 1;
        uint32_t causeStep{0};     ///< the dependency that was satisfied last
        int64_t postPs{NEVER};     ///< collective: when this rank issued it
        int64_t lastPostPs{NEVER}; ///< collective that has ended: when the last rank issued it

        StepId GetCause(uint64_t iteration) const
        {
            return causeKind == CAUSE_NONE
                       ? StepId()
                       : StepId{iteration - (causeKind == CAUSE_PREVIOUS ? 1 : 0), causeStep};
        }
    };

    struct IterationState
    {
        std::vector<StepState> steps;
        uint32_t unfinished{0};
    };

    void StartApplication() override;
    void StopApplication() override;
    void DoDispose() override;
    void HandleLaneEvent(int64_t now, uint32_t rank, uint32_t kind) override;

    bool HasState(uint64_t iteration) const
    {
        return iteration >= m_firstIteration && iteration - m_firstIteration < m_iterations.size();
    }

    /// The state of an iteration; creates it, and those before it, if it does not exist yet.
    IterationState& GetState(uint64_t iteration);
    /// Starts and issues all steps that wait for nothing.
    void Advance(int64_t now);
    void IssueReady(int64_t now);
    void StartReadyCompute(int64_t now);
    void StartCompute(int64_t now, uint32_t step);
    void StepEnded(uint64_t iteration, uint32_t step);
    void CheckEnded(int64_t now);

    /// Emits a span that ends a period of time, unless it is empty.
    void EmitSpan(GpuTimeKind kind, int64_t startPs, int64_t endPs);
    /// Emits the idle time from m_idleSincePs to now.
    void EmitIdle(int64_t now, StepId cause);
    void EndIteration(int64_t now);
    /// The collective not yet ended that this rank issued first; none: it waits for no collective.
    StepId FindOutstanding(int64_t now);
    int64_t TakeShift(uint64_t iteration);

    Setup m_setup;
    Phase m_phase{Phase::CONFIGURED};
    std::deque<IterationState> m_iterations;
    uint64_t m_firstIteration{0};  ///< of m_iterations[0]
    uint64_t m_endedIterations{0}; ///< iterations, from 0 on, in which all steps have ended
    uint64_t m_currentIteration{0};
    uint64_t m_computeIteration{0}; ///< of the compute step that is running, or runs next
    uint32_t m_computePosition{0};  ///< its place in ProgramIndex::computeSteps
    bool m_computing{false};
    bool m_shifting{false};
    int64_t m_computeStartPs{0};
    int64_t m_shiftStartPs{0};
    int64_t m_idleSincePs{0};
    StepId m_lastEnded;                                 ///< the step that ended last
    std::vector<uint64_t> m_issued;                     ///< collectives issued, by communicator
    std::vector<std::pair<uint64_t, int64_t>> m_shifts; ///< by iteration, not yet consumed
    RankIteration m_iteration;                          ///< the current one
    bool m_inIteration{false};
    bool m_advancing{false};
    bool m_again{false};
};

} // namespace ns3

#endif // GPU_FABRIC_GPU_APPLICATION_H
