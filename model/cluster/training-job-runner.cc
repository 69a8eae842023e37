/* SPDX-License-Identifier: GPL-2.0-only */
#include "training-job-runner.h"

#include "../workload/application/host-loads.h"
#include "../workload/program/share-divider.h"
#include "../workload/program/tensor-program-builder.h"
#include "communication-start.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TrainingJobRunner");

TrainingJobRunner::TrainingJobRunner(const Setup& setup, uint32_t id, const JobSpec& spec)
    : m_setup(setup),
      m_id(id),
      m_spec(spec)
{
}

TrainingJobRunner::~TrainingJobRunner()
{
    if (m_job)
    {
        m_job->Dispose();
    }
    for (const Ptr<TrainingJob>& job : m_ended)
    {
        job->Dispose();
    }
}

void
TrainingJobRunner::SetCallbacks(FinishedCallback finished, FailedCallback failed)
{
    m_finished = std::move(finished);
    m_failed = std::move(failed);
}

void
TrainingJobRunner::SetMadeCallback(MadeCallback callback)
{
    m_made = std::move(callback);
}

std::string
TrainingJobRunner::GetFault(const std::vector<uint32_t>& gpus) const
{
    return JobTraffic::GetFault(*m_setup.getProgram(m_spec), gpus, m_setup.environment->topology);
}

JobView
TrainingJobRunner::Estimate(const std::vector<uint32_t>& gpus) const
{
    const std::shared_ptr<const IterationProgram> program = m_setup.getProgram(m_spec);
    std::vector<std::string> faults;
    const JobTraffic traffic = JobTraffic::Build(*program,
                                                 gpus,
                                                 m_setup.environment->topology,
                                                 faults,
                                                 &m_setup.environment->plans);
    if (!faults.empty())
    {
        NS_LOG_DEBUG("job " << m_spec.name << " cannot run there: " << faults.front());
        JobView none;
        none.communicationStart = 0;
        return none;
    }
    return GetDemand(*program, gpus, traffic);
}

JobView
TrainingJobRunner::Place(const std::vector<uint32_t>& gpus)
{
    if (m_job)
    {
        // It was placed but lost its GPUs before it started.
        m_job->Dispose();
    }
    m_job = CreateObject<TrainingJob>();
    m_job->SetFinishedCallback(
        [this](int64_t nowPs, TrainingJob& /* job */) { m_finished(nowPs); });
    m_job->SetFailedCallback([this](int64_t nowPs,
                                    TrainingJob& /* job */,
                                    const std::string& reason) { m_failed(nowPs, reason); });
    if (m_made)
    {
        m_made(*m_job);
    }
    const std::shared_ptr<const IterationProgram> program = m_setup.getProgram(m_spec);
    JobSpec left = m_spec;
    left.iterations -= std::min(left.iterations, m_resumption.iteration);
    m_job->SetResumption(m_resumption);
    const std::vector<std::string> faults =
        m_job->Configure(m_setup.environment, m_id, left, program, gpus);
    NS_ABORT_MSG_IF(!faults.empty(), "job " << m_spec.name << ": " << faults.front());
    return GetDemand(*program, gpus, m_job->GetTraffic());
}

std::vector<CollectiveFallback>
TrainingJobRunner::GetFallbacks() const
{
    return m_job ? m_job->GetTraffic().fallbacks : std::vector<CollectiveFallback>();
}

JobView
TrainingJobRunner::GetDemand(const IterationProgram& program,
                             const std::vector<uint32_t>& gpus,
                             const JobTraffic& traffic) const
{
    JobView demand;
    demand.communicationStart = 0;
    demand.flop = program.flopPerIteration;
    for (uint32_t rank = 0; rank < program.ranks; rank++)
    {
        demand.computePs = std::max(demand.computePs, program.GetComputePs(rank));
    }
    const ClusterTopology& topology = m_setup.environment->topology;
    const Ptr<HostInterconnect> interconnect = m_setup.environment->interconnect;
    // If a job communicates only inside hosts, every collective counts.
    const bool inside = interconnect && traffic.flows.empty();
    std::vector<uint32_t> hosts;
    for (const uint32_t gpu : gpus)
    {
        hosts.push_back(inside ? gpu : topology.GetGpuHost(gpu));
    }
    demand.communicationStart = GetCommunicationStart(program, hosts);
    if (!traffic.impossible.empty())
    {
        // A job that cannot send at all fails as soon as it starts, so there is nothing to decide.
        return demand;
    }
    if (interconnect)
    {
        demand.insideLoads = GetHostLoads(traffic, topology, *interconnect);
    }
    // If the inside of hosts is modelled, each of its segments is a separate message of the
    // network.
    const auto sum = [&interconnect](const JobFlow& flow, const WireBytes& wireBytes) {
        return flow.Sum([&](uint64_t bytes) {
            return interconnect ? interconnect->SumSegments(bytes, wireBytes) : wireBytes(bytes);
        });
    };
    for (const JobFlow& flow : traffic.flows)
    {
        FlowView view;
        view.flow = static_cast<uint32_t>(demand.flows.size());
        view.sourceNic = flow.sourceNic;
        view.destinationNic = flow.destinationNic;
        view.channel = flow.channel;
        view.wireBytes = sum(flow, m_setup.dataWireBytes);
        view.ackWireBytes = sum(flow, m_setup.ackWireBytes);
        demand.flows.push_back(std::move(view));
    }
    return demand;
}

