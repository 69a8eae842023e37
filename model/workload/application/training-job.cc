/* SPDX-License-Identifier: GPL-2.0-only */
#include "training-job.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TrainingJob");

NS_OBJECT_ENSURE_REGISTERED(TrainingJob);

namespace
{

/// Bus bandwidth as defined by nccl-tests (its doc/PERFORMANCE.md) [bit/s].
uint64_t
GetBusBandwidth(const CollectiveOutcome& outcome, uint64_t ranks)
{
    __extension__ using Product = unsigned __int128;
    const int64_t timePs = outcome.endPs - outcome.lastPostPs;
    if (timePs <= 0)
    {
        return 0;
    }
    uint64_t numerator = 1;
    uint64_t denominator = 1;
    switch (outcome.operation)
    {
    case CollectiveOperation::ALL_REDUCE:
        numerator = 2 * (ranks - 1);
        denominator = ranks;
        break;
    case CollectiveOperation::ALL_GATHER:
    case CollectiveOperation::REDUCE_SCATTER:
    case CollectiveOperation::ALL_TO_ALL:
        numerator = ranks - 1;
        denominator = ranks;
        break;
    case CollectiveOperation::BROADCAST:
    case CollectiveOperation::REDUCE:
    case CollectiveOperation::SEND_RECEIVE:
        break;
    }
    const Product bits = static_cast<Product>(outcome.bytes) * 8 * numerator;
    return static_cast<uint64_t>(bits * 1'000'000'000'000 / denominator / timePs);
}

} // namespace

TypeId
TrainingJob::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TrainingJob")
            .SetParent<JobRanks>()
            .SetGroupName("GpuFabric")
            .AddConstructor<TrainingJob>()
            .AddTraceSource("Span",
                            "A stretch of time of a GPU of the job: const SpanRecord&",
                            MakeTraceSourceAccessor(&TrainingJob::m_spanTrace),
                            "ns3::TrainingJob::SpanCallback")
            .AddTraceSource("Iteration",
                            "An iteration that all ranks have ended: const IterationRecord&",
                            MakeTraceSourceAccessor(&TrainingJob::m_iterationTrace),
                            "ns3::TrainingJob::IterationCallback")
            .AddTraceSource("CollectiveStart",
                            "A collective that the first rank has issued, what is known later "
                            "left at -1 or 0: const CollectiveRecord&",
                            MakeTraceSourceAccessor(&TrainingJob::m_collectiveStartTrace),
                            "ns3::TrainingJob::CollectiveCallback")
            .AddTraceSource("Collective",
                            "A collective that all ranks have ended: const CollectiveRecord&",
                            MakeTraceSourceAccessor(&TrainingJob::m_collectiveTrace),
                            "ns3::TrainingJob::CollectiveCallback");
    return tid;
}

TrainingJob::TrainingJob() = default;
TrainingJob::~TrainingJob() = default;

void
TrainingJob::DoDispose()
{
    if (m_exchange)
    {
        m_exchange->Dispose();
        m_exchange = nullptr;
    }
    m_applications.clear();
    if (m_transport)
    {
        m_transport->Dispose();
        m_transport = nullptr;
    }
    JobRanks::DoDispose();
}

