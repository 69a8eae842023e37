/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_SPEC_H
#define GPU_FABRIC_JOB_SPEC_H

#include "../base/ratio.h"
#include "../base/typed-block.h"
#include "program/imported-workload.h"

#include "ns3/nstime.h"
#include "ns3/quantity.h"
#include "ns3/training-options.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// A time drawn uniformly from [low, high]; fixed if both are equal.
struct TimeRange
{
    Time low;
    Time high;
};

/// One step of a job's explicit `iteration:` list. Steps run one after the other on every rank.
struct ProgramStepSpec
{
    ProgramStepKind kind{ProgramStepKind::COMPUTE};
    Time duration;  ///< of a compute step
    ByteSize bytes; ///< buffer size of a collective on each rank, or of a message
    SourceMark mark;
    uint32_t root{0}; ///< rank: root of a broadcast or reduction, sender of a message
    uint32_t to{0};   ///< rank that receives a message
};

/// `parallelism:` how a model is partitioned across the GPUs of a job.
struct ParallelismSpec
{
    uint32_t data{0};         ///< replicas; 0: determined by the number of GPUs
    uint32_t tensor{1};       ///< GPUs that share each layer
    uint32_t pipeline{1};     ///< stages
    uint32_t expert{1};       ///< replicas that share the experts
    uint32_t zero{0};         ///< stage of ZeRO: 0 none, 1 optimizer, 2 gradients, 3 parameters
    uint32_t microbatches{1}; ///< per replica and iteration
    uint32_t microBatch{0};   ///< samples per microbatch; 0: not given
    uint32_t interleave{1};   ///< model chunks per stage
    RankOrder order{RankOrder::TENSOR_DATA_PIPELINE};
    bool scatterGather{true}; ///< a stage sends each activation once, in parts
    bool written{false};
};

/// A job of `jobs:`; `count: n` expands to n of these, named bert-0, bert-1, ... (a single job
/// keeps its name).
struct JobSpec
{
    /// PyTorch's DDP: gradients are reduced in buckets of 25 MiB (bucket_cap_mb).
    static constexpr ByteSize DDP_BUCKET{25 << 20};
    /// Its first bucket is closed by 1 MiB, unless bucket_cap_mb is set.
    static constexpr ByteSize DDP_FIRST_BUCKET{1 << 20};

    /// The size that closes the first bucket, by default as DDP's.
    ByteSize GetFirstBucket() const
    {
        return firstBucket.value_or(bucket == DDP_BUCKET ? DDP_FIRST_BUCKET : bucket);
    }

    std::string name;
    std::string path;  ///< for messages, e.g. "jobs[1]"
    std::string model; ///< preset, or name of modelType; empty if `iteration:` is given
    std::optional<TypedBlock> modelType; ///< `model: {type: ...}`
    GpuType gpuType{GpuType::A100};      ///< GPU for which times are computed
    Precision precision{Precision::FP16};
    Recompute recompute{Recompute::NONE};
    ParallelismSpec parallelism;
    uint32_t parameterServers{0};           ///< 0: gradients are reduced by collectives
    std::vector<ProgramStepSpec> iteration; ///< explicit program
    uint32_t gpus{0};                       ///< GPUs in all
    std::vector<std::string> hosts;         ///< named hosts; empty: the placement decides
    uint32_t gpusPerHost{0};                ///< 0: all GPUs of a host, or as the placement decides
    std::vector<uint32_t> localGpus; ///< GPUs used on each host, by number, ascending; or empty
    TimeRange arrival;
    uint64_t iterations{0}; ///< 0 if `until` or `duration` is given
    Time duration;          ///< runs this long, then finishes its iteration; 0: not given
    Time deadline;          ///< should end by then, after its arrival; 0: not given
    bool restart{false};    ///< resumes after a failure from its last finished iteration
    std::string until; ///< job whose end ends this one; for a job with count, its last instance
    uint32_t batchPerGpu{1}; ///< samples (sequences, images) per GPU and iteration
    uint32_t sequence{0};    ///< tokens per sequence; 0: the model's default
    GradientFormat gradients{GradientFormat::FP32};
    GradientOverlap overlap{GradientOverlap::BACKWARD};
    ByteSize bucket{DDP_BUCKET};            ///< size that closes a bucket of gradients
    std::optional<ByteSize> firstBucket;    ///< that of the first; see GetFirstBucket()
    uint32_t channels{0};                   ///< of collectives; 0: one per NIC used on a host
    TypedBlock collective;                  ///< algorithm of collectives; none means Ring
    std::optional<Time> compute;            ///< compute time of an iteration; overrides model
    std::optional<double> flopPerIteration; ///< W of an explicit program [FLOP], all GPUs together
    double jitterCv{0};                     ///< coefficient of variation of compute times
    JitterDistribution jitterDistribution{JitterDistribution::LOGNORMAL};
    JitterScope jitterScope{JitterScope::RANK};
    Ratio scale;        ///< 1/8 divides compute and bytes alike
    bool barrier{true}; ///< forward waits for all reductions (semantics.md)
    /// The program of the job if imported from a file; model and iteration are then empty. Shared
    /// by all jobs read from that file.
    std::shared_ptr<const ImportedWorkload> workload;
    std::string label;   ///< name of its model in results; empty: the value of model
    uint32_t program{0}; ///< equal if jobs differ only in name, hosts, arrival and length
    SourceMark mark;
    /// Marks of individual keys, for messages of later checks ("gpus", "hosts", "model", ...).
    std::vector<std::pair<std::string, SourceMark>> keyMarks;

    /// Mark of a key, or of the job if the key was not written.
    SourceMark GetMark(const std::string& key) const;
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_SPEC_H
