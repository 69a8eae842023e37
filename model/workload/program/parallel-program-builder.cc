/* SPDX-License-Identifier: GPL-2.0-only */
#include "parallel-program-builder.h"

#include "../../base/share-divider.h"
#include "../models/gpu-roofline.h"
#include "training-program-builder.h"

#include "ns3/collective-algorithm.h"
#include "ns3/log.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ParallelProgramBuilder");

namespace
{

std::string
Plural(uint64_t number, const std::string& word)
{
    return std::to_string(number) + " " + word + (number == 1 ? "" : "s");
}

/// The GPU for which times are computed; null, with a fault, if it cannot do the precision.
const GpuLimits*
FindGpu(const JobSpec& job, std::vector<ProgramFault>& faults)
{
    const GpuLimits& gpu = GpuRoofline::GetLimits(job.gpuType);
    if (GpuRoofline::GetPeak(gpu, job.precision) <= 0)
    {
        faults.push_back(
            {"precision",
             std::string(ToName(job.gpuType)) + " cannot do " + ToName(job.precision)});
        return nullptr;
    }
    return &gpu;
}

bool
IsMeasured(const JobSpec& job, const ModelProfile& profile)
{
    return profile.measuredPs > 0 && profile.measuredGpu == job.gpuType &&
           profile.measuredPrecision == job.precision;
}

/// Checks `parallelism:` and everything that must be consistent with it.
class ParallelismChecker
{
  public:
    ParallelismChecker(const JobSpec& job,
                       uint32_t gpus,
                       const ModelProfile& profile,
                       std::vector<ProgramFault>& faults)
        : m_job(job),
          m_spec(job.parallelism),
          m_gpus(gpus),
          m_profile(profile),
          m_faults(faults)
    {
    }

    /// Number of replicas; 0 if there is a fault.
    uint32_t Check()
    {
        const size_t before = m_faults.size();
        const uint64_t parts = static_cast<uint64_t>(m_spec.tensor) * m_spec.pipeline;
        const uint64_t data = m_spec.data > 0 ? m_spec.data : m_gpus / parts;
        if (parts * data != m_gpus)
        {
            const std::string factors = "tensor " + std::to_string(m_spec.tensor) + " x pipeline " +
                                        std::to_string(m_spec.pipeline);
            AddFault(m_spec.data > 0     ? "data"
                     : m_spec.tensor > 1 ? "tensor"
                                         : "pipeline",
                     m_spec.data > 0 ? factors + " x data " + std::to_string(data) + " make " +
                                           std::to_string(parts * data) + ", the job has " +
                                           Plural(m_gpus, "GPU")
                                     : Plural(m_gpus, "GPU") +
                                           " cannot be divided into replicas "
                                           "of " +
                                           factors);
            return 0;
        }
        CheckTensor();
        CheckPipeline();
        CheckExperts(static_cast<uint32_t>(data));
        CheckZero();
        CheckOthers();
        return m_faults.size() > before ? 0 : static_cast<uint32_t>(data);
    }

    /// Samples per microbatch; 0 if there is a fault.
    uint32_t GetMicroBatch()
    {
        const bool shared = m_spec.tensor * m_spec.pipeline > 1;
        if (m_job.batchPerGpu == 1)
        {
            return std::max(m_spec.microBatch, 1U);
        }
        std::string what;
        if (m_spec.microBatch > 0)
        {
            what = "batch-per-gpu and parallelism.micro-batch are both given: write one of them";
        }
        else if (shared)
        {
            what = "is of one GPU, but " + std::to_string(m_spec.tensor * m_spec.pipeline) +
                   " GPUs share a replica: write parallelism.micro-batch";
        }
        else if (m_job.batchPerGpu % m_spec.microbatches != 0)
        {
            what = Plural(m_job.batchPerGpu, "sample") + " cannot be divided into " +
                   std::to_string(m_spec.microbatches) + " microbatches of equal size";
        }
        if (!what.empty())
        {
            m_faults.push_back({"batch-per-gpu", what});
            return 0;
        }
        return m_job.batchPerGpu / m_spec.microbatches;
    }

  private:
    void AddFault(const std::string& key, const std::string& what)
    {
        m_faults.push_back({"parallelism." + key, what});
    }

    void CheckTensor()
    {
        if (m_spec.tensor > 1 && m_profile.blocks == 0)
        {
            AddFault("tensor", m_profile.name + " has no transformer layers to share");
        }
        else if (m_spec.tensor > 1 && m_profile.heads % m_spec.tensor != 0)
        {
            AddFault("tensor",
                     Plural(m_profile.heads, "attention head") + " cannot be shared evenly by " +
                         Plural(m_spec.tensor, "GPU"));
        }
    }

