/* SPDX-License-Identifier: GPL-2.0-only */
#include "job-transport.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/log.h"

#include <algorithm>
#include <functional>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("JobTransport");

NS_OBJECT_ENSURE_REGISTERED(JobTransport);

TypeId
JobTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::JobTransport")
            .SetParent<Object>()
            .SetGroupName("GpuFabric")
            .AddConstructor<JobTransport>()
            .AddAttribute("NvlinkRate",
                          "Rate at which a GPU sends to the others of its host; default: "
                          "300 GB/s a direction, as NVLink 3 of an A100.",
                          DataRateValue(DataRate("2400Gbps")),
                          MakeDataRateAccessor(&JobTransport::m_nvlinkRate),
                          MakeDataRateChecker())
            .AddAttribute("NvlinkDelay",
                          "Time from the end of a transmission inside a host to its arrival.",
                          TimeValue(PicoSeconds(0)),
                          MakeTimeAccessor(&JobTransport::m_nvlinkDelay),
                          MakeTimeChecker(PicoSeconds(0)))
            .AddAttribute("StepOverhead",
                          "Time between a chunk being ready at its sender and its message being "
                          "posted, on NVLink and network alike.",
                          TimeValue(PicoSeconds(0)),
                          MakeTimeAccessor(&JobTransport::m_stepOverhead),
                          MakeTimeChecker(PicoSeconds(0)));
    return tid;
}

void
JobTransport::Configure(JobEnvironment* environment,
                        uint32_t job,
                        const IterationProgram* program,
                        const JobTraffic* traffic,
                        const std::vector<uint32_t>& gpus,
                        JobTransportListener* listener)
{
    m_environment = environment;
    m_job = job;
    m_traffic = traffic;
    m_listener = listener;
    m_firstCollectives.resize(program->communicators.size());
    m_flows.resize(traffic->flows.size());
    m_ranks.resize(gpus.size());
    m_flowsOfRank.resize(gpus.size());
    m_channelsOfRank.resize(gpus.size());
    for (uint32_t rank = 0; rank < gpus.size(); rank++)
    {
        m_ranks[rank].gpu = gpus[rank];
    }

    // A flow may serve several communicators whose hosts use different NICs on that channel.
    std::vector<std::vector<uint32_t>> flowsOfRank(gpus.size());
    for (uint32_t f = 0; f < traffic->flows.size(); f++)
    {
        flowsOfRank[traffic->flows[f].sourceRank].push_back(f);
    }
    std::vector<uint32_t> place(gpus.size(), UINT32_MAX);
    for (uint32_t c = 0; c < traffic->communicators.size(); c++)
    {
        const std::vector<uint32_t>& members = program->communicators[c].ranks;
        const JobCommunicator& communicator = traffic->communicators[c];
        for (uint32_t i = 0; i < members.size(); i++)
        {
            place[members[i]] = i;
        }
        for (uint32_t member : members)
        {
            for (uint32_t f : flowsOfRank[member])
            {
                const JobFlow& flow = traffic->flows[f];
                const uint32_t destination = place[flow.destinationRank];
                if (destination == UINT32_MAX || flow.channel >= communicator.channels)
                {
                    continue;
                }
                for (const CollectiveNics nics : {CollectiveNics::CHANNEL, CollectiveNics::OWN})
                {
                    if (communicator.GetNicPorts(nics, place[member], destination, flow.channel) ==
                        std::make_pair(flow.sourceNic, flow.destinationNic))
                    {
                        m_flowsOfRank[member].push_back(
                            {GetKey(nics, c, flow.channel, flow.destinationRank), f});
                    }
                }
            }
        }
        for (uint32_t member : members)
        {
            place[member] = UINT32_MAX;
        }
    }
    for (std::vector<FlowEntry>& flows : m_flowsOfRank)
    {
        std::sort(flows.begin(), flows.end(), [](const FlowEntry& a, const FlowEntry& b) {
            return a.key < b.key;
        });
    }
}