std::vector<std::string>
TrainingJob::Configure(JobEnvironment* environment,
                       uint32_t job,
                       const JobSpec& spec,
                       std::shared_ptr<const IterationProgram> program,
                       std::vector<uint32_t> gpus)
{
    NS_ABORT_MSG_IF(m_environment, "job " << spec.name << " is configured already");
    NS_ABORT_MSG_IF(gpus.size() != program->ranks,
                    gpus.size() << " GPUs for " << program->ranks << " ranks");
    std::vector<std::string> faults = program->Validate();
    if (faults.empty())
    {
        m_traffic =
            JobTraffic::Build(*program, gpus, environment->topology, faults, &environment->plans);
    }
    if (!faults.empty())
    {
        return faults;
    }
    m_environment = environment;
    m_job = job;
    m_spec = spec;
    m_program = std::move(program);
    m_gpus = std::move(gpus);
    m_networkBytes = m_traffic.GetNetworkBytes();
    m_resumption.collectives.resize(m_program->communicators.size());
    m_collectives = m_resumption.collectives;

    m_transport = CreateObject<JobTransport>();
    m_transport->Configure(environment, job, m_program.get(), &m_traffic, m_gpus, this);
    m_transport->SetFirstCollectives(m_resumption.collectives);
    std::vector<uint32_t> slots(m_program->programs.size());
    for (uint32_t rank = 0; rank < m_program->ranks; rank++)
    {
        slots[m_program->rankProgram[rank]] = m_program->GetSlotCount(rank);
    }
    for (uint32_t index = 0; index < slots.size(); index++)
    {
        m_indices.push_back(
            std::make_unique<ProgramIndex>(m_program->programs[index], slots[index]));
    }
    MakeExchange();
    for (uint32_t rank = 0; rank < m_program->ranks; rank++)
    {
        GpuApplication::Setup setup;
        setup.job = job;
        setup.rank = rank;
        setup.gpu = m_gpus[rank];
        setup.program = m_indices[m_program->rankProgram[rank]].get();
        setup.lastIteration =
            spec.iterations > 0 ? spec.iterations - 1 : GpuApplication::OPEN_ENDED;
        setup.timers = &environment->timers;
        setup.exchange = PeekPointer(m_exchange);
        setup.owner = this;
        if (spec.jitterCv > 0)
        {
            setup.jitter.emplace(environment->seed,
                                 spec.name,
                                 rank,
                                 spec.jitterCv,
                                 spec.jitterScope == JitterScope::RANK);
        }
        setup.firstIteration = m_resumption.iteration;
        Ptr<GpuApplication> application = environment->TakeApplication(m_gpus[rank]);
        application->Configure(setup);
        m_applications.push_back(application);
    }
    return faults;
}

void
TrainingJob::MakeExchange()
{
    GradientExchange::Setup setup;
    setup.program = m_program.get();
    setup.gpus = m_gpus;
    setup.control = &m_environment->control;
    setup.transport = PeekPointer(m_transport);
    setup.traffic = &m_traffic;
    setup.listener = this;
    m_exchange = GradientExchange::Create(setup);
    m_transport->SetReceiver(PeekPointer(m_exchange));
}

void
TrainingJob::SetTensorSchedule(const TensorSchedule& schedule)
{
    TensorSchedule scaled = schedule;
    for (uint64_t* bytes : {&scaled.partitionBytes, &scaled.creditBytes})
    {
        if (*bytes != TensorSchedule::UNLIMITED)
        {
            *bytes = std::max<uint64_t>(1, m_spec.scale.Of(*bytes));
        }
    }
    m_exchange->SetSchedule(GetNextIteration(), scaled);
}

uint64_t
TrainingJob::GetNextIteration() const
{
    uint64_t iteration = 0;
    for (const Ptr<GpuApplication>& application : m_applications)
    {
        iteration = std::max(iteration, application->GetNextIteration());
    }
    return iteration;
}

void
TrainingJob::SetResumption(const JobResumption& resumption)
{
    NS_ABORT_MSG_IF(m_environment, "job " << m_spec.name << " is configured already");
    m_resumption = resumption;
}

JobResumption
TrainingJob::GetResumption() const
{
    JobResumption next{m_resumption.iteration + m_firstIteration, m_collectives};
    return next;
}

void
TrainingJob::Apply(int64_t now, const JobUpdate& update)
{
    if (update.tensors && m_status <= Status::RUNNING)
    {
        SetTensorSchedule(*update.tensors);
    }
    m_transport->Apply(now, update.flows, update.localPriority);
    if (update.shiftPs > 0)
    {
        AddShift(update.shiftPs);
    }
}

void
TrainingJob::Start(int64_t now, int64_t allocationPs, int64_t startPs)
{
    NS_ABORT_MSG_IF(!m_environment || m_status != Status::CONFIGURED,
                    "job " << m_spec.name << " cannot start");
    NS_ABORT_MSG_IF(allocationPs > now || startPs < now,
                    "job " << m_spec.name << " is allocated at " << allocationPs
                           << " ps and starts at " << startPs << " ps, seen from " << now << " ps");
    NS_LOG_INFO("job " << m_spec.name << " starts at " << startPs << " ps, " << m_program->ranks
                       << " ranks");
    m_status = Status::RUNNING;
    m_startPs = startPs;
    if (m_traffic.impossible.empty())
    {
        m_transport->Open(now);
    }
    m_exchange->Open();
    for (const Ptr<GpuApplication>& application : m_applications)
    {
        application->Start(allocationPs, startPs);
    }
    if (!m_traffic.impossible.empty())
    {
        Fail(now, m_traffic.impossible);
    }
}