    void CheckPipeline()
    {
        const uint64_t parts = static_cast<uint64_t>(m_spec.pipeline) * m_spec.interleave;
        if (m_spec.pipeline > 1 && m_profile.blocks == 0)
        {
            AddFault("pipeline", m_profile.name + " has no transformer layers to put in stages");
        }
        else if (m_spec.interleave > 1 && m_spec.pipeline == 1)
        {
            AddFault("interleave", "goes with pipeline only");
        }
        else if (m_spec.pipeline > 1 && m_profile.blocks % parts != 0)
        {
            AddFault(m_spec.interleave > 1 ? "interleave" : "pipeline",
                     Plural(m_profile.blocks, "layer") + " cannot be divided evenly into " +
                         std::to_string(parts) + " parts");
        }
        else if (m_spec.interleave > 1 && m_spec.microbatches % m_spec.pipeline != 0)
        {
            AddFault("microbatches",
                     "must be a multiple of pipeline, " + std::to_string(m_spec.pipeline) +
                         ", with interleave");
        }
    }

    void CheckExperts(uint32_t data)
    {
        if (m_spec.expert == 1)
        {
            return;
        }
        if (m_profile.experts == 0)
        {
            AddFault("expert", m_profile.name + " has no experts");
        }
        else if (m_profile.experts % m_spec.expert != 0)
        {
            AddFault("expert",
                     Plural(m_profile.experts, "expert") + " cannot be spread evenly over " +
                         Plural(m_spec.expert, "GPU"));
        }
        else if (data % m_spec.expert != 0)
        {
            AddFault("expert",
                     Plural(data, "replica") + " cannot be divided into groups of " +
                         std::to_string(m_spec.expert));
        }
    }

    void CheckZero()
    {
        if (m_spec.zero > 1 && m_spec.pipeline > 1)
        {
            AddFault("zero", "2 and 3 do not go with pipeline: gradients would be sent too often");
        }
        else if (m_spec.zero > 2 && m_spec.expert > 1)
        {
            AddFault("zero", "3 does not go with expert");
        }
    }

    void CheckOthers()
    {
        const bool divided = m_spec.tensor * m_spec.pipeline * m_spec.expert > 1;
        if (!m_job.barrier)
        {
            m_faults.push_back(
                {"barrier", "false goes with data parallelism and all-reduces only"});
        }
        if (m_job.parameterServers > 0 && (divided || m_spec.zero > 0))
        {
            m_faults.push_back({"parameter-servers", "goes with plain data parallelism only"});
        }
        else if (m_job.parameterServers > m_gpus)
        {
            m_faults.push_back({"parameter-servers",
                                "is " + std::to_string(m_job.parameterServers) +
                                    ", but the job has " + Plural(m_gpus, "GPU")});
        }
        const bool tables = m_profile.layers.front().kind == LayerKind::TABLES;
        if (tables && m_spec.zero > 0)
        {
            AddFault("zero", m_profile.name + " spreads its tables already");
        }
    }

