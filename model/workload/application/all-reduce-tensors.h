/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ALL_REDUCE_TENSORS_H
#define GPU_FABRIC_ALL_REDUCE_TENSORS_H

#include "tensor-exchange.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace ns3
{

/**
 * Tensors that are all-reduced, with one collective per piece.
 *
 * All ranks issue the same pieces in the same order, as their communicator requires. In the order
 * of the backward pass each rank knows this order by itself and has its own queue and credit. With
 * priority, rank 0 decides, like ByteScheduler's coordinator: each rank notifies it of gradients
 * that are ready, a tensor whose gradient is ready on all ranks enters its queue, and it notifies
 * the others of what it posts; each of these messages takes TensorSchedule::latencyPs. The credit
 * is then that of rank 0, for pieces that it has not finished.
 *
 * A communicator runs TensorSchedule::streams collectives at a time on a rank, started in the order
 * in which they are posted: one, as NCCL does per stream, or several, so that the step latency of
 * one is hidden by another. The credit is the depth of its queue, whose pieces can no longer be
 * overtaken.
 */
class AllReduceTensors : public TensorExchange
{
  public:
    static TypeId GetTypeId();

    bool Carries(const IterationProgram& program) const override;
    void Issue(int64_t now, uint32_t rank, const ProgramStep& step) override;
    int64_t GetLastPostPs(uint32_t rank, uint32_t communicator, uint64_t number) const override;
    void RankFinished(int64_t now,
                      uint32_t communicator,
                      uint32_t rank,
                      uint32_t collective,
                      int64_t lastPostPs) override;
    uint64_t GetIteration(uint32_t communicator, uint32_t collective) const override;
    uint64_t GetMaxPostedBytes() const override;

  private:
    /// Kinds of messages between ranks.
    static constexpr uint32_t READY = 0;
    static constexpr uint32_t POST = 1;

    /// A tensor that some rank has issued and some rank has not finished.
    struct Tensor
    {
        uint32_t layer{0};
        uint64_t bytes{0};
        uint64_t partitionBytes{0};
        uint32_t issued{0};   ///< ranks
        uint32_t reported{0}; ///< ranks reported ready to rank 0
        uint32_t ended{0};    ///< ranks
        int64_t lastPostPs{0};
        std::vector<uint32_t> left; ///< by rank: pieces not finished
    };

    /// A collective that some rank has issued and some rank has not finished.
    struct Piece
    {
        uint64_t tensor{0};
        uint32_t piece{0};
        uint32_t ended{0}; ///< ranks
    };

    struct RankState
    {
        uint64_t tensors{0}; ///< issued
        uint32_t pieces{0};  ///< issued
        TensorQueue queue;
    };

    void ConfigureTensors() override;
    void MessageArrived(int64_t now, uint32_t rank, const RankMessage& message) override;
    Tensor& GetTensor(uint64_t tensor);
    /// The pieces of a tensor are ready on a rank that decides for itself or for all.
    void Enqueue(int64_t now, uint32_t rank, uint64_t tensor);
    /// On rank 0: counts a rank whose gradient is ready.
    void Report(int64_t now, uint64_t tensor);
    /// Posts what a rank's credit allows.
    void Post(int64_t now, uint32_t rank);
    void IssuePiece(int64_t now, uint32_t rank, uint64_t tensor, uint32_t piece);

    Communicator* m_communicator{nullptr};
    uint64_t m_tensorsPerIteration{0};
    std::vector<RankState> m_ranks;
    uint64_t m_firstTensor{0}; ///< number of m_tensors[0]
    std::deque<Tensor> m_tensors;
    uint32_t m_firstPiece{0}; ///< collective of m_pieces[0]
    std::deque<Piece> m_pieces;
};

} // namespace ns3

#endif // GPU_FABRIC_ALL_REDUCE_TENSORS_H