bool
TrainingJob::Release(int64_t now)
{
    NS_ABORT_MSG_IF(m_status == Status::CONFIGURED || m_status == Status::RUNNING,
                    "job " << m_spec.name << " has not ended");
    if (!m_transport->DestroyQueuePairs(now, m_status == Status::FAILED))
    {
        return false;
    }
    for (uint32_t rank = 0; rank < m_applications.size(); rank++)
    {
        m_environment->ReturnApplication(m_gpus[rank], m_applications[rank]);
    }
    m_applications.clear();
    return true;
}

void
TrainingJob::Abandon(int64_t now, Status status)
{
    m_status = status;
    m_transport->Close();
    m_exchange->Close();
    for (const Ptr<GpuApplication>& application : m_applications)
    {
        application->Abandon(now);
    }
}

void
TrainingJob::Stop(int64_t now)
{
    if (m_status == Status::RUNNING)
    {
        Abandon(now, Status::STOPPED);
    }
}

void
TrainingJob::Fail(int64_t now, const std::string& reason)
{
    if (m_status != Status::RUNNING)
    {
        return;
    }
    NS_LOG_WARN("job " << m_spec.name << " fails at " << now << " ps: " << reason);
    Abandon(now, Status::FAILED);
    NotifyFailed(now, reason);
}

uint64_t
TrainingJob::AddShift(int64_t shiftPs)
{
    const uint64_t iteration = GetNextIteration();
    for (const Ptr<GpuApplication>& application : m_applications)
    {
        application->SetShift(iteration, shiftPs);
    }
    m_shifts.emplace_back(iteration, shiftPs);
    return iteration;
}

int64_t
TrainingJob::GetIterationStartPs() const
{
    const int64_t startedPs = m_applications.at(0)->GetIterationStartPs();
    const bool started = startedPs != GpuApplication::NEVER;
    int64_t timePs = started ? startedPs : m_startPs;
    for (const auto& [iteration, shiftPs] : m_shifts)
    {
        timePs += !started || iteration > m_applications[0]->GetIteration() ? shiftPs : 0;
    }
    return timePs;
}

std::optional<int64_t>
TrainingJob::GetOpenIterationStartPs() const
{
    std::optional<int64_t> firstPs;
    if (m_status != Status::RUNNING)
    {
        return firstPs;
    }
    if (!m_openIterations.empty())
    {
        firstPs = m_openIterations.front().record.startPs; // of the ranks that have ended it
    }
    for (const Ptr<GpuApplication>& application : m_applications)
    {
        const int64_t startPs = application->GetIterationStartPs();
        if (startPs != GpuApplication::NEVER && application->GetIteration() == m_firstIteration)
        {
            firstPs = std::min(firstPs.value_or(startPs), startPs);
        }
    }
    return firstPs;
}

void
TrainingJob::SetLastIteration(int64_t now, uint64_t iteration)
{
    NS_ABORT_MSG_IF(iteration < GetCurrentIteration(),
                    "job " << m_spec.name << " is in iteration " << GetCurrentIteration()
                           << " and cannot end with " << iteration);
    for (const Ptr<GpuApplication>& application : m_applications)
    {
        if (m_status == Status::CONFIGURED || m_status == Status::RUNNING)
        {
            application->SetLastIteration(now, iteration);
        }
    }
}

uint64_t
TrainingJob::GetCurrentIteration() const
{
    uint64_t iteration = 0;
    for (const Ptr<GpuApplication>& application : m_applications)
    {
        iteration = std::max(iteration, application->GetCurrentIteration());
    }
    return iteration;
}

void
TrainingJob::CollectiveStarted(int64_t now,
                               uint32_t communicator,
                               uint32_t collective,
                               const CollectiveCall& call,
                               uint64_t iteration)
{
    if (m_collectiveStartTrace.IsEmpty())
    {
        return;
    }
    CollectiveRecord record;
    record.job = m_job;
    record.communicator = communicator;
    record.collective = m_resumption.collectives[communicator] + collective;
    record.iteration = m_resumption.iteration + iteration;
    record.operation = GetCollectiveOperationName(call.operation);
    record.algorithm = m_traffic.communicators[communicator].algorithm;
    record.bytes = call.bytes;
    record.channels = m_traffic.communicators[communicator].channels;
    record.ranks = static_cast<uint32_t>(m_traffic.communicators[communicator].layout.ranks.size());
    record.firstPostPs = now;
    record.lastPostPs = -1;
    record.endPs = -1;
    m_collectiveStartTrace(record);
}

