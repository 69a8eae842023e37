/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COLLECTIVE_SCHEDULE_H
#define GPU_FABRIC_COLLECTIVE_SCHEDULE_H

#include "ns3/enum-names.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * The operation of a collective. Its size is that of the larger buffer of a rank: of both in an
 * all-reduce, broadcast, reduce, all-to-all or point-to-point transfer, of the output in an
 * all-gather, of the input in a reduce-scatter.
 */
enum class CollectiveOperation : uint8_t
{
    ALL_REDUCE,     ///< every rank gets the sum of all inputs
    ALL_GATHER,     ///< every rank gets all inputs, in rank order
    REDUCE_SCATTER, ///< rank r gets portion r of the sum of all inputs
    BROADCAST,      ///< every rank gets the root's input
    REDUCE,         ///< the root gets the sum of all inputs
    ALL_TO_ALL,     ///< portion q of rank p's input is portion p of rank q's output
    SEND_RECEIVE    ///< point to point: the inputs of some ranks become the outputs of others
};

/// "all-reduce", "all-gather", "reduce-scatter", "broadcast", "reduce", "all-to-all",
/// "send-receive".
const char* GetCollectiveOperationName(CollectiveOperation operation);

/// All operations, in the order of the enumeration.
const std::vector<CollectiveOperation>& GetCollectiveOperations();

/// A collective as a program issues it.
struct CollectiveCall
{
    /// In `destinations`: the rank sends to nobody.
    static constexpr uint32_t NOBODY = UINT32_MAX;

    CollectiveOperation operation{CollectiveOperation::ALL_REDUCE};
    uint64_t bytes{0}; ///< larger buffer of a rank [byte]
    uint32_t root{0};  ///< rank within the communicator; for broadcast and reduce
    /// By rank: the rank that it sends to, or NOBODY; no two ranks send to the same one. Point to
    /// point only.
    std::vector<uint32_t> destinations;

    bool operator==(const CollectiveCall& other) const;
    bool operator<(const CollectiveCall& other) const;
};

/// A buffer of a rank. In place, input and output share memory (CollectiveSchedule::inPlace).
enum class ChunkBuffer : uint8_t
{
    INPUT,
    OUTPUT,
    SCRATCH
};

/// What the receiver does with an arriving chunk.
enum class ChunkAction : uint8_t
{
    COPY,
    REDUCE
};

/// How a chunk and the sign that it has arrived are sent (NCCL's protocols).
enum class CollectiveProtocol : uint8_t
{
    SIMPLE, ///< data, then a flag: all bytes are data
    LL,     ///< 4 bytes of flag after every 4 bytes of data
    LL128   ///< 8 bytes of flag after every 120 bytes of data
};

template <>
struct EnumNames<CollectiveProtocol>
{
    static constexpr EnumName<CollectiveProtocol> TABLE[] = {{CollectiveProtocol::SIMPLE, "Simple"},
                                                             {CollectiveProtocol::LL, "LL"},
                                                             {CollectiveProtocol::LL128, "LL128"}};
};

/// The NICs by which a message between hosts leaves and enters.
enum class CollectiveNics : uint8_t
{
    CHANNEL, ///< that of the channel on either host (CollectiveLayout::GetChannelNic)
    OWN      ///< that of either GPU
};

/**
 * What running a schedule costs beside its bytes on links: the time of kernels and of the threads
 * that serve NICs. By default nothing.
 */
