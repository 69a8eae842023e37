/* SPDX-License-Identifier: GPL-2.0-only */
#include "managed-training-job.h"

#include "ns3/abort.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3
{

ManagedTrainingJob::ManagedTrainingJob(Ptr<TrainingJob> job,
                                       JobEnvironment* environment,
                                       uint32_t id,
                                       JobSpec spec,
                                       IterationProgram program,
                                       WireBytes dataWireBytes,
                                       WireBytes ackWireBytes)
    : m_job(job),
      m_environment(environment),
      m_id(id),
      m_spec(std::move(spec)),
      m_program(std::move(program)),
      m_dataWireBytes(std::move(dataWireBytes)),
      m_ackWireBytes(std::move(ackWireBytes))
{
}

void
ManagedTrainingJob::SetCallbacks(FinishedCallback finished, FailedCallback failed)
{
    m_job->SetFinishedCallback(
        [finished](int64_t nowPs, TrainingJob& /* job */) { finished(nowPs); });
    m_job->SetFailedCallback([failed](int64_t nowPs,
                                      TrainingJob& /* job */,
                                      const std::string& reason) { failed(nowPs, reason); });
}

std::string
ManagedTrainingJob::GetFault(const std::vector<uint32_t>& gpus) const
{
    return JobTraffic::GetFault(m_program, gpus, m_environment->topology);
}

JobDemand
ManagedTrainingJob::Place(const std::vector<uint32_t>& gpus)
{
    const std::vector<std::string> faults =
        m_job->Configure(m_environment, m_id, m_spec, m_program, gpus);
    NS_ABORT_MSG_IF(!faults.empty(), "job " << m_spec.name << ": " << faults.front());
    JobDemand demand;
    demand.flop = m_program.flopPerIteration;
    for (uint32_t rank = 0; rank < m_program.ranks; rank++)
    {
        demand.computePs = std::max(demand.computePs, m_program.GetComputePs(rank));
    }
    // A job that cannot send at all fails as soon as it starts: there is nothing to decide.
    const JobTraffic& traffic = m_job->GetTraffic();
    for (const JobFlow& flow : traffic.unreachable.empty() ? traffic.flows : std::vector<JobFlow>())
    {
        FlowView view;
        view.flow = static_cast<uint32_t>(demand.flows.size());
        view.sourceNic = flow.sourceNic;
        view.destinationNic = flow.destinationNic;
        view.channel = flow.channel;
        view.wireBytes = flow.Sum(m_dataWireBytes);
        view.ackWireBytes = flow.Sum(m_ackWireBytes);
        demand.flows.push_back(std::move(view));
    }
    return demand;
}

void
ManagedTrainingJob::Start(int64_t nowPs,
                          int64_t placedPs,
                          const std::vector<FlowUpdate>& flows,
                          int64_t shiftPs)
{
    Apply(nowPs, flows, shiftPs);
    m_job->Start(nowPs, placedPs, nowPs);
}

void
ManagedTrainingJob::Apply(int64_t nowPs, const std::vector<FlowUpdate>& flows, int64_t shiftPs)
{
    for (const FlowUpdate& update : flows)
    {
        m_job->ApplyDecision(nowPs,
                             update.flow,
                             update.udpSourcePort,
                             update.priority,
                             update.decision);
    }
    if (shiftPs > 0)
    {
        m_job->AddShift(shiftPs);
    }
}

uint64_t
ManagedTrainingJob::GetCurrentIteration() const
{
    return m_job->GetCurrentIteration();
}

void
ManagedTrainingJob::SetLastIteration(int64_t nowPs, uint64_t iteration)
{
    m_job->SetLastIteration(nowPs, iteration);
}

void
ManagedTrainingJob::Abandon(int64_t nowPs, const std::string& reason)
{
    m_job->Fail(nowPs, reason);
}

void
ManagedTrainingJob::Release(int64_t nowPs)
{
    m_job->Release(nowPs);
}

Ptr<TrainingJob>
ManagedTrainingJob::GetJob() const
{
    return m_job;
}

} // namespace ns3
