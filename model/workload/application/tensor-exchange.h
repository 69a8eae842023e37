/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TENSOR_EXCHANGE_H
#define GPU_FABRIC_TENSOR_EXCHANGE_H

#include "../../collective/communicator.h"
#include "../program/tensor-schedule.h"
#include "rank-messages.h"
#include "tensor-queue.h"

#include "ns3/iteration-program.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

/// Told of the progress of tensors.
class TensorExchangeListener
{
  public:
    virtual ~TensorExchangeListener() = default;
    /**
     * A step of a tensor has ended on a rank. TensorExchange::Issue() may be called from inside.
     * \param now [ps]
     * \param rank of the job
     * \param communicator of the step
     * \param number of the step among those that the rank issued on it
     * \param lastPostPs when the last rank's gradient was ready; now, if one is not yet [ps]
     */
    virtual void TensorEnded(int64_t now,
                             uint32_t rank,
                             uint32_t communicator,
                             uint64_t number,
                             int64_t lastPostPs) = 0;
    /// A piece that no communicator has carried has ended on all ranks. \param iteration its own
    virtual void PieceFinished(const CollectiveOutcome& piece, uint64_t iteration) = 0;
};

/**
 * The layer between the programs of a job's ranks, whose gradients are tensors, and the network:
 * cuts tensors into pieces, and posts them in an order and within a credit (TensorSchedule), as
 * the core of ByteScheduler does (Peng et al., SOSP 2019).
 *
 * A rank issues a step of a tensor when its gradient is ready; the step ends when all its pieces
 * have. A schedule holds from an iteration on.
 */
class TensorExchange
{
  public:
    struct Setup
    {
        const IterationProgram* program{nullptr}; ///< outlives the exchange
        std::vector<uint32_t> gpus;               ///< GPU ids in rank order
        GpuLane* control{nullptr};                ///< outlives the exchange
        CollectiveTransport* transport{nullptr};  ///< outlives the exchange
        std::vector<Communicator*> communicators; ///< as in the program
        std::vector<uint32_t> channels;           ///< by communicator
        TensorExchangeListener* listener{nullptr};
    };

    /// Whether some collective of a program is a tensor.
    static bool IsNeeded(const IterationProgram& program);
    /// By all-reduces, or by parameter servers, as the steps of the program are. Aborts where some
    /// collectives are no tensors, or are on communicators that do not have all ranks in order.
    static std::unique_ptr<TensorExchange> Create(const Setup& setup);

    explicit TensorExchange(const Setup& setup);
    virtual ~TensorExchange() = default;

    /**
     * Sets how tensors of an iteration and those after it are sent, before any of them is issued.
     * Aborts where more than the sizes differs from a schedule before.
     */
    void SetSchedule(uint64_t iteration, const TensorSchedule& schedule);

    void Open()
    {
        m_messages.Open();
    }

    void Close()
    {
        m_messages.Close();
    }

    /// A rank issues its next step on a communicator: its gradient is ready. \param now [ps]
    virtual void Issue(int64_t now, uint32_t rank, const ProgramStep& step) = 0;
    /// When the last rank's gradient of a step was ready [ps]; -1: not all are, or not known.
    virtual int64_t GetLastPostPs(uint32_t communicator, uint64_t number) const = 0;

    /// A rank has ended a collective of a communicator.
    virtual void RankFinished(int64_t /* now */, uint32_t /* rank */, uint32_t /* collective */)
    {
    }

    /// Iteration of a collective of a communicator that not all ranks have ended.
    virtual uint64_t GetIteration(uint32_t /* collective */) const
    {
        return 0;
    }

    /// A message of the transport has arrived. \returns whether it was one of the exchange
    virtual bool Delivered(int64_t /* now */, const ChunkMessage& /* message */)
    {
        return false;
    }

    /// A message of the transport is acknowledged. \returns whether it was one of the exchange
    virtual bool Completed(int64_t /* now */, const ChunkMessage& /* message */)
    {
        return false;
    }

    /// The most that a rank had posted at a time [byte].
    virtual uint64_t GetMaxPostedBytes() const = 0;

    /// All ranks have ended an iteration. \param endPs [ps]
    void IterationEnded(uint64_t iteration, int64_t endPs);

    /// By schedule, the last one under way.
    const std::vector<TensorSample>& GetSamples() const
    {
        return m_samples;
    }

  protected:
    virtual void MessageArrived(int64_t now, uint32_t rank, const RankMessage& message) = 0;

    /// The schedule of an iteration.
    const TensorSchedule& GetSchedule(uint64_t iteration) const;
    /// Pieces of a tensor.
    static uint32_t GetPieceCount(uint64_t bytes, uint64_t partitionBytes);
    /// Size of a piece [byte].
    static uint64_t GetPieceBytes(uint64_t bytes, uint64_t partitionBytes, uint32_t piece);
    void Send(int64_t now, uint32_t rank, const RankMessage& message);

    const Setup& GetSetup() const
    {
        return m_setup;
    }

    uint32_t GetRanks() const
    {
        return m_setup.program->ranks;
    }

    /// Steps of an iteration on a communicator.
    uint64_t GetStepsPerIteration(uint32_t communicator) const;

  private:
    Setup m_setup;
    RankMessages m_messages;
    std::vector<std::pair<uint64_t, TensorSchedule>> m_schedules; ///< (first iteration, it)
    std::vector<TensorSample> m_samples;                          ///< by schedule
    int64_t m_lastEndPs{-1}; ///< of the iteration before, under the last schedule [ps]
};

} // namespace ns3

#endif // GPU_FABRIC_TENSOR_EXCHANGE_H
