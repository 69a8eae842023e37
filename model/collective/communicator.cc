/* SPDX-License-Identifier: GPL-2.0-only */
#include "communicator.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("Communicator");

Communicator::Communicator(uint32_t index,
                           std::vector<uint32_t> ranks,
                           CollectivePlans plans,
                           CollectiveTransport* transport,
                           CommunicatorListener* listener)
    : m_index(index),
      m_ranks(std::move(ranks)),
      m_plans(std::move(plans)),
      m_transport(transport),
      m_listener(listener),
      m_positions(m_ranks.size())
{
    for (const auto& [call, plan] : m_plans.GetAll())
    {
        NS_ABORT_MSG_IF(plan->GetSchedule().ranks != m_ranks.size(),
                        "a schedule of " << plan->GetSchedule().ranks
                                         << " ranks in a communicator of " << m_ranks.size());
    }
}

Communicator::Collective&
Communicator::Get(uint32_t collective)
{
    NS_ASSERT_MSG(collective >= m_first && collective - m_first < m_pending.size(),
                  "collective " << collective << " is not pending");
    return *m_pending[collective - m_first];
}

int64_t
Communicator::GetLastPostPs(uint32_t collective) const
{
    if (collective < m_first || collective - m_first >= m_pending.size())
    {
        return -1;
    }
    const Collective& state = *m_pending[collective - m_first];
    return state.issued == m_ranks.size() ? state.outcome.lastPostPs : -1;
}

std::unique_ptr<Communicator::Collective>
Communicator::MakeCollective(int64_t now, const CollectiveCall& call)
{
    const std::shared_ptr<const CollectivePlan> plan = m_plans.Find(call);
    NS_ABORT_MSG_IF(!plan,
                    "no plan of " << GetCollectiveOperationName(call.operation)
                                  << " in communicator " << m_index);
    std::unique_ptr<Collective> collective;
    if (m_spare.empty())
    {
        collective = std::make_unique<Collective>();
    }
    else
    {
        collective = std::move(m_spare.back());
        m_spare.pop_back();
    }
    collective->call = call;
    collective->plan = plan;
    collective->sizes.Prepare(*plan, call.bytes);
    collective->routes = &GetRoutes(*plan);
    collective->outcome.communicator = m_index;
    collective->outcome.collective = m_first + static_cast<uint32_t>(m_pending.size());
    collective->outcome.operation = call.operation;
    collective->outcome.bytes = call.bytes;
    collective->outcome.algorithm = plan->GetSchedule().algorithm;
    collective->outcome.protocol = plan->GetSchedule().protocol;
    collective->outcome.channels = plan->GetSchedule().channels;
    collective->outcome.firstPostPs = now;
    collective->issued = 0;
    collective->unfinished = static_cast<uint32_t>(m_ranks.size());
    collective->waits = plan->GetInitialWaits();
    collective->gates = plan->GetInitialGates();
    collective->ranks.resize(m_ranks.size());
    for (size_t rank = 0; rank < m_ranks.size(); rank++)
    {
        collective->ranks[rank] = {plan->GetReceptions()[rank], plan->GetSendCounts()[rank], false};
    }
    return collective;
}

const std::vector<uint32_t>&
Communicator::GetRoutes(const CollectivePlan& plan)
{
    const auto [entry, isNew] = m_routes.try_emplace(&plan);
    if (isNew)
    {
        for (const ChunkStream& stream : plan.GetStreams())
        {
            entry->second.push_back(m_transport->FindRoute(m_index,
                                                           m_ranks[stream.source],
                                                           m_ranks[stream.destination],
                                                           stream.channel,
                                                           plan.GetSchedule().execution));
        }
    }
    return entry->second;
}

void
Communicator::SetDepth(uint32_t depth)
{
    NS_ABORT_MSG_IF(depth == 0, "a communicator that runs nothing");
    m_depth = depth;
}

