/* SPDX-License-Identifier: GPL-2.0-only */
#include "job.h"

#include "../workload/application/training-job.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/trace-source-accessor.h"

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
    m_runner.reset();
    Object::DoDispose();
}

void
Job::Configure(uint32_t id,
               const JobSpec& spec,
               const ClusterTopology& topology,
               std::unique_ptr<JobRunner> runner)
{
    m_spec = &spec;
    m_runner = std::move(runner);
    m_runner->SetMadeCallback([this](TrainingJob& ranks) { ConnectTraces(ranks); });
    m_steering.name = spec.name;
    m_request = {id, spec.gpus, spec.gpusPerHost, {}, spec.localGpus, spec.model};
    for (const std::string& host : spec.hosts)
    {
        const int64_t node = topology.FindNode(host);
        NS_ABORT_MSG_IF(node < 0, "job " << spec.name << ": no host " << host);
        m_request.hosts.push_back(static_cast<uint32_t>(node));
    }
    m_continuation = JobContinuation(spec.restart, spec.durationPs);
}

void
Job::ConnectTraces(TrainingJob& ranks)
{
    ranks.TraceConnectWithoutContext("Span", MakeCallback(&Job::NotifySpan, this));
    ranks.TraceConnectWithoutContext("Iteration", MakeCallback(&Job::NotifyIteration, this));
    ranks.TraceConnectWithoutContext("Collective", MakeCallback(&Job::NotifyCollective, this));
    ranks.TraceConnectWithoutContext("CollectiveStart",
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
        (m_state == JobState::RUNNING ? m_runner->GetIterationStartPs() : startPs);
    view.tensors = m_runner->GetTensors();
    return view;
}

JobView
Job::GetViewOn(const std::vector<uint32_t>& others,
               int64_t startPs,
               uint64_t seed,
               const PathOracle& paths) const
{
    JobView view = GetView(startPs);
    JobView there = m_runner->Estimate(others);
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
    m_demand = m_runner->Place(m_gpus);
    m_steering.flows = FlowSteering(seed, GetName(), paths, std::move(m_demand.flows));
}

void
Job::Start(int64_t nowPs, const JobUpdate& update)
{
    m_state = JobState::RUNNING;
    m_started = true;
    const uint64_t ended = m_runner->GetEndedIterations();
    m_runner->Start(nowPs, m_placedPs, update);
    m_continuation.Start(nowPs, ended);
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
    m_runner->SetLastIteration(nowPs, m_runner->GetCurrentIteration() + (next ? 1 : 0));
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
    return failed && m_continuation.Fail(nowPs, m_started, m_runner->GetEndedIterations());
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