struct CollectiveExecution
{
    CollectiveNics nics{CollectiveNics::CHANNEL};
    int64_t launchPs{0};     ///< from a rank's turn to its first message: launch of a kernel [ps]
    int64_t localHopPs{0};   ///< before each message inside a host [ps]
    int64_t networkHopPs{0}; ///< before each message between hosts [ps]
    /// Rate at which a rank copies or reduces the data of a channel, one message after the other
    /// [bit/s]; 0: no limit.
    uint64_t channelRateBps{0};
    /// The same for messages inside a host [bit/s]; not 0 if channelRateBps is not.
    uint64_t localChannelRateBps{0};
    /// Whether each destination has a channel of its own for it, else a rank's messages of a
    /// channel are copied one after the other.
    bool copiesByPeer{false};
    /// Parts of a message; one between hosts leaves once the first has been copied.
    uint32_t slices{1};
    /// Bytes on NVLink for those of a message, where NVSwitches add or multiply data.
    uint32_t localNumerator{1};
    uint32_t localDenominator{1};

    /// Whether messages are posted at once.
    bool IsFree() const
    {
        return localHopPs == 0 && networkHopPs == 0 && channelRateBps == 0 &&
               localNumerator == localDenominator;
    }
};

/// The placement of the ranks of a communicator; ranks are host-major (semantics.md).
struct CollectiveLayout
{
    struct Rank
    {
        uint32_t host{0}; ///< dense host index within the communicator
        uint32_t gpu{0};  ///< local GPU index on its host
        uint32_t nic{0};  ///< local index of the NIC that the GPU is attached to
        uint32_t leaf{0}; ///< any number, the same for NICs that one switch connects
    };

    std::vector<Rank> ranks;

    /// Sorted local indices of the NICs that the communicator's GPUs on a host are attached to.
    std::vector<uint32_t> GetNics(uint32_t host) const;
    /// The local NIC through which a channel enters and leaves a host: GetNics(host)[channel mod
    /// size].
    uint32_t GetChannelNic(uint32_t host, uint32_t channel) const;
    /// One channel per NIC used on a host: the minimum over the hosts, at least 1.
    uint32_t GetDefaultChannels() const;
    uint32_t GetHostCount() const;
    /// The channel in [0, default channels) whose NIC on that host is the rank's own; 0 if there is
    /// none.
    uint32_t GetRail(uint32_t rank) const;
    /**
     * The rank that passes on what one rank sends to another: on the source's host, with a NIC at
     * the same switch as the destination's (NCCL's PXN). None if the source has such a NIC itself,
     * or no rank there has.
     * \returns a rank, or the source
     */
    uint32_t GetRelay(uint32_t source, uint32_t destination) const;

    /// Rate of the slowest NIC of these hosts [bit/s]; 0: unknown.
    uint64_t nicRateBps{0};
};

/**
 * One message: `count` chunks from the source's buffer to the destination's. If source and
 * destination are the same rank, a local copy or reduction, which takes no time.
 */
struct ChunkTransfer
{
    uint32_t source{0};      ///< rank
    uint32_t destination{0}; ///< rank
    uint32_t channel{0};
    uint32_t sourceChunk{0};      ///< first chunk in the sender's buffer
    uint32_t destinationChunk{0}; ///< first chunk in the receiver's buffer
    uint32_t chunkCount{1};
    ChunkAction action{ChunkAction::COPY};
    ChunkBuffer sourceBuffer{ChunkBuffer::OUTPUT};
    ChunkBuffer destinationBuffer{ChunkBuffer::OUTPUT};
    uint32_t firstDependency{0}; ///< index into CollectiveSchedule::dependencies
    uint32_t dependencyCount{0}; ///< number of transfers that must have happened at `source` before
    uint32_t firstGate{0};       ///< index into CollectiveSchedule::dependencies
    uint32_t gateCount{0}; ///< number of transfers that must have happened at `destination` before

    /// Whether source and destination are the same rank.
    bool IsLocal() const
    {
        return source == destination;
    }
};

/**
 * A collective as a DAG of chunk transfers, a plain value.
 *
 * The source posts a transfer once the rank runs the collective and all dependencies of the
 * transfer have happened there. Posting reads the data into the send buffer of the channel. At the
 * destination a transfer is taken, that is, copied or reduced into the buffer, once its data have
 * arrived and its gates have happened there. A transfer that a rank waits for has happened there
 * when it is taken, if the rank is its destination, or else when it is posted. Messages of one
 * (source, destination, channel) are posted, arrive and are taken in the order of their index.
 *
 * The chunks of a buffer are rank-major: chunk r * (chunks / ranks) + c is part c of portion r. In
 * an all-gather or reduce-scatter portion r belongs to rank r; in an all-to-all it is sent to or
 * received from rank r.
 */
