/* SPDX-License-Identifier: GPL-2.0-only */
#include "job.h"

#include "../workload/program/tensor-program-builder.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/training-options.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("Job");

NS_OBJECT_ENSURE_REGISTERED(Job);

TypeId
Job::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::Job")
            .SetParent<Object>()
            .SetGroupName("GpuFabric")
            .AddConstructor<Job>()
            .AddTraceSource("Event",
                            "Something in the life of the job.",
                            MakeTraceSourceAccessor(&Job::m_eventTrace),
                            "ns3::Job::EventTracedCallback")
            .AddTraceSource("Span",
                            "A stretch of time of a GPU of the job.",
                            MakeTraceSourceAccessor(&Job::m_spanTrace),
                            "ns3::Job::SpanTracedCallback")
            .AddTraceSource("Iteration",
                            "An iteration that all ranks have ended.",
                            MakeTraceSourceAccessor(&Job::m_iterationTrace),
                            "ns3::Job::IterationTracedCallback")
            .AddTraceSource("CollectiveStart",
                            "A collective that the first rank has issued; what is known later is "
                            "-1.",
                            MakeTraceSourceAccessor(&Job::m_collectiveStartTrace),
                            "ns3::Job::CollectiveTracedCallback")
            .AddTraceSource("Collective",
                            "A collective that all ranks have ended.",
                            MakeTraceSourceAccessor(&Job::m_collectiveTrace),
                            "ns3::Job::CollectiveTracedCallback");
    return tid;
}

Job::Job() = default;
Job::~Job() = default;

void
Job::DoDispose()
{
    if (m_ranks)
    {
        m_ranks->Dispose();
        m_ranks = nullptr;
    }
    for (const Ptr<JobRanks>& ranks : m_leaving)
    {
        ranks->Dispose();
    }
    m_leaving.clear();
    m_ended = nullptr;
    Object::DoDispose();
}

void
Job::Configure(uint32_t id,
               const JobSpec& spec,
               const ClusterTopology& topology,
               const JobFactory& factory,
               EndedCallback ended)
{
    m_spec = &spec;
    m_factory = &factory;
    m_ended = std::move(ended);
    m_steering.name = spec.name;
    m_request = {id, spec.gpus, spec.gpusPerHost, {}, spec.localGpus, spec.model};
    for (const std::string& host : spec.hosts)
    {
        const int64_t node = topology.FindNode(host);
        NS_ABORT_MSG_IF(node < 0, "job " << spec.name << ": no host " << host);
        m_request.hosts.push_back(static_cast<uint32_t>(node));
    }
    m_continuation = JobContinuation(spec.restart, spec.duration.GetPicoSeconds());
}

void
Job::ConnectRanks()
{
    m_ranks->SetCallbacks(
        [this](int64_t nowPs) { m_ended(nowPs, "finished", ""); },
        [this](int64_t nowPs, const std::string& reason) { m_ended(nowPs, "failed", reason); });
    m_ranks->TraceConnectWithoutContext("Span", MakeCallback(&Job::NotifySpan, this));
    m_ranks->TraceConnectWithoutContext("Iteration", MakeCallback(&Job::NotifyIteration, this));
    m_ranks->TraceConnectWithoutContext("Collective", MakeCallback(&Job::NotifyCollective, this));
    m_ranks->TraceConnectWithoutContext("CollectiveStart",
                                        MakeCallback(&Job::NotifyCollectiveStart, this));
}

void
Job::NotifySpan(const SpanRecord& record)
{
    m_spanTrace(record);
}

void
Job::NotifyIteration(const IterationRecord& record)
{
    NS_LOG_DEBUG(GetName() << " has ended iteration " << record.iteration << " at " << record.endPs
                           << " ps");
    m_iterationTrace(record);
}

void
Job::NotifyCollectiveStart(const CollectiveRecord& record)
{
    m_collectiveStartTrace(record);
}

void
Job::NotifyCollective(const CollectiveRecord& record)
{
    m_collectiveTrace(record);
}

void
Job::Notify(const JobEventRecord& record)
{
    NS_LOG_INFO(record.timePs << " ps: " << GetName() << " " << record.kind
                              << (record.detail.empty() ? "" : ": ") << record.detail);
    m_eventTrace(record);
}