void
JobTransport::Open(int64_t now)
{
    NS_ABORT_MSG_IF(m_open, "the transport is open already");
    m_open = true;
    NS_LOG_INFO(now << " ps: job " << m_job << " opens " << m_flows.size() << " queue pairs");
    for (uint32_t rank = 0; rank < m_ranks.size(); rank++)
    {
        m_environment->nvlinks.Attach(m_ranks[rank].gpu, this, rank);
    }
    for (uint32_t f = 0; f < m_flows.size(); f++)
    {
        FlowState& flow = m_flows[f];
        const JobFlow& traffic = m_traffic->flows[f];
        QueuePairConfig config;
        config.sourceNic = traffic.sourceNic;
        config.destinationNic = traffic.destinationNic;
        config.sourceGpu = traffic.sourceGpu;
        config.destinationGpu = traffic.destinationGpu;
        config.job = m_job;
        config.channel = traffic.channel;
        config.udpSourcePort = flow.udpSourcePort;
        config.priority = flow.priority.value_or(m_environment->defaultPriority);
        config.client = this;
        flow.queuePair = m_environment->network.CreateQueuePair(now, config);
        m_flowOfQueuePair.emplace_back(flow.queuePair, f);
    }
    std::sort(m_flowOfQueuePair.begin(), m_flowOfQueuePair.end());
}

void
JobTransport::Close()
{
    if (!m_open)
    {
        return;
    }
    m_open = false;
    for (RankState& rank : m_ranks)
    {
        m_environment->nvlinks.Detach(rank.gpu);
        rank.timers.clear();
        rank.arrivals.Clear();
    }
    m_channelsOfRank.assign(m_ranks.size(), {});
    for (const auto& [channel, local] : m_locals)
    {
        m_environment->interconnect->CloseChannel(channel);
    }
    m_locals.clear();
}

bool
JobTransport::DestroyQueuePairs(int64_t now, bool abort)
{
    NS_ABORT_MSG_IF(m_open, "the transport is still open");
    bool all = true;
    for (FlowState& flow : m_flows)
    {
        if (flow.queuePair == UINT32_MAX || flow.destroyed)
        {
            continue;
        }
        if (flow.outstanding > 0 && !flow.failed)
        {
            if (!abort)
            {
                all = false;
                continue;
            }
            m_environment->network.Abort(flow.queuePair);
        }
        flow.destroyed = true;
        m_environment->network.DestroyQueuePair(now, flow.queuePair);
    }
    return all;
}

void
JobTransport::Apply(int64_t now,
                    const std::vector<FlowUpdate>& updates,
                    const std::optional<uint8_t>& localPriority)
{
    NS_LOG_DEBUG(now << " ps: " << updates.size() << " flows of job " << m_job << " change");
    m_localPriority = localPriority ? localPriority : m_localPriority;
    for (const FlowUpdate& update : updates)
    {
        FlowState& state = m_flows.at(update.flow);
        state.udpSourcePort = update.udpSourcePort;
        state.priority = update.priority;
        if (m_open)
        {
            m_environment->network.Apply(now,
                                         state.queuePair,
                                         update.udpSourcePort,
                                         update.priority,
                                         update.decision);
        }
    }
    ApplyLocalPriority();
}

void
JobTransport::ApplyLocalPriority()
{
    for (const auto& [channel, local] : m_locals)
    {
        m_environment->interconnect->SetPriority(channel, GetLocalPriority());
    }
}

uint8_t
JobTransport::GetLocalPriority() const
{
    std::optional<uint8_t> highest = m_localPriority;
    for (size_t f = 0; !m_localPriority && f < m_flows.size(); f++)
    {
        highest = std::max(highest, m_flows[f].priority); // nothing is below every priority
    }
    return highest.value_or(m_environment->defaultPriority);
}

