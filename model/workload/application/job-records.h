/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_RECORDS_H
#define GPU_FABRIC_JOB_RECORDS_H

#include "ns3/enum-names.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// Kinds of GPU time (semantics.md), into which the time of a GPU is divided exactly.
enum class GpuTimeKind : uint8_t
{
    COMPUTE,
    EXPOSED_COMMUNICATION,
    PEER_WAIT,
    SHIFT,
    FAILED,
    UNALLOCATED
};

template <>
struct EnumNames<GpuTimeKind>
{
    /// In the order of the values.
    static constexpr EnumName<GpuTimeKind> TABLE[] = {
        {GpuTimeKind::COMPUTE, "compute"},
        {GpuTimeKind::EXPOSED_COMMUNICATION, "exposed_communication"},
        {GpuTimeKind::PEER_WAIT, "peer_wait"},
        {GpuTimeKind::SHIFT, "shift"},
        {GpuTimeKind::FAILED, "failed"},
        {GpuTimeKind::UNALLOCATED, "unallocated"}};
};

/// A span of time of one GPU; the spans of a GPU do not overlap and leave no gap while it is
/// allocated. Emitted when the span ends (an idle span may be split in two, both of which are
/// emitted).
struct SpanRecord
{
    uint32_t job{0};
    uint32_t gpu{0}; ///< cluster-wide id
    GpuTimeKind kind{GpuTimeKind::COMPUTE};
    int64_t startPs{0};
    int64_t endPs{0};
};

/// One iteration of a job, emitted when its last rank has finished it. Times are sums over the
/// ranks, each between its own start and end of the iteration.
struct IterationRecord
{
    uint32_t job{0};
    uint64_t iteration{0};
    int64_t startPs{0}; ///< earliest rank
    int64_t endPs{0};   ///< latest rank
    int64_t computePs{0};
    int64_t exposedPs{0};
    int64_t peerWaitPs{0};
    int64_t shiftPs{0};
    uint64_t bytes{0}; ///< payload posted to the network by all ranks [byte]
};

/// One collective, emitted when its last rank has finished it.
struct CollectiveRecord
{
    uint32_t job{0};
    uint32_t communicator{0};
    uint32_t collective{0}; ///< running number within the communicator
    uint64_t iteration{0};
    std::string operation;
    std::string algorithm;
    uint64_t bytes{0};
    uint32_t channels{0};
    uint32_t ranks{0};
    int64_t firstPostPs{0};
    int64_t lastPostPs{0};
    int64_t endPs{0};
    uint64_t busBandwidthBps{0}; ///< as defined by nccl-tests, from the last post to the end
    std::string protocol;        ///< "Simple", "LL" or "LL128"; empty before the end
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_RECORDS_H
