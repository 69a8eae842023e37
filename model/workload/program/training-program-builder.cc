/* SPDX-License-Identifier: GPL-2.0-only */
#include "training-program-builder.h"

#include "../../base/share-divider.h"
#include "explicit-program-builder.h"
#include "imported-program.h"
#include "parallel-program-builder.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TrainingProgramBuilder");

namespace
{

using Divider = ShareDivider;

/// Adds steps to a program.
class StepList
{
  public:
    uint32_t AddCompute(const std::string& label, uint64_t durationPs)
    {
        ProgramStep step;
        step.label = label;
        step.durationPs = static_cast<int64_t>(durationPs);
        return Add(step);
    }

    uint32_t AddCollective(const std::string& label, CollectiveOperation operation, uint64_t bytes)
    {
        ProgramStep step;
        step.compute = false;
        step.label = label;
        step.operation = operation;
        step.bytes = bytes;
        return Add(step);
    }

    void AddDependency(uint32_t step, uint32_t on, bool carry)
    {
        m_program.steps[step].dependencies.push_back({on, carry});
    }

    RankProgram Take()
    {
        return std::move(m_program);
    }

  private:
    uint32_t Add(const ProgramStep& step)
    {
        m_program.steps.push_back(step);
        return static_cast<uint32_t>(m_program.steps.size() - 1);
    }

    RankProgram m_program;
};

/// The single program that all ranks of a job run, with one communicator of all ranks.
IterationProgram
MakeProgram(const JobSpec& job, uint32_t gpus, RankProgram&& steps)
{
    IterationProgram program;
    program.ranks = gpus;
    CommunicatorSpec communicator;
    communicator.channels = job.channels;
    if (!job.collective.typeName.empty())
    {
        communicator.SetAlgorithm(job.collective);
    }
    for (uint32_t rank = 0; rank < gpus; rank++)
    {
        communicator.ranks.push_back(rank);
    }
    program.communicators.push_back(std::move(communicator));
    program.programs.push_back(std::move(steps));
    program.rankProgram.assign(gpus, 0);
    return program;
}

/// Data-parallel training of a model.
class ModelProgram
{
  public:
    ModelProgram(const JobSpec& job, const ModelProfile& profile, uint64_t computePs)
        : m_job(job),
          m_profile(profile),
          m_bytesPerParameter(GetBytesPerGradient(job.gradients)),
          m_computePs(job.scale.Of(computePs))
    {
    }

    uint64_t GetGradientBytes() const
    {
        return m_job.scale.Of(m_profile.GetParameters() * m_bytesPerParameter);
    }

    RankProgram MakeSteps()
    {
        if (m_job.overlap == GradientOverlap::NONE)
        {
            MakeSequence();
        }
        else
        {
            m_buckets = TrainingProgramBuilder::FillBuckets(m_profile.layers,
                                                            m_bytesPerParameter,
                                                            m_job.GetFirstBucket().Get(),
                                                            m_job.bucket.Get());
            MakeOverlapped();
        }
        return m_steps.Take();
    }

  private:
    uint64_t GetForwardPs() const
    {
        return m_computePs / 3;
    }

    uint64_t GetMacs(const TrainingProgramBuilder::Bucket& bucket) const
    {
        uint64_t sum = 0;
        for (uint32_t layer = bucket.firstLayer; layer <= bucket.lastLayer; layer++)
        {
            sum += m_profile.layers[layer].forwardMacs;
        }
        return sum;
    }

    void MakeSequence()
    {
        const uint32_t forward = m_steps.AddCompute("forward", GetForwardPs());
        const uint32_t backward = m_steps.AddCompute("backward", m_computePs - GetForwardPs());
        const uint32_t reduction = m_steps.AddCollective("all-reduce",
                                                         CollectiveOperation::ALL_REDUCE,
                                                         GetGradientBytes());
        m_steps.AddDependency(reduction, backward, false);
        m_steps.AddDependency(forward, reduction, true);
    }

    void MakeOverlapped()
    {
        // By compute step of the forward pass: the buckets that it waits for.
        std::vector<std::pair<uint32_t, uint32_t>> waits;
        std::vector<uint32_t> open;
        const uint64_t macs = m_profile.GetForwardMacs();
        if (m_job.barrier)
        {
            const uint32_t forward = m_steps.AddCompute("forward", GetForwardPs());
            for (uint32_t b = 0; b < m_buckets.size(); b++)
            {
                waits.emplace_back(forward, b);
            }
        }
        else
        {
            Divider times(GetForwardPs(), macs);
            for (uint32_t b = static_cast<uint32_t>(m_buckets.size()); b-- > 0;)
            {
                open.push_back(b);
                const uint64_t share = times.Take(GetMacs(m_buckets[b]));
                if (share > 0)
                {
                    const uint32_t forward =
                        m_steps.AddCompute("forward " + std::to_string(b), share);
                    for (uint32_t bucket : open)
                    {
                        waits.emplace_back(forward, bucket);
                    }
                    open.clear();
                }
            }
        }

        std::vector<int64_t> reductions(m_buckets.size(), -1);
        Divider times(m_computePs - GetForwardPs(), macs);
        Divider sizes = m_job.scale.GetShares();
        int64_t backward = -1;
        for (uint32_t b = 0; b < m_buckets.size(); b++)
        {
            // Layers that take no time, such as an embedding, are ready together with the following
            // ones.
            const uint64_t share = times.Take(GetMacs(m_buckets[b]));
            if (share > 0 || backward < 0)
            {
                backward = m_steps.AddCompute("backward " + std::to_string(b), share);
                for (uint32_t bucket : open)
                {
                    waits.emplace_back(backward, bucket);
                }
                open.clear();
            }
            if (m_buckets[b].bytes > 0)
            {
                reductions[b] = m_steps.AddCollective("all-reduce bucket " + std::to_string(b),
                                                      CollectiveOperation::ALL_REDUCE,
                                                      sizes.Take(m_buckets[b].bytes));
                m_steps.AddDependency(static_cast<uint32_t>(reductions[b]),
                                      static_cast<uint32_t>(backward),
                                      false);
            }
        }
        for (const auto& [step, bucket] : waits)
        {
            if (reductions[bucket] >= 0)
            {
                m_steps.AddDependency(step, static_cast<uint32_t>(reductions[bucket]), true);
            }
        }
    }