uint32_t
JobTransport::FindRoute(uint32_t communicator,
                        uint32_t source,
                        uint32_t destination,
                        uint32_t channel,
                        const CollectiveExecution& execution)
{
    const std::vector<FlowEntry>& flows = m_flowsOfRank[source];
    const uint64_t key = GetKey(execution.nics, communicator, channel, destination);
    const auto entry =
        std::lower_bound(flows.begin(), flows.end(), key, [](const FlowEntry& e, uint64_t k) {
            return e.key < k;
        });
    const bool found = entry != flows.end() && entry->key == key;
    const auto [worker, isNew] = m_workerOf.try_emplace(
        {communicator, source, channel, execution.copiesByPeer ? destination : source},
        static_cast<uint32_t>(m_workers.size()));
    if (isNew)
    {
        m_workers.push_back(0);
    }
    m_routes.push_back({found ? entry->flow : NVLINK,
                        source,
                        destination,
                        worker->second,
                        !execution.IsFree() || !m_stepOverhead.IsZero(),
                        execution});
    return static_cast<uint32_t>(m_routes.size() - 1);
}

void
JobTransport::Send(int64_t now, uint32_t route, uint64_t bytes, const ChunkMessage& message)
{
    if (!m_open)
    {
        return;
    }
    const Route& way = m_routes[route];
    if (!way.waits)
    {
        Dispatch(now, way, bytes, now, message);
        return;
    }
    const CollectiveExecution& execution = way.execution;
    const bool local = way.flow == NVLINK;
    int64_t postPs = now;
    int64_t arrivalPs = now;
    if (execution.channelRateBps > 0)
    {
        int64_t& freePs = m_workers[way.worker];
        const int64_t beginPs = std::max(now, freePs);
        const uint64_t rateBps = local ? execution.localChannelRateBps : execution.channelRateBps;
        freePs = beginPs + GetDurationPs(bytes, rateBps);
        // Inside a host copying is sending.
        postPs = local ? beginPs : beginPs + GetDurationPs(bytes / execution.slices, rateBps);
        arrivalPs = freePs;
    }
    const int64_t delayPs =
        m_stepOverhead.GetTimeStep() + (local ? execution.localHopPs : execution.networkHopPs);
    Timer timer;
    timer.timePs = postPs + delayPs;
    timer.kind = Timer::Kind::POST;
    timer.route = route;
    timer.bytes = bytes;
    timer.arrivalPs = arrivalPs + delayPs;
    timer.message = message;
    AddTimer(way.source, timer);
}

void
JobTransport::Launch(int64_t now, uint32_t rank, int64_t delayPs, const CollectiveLaunch& launch)
{
    if (!m_open)
    {
        return;
    }
    Timer timer;
    timer.timePs = now + delayPs;
    timer.kind = Timer::Kind::LAUNCH;
    timer.launch = launch;
    AddTimer(rank, timer);
}

int64_t
JobTransport::GetDurationPs(uint64_t bytes, uint64_t rateBps)
{
    __extension__ using Product = unsigned __int128;
    constexpr uint64_t PS_PER_BYTE_AT_1_BPS = 8'000'000'000'000;
    const Product work = static_cast<Product>(bytes) * PS_PER_BYTE_AT_1_BPS;
    return static_cast<int64_t>((work + rateBps - 1) / rateBps);
}

void
JobTransport::AddTimer(uint32_t rank, Timer timer)
{
    RankState& state = m_ranks[rank];
    timer.number = m_timerCount++;
    const bool isFirst = state.timers.empty() || timer.timePs < state.timers.front().timePs;
    state.timers.push_back(timer);
    std::push_heap(state.timers.begin(), state.timers.end(), std::greater<>());
    if (isFirst)
    {
        m_environment->nvlinks.Cancel(state.gpu, KIND_TIMER);
        m_environment->nvlinks.Schedule(timer.timePs, state.gpu, KIND_TIMER);
    }
}

