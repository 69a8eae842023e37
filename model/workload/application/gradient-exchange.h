/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_GRADIENT_EXCHANGE_H
#define GPU_FABRIC_GRADIENT_EXCHANGE_H

#include "../../collective/communicator.h"
#include "../program/tensor-schedule.h"
#include "gpu-lane.h"

#include "ns3/iteration-program.h"
#include "ns3/object.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// Notified of the progress of a GradientExchange.
class GradientExchangeListener
{
  public:
    virtual ~GradientExchangeListener() = default;
    /**
     * A step has ended on a rank. GradientExchange::Issue() may be called from inside.
     * \param now [ps]
     * \param rank of the job
     * \param communicator as the rank's steps name it
     * \param number of the step among those that the rank issued on that communicator
     * \param lastPostPs when the last rank issued it; now, if one has not yet [ps]
     */
    virtual void StepEnded(int64_t now,
                           uint32_t rank,
                           uint32_t communicator,
                           uint64_t number,
                           int64_t lastPostPs) = 0;
    /// All ranks have ended a transfer that no communicator carried. \param iteration its own
    virtual void PieceFinished(const CollectiveOutcome& piece, uint64_t iteration) = 0;
};

/**
 * How the collectives of a job's program get to the network: a strategy of the training job. Each
 * is a type of its own in a file of its own, found by its TypeId; Create() takes the one that
 * carries a program.
 */
class GradientExchange : public Object
{
  public:
    struct Setup
    {
        const IterationProgram* program{nullptr};   ///< outlives the exchange
        std::vector<uint32_t> gpus{};               ///< GPU ids in rank order
        GpuLane* control{nullptr};                  ///< outlives the exchange
        CollectiveTransport* transport{nullptr};    ///< outlives the exchange
        std::vector<Communicator*> communicators{}; ///< as in the program
        std::vector<uint32_t> channels{};           ///< by communicator
        GradientExchangeListener* listener{nullptr};
    };

    static TypeId GetTypeId();
    /// The exchange that carries a program, configured. Aborts where none does, or several do.
    static Ptr<GradientExchange> Create(const Setup& setup);

    /// Whether this type carries the collectives of a program. Aborts where it is the only one that
    /// could and the program is not as it must be.
    virtual bool Carries(const IterationProgram& program) const = 0;
    /// Once, before all that follows.
    virtual void Configure(const Setup& setup) = 0;

    /// The job starts.
    virtual void Open()
    {
    }

    /// The job has ended: nothing is sent any more.
    virtual void Close()
    {
    }

    /// A rank issues its next step on a communicator. StepEnded() may be called from inside.
    virtual void Issue(int64_t now, uint32_t rank, const ProgramStep& step) = 0;
    /**
     * When the last rank issued a step [ps]; -1: not all have, or it is not known.
     * \param communicator as the rank's steps name it
     * \param number of the step among those of the communicator
     */
    virtual int64_t GetLastPostPs(uint32_t rank, uint32_t communicator, uint64_t number) const = 0;
    /// CommunicatorListener::RankFinished() of one of the communicators.
    virtual void RankFinished(int64_t now,
                              uint32_t communicator,
                              uint32_t rank,
                              uint32_t collective,
                              int64_t lastPostPs) = 0;
    /// Iteration of a collective of a communicator that not all ranks have ended.
    virtual uint64_t GetIteration(uint32_t communicator, uint32_t collective) const = 0;

    /// A message of the transport has arrived. \returns whether it was one of the exchange's own,
    /// not one of a communicator
    virtual bool Delivered(int64_t /* now */, const ChunkMessage& /* message */)
    {
        return false;
    }

    /// A message of the transport is acknowledged. \returns as Delivered()
    virtual bool Completed(int64_t /* now */, const ChunkMessage& /* message */)
    {
        return false;
    }

    /// All ranks have ended an iteration. \param endPs [ps]
    virtual void IterationEnded(uint64_t /* iteration */, int64_t /* endPs */)
    {
    }

    /// Sets how tensors of an iteration and those after it are sent, before any of them is issued.
    /// Aborts where this type does not send gradients as tensors.
    virtual void SetSchedule(uint64_t iteration, const TensorSchedule& schedule);
    /// What iterations under each schedule took, the last one under way; empty: none was set.
    virtual const std::vector<TensorSample>& GetSamples() const;

    /// The most that a rank had posted at a time [byte]; 0: not limited, so not counted.
    virtual uint64_t GetMaxPostedBytes() const
    {
        return 0;
    }
};

} // namespace ns3

#endif // GPU_FABRIC_GRADIENT_EXCHANGE_H
