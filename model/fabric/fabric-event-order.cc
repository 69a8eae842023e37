/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-event-order.h"

#include <algorithm>

namespace ns3
{

void
FabricEventOrder::Add(std::size_t process,
                      uint32_t key,
                      const FabricEventRecord& record,
                      const Trace& trace)
{
    m_last.resize(std::max(m_last.size(), process + 1), {0, 0});
    Place place{record.timePs, key};
    if (m_last[process].first == record.timePs)
    {
        place.second = std::max(key, m_last[process].second);
    }
    m_last[process] = place;
    m_events.insert({place, {record, &trace}});
}

void
FabricEventOrder::NotifyBefore(int64_t before)
{
    // A sink may read the fabric's state, which can add events and notify of them in turn.
    while (!m_events.empty() && m_events.begin()->first.first < before)
    {
        const Event event = m_events.extract(m_events.begin()).mapped();
        const FabricEventRecord& record = event.record;
        if (!record.oncePerQueuePair || m_losers.emplace(record.link, record.queuePair).second)
        {
            (*event.trace)(record);
        }
    }
}

void
FabricEventOrder::Forget(uint32_t link)
{
    m_losers.erase(m_losers.lower_bound({2 * link, 0}), m_losers.lower_bound({2 * link + 2, 0}));
}

} // namespace ns3