void
JobTransport::RunTimer(int64_t now, uint32_t rank)
{
    RankState& state = m_ranks[rank];
    std::pop_heap(state.timers.begin(), state.timers.end(), std::greater<>());
    const Timer timer = state.timers.back();
    state.timers.pop_back();
    if (!state.timers.empty())
    {
        m_environment->nvlinks.Schedule(state.timers.front().timePs, state.gpu, KIND_TIMER);
    }
    switch (timer.kind)
    {
    case Timer::Kind::POST:
        Dispatch(now, m_routes[timer.route], timer.bytes, timer.arrivalPs, timer.message);
        break;
    case Timer::Kind::ARRIVAL:
        FinishLocal(now, timer.message);
        break;
    case Timer::Kind::LAUNCH:
        m_receiver->CollectiveLaunched(now, timer.launch);
        break;
    }
}

void
JobTransport::FinishLocal(int64_t now, const ChunkMessage& message)
{
    m_receiver->ChunkDelivered(now, message);
    if (m_open)
    {
        m_receiver->ChunkCompleted(now, message);
    }
}

void
JobTransport::Dispatch(int64_t now,
                       const Route& route,
                       uint64_t bytes,
                       int64_t arrivalPs,
                       const ChunkMessage& message)
{
    if (route.flow == NVLINK)
    {
        NS_ASSERT_MSG(m_environment->topology.GetGpuHost(m_ranks[route.source].gpu) ==
                          m_environment->topology.GetGpuHost(m_ranks[route.destination].gpu),
                      "no flow from rank " << route.source << " to rank " << route.destination);
        const CollectiveExecution& execution = route.execution;
        if (execution.localNumerator != execution.localDenominator)
        {
            bytes = CollectiveSchedule::GetWireBytes(bytes,
                                                     execution.localNumerator,
                                                     execution.localDenominator);
        }
        if (m_environment->interconnect)
        {
            const uint32_t channel = GetLocalChannel(route.source, route.destination);
            m_locals[channel].messages.push_back(message);
            m_environment->interconnect->Post(now, channel, bytes, 0);
            return;
        }
        const int64_t timePs = OccupyNvlink(now, route.source, bytes);
        if (execution.channelRateBps > 0)
        {
            Timer timer;
            timer.timePs = std::max(timePs, arrivalPs + m_nvlinkDelay.GetTimeStep());
            timer.kind = Timer::Kind::ARRIVAL;
            timer.message = message;
            AddTimer(route.source, timer);
            return;
        }
        RankState& state = m_ranks[route.source];
        state.arrivals.Push({timePs, message});
        if (state.arrivals.GetSize() == 1)
        {
            m_environment->nvlinks.Schedule(timePs, state.gpu, KIND_ARRIVAL);
        }
        return;
    }
    FlowState& flow = m_flows[route.flow];
    flow.outstanding++;
    m_environment->network.Post(now,
                                flow.queuePair,
                                bytes,
                                {message.communicator,
                                 m_firstCollectives[message.communicator] + message.collective,
                                 message.transfer});
}

uint32_t
JobTransport::GetLocalChannel(uint32_t source, uint32_t destination)
{
    const auto [entry, isNew] = m_channelsOfRank[source].emplace(destination, 0);
    if (isNew)
    {
        HostInterconnect& interconnect = *m_environment->interconnect;
        entry->second = interconnect.OpenChannel(m_job,
                                                 interconnect.GetGpuPart(m_ranks[source].gpu),
                                                 interconnect.GetGpuPart(m_ranks[destination].gpu),
                                                 GetLocalPriority(),
                                                 interconnect.GetWindow(),
                                                 this);
        m_locals[entry->second] = {source, destination, {}};
    }
    return entry->second;
}

