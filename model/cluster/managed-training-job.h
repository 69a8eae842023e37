/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_MANAGED_TRAINING_JOB_H
#define GPU_FABRIC_MANAGED_TRAINING_JOB_H

#include "../workload/application/training-job.h"
#include "managed-job.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * A TrainingJob as the cluster manager drives it. The job, its program and its traffic exist from
 * its placement to its release only, so that a trace of many jobs takes the memory of those that
 * run.
 */
class ManagedTrainingJob : public ManagedJob
{
  public:
    /// Gives what a message of so many payload bytes takes on the wire [byte].
    using WireBytes = std::function<uint64_t(uint64_t bytes)>;

    /// What jobs have in common.
    struct Setup
    {
        JobEnvironment* environment{nullptr}; ///< outlives the jobs
        /// Makes the program of a job, the same one each time.
        std::function<IterationProgram(const JobSpec& spec)> makeProgram;
        /// Told of a job that was made, to connect its traces; may be empty.
        std::function<void(TrainingJob& job)> made;
        WireBytes dataWireBytes; ///< of the frames of a message (RoceTransport)
        WireBytes ackWireBytes;  ///< of the ACK frames it draws
    };

    /**
     * \param setup outlives this
     * \param id number of the job in the run, as ClusterManager::AddJob gives it
     * \param spec the job, outlives this
     */
    ManagedTrainingJob(const Setup& setup, uint32_t id, const JobSpec& spec);
    ~ManagedTrainingJob() override;

    void SetCallbacks(FinishedCallback finished, FailedCallback failed) override;
    void SetIterationCallback(IterationCallback callback) override;
    /// Aborts where the program cannot run on so many GPUs (TrainingJob::Configure).
    std::string GetFault(const std::vector<uint32_t>& gpus) const override;
    JobDemand Estimate(const std::vector<uint32_t>& gpus) const override;
    JobDemand Place(const std::vector<uint32_t>& gpus) override;
    void Start(int64_t nowPs,
               int64_t placedPs,
               const std::vector<FlowUpdate>& flows,
               int64_t shiftPs) override;
    void SetLocalPriority(uint8_t priority) override;
    void Apply(int64_t nowPs, const std::vector<FlowUpdate>& flows, int64_t shiftPs) override;
    uint64_t GetEndedIterations() const override;
    uint64_t GetCurrentIteration() const override;
    int64_t GetIterationStartPs() const override;
    TensorView GetTensors() const override;
    void SetTensors(const std::optional<TensorSchedule>& schedule) override;
    void SetLastIteration(int64_t nowPs, uint64_t iteration) override;
    void Abandon(int64_t nowPs, const std::string& reason) override;
    bool Release(int64_t nowPs) override;
    /// Ends the job where it is, as the run ends. \param nowPs [ps]
    void Stop(int64_t nowPs);

    /// The job while it exists, else null.
    Ptr<TrainingJob> GetJob() const;

  private:
    void IterationEnded(const IterationRecord& record);
    JobDemand GetDemand(const IterationProgram& program,
                        const std::vector<uint32_t>& gpus,
                        const JobTraffic& traffic) const;

    const Setup& m_setup;
    uint32_t m_id;
    const JobSpec& m_spec;
    FinishedCallback m_finished;
    FailedCallback m_failed;
    IterationCallback m_iteration; ///< may be empty
    mutable std::optional<std::string>
        m_unsupportedTensors; ///< TensorView::unsupported, once known
    Ptr<TrainingJob> m_job;
    TrainingJob::Resumption m_resumption;  ///< of a job that does not exist
    std::vector<Ptr<TrainingJob>> m_ended; ///< with messages under way
};

} // namespace ns3

#endif // GPU_FABRIC_MANAGED_TRAINING_JOB_H