    const JobSpec& m_job;
    const ParallelismSpec& m_spec;
    uint32_t m_gpus;
    const ModelProfile& m_profile;
    std::vector<ProgramFault>& m_faults;
};

/// Sets the times of the layers, by MACs from a total or by the roofline.
bool
SetTimes(const JobSpec& job, ParallelTraining& training, std::vector<ProgramFault>& faults)
{
    const ModelProfile& profile = *training.profile;
    const ParallelLayout& layout = training.layout;
    const auto scale = [&training](uint64_t ps) { return training.scale.Of(ps); };
    uint64_t weights = 0; // of all passes
    for (const ModelLayer& layer : profile.layers)
    {
        weights += layer.forwardMacs * (training.recompute && layer.block >= 0 ? 4 : 3);
    }
    uint64_t totalPs = 0; // for a microbatch in all stages
    if (job.compute)
    {
        totalPs = ShareDivider::MulDiv(static_cast<uint64_t>(job.compute->GetPicoSeconds()),
                                       layout.GetPipeline(),
                                       training.microbatches);
    }
    else if (IsMeasured(job, profile))
    {
        const auto measured =
            static_cast<uint64_t>(profile.GetComputePs(static_cast<uint32_t>(training.microBatch)));
        totalPs = ShareDivider::MulDiv(measured, weights, 3 * profile.GetForwardMacs()) /
                  layout.GetTensor();
    }
    if (totalPs > 0)
    {
        ShareDivider times(scale(totalPs), weights);
        for (const ModelLayer& layer : profile.layers)
        {
            training.forwardPs.push_back(times.Take(layer.forwardMacs));
            training.backwardPs.push_back(times.Take(2 * layer.forwardMacs));
            if (training.recompute && layer.block >= 0)
            {
                times.Take(layer.forwardMacs);
            }
        }
        return true;
    }
    const GpuLimits* gpu = FindGpu(job, faults);
    if (!gpu)
    {
        return false;
    }
    const Ptr<GpuRoofline> roofline = CreateObject<GpuRoofline>();
    for (const ModelLayer& layer : profile.layers)
    {
        const uint64_t ps =
            scale(static_cast<uint64_t>(roofline->GetForwardPs(*gpu,
                                                               job.precision,
                                                               layer,
                                                               training.microBatch,
                                                               layout.GetTensor(),
                                                               layout.GetExpert())));
        training.forwardPs.push_back(ps);
        training.backwardPs.push_back(2 * ps);
    }
    return true;
}

/// The ranks of one of a rank's communicators, in its order.
std::vector<uint32_t>
GetMembers(const ParallelLayout& layout, ParallelStream stream, const ParallelLayout::Place& place)
{
    const uint32_t stages = layout.GetPipeline();
    const uint32_t own = layout.GetRank(place);
    const uint32_t next = layout.GetRank({place.tensor, place.data, (place.stage + 1) % stages});
    const uint32_t before =
        layout.GetRank({place.tensor, place.data, (place.stage + stages - 1) % stages});
    switch (stream)
    {
    case ParallelStream::TENSOR:
        return layout.GetTensorGroup(place);
    case ParallelStream::FORWARD_IN:
        return {before, own};
    case ParallelStream::FORWARD_OUT:
        return {own, next};
    case ParallelStream::BACKWARD_IN:
        return {next, own};
    case ParallelStream::BACKWARD_OUT:
        return {own, before};
    case ParallelStream::EXPERT:
        return layout.GetExpertGroup(place);
    case ParallelStream::EXPERT_DATA:
    case ParallelStream::EXPERT_GATHER:
        return layout.GetExpertDataGroup(place);
    case ParallelStream::EMBEDDING: {
        const std::vector<uint32_t> stagesOfRank = layout.GetPipelineGroup(place);
        return {stagesOfRank.front(), stagesOfRank.back()};
    }
    case ParallelStream::TABLES:
    case ParallelStream::DATA:
    case ParallelStream::GATHER:
    case ParallelStream::PUSH:
    case ParallelStream::PULL:
        break;
    }
    return layout.GetDataGroup(place);
}

/// Both ends of a message use the same name for it.
ParallelStream
GetCommonKind(ParallelStream stream)
{
    return stream == ParallelStream::FORWARD_IN    ? ParallelStream::FORWARD_OUT
           : stream == ParallelStream::BACKWARD_IN ? ParallelStream::BACKWARD_OUT
                                                   : stream;
}

/// Whether an algorithm named by a job supports all-to-all.
bool
CanExchange(const std::string& algorithm, size_t ranks)
{
    const Ptr<CollectiveAlgorithm> candidate = CollectiveAlgorithm::Create(algorithm);
    CollectiveLayout layout;
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        layout.ranks.push_back({rank, 0, 0});
    }
    return candidate &&
           candidate->GetUnsupportedReason({CollectiveOperation::ALL_TO_ALL, 1, 0, {}}, layout)
               .empty();
}

CommunicatorSpec
MakeCommunicator(ParallelStream kind,
                 std::vector<uint32_t> members,
                 uint32_t channels,
                 const TypedBlock& collective)
{
    CommunicatorSpec communicator;
    communicator.ranks = std::move(members);
    communicator.channels = channels;
    const bool exchanges = kind == ParallelStream::EXPERT || kind == ParallelStream::TABLES;
    if (kind == ParallelStream::FORWARD_OUT || kind == ParallelStream::BACKWARD_OUT)
    {
        communicator.channels = 0;
    }
    else if (kind == ParallelStream::PUSH || kind == ParallelStream::PULL)
    {
        communicator.algorithm = "Direct";
    }
    else if (!collective.typeName.empty() &&
             (!exchanges || CanExchange(collective.typeName, communicator.ranks.size())))
    {
        communicator.SetAlgorithm(collective);
    }
    else if (exchanges)
    {
        communicator.algorithm = "Pairwise";
    }
    return communicator;
}

} // namespace

bool
ParallelProgramBuilder::IsNeeded(const JobSpec& job, const ModelProfile& profile)
{
    const ParallelismSpec& spec = job.parallelism;
    return spec.written || job.parameterServers > 0 || job.recompute != Recompute::NONE ||
           profile.layers.front().kind == LayerKind::TABLES;
}

