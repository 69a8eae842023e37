/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TENSOR_EXCHANGE_H
#define GPU_FABRIC_TENSOR_EXCHANGE_H

#include "gradient-exchange.h"
#include "rank-messages.h"
#include "tensor-queue.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * The layer between the programs of a job's ranks, whose gradients are tensors, and the network:
 * cuts tensors into pieces and posts these in a given order and within a credit (TensorSchedule),
 * like the core of ByteScheduler (Peng et al., SOSP 2019).
 *
 * A rank issues a step of a tensor when its gradient is ready; the step ends when all its pieces
 * have ended. A schedule applies from a given iteration on.
 */
class TensorExchange : public GradientExchange
{
  public:
    static TypeId GetTypeId();

    /// Aborts if anything but the sizes differs from an earlier schedule.
    void SetSchedule(uint64_t iteration, const TensorSchedule& schedule) override;
    void Open() override;
    void Close() override;
    void IterationEnded(uint64_t iteration, int64_t endPs) override;

    const std::vector<TensorSample>& GetSamples() const override
    {
        return m_samples;
    }

  protected:
    /// Aborts if some collectives are not tensors, or are on communicators that do not contain all
    /// ranks in order.
    void DoConfigure() override;
    /// Initialises the state of a subclass, using GetSetup().
    virtual void ConfigureTensors() = 0;
    virtual void MessageArrived(int64_t now, uint32_t rank, const RankMessage& message) = 0;

    /// The schedule of an iteration.
    const TensorSchedule& GetSchedule(uint64_t iteration) const;
    /// Number of pieces of a tensor.
    static uint32_t GetPieceCount(uint64_t bytes, uint64_t partitionBytes);
    /// Size of a piece [byte].
    static uint64_t GetPieceBytes(uint64_t bytes, uint64_t partitionBytes, uint32_t piece);
    void Send(int64_t now, uint32_t rank, const RankMessage& message);

    uint32_t GetRanks() const
    {
        return GetSetup().program->ranks;
    }

    /// Number of steps per iteration on a communicator.
    uint64_t GetStepsPerIteration(uint32_t communicator) const;

  private:
    std::unique_ptr<RankMessages> m_messages;
    std::vector<std::pair<uint64_t, TensorSchedule>> m_schedules; ///< (first iteration, schedule)
    std::vector<TensorSample> m_samples;                          ///< by schedule
    int64_t m_lastEndPs{-1}; ///< end of the previous iteration, under the last schedule [ps]
};

} // namespace ns3

#endif // GPU_FABRIC_TENSOR_EXCHANGE_H
