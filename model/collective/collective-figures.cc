/* SPDX-License-Identifier: GPL-2.0-only */
#include "collective-figures.h"

#include "collective-plan.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Runs a schedule on links that carry one chunk per unit of time.
class LinkSimulation
{
  public:
    explicit LinkSimulation(const CollectiveSchedule& schedule)
        : m_plan(schedule),
          m_transfers(m_plan.GetSchedule().transfers),
          m_waits(m_plan.GetInitialWaits()),
          m_gates(m_plan.GetInitialGates())
    {
        for (uint32_t t = 0; t < m_transfers.size(); t++)
        {
            if (m_waits[t] == 0)
            {
                m_ready.push(t);
            }
        }
        PostAll();
        while (!m_arrivals.empty())
        {
            const auto [time, order, transfer] = m_arrivals.top();
            m_arrivals.pop();
            m_now = time;
            Arrive(transfer);
            PostAll();
        }
    }

    uint64_t GetEnd() const
    {
        return m_now;
    }

  private:
    void PostAll()
    {
        while (!m_ready.empty())
        {
            const uint32_t t = m_ready.front();
            m_ready.pop();
            Post(t);
        }
    }

    void Post(uint32_t t)
    {
        const ChunkTransfer& transfer = m_transfers[t];
        uint64_t end = m_now;
        if (!transfer.IsLocal())
        {
            uint64_t& free = m_free[{transfer.source, transfer.destination}];
            end = free = std::max(free, m_now) + transfer.chunkCount;
        }
        m_arrivals.emplace(end, m_count++, t);
        if (m_plan.GetSuccessor(t) != CollectivePlan::NONE)
        {
            CountWait(m_plan.GetSuccessor(t));
        }
        for (uint32_t other : m_plan.GetPostDependents(t))
        {
            CountWait(other);
        }
        for (uint32_t other : m_plan.GetPostGated(t))
        {
            CountGate(other);
        }
    }

    void CountWait(uint32_t t)
    {
        if (--m_waits[t] == 0)
        {
            m_ready.push(t);
        }
    }

    void CountGate(uint32_t t)
    {
        if (--m_gates[t] == 0)
        {
            m_taken.push(t);
        }
    }

    void Arrive(uint32_t t)
    {
        if (m_plan.IsStaged())
        {
            CountGate(t);
        }
        else
        {
            m_taken.push(t);
        }
        TakeAll();
    }

    void TakeAll()
    {
        while (!m_taken.empty() || !m_ready.empty())
        {
            // Posting may open gates at once.
            PostAll();
            if (m_taken.empty())
            {
                return;
            }
            const uint32_t t = m_taken.front();
            m_taken.pop();
            if (m_plan.IsStaged() && m_plan.GetSuccessor(t) != CollectivePlan::NONE)
            {
                CountGate(m_plan.GetSuccessor(t));
            }
            for (uint32_t other : m_plan.GetDependents(t))
            {
                CountWait(other);
            }
            for (uint32_t other : m_plan.GetGated(t))
            {
                CountGate(other);
            }
        }
    }

    using Arrival = std::tuple<uint64_t, uint64_t, uint32_t>;

    const CollectivePlan m_plan;
    const std::vector<ChunkTransfer>& m_transfers;
    std::vector<uint16_t> m_waits;
    std::vector<uint16_t> m_gates;
    std::queue<uint32_t> m_ready;
    std::queue<uint32_t> m_taken;
    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> m_arrivals;
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> m_free;
    uint64_t m_now{0};
    uint64_t m_count{0};
};

} // namespace

CollectiveFigures
CollectiveFigures::Make(const CollectiveSchedule& schedule)
{
    CollectiveFigures figures;
    std::vector<uint64_t> egress(schedule.ranks);
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> links;
    for (const ChunkTransfer& transfer : schedule.transfers)
    {
        if (!transfer.IsLocal())
        {
            figures.messages++;
            egress[transfer.source] += transfer.chunkCount;
            uint64_t& link = links[{transfer.source, transfer.destination}];
            link += transfer.chunkCount;
            figures.mostOnLink = std::max(figures.mostOnLink, link);
        }
    }
    if (!egress.empty())
    {
        const auto [least, most] = std::minmax_element(egress.begin(), egress.end());
        figures.leastEgress = *least;
        figures.mostEgress = *most;
    }
    figures.makespan = LinkSimulation(schedule).GetEnd();
    return figures;
}

} // namespace ns3