uint32_t
Communicator::Issue(int64_t now, uint32_t rank, const CollectiveCall& call)
{
    const uint32_t number = m_positions[rank].issued++;
    if (number - m_first == m_pending.size())
    {
        NS_LOG_LOGIC(now << " ps: communicator " << m_index << " starts collective " << number
                         << ", " << GetCollectiveOperationName(call.operation) << " of "
                         << call.bytes << " B");
        m_pending.push_back(MakeCollective(now, call));
        m_listener->CollectiveStarted(now, m_index, number, call);
    }
    Collective& collective = Get(number);
    NS_ABORT_MSG_IF(!(collective.call == call),
                    "rank " << rank << " issues " << GetCollectiveOperationName(call.operation)
                            << " of " << call.bytes << " B as collective " << number
                            << ", another rank "
                            << GetCollectiveOperationName(collective.call.operation) << " of "
                            << collective.call.bytes << " B");
    collective.issued++;
    collective.outcome.lastPostPs = now;
    m_tasks.Push({TaskKind::START_NEXT, number, rank});
    RunTasks(now);
    return number;
}

void
Communicator::Delivered(int64_t now, const ChunkMessage& message)
{
    TakeDelivery(now, message.collective, Get(message.collective), message.transfer);
    RunTasks(now);
}

void
Communicator::Completed(int64_t now, const ChunkMessage& message)
{
    TakeCompletion(message.collective, Get(message.collective), message.transfer);
    RunTasks(now);
}

void
Communicator::Launched(int64_t now, const CollectiveLaunch& launch)
{
    Begin(now, launch.collective, launch.rank);
    RunTasks(now);
}

void
Communicator::StartNext(int64_t now, uint32_t rank)
{
    RankPosition& position = m_positions[rank];
    while (position.running < m_depth && position.next < position.issued)
    {
        position.running++;
        const uint32_t number = position.next++;
        const int64_t launchPs = Get(number).plan->GetSchedule().execution.launchPs;
        if (launchPs > 0)
        {
            m_transport->Launch(now, m_ranks[rank], launchPs, {m_index, number, rank});
            continue;
        }
        Begin(now, number, rank);
    }
}

void
Communicator::Begin(int64_t now, uint32_t number, uint32_t rank)
{
    Collective& collective = Get(number);
    collective.ranks[rank].running = true;
    for (uint32_t transfer : collective.plan->GetSends(rank))
    {
        if (collective.waits[transfer] == 0)
        {
            Post(now, number, collective, transfer);
        }
    }
    CheckEnded(number, collective, rank);
}

void
Communicator::Post(int64_t now, uint32_t number, Collective& collective, uint32_t transfer)
{
    const CollectivePlan& plan = *collective.plan;
    while (true)
    {
        collective.waits[transfer] = POSTED;
        const PlannedTransfer& planned = plan.GetTransfers()[transfer];
        const uint64_t bytes = collective.sizes.Get(planned);
        if (bytes == 0 || planned.stream == CollectivePlan::NONE)
        {
            m_tasks.Push({TaskKind::ARRIVED, number, transfer});
        }
        else
        {
            m_transport->Send(now,
                              (*collective.routes)[planned.stream],
                              bytes,
                              {m_index, number, transfer});
        }
        if (planned.dependentCount == 1)
        {
            // Touched when the message has arrived; a large collective does not fit in the caches.
            __builtin_prefetch(&plan.GetTransfers()[planned.dependents]);
            __builtin_prefetch(&collective.waits[planned.dependents], 1);
        }
        if (plan.IsStaged())
        {
            m_tasks.Push({TaskKind::POSTED, number, transfer});
        }
        transfer = planned.successor;
        if (transfer == CollectivePlan::NONE || --collective.waits[transfer] > 0)
        {
            return;
        }
    }
}

void
Communicator::TakeDelivery(int64_t now, uint32_t number, Collective& collective, uint32_t transfer)
{
    if (collective.plan->IsStaged())
    {
        OpenGate(number, collective, transfer);
        return;
    }
    Take(now, number, collective, transfer);
}

void
Communicator::Take(int64_t now, uint32_t number, Collective& collective, uint32_t transfer)
{
    const uint32_t rank = collective.plan->GetTransfers()[transfer].destination;
    NS_ASSERT(collective.ranks[rank].receptions > 0);
    collective.ranks[rank].receptions--;
    Release(now, number, collective, rank, collective.plan->GetDependents(transfer));
    if (collective.ranks[rank].running)
    {
        CheckEnded(number, collective, rank);
    }
}

