/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_GRADIENT_EXCHANGE_H
#define GPU_FABRIC_GRADIENT_EXCHANGE_H

#include "../../collective/communicator.h"
#include "../program/iteration-program.h"
#include "gpu-lane.h"

#include "ns3/object.h"
#include "ns3/tensor-schedule.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

class JobTraffic;

/// Notified of the progress of a GradientExchange.
class GradientExchangeListener
{
  public:
    virtual ~GradientExchangeListener() = default;
    /**
     * A step has ended on a rank. The listener may call GradientExchange::Issue().
     * \param now [ps]
     * \param rank of the job
     * \param communicator as the rank's steps name it
     * \param number of the step among those that the rank issued on that communicator
     * \param lastPostPs when the last rank issued it; now, if some rank has not issued it yet [ps]
     */
    virtual void StepEnded(int64_t now,
                           uint32_t rank,
                           uint32_t communicator,
                           uint64_t number,
                           int64_t lastPostPs) = 0;
    /// The first rank issues a collective of a communicator. \param iteration of the collective
    virtual void CollectiveStarted(int64_t now,
                                   uint32_t communicator,
                                   uint32_t collective,
                                   const CollectiveCall& call,
                                   uint64_t iteration) = 0;
    /// All ranks have finished a collective of a communicator, or a piece that none carries.
    /// \param iteration of it
    virtual void PieceFinished(const CollectiveOutcome& piece, uint64_t iteration) = 0;
};

/**
 * How the collectives of a job's program reach the network: a strategy of the training job. Each is
 * a type in its own file, found by its TypeId; Create() selects the one that carries a program. The
 * messages of the transport, and the ends of collectives, come to it.
 */
class GradientExchange : public Object, public ChunkReceiver, CommunicatorListener
{
  public:
    struct Setup
    {
        const IterationProgram* program{nullptr}; ///< must outlive the exchange
        std::vector<uint32_t> gpus{};             ///< GPU ids in rank order
        GpuLane* control{nullptr};                ///< must outlive the exchange
        CollectiveTransport* transport{nullptr};  ///< must outlive the exchange
        const JobTraffic* traffic{nullptr};       ///< must outlive the exchange
        GradientExchangeListener* listener{nullptr};
    };

    static TypeId GetTypeId();
    /// The exchange that carries a program, configured. Aborts if there is none or more than one.
    static Ptr<GradientExchange> Create(const Setup& setup);
    ~GradientExchange() override;

    /// Whether this type carries the collectives of a program. Aborts if it is the only one that
    /// could but the program is invalid.
    virtual bool Carries(const IterationProgram& program) const = 0;
    /// Called once, before all functions that follow.
    void Configure(const Setup& setup);

    /// The job starts.
    virtual void Open()
    {
    }

    /// The job has ended: nothing may be sent any more.
    virtual void Close()
    {
    }

    /// A rank issues its next step on a communicator. May call StepEnded() directly.
    virtual void Issue(int64_t now, uint32_t rank, const ProgramStep& step) = 0;
    /**
     * When the last rank issued a step [ps]; -1: some rank has not issued it yet, or it is unknown.
     * \param communicator as the rank's steps name it
     * \param number of the step among those of the communicator
     */
    virtual int64_t GetLastPostPs(uint32_t rank, uint32_t communicator, uint64_t number) const = 0;
    /// As CommunicatorListener says. A type that uses communicators overrides it.
    void RankFinished(int64_t now,
                      uint32_t communicator,
                      uint32_t rank,
                      uint32_t collective,
                      int64_t lastPostPs) override;
    /// Iteration of a collective of a communicator that some rank has not finished. A type that
    /// uses communicators overrides it.
    virtual uint64_t GetIteration(uint32_t communicator, uint32_t collective) const;

    void CollectiveLaunched(int64_t now, const CollectiveLaunch& launch) override
    {
        m_communicators[launch.communicator]->Launched(now, launch);
    }

    /// The default: by the communicator of the message.
    void ChunkDelivered(int64_t now, const ChunkMessage& message) override
    {
        m_communicators[message.communicator]->Delivered(now, message);
    }

    /// The default: by the communicator of the message.
    void ChunkCompleted(int64_t now, const ChunkMessage& message) override
    {
        m_communicators[message.communicator]->Completed(now, message);
    }

    /// All ranks have finished an iteration. \param endPs [ps]
    virtual void IterationEnded(uint64_t /* iteration */, int64_t /* endPs */)
    {
    }

    /// Sets how tensors of an iteration and later ones are sent, before any of them is issued.
    /// Aborts if this type does not send gradients as tensors.
    virtual void SetSchedule(uint64_t iteration, const TensorSchedule& schedule);
    /// The durations of iterations under each schedule, the last one still in progress; empty if
    /// none was set.
    virtual const std::vector<TensorSample>& GetSamples() const;

    /// The maximum that a rank had posted at any time [byte]; 0 if there is no limit, as it is then
    /// not counted.
    virtual uint64_t GetMaxPostedBytes() const
    {
        return 0;
    }

  protected:
    /// Initialises the state of a subclass, using GetSetup().
    virtual void DoConfigure() = 0;
    void DoDispose() override;

    const Setup& GetSetup() const
    {
        return m_setup;
    }

    /// Makes the communicators of the program, if the subclass uses any.
    void MakeCommunicators();

    /// A communicator of the program, after MakeCommunicators().
    Communicator& GetCommunicator(uint32_t communicator) const
    {
        return *m_communicators[communicator];
    }

  private:
    void CollectiveStarted(int64_t now,
                           uint32_t communicator,
                           uint32_t collective,
                           const CollectiveCall& call) override;
    void CollectiveFinished(const CollectiveOutcome& outcome) override;

    Setup m_setup;
    std::vector<std::unique_ptr<Communicator>> m_communicators; ///< as in the program
};

} // namespace ns3

#endif // GPU_FABRIC_GRADIENT_EXCHANGE_H