int64_t
Job::GetHeldTo(int64_t nowPs) const
{
    if (m_state == JobState::PLACED || m_state == JobState::RUNNING)
    {
        return nowPs;
    }
    return m_state == JobState::ENDED && m_started ? m_endPs : -1;
}

bool
Job::IsOn(uint32_t node, const ClusterTopology& topology) const
{
    return std::any_of(m_gpus.begin(), m_gpus.end(), [&](uint32_t gpu) {
        return topology.GetGpuHost(gpu) == node;
    });
}

std::string
Job::GetUntilDetail() const
{
    return (m_continuation.GetStarts() > 0 ? "not restarted: " : "never started: ") +
           m_spec->until + " has ended";
}

JobView
Job::GetView(int64_t startPs) const
{
    JobView view = m_demand;
    view.job = m_request.job;
    view.name = m_steering.name;
    view.arrivalPs = m_arrivalPs;
    view.gpus = m_request.gpus;
    view.flows = m_steering.flows.GetFlows();
    view.level = m_steering.level;
    view.iterationStartPs =
        m_pendingShiftPs +
        (m_state == JobState::RUNNING ? m_ranks->GetIterationStartPs() : startPs);
    view.tensors = GetTensors();
    view.service = GetService(Simulator::Now().GetPicoSeconds());
    return view;
}

TensorView
Job::GetTensors() const
{
    if (!m_tensors)
    {
        m_tensors.emplace();
        m_tensors->unsupported = TensorProgramBuilder::GetUnsupportedReason(*m_spec);
        m_tensors->servers = m_spec->parameterServers > 0;
        m_tensors->bytesPerParameter = GetBytesPerGradient(m_spec->gradients);
    }
    TensorView view = *m_tensors;
    if (m_ranks)
    {
        view.samples = m_ranks->GetTensorSamples();
    }
    return view;
}

uint64_t
Job::GetEndedIterations() const
{
    return m_ranks ? m_ranks->GetResumption().iteration : m_resumption.iteration;
}

JobService
Job::GetService(int64_t nowPs) const
{
    JobService service;
    service.startPs = m_continuation.GetFirstStart();
    service.executedPs = m_continuation.GetExecuted(nowPs);
    service.iterations = GetEndedIterations();
    const bool runs = m_state == JobState::RUNNING && m_started;
    if (runs)
    {
        const auto current = static_cast<int64_t>(m_ranks->GetCurrentIteration());
        const int64_t elapsedPs = m_ranks->GetIterationStartPs() - m_continuation.GetLastStart();
        service.iterationPs = current > 0 && elapsedPs > 0 ? elapsedPs / current : 0;
    }
    if (m_spec->iterations > 0)
    {
        service.remainingIterations =
            m_spec->iterations - std::min(m_spec->iterations, service.iterations);
    }
    if (m_continuation.GetDurationLeft() > 0)
    {
        const int64_t sinceStartPs = runs ? nowPs - m_continuation.GetLastStart() : 0;
        service.remainingPs = std::max<int64_t>(0, m_continuation.GetDurationLeft() - sinceStartPs);
    }
    if (m_spec->deadline.IsStrictlyPositive())
    {
        service.deadlinePs = m_arrivalPs + m_spec->deadline.GetPicoSeconds();
    }
    return service;
}

JobView
Job::GetViewOn(const std::vector<uint32_t>& others,
               int64_t startPs,
               uint64_t seed,
               const PathOracle& paths) const
{
    JobView view = GetView(startPs);
    JobView there = m_factory->Estimate(*m_spec, others);
    view.flop = there.flop;
    view.computePs = there.computePs;
    view.communicationStart = there.communicationStart;
    view.insideLoads = std::move(there.insideLoads);
    view.flows = FlowSteering(seed, view.name, paths, std::move(there.flows)).GetFlows();
    return view;
}

void
Job::Expect(int64_t arrivalPs)
{
    m_arrivalPs = arrivalPs;
}

void
Job::Arrive()
{
    m_state = JobState::WAITING;
}

