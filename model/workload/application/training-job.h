/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TRAINING_JOB_H
#define GPU_FABRIC_TRAINING_JOB_H

#include "gpu-application.h"
#include "gradient-exchange.h"
#include "job-ranks.h"
#include "job-transport.h"

#include "ns3/job-spec.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * A running job: its program on its GPUs, with communicators, queue pairs and one application per
 * rank.
 *
 * Call Configure(), then read GetTraffic() and set paths and priorities, then call Start(). A
 * callback reports that the last rank has ended or that a queue pair has failed; the job must then
 * be kept at least until the next event, in which Release() closes its queue pairs. The GPUs are
 * free as soon as the callback is called.
 */
class TrainingJob : public JobRanks,
                    JobTransportListener,
                    GpuApplicationOwner,
                    GradientExchangeListener
{
  public:
    static TypeId GetTypeId();

    enum class Status : uint8_t
    {
        CONFIGURED,
        RUNNING,
        FINISHED,
        FAILED,
        STOPPED ///< by Stop()
    };

    TrainingJob();
    ~TrainingJob() override;

    /**
     * Places the job on its GPUs.
     * \param environment shared by all jobs, must outlive the job
     * \param job number of the job in the run
     * \param spec name, iterations (0: until SetLastIteration()) and jitter
     * \param program its program, with gpus.size() ranks; shared with all its readers
     * \param gpus GPU ids in rank order; those of a host are adjacent
     * \returns one sentence per fault; empty if ready
     */
    std::vector<std::string> Configure(JobEnvironment* environment,
                                       uint32_t job,
                                       const JobSpec& spec,
                                       std::shared_ptr<const IterationProgram> program,
                                       std::vector<uint32_t> gpus);

    /// Must be called before Configure(); `spec.iterations` then counts the remaining iterations.
    void SetResumption(const JobResumption& resumption);
    JobResumption GetResumption() const override;
    /// Sets paths and priorities on the queue pairs, and shifts and tensors from the next iteration
    /// that no rank has started.
    void Apply(int64_t now, const JobUpdate& update) override;
    /// Opens the queue pairs and starts iteration 0, as JobRanks says.
    void Start(int64_t now, int64_t allocationPs, int64_t startPs) override;
    /**
     * Stops a running job at the end of the run: accounts for the time of its GPUs until now [ps]
     * and releases them. Has no effect on a job that is not running.
     */
    void Stop(int64_t now) override;
    /// Has no effect on a job that is not running.
    void Fail(int64_t now, const std::string& reason) override;
    /**
     * Closes the queue pairs of a job that has ended, failed or been stopped, and frees its
     * applications for other jobs. Must not be called from one of its callbacks. \returns whether
     * all queue pairs are closed; if not (messages are still in flight), the job
     * must be kept and Release() may be called again
     */
    bool Release(int64_t now) override;

    /**
     * Adds idle time on all ranks before the first compute step of the next iteration that none of
     * them has started; before Start(), of iteration 0.
     * \param shiftPs [ps]
     * \returns that iteration
     */
    uint64_t AddShift(int64_t shiftPs);
    /**
     * When the latest iteration of rank 0 started, plus all shifts applied to later ones; before
     * iteration 0, when it will start [ps].
     */
    int64_t GetIterationStartPs() const override;
    /// Sets how gradients that are tensors in the program are sent, from the next iteration that no
    /// rank has started; before the first call they are sent whole, in the order in which they
    /// become ready. Sizes are those of the model, before JobSpec's scale. Aborts if the program
    /// has no tensors.
    void SetTensorSchedule(const TensorSchedule& schedule);

    /// The exchange that carries its collectives; null before Configure().
    Ptr<const GradientExchange> GetExchange() const
    {
        return m_exchange;
    }

    std::vector<TensorSample> GetTensorSamples() const override
    {
        return m_exchange->GetSamples();
    }

    std::vector<CollectiveFallback> GetFallbacks() const override
    {
        return m_traffic.fallbacks;
    }

    void SetLastIteration(int64_t now, uint64_t iteration) override;
    uint64_t GetCurrentIteration() const override;

    /// Number of iterations that all ranks have finished.
    uint64_t GetEndedIterations() const
    {
        return m_firstIteration;
    }

    Status GetStatus() const
    {
        return m_status;
    }

    uint32_t GetJob() const
    {
        return m_job;
    }

    const std::string& GetJobName() const
    {
        return m_spec.name;
    }

    const IterationProgram& GetProgram() const
    {
        return *m_program;
    }

    const JobTraffic& GetTraffic() const
    {
        return m_traffic;
    }

    const std::vector<uint32_t>& GetGpus() const
    {
        return m_gpus;
    }

    Ptr<JobTransport> GetTransport() const
    {
        return m_transport;
    }

    Ptr<GpuApplication> GetApplication(uint32_t rank) const
    {
        return m_applications[rank];
    }

  protected:
    void DoDispose() override;

  private:
    /// An iteration that some rank has not finished.
    struct OpenIteration
    {
        IterationRecord record;
        uint32_t ended{0};
    };

    void StepEnded(int64_t now,
                   uint32_t rank,
                   uint32_t communicator,
                   uint64_t number,
                   int64_t lastPostPs) override;
    void CollectiveStarted(int64_t now,
                           uint32_t communicator,
                           uint32_t collective,
                           const CollectiveCall& call,
                           uint64_t iteration) override;
    void PieceFinished(const CollectiveOutcome& piece, uint64_t iteration) override;
    void FlowFailed(int64_t now, uint32_t flow) override;
    void RankSpan(const SpanRecord& span) override;
    void RankIterationEnded(uint32_t rank, const RankIteration& iteration) override;
    void RankEnded(int64_t now, uint32_t rank) override;
    void MakeExchange();
    /// The first iteration in which no rank has started a compute step.
    uint64_t GetNextIteration() const;
    /// Ends the job on all ranks prematurely.
    void Abandon(int64_t now, Status status);

    JobEnvironment* m_environment{nullptr};
    uint32_t m_job{0};
    JobSpec m_spec;
    std::shared_ptr<const IterationProgram> m_program;
    std::vector<uint32_t> m_gpus;
    JobTraffic m_traffic;
    Status m_status{Status::CONFIGURED};
    std::vector<std::unique_ptr<ProgramIndex>> m_indices;
    Ptr<GradientExchange> m_exchange;
    Ptr<JobTransport> m_transport;
    std::vector<Ptr<GpuApplication>> m_applications;
    std::deque<OpenIteration> m_openIterations;
    uint64_t m_firstIteration{0}; ///< of m_openIterations[0]
    uint32_t m_endedRanks{0};
    int64_t m_startPs{0};
    std::vector<std::pair<uint64_t, int64_t>> m_shifts; ///< (iteration, [ps]) as given
    uint64_t m_networkBytes{0};                         ///< payload of an iteration [byte]
    JobResumption m_resumption;
    std::vector<uint32_t> m_collectives; ///< finished, by communicator: the highest number plus one

    TracedCallback<const SpanRecord&> m_spanTrace;
    TracedCallback<const IterationRecord&> m_iterationTrace;
    TracedCallback<const CollectiveRecord&> m_collectiveStartTrace;
    TracedCallback<const CollectiveRecord&> m_collectiveTrace;
};

} // namespace ns3

#endif // GPU_FABRIC_TRAINING_JOB_H
