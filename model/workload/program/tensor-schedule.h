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
 * How the gradients of a job are sent as tensors, one per layer: a plain value.
 *
 * A tensor larger than the partition is cut into pieces of that size, of which the last may be
 * smaller; small tensors are not merged. A piece that is ready waits in a queue until less than the
 * credit is posted, so that at most the credit plus one piece is posted (Peng et al., "A Generic
 * Communication Scheduler for Distributed DNN Training Acceleration", SOSP 2019).
 */
struct TensorSchedule
{
    static constexpr uint64_t UNLIMITED = UINT64_MAX; ///< whole tensors, all at once [byte]

    uint64_t partitionBytes{UNLIMITED}; ///< at least 1 [byte]
    uint64_t creditBytes{UNLIMITED};    ///< at least 1 [byte]
    bool priority{false}; ///< the tensor nearest the input first; otherwise in order of arrival
    int64_t latencyPs{0}; ///< of a message from one rank to another [ps]
    uint32_t streams{1};  ///< all-reduces of pieces that a rank runs concurrently

    bool operator==(const TensorSchedule& other) const
    {
        return partitionBytes == other.partitionBytes && creditBytes == other.creditBytes &&
               priority == other.priority && latencyPs == other.latencyPs &&
               streams == other.streams;
    }
};

/// The duration of iterations under a schedule.
struct TensorSample
{
    TensorSchedule schedule;
    uint64_t iterations{0}; ///< iterations finished under it, except the first
    int64_t elapsedPs{0};   ///< duration of these [ps]
};

/// How a program with tensors as gradients is built.
struct TensorProgramOptions
{
    /// With parameter servers: every tensor has a share on each server; otherwise tensors are
    /// assigned to servers in turn, each to one.
    bool spreads{true};
};

/// What a scheduler may know of the gradients of a job.
struct TensorView
{
    std::string unsupported{"its gradients are not known"}; ///< why not; empty: they are tensors
    bool servers{false};               ///< parameter servers; otherwise all-reduces
    uint32_t bytesPerParameter{4};     ///< [byte]
    std::vector<TensorSample> samples; ///< since the job started, the last one still in progress
};

} // namespace ns3

#endif // GPU_FABRIC_TENSOR_SCHEDULE_H