class CollectiveSchedule
{
  public:
    /// "No transfer".
    static constexpr uint32_t NONE = UINT32_MAX;

    CollectiveOperation operation{CollectiveOperation::ALL_REDUCE};
    std::string algorithm; ///< e.g. "Ring"
    CollectiveProtocol protocol{CollectiveProtocol::SIMPLE};
    CollectiveExecution execution;
    uint32_t ranks{0};
    uint32_t channels{1};
    uint32_t chunks{0};        ///< chunks of the larger buffer
    uint32_t scratchChunks{0}; ///< chunks of each rank's scratch buffer
    /// Input and output share memory: both are one buffer, or the smaller one is the rank's own
    /// portion of the larger one (all-gather, reduce-scatter).
    bool inPlace{true};
    uint32_t root{0};                   ///< as CollectiveCall::root
    std::vector<uint32_t> destinations; ///< as CollectiveCall::destinations
    /// Ratio of bytes on the wire to bytes of a chunk, for a protocol that sends flags among the
    /// data.
    uint32_t wireNumerator{1};
    uint32_t wireDenominator{1};
    std::vector<ChunkTransfer> transfers;
    std::vector<uint32_t> dependencies;

    /// Sets the protocol and its ratio of bytes on the wire.
    void SetProtocol(CollectiveProtocol value);

    /// First byte of a chunk in a buffer of `bytes` [byte]; `bytes` for the chunk number `chunks`.
    uint64_t GetChunkOffset(uint32_t chunk, uint64_t bytes) const;
    /// Size of a transfer in a buffer of `bytes` [byte]; may be 0 for a small buffer.
    uint64_t GetTransferBytes(const ChunkTransfer& transfer, uint64_t bytes) const;
    /// Bytes on the wire of `bytes` of chunks [byte], rounded up, at a ratio as wireNumerator to
    /// wireDenominator.
    static uint64_t GetWireBytes(uint64_t bytes, uint32_t numerator, uint32_t denominator);

    /// Number of chunks of a buffer.
    uint32_t GetChunks(ChunkBuffer buffer) const;
    /// Number of chunks of a rank's memory: all buffers, with shared memory counted once.
    uint64_t GetPlaces() const;
    /// The place of a chunk in the memory of its rank, less than GetPlaces().
    uint64_t GetPlace(uint32_t rank, ChunkBuffer buffer, uint32_t chunk) const;

    /// By transfer: the previous one of the same (source, destination, channel), or NONE; NONE
    /// within a rank, where nothing is sent.
    std::vector<uint32_t> GetPredecessors() const;

    /// Whether a transfer has gates, or depends on one that its own source sends; the proof then
    /// needs the order of messages of one (source, destination, channel).
    bool IsStaged() const;

    /// The same schedule in canonical form: transfers ordered by the longest chain of waits before
    /// they are posted, dependencies sorted and without those implied by the order of messages. A
    /// schedule with a cycle is returned unchanged.
    CollectiveSchedule GetCanonical() const;

    /// Whether the transfers and their dependencies are the same in the same order; names may
    /// differ.
    bool operator==(const CollectiveSchedule& other) const;

    /**
     * Runs the DAG on sets of contributors and proves the post-condition of the operation: every
     * contribution arrives exactly once, nothing is overwritten while still needed, all
     * dependencies are local to the sender, and there is no cycle and no data race on a chunk.
     * \returns one sentence per fault; empty if proved
     */
    std::vector<std::string> Validate() const;
};

} // namespace ns3

#endif // GPU_FABRIC_COLLECTIVE_SCHEDULE_H