void
TrainingJobRunner::Start(int64_t nowPs, int64_t placedPs, const JobUpdate& update)
{
    Apply(nowPs, update);
    NS_LOG_INFO("job " << m_spec.name << " starts on " << m_job->GetGpus().size() << " GPUs with "
                       << m_job->GetTraffic().flows.size() << " flows");
    m_job->Start(nowPs, placedPs, nowPs);
}

void
TrainingJobRunner::Apply(int64_t nowPs, const JobUpdate& update)
{
    if (update.tensors)
    {
        SetTensors(*update.tensors);
    }
    m_job->GetTransport()->Apply(nowPs, update.flows, update.localPriority);
    if (update.shiftPs > 0)
    {
        m_job->AddShift(update.shiftPs);
    }
}

uint64_t
TrainingJobRunner::GetEndedIterations() const
{
    return m_job ? m_job->GetResumption().iteration : m_resumption.iteration;
}

uint64_t
TrainingJobRunner::GetCurrentIteration() const
{
    return m_job->GetCurrentIteration();
}

int64_t
TrainingJobRunner::GetIterationStartPs() const
{
    return m_job->GetIterationStartPs();
}

TensorView
TrainingJobRunner::GetTensors() const
{
    TensorView view;
    if (!m_unsupportedTensors)
    {
        m_unsupportedTensors = TensorProgramBuilder::GetUnsupportedReason(m_spec);
    }
    view.unsupported = *m_unsupportedTensors;
    view.servers = m_spec.parameterServers > 0;
    view.bytesPerParameter = GetBytesPerGradient(m_spec.gradients);
    if (m_job)
    {
        view.samples = m_job->GetExchange()->GetSamples();
    }
    return view;
}

void
TrainingJobRunner::SetTensors(const TensorSchedule& schedule)
{
    if (m_job->GetStatus() > TrainingJob::Status::RUNNING)
    {
        return;
    }
    TensorSchedule scaled = schedule;
    for (uint64_t* bytes : {&scaled.partitionBytes, &scaled.creditBytes})
    {
        if (*bytes != TensorSchedule::UNLIMITED)
        {
            *bytes = std::max<uint64_t>(
                1,
                ShareDivider::MulDiv(*bytes, m_spec.scaleNumerator, m_spec.scaleDenominator));
        }
    }
    m_job->SetTensorSchedule(scaled);
}

void
TrainingJobRunner::SetLastIteration(int64_t nowPs, uint64_t iteration)
{
    m_job->SetLastIteration(nowPs, iteration);
}

void
TrainingJobRunner::Abandon(int64_t nowPs, const std::string& reason)
{
    m_job->Fail(nowPs, reason);
}

bool
TrainingJobRunner::Release(int64_t nowPs)
{
    if (m_job)
    {
        m_resumption = m_job->GetResumption();
        m_ended.push_back(m_job);
        m_job = nullptr;
    }
    const auto released = [nowPs](const Ptr<TrainingJob>& job) {
        if (!job->Release(nowPs))
        {
            return false;
        }
        job->Dispose();
        return true;
    };
    m_ended.erase(std::remove_if(m_ended.begin(), m_ended.end(), released), m_ended.end());
    return m_ended.empty();
}

void
TrainingJobRunner::Stop(int64_t nowPs)
{
    if (m_job)
    {
        m_job->Stop(nowPs);
    }
}

Ptr<TrainingJob>
TrainingJobRunner::GetJob() const
{
    return m_job;
}

} // namespace ns3