    const JobSpec& m_job;
    const ModelProfile& m_profile;
    uint32_t m_bytesPerParameter;
    uint64_t m_computePs; ///< scaled [ps]
    std::vector<TrainingProgramBuilder::Bucket> m_buckets;
    StepList m_steps;
};

void
CheckKeys(const JobSpec& job, uint32_t gpus, std::vector<ProgramFault>& faults)
{
    if (gpus == 0)
    {
        faults.push_back({"gpus", "a job needs at least one GPU"});
    }
    if (job.scale.numerator == 0 || job.scale.denominator == 0)
    {
        faults.push_back({"scale", "the scale must be positive"});
    }
    if (!job.workload && job.model.empty() == job.iteration.empty())
    {
        faults.push_back(
            {job.model.empty() ? "name" : "iteration", "a job has either a model or an iteration"});
    }
}

void
CheckModelKeys(const JobSpec& job, std::vector<ProgramFault>& faults)
{
    if (job.batchPerGpu == 0)
    {
        faults.push_back({"batch-per-gpu", "the batch of a GPU must be positive"});
    }
    if (job.bucket.Get() == 0 || job.GetFirstBucket().Get() == 0)
    {
        faults.push_back({job.bucket.Get() == 0 ? "bucket" : "first-bucket",
                          "the bucket size must be positive"});
    }
}

} // namespace

std::vector<TrainingProgramBuilder::Bucket>
TrainingProgramBuilder::FillBuckets(const std::vector<ModelLayer>& layers,
                                    uint32_t bytesPerParameter,
                                    uint64_t firstBytes,
                                    uint64_t bucketBytes)
{
    std::vector<Bucket> buckets;
    bool open = false;
    for (uint32_t layer = static_cast<uint32_t>(layers.size()); layer-- > 0;)
    {
        if (!open)
        {
            buckets.push_back({layer, layer, 0});
        }
        Bucket& bucket = buckets.back();
        bucket.firstLayer = layer;
        bucket.bytes += layers[layer].parameters * bytesPerParameter;
        open = bucket.bytes < (buckets.size() == 1 ? firstBytes : bucketBytes);
    }
    return buckets;
}

std::optional<IterationProgram>
TrainingProgramBuilder::Build(const JobSpec& job, uint32_t gpus, std::vector<ProgramFault>& faults)
{
    NS_LOG_FUNCTION(job.name << gpus);
    const size_t before = faults.size();
    CheckKeys(job, gpus, faults);
    if (!job.model.empty())
    {
        CheckModelKeys(job, faults);
    }
    if (faults.size() > before)
    {
        return std::nullopt;
    }
    if (job.workload)
    {
        std::string fault;
        std::optional<IterationProgram> imported = ImportedProgram::Build(job, fault);
        if (!imported)
        {
            faults.push_back({"workload", fault});
        }
        return imported;
    }
    if (job.model.empty())
    {
        return ExplicitProgramBuilder::Build(job, gpus, faults);
    }
    std::string error;
    const std::optional<ModelProfile> profile =
        job.modelType ? ModelProfile::Make(*job.modelType, job.sequence, error)
                      : ModelProfile::Make(job.model, job.sequence, error);
    if (!profile)
    {
        // The model may be valid without its sequence length, if that is what is wrong.
        std::string ignored;
        const bool good = job.modelType ? ModelProfile::Make(*job.modelType, 0, ignored).has_value()
                                        : ModelProfile::Make(job.model, 0, ignored).has_value();
        faults.push_back({good ? "sequence" : "model", error});
        return std::nullopt;
    }
    NS_LOG_LOGIC(job.name << ": " << profile->name << " of " << profile->layers.size()
                          << " layers on " << gpus << " GPUs");
    if (ParallelProgramBuilder::IsNeeded(job, *profile))
    {
        return ParallelProgramBuilder::Build(job, gpus, *profile, faults);
    }
    const std::optional<int64_t> computePs =
        ParallelProgramBuilder::GetComputePs(job, *profile, job.batchPerGpu, faults);
    if (!computePs)
    {
        return std::nullopt;
    }
    ModelProgram model(job, *profile, static_cast<uint64_t>(*computePs));
    IterationProgram program = MakeProgram(job, gpus, model.MakeSteps());
    program.gradientBytes = model.GetGradientBytes();
    const double flop =
        6.0 * static_cast<double>(profile->GetForwardMacs()) * job.batchPerGpu * gpus;
    program.flopPerIteration = job.scale.Of(job.flopPerIteration.value_or(flop));
    return program;
}

} // namespace ns3
