/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TRAINING_JOB_RUNNER_H
#define GPU_FABRIC_TRAINING_JOB_RUNNER_H

#include "../workload/application/training-job.h"
#include "job-runner.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Runs a job as a TrainingJob. The job, its program and its traffic exist only from its placement
 * to its release, so that a trace of many jobs needs memory for the running ones only.
 */
class TrainingJobRunner : public JobRunner
{
  public:
    /// Returns the wire bytes of a message with the given number of payload bytes [byte].
    using WireBytes = std::function<uint64_t(uint64_t bytes)>;

    /// What all jobs share.
    struct Setup
    {
        JobEnvironment* environment{nullptr}; ///< must outlive the jobs
        /// Returns the program of a job, the same one each time (ProgramCache).
        std::function<std::shared_ptr<const IterationProgram>(const JobSpec& spec)> getProgram;
        WireBytes dataWireBytes; ///< of the frames of a message (RoceTransport)
        WireBytes ackWireBytes;  ///< of the ACK frames sent in response
    };

    /**
     * \param setup must outlive this object
     * \param id number of the job in the run, as ClusterManager::AddJob gives it
     * \param spec the job; must outlive this object
     */
    TrainingJobRunner(const Setup& setup, uint32_t id, const JobSpec& spec);
    ~TrainingJobRunner() override;

    void SetCallbacks(FinishedCallback finished, FailedCallback failed) override;
    void SetMadeCallback(MadeCallback callback) override;
    /// Aborts if the program cannot run on that number of GPUs (TrainingJob::Configure).
    std::string GetFault(const std::vector<uint32_t>& gpus) const override;
    JobView Estimate(const std::vector<uint32_t>& gpus) const override;
    JobView Place(const std::vector<uint32_t>& gpus) override;
    std::vector<CollectiveFallback> GetFallbacks() const override;
    void Start(int64_t nowPs, int64_t placedPs, const JobUpdate& update) override;
    void Apply(int64_t nowPs, const JobUpdate& update) override;
    uint64_t GetEndedIterations() const override;
    uint64_t GetCurrentIteration() const override;
    int64_t GetIterationStartPs() const override;
    TensorView GetTensors() const override;
    void SetLastIteration(int64_t nowPs, uint64_t iteration) override;
    void Abandon(int64_t nowPs, const std::string& reason) override;
    bool Release(int64_t nowPs) override;
    /// Stops the job, as the run ends. \param nowPs [ps]
    void Stop(int64_t nowPs);

    /// The job while it exists; otherwise null.
    Ptr<TrainingJob> GetJob() const;

  private:
    void SetTensors(const TensorSchedule& schedule);
    /// The demand of a program on given GPUs.
    JobView GetDemand(const IterationProgram& program,
                      const std::vector<uint32_t>& gpus,
                      const JobTraffic& traffic) const;

    const Setup& m_setup;
    uint32_t m_id;
    const JobSpec& m_spec;
    FinishedCallback m_finished;
    FailedCallback m_failed;
    MadeCallback m_made; ///< may be empty
    mutable std::optional<std::string>
        m_unsupportedTensors; ///< TensorView::unsupported, once known
    Ptr<TrainingJob> m_job;
    TrainingJob::Resumption m_resumption;  ///< of a job that does not exist at present
    std::vector<Ptr<TrainingJob>> m_ended; ///< with messages in flight
};

} // namespace ns3

#endif // GPU_FABRIC_TRAINING_JOB_RUNNER_H
