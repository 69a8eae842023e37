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
 * Tensors that are all-reduced, a collective for each piece.
 *
 * All ranks issue the same pieces in the same order, as their communicator wants it. In the order
 * of the backward pass they know it by themselves: each has a queue and a credit of its own. With
 * priority rank 0 decides, as ByteScheduler's coordinator does: a rank tells it of a gradient that
 * is ready, a tensor whose gradient is ready on all ranks enters its queue, and it tells the
 * others what it posts; either message takes TensorSchedule::latencyPs. The credit is that of rank
 * 0 then, for pieces that it has not ended.
 *
 * A communicator runs TensorSchedule::streams collectives at a time on a rank, started in the order
 * in which they are posted; one, as NCCL does in a stream, or several, so that the latency of the
 * steps of one is hidden by another. The credit is the depth of its queue, whose pieces cannot be
 * overtaken any more.
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

    /// A tensor that some rank has issued and not all have ended.
    struct Tensor
    {
        uint32_t layer{0};
        uint64_t bytes{0};
        uint64_t partitionBytes{0};
        uint32_t issued{0};   ///< ranks
        uint32_t reported{0}; ///< ranks that rank 0 knows to be ready
        uint32_t ended{0};    ///< ranks
        int64_t lastPostPs{0};
        std::vector<uint32_t> left; ///< by rank: pieces
    };

    /// A collective that some rank has issued and not all have ended.
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

    void DoConfigure() override;
    void MessageArrived(int64_t now, uint32_t rank, const RankMessage& message) override;
    Tensor& GetTensor(uint64_t tensor);
    /// The pieces of a tensor are ready, as far as a rank decides.
    void Enqueue(int64_t now, uint32_t rank, uint64_t tensor);
    /// Counts a rank whose gradient is ready, on rank 0.
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