void
TrainingJob::StepEnded(int64_t now,
                       uint32_t rank,
                       uint32_t communicator,
                       uint64_t number,
                       int64_t lastPostPs)
{
    m_applications[rank]->CollectiveEnded(now, communicator, number, lastPostPs);
}

void
TrainingJob::PieceFinished(const CollectiveOutcome& outcome, uint64_t iteration)
{
    const JobCommunicator& communicator = m_traffic.communicators[outcome.communicator];
    CollectiveRecord record;
    record.job = m_job;
    record.communicator = outcome.communicator;
    record.collective = m_resumption.collectives[outcome.communicator] + outcome.collective;
    record.iteration = m_resumption.iteration + iteration;
    m_collectives[outcome.communicator] =
        std::max(m_collectives[outcome.communicator], record.collective + 1);
    record.operation = GetCollectiveOperationName(outcome.operation);
    record.algorithm = outcome.algorithm;
    record.protocol = ToName(outcome.protocol);
    record.bytes = outcome.bytes;
    record.channels = outcome.channels;
    record.ranks = static_cast<uint32_t>(communicator.layout.ranks.size());
    record.firstPostPs = outcome.firstPostPs;
    record.lastPostPs = outcome.lastPostPs;
    record.endPs = outcome.endPs;
    record.busBandwidthBps = GetBusBandwidth(outcome, record.ranks);
    m_collectiveTrace(record);
}

void
TrainingJob::FlowFailed(int64_t now, uint32_t flow)
{
    const JobFlow& failed = m_traffic.flows[flow];
    const ClusterTopology& topology = m_environment->topology;
    const std::string reason = "queue pair " + std::to_string(m_transport->GetQueuePair(flow)) +
                               " from " + topology.GetPortName(failed.sourceNic) + " to " +
                               topology.GetPortName(failed.destinationNic) + " (channel " +
                               std::to_string(failed.channel) + ", rank " +
                               std::to_string(failed.sourceRank) + " to rank " +
                               std::to_string(failed.destinationRank) + ") has failed";
    Fail(now, reason);
}

void
TrainingJob::RankSpan(const SpanRecord& span)
{
    m_spanTrace(span);
}

void
TrainingJob::RankIterationEnded(uint32_t, const RankIteration& iteration)
{
    NS_ASSERT(iteration.iteration >= m_firstIteration);
    while (iteration.iteration - m_firstIteration >= m_openIterations.size())
    {
        OpenIteration open;
        open.record.job = m_job;
        open.record.iteration = m_firstIteration + m_openIterations.size();
        open.record.startPs = INT64_MAX;
        open.record.bytes = m_networkBytes;
        m_openIterations.push_back(open);
    }
    OpenIteration& open = m_openIterations[iteration.iteration - m_firstIteration];
    IterationRecord& record = open.record;
    const auto sum = [&iteration](GpuTimeKind kind) {
        return iteration.spansPs[static_cast<size_t>(kind)];
    };
    record.startPs = std::min(record.startPs, iteration.startPs);
    record.endPs = std::max(record.endPs, iteration.endPs);
    record.computePs += sum(GpuTimeKind::COMPUTE);
    record.exposedPs += sum(GpuTimeKind::EXPOSED_COMMUNICATION);
    record.peerWaitPs += sum(GpuTimeKind::PEER_WAIT);
    record.shiftPs += sum(GpuTimeKind::SHIFT);
    if (++open.ended == m_program->ranks)
    {
        // Every rank finishes its iterations in order, so this is the oldest one.
        IterationRecord done = record;
        done.iteration += m_resumption.iteration;
        m_openIterations.pop_front();
        m_firstIteration++;
        m_exchange->IterationEnded(m_firstIteration - 1, done.endPs);
        m_iterationTrace(done);
    }
}

void
TrainingJob::RankEnded(int64_t now, uint32_t)
{
    if (++m_endedRanks < m_program->ranks)
    {
        return;
    }
    NS_LOG_INFO("job " << m_spec.name << " has ended at " << now << " ps after " << m_firstIteration
                       << " iterations");
    m_status = Status::FINISHED;
    m_transport->Close();
    m_exchange->Close();
    for (const Ptr<GpuApplication>& application : m_applications)
    {
        application->Finish(now);
    }
    NotifyFinished(now);
}

} // namespace ns3
