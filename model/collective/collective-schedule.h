/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COLLECTIVE_SCHEDULE_H
#define GPU_FABRIC_COLLECTIVE_SCHEDULE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * What a collective has to achieve. The size of a collective is that of the larger buffer of a
 * rank: of both in an all-reduce, broadcast, reduce, all-to-all or point-to-point transfer, of the
 * output of an all-gather, of the input of a reduce-scatter.
 */
enum class CollectiveOperation : uint8_t
{
    ALL_REDUCE,     ///< every rank has the sum of all inputs
    ALL_GATHER,     ///< every rank has all inputs, in rank order
    REDUCE_SCATTER, ///< rank r has portion r of the sum of all inputs
    BROADCAST,      ///< every rank has the root's input
    REDUCE,         ///< the root has the sum of all inputs
    ALL_TO_ALL,     ///< portion q of rank p's input is portion p of rank q's output
    SEND_RECEIVE    ///< point to point: the input of some ranks is the output of others
};

/// "all-reduce", "all-gather", "reduce-scatter", "broadcast", "reduce", "all-to-all",
/// "send-receive".
const char* GetCollectiveOperationName(CollectiveOperation operation);

/// All operations, in the order of the enumeration.
const std::vector<CollectiveOperation>& GetCollectiveOperations();

/// A collective as a program issues it.
struct CollectiveCall
{
    /// In `destinations`: sends to nobody.
    static constexpr uint32_t NOBODY = UINT32_MAX;

    CollectiveOperation operation{CollectiveOperation::ALL_REDUCE};
    uint64_t bytes{0}; ///< larger buffer of a rank [byte]
    uint32_t root{0};  ///< rank of the communicator; broadcast and reduce
    /// By rank: the rank it sends to, no two to one, or NOBODY; point to point only.
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

/// Where the ranks of a communicator sit; ranks are host-major (semantics.md).
struct CollectiveLayout
{
    struct Rank
    {
        uint32_t host{0}; ///< dense host index within the communicator
        uint32_t gpu{0};  ///< local GPU index on its host
        uint32_t nic{0};  ///< local NIC index that GPU is attached to
    };

    std::vector<Rank> ranks;

    /// Sorted local NIC indices that the communicator's GPUs of a host are attached to.
    std::vector<uint32_t> GetNics(uint32_t host) const;
    /// The local NIC by which a channel enters and leaves a host: GetNics(host)[channel mod size].
    uint32_t GetChannelNic(uint32_t host, uint32_t channel) const;
    /// One channel per NIC that a host uses: the smallest number over the hosts; at least 1.
    uint32_t GetDefaultChannels() const;
    uint32_t GetHostCount() const;
    /// The channel of [0, default channels) whose NIC on that host is the rank's own; 0 if none is.
    uint32_t GetRail(uint32_t rank) const;

    /// Rate of a NIC of these hosts, the slowest [bit/s]; 0: not known.
    uint64_t nicRateBps{0};
};

/**
 * One message: count chunks from source's buffer to destination's; or, where both are one rank, a
 * copy or reduction within it, which takes no time.
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
    uint32_t dependencyCount{0}; ///< transfers that must have happened at `source` before
    uint32_t firstGate{0};       ///< index into CollectiveSchedule::dependencies
    uint32_t gateCount{0};       ///< transfers that must have happened at `destination` before

    /// Within one rank.
    bool IsLocal() const
    {
        return source == destination;
    }
};

/**
 * A collective as a DAG of chunk transfers, a plain value.
 *
 * A transfer is posted by its source as soon as the rank runs the collective and all of its
 * dependencies have happened there. Its data are read when it is posted, into the send buffer of
 * its channel. They are taken at the destination, copied or reduced into its buffer, when they
 * have arrived and its gates have happened there. A transfer that a rank waits for has happened
 * there when it is taken, if the rank is its destination, else when it is posted.
 * Messages of one (source, destination, channel) are posted, arrive and are taken in order of
 * their index.
 *
 * The chunks of a rank-major buffer: chunk r * (chunks / ranks) + c is part c of portion r; in an
 * all-gather or reduce-scatter portion r belongs to rank r, in an all-to-all it is for or from it.
 */
class CollectiveSchedule
{
  public:
    /// "No transfer".
    static constexpr uint32_t NONE = UINT32_MAX;

    CollectiveOperation operation{CollectiveOperation::ALL_REDUCE};
    std::string algorithm; ///< e.g. "Ring"
    uint32_t ranks{0};
    uint32_t channels{1};
    uint32_t chunks{0};        ///< chunks of the larger buffer
    uint32_t scratchChunks{0}; ///< chunks of each rank's scratch buffer
    /// Input and output share memory: both are one buffer, or the smaller one is the rank's own
    /// portion of the larger (all-gather, reduce-scatter).
    bool inPlace{true};
    uint32_t root{0};                   ///< as CollectiveCall::root
    std::vector<uint32_t> destinations; ///< as CollectiveCall::destinations
    /// Bytes on the wire for those of a chunk, of a protocol with flags among the data.
    uint32_t wireNumerator{1};
    uint32_t wireDenominator{1};
    std::vector<ChunkTransfer> transfers;
    std::vector<uint32_t> dependencies;

    /// First byte of a chunk in a buffer of `bytes` [byte]; chunk `chunks` gives `bytes`.
    uint64_t GetChunkOffset(uint32_t chunk, uint64_t bytes) const;
    /// Size of a transfer in a buffer of `bytes` [byte]; may be 0 for a buffer of few bytes.
    uint64_t GetTransferBytes(const ChunkTransfer& transfer, uint64_t bytes) const;

    /// Chunks of a buffer.
    uint32_t GetChunks(ChunkBuffer buffer) const;
    /// Chunks of memory of a rank: of all buffers, what is shared once.
    uint64_t GetPlaces() const;
    /// The place of a chunk in the memory of its rank, below GetPlaces().
    uint64_t GetPlace(uint32_t rank, ChunkBuffer buffer, uint32_t chunk) const;

    /// By transfer: the one before it of the same (source, destination, channel), or NONE; NONE
    /// within a rank, where nothing is sent.
    std::vector<uint32_t> GetPredecessors() const;

    /// Whether a transfer has gates, or depends on one that its own source sends: then the order
    /// of messages of one (source, destination, channel) is needed for the proof.
    bool IsStaged() const;

    /// The same with transfers in one order, that of the longest chain of waits before they are
    /// posted, their dependencies sorted and those left out that the order of messages implies; a
    /// schedule with a cycle as it is.
    CollectiveSchedule GetCanonical() const;

    /// The same transfers with the same dependencies in the same order; the name may differ.
    bool operator==(const CollectiveSchedule& other) const;

    /**
     * Runs the DAG on sets of contributors and proves the post-condition of the operation:
     * every contribution exactly once, nothing overwritten that is still needed, no dependency
     * that is not local to the sender, no cycle, no data race on a chunk.
     * \returns one sentence for each fault; empty: proved
     */
    std::vector<std::string> Validate() const;
};

} // namespace ns3

#endif // GPU_FABRIC_COLLECTIVE_SCHEDULE_H