void
JobTransport::SegmentArrived(int64_t now, uint32_t channel, const HostSegment& segment)
{
    if (!segment.last)
    {
        return;
    }
    std::deque<ChunkMessage>& messages = m_locals.at(channel).messages;
    const ChunkMessage message = messages.front();
    messages.pop_front();
    FinishLocal(now, message);
}

int64_t
JobTransport::OccupyNvlink(int64_t now, uint32_t rank, uint64_t bytes)
{
    RankState& state = m_ranks[rank];
    if (state.nvlinkFreePs < now)
    {
        state.nvlinkFreePs = now;
        state.nvlinkRest = 0;
    }
    constexpr uint64_t PS_PER_BYTE_AT_1_BPS = 8'000'000'000'000;
    const uint64_t rate = m_nvlinkRate.GetBitRate();
    uint64_t work = 0;
    if (!__builtin_mul_overflow(bytes, PS_PER_BYTE_AT_1_BPS, &work) &&
        !__builtin_add_overflow(work, state.nvlinkRest, &work))
    {
        state.nvlinkFreePs += static_cast<int64_t>(work / rate);
        state.nvlinkRest = work % rate;
    }
    else
    {
        __extension__ using Product = unsigned __int128;
        const Product wide = static_cast<Product>(bytes) * PS_PER_BYTE_AT_1_BPS + state.nvlinkRest;
        state.nvlinkFreePs += static_cast<int64_t>(wide / rate);
        state.nvlinkRest = static_cast<uint64_t>(wide % rate);
    }
    return state.nvlinkFreePs + m_nvlinkDelay.GetTimeStep();
}

void
JobTransport::HandleLaneEvent(int64_t now, uint32_t rank, uint32_t kind)
{
    RankState& state = m_ranks[rank];
    if (kind == KIND_TIMER)
    {
        RunTimer(now, rank);
        return;
    }
    const ChunkMessage message = state.arrivals.Pop().message;
    if (!state.arrivals.IsEmpty())
    {
        m_environment->nvlinks.Schedule(state.arrivals.Front().timePs, state.gpu, KIND_ARRIVAL);
    }
    FinishLocal(now, message);
}

uint32_t
JobTransport::FindFlow(uint32_t queuePair) const
{
    // As a rule they have consecutive ids, in the order in which they were opened.
    const uint32_t flow = queuePair - m_flowOfQueuePair.front().first;
    if (flow < m_flows.size() && m_flows[flow].queuePair == queuePair)
    {
        return flow;
    }
    const auto entry = std::lower_bound(m_flowOfQueuePair.begin(),
                                        m_flowOfQueuePair.end(),
                                        std::make_pair(queuePair, uint32_t{0}));
    NS_ASSERT_MSG(entry != m_flowOfQueuePair.end() && entry->first == queuePair,
                  "queue pair " << queuePair << " is not of this job");
    return entry->second;
}

void
JobTransport::MessageDelivered(int64_t now, uint32_t, const MessageTag& tag)
{
    if (m_open)
    {
        m_receiver->ChunkDelivered(
            now,
            {tag.communicator, tag.collective - m_firstCollectives[tag.communicator], tag.step});
    }
}

void
JobTransport::MessageCompleted(int64_t now, uint32_t queuePair, const MessageTag& tag)
{
    FlowState& flow = m_flows[FindFlow(queuePair)];
    flow.outstanding--;
    if (m_open)
    {
        m_receiver->ChunkCompleted(
            now,
            {tag.communicator, tag.collective - m_firstCollectives[tag.communicator], tag.step});
    }
}

void
JobTransport::QueuePairFailed(int64_t now, uint32_t queuePair)
{
    const uint32_t flow = FindFlow(queuePair);
    m_flows[flow].failed = true;
    if (m_open)
    {
        m_listener->FlowFailed(now, flow);
    }
}

void
JobTransport::DoDispose()
{
    m_environment = nullptr;
    m_listener = nullptr;
    m_receiver = nullptr;
    Object::DoDispose();
}

} // namespace ns3
