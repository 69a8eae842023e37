/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SERVER_TENSORS_H
#define GPU_FABRIC_SERVER_TENSORS_H

#include "tensor-exchange.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * Tensors that are pushed to and pulled from parameter servers, piece by piece.
 *
 * A server is a rank: the root of a communicator for pushes (steps that are reductions) and of one
 * for pulls (broadcasts), where the k-th pull belongs to the k-th push. A rank pushes a piece to
 * the server. The copy of the server's own rank counts as arrived as soon as its gradient is ready.
 * When the copies of all ranks have arrived, the server notifies the ranks, each requests the piece
 * in its own order, and the server sends it; each of these messages takes
 * TensorSchedule::latencyPs. What the server's own rank pushes and pulls stays on that rank.
 *
 * The shares of a tensor on several servers become ready together: its pieces go to the servers in
 * turn, starting with a different server on each rank, so that not all send to the same one.
 *
 * Every rank decides for itself, across all servers. It has one queue and credit for pushes and
 * another for pulls, so that neither direction waits for the other. ByteScheduler's paper shows
 * both directions in full use, but its code is less clear: this is a reconstruction. A push returns
 * its credit when it is acknowledged, a pull when it has arrived. Several pieces may be in flight.
 *
 * A push step ends when all its pieces are acknowledged, or on the server's rank when all have
 * arrived; a pull step ends when all its pieces have arrived. It is issued with the push or later.
 */
class ServerTensors : public TensorExchange
{
  public:
    static TypeId GetTypeId();

    bool Carries(const IterationProgram& program) const override;
    void Issue(int64_t now, uint32_t rank, const ProgramStep& step) override;
    int64_t GetLastPostPs(uint32_t rank, uint32_t communicator, uint64_t number) const override;
    void ChunkDelivered(int64_t now, const ChunkMessage& message) override;
    void ChunkCompleted(int64_t now, const ChunkMessage& message) override;
    uint64_t GetMaxPostedBytes() const override;

  private:
    /// Kinds of messages between ranks.
    static constexpr uint32_t AGGREGATED = 0;
    static constexpr uint32_t REQUEST = 1;

    struct RankProgress
    {
        uint32_t pushes{0}; ///< pieces not pushed
        uint32_t pulls{0};  ///< pieces not pulled
        bool pullIssued{false};
    };

    /// When each rank sent a piece, and how many copies have arrived.
    struct Copies
    {
        uint32_t arrived{0};
        int64_t firstPostPs{-1};
        int64_t lastPostPs{0};

        void Post(int64_t now)
        {
            firstPostPs = firstPostPs < 0 ? now : firstPostPs;
            lastPostPs = now;
        }
    };

    struct Piece
    {
        Copies pushes;
        Copies pulls;
    };

    /// A tensor on a server that some rank has issued and some rank has not finished.
    struct Tensor
    {
        uint64_t number{0};
        uint32_t layer{0};
        uint64_t bytes{0};
        uint64_t partitionBytes{0};
        uint32_t firstPiece{0}; ///< its number on the server
        uint32_t issued{0};     ///< ranks
        uint32_t ended{0};      ///< steps of ranks, both push and pull
        int64_t lastPostPs{0};
        std::vector<RankProgress> ranks;
        std::vector<Piece> pieces;
    };

    struct Server
    {
        uint32_t rank{0};
        uint32_t pushCommunicator{0};
        uint32_t pullCommunicator{0};
        uint64_t tensorsPerIteration{0};
        uint64_t firstTensor{0}; ///< number of tensors[0]
        std::deque<Tensor> tensors;
        uint32_t pieces{0};               ///< piece numbers assigned
        std::vector<uint64_t> pushIssued; ///< by rank: steps
        std::vector<uint64_t> pullIssued; ///< by rank: steps
    };

    /// (server, tensor) of a layer.
    using Shares = std::vector<std::pair<uint32_t, uint64_t>>;

    /// A message of the transport.
    struct Place
    {
        uint32_t server{0};
        uint64_t tensor{0};
        uint32_t piece{0};
        bool push{false};
    };

    void ConfigureTensors() override;
    void MessageArrived(int64_t now, uint32_t rank, const RankMessage& message) override;
    Tensor& GetTensor(uint32_t server, uint64_t tensor);
    Tensor& MakeTensor(uint32_t server, uint64_t tensor, const ProgramStep& step);
    Place Find(const ChunkMessage& message) const;
    uint64_t GetBytes(const Tensor& tensor, uint32_t piece) const;
    /// The route of messages between a rank and the server of a communicator.
    uint32_t GetRoute(uint32_t communicator,
                      uint32_t source,
                      uint32_t destination,
                      uint32_t channel);
    /// Sends a piece between a rank and a server.
    void SendPiece(int64_t now, uint32_t rank, bool push, const TensorPiece& piece);
    void IssuePush(int64_t now, uint32_t rank, uint32_t server, const ProgramStep& step);
    /// Adds the shares of a tensor that are ready to a rank's queue.
    void EnqueuePushes(uint32_t rank, Shares shares);
    void PostPushes(int64_t now, uint32_t rank);
    void PostPulls(int64_t now, uint32_t rank);
    /// A copy of a piece has arrived at its server.
    void PushArrived(int64_t now, uint32_t server, uint64_t tensor, uint32_t piece);
    /// A piece of a rank's push step is done.
    void EndPush(int64_t now, uint32_t rank, uint32_t server, uint64_t tensor);
    /// Ends a rank's pull step if it is complete.
    void CheckPulled(int64_t now, uint32_t rank, uint32_t server, uint64_t tensor);
    void EndStep(int64_t now,
                 uint32_t rank,
                 uint32_t server,
                 uint32_t communicator,
                 uint64_t tensor);
    void Record(int64_t now, uint32_t server, const Tensor& tensor, uint32_t piece, bool push);

    std::vector<Server> m_servers;
    std::vector<uint32_t> m_serverOf; ///< by communicator
    /// By communicator, source, destination and channel.
    std::map<std::array<uint32_t, 4>, uint32_t> m_routes;
    std::map<uint32_t, size_t> m_shares; ///< by layer: number of servers that hold a part of it
    std::vector<std::map<uint32_t, Shares>>
        m_ready;                       ///< by rank and layer: shares that have become ready
    std::vector<TensorQueue> m_pushes; ///< by rank
    std::vector<TensorQueue> m_pulls;  ///< by rank
};

} // namespace ns3

#endif // GPU_FABRIC_SERVER_TENSORS_H