void
Job::Place(int64_t nowPs,
           const std::vector<uint32_t>& where,
           std::vector<uint8_t>& free,
           uint64_t seed,
           const PathOracle& paths)
{
    NS_ABORT_MSG_IF(where.size() != m_request.gpus,
                    "placement of " << where.size() << " GPUs for job " << GetName());
    for (const uint32_t gpu : where)
    {
        NS_ABORT_MSG_IF(!free.at(gpu), "GPU " << gpu << " is not free");
        free[gpu] = 0;
    }
    m_state = JobState::PLACED;
    m_gpus = where;
    m_placedPs = nowPs;
    if (m_ranks)
    {
        // It was placed but lost its GPUs before it started.
        m_ranks->Dispose();
    }
    PlacedJob placed = m_factory->Make(GetId(), *m_spec, m_gpus, m_resumption);
    m_ranks = placed.ranks;
    ConnectRanks();
    m_demand = std::move(placed.demand);
    m_steering.flows = FlowSteering(seed, GetName(), paths, std::move(m_demand.flows));
}

void
Job::Start(int64_t nowPs, const JobUpdate& first)
{
    const uint64_t ended = GetEndedIterations();
    const bool again = m_continuation.GetStarts() > 0;
    Notify(JobEventRecord{GetId(),
                          nowPs,
                          again ? "restarted" : "started",
                          again ? "with iteration " + std::to_string(ended) : ""});
    m_state = JobState::RUNNING;
    m_started = true;
    m_ranks->Apply(nowPs, first);
    m_ranks->Start(nowPs, m_placedPs, nowPs);
    m_continuation.Start(nowPs, ended);
    if (m_continuation.GetDurationLeft() > 0)
    {
        // The job is not on any node.
        Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                       PicoSeconds(m_continuation.GetDurationLeft()),
                                       &Job::DurationOver,
                                       this,
                                       m_continuation.GetStarts());
    }
    if (m_untilOver)
    {
        EndWithIteration(nowPs, true);
    }
}

void
Job::DurationOver(uint32_t start)
{
    if (m_state == JobState::RUNNING && m_continuation.GetStarts() == start)
    {
        EndWithIteration(Simulator::Now().GetPicoSeconds(), false);
    }
}

void
Job::Stop(int64_t nowPs)
{
    if (m_ranks)
    {
        m_ranks->Stop(nowPs);
    }
}

bool
Job::Release(int64_t nowPs)
{
    if (m_ranks)
    {
        m_resumption = m_ranks->GetResumption();
        m_leaving.push_back(m_ranks);
        m_ranks = nullptr;
    }
    const auto released = [nowPs](const Ptr<JobRanks>& ranks) {
        if (!ranks->Release(nowPs))
        {
            return false;
        }
        ranks->Dispose();
        return true;
    };
    m_leaving.erase(std::remove_if(m_leaving.begin(), m_leaving.end(), released), m_leaving.end());
    return m_leaving.empty();
}

void
Job::AddPendingShift(int64_t shiftPs)
{
    m_pendingShiftPs += shiftPs;
}

JobSteering&
Job::GetSteering()
{
    return m_steering;
}

void
Job::EndWithIteration(int64_t nowPs, bool next)
{
    m_ranks->SetLastIteration(nowPs, m_ranks->GetCurrentIteration() + (next ? 1 : 0));
}

void
Job::SetUntilOver(int64_t nowPs, bool over)
{
    if (m_untilOver || !over)
    {
        return;
    }
    m_untilOver = true;
    if (m_state == JobState::RUNNING)
    {
        EndWithIteration(nowPs, true);
    }
}

void
Job::FreeGpus(std::vector<uint8_t>& free) const
{
    for (const uint32_t gpu : m_gpus)
    {
        free[gpu] = 1;
    }
}

void
Job::LoseGpus(std::vector<uint8_t>& free)
{
    FreeGpus(free);
    m_gpus.clear();
    m_state = JobState::RUNNING;
}

bool
Job::End(int64_t nowPs, bool failed)
{
    NS_ABORT_MSG_IF(m_state != JobState::RUNNING, "job " << GetName() << " ends but does not run");
    m_state = JobState::ENDED;
    m_endPs = nowPs;
    m_continuation.End(nowPs);
    return failed && m_continuation.Fail(nowPs, m_started, GetEndedIterations());
}

void
Job::Depart(std::vector<uint8_t>& free)
{
    m_state = JobState::DEPARTED;
    m_steering.flows = FlowSteering();
    FreeGpus(free);
}

void
Job::Cancel(int64_t nowPs)
{
    m_state = JobState::DEPARTED;
    m_endPs = nowPs;
}

void
Job::WaitAgain()
{
    m_started = false;
    m_gpus.clear();
    m_steering.level = 0;
    m_steering.decided = false;
    m_state = JobState::WAITING;
}

} // namespace ns3
