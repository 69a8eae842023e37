/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TENSOR_SCHEDULE_H
#define GPU_FABRIC_TENSOR_SCHEDULE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * How the gradients of a job are sent as tensors, each those of a layer: a plain value.
 *
 * A tensor larger than the partition is cut into pieces of it, the last one smaller; smaller ones
 * are not put together. A piece that is ready waits in a queue until less than the credit is
 * posted, so that at most the credit and a piece are (Peng et al., "A Generic Communication
 * Scheduler for Distributed DNN Training Acceleration", SOSP 2019).
 */
struct TensorSchedule
{
    static constexpr uint64_t UNLIMITED = UINT64_MAX; ///< whole tensors; all at once [byte]

    uint64_t partitionBytes{UNLIMITED}; ///< at least 1 [byte]
    uint64_t creditBytes{UNLIMITED};    ///< at least 1 [byte]
    bool priority{false};               ///< the tensor nearest the input first, else as they come
    int64_t latencyPs{0};               ///< of a message of one rank to another [ps]
    uint32_t streams{1};                ///< all-reduces of pieces that a rank runs at a time

    bool operator==(const TensorSchedule& other) const
    {
        return partitionBytes == other.partitionBytes && creditBytes == other.creditBytes &&
               priority == other.priority && latencyPs == other.latencyPs &&
               streams == other.streams;
    }
};

/// What iterations under a schedule took.
struct TensorSample
{
    TensorSchedule schedule;
    uint64_t iterations{0}; ///< that have ended under it, but for the first
    int64_t elapsedPs{0};   ///< of these [ps]
};

/// How a program is made whose gradients are tensors.
struct TensorProgramOptions
{
    /// With parameter servers: a share of every tensor on each of them, else tensors go round,
    /// each on one.
    bool spreads{true};
};

/// What is known of the gradients of a job.
struct TensorView
{
    std::string unsupported{"its gradients are not known"}; ///< why not; empty: they are tensors
    bool servers{false};                                    ///< parameter servers, else all-reduces
    uint32_t bytesPerParameter{4};                          ///< [byte]
    std::vector<TensorSample> samples; ///< since the job started, the last one under way
};

} // namespace ns3

#endif // GPU_FABRIC_TENSOR_SCHEDULE_H
