/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_MANAGED_TRAINING_JOB_H
#define GPU_FABRIC_MANAGED_TRAINING_JOB_H

#include "managed-job.h"

#include "ns3/training-job.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/// A TrainingJob as the cluster manager drives it.
class ManagedTrainingJob : public ManagedJob
{
  public:
    /// Gives what a message of so many payload bytes takes on the wire [byte].
    using WireBytes = std::function<uint64_t(uint64_t bytes)>;

    /**
     * \param job not configured yet; its traces may be connected already
     * \param environment what jobs share, must outlive this
     * \param id number of the job in the run, as ClusterManager::AddJob gives it
     * \param spec the job
     * \param program what it runs
     * \param dataWireBytes of the data frames of a message (RoceTransport::GetMessageWireBytes)
     * \param ackWireBytes of the ACK frames it draws (RoceTransport::GetAckWireBytes)
     */
    ManagedTrainingJob(Ptr<TrainingJob> job,
                       JobEnvironment* environment,
                       uint32_t id,
                       JobSpec spec,
                       IterationProgram program,
                       WireBytes dataWireBytes,
                       WireBytes ackWireBytes);

    void SetCallbacks(FinishedCallback finished, FailedCallback failed) override;
    /// Aborts where the program cannot run on so many GPUs (TrainingJob::Configure).
    std::string GetFault(const std::vector<uint32_t>& gpus) const override;
    JobDemand Place(const std::vector<uint32_t>& gpus) override;
    void Start(int64_t nowPs,
               int64_t placedPs,
               const std::vector<FlowUpdate>& flows,
               int64_t shiftPs) override;
    void Apply(int64_t nowPs, const std::vector<FlowUpdate>& flows, int64_t shiftPs) override;
    uint64_t GetCurrentIteration() const override;
    void SetLastIteration(int64_t nowPs, uint64_t iteration) override;
    void Abandon(int64_t nowPs, const std::string& reason) override;
    void Release(int64_t nowPs) override;

    Ptr<TrainingJob> GetJob() const;

  private:
    Ptr<TrainingJob> m_job;
    JobEnvironment* m_environment;
    uint32_t m_id;
    JobSpec m_spec;
    IterationProgram m_program;
    WireBytes m_dataWireBytes;
    WireBytes m_ackWireBytes;
};

} // namespace ns3

#endif // GPU_FABRIC_MANAGED_TRAINING_JOB_H
