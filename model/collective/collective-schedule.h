/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COLLECTIVE_SCHEDULE_H
#define GPU_FABRIC_COLLECTIVE_SCHEDULE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// What a collective has to achieve. `bytes` is the size of the larger buffer of a rank.
enum class CollectiveOperation : uint8_t
{
    ALL_REDUCE,
    ALL_GATHER,
    REDUCE_SCATTER
};

/// "all-reduce", "all-gather", "reduce-scatter".
const char* GetCollectiveOperationName(CollectiveOperation operation);

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
};

/// One message: count chunks from source's buffer to destination's.
struct ChunkTransfer
{
    uint32_t source{0};      ///< rank
    uint32_t destination{0}; ///< rank
    uint32_t channel{0};
    uint32_t sourceChunk{0};      ///< first chunk in the sender's buffer
    uint32_t destinationChunk{0}; ///< first chunk in the receiver's buffer
    uint32_t chunkCount{1};
    ChunkAction action{ChunkAction::COPY};
    uint32_t firstDependency{0}; ///< index into CollectiveSchedule::dependencies
    uint32_t dependencyCount{0}; ///< transfers that must have been delivered to `source` before
};

/**
 * A collective as a DAG of chunk transfers, a plain value.
 *
 * A transfer is posted by its source as soon as the rank runs the collective and all of its
 * dependencies, which are deliveries to that same rank, have happened. Messages of one
 * (source, destination, channel) travel in order of their index.
 * Chunk indices are rank-major: chunk r * channels + c is part c of portion r, and in an
 * all-gather or reduce-scatter portion r belongs to rank r.
 */
class CollectiveSchedule
{
  public:
    CollectiveOperation operation{CollectiveOperation::ALL_REDUCE};
    std::string algorithm; ///< e.g. "Ring"
    uint32_t ranks{0};
    uint32_t channels{1};
    uint32_t chunks{0}; ///< chunks of the buffer
    std::vector<ChunkTransfer> transfers;
    std::vector<uint32_t> dependencies;

    /// First byte of a chunk in a buffer of `bytes` [byte]; chunk `chunks` gives `bytes`.
    uint64_t GetChunkOffset(uint32_t chunk, uint64_t bytes) const;
    /// Size of a transfer in a buffer of `bytes` [byte]; may be 0 for a buffer of few bytes.
    uint64_t GetTransferBytes(const ChunkTransfer& transfer, uint64_t bytes) const;

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
