/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TRAINING_OPTIONS_H
#define GPU_FABRIC_TRAINING_OPTIONS_H

#include "ns3/enum-names.h"

#include <cstdint>

namespace ns3
{

/// GPUs whose data sheets are known (GpuRoofline).
enum class GpuType : uint8_t
{
    A100,
    H100,
    H200,
    V100
};

template <>
struct EnumNames<GpuType>
{
    static constexpr EnumName<GpuType> TABLE[] = {{GpuType::A100, "A100"},
                                                  {GpuType::H100, "H100"},
                                                  {GpuType::H200, "H200"},
                                                  {GpuType::V100, "V100"}};
};

/// Arithmetic of a model.
enum class Precision : uint8_t
{
    FP16, ///< mixed precision
    TF32,
    FP32
};

template <>
struct EnumNames<Precision>
{
    static constexpr EnumName<Precision> TABLE[] = {{Precision::FP16, "fp16"},
                                                    {Precision::TF32, "tf32"},
                                                    {Precision::FP32, "fp32"}};
};

/// Number format in which gradients are sent.
enum class GradientFormat : uint8_t
{
    FP32,
    FP16
};

template <>
struct EnumNames<GradientFormat>
{
    static constexpr EnumName<GradientFormat> TABLE[] = {{GradientFormat::FP16, "fp16"},
                                                         {GradientFormat::FP32, "fp32"}};
};

/// Size of a gradient [byte].
constexpr uint32_t
GetBytesPerGradient(GradientFormat format)
{
    return format == GradientFormat::FP16 ? 2 : 4;
}

/// What the reduction of gradients overlaps with.
enum class GradientOverlap : uint8_t
{
    BACKWARD, ///< the backward pass, bucket by bucket (PyTorch DDP)
    NONE      ///< gradients are reduced after the backward pass
};

template <>
struct EnumNames<GradientOverlap>
{
    static constexpr EnumName<GradientOverlap> TABLE[] = {{GradientOverlap::BACKWARD, "backward"},
                                                          {GradientOverlap::NONE, "none"}};
};

/// Which activations the backward pass recomputes.
enum class Recompute : uint8_t
{
    NONE,
    FULL ///< the backward pass repeats the forward pass
};

template <>
struct EnumNames<Recompute>
{
    static constexpr EnumName<Recompute> TABLE[] = {{Recompute::NONE, "none"},
                                                    {Recompute::FULL, "full"}};
};

/// Order of the dimensions of parallelism across the ranks, fastest-varying first.
enum class RankOrder : uint8_t
{
    TENSOR_DATA_PIPELINE,
    TENSOR_PIPELINE_DATA
};

template <>
struct EnumNames<RankOrder>
{
    static constexpr EnumName<RankOrder> TABLE[] = {{RankOrder::TENSOR_DATA_PIPELINE, "tp-dp-pp"},
                                                    {RankOrder::TENSOR_PIPELINE_DATA, "tp-pp-dp"}};
};

/// Distribution of the random factor of compute times.
enum class JitterDistribution : uint8_t
{
    LOGNORMAL
};

template <>
struct EnumNames<JitterDistribution>
{
    static constexpr EnumName<JitterDistribution> TABLE[] = {
        {JitterDistribution::LOGNORMAL, "Lognormal"}};
};

/// Which ranks share a random factor.
enum class JitterScope : uint8_t
{
    RANK, ///< each rank of a job draws its own
    JOB   ///< all ranks of a job share one
};

template <>
struct EnumNames<JitterScope>
{
    static constexpr EnumName<JitterScope> TABLE[] = {{JitterScope::JOB, "job"},
                                                      {JitterScope::RANK, "rank"}};
};

/// Kinds of steps of a program: a computation, or a collective or message.
enum class ProgramStepKind : uint8_t
{
    COMPUTE,
    ALL_REDUCE,
    ALL_GATHER,
    REDUCE_SCATTER,
    ALL_TO_ALL,
    BROADCAST,
    REDUCE,
    SEND ///< from one rank to another
};

template <>
struct EnumNames<ProgramStepKind>
{
    static constexpr EnumName<ProgramStepKind> TABLE[] = {
        {ProgramStepKind::COMPUTE, "compute"},
        {ProgramStepKind::ALL_REDUCE, "all-reduce"},
        {ProgramStepKind::ALL_GATHER, "all-gather"},
        {ProgramStepKind::REDUCE_SCATTER, "reduce-scatter"},
        {ProgramStepKind::ALL_TO_ALL, "all-to-all"},
        {ProgramStepKind::BROADCAST, "broadcast"},
        {ProgramStepKind::REDUCE, "reduce"},
        {ProgramStepKind::SEND, "send"}};
};

} // namespace ns3

#endif // GPU_FABRIC_TRAINING_OPTIONS_H