void
Communicator::Release(int64_t now,
                      uint32_t number,
                      Collective& collective,
                      uint32_t rank,
                      IndexRange transfers)
{
    const bool running = collective.ranks[rank].running;
    for (uint32_t dependent : transfers)
    {
        NS_ASSERT(collective.waits[dependent] > 0 && collective.waits[dependent] != POSTED);
        if (--collective.waits[dependent] == 0 && running)
        {
            Post(now, number, collective, dependent);
        }
    }
}

void
Communicator::OpenGates(uint32_t number, Collective& collective, IndexRange transfers)
{
    for (uint32_t transfer : transfers)
    {
        OpenGate(number, collective, transfer);
    }
}

void
Communicator::OpenGate(uint32_t number, Collective& collective, uint32_t transfer)
{
    NS_ASSERT(collective.gates[transfer] > 0);
    if (--collective.gates[transfer] == 0)
    {
        m_tasks.Push({TaskKind::TAKEN, number, transfer});
    }
}

void
Communicator::TakeCompletion(uint32_t number, Collective& collective, uint32_t transfer)
{
    const uint32_t rank = collective.plan->GetTransfers()[transfer].source;
    NS_ASSERT(collective.ranks[rank].sends > 0 && collective.ranks[rank].running);
    collective.ranks[rank].sends--;
    CheckEnded(number, collective, rank);
}

void
Communicator::CheckEnded(uint32_t number, const Collective& collective, uint32_t rank)
{
    if (collective.ranks[rank].receptions == 0 && collective.ranks[rank].sends == 0)
    {
        m_tasks.Push({TaskKind::RANK_ENDED, number, rank});
    }
}

void
Communicator::EndRank(int64_t now, uint32_t number, uint32_t rank)
{
    Collective& collective = Get(number);
    m_positions[rank].running--;
    collective.ranks[rank].running = false;
    const bool allIssued = collective.issued == m_ranks.size();
    const int64_t lastPostPs = allIssued ? collective.outcome.lastPostPs : now;
    if (--collective.unfinished == 0)
    {
        collective.outcome.endPs = now;
        NS_LOG_LOGIC(now << " ps: communicator " << m_index << " has finished collective "
                         << number);
        const CollectiveOutcome outcome = collective.outcome;
        // Only if several run at a time can an older one still be running.
        NS_ASSERT(number == m_first || m_depth > 1);
        while (!m_pending.empty() && m_pending.front()->unfinished == 0)
        {
            m_spare.push_back(std::move(m_pending.front()));
            m_pending.pop_front();
            m_first++;
        }
        m_listener->CollectiveFinished(outcome);
    }
    m_listener->RankFinished(now, m_index, rank, number, lastPostPs);
    StartNext(now, rank);
}

void
Communicator::RunTasks(int64_t now)
{
    if (m_runningTasks)
    {
        return;
    }
    m_runningTasks = true;
    while (!m_tasks.IsEmpty())
    {
        RunTask(now, m_tasks.Pop());
    }
    m_runningTasks = false;
}

void
Communicator::RunTask(int64_t now, const Task& task)
{
    switch (task.kind)
    {
    case TaskKind::START_NEXT:
        StartNext(now, task.index);
        break;
    case TaskKind::ARRIVED: {
        // Neither can free the collective: a rank's end is a separate task.
        Collective& collective = Get(task.collective);
        TakeDelivery(now, task.collective, collective, task.index);
        TakeCompletion(task.collective, collective, task.index);
        break;
    }
    case TaskKind::POSTED: {
        Collective& collective = Get(task.collective);
        const CollectivePlan& plan = *collective.plan;
        Release(now,
                task.collective,
                collective,
                plan.GetTransfers()[task.index].source,
                plan.GetPostDependents(task.index));
        OpenGates(task.collective, collective, plan.GetPostGated(task.index));
        break;
    }
    case TaskKind::TAKEN: {
        Collective& collective = Get(task.collective);
        const CollectivePlan& plan = *collective.plan;
        const uint32_t successor = plan.GetSuccessor(task.index);
        if (successor != CollectivePlan::NONE)
        {
            OpenGate(task.collective, collective, successor);
        }
        OpenGates(task.collective, collective, plan.GetGated(task.index));
        Take(now, task.collective, collective, task.index);
        break;
    }
    case TaskKind::RANK_ENDED:
        EndRank(now, task.collective, task.index);
        break;
    }
}

} // namespace ns3
