/* SPDX-License-Identifier: GPL-2.0-only */
#include "collective-plan.h"

#include "ns3/abort.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

void
CollectivePlan::Lists::Fill(uint32_t transfers,
                            const std::vector<std::pair<uint32_t, uint32_t>>& pairs)
{
    m_begin.clear();
    m_entries.clear();
    if (pairs.empty())
    {
        return;
    }
    m_begin.resize(transfers + 1);
    for (const auto& [transfer, entry] : pairs)
    {
        m_begin[transfer + 1]++;
    }
    std::partial_sum(m_begin.begin(), m_begin.end(), m_begin.begin());
    m_entries.resize(pairs.size());
    std::vector<uint32_t> next(m_begin.begin(), m_begin.end() - 1);
    for (const auto& [transfer, entry] : pairs)
    {
        m_entries[next[transfer]++] = entry;
    }
}

CollectivePlan::CollectivePlan(CollectiveSchedule schedule)
    : m_schedule(std::move(schedule)),
      m_staged(m_schedule.IsStaged())
{
    const std::vector<ChunkTransfer>& transfers = m_schedule.transfers;
    const auto count = static_cast<uint32_t>(transfers.size());
    m_receptions.resize(m_schedule.ranks);
    m_sendCounts.resize(m_schedule.ranks);
    m_sendBegin.resize(m_schedule.ranks + 1);
    for (const ChunkTransfer& transfer : transfers)
    {
        m_receptions[transfer.destination]++;
        m_sendCounts[transfer.source]++;
    }
    std::partial_sum(m_sendCounts.begin(), m_sendCounts.end(), m_sendBegin.begin() + 1);
    m_sends.resize(count);
    std::vector<uint32_t> nextSend(m_sendBegin.begin(), m_sendBegin.end() - 1);
    for (uint32_t t = 0; t < count; t++)
    {
        m_sends[nextSend[transfers[t].source]++] = t;
    }
    m_transfers.reserve(count);
    for (const ChunkTransfer& transfer : transfers)
    {
        PlannedTransfer planned;
        planned.source = transfer.source;
        planned.destination = transfer.destination;
        planned.firstChunk = transfer.sourceChunk;
        planned.chunkCount = transfer.chunkCount;
        m_transfers.push_back(planned);
        m_chunkEnd = std::max(m_chunkEnd, transfer.sourceChunk + transfer.chunkCount);
    }
    CollectWaits();
    CollectStreams();
}

void
CollectivePlan::CollectWaits()
{
    const std::vector<ChunkTransfer>& transfers = m_schedule.transfers;
    const auto count = static_cast<uint32_t>(transfers.size());
    m_initialWaits.resize(count);
    m_initialGates.resize(m_staged ? count : 0);
    std::vector<std::pair<uint32_t, uint32_t>> afterTaken;
    std::vector<std::pair<uint32_t, uint32_t>> afterPosted;
    std::vector<std::pair<uint32_t, uint32_t>> gatedByTaken;
    std::vector<std::pair<uint32_t, uint32_t>> gatedByPosted;
    afterTaken.reserve(m_schedule.dependencies.size());
    for (uint32_t t = 0; t < count; t++)
    {
        const ChunkTransfer& transfer = transfers[t];
        NS_ABORT_MSG_IF(transfer.dependencyCount >= UINT16_MAX - 2 ||
                            transfer.gateCount >= UINT16_MAX - 2,
                        "transfer " << t << " has too many dependencies");
        m_initialWaits[t] = static_cast<uint16_t>(transfer.dependencyCount);
        for (uint32_t d = 0; d < transfer.dependencyCount; d++)
        {
            const uint32_t other = m_schedule.dependencies[transfer.firstDependency + d];
            const bool taken = transfers[other].destination == transfer.source;
            (taken ? afterTaken : afterPosted).emplace_back(other, t);
        }
        if (m_staged)
        {
            m_initialGates[t] = static_cast<uint16_t>(transfer.gateCount + 1);
        }
        for (uint32_t d = 0; d < transfer.gateCount; d++)
        {
            const uint32_t other = m_schedule.dependencies[transfer.firstGate + d];
            const bool taken = transfers[other].destination == transfer.destination;
            (taken ? gatedByTaken : gatedByPosted).emplace_back(other, t);
        }
    }
    Lists dependents;
    dependents.Fill(count, afterTaken);
    for (uint32_t t = 0; t < count; t++)
    {
        const IndexRange range = dependents.Get(t);
        PlannedTransfer& planned = m_transfers[t];
        planned.dependentCount = static_cast<uint32_t>(range.last - range.first);
        planned.dependents =
            planned.dependentCount == 1 ? *range.first : static_cast<uint32_t>(m_dependents.size());
        if (planned.dependentCount > 1)
        {
            m_dependents.insert(m_dependents.end(), range.first, range.last);
        }
    }
    m_afterPosted.Fill(count, afterPosted);
    m_gatedByTaken.Fill(count, gatedByTaken);
    m_gatedByPosted.Fill(count, gatedByPosted);
}

void
CollectivePlan::CollectStreams()
{
    const std::vector<uint32_t> predecessors = m_schedule.GetPredecessors();
    for (uint32_t t = 0; t < predecessors.size(); t++)
    {
        const ChunkTransfer& transfer = m_schedule.transfers[t];
        if (predecessors[t] == NONE)
        {
            if (!transfer.IsLocal())
            {
                m_transfers[t].stream = static_cast<uint32_t>(m_streams.size());
                m_streams.push_back({transfer.source, transfer.destination, transfer.channel});
            }
        }
        else
        {
            m_transfers[t].stream = m_transfers[predecessors[t]].stream;
            m_transfers[predecessors[t]].successor = t;
            m_initialWaits[t]++;
            if (m_staged)
            {
                m_initialGates[t]++;
            }
        }
    }
}

void
CollectivePlans::Add(const CollectiveCall& call,
                     bool anySize,
                     std::shared_ptr<const CollectivePlan> plan)
{
    CollectiveCall key = call;
    key.bytes = anySize ? 0 : call.bytes;
    m_plans[key] = std::move(plan);
}

std::shared_ptr<const CollectivePlan>
CollectivePlans::Find(const CollectiveCall& call) const
{
    auto found = m_plans.find(call);
    if (found == m_plans.end())
    {
        CollectiveCall key = call;
        key.bytes = 0;
        found = m_plans.find(key);
    }
    return found == m_plans.end() ? nullptr : found->second;
}

} // namespace ns3
