/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/collective-plan.h"

#include "ns3/abort.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace ns3
{

CollectivePlan::CollectivePlan(CollectiveSchedule schedule)
    : m_schedule(std::move(schedule))
{
    const std::vector<ChunkTransfer>& transfers = m_schedule.transfers;
    const auto count = static_cast<uint32_t>(transfers.size());
    m_initialWaits.resize(count);
    m_receptions.resize(m_schedule.ranks);
    m_sendCounts.resize(m_schedule.ranks);
    m_sendBegin.resize(m_schedule.ranks + 1);
    m_dependentBegin.resize(count + 1);
    m_successor.assign(count, NONE);

    for (const ChunkTransfer& transfer : transfers)
    {
        m_receptions[transfer.destination]++;
        m_sendCounts[transfer.source]++;
        for (uint32_t d = 0; d < transfer.dependencyCount; d++)
        {
            m_dependentBegin[m_schedule.dependencies[transfer.firstDependency + d] + 1]++;
        }
    }
    std::partial_sum(m_sendCounts.begin(), m_sendCounts.end(), m_sendBegin.begin() + 1);
    std::partial_sum(m_dependentBegin.begin(), m_dependentBegin.end(), m_dependentBegin.begin());
    m_sends.resize(count);
    m_dependents.resize(m_dependentBegin[count]);
    std::vector<uint32_t> nextSend(m_sendBegin.begin(), m_sendBegin.end() - 1);
    std::vector<uint32_t> nextDependent(m_dependentBegin.begin(), m_dependentBegin.end() - 1);
    for (uint32_t t = 0; t < count; t++)
    {
        const ChunkTransfer& transfer = transfers[t];
        NS_ABORT_MSG_IF(transfer.dependencyCount >= UINT16_MAX - 1,
                        "transfer " << t << " has too many dependencies");
        m_initialWaits[t] = static_cast<uint16_t>(transfer.dependencyCount);
        m_sends[nextSend[transfer.source]++] = t;
        for (uint32_t d = 0; d < transfer.dependencyCount; d++)
        {
            const uint32_t dependency = m_schedule.dependencies[transfer.firstDependency + d];
            m_dependents[nextDependent[dependency]++] = t;
        }
    }

    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    const auto stream = [&transfers](uint32_t t) {
        return std::make_tuple(transfers[t].source, transfers[t].destination, transfers[t].channel);
    };
    std::stable_sort(order.begin(), order.end(), [&stream](uint32_t a, uint32_t b) {
        return stream(a) < stream(b);
    });
    for (uint32_t i = 1; i < count; i++)
    {
        if (stream(order[i - 1]) == stream(order[i]))
        {
            m_successor[order[i - 1]] = order[i];
            m_initialWaits[order[i]]++;
        }
    }
}

} // namespace ns3