std::optional<int64_t>
ParallelProgramBuilder::GetComputePs(const JobSpec& job,
                                     const ModelProfile& profile,
                                     uint32_t samples,
                                     std::vector<ProgramFault>& faults)
{
    if (job.compute)
    {
        return job.compute->GetPicoSeconds();
    }
    if (IsMeasured(job, profile))
    {
        return profile.GetComputePs(samples);
    }
    const GpuLimits* gpu = FindGpu(job, faults);
    if (!gpu)
    {
        return std::nullopt;
    }
    const Ptr<GpuRoofline> roofline = CreateObject<GpuRoofline>();
    int64_t sum = 0;
    for (const ModelLayer& layer : profile.layers)
    {
        sum += 3 * roofline->GetForwardPs(*gpu, job.precision, layer, samples);
    }
    return sum;
}

IterationProgram
ParallelProgramBuilder::Assemble(const ParallelTraining& training,
                                 uint32_t channels,
                                 const TypedBlock& collective)
{
    const ParallelLayout& layout = training.layout;
    IterationProgram program;
    program.ranks = layout.GetRanks();
    std::vector<std::vector<StageProgram::Stream>> streams;
    for (uint32_t stage = 0; stage < layout.GetPipeline(); stage++)
    {
        StageProgram steps(training, stage);
        program.programs.push_back(steps.Make());
        program.gradientBytes = std::max(program.gradientBytes, steps.GetGradientBytes());
        streams.push_back(steps.GetStreams());
    }
    std::map<std::tuple<ParallelStream, uint32_t, std::vector<uint32_t>>, uint32_t> known;
    for (uint32_t rank = 0; rank < program.ranks; rank++)
    {
        const ParallelLayout::Place place = layout.GetPlace(rank);
        program.rankProgram.push_back(place.stage);
        std::vector<uint32_t> communicators;
        for (const auto& [stream, server] : streams[place.stage])
        {
            std::vector<uint32_t> members = GetMembers(layout, stream, place);
            const ParallelStream kind = GetCommonKind(stream);
            const auto [entry, added] =
                known.emplace(std::make_tuple(kind, server, members),
                              static_cast<uint32_t>(program.communicators.size()));
            if (added)
            {
                program.communicators.push_back(
                    MakeCommunicator(kind, std::move(members), channels, collective));
            }
            communicators.push_back(entry->second);
        }
        program.rankCommunicators.push_back(std::move(communicators));
    }
    return program;
}

std::optional<IterationProgram>
ParallelProgramBuilder::Build(const JobSpec& job,
                              uint32_t gpus,
                              const ModelProfile& profile,
                              std::vector<ProgramFault>& faults)
{
    const ParallelismSpec& spec = job.parallelism;
    ParallelismChecker checker(job, gpus, profile, faults);
    const uint32_t data = checker.Check();
    const uint32_t microBatch = checker.GetMicroBatch();
    if (data == 0 || microBatch == 0)
    {
        return std::nullopt;
    }
    ParallelTraining training;
    training.profile = &profile;
    training.layout = ParallelLayout(spec.tensor,
                                     data,
                                     spec.pipeline,
                                     spec.expert,
                                     spec.order == RankOrder::TENSOR_PIPELINE_DATA);
    training.microbatches = spec.microbatches;
    training.microBatch = microBatch;
    training.chunks = spec.interleave;
    training.zero = data > 1 ? spec.zero : 0;
    training.recompute = job.recompute == Recompute::FULL;
    training.scatterGather = spec.scatterGather;
    training.overlap = job.overlap == GradientOverlap::BACKWARD;
    training.firstBucketBytes = job.GetFirstBucket().Get();
    training.bucketBytes = job.bucket.Get();
    training.gradientBytes = GetBytesPerGradient(job.gradients);
    training.elementBytes = GpuRoofline::GetElementBytes(job.precision);
    training.parameterServers = job.parameterServers;
    training.scale = job.scale;
    if (!SetTimes(job, training, faults))
    {
        return std::nullopt;
    }
    NS_LOG_LOGIC(job.name << ": data " << data << ", tensor " << spec.tensor << ", pipeline "
                          << spec.pipeline << ", expert " << spec.expert << ", microbatches of "
                          << microBatch);
    IterationProgram program = Assemble(training, job.channels, job.collective);
    const double flop =
        6.0 * static_cast<double>(profile.GetForwardMacs()) * microBatch * spec.microbatches * data;
    program.flopPerIteration = job.scale.Of(job.flopPerIteration.value_or(flop));
    return program;
}

} // namespace ns3
